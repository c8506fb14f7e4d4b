"""The planted homes: one oddity each, the ruling it tests, and what a person counts by hand (eligible spells, departures)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from pipelines.sample.crew import Build, Crew, Finish
from pipelines.sample.measures import Wanted
from pipelines.sample.surveys import History

USUAL = {"total_nurse": (30, 14), "rn": (6, 2), "administrator": (1, 0)}  # of the standard crew


@dataclass(frozen=True)
class Plant:
    """One planted home: what is odd about it, in any month, and what a person counts by hand.

    `counts`, the exclusion words of `also`, status, reason and star are by the rules of July 2024 on; `cycles`, `cited` and `earned` by
    those and the dates of July 2026.
    """

    key: str
    name: str
    state: str
    rule: str
    note: str
    build: Build = lambda crew: None
    finish: Finish | None = None
    residents: int = 0
    usual: bool = True
    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    status: str = "rated"
    reason: str = ""
    star: int | None = None
    inspected: Callable[[date], History] | None = None  # its surveys, given the release day; drawn where there is none
    cycles: tuple[int, int] | None = None  # total scores of both cycles, by hand
    cited: dict[str, tuple[int, str]] = field(default_factory=dict)  # "2025-11-03 F689 standard": points and reason, by hand
    measured: Wanted | None = None  # its quality measures
    earned: dict[str, int | None] = field(default_factory=dict)  # points of measures and domain scores, by hand


def _more(total: tuple[int, int] = (0, 0), rn: tuple[int, int] = (0, 0), administrator: tuple[int, int] = (0, 0)) -> dict:
    """Hand counts: the standard crew's and those of the extra people."""
    extra = {"total_nurse": total, "rn": rn, "administrator": administrator}
    return {m: (USUAL[m][0] + e, USUAL[m][1] + d) for m, (e, d) in extra.items()}


def _gap(days: int) -> Build:
    """An aide who is away for so many whole days in Q2 and comes back in Q3."""

    def build(crew: Crew) -> None:
        last = crew.window.starts[3] - 70
        who = crew.stint(10, 0, last)
        crew.stint(10, last + days + 1, person=who)

    return build


def _second_spell(crew: Crew) -> None:
    q = crew.window.starts
    who = crew.stint(10, 0, q[1] + 5)
    crew.stint(10, q[1] + 5 + 120, q[4] + 20, person=who)


def _until(day: Callable[[tuple[int, ...]], int], code: int = 10) -> Build:
    """An aide who works from the first day to a given one."""

    def build(crew: Crew) -> None:
        crew.stint(code, 0, day(crew.window.starts))

    return build


def _from(days_before_q3: int) -> Build:
    """An aide who starts so many days before Q3 and stays."""

    def build(crew: Crew) -> None:
        crew.stint(10, crew.window.starts[3] - days_before_q3)

    return build


def _hours_in_ninety_days(last_shift: int) -> Build:
    """Fifteen shifts over 85 days from the end of Q2 into Q3, and one on the 91st day, which is too late to count."""

    def build(crew: Crew) -> None:
        first = crew.window.starts[3] - 10
        who = crew.on(10, [first + 6 * k for k in range(14)])
        crew.on(10, [first + 84], person=who, cents=last_shift)
        crew.on(10, [first + 90], person=who)

    return build


def _pooled_rn(crew: Crew) -> None:
    who = crew.person()
    for offset, code in enumerate((5, 6, 7)):
        crew.on(code, range(3 * offset, crew.window.days, 14), person=who)


def _lpn_to_rn(crew: Crew) -> None:
    change = crew.window.starts[2]
    who = crew.stint(9, 0, change - 1)
    crew.stint(7, change, person=who)


def _rn_and_aide(crew: Crew) -> None:
    first = crew.window.starts[1] + 3
    who = crew.on(7, [first + 6 * k for k in range(10)], cents=650)
    crew.on(10, [first + 6 * k for k in range(10)], person=who, cents=600)


def _away_with(code: int, cents: int) -> Build:
    """An aide who is away for 95 days, with rows of another kind on every third of them."""

    def build(crew: Crew) -> None:
        last = crew.window.starts[3] - 70
        who = crew.stint(10, 0, last)
        crew.on(code, range(last + 3, last + 95, 3), person=who, cents=cents)
        crew.stint(10, last + 96, person=who)

    return build


def _contract_and_employee(crew: Crew) -> None:
    who = crew.on(10, range(0, crew.window.days, 14))
    crew.on(10, range(5, crew.window.days, 9), person=who, contract=True)


def few_nurses(crew: Crew) -> None:
    """Four eligible nurses, two of them RNs, and agency staff who come once a week and never count."""
    crew.administrators()
    for code in (7, 7, 9, 10):
        crew.stint(code)
    for k in range(24):
        crew.on((7, 9, 10, 10)[k % 4], range(k % 7, crew.window.days, 7), contract=True)


def _everyone_leaves(left_behind: int) -> Build:
    """On one day of Q3 all nurses but so many work for the last time; others take their places."""

    def build(crew: Crew) -> None:
        crew.administrators()
        day = crew.window.starts[3] + 40
        for k, code in enumerate((5, 6, 7, 7, 7, 7, *(9,) * 6, *(10,) * 18)):
            crew.stint(code, 0, None if k >= 30 - left_behind else day)
            crew.stint(code, day + 1) if k < 30 - left_behind else None

    return build


def _no_eligible_rn(crew: Crew) -> None:
    crew.administrators()
    for code in (*(9,) * 8, *(10,) * 18):
        crew.stint(code)
    for k in range(14):
        crew.on(7, range(k % 7, crew.window.days, 7), contract=True)


def _administrators(*lasts: Callable[[tuple[int, ...]], int]) -> Build:
    def build(crew: Crew) -> None:
        crew.standard()
        crew.administrators(*[last(crew.window.starts) for last in lasts])

    return build


def _administrator_away(crew: Crew) -> None:
    crew.standard()
    q = crew.window.starts
    who = crew.stint(1, 0, q[2] - 3, weekdays=True)
    crew.stint(1, q[3] + 2, person=who, weekdays=True)


def _administrator_weekly(crew: Crew) -> None:
    crew.standard()
    crew.on(1, range(3, crew.window.days, 7))


def _crowd(*quarters_and_days: tuple[int, int]) -> Build:
    """Four more administrators, on so many days of a quarter, beside the one who stays."""

    def build(crew: Crew) -> None:
        for quarter, days in quarters_and_days:
            start = next(
                d for d in crew.window.span(quarter) if d > crew.window.starts[quarter] + 20 and crew.window.weekday(d) == 0
            )
            for _ in range(4):
                crew.on(1, range(start, start + days), cents=400)

    return build


def _ratio(aides: tuple[int, int], rns: tuple[int, int]) -> Build:
    """A home with exactly so many eligible aides and RNs, of whom so many leave."""

    def build(crew: Crew) -> None:
        crew.administrators()
        q = crew.window.starts
        for code, (count, leaving) in ((7, rns), (10, aides)):
            for k in range(count):
                crew.stint(code, 0, q[2] + 12 + 9 * k if k < leaving else None)
                crew.stint(code, q[3] + 1) if k < leaving else None
        for k in range(14):
            crew.on((9, 10)[k % 2], range(k % 7, crew.window.days, 7), contract=True)

    return build


PEOPLE = (
    *(
        Plant(f"gap_{n}", f"PLANT GAP OF {n} DAYS HOME", state, "R1", f"An aide is away for {n} whole days in Q2", _gap(n),
              counts=_more((1, int(n >= 90))))
        for n, state in ((59, "AL"), (60, "AK"), (89, "AZ"), (90, "AR"), (91, "CA"))
    ),
    Plant("second_spell", "PLANT SECOND SPELL HOME", "CO", "2.5", "One aide leaves in Q1, is back in Q2 and leaves again in Q4",
          _second_spell,
          counts=_more((2, 2))),
    Plant("ended_in_q0", "PLANT ENDED IN Q0 HOME", "CT", "R6", "An eligible aide's last workday is in Q0: not counted at all",
          _until(lambda q: q[0] + 60), counts=_more()),
    Plant("last_day_q0", "PLANT LAST DAY OF Q0 HOME", "DE", "R6, R7", "Last workday is the eve of Q1: not counted",
          _until(lambda q: q[1] - 1), counts=_more()),
    Plant("first_day_q1", "PLANT FIRST DAY OF Q1 HOME", "FL", "R7", "Last workday is the first day of Q1: a departure",
          _until(lambda q: q[1]), counts=_more((1, 1))),
    Plant("hours_120", "PLANT EXACTLY 120 HOURS HOME", "GA", "R4, R5",
          "First workday late in Q2, 120.00 hours in 90 days that reach Q3",
          _hours_in_ninety_days(800), counts=_more((1, 1))),
    Plant("hours_119_99", "PLANT 119.99 HOURS HOME", "HI", "R4, R5", "As before with 119.99 hours; the 91st day does not help",
          _hours_in_ninety_days(799), counts=_more()),
    Plant("starts_q3", "PLANT STARTS IN Q3 HOME", "ID", "R5", "First workday is the first day of Q3: too late",
          _from(0), counts=_more()),
    Plant("starts_eve_q3", "PLANT STARTS ON EVE OF Q3 HOME", "IL", "R5", "First workday is the last day of Q2: counts",
          _from(1), counts=_more((1, 0))),
    Plant("leaves_in_q5", "PLANT LEAVES IN Q5 HOME", "IN", "R8", "Last workday is the first day of Q5: not a departure",
          _until(lambda q: q[5]), counts=_more((1, 0))),
    Plant("unresolved", "PLANT GAP NOT RESOLVED HOME", "IA", "R8", "Last workday early in Q5: the gap cannot be seen to its end",
          _until(lambda q: q[5] + 20), counts=_more((1, 0))),
    Plant("last_day_q4", "PLANT LAST DAY OF Q4 HOME", "KS", "R7, R8", "Last workday is the last day of Q4, the gap fills Q5",
          _until(lambda q: q[5] - 1), counts=_more((1, 1))),
    Plant("rn_pooled", "PLANT RN IN THREE CODES HOME", "KY", "R3",
          "At most 56 hours each in codes 5, 6 and 7 are one eligible RN", _pooled_rn,
          counts=_more((1, 0), (1, 0))),
    Plant("lpn_to_rn", "PLANT LPN BECOMES RN HOME", "LA", "R2", "One total-nurse spell and a new RN spell", _lpn_to_rn,
          counts=_more((1, 0), (1, 0))),
    Plant("rn_and_aide", "PLANT RN AND AIDE HOME", "ME", "R2, R3", "65 RN and 60 aide hours: eligible as nurse, not as RN",
          _rn_and_aide,
          counts=_more((1, 1))),
    Plant("no_bridge", "PLANT OTHER CODE IS NO BRIDGE HOME", "MD", "R2",
          "Activities work in the gap does not keep the spell alive",
          _away_with(29, 800), counts=_more((1, 1))),
    Plant("zero_hour_rows", "PLANT ZERO HOUR ROWS HOME", "MA", "R2", "Rows of 0.00 hours in the gap are not days worked",
          _away_with(10, 0), counts=_more((1, 1))),
    Plant("contract_and_employee", "PLANT CONTRACT AND EMPLOYEE HOME", "MI", "R2, 1.1", "Hours of both kinds are one person's",
          _contract_and_employee, counts=_more((1, 0))),
    Plant("few_nurses", "PLANT FEW ELIGIBLE NURSES HOME", "MN", "2.8", "Four eligible nurses, the rest under 120 hours",
          few_nurses,
          usual=False, residents=12, counts={"total_nurse": (4, 0), "rn": (2, 0), "administrator": (1, 0)},
          also=("few_eligible_nurses",)),
    Plant("full_day", "PLANT FULL DAILY TURNOVER HOME", "MS", "R9", "All thirty nurses leave on one day", _everyone_leaves(0),
          usual=False,
          counts={"total_nurse": (30, 30), "rn": (6, 6), "administrator": (1, 0)}, also=("full_daily_turnover",)),
    Plant("full_day_but_one", "PLANT ALL BUT ONE LEAVE HOME", "MO", "R9", "All nurses but one leave on one day: no exclusion",
          _everyone_leaves(1), usual=False, counts={"total_nurse": (30, 29), "rn": (6, 6), "administrator": (1, 0)}),
    Plant("no_eligible_rn", "PLANT NO ELIGIBLE RN HOME", "MT", "R22", "RN hours by agency nurses one day a week each",
          _no_eligible_rn,
          usual=False, residents=40, counts={"total_nurse": (26, 0), "rn": (0, 0), "administrator": (1, 0)},
          also=("no_eligible_rns",)),
    Plant("no_administrator_quarter", "PLANT NO ADMINISTRATOR IN Q2 HOME", "NE", "2.8", "No administrator hours in all of Q2",
          _administrator_away,
          usual=False, counts={"total_nurse": (30, 14), "rn": (6, 2), "administrator": (1, 1)}, also=("no_administrator_data",)),
    Plant("no_eligible_administrator", "PLANT WEEKLY ADMINISTRATOR HOME", "NV", "2.7",
          "Eight hours a week never reach 120 in 90 days",
          _administrator_weekly, usual=False, counts={"total_nurse": (30, 14), "rn": (6, 2), "administrator": (0, 0)},
          also=("no_eligible_administrator",)),
    Plant("crowd", "PLANT TOO MANY ADMINISTRATORS HOME", "NH", "2.8, C46", "Five administrators on four days of one quarter",
          _crowd((3, 4)),
          counts=_more(), also=("too_many_administrators",)),
    Plant("crowd_near", "PLANT NOT TOO MANY ADMINISTRATORS HOME", "NJ", "2.8, C46",
          "Five on three days of one quarter and one of the next",
          _crowd((3, 3), (4, 1)), counts=_more()),
    Plant("administrators_1", "PLANT ONE ADMINISTRATOR LEFT HOME", "NM", "3.1", "One administrator left",
          _administrators(lambda q: q[2] + 30),
          usual=False, counts={"administrator": (2, 1)}),
    Plant("administrators_2", "PLANT TWO ADMINISTRATORS LEFT HOME", "NY", "3.1", "Two administrators left",
          _administrators(lambda q: q[1] + 20, lambda q: q[2] + 60), usual=False, counts={"administrator": (3, 2)}),
    Plant("administrators_3", "PLANT THREE ADMINISTRATORS LEFT HOME", "NC", "3.1", "Three administrators left",
          _administrators(lambda q: q[1] + 1, lambda q: q[1] + 60, lambda q: q[2] + 50), usual=False,
          counts={"administrator": (4, 3)}),
    Plant("turnover_3_of_8", "PLANT THREE OF EIGHT HOME", "ND", "R10", "3/8 = 37.500 ends the band of 45 points; RN 1/3",
          _ratio((5, 2), (3, 1)),
          usual=False, residents=13, counts={"total_nurse": (8, 3), "rn": (3, 1)}),
    Plant("turnover_rn_5_of_12", "PLANT FIVE OF TWELVE RNS HOME", "OH", "R10", "RN 5/12 = 41.667 ends the band of 35 points",
          _ratio((12, 5), (12, 5)), usual=False, residents=36, counts={"total_nurse": (24, 10), "rn": (12, 5)}),
    Plant("turnover_rn_2_of_7", "PLANT TWO OF SEVEN RNS HOME", "OK", "R10",
          "RN 2/7 = 28.571 ends the band of 45 points; total 5/12",
          _ratio((5, 3), (7, 2)), usual=False, residents=20, counts={"total_nurse": (12, 5), "rn": (7, 2)}),
)  # fmt: skip
