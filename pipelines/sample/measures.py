"""The quality measures of a home: their bands, what they are worth, and values drawn around the middle of the bands (methodology 5)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

import numpy as np

from pipelines.sample.rules import half_up, in_force

LONG, SHORT = "long", "short"
MDS, CLAIMS, QRP = "qm_mds", "qm_claims", "snf_qrp"
LEAST = {LONG: 5, SHORT: 4}  # measures that a domain needs
SUCCESSOR = {"419": "481", "453": "479", "471": "S_042", "405": "480"}  # codes that gave way to another (methodology 5.1)


def slot_of(code: str) -> str:
    """The code that stands for a measure today."""
    return SUCCESSOR.get(code, code)


@dataclass(frozen=True)
class Measure:
    """One measure in the rating. `ends` are the worse ends of its bands but the last, best first, in ten-thousandths."""

    code: str
    stay: str
    file: str
    ends: tuple[int, ...]
    step: int  # points between two bands
    per_days: bool  # per 1,000 resident days, not percent
    high_is_good: bool

    @property
    def most(self) -> int:
        """Points of the best band."""
        return self.step * (len(self.ends) + 1)

    @property
    def digits(self) -> int:
        """Decimals that the file prints."""
        return 2 if self.file == QRP else 6

    def compared(self, printed: Fraction) -> Fraction:
        """A printed value as it meets the bands: a proportion, rounded half up to four decimals."""
        return half_up(printed if self.per_days else printed / 100, 4)

    def points(self, value: Fraction) -> int:
        """Points of a value that is already compared; the end of a band belongs to it."""
        whole = int(value * 10_000)
        worse = sum(whole < end if self.high_is_good else whole > end for end in self.ends)
        return self.most - self.step * worse

    def printed(self, place: int, share: float) -> str:
        """A value in a band, counted from the best, at a share of the way to its worse end; open bands are as wide as the next."""
        ends = self.ends
        first = 0 if not self.high_is_good else 2 * ends[0] - ends[1]
        better = first if place == 0 else ends[place - 1]
        worse = ends[place] if place < len(ends) else 2 * ends[-1] - ends[-2]
        value = better + (worse - better) * share
        return f"{value / (10_000 if self.per_days else 100):.{self.digits}f}"


@cache
def measures_of(release: str) -> dict[str, Measure]:
    """The measures in the rating of a release, by code."""
    ranges: dict[str, list[dict[str, str]]] = {}
    for row in in_force("quality_cut_points", release):
        ranges.setdefault(row["measure"], []).append(row)
    return {
        row["measure"]: _measure(row, sorted(ranges[row["measure"]], key=lambda band: -int(band["points"])))
        for row in in_force("quality_measures", release)
    }


def _measure(row: dict[str, str], best_first: list[dict[str, str]]) -> Measure:
    high_is_good = Fraction(best_first[0]["lower"]) > Fraction(best_first[-1]["lower"])
    edge = "lower" if high_is_good else "upper"
    return Measure(
        code=row["measure"],
        stay=row["stay"],
        file=row["source_table"],
        ends=tuple(int(Fraction(band[edge]) * 10_000) for band in best_first[:-1]),
        step=int(best_first[-1]["points"]),
        per_days=row["divide_by"] == "1",
        high_is_good=high_is_good,
    )


def stay_of(measures: Mapping[str, Measure], stay: str) -> tuple[str, ...]:
    """The codes of a domain."""
    return tuple(code for code, one in measures.items() if one.stay == stay)


@dataclass(frozen=True)
class Other:
    """A measure of the MDS file that is not in the rating: its usual value, and the months in which the file has it."""

    code: str
    usual: float
    first: str = ""
    last: str = "9999"


OTHERS = (
    Other("404", 6.0), Other("430", 80.0), Other("454", 95.0), Other("405", 48.0, last="2024-12"), Other("480", 20.0, first="2025-01"),
    Other("408", 8.0), Other("409", 0.2), Other("415", 93.0), Other("452", 19.0), Other("472", 79.0),
)  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """What the measures of a planted home are to be, by the codes of today; every value is shown but those named."""

    points: Mapping[str, int] = field(default_factory=dict)
    printed: Mapping[str, str] = field(default_factory=dict)
    blank: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None  # no other measure has a row
    unknown: bool = False  # also a row of a code that nobody knows


@dataclass(frozen=True)
class Quality:
    """The measures of a home: the printed value of each code, also where it is not shown, and what its file prints beside it."""

    measures: Mapping[str, Measure]
    values: dict[str, tuple[str, ...]]
    blank: frozenset[str]  # rows without a value, footnote 9
    absent: frozenset[str]  # no row
    unknown: bool = False

    def shown(self, code: str) -> bool:
        """Whether the file has the value."""
        return code not in self.blank and code not in self.absent

    def compared(self, code: str) -> Fraction:
        """The value as it meets the bands."""
        return self.measures[code].compared(Fraction(self.values[code][0]))

    def eligible(self, stay: str) -> bool:
        """Whether enough measures of a domain are shown."""
        return sum(self.shown(code) for code in stay_of(self.measures, stay)) >= LEAST[stay]


def draw(release: str, rng: np.random.Generator, wanted: Wanted | None) -> Quality:
    """Measures of a home that is better or worse in all of them."""
    measures = measures_of(release)
    level = rng.normal(0, 0.45)
    values = {}
    for code, one in measures.items():
        slot = slot_of(code)
        bands = len(one.ends) + 1
        drawn = int(bands * (1 + math.erf((level + rng.normal(0, 0.9)) / math.sqrt(2))) / 2)
        text = one.printed(min(bands - 1, drawn), rng.uniform(0.25, 0.75))
        if wanted and slot in wanted.points:
            text = one.printed((one.most - wanted.points[slot]) // one.step, 0.5)
        if wanted and slot in wanted.printed:
            text = wanted.printed[slot]
        values[code] = (text, *_beside(one.file, float(text), rng))
    blank = [code for code in measures if slot_of(code) in wanted.blank] if wanted else _blank(measures, rng)
    for other in OTHERS:
        if other.first <= release <= other.last:
            value = other.usual * rng.uniform(0.6, 1.05)
            values[other.code] = (f"{value:.6f}", *_beside(MDS, value, rng))
    only = wanted.only if wanted else None
    absent = [code for code in values if only is not None and slot_of(code) not in only]
    return Quality(measures, values, frozenset(blank), frozenset(absent), bool(wanted and wanted.unknown))


def _beside(file: str, value: float, rng: np.random.Generator) -> tuple[str, ...]:
    """Four quarters of which the value is the mean, observed and expected, or the number of stays."""
    if file == MDS:
        a, b = rng.uniform(-0.3, 0.3, size=2)
        return tuple(f"{value * (1 + part):.6f}" for part in (a, b, -a, -b))
    if file == CLAIMS:
        ratio = rng.uniform(0.8, 1.2, size=2)
        return tuple(f"{value * part:.6f}" for part in ratio)
    return (str(int(rng.integers(25, 140))),)


def _blank(measures: Mapping[str, Measure], rng: np.random.Generator) -> list[str]:
    """One home in seven lacks a long measure or two, one in five most short ones, one in ten a short one or two."""
    blank: Iterable[str] = ()
    if rng.random() < 0.15:
        blank = rng.choice(stay_of(measures, LONG), size=int(rng.integers(1, 3)), replace=False).tolist()
    draw_of = rng.random()
    if draw_of < 0.3:
        few = int(rng.integers(3, 7)) if draw_of < 0.2 else int(rng.integers(1, 3))
        blank = [*blank, *rng.choice(stay_of(measures, SHORT), size=few, replace=False).tolist()]
    return list(blank)
