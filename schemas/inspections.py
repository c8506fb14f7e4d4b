"""Health inspections and the overall star (methodology 4 and 6)."""

from __future__ import annotations

import ibis.expr.datatypes as dt
import pandera.ibis as pa

from schemas.base import column, table
from schemas.staffing import reason_column, stars_column
from schemas.turnover import ccn_column

SOURCES = ["recomputed", "published"]


def score_column(description: str, **more: object) -> object:
    """Health points, three decimals; null where not known. Fewer are better."""
    return column(description, unit="points", nullable=True, ge=0, **more)


@table("inspections.scores", key=("ccn",), clock="release")
class Scores(pa.DataFrameModel):
    """Inspection score of a home from its rating cycles."""

    ccn: str = ccn_column()
    state: str = column("State or territory", cms="State", nullable=True)
    cycle_1_score: dt.Decimal(12, 3) = score_column("Points of cycle 1, the latest")
    cycle_2_score: dt.Decimal(12, 3) = score_column("Points of cycle 2, since July 2025 with those of cycle 3")
    cycle_3_score: dt.Decimal(12, 3) = score_column("Points of cycle 3, until June 2025")
    weighted_score: dt.Decimal(12, 3) = score_column("Weighted sum of the cycles")
    published_weighted_score: dt.Decimal(12, 3) = score_column("Weighted sum as CMS printed it")
    published_stars: dt.int8 = stars_column("Star as published")
    score: dt.Decimal(12, 3) = score_column("The score that is ranked")
    has_abuse_icon: bool = column("Shown with the abuse icon", cms="Abuse Icon")
    value_source: str = column("Where the score comes from", source="inputs", nullable=True, isin=SOURCES)
    status: str = column("rated, or why not", source="rules.reasons")


@table("inspections.cut_points", key=("scope", "stars"), clock="release")
class HealthCutPoints(pa.DataFrameModel):
    """Scores that earn a number of stars in a state, or in the nation."""

    scope: str = column("State, or nation", source="computed")
    stars: dt.int8 = stars_column("Stars")
    lower: dt.Decimal(12, 3) = score_column("Lowest score of the band")
    upper: dt.Decimal(12, 3) = score_column("Highest score of the band; null for one star")
    ranked_homes: dt.int64 = column("Homes that were ranked", unit="homes")


@table("inspections.stars", key=("ccn",), clock="release")
class HealthStars(pa.DataFrameModel):
    """Inspection star of a home."""

    ccn: str = ccn_column()
    scope: str = column("Whose cut points: the state's, or the nation's for a small state", source="computed", nullable=True)
    fresh_stars: dt.int8 = stars_column("Star by this release's cut points, before any cap")
    kept_stars: dt.int8 = stars_column("Star of the release before, where the home's own score has not changed since")
    stars: dt.int8 = stars_column("The star")
    source: str = column("recomputed, or published where there is no score", source="computed", isin=SOURCES)
    status: str = column("rated, or why not", source="rules.reasons")
    reason: str = reason_column("What shaped the star")


@table("overall.stars", key=("ccn",), clock="release")
class OverallStars(pa.DataFrameModel):
    """Overall star of a home, step by step."""

    ccn: str = ccn_column()
    health_stars: dt.int8 = stars_column("Inspection star, with which it begins")
    staffing_stars: dt.int8 = stars_column("Staffing star")
    quality_stars: dt.int8 = stars_column("Quality measure star")
    staffing_change: dt.int32 = column("What the staffing star changes", unit="stars", nullable=True)
    quality_change: dt.int32 = column("What the quality measure star changes", unit="stars", nullable=True)
    cap_change: dt.int32 = column("What the cap for one inspection star takes away", unit="stars", nullable=True)
    stars: dt.int8 = stars_column("The star")
    status: str = column("rated, or why not", source="rules.reasons")
    reason: str = reason_column("What shaped the star")
