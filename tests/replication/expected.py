"""The staffing star from published inputs, scored plainly in Python, independent of the SQL (methodology 1, 3; R11-R12, R17-R19).

Cut points come from `data/rules/staffing_cut_points.csv`; the real values from the folder of real data beside the repository.
"""

from __future__ import annotations

import csv
import gzip
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import NamedTuple

RULES = Path(__file__).resolve().parents[2] / "data" / "rules"
REAL = Path(__file__).resolve().parents[3] / "shared" / "real"

TOTAL = "adjusted_total_nurse_hprd"
RN = "adjusted_rn_hprd"
WEEKEND = "adjusted_weekend_total_nurse_hprd"
TOTAL_TURNOVER = "total_nurse_turnover_pct"
RN_TURNOVER = "rn_turnover_pct"
ADMINISTRATORS = "administrator_departures"
LEVELS = (TOTAL, RN, WEEKEND)
TURNOVERS = (TOTAL_TURNOVER, RN_TURNOVER)
SIX = (*LEVELS, *TURNOVERS, ADMINISTRATORS)

THRESHOLDS = (155, 205, 255, 320)  # lowest scores of two to five stars (methodology 3.1)
MAXIMUM = 380
ONE_STAR_FOOTNOTES = {"23", "24", "25"}
DENOMINATORS = {TOTAL_TURNOVER: range(5, 301), RN_TURNOVER: range(1, 101)}  # R19
NO_RN_DAYS = 4


class Points(NamedTuple):
    """Points of one measure, and the lowest and highest that its rounded value allows."""

    value: int
    low: int
    high: int


@dataclass(frozen=True)
class Home:
    """What CMS published of one home. `slack` is how far a level may lie from the value given, for its rounding."""

    ccn: str
    star: int
    levels: dict[str, Decimal]
    turnover: dict[str, Decimal | None]
    administrators: int | None
    footnote: str = ""
    no_rn_days: int | None = None
    slack: dict[str, Decimal] = field(default_factory=dict)

    @property
    def has_all_six(self) -> bool:
        return self.administrators is not None and None not in self.turnover.values()


@dataclass(frozen=True)
class Scored:
    """A home with its points; `forced` where the one-star rule sets the star."""

    home: Home
    points: dict[str, Points]
    score: int
    star: int
    lowest_star: int
    highest_star: int
    forced: bool

    @property
    def agrees(self) -> bool:
        return self.star == self.home.star

    @property
    def is_open(self) -> bool:
        """Whether the published star is within what rounding allows."""
        return self.lowest_star <= self.home.star <= self.highest_star


@cache
def bands(release: str) -> dict[str, list[tuple[int, Decimal, Decimal | None]]]:
    """(points, lower, upper) by measure, as in force in a release."""
    found: dict[str, list[tuple[int, Decimal, Decimal | None]]] = defaultdict(list)
    with (RULES / "staffing_cut_points.csv").open(newline="") as lines:
        for row in csv.DictReader(lines):
            if row["effective_from"] <= release <= (row["effective_to"] or "9999-12"):
                upper = Decimal(row["upper"]) if row["upper"] else None
                found[row["measure"]].append((int(row["points"]), Decimal(row["lower"]), upper))
    return found


def rounded(value: Decimal, places: str = "0.001") -> Decimal:
    """Half up, on Decimal."""
    return value.quantize(Decimal(places), ROUND_HALF_UP)


def level_points(measure: str, value: Decimal, release: str) -> int:
    """R11: three decimals half up; the band with the highest lower end that the value reaches."""
    value = rounded(max(value, Decimal(0)))
    return max((lower, points) for points, lower, _ in bands(release)[measure] if lower <= value)[1]


def count_points(measure: str, value: Decimal, release: str) -> int:
    """R10: the band with the lowest upper end that the value does not pass (turnover, administrators)."""
    value = rounded(value)
    return min((lower, points) for points, lower, upper in bands(release)[measure] if upper is None or value <= upper)[1]


@cache
def votes(measure: str, release: str) -> dict[Decimal, Counter[int]]:
    """Printed value -> points -> how many fractions n/d print so and earn so; 2/4 counts beside 1/2."""
    found: dict[Decimal, Counter[int]] = defaultdict(Counter)
    for d in DENOMINATORS[measure]:
        for n in range(d + 1):
            exact = Decimal(100 * n) / d
            found[rounded(exact, "0.1")][count_points(measure, exact, release)] += 1
    return found


def likely_points(measure: str, printed: Decimal, release: str) -> Points:
    """R19: the points that most fractions printing as the value earn; ties go to the higher points."""
    cast = votes(measure, release).get(printed)
    if not cast:
        plain = count_points(measure, printed, release)
        return Points(plain, plain, plain)
    return Points(max(cast, key=lambda points: (cast[points], points)), min(cast), max(cast))


def stars(score: int) -> int:
    """Staffing star of a score."""
    return 1 + sum(score >= threshold for threshold in THRESHOLDS)


def rescaled(points: dict[str, int], release: str) -> int:
    """R12: points x 380 / the maximum of the measures present, half up to an integer."""
    present = sum(max(p for p, _, _ in bands(release)[measure]) for measure in points)
    return int(rounded(Decimal(sum(points.values()) * MAXIMUM) / present, "1"))


def score(home: Home, release: str, *, likeliest: bool = True, one_star: bool = True) -> Scored:
    """The star by R17 and R18; with R19 (`likeliest`) and the one-star rules (`one_star`) or without."""
    points: dict[str, Points] = {}
    for measure, value in home.levels.items():
        slack = home.slack.get(measure, Decimal(0))
        here, low, high = (level_points(measure, v, release) for v in (value, value - slack, value + slack))
        points[measure] = Points(here, low, high)
    both_blank = all(value is None for value in home.turnover.values())
    for measure, printed in home.turnover.items():
        if printed is not None and likeliest:
            points[measure] = likely_points(measure, printed, release)
        elif printed is not None:
            plain = count_points(measure, printed, release)
            points[measure] = Points(plain, plain, plain)
        elif both_blank:  # R18; one of them blank is left out and rescaled
            points[measure] = Points(5, 5, 5)
    left = 10 if home.administrators is None else count_points(ADMINISTRATORS, Decimal(home.administrators), release)  # R17
    points[ADMINISTRATORS] = Points(left, left, left)
    total, low, high = (rescaled({m: p[k] for m, p in points.items()}, release) for k in range(3))
    forced = one_star and (home.footnote in ONE_STAR_FOOTNOTES or (home.no_rn_days or 0) >= NO_RN_DAYS)
    if forced:
        return Scored(home, points, total, 1, 1, 1, forced)
    return Scored(home, points, total, stars(total), stars(low), stars(high), forced)


@cache
def read(path: Path) -> list[dict[str, str]]:
    """Rows of a CSV of the real data, gzipped or not."""
    with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def number(text: str) -> Decimal | None:
    return Decimal(text) if text else None


# July 2026: 317 homes with adjusted hours as published.

SAMPLE_COLUMNS = {TOTAL: "total_hprd", RN: "rn_hprd", WEEKEND: "weekend_total_hprd"}
NATION_COLUMNS = {
    TOTAL: "Case-Mix Total Nurse Staffing Hours per Resident per Day",
    RN: "Case-Mix RN Staffing Hours per Resident per Day",
    WEEKEND: "Case-Mix Weekend Total Nurse Staffing Hours per Resident per Day",
}


def july_sample() -> list[dict[str, str]]:
    return read(REAL / "2026-07" / "provider_info_sample_Jul2026.csv")


def july_homes() -> Iterator[Home]:
    """Homes with a staffing star and hours."""
    for row in july_sample():
        levels = {m: number(row[f"adjusted_{c}"]) for m, c in SAMPLE_COLUMNS.items()}
        if row["staffing_rating"] and None not in levels.values():
            yield Home(
                ccn=row["ccn"],
                star=int(row["staffing_rating"]),
                levels={m: v for m, v in levels.items() if v is not None},
                turnover={
                    TOTAL_TURNOVER: number(row["total_nursing_staff_turnover"]),
                    RN_TURNOVER: number(row["rn_turnover"]),
                },
                administrators=int(row["administrators_left"]) if row["administrators_left"] else None,
                footnote=row["staffing_footnote"],
            )


def july_adjusted() -> Iterator[tuple[str, str, Decimal, Decimal]]:
    """(ccn, measure, published, reported / case mix x NATION case mix) of every home with hours."""
    averages = read(REAL / "2026-07" / "NH_StateUSAverages_Jul2026.csv")
    nation = next(row for row in averages if row["State or Nation"] == "NATION")
    for row in july_sample():
        for measure, c in SAMPLE_COLUMNS.items():
            if row[f"adjusted_{c}"]:
                ratio = Decimal(row[f"reported_{c}"]) / Decimal(row[f"case_mix_{c}"])
                yield row["ccn"], measure, Decimal(row[f"adjusted_{c}"]), ratio * Decimal(nation[NATION_COLUMNS[measure]])


# The nation, PBJ quarter 2025Q3: reported hours and turnover of one source, case mix and star of another.

CASE_MIX = {"total": "case_mix_total_nurse_hrs_per_resident_per_day", "rn": "case_mix_rn_hrs_per_resident_per_day"}


def rated_2025q3() -> list[dict[str, str]]:
    """Every home of the nation with rating and case mix of 2025Q3, California included."""
    rows = read(REAL / "pbj-derived" / "provider_ratings_casemix_2025Q1-2026Q1.csv.gz")
    return [row for row in rows if row["CY_Qtr"] == "2025Q3"]


def reported_2026_02() -> dict[str, dict[str, str]]:
    """Reported hours (three decimals), turnover and administrators by CCN; California is not in it."""
    return {row["ccn"]: row for row in read(REAL / "2026-02-derived" / "facility_summary.csv.gz")}


def no_rn_days_2025q3() -> dict[str, int]:
    """Days without RN hours by CCN."""
    rows = read(REAL / "pbj-derived" / "staffing_compliance_summary.csv.gz")
    return {row["ccn"]: int(row["rn_0_days_count"]) for row in rows if row["quarter"] == "CY2025Q3"}


def national_case_mix() -> dict[str, Decimal]:
    """Mean of each case-mix column over all homes that have it (14,173), joined or not."""
    found = {}
    for name, col in CASE_MIX.items():
        values = [Decimal(row[col]) for row in rated_2025q3() if row[col]]
        found[name] = rounded(sum(values, Decimal(0)) / len(values), "0.00001")
    return found


def national_homes() -> Iterator[Home]:
    """Homes of both sources with a star, reported hours, weekend hours and case mix."""
    reported, nation, no_rn = reported_2026_02(), national_case_mix(), no_rn_days_2025q3()
    for row in rated_2025q3():
        hours = reported.get(row["ccn"])
        if hours is None or not (row["staffing_rating"] and row[CASE_MIX["total"]]):
            continue
        parts = [hours[f"reported_{c}_hprd"] for c in ("rn", "lpn", "na")]
        weekend = hours["reported_weekend_total_hprd"]
        if not (all(parts) and weekend):
            continue
        rn_ratio = nation["rn"] / Decimal(row[CASE_MIX["rn"]])
        ratio = nation["total"] / Decimal(row[CASE_MIX["total"]])
        half = Decimal("0.0005")
        yield Home(
            ccn=row["ccn"],
            star=int(row["staffing_rating"]),
            levels={
                TOTAL: sum(map(Decimal, parts), Decimal(0)) * ratio,
                RN: Decimal(parts[0]) * rn_ratio,
                WEEKEND: Decimal(weekend) * ratio,  # national / own weekend case mix is the total ratio: both are 0.8865 x total
            },
            turnover={TOTAL_TURNOVER: number(hours["total_turnover"]), RN_TURNOVER: number(hours["rn_turnover"])},
            administrators=int(Decimal(hours["administrators_left"])) if hours["administrators_left"] else None,
            no_rn_days=no_rn.get(row["ccn"]),
            slack={TOTAL: 3 * half * ratio, RN: half * rn_ratio, WEEKEND: half * ratio},
        )


def agreement(scored: Iterable[Scored]) -> dict[str, tuple[int, int]]:
    """(agree, homes) with all six measures and with blanks."""
    count: Counter[tuple[bool, bool]] = Counter((s.home.has_all_six, s.agrees) for s in scored)
    return {name: (count[six, True], count[six, True] + count[six, False]) for name, six in (("six", True), ("blanks", False))}


def reason(scored: Scored) -> str:
    """Why a star that was not found may differ."""
    if not scored.home.has_all_six:
        blank = [m for m, v in scored.home.turnover.items() if v is None]
        if scored.home.administrators is None:
            blank.append(ADMINISTRATORS)
        return "blank " + ", ".join(blank)
    if scored.is_open:
        return "open: rounding of the published values straddles a threshold"
    if scored.home.star == 1:
        return "one star published: a one-star rule whose footnote this source has not"
    return "contradiction"


# One home, day by day.

GROUPS = {
    "rn": ("Hrs_RNDON", "Hrs_RNadmin", "Hrs_RN"),
    "lpn": ("Hrs_LPNadmin", "Hrs_LPN"),
    "na": ("Hrs_CNA", "Hrs_NAtrn", "Hrs_MedAide"),
}
MONTHLY = {
    "na": "reported_na_hrs_per_resident_per_day",
    "lpn": "reported_lpn_hrs_per_resident_per_day",
    "rn": "reported_rn_hrs_per_resident_per_day",
    "total": "reported_total_nurse_hrs_per_resident_per_day",
    "weekend_total": "weekend_total_nurse_hrs_per_resident_per_day",
    "weekend_rn": "weekend_rn_hrs_per_resident_per_day",
}


def daily_335513() -> list[dict[str, str]]:
    return read(REAL / "pbj-daily" / "facility_335513_daily_2017Q1-2025Q3.csv")


def monthly_335513() -> list[dict[str, str]]:
    return read(REAL / "pbj-daily" / "facility_335513_provider_info_monthly.csv")


def group_hours(row: dict[str, str], group: str) -> Decimal:
    """Hours of a staff group on a day. A second `Hrs_RNDON` (2017Q2) holds the medication aides."""
    return sum((Decimal(row[c]) for c in GROUPS[group] if row[c]), Decimal(0))


def reported_levels(days: list[dict[str, str]]) -> dict[str, Decimal]:
    """Methodology 1.3: sum of hours over sum of residents, days with residents, five decimals."""
    days = [row for row in days if int(row["MDScensus"]) > 0]
    weekend = [row for row in days if date.fromisoformat(row["WorkDate"]).weekday() >= 5]

    def ratio(rows: list[dict[str, str]], groups: Iterable[str]) -> Decimal:
        hours = sum((group_hours(row, g) for row in rows for g in groups), Decimal(0))
        return rounded(hours / sum(int(row["MDScensus"]) for row in rows), "0.00001")

    return {
        **{group: ratio(days, [group]) for group in GROUPS},
        "total": ratio(days, GROUPS),
        "weekend_total": ratio(weekend, GROUPS),
        "weekend_rn": ratio(weekend, ["rn"]),
    }


def monthly_differences() -> Iterator[tuple[str, str, dict[str, tuple[Decimal, Decimal]], bool]]:
    """(release date, quarter, {item: (published, from daily rows)} of every item, whether weekend items were published)."""
    by_quarter: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in daily_335513():
        by_quarter[row["CY_Qtr"]].append(row)
    levels = {quarter: reported_levels(rows) for quarter, rows in by_quarter.items()}
    for row in monthly_335513():
        label = row["quarter"].split()
        quarter = label[1] + label[0] if label else ""
        if quarter in levels:
            items = {item: (Decimal(row[c]), levels[quarter][item]) for item, c in MONTHLY.items() if row[c]}
            if items:
                yield row["processing_date"], quarter, items, "weekend_total" in items
