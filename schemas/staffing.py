"""Staffing levels, points and scores (methodology 1 and 3)."""

from __future__ import annotations

import ibis.expr.datatypes as dt
import pandera.ibis as pa

from schemas.base import column, table
from schemas.turnover import ccn_column

LEVELS = ["rn", "lpn", "nurse_aide", "total_nurse", "weekend_total_nurse", "weekend_rn"]
STAFFING_MEASURES = [
    "adjusted_total_nurse_hprd",
    "adjusted_rn_hprd",
    "adjusted_weekend_total_nurse_hprd",
    "total_nurse_turnover_pct",
    "rn_turnover_pct",
    "administrator_departures",
]
VALUE_SOURCES = ["recomputed", "published", "published_rounded", "imputed"]
SOURCES = ["recomputed", "published", "mixed"]


def level_column(also: tuple[str, ...] = ()) -> object:
    """The staff group of a staffing level."""
    return column("Staff group and days", source="computed", isin=[*LEVELS, *also])


def hprd_column(description: str, **more: object) -> object:
    """Hours per resident day, unrounded to nine decimals; null where not known."""
    return column(description, unit="hours per resident day", nullable=True, **more)


def staffing_measure_column() -> object:
    """One of the six measures of the staffing rating."""
    return column("Staffing measure", source="rules.staffing_cut_points", isin=STAFFING_MEASURES)


def points_column(description: str) -> object:
    """Points of the staffing score; null where a measure is left out."""
    return column(description, unit="points", nullable=True, ge=0)


def distance_column() -> object:
    """The way to the next better band."""
    return column(
        "How far the next better band is, in the measure's unit; null in the best band, without a value, and where a printed value already "
        "lies in it", nullable=True, ge=0)  # fmt: skip


def stars_column(description: str) -> object:
    """Stars, one to five; null where not rated."""
    return column(description, unit="stars", nullable=True, isin=[1, 2, 3, 4, 5])


def reason_column(description: str) -> object:
    """A word of rules.reasons."""
    return column(description, source="rules.reasons", nullable=True)


def source_column(what: str, **more: object) -> object:
    """Whose values are behind a score or star."""
    return column(
        f"Whose values are behind the {what}: recomputed where all are ours, published where all are CMS's, or mixed",
        source="inputs", isin=SOURCES, **more)  # fmt: skip


def wanted_column() -> object:
    """Which of the two values counts under `--inputs`."""
    return column("Whether the recomputed or the published value is wanted", source="inputs", isin=["recomputed", "published"])


@table("staffing.daily_levels", key=("ccn", "measure"), clock="release")
class DailyLevels(pa.DataFrameModel):
    """Sums of the daily nurse file over the staffing quarter."""

    ccn: str = ccn_column()
    measure: str = level_column(("weekend_nurse_aide",))
    days: dt.int32 = column("Days of the file that the level looks at", unit="days")
    no_resident_days: dt.int32 = column("Of them without residents, in neither sum", unit="days")
    missing_census_days: dt.int32 = column("Of them without a census", unit="days")
    missing_hours_days: dt.int32 = column("Of them with residents and blank hours", unit="days")
    zero_days: dt.int32 = column("Of them with residents and zero hours", unit="days")
    first_zero_day: dt.date = column("First of these", source="WorkDate", nullable=True)
    last_zero_day: dt.date = column("Last of these", source="WorkDate", nullable=True)
    hours: dt.Decimal(18, 2) = column("Hours on days with residents", unit="hours", nullable=True)
    resident_days: dt.int64 = column("Residents summed over the days", unit="resident days", nullable=True)
    reported_hprd: dt.Decimal(18, 9) = hprd_column("Hours over resident days; null where any needed cell is blank")


@table("staffing.level_exclusions", key=("ccn", "measure", "exclusion"), clock="release")
class LevelExclusions(pa.DataFrameModel):
    """An exclusion that applies to a home's staffing levels."""

    ccn: str = ccn_column()
    measure: str = level_column()
    exclusion: str = column("Reason word", source="rules.reasons")
    evidence: str = column("What shows it", source="computed")
    first_date: dt.date = column("First day it concerns", source="computed")
    last_date: dt.date = column("Last day it concerns", source="computed")
    rank: dt.int32 = column("The lowest is named first", source="rules.reasons")


@table("staffing.published_levels", key=("ccn", "measure"), clock="release")
class PublishedLevels(pa.DataFrameModel):
    """Staffing levels as CMS published them."""

    ccn: str = ccn_column()
    measure: str = level_column()
    reported_hprd: dt.Decimal(18, 9) = hprd_column("Reported hours as published")
    case_mix_hprd: dt.Decimal(18, 9) = hprd_column("Case-mix hours as published")
    adjusted_hprd: dt.Decimal(18, 9) = hprd_column("Adjusted hours as published")
    half_unit: dt.Decimal(18, 9) = column("Half a unit of the last decimal printed", unit="hours per resident day")


@table("staffing.national_case_mix", key=("measure",), clock="release")
class NationalCaseMix(pa.DataFrameModel):
    """The nation's case-mix hours."""

    measure: str = level_column()
    national_hprd: dt.Decimal(18, 9) = column("Case-mix hours of the nation", unit="hours per resident day")
    basis: str = column(
        "Row NATION of State US Averages, or a mean over homes",
        source="computed",
        isin=["state_averages", "scaled_mean_of_homes", "mean_of_homes"],
    )
    homes: dt.int64 = column("Homes with a case-mix value", unit="homes")


@table("staffing.levels", key=("ccn", "measure"), clock="release")
class Levels(pa.DataFrameModel):
    """Staffing levels of a home, recomputed and as published."""

    ccn: str = ccn_column()
    measure: str = level_column()
    hours: dt.Decimal(18, 2) = column("Hours on days with residents", unit="hours", nullable=True)
    resident_days: dt.int64 = column("Residents summed over the days", unit="resident days", nullable=True)
    reported_hprd: dt.Decimal(18, 9) = hprd_column("Recomputed reported hours; null where excluded")
    case_mix_hprd: dt.Decimal(18, 9) = hprd_column("Case-mix hours used")
    adjusted_hprd: dt.Decimal(18, 9) = hprd_column("Recomputed adjusted hours; null where excluded")
    exclusion: str = reason_column("The first exclusion that applies")
    nation_basis: str = column("Where the nation's case-mix hours come from, see staffing.national_case_mix", nullable=True)
    wanted: str = wanted_column()
    published_reported_hprd: dt.Decimal(18, 9) = hprd_column("Reported hours as published")
    published_adjusted_hprd: dt.Decimal(18, 9) = hprd_column("Adjusted hours as published")
    adjusted_from_published_hprd: dt.Decimal(18, 9) = hprd_column("Adjusted from published reported and case-mix hours")
    adjusted_low_hprd: dt.Decimal(18, 9) = hprd_column("Lowest it can be behind the printed digits")
    adjusted_high_hprd: dt.Decimal(18, 9) = hprd_column("Highest it can be behind the printed digits")


@table("staffing.printed_turnover", key=("measure", "printed"), clock="release")
class PrintedTurnover(pa.DataFrameModel):
    """Points that a turnover printed with one decimal can stand for (R19)."""

    measure: str = staffing_measure_column()
    printed: dt.Decimal(9, 3) = column("Turnover as printed", unit="percent")
    points: dt.int32 = column("Points of most fractions behind it", unit="points")
    points_low: dt.int32 = column("Lowest points of any", unit="points")
    points_high: dt.int32 = column("Highest points of any", unit="points")


@table("staffing.published_exclusions", key=("ccn", "measure"), clock="release")
class PublishedExclusions(pa.DataFrameModel):
    """What a blank turnover cell of the published file means (R17, R18)."""

    ccn: str = ccn_column()
    measure: str = staffing_measure_column()
    exclusion: str = column("Reason word", source="rules.reasons")


@table("staffing.measure_values", key=("ccn", "measure"), clock="release")
class MeasureValues(pa.DataFrameModel):
    """The value of a staffing measure that is scored."""

    ccn: str = ccn_column()
    measure: str = staffing_measure_column()
    value: dt.Decimal(9, 3) = column("Value as compared with the cut points", nullable=True, ge=0)
    value_source: str = column("Where the value comes from", source="computed", nullable=True, isin=VALUE_SOURCES)
    value_low: dt.Decimal(9, 3) = column("Lowest value behind the printed digits", nullable=True)
    value_high: dt.Decimal(9, 3) = column("Highest value behind the printed digits", nullable=True)
    wanted: str = wanted_column()
    exclusion: str = reason_column("Why there is no value")


@table("staffing.components", key=("ccn", "measure"), clock="release")
class Components(pa.DataFrameModel):
    """Points of a staffing measure."""

    ccn: str = ccn_column()
    measure: str = staffing_measure_column()
    value: dt.Decimal(9, 3) = column("Value as compared with the cut points", nullable=True)
    value_source: str = column("Where the value comes from", source="computed", nullable=True, isin=VALUE_SOURCES)
    points: dt.int32 = points_column("Points earned")
    points_low: dt.int32 = points_column("Lowest points possible behind a printed value")
    points_high: dt.int32 = points_column("Highest points possible behind a printed value")
    max_points: dt.int32 = points_column("Most points of the measure; null where it is left out")
    band_lower: dt.Decimal(9, 3) = column("Lowest value of the band", nullable=True)
    band_upper: dt.Decimal(9, 3) = column("Highest value of the band, null at the open end", nullable=True)
    next_points: dt.int32 = points_column("Points of the next better band")
    distance_to_next: dt.Decimal(9, 3) = distance_column()
    wanted: str = wanted_column()
    reason: str = reason_column("Why there is no value, or what is uncertain about it")
    effect: str = column("What the exclusion does to the points", source="rules.exclusion_effects", nullable=True)


@table("staffing.scores", key=("ccn",), clock="release")
class Scores(pa.DataFrameModel):
    """Staffing score and star of a home."""

    ccn: str = ccn_column()
    stars: dt.int8 = stars_column("Staffing star")
    stars_low: dt.int8 = stars_column("Lowest star possible behind printed values")
    stars_high: dt.int8 = stars_column("Highest star possible behind printed values")
    stars_of_values: dt.int8 = stars_column("Star if every measure without a value were left out")
    score: dt.int32 = points_column(
        "Score out of 380, rescaled where measures are left out; null where the star does not rest on it"
    )
    raw_points: dt.int32 = points_column("Points before rescaling")
    max_points: dt.int32 = points_column("Most points of the measures present")
    status: str = column("rated, or why not", source="rules.reasons")
    reason: str = reason_column("What shaped a rated star")
    source: str = source_column("star", nullable=True)
    no_rn_days: dt.int32 = column("Days with residents and zero RN hours", unit="days", nullable=True)
