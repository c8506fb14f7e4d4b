"""The slow computation itself, on cases small enough to work out by hand."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings

from tests.oracle.slow import Case, Result, Row, definition, quarter_days, turnover, window
from tests.oracle.strategies import cases

HOME = "555901"


def worked(employee_id: int, days: list[str], hours: str = "24", job_code: int = 10, ccn: str = HOME) -> list[Row]:
    return [Row(ccn, employee_id, date.fromisoformat(day), job_code, False, Decimal(hours)) for day in days]


def every_day(employee_id: int, first: str, last: str, hours: str = "8", job_code: int = 10) -> list[Row]:
    begin, end = date.fromisoformat(first), date.fromisoformat(last)
    days = [(begin + timedelta(days=k)).isoformat() for k in range((end - begin).days + 1)]
    return worked(employee_id, days, hours, job_code)


def case(release: str, rows: list[Row]) -> Case:
    quarters = window(release)
    present = frozenset((ccn, q) for ccn in {row.ccn for row in rows} for q in quarters)
    return Case(release, quarters, tuple(rows), present, present)


def run(release: str, rows: list[Row], name: str = "cms", **changed: str) -> Result:
    return turnover(case(release, rows), {**definition(name, release), **changed})


def spans(result: Result, measure: str = "total_nurse") -> list[tuple[str, str]]:
    return [(str(s.first_workday), str(s.last_workday)) for s in result.spells if s.measure == measure]


@pytest.mark.parametrize(
    ("back", "ends_under_60", "ends_under_90", "ends_over_90"),
    [
        ("2024-03-31", False, False, False),
        ("2024-04-01", True, False, False),
        ("2024-04-02", True, False, False),
        ("2024-04-30", True, False, False),
        ("2024-05-01", True, True, False),
        ("2024-05-02", True, True, True),
    ],
)
def test_a_gap_ends_a_spell_at_its_limit(back: str, ends_under_60: bool, ends_under_90: bool, ends_over_90: bool) -> None:
    """C43, R1: 59, 60, 61, 89, 90 and 91 whole days without work, over 29 February 2024."""
    rows = worked(9001, ["2024-01-31", back])
    for name, ends in (("gap_60", ends_under_60), ("gap_90", ends_under_90), ("gap_over_90", ends_over_90)):
        assert len(spans(run("2024-10", rows, name))) == 1 + ends, name


def test_hours_of_several_job_codes_are_one_person() -> None:
    """C29: 70 + 55 RN hours are one eligible nurse and one eligible RN; 65 + 60 as RN and aide one nurse and no RN."""
    tuesdays = [(date(2024, 1, 2) + timedelta(weeks=k)).isoformat() for k in range(10)]
    rows = (
        worked(9001, tuesdays, "7.00", 7)
        + worked(9001, tuesdays, "5.50", 6)
        + worked(9002, tuesdays, "6.50", 7)
        + worked(9002, tuesdays, "6.00", 10)
    )
    result = run("2025-07", rows)
    hours = {(s.employee_id, s.measure): s.hours_first_90_days for s in result.spells}
    assert hours == {(9001, "rn"): 125, (9001, "total_nurse"): 125, (9002, "rn"): 65, (9002, "total_nurse"): 125}
    assert result.homes[HOME, "total_nurse"].eligible_spells == 2
    assert result.homes[HOME, "rn"].eligible_spells == 1
    assert run("2025-07", rows, "any_code_hours").homes[HOME, "rn"].eligible_spells == 2


def administrators(ccn: str, days: list[str], people: int) -> list[Row]:
    return [row for k in range(people) for row in worked(9001 + k, days, "8", 1, ccn)]


def test_too_many_administrators_are_five_people_on_four_days_of_one_quarter() -> None:
    """C46: four days in one quarter exclude; three and one do not, nor do five rows of four people."""
    four = ["2024-01-08", "2024-01-09", "2024-01-10", "2024-01-11"]
    rows = (
        administrators("555901", four, 5)
        + administrators("555902", [*four[:3], "2024-04-08"], 5)
        + administrators("555903", four, 4)
        + worked(9001, four, "2", 1, "555903")
    )
    excluded = {ccn for (ccn, m), home in run("2024-10", rows).homes.items() if "too_many_administrators" in home.exclusions}
    assert excluded == {"555901"}


@pytest.mark.parametrize(("days", "is_excluded"), [(11, False), (12, True)])
def test_before_july_2023_twelve_days_over_three_quarters_exclude(days: int, is_excluded: bool) -> None:
    """2.8: the days are summed over Q0-Q2 (2021Q3-2022Q1), so a day in Q3 does not help."""
    when = [(date(2022, 1, 1) - timedelta(days=4) + timedelta(days=k)).isoformat() for k in range(days)]
    home = run("2023-04", administrators(HOME, [*when, "2022-04-01"], 5)).homes[HOME, "administrator"]
    assert ("too_many_administrators" in home.exclusions) == is_excluded


def test_a_return_is_a_second_spell_that_counts_by_itself() -> None:
    """2.5: away for 90 days and back with 120 hours; both spells are counted and the first is a departure."""
    rows = every_day(1, "2023-01-01", "2023-01-31") + every_day(1, "2023-05-02", "2024-06-30")
    result = run("2024-10", rows)
    assert spans(result) == [("2023-01-01", "2023-01-31"), ("2023-05-02", "2024-06-30")]
    assert [(s.eligible, s.departed) for s in result.spells] == [(False, False), (True, False)]
    rows = every_day(1, "2023-04-01", "2023-04-30") + every_day(1, "2023-07-30", "2024-06-30")
    result = run("2024-10", rows)
    assert [(s.eligible, s.departed) for s in result.spells] == [(True, True), (True, False)]
    assert result.homes[HOME, "total_nurse"].turnover_pct == Decimal("50.000")


def test_a_spell_that_ended_in_q0_counts_nowhere() -> None:
    """R6; under the other reading it is in the denominator alone; R7 moves the eve of Q1 into the year."""
    rows = every_day(1, "2023-01-01", "2023-03-31")
    assert run("2024-10", rows).homes[HOME, "total_nurse"].eligible_spells == 0
    other = run("2024-10", rows, "ended_in_q0_counts").homes[HOME, "total_nurse"]
    assert (other.eligible_spells, other.departures) == (1, 0)
    other = run("2024-10", rows, "first_day_off").homes[HOME, "total_nurse"]
    assert (other.eligible_spells, other.departures) == (1, 1)


@pytest.mark.parametrize(
    ("release", "last", "departed"),
    [
        ("2024-07", "2023-12-31", True),
        ("2024-07", "2024-01-01", False),
        ("2025-07", "2024-12-31", True),
        ("2024-07", "2024-01-02", False),
    ],
)
def test_a_gap_must_be_seen_whole_and_begin_in_the_year(release: str, last: str, departed: bool) -> None:
    """R8: 2025Q1 has 90 days, so 31 December is just seen; in 2024Q1 a gap from 1 January is seen but begins in Q5 (R7)."""
    first = (date.fromisoformat(last) - timedelta(days=300)).isoformat()
    spell = next(s for s in run(release, every_day(1, first, last)).spells if s.measure == "total_nurse")
    assert spell.eligible
    assert spell.departed == departed


def test_a_gap_of_more_than_ninety_is_not_seen_in_a_quarter_of_ninety_days() -> None:
    """R8: with more than 90 days needed, 31 December 2024 leaves one day too few."""
    spell = run("2025-07", every_day(1, "2024-03-01", "2024-12-31"), "gap_over_90").spells[0]
    assert (spell.gap_follows, spell.eligible, spell.departed) == (False, True, False)


@pytest.mark.parametrize(("last_hours", "is_eligible"), [("23.99", False), ("24.00", True)])
def test_eligible_is_120_hours_within_ninety_days(last_hours: str, is_eligible: bool) -> None:
    """R4: the first workday is day 1 and day 90 counts; hours of day 91 do not."""
    rows = worked(1, ["2023-01-01", "2023-01-02", "2023-01-03", "2023-01-04"]) + worked(1, ["2023-03-31"], last_hours)
    rows += worked(1, ["2023-04-01", "2023-04-02", "2023-04-03", "2023-04-04", "2023-04-05"])
    spell = run("2024-10", rows).spells[0]
    assert spell.hours_first_90_days == 96 + Decimal(last_hours)
    assert spell.qualifies == is_eligible
    assert run("2024-10", rows, "any_90_days").spells[0].qualifies


def test_hours_after_a_gap_count_under_the_sixty_day_rule() -> None:
    """R24: 60 days off split the ninety days; by default the hours on both sides count for the first spell."""
    rows = worked(1, ["2022-01-01", "2022-01-02"]) + worked(1, ["2022-03-05", "2022-03-06", "2022-03-07"])
    result = run("2023-04", rows)
    assert [s.hours_first_90_days for s in result.spells] == [120, 72]
    assert [s.departed for s in result.spells] == [True, False]
    result = run("2023-04", rows, "gap_60_own_spell_hours")
    assert [s.hours_first_90_days for s in result.spells] == [48, 72]


def test_other_jobs_keep_a_spell_alive_only_where_the_definition_says_so() -> None:
    """R2: an aide who spends four months in housekeeping leaves as a nurse, but not under any_code_keeps_spell."""
    rows = every_day(1, "2023-04-01", "2023-05-31") + every_day(1, "2023-06-01", "2023-10-01", job_code=39)
    rows += every_day(1, "2023-10-02", "2024-06-30")
    assert len(spans(run("2024-10", rows))) == 2
    assert spans(run("2024-10", rows, "any_code_keeps_spell")) == [("2023-04-01", "2024-06-30")]


@pytest.mark.parametrize(("leaving", "is_excluded"), [(4, False), (5, True)])
def test_a_day_on_which_all_five_nurses_leave_excludes_the_home(leaving: int, is_excluded: bool) -> None:
    """R9: it also applies to RN turnover, and not to administrators."""
    rows = [row for k in range(leaving) for row in every_day(k, "2023-02-01", "2023-08-15")]
    result = run("2024-10", [*rows, *every_day(99, "2023-08-20", "2024-06-30")])
    for measure in ("total_nurse", "rn"):
        assert ("full_daily_turnover" in result.homes[HOME, measure].exclusions) == is_excluded
    assert "full_daily_turnover" not in result.homes[HOME, "administrator"].exclusions
    one_stays = run("2024-10", [*rows, *every_day(99, "2023-08-10", "2024-06-30")])
    assert not one_stays.full_days


def test_exclusions_name_what_is_missing() -> None:
    """2.8: a home absent from one file of one quarter, and a quarter without an administrator."""
    rows = every_day(1, "2023-01-01", "2024-06-30", job_code=7) + every_day(2, "2023-01-01", "2024-03-31", job_code=1)
    whole = case("2024-10", rows)
    result = turnover(whole, definition("cms", "2024-10"))
    assert result.homes[HOME, "rn"].exclusions == ("few_eligible_nurses",)
    assert result.homes[HOME, "administrator"].exclusions == ("no_administrator_data",)
    assert result.homes[HOME, "administrator"].departures == 1
    absent = Case(whole.release, whole.quarters, whole.rows, whole.in_daily - {(HOME, "2023Q2")}, whole.in_employee)
    assert "missing_quarter" in turnover(absent, definition("cms", "2024-10")).homes[HOME, "rn"].exclusions


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_spells_of_made_up_homes_keep_their_order_and_their_sums(made: Case) -> None:
    """Whatever the rows: spells of a person lie apart by a gap, departures are eligible, eligible ones qualify."""
    for name in ("cms", "gap_60", "any_90_days", "any_code_keeps_spell", "first_day_off"):
        rule = definition(name, made.release)
        result = turnover(made, rule)
        for one, two in pairwise(result.spells):
            if one[:3] == two[:3]:
                assert one.gap_follows
                assert (two.first_workday - one.last_workday).days - 1 >= int(rule["gap_days"])
        for spell in result.spells:
            assert made.first_day(0) <= spell.first_workday <= spell.last_workday <= made.last_day(5)
            assert not spell.departed or (spell.eligible and spell.gap_follows)
            assert not spell.eligible or spell.qualifies
        for (ccn, measure), home in result.homes.items():
            counted = [s for s in result.spells if (s.ccn, s.measure) == (ccn, measure) and s.eligible]
            assert home.eligible_spells == len(counted)
            assert home.departures == sum(s.departed for s in counted)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_made_up_rows_lie_in_the_quarters_where_the_home_is_present(made: Case) -> None:
    """A home is in the employee file of a quarter where it has a row of that quarter, and nowhere else."""
    seen = {(row.ccn, q) for row in made.rows for q in made.quarters if quarter_days(q)[0] <= row.day <= quarter_days(q)[1]}
    assert seen == made.in_employee
    assert all(0 <= row.hours <= 24 for row in made.rows)
