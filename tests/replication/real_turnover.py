"""What CMS's turnover of one real home can be, given its employee rows summed by person, job code and quarter.

Days are known only as a count with two to four dates, so a person has a set of possible outcomes (eligible spells, departures).
The set found here holds every outcome that some choice of days gives (and may hold a few that none does); the sums over people
then hold every pair that the home can have under a definition. A published pair outside disproves the definition.

Needs a gap that no quarter can hide within itself: 90 days or more.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path

from tests.oracle.slow import OWN_CODES, quarter_days, window

REAL = Path(__file__).resolve().parents[3] / "shared" / "real"
PERSON_QUARTERS = REAL / "pbj-employee" / "ccn_335513_person_quarters.csv"
LONGEST_DAY = 24  # hours a person can work on a day in one job
NO, OPEN, YES = 0, 1, 2  # whether a spell has its 120 hours

Pairs = frozenset[tuple[int, int]]

# Published for CCN 335513 (pbj-employee/README.md): release -> total nurse, RN, administrators.
PUBLISHED: dict[str, dict[str, str]] = {
    "2025-02": {"total_nurse": "29.8", "rn": "55.6"},
    "2025-04": {"total_nurse": "27.6", "rn": "67.9"},
    "2025-07": {"total_nurse": "26.829", "rn": "56.667"},
    "2025-10": {"total_nurse": "27.7", "rn": "48.5"},
    "2026-01": {"total_nurse": "27.3", "rn": "44.8", "administrator": "2"},
}
FRACTIONS = {
    "2025-02": {"rn": (27, 15)},
    "2025-04": {"rn": (28, 19)},
    "2025-07": {"rn": (30, 17), "total_nurse": (246, 66)},
    "2025-10": {"rn": (33, 16)},
    "2026-01": {"rn": (29, 13)},
}


@dataclass(frozen=True)
class CodeQuarter:
    """One person in one job code and quarter."""

    days: int
    hours: Decimal
    first: date  # no day worked in the quarter lies before
    last: date  # nor after
    known: frozenset[date]
    shortest: date  # the day with fewest hours, which are no more than the mean
    longest: date  # the day with most hours, which are no less

    def bounds(self, begin: date, end: date) -> tuple[Decimal, Decimal]:
        """Fewest and most hours that can fall in begin..end."""
        room_in = max(0, (min(end, self.last) - max(begin, self.first)).days + 1)
        room_out = (self.last - self.first).days + 1 - room_in
        known_in = sum(begin <= d <= end for d in self.known)
        most_in = min(self.days - (len(self.known) - known_in), room_in)
        most_out = min(self.days - known_in, room_out)
        low = max(Decimal(0), self.hours - LONGEST_DAY * most_out)
        high = min(self.hours, Decimal(LONGEST_DAY * most_in))
        mean = self.hours / self.days
        if begin <= self.shortest <= end:
            high = min(high, mean + LONGEST_DAY * (most_in - 1))
        else:
            low = max(low, self.hours - mean - LONGEST_DAY * (most_out - 1))
        if begin <= self.longest <= end:
            low = max(low, mean)
        elif self.days > 1:
            high = min(high, self.hours - mean)
        return low, max(high, Decimal(0))


@dataclass(frozen=True)
class PersonQuarter:
    """One person in one quarter over the job codes of a measure."""

    index: int  # 0..5 in the window
    codes: tuple[CodeQuarter, ...]

    @property
    def known(self) -> frozenset[date]:
        return frozenset().union(*(c.known for c in self.codes))

    @property
    def fewest_days(self) -> int:
        return max(len(self.known), *(c.days for c in self.codes))

    @property
    def all_known(self) -> bool:
        """Whether the known days are all the days worked."""
        return sum(c.days for c in self.codes) == len(self.known)

    @property
    def earliest(self) -> date:
        return min(self.known) if self.all_known else min(c.first for c in self.codes)

    @property
    def latest(self) -> date:
        return max(self.known) if self.all_known else max(c.last for c in self.codes)

    @property
    def earliest_last(self) -> date:
        """The last workday of the quarter is this day or later."""
        return self.last_from(self.earliest)

    def last_from(self, first: date) -> date:
        """The earliest last workday where the first is `first`."""
        return max(max(self.known), first + timedelta(days=self.fewest_days - 1))

    @property
    def firsts(self) -> list[date]:
        """Days that can be the first workday of the quarter."""
        latest_first = min(min(self.known), self.latest - timedelta(days=self.fewest_days - 1))
        return [self.earliest + timedelta(days=k) for k in range((latest_first - self.earliest).days + 1)]

    @property
    def must_be_one_stretch(self) -> bool:
        """Whether no gap of 90 days fits inside the quarter."""
        return (
            (self.latest - self.earliest).days - 1 < 90
            or self.fewest_days > 2
            or len(self.known - {self.earliest, self.latest}) > 0
        )


@cache
def person_quarters() -> dict[int, dict[str, list[tuple[int, CodeQuarter]]]]:
    """employee id -> quarter -> (job code, what is known)."""
    found: dict[int, dict[str, list[tuple[int, CodeQuarter]]]] = defaultdict(lambda: defaultdict(list))
    with PERSON_QUARTERS.open(newline="") as lines:
        for row in csv.DictReader(lines):
            begin, end = quarter_days(row["quarter"])
            ever = [date.fromisoformat(row[c]) for c in ("first_work_date_ever", "last_work_date_ever")]
            dates = [*ever, *(date.fromisoformat(row[c]) for c in ("min_hours_work_date", "max_hours_work_date"))]
            known = frozenset(d for d in dates if begin <= d <= end)
            first, last = max(begin, ever[0]), min(end, ever[1])
            code = CodeQuarter(int(row["work_days"]), Decimal(row["total_hours"]), first, last, known, *dates[2:])
            assert code.hours > 0 and len(known) <= code.days <= (code.last - code.first).days + 1, row
            found[int(row["sys_employee_id"])][row["quarter"]].append((int(row["job_code"]), code))
    return found


def feasible(release: str, measure: str, rule: dict[str, str]) -> Pairs:
    """Every pair (eligible spells, departures) that the home can have."""
    total: Pairs = frozenset({(0, 0)})
    for outcomes in outcomes_by_person(release, measure, rule).values():
        if outcomes != {(0, 0)}:
            total = frozenset((e + x, d + y) for e, d in total for x, y in outcomes)
    return total


def outcomes_by_person(release: str, measure: str, rule: dict[str, str]) -> dict[int, Pairs]:
    """Per employee id the pairs that he or she can add."""
    quarters = window(release)
    found = {}
    for employee_id, by_quarter in person_quarters().items():
        worked = []
        for index, quarter in enumerate(quarters):
            codes = tuple(code for job, code in by_quarter.get(quarter, []) if job in OWN_CODES[measure])
            if codes:
                worked.append(PersonQuarter(index, codes))
        if worked:
            found[employee_id] = outcomes(worked, quarters, rule)
    return found


def outcomes(worked: list[PersonQuarter], quarters: tuple[str, ...], rule: dict[str, str]) -> Pairs:
    """The possible (eligible spells, departures) of one person.

    Quarter by quarter, keeping for each way so far: whether the running spell has its hours, the earliest and the latest day
    that can be its last workday in the quarter, and what the spells before it add.
    """
    assert int(rule["gap_days"]) >= 90 and rule["departure_test"] == "last_workday" and rule["day_basis"] == "own"
    assert rule["hours_basis"] == "own" and rule["hours_scope"] == "all"
    assert all(q.must_be_one_stretch for q in worked)
    enough = int(rule["gap_days"]) + (rule["gap_test"] == "more_than")
    # (spell has its hours, earliest last workday of the quarter, latest one, pair so far)
    ways = {(hours, q_last, worked[0].latest, (0, 0)) for hours, q_last in starts(worked, 0, quarters, rule, worked[0].earliest)}
    for k in range(1, len(worked)):
        before, now = worked[k - 1], worked[k]
        following = set()
        for hours, low, high, pair in ways:
            if (now.earliest - high).days - 1 < enough:  # the spell can go on
                grown = max(hours, later_hours(worked, k, quarters, rule))
                following.add((grown, now.earliest_last, now.latest, pair))
            for begin in now.firsts:
                if (begin - low).days - 1 >= enough:  # a gap can lie between
                    for ended in close(hours, before.index, True, rule):
                        done = (pair[0] + ended[0], pair[1] + ended[1])
                        for new, q_last in starts(worked, k, quarters, rule, begin):
                            following.add((new, q_last, now.latest, done))
                    break  # a later begin only leaves less room, and its hours are among those of starts()
        ways = following
    end = quarter_days(quarters[5])[1]
    pairs = set()
    for hours, low, high, pair in ways:
        for gap in {(end - low).days >= enough, (end - high).days >= enough}:
            pairs |= {(pair[0] + e, pair[1] + d) for e, d in close(hours, worked[-1].index, gap, rule)}
    return frozenset(pairs)


def close(hours: int, index: int, gap: bool, rule: dict[str, str]) -> list[tuple[int, int]]:
    """What a spell whose last workday is in Q`index` adds, with its hours or without where that is open."""
    counted = (1, int(gap and 1 <= index <= 4))
    if gap and index == 0 and rule["ended_in_q0"] == "left_out":
        counted = (0, 0)
    return {NO: [(0, 0)], YES: [counted], OPEN: sorted({(0, 0), counted})}[hours]


def starts(
    worked: list[PersonQuarter], k: int, quarters: tuple[str, ...], rule: dict[str, str], not_before: date
) -> set[tuple[int, date]]:
    """(has its hours, earliest last workday of the quarter) of the spells that can begin in a quarter on a day or later."""
    found: dict[int, date] = {}
    for begin in worked[k].firsts:
        if begin >= not_before:
            hours = start_hours(worked, k, rule, begin)
            if rule["eligibility_period"] == "any_workday":
                hours = max(hours, later_hours(worked, k, quarters, rule))
            found.setdefault(hours, worked[k].last_from(begin))
    return set(found.items())


def start_hours(worked: list[PersonQuarter], k: int, rule: dict[str, str], begin: date) -> int:
    """Whether the 90 days from a first workday reach the hours: NO, YES or OPEN."""
    if worked[k].index > int(rule["starts_through"][1]):
        return NO
    return reach(worked, begin, worked[k].index, rule)


def later_hours(worked: list[PersonQuarter], k: int, quarters: tuple[str, ...], rule: dict[str, str]) -> int:
    """The same for the 90 days from any workday of the quarter; NO where only the first workday of the spell counts."""
    if rule["eligibility_period"] == "first_workday" or worked[k].index > int(rule["starts_through"][1]):
        return NO
    surest = max(reach(worked, day, worked[k].index, rule, any_begin=True) for day in worked[k].known)
    first = min(reach(worked, day, worked[k].index, rule) for day in worked[k].firsts)
    # The first workday of the quarter's last 90 days begins a period that holds all work of those days.
    last_days = quarter_days(quarters[worked[k].index])[1] - timedelta(days=int(rule["hours_window_days"]) - 1)
    surest = max(surest, reach(worked, last_days, worked[k].index, rule, any_begin=True))
    if YES in (surest, first):
        return YES
    most = sum((c.hours for q in worked if worked[k].index <= q.index <= worked[k].index + 1 for c in q.codes), Decimal(0))
    return OPEN if most >= Decimal(rule["hours_needed"]) else NO


def reach(worked: list[PersonQuarter], begin: date, index: int, rule: dict[str, str], any_begin: bool = False) -> int:
    """Whether the hours of begin..begin+89 reach the limit. Unless `any_begin`, no work of the quarter lies before `begin`."""
    end = begin + timedelta(days=int(rule["hours_window_days"]) - 1)
    low = high = Decimal(0)
    for quarter in worked:
        if index <= quarter.index <= index + 1:
            for code in quarter.codes:
                from_day = begin if any_begin or quarter.index > index else min(begin, code.first)
                a, b = code.bounds(from_day, end)
                low, high = low + a, high + b
    needed = Decimal(rule["hours_needed"])
    return YES if low >= needed else OPEN if high >= needed else NO


def printing_as(pairs: Pairs, published: str) -> Pairs:
    """The pairs whose percentage prints as a published value."""
    value = Decimal(published)
    return frozenset((e, d) for e, d in pairs if e and (Decimal(100 * d) / e).quantize(value, ROUND_HALF_UP) == value)


def span(pairs: Pairs) -> str:
    """Lowest and highest of both numbers, for people to read."""
    eligible, departures = sorted({e for e, _ in pairs}), sorted({d for _, d in pairs})
    return f"{departures[0]}-{departures[-1]} of {eligible[0]}-{eligible[-1]}"
