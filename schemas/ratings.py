"""The published tables: what a release holds."""

from __future__ import annotations

import ibis.expr.datatypes as dt
import pandera.ibis as pa

from schemas.audit import Agreement, Comparison, Exclusion
from schemas.base import column, table
from schemas.inspections import Citations
from schemas.staffing import (
    SOURCES,
    VALUE_SOURCES,
    distance_column,
    level_column,
    points_column,
    reason_column,
    source_column,
    stars_column,
)
from schemas.turnover import HomeTurnover, ccn_column, measure_column

DOMAINS = ["staffing", "inspections", "quality", "overall"]


class Versioned(pa.DataFrameModel):
    """Columns that every published table carries."""

    release: str = column("Care Compare release", source="computed")
    quarter: str = column("PBJ quarter of the staffing levels", source="rules.releases")
    ruleset: str = column(
        "Release month of the latest rule change of any domain: one in every table of a release", source="rules.rulesets"
    )


class OfDomain(Versioned):
    """Columns of published tables whose rows belong to a domain."""

    domain_ruleset: str = column("Release month of the latest rule change of the row's domain", source="rules.rulesets")


def cms_column(star: str, cms: str) -> object:
    """CMS's own star."""
    return column(f"{star} as CMS published it", cms=cms, unit="stars", nullable=True, isin=[1, 2, 3, 4, 5])


def status_column(domain: str) -> object:
    """Whether a domain is rated."""
    return column(f"{domain}: rated, or why not", source="rules.reasons")


def footnote_column(domain: str, cms: str) -> object:
    """CMS's footnote beside a published star."""
    return column(f"{domain}: CMS's footnote", cms=cms, nullable=True)


@table("published.ratings", key=("ccn",), clock="release")
class Ratings(Versioned):
    """Every home of the provider file with its stars, and CMS's own beside them; whose values are behind a star says `*_source`."""

    ccn: str = ccn_column()
    provider_name: str = column("Name of the home", cms="Provider Name", nullable=True)
    state: str = column("State or territory", cms="State", nullable=True)
    overall_rating: dt.int8 = stars_column("Overall star")
    health_inspection_rating: dt.int8 = stars_column("Health inspection star")
    staffing_rating: dt.int8 = stars_column("Staffing star")
    qm_rating: dt.int8 = stars_column("Quality measure star")
    long_stay_qm_rating: dt.int8 = stars_column("Long-stay quality measure star")
    short_stay_qm_rating: dt.int8 = stars_column("Short-stay quality measure star")
    cms_overall_rating: dt.int8 = cms_column("Overall star", "Overall Rating")
    cms_health_inspection_rating: dt.int8 = cms_column("Health inspection star", "Health Inspection Rating")
    cms_staffing_rating: dt.int8 = cms_column("Staffing star", "Staffing Rating")
    cms_qm_rating: dt.int8 = cms_column("Quality measure star", "QM Rating")
    cms_long_stay_qm_rating: dt.int8 = cms_column("Long-stay quality measure star", "Long-Stay QM Rating")
    cms_short_stay_qm_rating: dt.int8 = cms_column("Short-stay quality measure star", "Short-Stay QM Rating")
    staffing_score: dt.int32 = points_column("Staffing score out of 380; null where the star does not rest on it")
    overall_status: str = status_column("Overall")
    overall_reason: str = reason_column("What shaped the overall star")
    overall_footnote: str = footnote_column("Overall", "Overall Rating Footnote")
    overall_source: str = source_column("overall star", nullable=True)
    health_inspection_status: str = status_column("Health inspections")
    health_inspection_reason: str = reason_column("What shaped the health inspection star")
    health_inspection_footnote: str = footnote_column("Health inspections", "Health Inspection Rating Footnote")
    health_inspection_source: str = source_column("health inspection star (score, abuse icon, a kept star)", nullable=True)
    health_inspection_scope: str = column(
        "Where the score was ranked: the state, or nation where the nation's cut points were used; as in cut_points",
        source="computed",
        nullable=True,
    )
    health_inspection_ranked_homes: dt.int64 = column("Homes that were ranked there", unit="homes", nullable=True)
    staffing_status: str = status_column("Staffing")
    staffing_reason: str = reason_column("What shaped the staffing star")
    staffing_footnote: str = footnote_column("Staffing", "Staffing Rating Footnote")
    staffing_source: str = source_column("staffing star", nullable=True)
    qm_status: str = status_column("Quality measures")
    qm_reason: str = reason_column("What shaped the quality measure star")
    qm_footnote: str = footnote_column("Quality measures", "QM Rating Footnote")
    qm_source: str = column("recomputed from the quality measures, or CMS's star; null without a star", source="inputs", nullable=True,
                            isin=["recomputed", "published"])  # fmt: skip
    is_sff: bool = column("Special Focus Facility", cms="Special Focus Status")
    is_sff_candidate: bool = column("Candidate for Special Focus", cms="Special Focus Status")
    has_abuse_icon: bool = column("Shown with the abuse icon", cms="Abuse Icon")
    risk_based_survey: str = column(
        "Whether the home meets the two published conditions of the Risk-Based Survey; necessary, not sufficient. In use since September 2026",
        source="rules.rating_limits", isin=["both_met", "staffing_too_low", "overall_too_low", "not_rated"])  # fmt: skip


@table("published.rating_components", key=("ccn", "domain", "measure"), clock="release")
class RatingComponents(OfDomain):
    """Every measure of every home: value, points and the way to the next band."""

    ccn: str = ccn_column()
    domain: str = column("Rating domain", source="computed", isin=DOMAINS)
    measure: str = column("Measure", source="rules")
    value: dt.Decimal(12, 4) = column("Value as compared with the cut points, in the measure's unit", nullable=True)
    value_source: str = column(
        "Where the value comes from; of a score or step whose values are behind it: recomputed where all are ours, mixed where some are. Quality "
        "measures are in CMS's files alone, so that a score of them is recomputed",
        source="computed", nullable=True, isin=list(dict.fromkeys([*VALUE_SOURCES, *SOURCES])))  # fmt: skip
    points: dt.int32 = points_column("Points earned")
    points_low: dt.int32 = points_column("Lowest points possible behind a printed value")
    points_high: dt.int32 = points_column("Highest points possible behind a printed value")
    max_points: dt.int32 = points_column("Most points of the measure; null where it is left out")
    band_lower: dt.Decimal(12, 4) = column("Lowest value of the band", nullable=True)
    band_upper: dt.Decimal(12, 4) = column("Highest value of the band, null at the open end", nullable=True)
    next_points: dt.int32 = points_column("Points of the next better band")
    distance_to_next: dt.Decimal(12, 4) = distance_column()
    reason: str = reason_column("Why there is no value, what is uncertain about it, or why the home has no star of the score")


@table("published.turnover", key=("ccn", "measure", "definition"), clock="release")
class Turnover(OfDomain, HomeTurnover):
    """Turnover of every home by measure and reading of the rule."""


@table("published.employment_spells", key=("ccn", "employee_id", "measure", "first_workday"), clock="release", large=True)
class EmploymentSpells(OfDomain):
    """Employment spells under CMS's rule."""

    ccn: str = ccn_column()
    employee_id: dt.int64 = column("CMS's id of the person within the home", source="SYS_EMPLEE_ID")
    measure: str = measure_column()
    first_workday: dt.date = column("First day worked that the window shows", source="WorkDate")
    last_workday: dt.date = column("Last day worked", source="WorkDate")
    hours_first_90_days: dt.Decimal(9, 2) = column("Hours that decide eligibility", unit="hours", nullable=True, ge=0)
    eligible: bool = column("Counted in the denominator", source="computed")
    departed: bool = column("Counted in the numerator", source="computed")


@table("published.staffing_levels", key=("ccn", "measure"), clock="release")
class StaffingLevels(OfDomain):
    """Staffing levels of every home."""

    ccn: str = ccn_column()
    measure: str = level_column()
    reported_hprd: dt.Decimal(12, 5) = column("Hours reported", unit="hours per resident day", nullable=True)
    case_mix_hprd: dt.Decimal(12, 5) = column("Hours by case mix", unit="hours per resident day", nullable=True)
    adjusted_hprd: dt.Decimal(12, 5) = column("Hours adjusted", unit="hours per resident day", nullable=True)
    value_source: str = column("Where the hours come from", source="computed", nullable=True, isin=VALUE_SOURCES)
    excluded: bool = column("Whether the levels are not given", source="computed")
    exclusion: str = reason_column("The first exclusion that applies")
    nation_basis: str = column(
        "The nation's case-mix hours behind adjusted_hprd: state_averages (row NATION), or a mean over the homes at hand",
        source="staffing.national_case_mix", nullable=True)  # fmt: skip
    hours: dt.Decimal(18, 2) = column("Hours on days with residents", unit="hours", nullable=True)
    resident_days: dt.int64 = column("Residents summed over the days", unit="resident days", nullable=True)
    zero_rn_days: dt.int32 = column("Days with residents and zero RN hours; on the row rn only", unit="days", nullable=True)


@table("published.exclusions", key=("ccn", "domain", "measure", "exclusion"), clock="release")
class Exclusions(OfDomain, Exclusion):
    """Every exclusion and flag of every home, with its evidence and what it did."""

    domain: str = column("Rating domain", source="computed", isin=DOMAINS)


@table("published.citations", key=("ccn", "citation"), clock="release")
class PublishedCitations(OfDomain, Citations):
    """Every citation of a health survey, what it adds to the inspection score, and why not."""

    tag_description: str = column("What the tag is about, in CMS's words", cms="Deficiency Description", nullable=True)


@table("published.cut_points", key=("scope", "measure", "points", "basis"), clock="release")
class CutPoints(OfDomain):
    """Cut points used, and those of the release's own distribution. Bands share no value; one that nobody can be in has no row."""

    scope: str = column("nation or a state", source="computed")
    measure: str = column("Measure", source="rules")
    points: dt.int32 = column("Points of the band", unit="points")
    basis: str = column("Whose cut points", source="computed", isin=["cms", "carried_forward", "recomputed", "estimated"])
    lower: dt.Decimal(12, 4) = column("Lowest value of the band")
    upper: dt.Decimal(12, 4) = column("Highest value of the band, null at the open end", nullable=True)
    homes: dt.int64 = column("Homes in the band", unit="homes")


@table("published.replication", key=("ccn", "item"), clock="release")
class Replication(OfDomain, Comparison):
    """Published against recomputed."""


@table("published.replication_summary", key=("item",), clock="release")
class ReplicationSummary(OfDomain, Agreement):
    """Agreement with CMS by item."""
