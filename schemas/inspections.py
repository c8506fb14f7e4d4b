"""Health inspections and the overall star (methodology 4 and 6)."""

from __future__ import annotations

import ibis.expr.datatypes as dt
import pandera.ibis as pa

from schemas.base import column, table
from schemas.staffing import reason_column, source_column, stars_column
from schemas.turnover import ccn_column

SOURCES = ["recomputed", "published"]  # of one number, which cannot be mixed


def score_column(description: str, **more: object) -> object:
    """Health points, three decimals; null where not known. Fewer are better."""
    return column(description, unit="points", nullable=True, ge=0, **more)


KINDS = ["standard", "complaint", "infection_control"]


@table("inspections.citations", key=("ccn", "citation"), clock="release")
class Citations(pa.DataFrameModel):
    """Every citation of a health survey, what it adds to the inspection score, and why not."""

    ccn: str = ccn_column()
    citation: dt.int32 = column("Number of the citation within the home, by date", source="computed", ge=1)
    survey_date: dt.date = column("Day the survey ended", source="Survey Date")
    tag: str = column("Prefix and number of the tag", source="Deficiency Tag Number")
    scope_severity: str = column("Scope and severity, A to L", source="Scope Severity Code", nullable=True)
    survey_kind: str = column("standard where cited on a standard survey, else infection_control, else complaint",
                              source="computed", isin=KINDS)  # fmt: skip
    cms_cycle: dt.int32 = column("CMS's cycle of the survey, 1 the latest", source="Inspection Cycle", nullable=True)
    cycle: dt.int32 = column(
        "Rating cycle that it belongs to; null where none counts it", source="rules.health_windows", nullable=True
    )
    is_substandard: bool = column("Scored as substandard quality of care", source="rules.health_tags")
    own_points: dt.int32 = column("Points of the letter", unit="points", nullable=True, ge=0)
    points: dt.int32 = column("Points that it adds to the cycle", unit="points", ge=0)
    is_counted: bool = column("Counted", source="computed")
    counted_with: dt.int32 = column("The citation that counts for this one", source="computed", nullable=True)
    reason: str = reason_column("Why it does not count, or why it counts with other points")


@table("inspections.citation_gaps", key=("ccn",), clock="release")
class CitationGaps(pa.DataFrameModel):
    """A home whose citations in the file are none or not all."""

    ccn: str = ccn_column()
    exclusion: str = column("Reason word", source="rules.reasons")


@table("inspections.cycles", key=("ccn", "cycle"), clock="release")
class Cycles(pa.DataFrameModel):
    """Points of a rating cycle of a home."""

    ccn: str = ccn_column()
    cycle: dt.int32 = column("Rating cycle, 1 the latest", source="rules.health_windows")
    deficiency_points: dt.int32 = column("Points of its citations", unit="points", nullable=True, ge=0)
    revisit_points: dt.int32 = column("Points of its revisits", unit="points", nullable=True, ge=0)
    revisits: dt.int32 = column("Revisits, as CMS counts them", unit="revisits", nullable=True, ge=0)
    counted_citations: dt.int64 = column("Citations that count, those without points too", unit="citations", nullable=True, ge=0)
    published_citations: dt.int32 = column("Citations as CMS counts them", unit="citations", nullable=True, ge=0)
    recomputed_score: dt.Decimal(12, 3) = score_column("Points from the citations")
    published_score: dt.Decimal(12, 3) = score_column("Points as published")
    score: dt.Decimal(12, 3) = score_column("The points that count")
    value_source: str = column("Where they come from", source="inputs", nullable=True, isin=SOURCES)
    exclusion: str = reason_column("Why the citations give no points")
    parting: str = reason_column("Why they give other points than CMS's")


@table("inspections.partings", key=("ccn", "cycle"), clock="release")
class Partings(pa.DataFrameModel):
    """A rating cycle to which the citations give other points than CMS."""

    ccn: str = ccn_column()
    cycle: dt.int32 = column("Rating cycle, 1 the latest", source="rules.health_windows")
    difference: dt.Decimal(12, 3) = column(
        "CMS's points less those of the citations, revisits included", unit="points", nullable=True
    )
    parting: str = column("Reason word", source="rules.reasons")
    explained_by: str = column(
        "Each single citation that would explain it, and how it would have to be scored", source="computed", nullable=True
    )


@table("inspections.abuse", key=("ccn",), clock="release")
class Abuse(pa.DataFrameModel):
    """The abuse icon of a home: CMS's, and what the citations give."""

    ccn: str = ccn_column()
    published_icon: bool = column("Shown with the abuse icon", source="Abuse Icon")
    recomputed_icon: bool = column("The citations give it; null where they cannot be used", source="computed", nullable=True)
    evidence: str = column("The citations that give it", source="computed", nullable=True)


@table("inspections.scores", key=("ccn",), clock="release")
class Scores(pa.DataFrameModel):
    """Inspection score of a home from its rating cycles."""

    ccn: str = ccn_column()
    state: str = column("State or territory", cms="State", nullable=True)
    weighted_score: dt.Decimal(12, 3) = score_column("Weighted sum of the cycles")
    published_weighted_score: dt.Decimal(12, 3) = score_column("Weighted sum as CMS printed it")
    published_stars: dt.int8 = stars_column("Star as published")
    score: dt.Decimal(12, 3) = score_column("The score that is ranked")
    has_abuse_icon: bool = column("The abuse icon that counts", source="inspections.abuse")
    has_own_icon: bool = column("The citations give the same icon", source="inspections.abuse")
    value_source: str = source_column("score", nullable=True)
    status: str = column("rated, or why not", source="rules.reasons")


@table("inspections.cut_points", key=("scope", "stars"), clock="release")
class HealthCutPoints(pa.DataFrameModel):
    """Scores that earn a number of stars in a state, or in the nation."""

    scope: str = column("State, or nation", source="computed")
    stars: dt.int8 = stars_column("Stars")
    lower: dt.Decimal(12, 3) = score_column("Lowest score of the band")
    upper: dt.Decimal(12, 3) = score_column("Highest score of the band; null for one star")
    ranked_homes: dt.int64 = column("Homes that were ranked", unit="homes")
    published_homes: dt.int64 = column("Of these, homes ranked by a score that holds points of CMS's", unit="homes")


@table("inspections.components", key=("ccn", "measure"), clock="release")
class InspectionComponents(pa.DataFrameModel):
    """Points of the rating cycles and the weighted score of a home."""

    ccn: str = ccn_column()
    measure: str = column("cycle_1_score and the like, or weighted_score", source="computed")
    value: dt.Decimal(12, 3) = score_column("Points")
    value_source: str = source_column("points", nullable=True)
    points: dt.int32 = column("Stars of the rank, before any cap", unit="stars", nullable=True)
    max_points: dt.int32 = column("Most stars", unit="stars", nullable=True)
    band_lower: dt.Decimal(12, 3) = score_column("Lowest score of the band")
    band_upper: dt.Decimal(12, 3) = score_column("Highest score of the band")
    next_points: dt.int32 = column("Stars of the next better band", unit="stars", nullable=True)
    distance_to_next: dt.Decimal(12, 3) = score_column("Points fewer that reach it")
    reason: str = reason_column("Why there is no value, or what shaped the star")


@table("inspections.printed_cut_points", key=("scope", "stars"), clock="release")
class PrintedCutPoints(pa.DataFrameModel):
    """CMS's cut points of a state."""

    scope: str = column("State", source="State")
    stars: dt.int8 = stars_column("Stars")
    printed: str = column("The range as printed", source="5 Stars and the like", nullable=True)
    lower: dt.Decimal(12, 3) = score_column("Lowest score of the band")
    upper: dt.Decimal(12, 3) = score_column("Highest score of the band; null for one star")


@table("inspections.stars", key=("ccn",), clock="release")
class HealthStars(pa.DataFrameModel):
    """Inspection star of a home."""

    ccn: str = ccn_column()
    scope: str = column("Whose cut points: the state's, or the nation's for a small state", source="computed", nullable=True)
    ranked_homes: dt.int64 = column("Homes that were ranked there", unit="homes", nullable=True)
    fresh_stars: dt.int8 = stars_column("Star by this release's cut points, before any cap")
    kept_stars: dt.int8 = stars_column("Star of the release before, where the home's own score has not changed since")
    stars: dt.int8 = stars_column("The star")
    stars_low: dt.int8 = stars_column("Lowest star possible behind a star of two that an abuse icon held down")
    stars_high: dt.int8 = stars_column("Highest star possible behind it")
    source: str = source_column("star: score, icon, and a kept star, which is CMS's")
    has_own_ranks: bool = column("All homes that were ranked there were so by scores of ours", source="inspections.cut_points")
    status: str = column("rated, or why not", source="rules.reasons")
    reason: str = reason_column("What shaped the star")


@table("overall.components", key=("ccn", "measure"), clock="release")
class OverallComponents(pa.DataFrameModel):
    """A step to the overall star."""

    ccn: str = ccn_column()
    measure: str = column("Star that the step looks at, or cap", source="computed")
    value: dt.int32 = column("Where it begins, or what changes", unit="stars", nullable=True)
    value_source: str = source_column("step", nullable=True)
    reason: str = reason_column("Why the step changes nothing, or what it is")


@table("overall.stars", key=("ccn",), clock="release")
class OverallStars(pa.DataFrameModel):
    """Overall star of a home, step by step."""

    ccn: str = ccn_column()
    health_stars: dt.int8 = stars_column("Inspection star, with which it begins")
    staffing_stars: dt.int8 = stars_column("Staffing star")
    quality_stars: dt.int8 = stars_column("Quality measure star")
    health_source: str = source_column("inspection star")
    staffing_source: str = source_column("staffing star, or its blank", nullable=True)
    quality_source: str = source_column("quality measure star, or its blank")
    staffing_change: dt.int32 = column("What the staffing star changes", unit="stars", nullable=True)
    quality_change: dt.int32 = column("What the quality measure star changes", unit="stars", nullable=True)
    cap_change: dt.int32 = column("What the cap for one inspection star takes away", unit="stars", nullable=True)
    stars: dt.int8 = stars_column("The star")
    status: str = column("rated, or why not", source="rules.reasons")
    reason: str = reason_column("What shaped the star")
    source: str = source_column("star")
    has_own_ranks: bool = column("As in inspections.stars", source="inspections.stars")
