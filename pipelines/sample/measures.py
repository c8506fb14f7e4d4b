"""The quality measures of a home: their bands, what they are worth, and values drawn around the middle of the bands (methodology 5)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from pipelines.sample.truth import half_up

LONG, SHORT = "long", "short"
MDS, CLAIMS, QRP = "mds", "claims", "qrp"
LEAST = {LONG: 5, SHORT: 4}  # measures that a domain needs


@dataclass(frozen=True)
class Measure:
    """One measure in the rating. `ends` are the worse ends of its bands but the last, best first, in ten-thousandths."""

    code: str
    stay: str
    file: str
    ends: tuple[int, ...]
    per_days: bool = False  # per 1,000 resident days, not percent
    high_is_good: bool = False

    @property
    def step(self) -> int:
        """Points between two bands: 15 of ten bands, 20 of five."""
        return 15 if len(self.ends) == 9 else 20

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


MEASURES = {
    one.code: one
    for one in (
        Measure("401", LONG, MDS, (662, 966, 1220, 1463, 1702, 1961, 2245, 2574, 3019)),
        Measure("451", LONG, MDS, (830, 1235, 1559, 1866, 2168, 2491, 2845, 3286, 3904)),
        Measure("481", LONG, MDS, (426, 682, 920, 1140, 1364, 1613, 1899, 2264, 2836)),
        Measure("479", LONG, MDS, (288, 445, 597, 797)),
        Measure("406", LONG, MDS, (50, 126, 217, 356)),
        Measure("407", LONG, MDS, (70, 160, 272, 452)),
        Measure("410", LONG, MDS, (134, 246, 356, 514)),
        Measure("551", LONG, CLAIMS, (7179, 9433, 11024, 12549, 14058, 15573, 17184, 19283, 22685), per_days=True),
        Measure("552", LONG, CLAIMS, (4741, 6661, 8288, 9853, 11590, 13672, 16026, 19055, 24707), per_days=True),
        Measure("434", SHORT, MDS, (0, 96, 168, 289)),
        Measure("521", SHORT, CLAIMS, (1303, 1555, 1711, 1845, 1973, 2096, 2232, 2381, 2637)),
        Measure("522", SHORT, CLAIMS, (409, 558, 665, 770, 866, 974, 1093, 1255, 1489)),
        Measure("S_005", SHORT, QRP, (6336, 5976, 5697, 5453, 5173, 4917, 4609, 4262, 3763), high_is_good=True),
        Measure("S_038", SHORT, QRP, (0, 219, 395, 647)),
        Measure("S_042", SHORT, QRP, (7074, 6480, 6035, 5661, 5301, 4931, 4498, 3995, 3309), high_is_good=True),
    )
}
STAY = {stay: tuple(code for code, one in MEASURES.items() if one.stay == stay) for stay in (LONG, SHORT)}
OTHER_CODES = ("404", "430", "454")  # in the MDS file, not in the rating
CODES = (*MEASURES, *OTHER_CODES)


@dataclass(frozen=True)
class Wanted:
    """What the measures of a planted home are to be; every value is shown but those named."""

    points: dict[str, int] = field(default_factory=dict)
    printed: dict[str, str] = field(default_factory=dict)
    blank: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    unknown: bool = False  # also a row of a code that nobody knows


@dataclass(frozen=True)
class Quality:
    """The measures of a home: the printed value of each code, also where it is not shown, and what its file prints beside it."""

    values: dict[str, tuple[str, ...]]
    blank: frozenset[str]  # rows without a value, footnote 9
    absent: frozenset[str]  # no row
    unknown: bool = False

    def shown(self, code: str) -> bool:
        """Whether the file has the value."""
        return code not in self.blank and code not in self.absent

    def compared(self, code: str) -> Fraction:
        """The value as it meets the bands."""
        return MEASURES[code].compared(Fraction(self.values[code][0]))

    def eligible(self, stay: str) -> bool:
        """Whether enough measures of a domain are shown."""
        return sum(self.shown(code) for code in STAY[stay]) >= LEAST[stay]


def draw(rng: np.random.Generator, wanted: Wanted | None) -> Quality:
    """Measures of a home that is better or worse in all of them."""
    level = rng.normal(0, 0.45)
    values = {}
    for code, one in MEASURES.items():
        bands = len(one.ends) + 1
        drawn = int(bands * (1 + math.erf((level + rng.normal(0, 0.9)) / math.sqrt(2))) / 2)
        text = one.printed(min(bands - 1, drawn), rng.uniform(0.25, 0.75))
        if wanted and code in wanted.points:
            text = one.printed((one.most - wanted.points[code]) // one.step, 0.5)
        if wanted and code in wanted.printed:
            text = wanted.printed[code]
        values[code] = (text, *_beside(one.file, float(text), rng))
    for code, middle in zip(OTHER_CODES, (6.0, 80.0, 95.0), strict=True):
        value = middle * rng.uniform(0.6, 1.05)
        values[code] = (f"{value:.6f}", *_beside(MDS, value, rng))
    blank: Iterable[str] = wanted.blank if wanted else _blank(rng)
    return Quality(values, frozenset(blank), frozenset(wanted.absent if wanted else ()), bool(wanted and wanted.unknown))


def _beside(file: str, value: float, rng: np.random.Generator) -> tuple[str, ...]:
    """Four quarters of which the value is the mean, observed and expected, or the number of stays."""
    if file == MDS:
        a, b = rng.uniform(-0.3, 0.3, size=2)
        return tuple(f"{value * (1 + part):.6f}" for part in (a, b, -a, -b))
    if file == CLAIMS:
        ratio = rng.uniform(0.8, 1.2, size=2)
        return tuple(f"{value * part:.6f}" for part in ratio)
    return (str(int(rng.integers(25, 140))),)


def _blank(rng: np.random.Generator) -> list[str]:
    """One home in seven lacks a long measure or two, one in five most short ones, one in ten a short one or two."""
    blank: list[str] = []
    if rng.random() < 0.15:
        blank += rng.choice(STAY[LONG], size=int(rng.integers(1, 3)), replace=False).tolist()
    draw_of = rng.random()
    if draw_of < 0.3:
        few = int(rng.integers(3, 7)) if draw_of < 0.2 else int(rng.integers(1, 3))
        blank += rng.choice(STAY[SHORT], size=few, replace=False).tolist()
    return blank
