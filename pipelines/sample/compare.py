"""The Care Compare files of the release and the theme zips that hold them."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import IO

from pipelines.sample import layouts, measure_files, ranking, survey_files
from pipelines.sample.home import NATION_INDEX, case_mix
from pipelines.sample.provider import STEM, Listing, printed
from pipelines.sample.window import Window
from pipelines.sample.written import zip_member

SETS = {
    "NH_ProviderInfo": ("4pq5-n9py", "Provider Information"),
    "NH_StateUSAverages": ("xcdc-v8bm", "State US Averages"),
    "NH_DataCollectionIntervals": ("qmdc-9999", "Data Collection Intervals"),
    "NH_HealthCitations": ("r5ix-sfxw", "Health Deficiencies"),
    "NH_SurveySummary": ("tbry-pc2d", "Survey Summary"),
    "NH_SurveyDates": ("svdt-c123", "Inspection Dates"),
    "NH_Penalties": ("g6vv-u9sr", "Penalties"),
    "NH_HlthInspecCutpointsState": ("hicp-9999", "State-Level Health Inspection Cut Points"),
    "NH_CitationDescriptions": ("tagd-9999", "Citation Code Look-up"),
    "NH_QualityMsr_MDS": ("djen-97ju", "MDS Quality Measures"),
    "NH_QualityMsr_Claims": ("ijh5-nb2v", "Medicare Claims Quality Measures"),
    "Skilled_Nursing_Facility_Quality_Reporting_Program_Provider_Data": ("fykj-qjee", "SNF QRP - Provider Data"),
}
DIGITS = {
    "Nursing Case-Mix Index": 5,
    "Average Number of Residents per Day": 1,
    "Number of Fines": 1,
    "Fine Amount in Dollars": 0,
}
LIKE = {"Fine Amount in Dollars": "Total Amount of Fines in Dollars"}
# Quality measures that have no source file here: one plausible national value, the same in each state.
OTHER_AVERAGES = "12.500000"

Table = tuple[Sequence[str], Iterable[Sequence[str]]]  # header and rows of a file


def release_days(release: str) -> tuple[date, date]:
    """The day the release is posted, the last Wednesday of its month, and the day a part of it is posted again."""
    year, month = int(release[:4]), int(release[5:])
    last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
    posted = last - timedelta(days=(last.weekday() - 2) % 7)
    return posted, posted + timedelta(days=8)


def provider_info(homes: list[Listing], processed: str, correct: bool = False) -> Table:
    """NH_ProviderInfo. `correct` gives the first home another telephone number, as a second posting of the month does."""

    def rows() -> Iterator[list[str]]:
        for position, home in enumerate(homes):
            row = home.row | {"Processing Date": processed}
            if correct and position == 0:
                row["Telephone Number"] = "2025550100"
            yield [row.get(column, "") for column in layouts.PROVIDER_INFO]

    return layouts.PROVIDER_INFO, rows()


def state_averages(homes: list[Listing], processed: str) -> Table:
    """NH_StateUSAverages: means over homes with a value; the case-mix cells of NATION are the constants of `home.py`."""
    groups: dict[str, list[Listing]] = {"NATION": homes}
    for home in sorted(homes, key=lambda one: one.state):
        groups.setdefault(home.state, []).append(home)
    constant = {
        f"Case-Mix {stem} Staffing Hours per Resident per Day": printed(Fraction(case_mix(measure, NATION_INDEX), 100_000), 5)
        for measure, stem in STEM.items()
    }
    table = []
    for state, members in groups.items():
        cells = {"State or Nation": state, "Processing Date": processed}
        for column in layouts.STATE_AVERAGES[1:-1]:
            cells[column] = _mean(column, members)
        table.append([(cells | (constant if state == "NATION" else {}))[column] for column in layouts.STATE_AVERAGES])
    return layouts.STATE_AVERAGES, table


def _mean(column: str, homes: list[Listing]) -> str:
    if column.startswith(("Percentage", "Number of hosp", "Number of outp")):
        code = measure_files.CODE_OF.get(column.replace("-", " "))
        if code is None:
            return OTHER_AVERAGES
        values, digits = [Fraction(home.quality.values[code][0]) for home in homes if home.quality.shown(code)], 6
    elif column.startswith("Cycle "):
        label, fire = int(column[6]), "Fire" in column
        found = [home.history.fire[label - 1] if fire else survey_files.deficiencies(home, label) for home in homes]
        values, digits = [Fraction(number) for number in found], 1
    else:
        values = [Fraction(text) for home in homes if (text := home.row.get(LIKE.get(column, column), ""))]
        digits = DIGITS.get(column, 5 if "per resident" in column.lower() else 1)
    return printed(sum(values, Fraction(0)) / len(values), digits) if values else ""


def intervals(window: Window, posted: date) -> Table:
    """NH_DataCollectionIntervals: staffing levels are Q5, turnover is the first day of Q1 to the last of Q4."""

    def us(day: int) -> str:
        return window.date(day).strftime("%m/%d/%Y")

    spans = (("STAFFING_LEVELS", "Staffing levels", 5, 6), ("STAFFING_TURNOVER", "Staff turnover", 1, 5))
    rows = []
    for code, what, first, after in spans:
        begin, end = us(window.starts[first]), us(window.starts[after] - 1)
        rows.append([code, what, begin, end, f"{begin} - {end}", posted.strftime("%Y%m%d")])
    return layouts.INTERVALS, rows


def files(listings: list[Listing], window: Window) -> dict[str, Table]:
    """Every file of the month; homes that ProviderInfo lacks are in the other ones."""
    listed, day = [home for home in listings if home.listed], window.release_day
    month = day.isoformat()
    return {
        "NH_ProviderInfo": provider_info(listed, month),
        "NH_StateUSAverages": state_averages(listed, month),
        "NH_DataCollectionIntervals": intervals(window, day),
        "NH_HealthCitations": (layouts.HEALTH_CITATIONS, survey_files.citations(listings, month)),
        "NH_SurveySummary": (layouts.SURVEY_SUMMARY, survey_files.survey_summary(listings, month)),
        "NH_SurveyDates": (layouts.SURVEY_DATES, survey_files.survey_dates(listings, month)),
        "NH_Penalties": (layouts.PENALTIES, survey_files.penalties(listings, month)),
        "NH_HlthInspecCutpointsState": (layouts.CUT_POINTS, ranking.cut_points(listings)),
        "NH_CitationDescriptions": (layouts.CITATION_DESCRIPTIONS, survey_files.citation_descriptions()),
        "NH_QualityMsr_MDS": (layouts.QUALITY_MDS, measure_files.mds(listings, window, month)),
        "NH_QualityMsr_Claims": (layouts.QUALITY_CLAIMS, measure_files.claims(listings, window, month)),
        "Skilled_Nursing_Facility_Quality_Reporting_Program_Provider_Data": (
            layouts.QRP_PROVIDER,
            measure_files.reporting(listings, window),
        ),
    }


def archive(path: Path, posted: date, month: date, tables: dict[str, Table]) -> None:
    """A theme zip in CMS's shape: members named by data set and day, manifest, dictionary, and what a Mac leaves behind."""
    manifest = []
    with zipfile.ZipFile(path, "w") as packed:
        for stem, table in tables.items():
            dataset, title = SETS[stem]
            name = f"{dataset}_{posted.isoformat()}_{stem}_{month:%b%Y}.csv"
            with packed.open(zip_member(name), "w") as member:
                _write(member, *table)
            manifest.append(
                {
                    "name": f"{title} ({posted.isoformat()})",
                    "dataset_id": dataset,
                    "type": "individual",
                    "modified_date": posted.isoformat(),
                    "access_level": "public",
                    "private": False,
                    "resources": [{"filename": name, "filesize": packed.getinfo(name).file_size, "mime_type": "text/csv"}],
                }
            )
        packed.writestr(zip_member("manifest.json"), json.dumps(manifest, indent=2))
        packed.writestr(zip_member("NH_Data_Dictionary.pdf"), b"%PDF-1.4\n% the dictionary of a made-up nation\n%%EOF\n")
        packed.writestr(zip_member(f"__MACOSX/._{packed.namelist()[0]}"), b"\x00\x05\x16\x07")


def _write(member: IO[bytes], header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A CSV in CMS's manner: quoted where needed, CRLF, UTF-8; row by row, since the largest has hundreds of megabytes."""
    with io.TextIOWrapper(member, encoding="utf-8", newline="") as text:
        writer = csv.writer(text, lineterminator="\r\n")
        writer.writerow(header)
        writer.writerows(rows)
