"""Folders of CMS-format files made from the real data, for the pipeline to run on. Nothing here is kept in the repository."""

from __future__ import annotations

import csv
import gzip
import json
import shutil
from decimal import Decimal
from pathlib import Path

from schemas.care_compare import ProviderInfo
from tests.replication import expected
from tests.replication.expected import (
    CASE_MIX,
    MONTHLY,
    NO_RN_DAYS,
    REAL,
    july_sample,
    monthly_335513,
    no_rn_days_2025q3,
    rated_2025q3,
    reported_2026_02,
)

# CMS's column name of every column of the provider file.
CMS = {name: col.metadata["cms"] for name, col in ProviderInfo.to_schema().columns.items()}

# Column of the July 2026 sample -> column of the schema.
SAMPLE = {
    "ccn": "ccn",
    "state": "state",
    "certified_beds": "certified_beds",
    "avg_residents_per_day": "average_residents",
    "abuse_icon": "abuse_icon",
    "sff_status": "special_focus_status",
    "overall_rating": "overall_rating",
    "health_inspection_rating": "health_inspection_rating",
    "qm_rating": "qm_rating",
    "long_stay_qm_rating": "long_stay_qm_rating",
    "short_stay_qm_rating": "short_stay_qm_rating",
    "staffing_rating": "staffing_rating",
    "staffing_footnote": "staffing_footnote",
    "reported_na_hprd": "reported_nurse_aide_hprd",
    "reported_lpn_hprd": "reported_lpn_hprd",
    "reported_rn_hprd": "reported_rn_hprd",
    "reported_total_hprd": "reported_total_nurse_hprd",
    "reported_weekend_total_hprd": "reported_weekend_total_nurse_hprd",
    "reported_weekend_rn_hprd": "reported_weekend_rn_hprd",
    "total_nursing_staff_turnover": "total_nurse_turnover_pct",
    "rn_turnover": "rn_turnover_pct",
    "administrators_left": "administrator_departures",
    "nursing_case_mix_index": "nursing_case_mix_index",
    "case_mix_rn_hprd": "case_mix_rn_hprd",
    "case_mix_total_hprd": "case_mix_total_nurse_hprd",
    "case_mix_weekend_total_hprd": "case_mix_weekend_total_nurse_hprd",
    "adjusted_rn_hprd": "adjusted_rn_hprd",
    "adjusted_total_hprd": "adjusted_total_nurse_hprd",
    "adjusted_weekend_total_hprd": "adjusted_weekend_total_nurse_hprd",
}
# Columns that no schema names yet, by CMS's names of the 2026 layout.
INSPECTIONS = {
    "health_inspection_over_2_years": "Most Recent Health Inspection More Than 2 Years Ago",
    "long_stay_qm_footnote": "Long-Stay QM Rating Footnote",
    "short_stay_qm_footnote": "Short-Stay QM Rating Footnote",
    "cycle1_survey_date": "Rating Cycle 1 Standard Survey Health Date",
    "cycle1_total_deficiencies": "Rating Cycle 1 Total Number of Health Deficiencies",
    "cycle1_standard_deficiencies": "Rating Cycle 1 Number of Standard Health Deficiencies",
    "cycle1_complaint_deficiencies": "Rating Cycle 1 Number of Complaint Health Deficiencies",
    "cycle1_deficiency_score": "Rating Cycle 1 Health Deficiency Score",
    "cycle1_revisits": "Rating Cycle 1 Number of Health Revisits",
    "cycle1_revisit_score": "Rating Cycle 1 Health Revisit Score",
    "cycle1_total_score": "Rating Cycle 1 Total Health Score",
    "cycle2_survey_date": "Rating Cycle 2 Standard Health Survey Date",
    "cycle2_total_deficiencies": "Rating Cycle 2/3 Total Number of Health Deficiencies",
    "cycle2_standard_deficiencies": "Rating Cycle 2 Number of Standard Health Deficiencies",
    "cycle2_complaint_deficiencies": "Rating Cycle 2/3 Number of Complaint Health Deficiencies",
    "cycle2_deficiency_score": "Rating Cycle 2/3 Health Deficiency Score",
    "cycle2_revisits": "Rating Cycle 2/3 Number of Health Revisits",
    "cycle2_revisit_score": "Rating Cycle 2/3 Health Revisit Score",
    "cycle2_total_score": "Rating Cycle 2/3 Total Health Score",
    "total_weighted_health_survey_score": "Total Weighted Health Survey Score",
}
# Column of the monthly values of 335513 -> column of the schema, beside those of MONTHLY.
MONTHLY_OTHER = {
    "ccn": "ccn",
    "provider_name": "provider_name",
    "state": "state",
    "avg_residents_per_day": "average_residents",
    "abuse_icon": "abuse_icon",
    "total_nursing_staff_turnover": "total_nurse_turnover_pct",
    "registered_nurse_turnover": "rn_turnover_pct",
    "case_mix_na_hrs_per_resident_per_day": "case_mix_nurse_aide_hprd",
    "case_mix_lpn_hrs_per_resident_per_day": "case_mix_lpn_hprd",
    "case_mix_rn_hrs_per_resident_per_day": "case_mix_rn_hprd",
    "case_mix_total_nurse_hrs_per_resident_per_day": "case_mix_total_nurse_hprd",
    "case_mix_weekend_total_nurse_hrs_per_resident_per_day": "case_mix_weekend_total_nurse_hprd",
    "adjusted_na_hrs_per_resident_per_day": "adjusted_nurse_aide_hprd",
    "adjusted_lpn_hrs_per_resident_per_day": "adjusted_lpn_hprd",
    "adjusted_rn_hrs_per_resident_per_day": "adjusted_rn_hprd",
    "adjusted_total_nurse_hrs_per_resident_per_day": "adjusted_total_nurse_hprd",
    "adjusted_weekend_total_nurse_hrs_per_resident_per_day": "adjusted_weekend_total_nurse_hprd",
}
LEVEL_COLUMNS = {
    "na": "reported_nurse_aide_hprd",
    "lpn": "reported_lpn_hprd",
    "rn": "reported_rn_hprd",
    "total": "reported_total_nurse_hprd",
    "weekend_total": "reported_weekend_total_nurse_hprd",
    "weekend_rn": "reported_weekend_rn_hprd",
}
# Name in CMS's API -> column of the bulk file, of the SNF QRP provider data.
QRP = {
    "cms_certification_number_ccn": "CMS Certification Number (CCN)",
    "provider_name": "Provider Name",
    "address_line_1": "Address Line 1",
    "citytown": "City/Town",
    "state": "State",
    "zip_code": "ZIP Code",
    "countyparish": "County/Parish",
    "telephone_number": "Telephone Number",
    "cms_region": "CMS Region",
    "measure_code": "Measure Code",
    "score": "Score",
    "footnote": "Footnote",
    "start_date": "Start Date",
    "end_date": "End Date",
    "measure_date_range": "Measure Date Range",
    "location1": "LOCATION1",
}
WHOLE_NUMBERS = ("certified_beds", "overall_rating", "health_inspection_rating", "staffing_rating")  # written 4.0 in the source


def write(path: Path, header: list[str], rows: list[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as out:
        lines = csv.DictWriter(out, header, restval="", extrasaction="ignore")
        lines.writeheader()
        lines.writerows(rows)


def provider_file(folder: Path, release: str, rows: list[dict[str, str]], others: list[str] | None = None) -> Path:
    """NH_ProviderInfo of a release; `rows` are keyed by the schema's names and, for `others`, by CMS's."""
    year, month = release.split("-")
    names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    path = folder / f"NH_ProviderInfo_{names[int(month) - 1]}{year}.csv"
    processed = {"processing_date": f"{release}-01"}
    cms_rows = [{CMS.get(name, name): value for name, value in {**row, **processed}.items()} for row in rows]
    header = [name for name in CMS.values() if name != CMS["processing_date"]] + (others or []) + [CMS["processing_date"]]
    write(path, header, cms_rows)
    return path


def july_2026(folder: Path) -> list[str]:
    """The 317-home sample and CMS's own state averages of July 2026. Returns the CCNs."""
    rows = [
        {
            **{name: row[source] for source, name in SAMPLE.items()},
            **{cms: row[source] for source, cms in INSPECTIONS.items()},
        }
        for row in july_sample()
    ]
    provider_file(folder, "2026-07", rows, list(INSPECTIONS.values()))
    shutil.copy(REAL / "2026-07" / "NH_StateUSAverages_Jul2026.csv", folder)
    return [row["ccn"] for row in rows]


def citations_as_of_july(folder: Path) -> list[str]:
    """The citations of February 2026 as if CMS had made the file in July: ages are counted to the release it is compared with.

    Returns the homes that are whole in it: the last one may be cut.
    """
    with (REAL / "2026-02" / "csv" / "NH_HealthCitations_Feb2026.csv").open(newline="", encoding="utf-8") as lines:
        rows = [{**row, "Processing Date": "2026-07-01"} for row in csv.DictReader(lines)]
    write(folder / "NH_HealthCitations_Jul2026.csv", list(rows[0]), rows)
    return sorted({row["CMS Certification Number (CCN)"] for row in rows})[:-1]


def quality_2026_02(folder: Path) -> None:
    """The quality measures of February 2026 in all three files, and a provider file of the homes in them."""
    for name in ("NH_QualityMsr_MDS_Feb2026.csv", "NH_QualityMsr_Claims_Feb2026.csv"):
        shutil.copy(REAL / "2026-02" / "csv" / name, folder)
    homes = {}
    with (folder / "NH_QualityMsr_Claims_Feb2026.csv").open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            homes[row["CMS Certification Number (CCN)"]] = row["State"]
    provider_file(folder, "2026-02", [{"ccn": ccn, "state": state} for ccn, state in sorted(homes.items())])
    with gzip.open(REAL / "2026-02" / "api-json" / "fykj-qjee.json.gz", "rt", encoding="utf-8") as text:
        rows = json.load(text)["results"]
    write(folder / "SNF_QRP_Provider_Data_Feb2026.csv", list(QRP.values()), [{QRP[k]: v for k, v in row.items()} for row in rows])


def national_2025q3(folder: Path, *, with_no_rn_days: bool = False) -> list[str]:
    """The nation in release 2026-01. Returns the homes with four or more days without an RN, footnote 24 if `with_no_rn_days`.

    Every home of the ratings is written, for the national case mix is the mean over all of them; a home without reported
    hours in the other source (all of California) carries its case mix and no star.
    """
    reported, no_rn = reported_2026_02(), no_rn_days_2025q3()
    few_rn = sorted(ccn for ccn, days in no_rn.items() if days >= NO_RN_DAYS)
    rows = []
    for rated in rated_2025q3():
        row = {
            "ccn": rated["ccn"],
            "state": rated["STATE"],
            "average_residents": rated["avg_residents_per_day"],
            "case_mix_rn_hprd": rated[CASE_MIX["rn"]],
            "case_mix_total_nurse_hprd": rated[CASE_MIX["total"]],
        }
        hours = reported.get(rated["ccn"])
        if hours:
            parts = [hours[f"reported_{c}_hprd"] for c in ("rn", "lpn", "na")]
            row |= {
                "provider_name": hours["facility_name"],
                "certified_beds": hours["certified_beds"],
                "overall_rating": rated["overall_rating"],
                "staffing_rating": rated["staffing_rating"],
                "staffing_footnote": "24" if with_no_rn_days and rated["staffing_rating"] and rated["ccn"] in few_rn else "",
                "reported_rn_hprd": parts[0],
                "reported_lpn_hprd": parts[1],
                "reported_nurse_aide_hprd": parts[2],
                "reported_total_nurse_hprd": str(sum(map(Decimal, parts))) if all(parts) else "",
                "reported_weekend_total_nurse_hprd": hours["reported_weekend_total_hprd"],
                "reported_weekend_rn_hprd": hours["reported_weekend_rn_hprd"],
                "total_nurse_turnover_pct": hours["total_turnover"],
                "rn_turnover_pct": hours["rn_turnover"],
                "administrator_departures": hours["administrators_left"],
            }
        rows.append(row)
    provider_file(folder, "2026-01", rows)
    return few_rn


def daily_335513(folder: Path, quarter: str) -> Path:
    """The PBJ daily nurse file of a quarter with the one home."""
    rows = [row for row in expected.daily_335513() if row["CY_Qtr"] == quarter]
    header = [name for name in rows[0] if name != "Hrs_RNDON.1"]
    path = folder / f"PBJ_dailynursestaffing_CY{quarter}.csv"
    write(path, header, rows)
    return path


def provider_335513(folder: Path, release: str) -> Path:
    """NH_ProviderInfo of a release with the one home. Of a month that stands twice the first is taken."""
    found = next(row for row in monthly_335513() if row["processing_date"].startswith(release))
    row = {name: found[source] for source, name in MONTHLY_OTHER.items()}
    row |= {LEVEL_COLUMNS[item]: found[source] for item, source in MONTHLY.items()}
    row |= {name: str(int(Decimal(found[name]))) if found[name] else "" for name in WHOLE_NUMBERS}
    row["special_focus_status"] = found["sff_status"]
    return provider_file(folder, release, [row])
