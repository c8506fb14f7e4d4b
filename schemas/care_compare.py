"""The Care Compare files of one release, as staged (methodology 8.2, 8.3)."""

from __future__ import annotations

import ibis.expr.datatypes as dt
import pandera.ibis as pa

from schemas.base import column, table
from schemas.pbj import CCN, state_column

STAR = {"unit": "stars", "nullable": True, "isin": [1, 2, 3, 4, 5]}
HPRD = {"unit": "hours per resident day", "nullable": True, "ge": 0}
COUNT = {"unit": "citations", "nullable": True, "ge": 0}
REVISITS = {"unit": "revisits", "nullable": True, "ge": 0}
INTERVALS = ("known_codes.interval", "quality_measures.measure", "known_codes.mds_measure", "known_codes.qrp_measure")
HEALTH = {"unit": "points", "nullable": True, "ge": 0}


def footnote(of: str, cms: str, blank: str = "") -> object:
    """A footnote column: CMS's numbers beside a value."""
    return column(f"Footnote of {of}", cms=cms, nullable=True, codes=("footnotes.footnote",), several=True, blank=blank)


@table("staged.provider_info", key=("ccn",), clock="release", signature=("ccn", "staffing_rating", "overall_rating"))
class ProviderInfo(pa.DataFrameModel):
    """One nursing home as CMS published it in the release (NH_ProviderInfo). Columns that no rule reads are kept as text."""

    ccn: str = column("CMS certification number", cms="CMS Certification Number (CCN)", also=("Federal Provider Number (until 2023)",),
                      required=True, **CCN)  # fmt: skip
    provider_name: str = column("Name of the home", cms="Provider Name", nullable=True)
    state: str = state_column("State", also=("Provider State (until 2023)",))
    certified_beds: dt.int32 = column("Certified beds", cms="Number of Certified Beds", unit="beds", nullable=True, ge=0)
    average_residents: dt.Decimal(9, 3) = column("Residents on an average day", cms="Average Number of Residents per Day",
                                                 unit="residents", nullable=True, ge=0)  # fmt: skip
    special_focus_status: str = column("SFF or SFF Candidate", cms="Special Focus Status", nullable=True,
                                       codes=("special_focus.text",))  # fmt: skip
    abuse_icon: str = column("Y where the abuse icon is shown", cms="Abuse Icon", nullable=True, codes=("known_codes.yes_no",))
    overall_rating: dt.int8 = column("Overall star as published", cms="Overall Rating", required=True, **STAR)
    overall_footnote: str = footnote("the overall star", "Overall Rating Footnote")
    health_inspection_rating: dt.int8 = column(
        "Health inspection star as published", cms="Health Inspection Rating", required=True, **STAR
    )
    health_inspection_footnote: str = footnote("the health inspection star", "Health Inspection Rating Footnote")
    qm_rating: dt.int8 = column("Quality measure star as published", cms="QM Rating", **STAR)
    qm_footnote: str = footnote("the quality measure star", "QM Rating Footnote")
    long_stay_qm_rating: dt.int8 = column("Long-stay quality measure star", cms="Long-Stay QM Rating", **STAR)
    short_stay_qm_rating: dt.int8 = column("Short-stay quality measure star", cms="Short-Stay QM Rating", **STAR)
    long_stay_qm_footnote: str = footnote("the long-stay quality measure star", "Long-Stay QM Rating Footnote")
    short_stay_qm_footnote: str = footnote("the short-stay quality measure star", "Short-Stay QM Rating Footnote")
    staffing_rating: dt.int8 = column("Staffing star as published", cms="Staffing Rating", required=True, **STAR)
    staffing_footnote: str = footnote("the staffing star", "Staffing Rating Footnote")
    reported_staffing_footnote: str = footnote("the staffing levels", "Reported Staffing Footnote")
    reported_nurse_aide_hprd: dt.Decimal(9, 5) = column(
        "Aide hours, reported", cms="Reported Nurse Aide Staffing Hours per Resident per Day", **HPRD
    )
    reported_lpn_hprd: dt.Decimal(9, 5) = column(
        "LPN hours, reported", cms="Reported LPN Staffing Hours per Resident per Day", **HPRD
    )
    reported_rn_hprd: dt.Decimal(9, 5) = column("RN hours, reported", cms="Reported RN Staffing Hours per Resident per Day",
                                                required=True, **HPRD)  # fmt: skip
    reported_total_nurse_hprd: dt.Decimal(9, 5) = column(
        "Nurse hours, reported", cms="Reported Total Nurse Staffing Hours per Resident per Day", required=True, **HPRD)  # fmt: skip
    reported_weekend_total_nurse_hprd: dt.Decimal(9, 5) = column(
        "Nurse hours on weekends, reported", cms="Total number of nurse staff hours per resident per day on the weekend",
        required=True, **HPRD)  # fmt: skip
    reported_weekend_rn_hprd: dt.Decimal(9, 5) = column(
        "RN hours on weekends, reported", cms="Registered Nurse hours per resident per day on the weekend", **HPRD)  # fmt: skip
    total_nurse_turnover_pct: dt.Decimal(6, 3) = column("Nurse turnover as published", cms="Total nursing staff turnover", unit="percent",
                                                        required=True, nullable=True, ge=0, le=100)  # fmt: skip
    total_nurse_turnover_footnote: str = footnote("nurse turnover", "Total nursing staff turnover footnote")
    rn_turnover_pct: dt.Decimal(6, 3) = column("RN turnover as published", cms="Registered Nurse turnover", unit="percent",
                                               required=True, nullable=True, ge=0, le=100)  # fmt: skip
    rn_turnover_footnote: str = footnote("RN turnover", "Registered Nurse turnover footnote")
    administrator_departures: dt.int32 = column("Administrators who left, as published",
                                                cms="Number of administrators who have left the nursing home", unit="people",
                                                required=True, nullable=True, ge=0)  # fmt: skip
    administrator_footnote: str = footnote("administrator turnover", "Administrator turnover footnote")
    nursing_case_mix_index: dt.Decimal(9, 5) = column(
        "Nursing case-mix index", cms="Nursing Case-Mix Index", unit="ratio", nullable=True
    )
    nursing_case_mix_index_ratio: dt.Decimal(9, 5) = column("Index over the nation's", cms="Nursing Case-Mix Index Ratio", unit="ratio",
                                                            nullable=True)  # fmt: skip
    case_mix_nurse_aide_hprd: dt.Decimal(9, 5) = column(
        "Aide hours by case mix", cms="Case-Mix Nurse Aide Staffing Hours per Resident per Day", **HPRD
    )
    case_mix_lpn_hprd: dt.Decimal(9, 5) = column(
        "LPN hours by case mix", cms="Case-Mix LPN Staffing Hours per Resident per Day", **HPRD
    )
    case_mix_rn_hprd: dt.Decimal(9, 5) = column(
        "RN hours by case mix", cms="Case-Mix RN Staffing Hours per Resident per Day", **HPRD
    )
    case_mix_total_nurse_hprd: dt.Decimal(9, 5) = column(
        "Nurse hours by case mix", cms="Case-Mix Total Nurse Staffing Hours per Resident per Day", **HPRD)  # fmt: skip
    case_mix_weekend_total_nurse_hprd: dt.Decimal(9, 5) = column(
        "Weekend nurse hours by case mix", cms="Case-Mix Weekend Total Nurse Staffing Hours per Resident per Day", **HPRD)  # fmt: skip
    adjusted_nurse_aide_hprd: dt.Decimal(9, 5) = column(
        "Aide hours, adjusted", cms="Adjusted Nurse Aide Staffing Hours per Resident per Day", **HPRD
    )
    adjusted_lpn_hprd: dt.Decimal(9, 5) = column(
        "LPN hours, adjusted", cms="Adjusted LPN Staffing Hours per Resident per Day", **HPRD
    )
    adjusted_rn_hprd: dt.Decimal(9, 5) = column(
        "RN hours, adjusted", cms="Adjusted RN Staffing Hours per Resident per Day", **HPRD
    )
    adjusted_total_nurse_hprd: dt.Decimal(9, 5) = column(
        "Nurse hours, adjusted", cms="Adjusted Total Nurse Staffing Hours per Resident per Day", **HPRD)  # fmt: skip
    adjusted_weekend_total_nurse_hprd: dt.Decimal(9, 5) = column(
        "Weekend nurse hours, adjusted", cms="Adjusted Weekend Total Nurse Staffing Hours per Resident per Day", **HPRD)  # fmt: skip
    cycle_1_score: dt.Decimal(9, 3) = column("Health points of rating cycle 1", cms="Rating Cycle 1 Total Health Score", **HEALTH)
    cycle_2_score: dt.Decimal(9, 3) = column(
        "Health points of rating cycle 2, since July 2025 with those of cycle 3", cms="Rating Cycle 2/3 Total Health Score",
        also=("Rating Cycle 2 Total Health Score (until 2025-06)",), **HEALTH)  # fmt: skip
    cycle_3_score: dt.Decimal(9, 3) = column(
        "Health points of rating cycle 3, until June 2025", cms="Rating Cycle 3 Total Health Score", **HEALTH)  # fmt: skip
    cycle_1_survey_date: dt.date = column("Day of the latest standard survey", cms="Rating Cycle 1 Standard Survey Health Date",
                                          nullable=True)  # fmt: skip
    cycle_2_survey_date: dt.date = column("Day of the standard survey before it", cms="Rating Cycle 2 Standard Health Survey Date",
                                          nullable=True)  # fmt: skip
    cycle_1_citations: dt.int32 = column(
        "Health citations of cycle 1", cms="Rating Cycle 1 Total Number of Health Deficiencies", **COUNT)  # fmt: skip
    cycle_2_citations: dt.int32 = column(
        "Health citations of cycle 2, since July 2025 with those of cycle 3",
        cms="Rating Cycle 2/3 Total Number of Health Deficiencies",
        also=("Rating Cycle 2 Total Number of Health Deficiencies (until 2025-06)",), **COUNT)  # fmt: skip
    cycle_3_citations: dt.int32 = column(
        "Health citations of cycle 3, until June 2025", cms="Rating Cycle 3 Total Number of Health Deficiencies", **COUNT)  # fmt: skip
    cycle_1_revisits: dt.int32 = column("Revisits of cycle 1", cms="Rating Cycle 1 Number of Health Revisits", **REVISITS)
    cycle_2_revisits: dt.int32 = column(
        "Revisits of cycle 2, since July 2025 with those of cycle 3", cms="Rating Cycle 2/3 Number of Health Revisits",
        also=("Rating Cycle 2 Number of Health Revisits (until 2025-06)",), **REVISITS)  # fmt: skip
    cycle_3_revisits: dt.int32 = column(
        "Revisits of cycle 3, until June 2025", cms="Rating Cycle 3 Number of Health Revisits", **REVISITS)  # fmt: skip
    weighted_health_score: dt.Decimal(9, 3) = column(
        "Weighted health points as published", cms="Total Weighted Health Survey Score", **HEALTH)  # fmt: skip
    processing_date: dt.date = column("Day CMS made the file; its month is the release", cms="Processing Date", required=True)


@table("staged.state_averages", key=("state",), clock="release", signature=("state", "case_mix_total_nurse_hprd"))
class StateAverages(pa.DataFrameModel):
    """Means over the homes of a state; the row NATION over all (NH_StateUSAverages)."""

    state: str = state_column("State or Nation", required=True, more=("known_codes.nation",))
    case_mix_rn_hprd: dt.Decimal(9, 5) = column("RN hours by case mix", cms="Case-Mix RN Staffing Hours per Resident per Day",
                                                required=True, **HPRD)  # fmt: skip
    case_mix_total_nurse_hprd: dt.Decimal(9, 5) = column(
        "Nurse hours by case mix", cms="Case-Mix Total Nurse Staffing Hours per Resident per Day", required=True, **HPRD)  # fmt: skip
    case_mix_weekend_total_nurse_hprd: dt.Decimal(9, 5) = column(
        "Weekend nurse hours by case mix", cms="Case-Mix Weekend Total Nurse Staffing Hours per Resident per Day", **HPRD)  # fmt: skip
    processing_date: dt.date = column("Day CMS made the file; its month is the release", cms="Processing Date", required=True)


@table("staged.collection_intervals", key=("measure_code", "measure_description", "from_date"), clock="release",
       signature=("measure_code", "from_date", "through_date"))  # fmt: skip
class CollectionIntervals(pa.DataFrameModel):
    """The period that each measure of the release covers (NH_DataCollectionIntervals)."""

    measure_code: str = column("CMS's code of the measure", cms="Measure Code", required=True, codes=INTERVALS)
    measure_description: str = column("Name of the measure", cms="Measure Description", nullable=True)
    from_date: dt.date = column("First day covered", cms="Data Collection Period From Date", required=True, nullable=True)
    through_date: dt.date = column("Last day covered", cms="Data Collection Period Through Date", required=True, nullable=True)
    processing_date: dt.date = column("Day CMS made the file; its month is the release", cms="Processing Date", required=True)
