"""The Care Compare files on inspections, as staged (methodology 4.9, 8.2)."""

from __future__ import annotations

import ibis.expr.datatypes as dt
import pandera.ibis as pa

from schemas.base import YES_NO, column, table
from schemas.pbj import CCN, state_column


def home_column() -> object:
    """The home that a row is of."""
    return column("CMS certification number", cms="CMS Certification Number (CCN)", also=("Federal Provider Number (until 2023)",),
                  required=True, **CCN)  # fmt: skip


def processing_column() -> object:
    """The day by which a file of a release tells its month."""
    return column("Day CMS made the file; its month is the release", cms="Processing Date", required=True)


def flag_column(description: str, cms: str, required: bool = False) -> object:
    """A yes or no of CMS; what is blank says neither."""
    return column(description, cms=cms, required=required, nullable=True, words=YES_NO)


def cycle_column(cms: str, nullable: bool = False) -> object:
    """CMS's number of a cycle."""
    return column(
        "CMS's cycle of the survey, 1 the latest", cms=cms, required=True, nullable=nullable, codes=("known_codes.cycle",)
    )


def count_column(description: str, cms: str) -> object:
    """A count of citations."""
    return column(description, cms=cms, unit="citations", nullable=True, ge=0)


@table("staged.health_citations", key=("ccn", "survey_date", "deficiency_prefix", "tag_number"), clock="release", rows="distinct",
       signature=("tag_number", "scope_severity", "inspection_cycle", "is_infection_control"))  # fmt: skip
class HealthCitations(pa.DataFrameModel):
    """One citation of a health survey (NH_HealthCitations). Letters, prefixes and cycles that no rule knows are kept, not refused."""

    ccn: str = home_column()
    survey_date: dt.date = column("Day the survey ended", cms="Survey Date", required=True)
    survey_type: str = column(
        "Health, or the kind of another survey", cms="Survey Type", nullable=True, codes=("known_codes.survey_type",)
    )
    deficiency_prefix: str = column(
        "F for health", cms="Deficiency Prefix", required=True, codes=("known_codes.deficiency_prefix",)
    )
    tag_number: str = column(
        "Number of the tag, four digits", cms="Deficiency Tag Number", required=True, codes=("known_codes.tag",), digits=4
    )
    deficiency_category: str = column("CMS's group of the tag", cms="Deficiency Category", nullable=True)
    scope_severity: str = column(
        "Scope and severity, A to L",
        cms="Scope Severity Code",
        required=True,
        nullable=True,
        codes=("health_points.scope_severity",),
    )
    corrected: str = column(
        "How it was corrected, or Past Non-Compliance",
        cms="Deficiency Corrected",
        nullable=True,
        codes=("known_codes.corrected",),
    )
    correction_date: dt.date = column("Day of correction", cms="Correction Date", nullable=True)
    inspection_cycle: dt.int32 = cycle_column("Inspection Cycle", nullable=True)
    is_standard: bool = flag_column("Cited on a standard survey", "Standard Deficiency", required=True)
    is_complaint: bool = flag_column(
        "Cited on a complaint survey, or on a complaint at a standard survey", "Complaint Deficiency"
    )
    is_infection_control: bool = flag_column("Cited on an infection-control survey", "Infection Control Inspection Deficiency")
    under_idr: bool = flag_column("Under informal dispute resolution", "Citation under IDR")
    under_iidr: bool = flag_column("Under independent informal dispute resolution", "Citation under IIDR")
    processing_date: dt.date = processing_column()


@table("staged.survey_summary", key=("ccn", "inspection_cycle"), clock="release",
       signature=("inspection_cycle", "health_survey_date", "health_deficiencies"))  # fmt: skip
class SurveySummary(pa.DataFrameModel):
    """The standard surveys of a home and how many citations each had (NH_SurveySummary)."""

    ccn: str = home_column()
    inspection_cycle: dt.int32 = cycle_column("Inspection Cycle")
    health_survey_date: dt.date = column("Day of the standard health survey", cms="Health Survey Date", nullable=True)
    health_deficiencies: dt.int32 = count_column("Health citations of the cycle", "Total Number of Health Deficiencies")
    processing_date: dt.date = processing_column()


@table("staged.survey_dates", key=("ccn", "survey_date", "survey_kind", "survey_cycle"), clock="release",
       signature=("survey_date", "survey_kind", "survey_cycle"))  # fmt: skip
class SurveyDates(pa.DataFrameModel):
    """Every survey of a home, those without citations too (NH_SurveyDates)."""

    ccn: str = home_column()
    survey_date: dt.date = column("Day the survey ended", cms="Survey Date", required=True)
    survey_kind: str = column(
        "Health Standard, Health Complaint, Infection Control or Fire Safety", cms="Type of Survey", required=True,
        codes=("known_codes.survey_kind",))  # fmt: skip
    survey_cycle: dt.int32 = cycle_column("Survey Cycle")
    processing_date: dt.date = processing_column()


@table("staged.penalties", key=("ccn", "penalty_date", "penalty_type"), clock="release", rows="all",
       signature=("penalty_date", "penalty_type"))  # fmt: skip
class Penalties(pa.DataFrameModel):
    """Fines and payment denials (NH_Penalties). Two equal rows are two fines: real files hold some."""

    ccn: str = home_column()
    penalty_date: dt.date = column("Day of the penalty", cms="Penalty Date", required=True)
    penalty_type: str = column("Fine or Payment Denial", cms="Penalty Type", required=True, codes=("known_codes.penalty_type",))
    fine_dollars: dt.Decimal(12, 2) = column("The fine", cms="Fine Amount", unit="dollars", nullable=True, ge=0)
    denial_start_date: dt.date = column("First day without payment", cms="Payment Denial Start Date", nullable=True)
    denial_days: dt.int32 = column("Days without payment", cms="Payment Denial Length in Days", unit="days", nullable=True, ge=0)
    processing_date: dt.date = processing_column()


@table("staged.state_cut_points", key=("state",), clock="release", signature=("state", "five_stars", "one_star"))
class StateCutPoints(pa.DataFrameModel):
    """CMS's cut points of a state as it prints them, ranges as text (NH_HlthInspecCutpointsState). The rows do not say their month."""

    state: str = state_column("State", required=True)
    five_stars: str = column("Scores of five stars", cms="5 Stars", required=True, nullable=True)
    four_stars: str = column("Scores of four stars", cms="4 Stars", required=True, nullable=True)
    three_stars: str = column("Scores of three stars", cms="3 Stars", required=True, nullable=True)
    two_stars: str = column("Scores of two stars", cms="2 Stars", required=True, nullable=True)
    one_star: str = column("Scores of one star", cms="1 Star", required=True, nullable=True)


@table("staged.citation_descriptions", key=("tag",), clock="release", signature=("tag", "description", "category"))
class CitationDescriptions(pa.DataFrameModel):
    """What a tag is about (NH_CitationDescriptions). The rows do not say their month."""

    tag: str = column("Prefix and number", cms="Deficiency Prefix and Number", required=True, codes=("known_codes.prefixed_tag",))
    description: str = column("What it is about, in CMS's words", cms="Deficiency Description", required=True, nullable=True)
    category: str = column("CMS's group of the tag", cms="Deficiency Category", required=True, nullable=True)
