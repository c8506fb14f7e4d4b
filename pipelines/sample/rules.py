"""The dated constants of `data/rules` by which the truth is computed: read here in plain Python, by nothing of the engine."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from pipelines.periods import RULES


def half_up(value: Fraction, digits: int) -> Fraction:
    """Rounded half up."""
    scale = 10**digits
    return Fraction((2 * value.numerator * scale + value.denominator) // (2 * value.denominator), scale)


@cache
def _rows(table: str) -> list[dict[str, str]]:
    with (RULES / f"{table}.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


def in_force(table: str, release: str) -> list[dict[str, str]]:
    """The rows of a rule table that hold in a release."""
    return [row for row in _rows(table) if row["effective_from"] <= release <= (row["effective_to"] or "9999")]


@dataclass(frozen=True)
class Band:
    """A band of a staffing measure; no upper end is endless."""

    points: int
    lower: Fraction
    upper: Fraction | None

    def holds(self, value: Fraction) -> bool:
        """Whether a value is in the band, whose ends belong to it."""
        return self.lower <= value and (self.upper is None or value <= self.upper)


@cache
def bands(release: str) -> dict[str, list[Band]]:
    """The bands of each staffing measure."""
    found: dict[str, list[Band]] = {}
    for row in in_force("staffing_cut_points", release):
        upper = Fraction(row["upper"]) if row["upper"] else None
        found.setdefault(row["measure"], []).append(Band(int(row["points"]), Fraction(row["lower"]), upper))
    return found


def points_of(release: str, measure: str, value: Fraction) -> int:
    """Points of a value that is already rounded to three decimals (R10, R11)."""
    return next(band.points for band in bands(release)[measure] if band.holds(value))


def ends_of(release: str, measure: str) -> tuple[int, int]:
    """Fewest and most points of a staffing measure."""
    points = [band.points for band in bands(release)[measure]]
    return min(points), max(points)


@cache
def gap_days(release: str) -> int:
    """Whole days without work that end a spell."""
    return next(int(row["gap_days"]) for row in in_force("turnover_definitions", release) if row["definition"] == "cms")


@cache
def earns_minimum(release: str) -> frozenset[str]:
    """Turnover exclusions with which a measure counts with its fewest points; with the others it is left out (R25)."""
    return frozenset(row["exclusion"] for row in in_force("exclusion_effects", release) if row["effect"] == "minimum_points")


@dataclass(frozen=True)
class Crowd:
    """Administrators who are too many: so many people on so many days, of one quarter or of all in which people may enter."""

    people: int
    days: int
    single_quarter: bool


@cache
def crowd(release: str) -> Crowd:
    """When a home has too many administrators (methodology 2.8)."""
    (row,) = in_force("administrator_limits", release)
    return Crowd(int(row["people"]), int(row["days"]), row["span"] == "single_quarter")


@cache
def weekend_case_mix(release: str) -> str:
    """The staff group whose case mix adjusts weekend hours (methodology 1.5, 1.6)."""
    rows = in_force("case_mix_methods", release)
    return next(row["case_mix_measure"] for row in rows if row["measure"] == "weekend_total_nurse")


@cache
def cycle_weights(release: str) -> dict[int, tuple[Fraction, ...]]:
    """Weights of the rating cycles, by the number of standard surveys that a home has had (methodology 4.3)."""
    found: dict[int, tuple[Fraction, ...]] = {}
    for row in sorted(in_force("health_weights", release), key=lambda row: int(row["cycle"])):
        cycles = int(row["cycles"])
        found[cycles] = (*found.get(cycles, ()), Fraction(int(row["sixtieths"]), 60))
    return found


@cache
def cycle_ages(release: str) -> tuple[int, ...]:
    """The age in months up to which a survey other than a standard one counts in each cycle."""
    return tuple(sorted(int(row["to_months"]) for row in in_force("health_windows", release)))


@cache
def star_scores(rating: str, release: str) -> tuple[int, ...]:
    """The scores from which a rating has two, three, four and five stars; of an earlier release where those of this are not known.

    CMS knows them, so its file has stars all the same.
    """
    rows = [row for row in _rows("star_thresholds") if row["rating"] == rating and row["effective_from"] <= release]
    latest = max(row["effective_from"] for row in rows)
    lowers = sorted((int(row["stars"]), int(row["lower"])) for row in rows if row["effective_from"] == latest)
    return tuple(lower for stars, lower in lowers if stars > 1)
