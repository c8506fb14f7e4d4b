"""Cases about people: their hours, spells and turnover (C27, C29, C43, C46)."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from pipelines.periods import quarter_days
from pipelines.store import Store
from tests.cases import fill
from tests.support import SPELLS, TURNOVER, Bench


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def people_of(store: Store, name: str, release: str, folder: Path, quarters: dict[str, str] | None = None) -> Bench:
    """The employee rows of a case, staged quarter by quarter into the window of a release, `quarters` renaming them."""
    rows = fill.rows_of(fill.case(name) / "employee_detail.csv")
    by_quarter: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        quarter = (quarters or {}).get(row["CY_Qtr"], row["CY_Qtr"])
        day = quarter[:4] + row["WorkDate"][4:]
        by_quarter.setdefault(quarter, []).append({**row, "CY_Qtr": quarter, "WorkDate": day})
    for quarter, found in by_quarter.items():
        fill.staged(store, fill.write(folder / f"{quarter}.csv", "pbj_employee", found), "pbj_employee", quarter)
    bench = fill.bench(store, release, {"six_quarters.employee_quarters": by_quarter})
    return bench.run(*TURNOVER)


def test_c27_a_long_day_is_flagged_and_counted(store: Store, tmp_path: Path) -> None:
    """The limit is per person and day over all job codes; nothing is removed or capped, and a copy is not told from a shift."""
    bench = people_of(store, "C27-employee-day-over-24h", "2024-10", tmp_path)
    flags = fill.read(store, "staged.employee_quarters", "2024Q2", "flags", "ccn, reason, evidence, found")
    assert flags == [
        ("555901", "gt_22_5h", "1 person-days over 22.5 hours, the longest 23.00", 1),
        ("555901", "gt_24h", "1 person-days over 24 hours, the longest 25.50", 1),
        ("555901", "repeated_row", "1 rows stand more than once", 1),
    ]
    hours = "select sum(list_sum(work_hours)) from six_quarters.employee_quarters"
    assert bench.rows(hours) == [(Decimal("64.50"),)]
    worked = "select employee_id, first_workday = last_workday from turnover.stretches where measure = 'total_nurse' and day_basis = 'own'"
    assert dict(bench.rows(worked)) == {9001: True, 9002: True, 9003: True}


def test_c29_a_person_with_several_job_codes_is_one_person(store: Store, tmp_path: Path) -> None:
    """R2, R3: codes 5, 6, 7 are one RN and codes 5 to 12 one nurse; hours of a measure are those of its codes."""
    bench = people_of(store, "C29-one-person-several-job-codes", "2025-07", tmp_path)
    spells = bench.rows(
        "select measure, employee_id, hours_first_90_days, eligible from turnover.spells where definition = 'cms' order by all"
    )
    assert spells == [
        ("rn", 9001, 125, True),
        ("rn", 9002, 65, False),
        ("total_nurse", 9001, 125, True),
        ("total_nurse", 9002, 125, True),
    ]
    counts = dict(bench.rows("select measure, eligible_spells from turnover.counts where definition = 'cms'"))
    assert counts == {"total_nurse": 2, "rn": 1, "administrator": 0}
    worked = "select employee_id, count(*) from turnover.stretches where measure = 'total_nurse' and day_basis = 'own' group by 1 order by 1"
    assert bench.rows(worked) == [(9001, 1), (9002, 1)]


def test_c43_sixty_or_ninety_whole_days_off_end_a_spell(store: Store, tmp_path: Path) -> None:
    """R1: as many whole days as the limit end a spell on the last day worked; 60 before the July 2024 release, 90 from it."""
    bench = people_of(store, "C43-gap-60-or-90-days", "2025-07", tmp_path)
    gone = {"gap_60": {9002, 9003, 9004, 9005, 9006}, "gap_90": {9005, 9006}, "cms": {9005, 9006}}
    back = {9001: date(2024, 3, 31), 9002: date(2024, 4, 1), 9003: date(2024, 4, 2)}
    back |= {9004: date(2024, 4, 30), 9005: date(2024, 5, 1), 9006: date(2024, 5, 2)}
    last = date(2024, 1, 31)
    assert [(day - last).days - 1 for day in back.values()] == [59, 60, 61, 89, 90, 91]
    for definition, ended in gone.items():
        spells = bench.rows(
            "select employee_id, first_workday, last_workday from turnover.spells "
            f"where measure = 'total_nurse' and definition = '{definition}' order by all"
        )
        expected = []
        for person, day in back.items():
            expected += [(person, last, last), (person, day, day)] if person in ended else [(person, last, day)]
        assert spells == expected, definition


@pytest.mark.parametrize(("release", "days"), [("2023-10", 60), ("2024-06", 60), ("2024-07", 90), ("2026-07", 90)])
def test_c43_the_gap_is_a_dated_rule(release: str, days: int) -> None:
    """The definition `cms` takes its gap from the release's own row; `gap_60` and `gap_90` run in every release."""
    bench = Bench(release)
    first = quarter_days(bench.release.quarters[2])[0]
    rows = []
    for person, off in enumerate((59, 60, 89, 90), start=1):
        for day in (first, first + timedelta(days=off + 1)):
            quarter = f"{day.year}Q{(day.month + 2) // 3}"
            rows.append(
                {
                    "ccn": "555901",
                    "employee_id": person,
                    "quarter": quarter,
                    "work_date": day,
                    "job_code": 10,
                    "hours": Decimal(8),
                }
            )
    bench.put_work(rows).run(*SPELLS)
    found = {
        name: bench.rows(
            "select employee_id from turnover.spells where measure = 'total_nurse' "
            f"and definition = '{name}' group by 1 having count(*) = 2 order by 1"
        )
        for name in ("gap_60", "gap_90", "cms")
    }
    assert found["gap_60"] == [(2,), (3,), (4,)]
    assert found["gap_90"] == [(4,)]
    assert found["cms"] == found[f"gap_{days}"]


def excluded(bench: Bench) -> set[str]:
    """Homes with too many administrators."""
    query = "select ccn from turnover.exclusions where definition = 'cms' and exclusion = 'too_many_administrators'"
    return {ccn for (ccn,) in bench.rows(query)}


def test_c46_five_people_on_four_days_of_one_quarter_exclude_a_home(store: Store, tmp_path: Path) -> None:
    """People are counted, not rows, and days within one quarter, not over quarters."""
    bench = people_of(store, "C46-administrator-exclusion", "2024-10", tmp_path)
    crowded = bench.rows("select ccn, quarter, crowded_days from turnover.home_quarters where crowded_days > 0 order by all")
    assert crowded == [("555901", "2024Q1", 4), ("555902", "2024Q1", 3), ("555902", "2024Q2", 1)]
    assert excluded(bench) == {"555901"}


@pytest.mark.parametrize("release", ["2025-07", "2024-10", "2024-07"])
def test_c46_any_quarter_of_the_window_can_exclude(release: str, store: Store, tmp_path: Path) -> None:
    """The quarter of the four days is Q1, Q4 or Q5 of the window: each of the six counts."""
    bench = people_of(store, "C46-administrator-exclusion", release, tmp_path)
    assert excluded(bench) == {"555901"}


def test_c46_before_july_2023_twelve_days_were_needed(store: Store, tmp_path: Path) -> None:
    """The rule of five people on twelve days over the eligibility period excludes none of the three homes."""
    moved = {"2024Q1": "2022Q1", "2024Q2": "2022Q2"}
    bench = people_of(store, "C46-administrator-exclusion", "2023-06", tmp_path, moved)
    assert bench.rows("select max(crowded_days) from turnover.home_quarters") == [(4,)]
    assert excluded(bench) == set()
