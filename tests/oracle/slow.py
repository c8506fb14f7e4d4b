"""Turnover of nursing homes computed slowly and plainly, to hold the SQL against (methodology 2, rulings R1-R9 and R24).

Nothing of `sql/` or `pipelines/` is used: one loop a rule, dates as dates, hours as Decimal.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import NamedTuple

RULES = Path(__file__).resolve().parents[2] / "data" / "rules"
OWN_CODES = {"total_nurse": range(5, 13), "rn": range(5, 8), "administrator": range(1, 2)}
FEWEST_NURSES = 5  # eligible nurses a home needs (methodology 2.8), also those of the 100% day (R9)
CROWD = 5  # people with administrator hours on one day
ONE_DAY = timedelta(days=1)


class Row(NamedTuple):
    """A row of the employee file."""

    ccn: str
    employee_id: int
    day: date
    job_code: int
    is_contract: bool
    hours: Decimal


@dataclass(frozen=True)
class Case:
    """A release with the rows of its six quarters, and which home is in which file of which quarter."""

    release: str
    quarters: tuple[str, ...]
    rows: tuple[Row, ...]
    in_daily: frozenset[tuple[str, str]]
    in_employee: frozenset[tuple[str, str]]

    @property
    def homes(self) -> list[str]:
        """Every home of either file."""
        return sorted({row.ccn for row in self.rows} | {ccn for ccn, _ in self.in_daily | self.in_employee})

    def first_day(self, k: int) -> date:
        """First day of Qk."""
        return quarter_days(self.quarters[k])[0]

    def last_day(self, k: int) -> date:
        """Last day of Qk."""
        return quarter_days(self.quarters[k])[1]


class Spell(NamedTuple):
    """Workdays of one person without a gap that ends them."""

    ccn: str
    employee_id: int
    measure: str
    first_workday: date
    last_workday: date
    hours_first_90_days: Decimal | None  # the hours that decide; None where no 90-day period may begin (any_workday only)
    qualifies: bool  # R3-R5
    gap_follows: bool
    eligible: bool  # in the denominator
    departed: bool  # in the numerator


@dataclass(frozen=True)
class HomeTurnover:
    """Turnover of one home and measure. The percentage is given even where an exclusion applies."""

    eligible_spells: int
    departures: int
    turnover_pct: Decimal | None
    exclusions: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """Spells in the order of their key, turnover by (ccn, measure), the 100% days by ccn."""

    spells: list[Spell]
    homes: dict[tuple[str, str], HomeTurnover]
    full_days: dict[str, list[date]] = field(default_factory=dict)


def definition(name: str, release: str) -> dict[str, str]:
    """The row of `turnover_definitions.csv` that is in force in a release."""
    with (RULES / "turnover_definitions.csv").open(newline="") as lines:
        for row in csv.DictReader(lines):
            if row["definition"] == name and row["effective_from"] <= release <= (row["effective_to"] or "9999-12"):
                return row
    raise KeyError(f"{name} is not defined in {release}")


def window(release: str) -> tuple[str, ...]:
    """Q0..Q5 of a release."""
    with (RULES / "releases.csv").open(newline="") as lines:
        for row in csv.DictReader(lines):
            if row["release"] == release:
                return tuple(row[f"q{k}"] for k in range(6))
    raise KeyError(release)


def quarter_days(quarter: str) -> tuple[date, date]:
    """First and last day of a quarter written like 2024Q1."""
    year, number = int(quarter[:4]), int(quarter[5])
    following = date(year + 1, 1, 1) if number == 4 else date(year, 3 * number + 1, 1)
    return date(year, 3 * number - 2, 1), following - ONE_DAY


def turnover(case: Case, rule: dict[str, str]) -> Result:
    """Spells and turnover of every home under one definition."""
    by_person: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in case.rows:
        by_person[row.ccn, row.employee_id].append(row)
    spells = [
        spell
        for (ccn, employee_id), rows in sorted(by_person.items())
        for measure in sorted(OWN_CODES)
        for spell in spells_of(case, rule, ccn, employee_id, measure, rows)
    ]
    whole = [ccn for ccn in case.homes if all((ccn, q) in case.in_employee for q in case.quarters)]
    full_days = {ccn: days for ccn in whole if (days := full_days_of(case, [s for s in spells if s.ccn == ccn]))}
    homes = {}
    for ccn in case.homes:
        eligible = {m: [s for s in spells if s.ccn == ccn and s.measure == m and s.eligible] for m in OWN_CODES}
        for measure in OWN_CODES:
            departures = sum(s.departed for s in eligible[measure])
            homes[ccn, measure] = HomeTurnover(
                eligible_spells=len(eligible[measure]),
                departures=departures,
                turnover_pct=None if measure == "administrator" else percentage(departures, len(eligible[measure])),
                exclusions=exclusions_of(case, ccn, measure, {m: len(found) for m, found in eligible.items()}, ccn in full_days),
            )
    return Result(spells, homes, full_days)


def percentage(departures: int, eligible: int) -> Decimal | None:
    """R10: three decimals, half up."""
    if eligible == 0:
        return None
    return (Decimal(100 * departures) / eligible).quantize(Decimal("0.001"), ROUND_HALF_UP)


def ends_a_spell(gap: int, rule: dict[str, str]) -> bool:
    """R1: whether so many whole days without work end a spell."""
    return gap >= int(rule["gap_days"]) if rule["gap_test"] == "at_least" else gap > int(rule["gap_days"])


def spells_of(case: Case, rule: dict[str, str], ccn: str, employee_id: int, measure: str, rows: list[Row]) -> list[Spell]:
    """The spells of one person in one staff group."""
    own_hours: dict[date, Decimal] = defaultdict(Decimal)
    any_hours: dict[date, Decimal] = defaultdict(Decimal)
    for row in rows:
        any_hours[row.day] += row.hours
        if row.job_code in OWN_CODES[measure]:
            own_hours[row.day] += row.hours
    own_days = {day for day, hours in own_hours.items() if hours > 0}
    any_days = {day for day, hours in any_hours.items() if hours > 0}
    counted = own_hours if rule["hours_basis"] == "own" else any_hours

    stretches: list[list[date]] = []
    for day in sorted(own_days if rule["day_basis"] == "own" else any_days):
        if stretches and not ends_a_spell((day - stretches[-1][-1]).days - 1, rule):
            stretches[-1].append(day)
        else:
            stretches.append([day])

    found = []
    for k, days in enumerate(stretches):
        if not own_days.intersection(days):
            continue  # a stretch in other jobs only
        next_day = stretches[k + 1][0] if k + 1 < len(stretches) else case.last_day(5) + ONE_DAY
        found.append(judge(case, rule, (ccn, employee_id, measure), days, next_day, counted))
    return found


def judge(
    case: Case, rule: dict[str, str], key: tuple[str, int, str], days: list[date], next_day: date, counted: dict[date, Decimal]
) -> Spell:
    """One spell: whether it qualifies, ends, counts. `next_day` is the next workday or the day after the window (R8)."""
    first, last = days[0], days[-1]
    latest_start = case.last_day(int(rule["starts_through"].removeprefix("q")))

    def hours_from(begin: date) -> Decimal:
        end = begin + timedelta(days=int(rule["hours_window_days"]))
        in_scope = [d for d in counted if begin <= d < end and (rule["hours_scope"] == "all" or first <= d <= last)]
        return sum((counted[d] for d in in_scope), Decimal(0))

    if rule["eligibility_period"] == "first_workday":
        hours: Decimal | None = hours_from(first)
    elif first <= latest_start and hours_from(first) >= Decimal(rule["hours_needed"]):
        hours = hours_from(first)  # the first period suffices; no other is looked for
    else:
        hours = max((hours_from(d) for d in days if d <= latest_start), default=None)
    qualifies = first <= latest_start and hours is not None and hours >= Decimal(rule["hours_needed"])

    gap_follows = ends_a_spell((next_day - last).days - 1, rule)
    end_date = last if rule["departure_test"] == "last_workday" else last + ONE_DAY
    ended_in_q0 = gap_follows and end_date <= case.last_day(0)
    eligible = qualifies and not (ended_in_q0 and rule["ended_in_q0"] == "left_out")
    departed = eligible and gap_follows and case.first_day(1) <= end_date <= case.last_day(4)
    return Spell(*key, first, last, hours, qualifies, gap_follows, eligible, departed)


def full_days_of(case: Case, spells: list[Spell]) -> list[date]:
    """R9: days of Q0..Q4 on which five or more qualifying nurse spells are in progress and every one of them ends."""
    nurses = [s for s in spells if s.measure == "total_nurse" and s.qualifies]
    found = []
    for day in sorted({s.last_workday for s in nurses}):
        at_work = [s for s in nurses if s.first_workday <= day <= s.last_workday]
        all_leave = all(s.last_workday == day and s.gap_follows for s in at_work)
        if day <= case.last_day(4) and len(at_work) >= FEWEST_NURSES and all_leave:
            found.append(day)
    return found


def exclusions_of(case: Case, ccn: str, measure: str, eligible: dict[str, int], has_full_day: bool) -> tuple[str, ...]:
    """Every exclusion of methodology 2.8 that applies to the measure, by name."""
    found = []
    if any((ccn, q) not in case.in_daily or (ccn, q) not in case.in_employee for q in case.quarters):
        found.append("missing_quarter")
    if measure != "administrator":
        if eligible["total_nurse"] < FEWEST_NURSES:
            found.append("few_eligible_nurses")
        if has_full_day:
            found.append("full_daily_turnover")
    if measure == "rn" and eligible["rn"] == 0:
        found.append("no_eligible_rns")
    if measure == "administrator":
        if eligible["administrator"] == 0:
            found.append("no_eligible_administrator")
        people: dict[date, set[int]] = defaultdict(set)
        for row in case.rows:
            if row.ccn == ccn and row.job_code == 1 and row.hours > 0:
                people[row.day].add(row.employee_id)
        days_of = {q: [d for d in people if quarter_days(q)[0] <= d <= quarter_days(q)[1]] for q in case.quarters}
        # A quarter without the home in the employee file is a missing quarter, not one without administrators.
        if any(not days_of[q] for q in case.quarters if (ccn, q) in case.in_employee):
            found.append("no_administrator_data")
        crowded = [sum(len(people[d]) >= CROWD for d in days_of[q]) for q in case.quarters]
        if (sum(crowded[:3]) >= 12) if case.release < "2023-07" else (max(crowded) >= 4):
            found.append("too_many_administrators")
    return tuple(sorted(found))
