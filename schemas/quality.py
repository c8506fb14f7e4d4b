"""Quality measures: the files of a release as staged, and the scores made of them (methodology 5, 8.2)."""

from __future__ import annotations

import ibis.expr.datatypes as dt
import pandera.ibis as pa

from schemas.base import column, table
from schemas.care_compare import footnote
from schemas.pbj import state_column
from schemas.staffing import VALUE_SOURCES, distance_column, points_column, reason_column, stars_column
from schemas.surveys import home_column, processing_column
from schemas.turnover import ccn_column

STAYS = ["long", "short"]
SCORES = ["long_stay_qm_score", "short_stay_qm_score", "overall_qm_score"]


def printed_column(description: str, cms: str) -> object:
    """A value as CMS prints it: percent, or per 1,000 resident days."""
    return column(description, cms=cms, unit="percent, or per 1,000 resident days", nullable=True, ge=0)


def code_column(more: str = "") -> object:
    """CMS's code of a measure of the rating, or of one of another list."""
    codes = ("quality_measures.code_like", *filter(None, [more]))
    return column("CMS's code of the measure", cms="Measure Code", required=True, codes=codes)


def used_column() -> object:
    """Whether CMS says that a row counts in the rating."""
    return column(
        "Y where CMS uses it in the rating", cms="Used in Quality Measure Five Star Rating", required=True, nullable=True,
        codes=("known_codes.yes_no",))  # fmt: skip


@table("staged.qm_mds", key=("ccn", "measure_code", "measure_period"), clock="release",
       signature=("measure_code", "four_quarter_average", "is_used"))  # fmt: skip
class QmMds(pa.DataFrameModel):
    """A quality measure of a home from its resident assessments (NH_QualityMsr_MDS)."""

    ccn: str = home_column()
    measure_code: str = code_column("known_codes.mds_measure")
    quarter_1: dt.Decimal(12, 6) = printed_column("First quarter", "Q1 Measure Score")
    quarter_2: dt.Decimal(12, 6) = printed_column("Second quarter", "Q2 Measure Score")
    quarter_3: dt.Decimal(12, 6) = printed_column("Third quarter", "Q3 Measure Score")
    quarter_4: dt.Decimal(12, 6) = printed_column("Fourth quarter", "Q4 Measure Score")
    four_quarter_average: dt.Decimal(12, 6) = column(
        "Average over the four quarters, weighted by residents", cms="Four Quarter Average Score", unit="percent", required=True,
        nullable=True, ge=0)  # fmt: skip
    footnote: str = footnote("the average", "Footnote for Four Quarter Average Score")
    is_used: str = used_column()
    measure_period: str = column("Quarters covered", cms="Measure Period", required=True)
    processing_date: dt.date = processing_column()


@table("staged.qm_claims", key=("ccn", "measure_code", "measure_period"), clock="release",
       signature=("measure_code", "adjusted_score", "is_used"))  # fmt: skip
class QmClaims(pa.DataFrameModel):
    """A quality measure of a home from Medicare claims (NH_QualityMsr_Claims)."""

    ccn: str = home_column()
    measure_code: str = code_column()
    adjusted_score: dt.Decimal(12, 6) = column("Value adjusted for risk", cms="Adjusted Score",
                                               unit="percent, or per 1,000 resident days", required=True, nullable=True, ge=0)  # fmt: skip
    observed_score: dt.Decimal(12, 6) = printed_column("Value as observed", "Observed Score")
    expected_score: dt.Decimal(12, 6) = printed_column("Value as expected", "Expected Score")
    footnote: str = footnote("the value", "Footnote for Score")
    is_used: str = used_column()
    measure_period: str = column("Days covered", cms="Measure Period", required=True)
    processing_date: dt.date = processing_column()


@table(
    "staged.snf_qrp",
    key=("ccn", "measure_code"),
    clock="release",
    signature=("state", "measure_code", "score", "measure_date_range"),
)
class SnfQrp(pa.DataFrameModel):
    """A value of the SNF Quality Reporting Program, as text; the rows do not say their month."""

    ccn: str = home_column()
    state: str = state_column("State")
    measure_code: str = code_column("known_codes.qrp_measure")
    score: str = column("A number, a sentence, or Not Available", cms="Score", required=True, nullable=True)
    footnote: str = footnote("the value, or - for none", "Footnote", blank="-")
    measure_date_range: str = column("Days covered, where not in the dates", cms="Measure Date Range", nullable=True)


@table("quality.values", key=("ccn", "measure"), clock="release")
class Values(pa.DataFrameModel):
    """A measure of the rating as CMS shows it of a home."""

    ccn: str = ccn_column()
    measure: str = column("CMS's code of the measure", source="rules.quality_measures")
    stay: str = column("Long or short stay", source="rules.quality_measures", isin=STAYS)
    state: str = column("State or territory", cms="State", nullable=True)
    value: dt.Decimal(12, 4) = column(
        "Value as compared with the point ranges: a proportion, or per 1,000 days", nullable=True, ge=0
    )
    exact_value: dt.Decimal(18, 9) = column("The same unrounded", nullable=True, ge=0)
    is_supplied: bool = column("The file that it is in was supplied", source="manifests")
    is_listed: bool = column("The file has a row of the home", source="computed")
    reason: str = reason_column("Why there is no value")


@table("quality.components", key=("ccn", "measure"), clock="release")
class Components(pa.DataFrameModel):
    """Points of a measure of a home."""

    ccn: str = ccn_column()
    measure: str = column("CMS's code of the measure", source="rules.quality_measures")
    stay: str = column("Long or short stay", source="rules.quality_measures", isin=STAYS)
    value: dt.Decimal(12, 4) = column(
        "Value as compared with the point ranges: a proportion, or per 1,000 days", nullable=True, ge=0
    )
    value_source: str = column(
        "published, or imputed with the mean of the state", source="computed", nullable=True, isin=VALUE_SOURCES
    )
    points: dt.int32 = points_column("Points earned")
    points_low: dt.int32 = points_column("Lowest points possible, where the value is not shown")
    points_high: dt.int32 = points_column("Highest points possible, where the value is not shown")
    max_points: dt.int32 = points_column("Most points of the measure; null where it does not count")
    band_lower: dt.Decimal(12, 4) = column("Lowest value of the band", nullable=True)
    band_upper: dt.Decimal(12, 4) = column("Highest value of the band", nullable=True)
    next_points: dt.int32 = points_column("Points of the next better band")
    distance_to_next: dt.Decimal(12, 4) = distance_column()
    reason: str = reason_column("Why there is no value, or why it does not count")


@table("quality.scores", key=("ccn", "score_name"), clock="release")
class Scores(pa.DataFrameModel):
    """Long-stay, adjusted short-stay and overall score of a home, and the stars they earn."""

    ccn: str = ccn_column()
    score_name: str = column("Which score", source="computed", isin=SCORES)
    rating: str = column("Which star it gives", source="rules.star_thresholds")
    shown_measures: dt.int32 = column("Measures with a value of the home's own", unit="measures")
    score: dt.int32 = points_column("The score")
    score_low: dt.int32 = points_column("Lowest score possible behind values that are not shown")
    score_high: dt.int32 = points_column("Highest score possible behind values that are not shown")
    stars: dt.int8 = stars_column("Star of the score")
    stars_low: dt.int8 = stars_column("Star of the lowest score")
    stars_high: dt.int8 = stars_column("Star of the highest score")
    status: str = column("rated, or why not", source="rules.reasons")


@table("quality.stars", key=("ccn", "rating"), clock="release")
class QualityStars(pa.DataFrameModel):
    """Quality measure stars of a home."""

    ccn: str = ccn_column()
    rating: str = column("Which star: qm_rating, long_stay_qm_rating, short_stay_qm_rating", source="rules.star_thresholds")
    recomputed_stars: dt.int8 = stars_column("Star from the measures")
    stars_low: dt.int8 = stars_column("Lowest star possible behind values that are not shown")
    stars_high: dt.int8 = stars_column("Highest star possible behind values that are not shown")
    published_stars: dt.int8 = stars_column("Star as published")
    stars: dt.int8 = stars_column("The star")
    source: str = column(
        "recomputed from the measures, or CMS's star or blank", source="inputs", isin=["recomputed", "published"]
    )
    status: str = column("rated, or why not", source="rules.reasons")
    reason: str = reason_column("What shaped the star")


@table("quality.estimated_thresholds", key=("score_name", "stars"), clock="release")
class EstimatedThresholds(pa.DataFrameModel):
    """Scores at which the published stars begin, as far as complete homes tell: an estimate, used for no star."""

    score_name: str = column("Which score", source="computed", isin=SCORES)
    stars: dt.int8 = column("Stars", unit="stars", isin=[1, 2, 3, 4, 5])
    lower: dt.int32 = column("Lowest score that has the star", unit="points")
    upper: dt.int32 = column("Highest score below the next star", unit="points", nullable=True)
    homes: dt.int64 = column("Homes in the band", unit="homes")
    misplaced: dt.int64 = column("Homes whose published star is on the other side of the lower end", unit="homes")
