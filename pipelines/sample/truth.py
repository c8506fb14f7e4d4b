"""What must hold of a home, in plain Python from its rows and the rulings: no SQL, nothing of the product but its rules."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from pipelines.sample import rules
from pipelines.sample.home import ADMINISTRATOR, GROUPS, NATION_INDEX, Home, case_mix
from pipelines.sample.rules import half_up
from pipelines.sample.window import Window

MEASURES = {"total_nurse": GROUPS["total_nurse"], "rn": GROUPS["rn"], "administrator": (ADMINISTRATOR,)}
COMPONENT = {"total_nurse": "total_nurse_turnover_pct", "rn": "rn_turnover_pct", "administrator": "administrator_departures"}
LEVEL_COMPONENT = {
    "total_nurse": "adjusted_total_nurse_hprd",
    "rn": "adjusted_rn_hprd",
    "weekend_total_nurse": "adjusted_weekend_total_nurse_hprd",
}
LEVELS = ("rn", "lpn", "nurse_aide", "total_nurse", "weekend_total_nurse", "weekend_rn")
FORCES_ONE_STAR = {"23": "no_submission", "24": "no_rn_days", "25": "not_validated"}


@dataclass(frozen=True)
class Spell:
    """A run of work: day numbers of its first and last workday, and whether a gap of the full length follows."""

    first: int
    last: int
    ended: bool


@dataclass
class Turnover:
    """Turnover of a home in one measure; `exclusions` in the order in which the first one counts."""

    eligible: int = 0
    departures: int = 0
    exclusions: list[str] = field(default_factory=list)

    @property
    def pct(self) -> Fraction | None:
        """Departures per 100 eligible spells, None where excluded or nobody is eligible."""
        return None if self.exclusions or not self.eligible else Fraction(100 * self.departures, self.eligible)


@dataclass
class Truth:
    """Everything that must hold of one home."""

    turnover: dict[str, Turnover] = field(default_factory=dict)
    reported: dict[str, Fraction | None] = field(default_factory=dict)
    adjusted: dict[str, Fraction | None] = field(default_factory=dict)
    level_exclusion: dict[str, str] = field(default_factory=dict)
    zero_rn_days: int | None = None
    points: dict[str, int | None] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    score: int | None = None
    star: int | None = None
    status: str = "rated"
    reason: str = ""


def spells(workdays: list[int], gap: int, end: int) -> list[Spell]:
    """Spells of one person; `end` is the first day number that nobody can see (R1, R8)."""
    found: list[Spell] = []
    first = last = workdays[0]
    for day in workdays[1:]:
        if day - last - 1 >= gap:
            found.append(Spell(first, last, True))
            first = day
        last = day
    found.append(Spell(first, last, end - last - 1 >= gap))
    return found


def hours_by_person(home: Home, codes: tuple[int, ...]) -> dict[int, dict[int, int]]:
    """Hundredths of hours by person and day in the given codes; days of zero hours are not there (R2, R3)."""
    found: dict[int, dict[int, int]] = defaultdict(dict)
    rows = home.rows.where(np.isin(home.rows.code, codes) & (home.rows.cents > 0))
    for day, person, cents in zip(rows.day.tolist(), rows.person.tolist(), rows.cents.tolist(), strict=True):
        days = found[person]
        days[day] = days.get(day, 0) + cents
    return found


def turnover(home: Home, window: Window) -> dict[str, Turnover]:
    """Turnover of the three measures with every exclusion that applies (methodology 2.8)."""
    gap = rules.gap_days(window.release)
    found = {}
    qualified: dict[str, list[Spell]] = {}
    for measure, codes in MEASURES.items():
        qualified[measure] = []
        for hours in hours_by_person(home, codes).values():
            for spell in spells(sorted(hours), gap, window.days):
                worked = sum(cents for day, cents in hours.items() if spell.first <= day < spell.first + 90)
                if spell.first < window.starts[3] and worked >= 12000:
                    qualified[measure].append(spell)
        counted = [s for s in qualified[measure] if not (s.ended and s.last < window.starts[1])]
        departed = [s for s in counted if s.ended and window.starts[1] <= s.last < window.starts[5]]
        found[measure] = Turnover(len(counted), len(departed))
    _exclude(home, window, found, qualified["total_nurse"])
    return found


def _exclude(home: Home, window: Window, found: dict[str, Turnover], nurses: list[Spell]) -> None:
    missing = bool(home.absent_daily | home.absent_employee)
    few = found["total_nurse"].eligible < 5
    full = not home.absent_employee and full_daily_turnover(nurses, window)
    for measure, result in found.items():
        if missing:
            result.exclusions.append("missing_quarter")
        if home.incomplete - home.absent_daily:
            result.exclusions.append("incomplete_quarter")
        if measure == "administrator":
            if not result.eligible:
                result.exclusions.append("no_eligible_administrator")
            result.exclusions += _administrator_exclusions(home, window)
            continue
        if few:
            result.exclusions.append("few_eligible_nurses")
        if full:
            result.exclusions.append("full_daily_turnover")
        if measure == "rn" and not result.eligible:
            result.exclusions.append("no_eligible_rns")


def full_daily_turnover(nurses: list[Spell], window: Window) -> bool:
    """R9: on some day of Q0..Q4 five or more eligible spells are in progress and each of them ends that day."""
    for day in {s.last for s in nurses if s.ended and s.last < window.starts[5]}:
        at_work = [s for s in nurses if s.first <= day <= s.last]
        if len(at_work) >= 5 and all(s.ended and s.last == day for s in at_work):
            return True
    return False


def _administrator_exclusions(home: Home, window: Window) -> list[str]:
    people: dict[int, set[int]] = defaultdict(set)
    for person, hours in hours_by_person(home, (ADMINISTRATOR,)).items():
        for day in hours:
            people[day].add(person)
    found = []
    quarters = [k for k in range(6) if k not in home.absent_employee]
    if any(not any(day in people for day in window.span(k)) for k in quarters):
        found.append("no_administrator_data")
    limit = rules.crowd(window.release)
    spans = [window.span(k) for k in range(6)] if limit.single_quarter else [range(window.starts[3])]
    crowded = any(sum(len(people.get(day, ())) >= limit.people for day in span) >= limit.days for span in spans)
    return [*found, "too_many_administrators"] if crowded else found


def levels(home: Home, window: Window, found: Truth) -> None:
    """Hours per resident day of the quarter that is shown, their exclusions and adjusted values (methodology 1.3-1.6)."""
    if window.level in home.absent_daily:
        found.reported = dict.fromkeys(LEVELS)
        found.adjusted = dict.fromkeys(LEVELS)
        found.level_exclusion = dict.fromkeys(LEVELS, "missing_quarter")
        return
    days = [day for day in window.levels if home.census[day] > 0]
    weekend = [day for day in days if window.weekday(day) >= 5]
    blank = set(home.blank_cells)
    by_code = home.daily.sum(axis=2)

    def ratio(codes: tuple[int, ...], over: list[int]) -> Fraction | None:
        residents = int(sum(home.census[day] for day in over))
        if not residents or any((day, code) in blank for day in over for code in codes):
            return None
        return Fraction(int(by_code[over][:, [c - 5 for c in codes]].sum()), 100 * residents)

    for group, codes in GROUPS.items():
        found.reported[group] = ratio(codes, days)
    found.reported["weekend_total_nurse"] = ratio(GROUPS["total_nurse"], weekend)
    found.reported["weekend_rn"] = ratio(GROUPS["rn"], weekend)
    no_rn = [d for d in days if not by_code[d, 0:3].any() and not any((d, c) in blank for c in GROUPS["rn"])]
    found.zero_rn_days = len(no_rn)
    whole = _whole_home_exclusion(found.reported, ratio(GROUPS["nurse_aide"], weekend), bool(days))
    for measure in LEVELS:
        value = found.reported[measure]
        word = whole or ("missing_hours" if value is None else "")
        found.level_exclusion[measure] = word
        found.adjusted[measure] = (
            None if word or measure == "weekend_rn" else adjusted(value, measure, home.index, window.release)
        )


def _whole_home_exclusion(reported: dict[str, Fraction | None], weekend_aide: Fraction | None, any_residents: bool) -> str:
    if not any_residents:
        return "no_resident_days"
    totals = [reported["total_nurse"], reported["weekend_total_nurse"]]
    if any(value == 0 for value in totals):
        return "zero_hours"
    if any(value is not None and value > 12 for value in totals):
        return "over_12_hprd"
    if any(value is not None and value > Fraction(21, 4) for value in (reported["nurse_aide"], weekend_aide)):
        return "aide_over_5_25_hprd"
    return ""


def adjusted(reported: Fraction | None, measure: str, index: int, release: str) -> Fraction | None:
    """Reported over case mix times the nation's case mix, both as printed, unrounded."""
    if reported is None:
        return None
    group = rules.weekend_case_mix(release) if measure == "weekend_total_nurse" else measure
    return reported / case_mix(group, index) * case_mix(group, NATION_INDEX)


def is_plain(reported: Fraction, measure: str, index: int, release: str) -> bool:
    """Whether the value earns the same points however it is read: exact, from five printed decimals, or printed adjusted."""
    exact = adjusted(reported, measure, index, release)
    printed = adjusted(half_up(reported, 5), measure, index, release)
    assert exact is not None and printed is not None
    return half_up(exact, 3) == half_up(printed, 3) == half_up(half_up(exact, 5), 3)


def staffing(home: Home, window: Window, found: Truth) -> None:
    """Points, score, star and what shaped it (methodology 3; R12, R22, R25)."""
    release = window.release
    for measure, component in LEVEL_COMPONENT.items():
        value = found.adjusted[measure]
        known = value is not None and home.staffing_footnote not in ("2", "23", "25")
        found.points[component] = rules.points_of(release, component, half_up(value, 3)) if value is not None and known else None
        found.reasons[component] = found.level_exclusion[measure]
    for measure, component in COMPONENT.items():
        result = found.turnover[measure]
        word = result.exclusions[0] if result.exclusions else ""
        found.reasons[component] = word
        if word:
            least = rules.ends_of(release, component)[0]
            found.points[component] = least if word in rules.earns_minimum(release) else None
        elif measure == "administrator":
            found.points[component] = rules.points_of(release, component, Fraction(result.departures))
        else:
            assert result.pct is not None
            found.points[component] = rules.points_of(release, component, half_up(result.pct, 3))
    valid = all(found.points[component] is not None for component in LEVEL_COMPONENT.values())
    if valid:
        earned = {c: p for c, p in found.points.items() if p is not None}
        most = {component: rules.ends_of(release, component)[1] for component in found.points}
        share = Fraction(sum(earned.values()), sum(most[component] for component in earned))
        found.score = int(half_up(share * sum(most.values()), 0))
    _rate(home, found, valid, release)


def _rate(home: Home, found: Truth, valid: bool, release: str) -> None:
    if home.focus == "SFF":
        found.status = "special_focus"
    elif home.staffing_footnote == "1":
        found.status = "too_new"
    elif home.staffing_footnote in FORCES_ONE_STAR:
        found.star, found.reason = 1, FORCES_ONE_STAR[home.staffing_footnote]
    elif found.zero_rn_days is not None and found.zero_rn_days >= 4:
        found.star, found.reason = 1, "no_rn_days"
    elif not valid:
        found.status = next(w for m in LEVEL_COMPONENT for w in [found.level_exclusion[m]] if w)
    else:
        assert found.score is not None
        found.star = 1 + sum(found.score >= threshold for threshold in rules.star_scores("staffing", release))


def truth_of(home: Home, window: Window, known: Truth | None = None) -> Truth:
    """Everything that must hold of a settled home; the turnover of `known` is taken over."""
    found = Truth(turnover=known.turnover if known else turnover(home, window))
    levels(home, window, found)
    staffing(home, window, found)
    return found
