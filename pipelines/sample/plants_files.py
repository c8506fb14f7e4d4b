"""The planted homes of the staffing levels, of the one-star rules and of what files do to homes."""

from __future__ import annotations

import numpy as np

from pipelines.sample.crew import Crew, Finish, drop, tune
from pipelines.sample.home import GROUPS, NATION_INDEX, NURSE_CODES, Home, rows_of
from pipelines.sample.measures import Wanted
from pipelines.sample.plants import USUAL, Plant, few_nurses
from pipelines.sample.plants_inspections import one_survey
from pipelines.sample.window import Window

TIE_RESIDENTS = 40


def _aides(home: Home, window: Window) -> np.ndarray:
    """Places of the aide rows on one weekday of Q5."""
    day = next(d for d in window.span(5) if d > window.starts[5] + 30 and window.weekday(d) == 1)
    return np.nonzero((home.rows.code == 10) & (home.rows.day == day))[0]


def _extra_shift(code: int, cents: int, times: int = 1) -> Finish:
    """The first aide of a day works a second shift; `times` 2 repeats the aide's own row instead."""

    def finish(home: Home, window: Window) -> None:
        row = home.rows.where(_aides(home, window)[:1])
        who, day, contract = int(row.person[0]), int(row.day[0]), bool(row.contract[0])
        again = int(row.cents[0]) if times == 2 else cents
        home.rows = home.rows.plus(rows_of(np.array([day]), who, code, contract, again))

    return finish


def _exactly(codes: tuple[int, ...], ten_thousandths: int, weekend: bool = False) -> Finish:
    """Hours of some codes are exactly so many ten-thousandths per resident day, at the nation's case mix."""

    def finish(home: Home, window: Window) -> None:
        days = [d for d in window.levels if not weekend or window.weekday(d) >= 5]
        home.census[window.levels] = TIE_RESIDENTS
        home.index, home.exact = NATION_INDEX, True
        tune(home, codes, days, ten_thousandths * TIE_RESIDENTS * len(days) // 100)

    return finish


def _aide_exactly_5_25(home: Home, window: Window) -> None:
    _exactly(GROUPS["nurse_aide"], 50000, weekend=True)(home, window)
    weekdays = [d for d in window.levels if window.weekday(d) < 5]
    whole, ends = len(window.levels), len(window.levels) - len(weekdays)
    tune(home, GROUPS["nurse_aide"], weekdays, (52500 * whole - 50000 * ends) * TIE_RESIDENTS // 100)


def _one_point_short(home: Home, window: Window) -> None:
    """50 + 50 + 20 points of levels and 30 of the administrator: 150 of 280, scaled 203.57, so 204 of the 205 for three stars."""
    residents, others = 12, tuple(code for code in NURSE_CODES if code not in GROUPS["rn"])
    days = list(window.levels)
    weekend = [d for d in days if window.weekday(d) >= 5]
    home.census[days] = residents
    home.index, home.exact = NATION_INDEX, True
    tune(home, GROUPS["rn"], days, 55 * residents * len(days))
    rn = home.rows.where(np.isin(home.rows.code, GROUPS["rn"]) & np.isin(home.rows.day, weekend)).cents.sum()
    on_weekends = 295 * residents * len(weekend)
    tune(home, others, weekend, int(on_weekends - rn))
    rest = 360 * residents * len(days) - 55 * residents * len(days) - int(on_weekends - rn)
    tune(home, others, [d for d in days if d not in set(weekend)], rest)


def _no_rn_on(days: int) -> Finish:
    return lambda home, window: drop(home, GROUPS["rn"], window.levels[20 : 20 + days])


def _weekends_empty(home: Home, window: Window) -> None:
    drop(home, NURSE_CODES, [d for d in window.levels if window.weekday(d) >= 5])


def _no_hours(home: Home, window: Window) -> None:
    drop(home, NURSE_CODES, window.levels)


def _empty_days(count: int) -> Finish:
    def finish(home: Home, window: Window) -> None:
        days = list(window.levels)
        home.census[days if count == 0 else days[10 : 10 + count]] = 0

    return finish


def _blank_cell(home: Home, window: Window) -> None:
    home.blank_cells = [(next(d for d in window.levels[8:] if window.weekday(d) == 2), 7)]


def _footnote(text: str) -> Finish:
    return lambda home, _: setattr(home, "staffing_footnote", text)


def _absent(daily: set[int], employee: set[int], text: str = "") -> Finish:
    def finish(home: Home, _: Window) -> None:
        home.absent_daily, home.absent_employee, home.staffing_footnote = set(daily), set(employee), text

    return finish


def _not_sent(home: Home, window: Window) -> None:
    home.absent_daily, home.absent_employee, home.staffing_footnote = {window.level}, {window.level}, "23"


def _daily_more(home: Home, window: Window) -> None:
    home.daily_extra = [(window.starts[4] + 30 + k, 10, 750) for k in range(3)]


def _heavy_nurses(crew: Crew) -> None:
    crew.standard(rns=14, lpns=10, aides=8, leave=(5, 3, 4))
    crew.administrators()


def _heavy_aides(crew: Crew) -> None:
    crew.standard(aides=23)
    crew.administrators()


def _forty_aides(crew: Crew) -> None:
    crew.standard(aides=37)
    crew.administrators()


def _big(crew: Crew) -> None:
    crew.standard(rns=40, lpns=75, aides=210, leave=(15, 30, 100))
    crew.administrators()


ALL = set(range(6))
BIG = {"total_nurse": (327, 145), "rn": (42, 15), "administrator": (1, 0)}
LEVELS = (
    Plant("absent_daily", "PLANT MISSING QUARTER HOME", "OR", "2.8, R21", "Not in the daily file of Q2", counts=USUAL,
          finish=_absent({2}, set()), also=("missing_quarter",)),
    Plant("absent_employee", "PLANT MISSING EMPLOYEE QUARTER HOME", "PA", "2.8, R21", "Not in the employee file of Q3",
          finish=_absent(set(), {3}), also=("missing_quarter",)),
    Plant("no_submission", "PLANT NO SUBMISSION HOME", "RI", "3.4, footnote 23", "In neither PBJ file of the quarter shown: one star",
          finish=_not_sent, also=("missing_quarter",), reason="no_submission", star=1),
    Plant("over_12", "PLANT OVER TWELVE HOURS HOME", "SC", "1.4", "More than 12 nurse hours per resident day", _heavy_nurses,
          usual=False,
          residents=14, also=("over_12_hprd",), status="over_12_hprd"),
    Plant("aide_over", "PLANT AIDES OVER 5.25 HOME", "SD", "1.4", "More than 5.25 aide hours per resident day", _heavy_aides,
          usual=False,
          residents=23, also=("aide_over_5_25_hprd",), status="aide_over_5_25_hprd"),
    Plant("aide_exact", "PLANT AIDES EXACTLY 5.25 HOME", "TN", "1.4", "Exactly 5.25 aide hours per resident day: no exclusion",
          _forty_aides,
          _aide_exactly_5_25, usual=False, residents=TIE_RESIDENTS),
    Plant("weekend_zero", "PLANT EMPTY WEEKENDS HOME", "TX", "1.4, 3.4",
          "No nurse hours on weekends of the quarter: levels excluded, and days without RN",
          finish=_weekends_empty, also=("zero_hours",), reason="no_rn_days", star=1),
    Plant("zero_hours", "PLANT ZERO HOURS HOME", "UT", "1.4, 3.4", "No nurse hours at all in the quarter", finish=_no_hours,
          also=("zero_hours", "full_daily_turnover"),
          reason="no_rn_days", star=1),
    Plant("no_rn_4", "PLANT FOUR DAYS WITHOUT RN HOME", "VT", "3.4", "Four days of the quarter without RN hours: one star",
          finish=_no_rn_on(4),
          counts=USUAL, reason="no_rn_days", star=1),
    Plant("no_rn_3", "PLANT THREE DAYS WITHOUT RN HOME", "VA", "3.4", "Three days of the quarter without RN hours: no effect",
          finish=_no_rn_on(3),
          counts=USUAL),
    Plant("empty_days", "PLANT EMPTY DAYS HOME", "WA", "1.3, C31", "Five days of the quarter without residents: out of both sums",
          finish=_empty_days(5),
          counts=USUAL),
    Plant("all_empty", "PLANT NO RESIDENTS HOME", "WV", "1.3, C31", "No residents on any day of the quarter", finish=_empty_days(0),
          counts=USUAL,
          also=("no_resident_days",), status="no_resident_days"),
    Plant("blank_cell", "PLANT BLANK HOURS HOME", "WI", "C32", "RN hours of one weekday of the quarter are blank: RN and total null",
          finish=_blank_cell,
          counts=USUAL, also=("missing_hours",), status="missing_hours"),
    Plant("footnote_25", "PLANT FOOTNOTE 25 HOME", "WY", "3.4", "Data could not be validated: one star, whatever PBJ holds",
          finish=_footnote("25"), counts=USUAL, reason="not_validated", star=1),
    Plant("footnote_24", "PLANT FOOTNOTE 24 HOME", "AL", "3.4", "Footnote 24 although every day has RN hours in the file at hand",
          finish=_footnote("24"), counts=USUAL, reason="no_rn_days", star=1),
    Plant("special_focus", "PLANT SPECIAL FOCUS HOME", "AK", "4.7, C51",
          "Special Focus Facility: hours and turnover shown, no stars",
          finish=lambda home, _: setattr(home, "focus", "SFF"), counts=USUAL, status="special_focus"),
    Plant("candidate", "PLANT SPECIAL FOCUS CANDIDATE HOME", "AZ", "4.7, C51", "Candidate: keeps its stars",
          finish=lambda home, _: setattr(home, "focus", "SFF Candidate"), counts=USUAL),
    Plant("too_new", "PLANT TOO NEW HOME", "AR", "footnote 1, C51", "Newly certified; in PBJ since Q3", finish=_absent({0, 1, 2},
          {0, 1, 2}, "1"),
          also=("missing_quarter",), status="too_new"),
    Plant("tie_total", "PLANT TIE TOTAL HOME", "CA", "R11", "Adjusted total exactly 4.1505: rounds to 4.151, 80 points",
          finish=_exactly(NURSE_CODES, 41505), counts=USUAL),
    Plant("below_tie_total", "PLANT JUST BELOW TIE HOME", "CO", "R11", "Adjusted total exactly 4.1504: 4.150, 70 points",
          finish=_exactly(NURSE_CODES, 41504), counts=USUAL),
    Plant("tie_rn", "PLANT TIE RN HOME", "CT", "R11", "Adjusted RN exactly 0.7855: rounds to 0.786, 80 points",
          finish=_exactly(GROUPS["rn"], 7855), counts=USUAL),
    Plant("tie_weekend", "PLANT TIE WEEKEND HOME", "DE", "R11", "Adjusted weekend exactly 3.6675: rounds to 3.668, 40 points",
          finish=_exactly(NURSE_CODES, 36675, weekend=True), counts=USUAL),
    Plant("one_point_short", "PLANT ONE POINT SHORT HOME", "FL", "R12, 2.8", "Both turnovers left out, 204 of 205 for three stars",
          few_nurses, _one_point_short, usual=False, residents=12, also=("few_eligible_nurses",), star=2,
          counts={"total_nurse": (4, 0), "rn": (2, 0), "administrator": (1, 0)}),
)  # fmt: skip

FILES = (
    Plant("gt_24h", "PLANT OVER 24 HOURS HOME", "FL", "C27", "An aide with 25.00 hours on one day", finish=_extra_shift(12,
          1700), counts=USUAL,
          also=("gt_24h",)),
    Plant("gt_22_5h", "PLANT OVER 22.5 HOURS HOME", "GA", "C27", "An aide with 23.00 hours on one day", finish=_extra_shift(12,
          1500), counts=USUAL,
          also=("gt_22_5h",)),
    Plant("repeated_row", "PLANT REPEATED ROW HOME", "HI", "C27", "The same row twice: both count", finish=_extra_shift(10, 0,
          2), counts=USUAL,
          also=("repeated_row",)),
    Plant("lettered", "PLANT LETTER IN CCN HOME", "AL", "C01", "A CCN with a letter in third place", counts=USUAL),
    Plant("lost_zero", "PLANT LOST ZERO HOME", "AL", "C01", "The leading zero is lost in the daily file of Q3",
          finish=lambda home, _: home.short_ccn_positions.add(3), counts=USUAL, also=("ccn_repaired",)),
    Plant("twin_a", "PLANT TWIN NAME HOME", "MD", "C01", "Two homes of one name in one state", counts=USUAL),
    Plant("twin_b", "PLANT TWIN NAME HOME", "MD", "C01", "Two homes of one name in one state", counts=USUAL),
    Plant("pbj_only", "PLANT ONLY PBJ KNOWS HOME", "NJ", "design: what others rely on", "Not in ProviderInfo", counts={},
          finish=lambda home, _: setattr(home, "in_provider_info", False), also=("not_in_provider_file",), status="",
          inspected=one_survey, measured=Wanted(only=("401",))),
    Plant("provider_only", "PLANT ONLY PROVIDER FILE KNOWS HOME", "NY", "2.8", "In no PBJ file, footnote 2", finish=_absent(ALL,
          ALL, "2"),
          counts={}, also=("missing_quarter",), status="missing_quarter"),
    Plant("separator", "PLANT THOUSANDS SEPARATOR HOME", "IL", "design: bad rows",
          "Aide hours over 1,000 a day, written 1,234.50 in Q5", _big,
          lambda home, _: home.grouped_positions.add(5), usual=False, residents=480, counts=BIG),
    Plant("sums_differ", "PLANT DAILY SUMS DIFFER HOME", "IN", "8.1",
          "The daily file has 7.5 aide hours more on three days of Q4",
          finish=_daily_more, counts=USUAL, also=("daily_sums_differ",)),
    Plant("accents", "PLANT RESIDENCIA PEÑA – NORTE", "PR", "C05", "Letters outside ASCII in cp1252 and in UTF-8", counts=USUAL),
    Plant("apostrophe", "PLANT ST. MARY’S HOME", "FL", "C05", "A curly apostrophe, 0x92 in cp1252", counts=USUAL),
    Plant("published_rn_differs", "PLANT PUBLISHED RN TURNOVER DIFFERS HOME", "OH", "replication",
          "ProviderInfo shows one RN departure more",
          finish=lambda home, _: home.published.update({"Registered Nurse turnover": "50.0"}), counts=USUAL),
    Plant("published_level_differs", "PLANT PUBLISHED LEVEL DIFFERS HOME", "PA", "replication",
          "ProviderInfo shows 0.61234 LPN hours",
          finish=lambda home, _: home.published.update({"Reported LPN Staffing Hours per Resident per Day": "0.61234"}),
          counts=USUAL),
    Plant("published_star_differs", "PLANT PUBLISHED STAR DIFFERS HOME", "TX", "replication",
          "ProviderInfo shows another staffing star",
          finish=lambda home, _: home.published.update({"Staffing Rating": "another"}), counts=USUAL),
)  # fmt: skip
