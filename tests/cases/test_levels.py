"""Cases about staffing levels and the quarters they are made of (C15, C31, C32, C35)."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pipelines.sources.folder import Folder
from pipelines.staging import stage
from pipelines.store import Store, read_json
from tests.cases import fill
from tests.support import TURNOVER, Bench

HPRD = "select ccn, round(reported_hprd, 3) from staffing.daily_levels where measure = '{}' order by ccn"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def levels_of(store: Store, release: str, quarter: str, homes: tuple[str, ...] = ("555901", "555902")) -> Bench:
    """The levels of a staged quarter, with the homes in the provider file."""
    bench = fill.bench(store, release, {"current.pbj_daily": [quarter]})
    bench.put("current.provider_info", [{"ccn": ccn} for ccn in homes])
    names = ("daily_levels", "level_exclusions", "published_levels", "national_case_mix", "levels")
    return bench.run(*(f"staffing.{name}" for name in names))


def test_c15_only_new_bytes_make_a_new_vintage(store: Store, tmp_path: Path) -> None:
    """The content decides: a new address with the same bytes is noted and not staged again, new bytes at the old address are."""
    case = fill.case("C15-republished-quarter")
    home = tmp_path / "mine"
    found: list[Any] = []
    vintages = []
    for name, version in (("a/daily.csv", "v1"), ("zz/daily.csv", "v1"), ("zz/daily.csv", "v2")):
        for old in home.glob("*/*.csv"):
            old.unlink()
        fill.write(home / name, "pbj_daily", fill.rows_of(case / f"{version}.csv"))
        Folder(home).fetch("pbj_daily", "2024Q2", store)
        vintages.append(len(store.vintages("pbj_daily", "2024Q2")))
        manifest = stage(store, "pbj_daily", "2024Q2", fill.SETTINGS)
        bench = fill.bench(store, "2024-10", {"current.pbj_daily": ["2024Q2"]}).run("staffing.daily_levels")
        found.append(("unchanged" not in manifest, [hprd for _, hprd in bench.rows(HPRD.format("rn"))]))
    first = [Decimal("0.800"), Decimal("0.500")]
    assert found == [(True, first), (False, first), (True, [Decimal("0.880"), Decimal("0.500"), Decimal("0.800")])]
    assert vintages == [1, 1, 2]
    earlier = store.vintages("pbj_daily", "2024Q2")[0]
    notes = read_json(Path(f"{store.blob(earlier.sha256)}.json"))
    assert [seen["address"] for seen in notes["seen"]] == ["a/daily.csv", "zz/daily.csv"]
    assert "555901,EXAMPLE HOME,CA,2024Q2,20240401,50" in store.blob(earlier.sha256).read_text()


def test_c31_a_day_without_residents_leaves_both_sums(store: Store, tmp_path: Path) -> None:
    """A level is a ratio of sums over days with residents: 330/102, weekend 20/2, and no value where there is no such day."""
    case = fill.case("C31-zero-census-days")
    file = fill.write(tmp_path / "d.csv", "pbj_daily", fill.rows_of(case / "pbj_daily.csv"))
    fill.staged(store, file, "pbj_daily", "2024Q2")
    bench = levels_of(store, "2024-10", "2024Q2")
    assert bench.rows(HPRD.format("total_nurse")) == [("555901", Decimal("3.235")), ("555902", None)]
    assert bench.rows(HPRD.format("weekend_total_nurse")) == [("555901", Decimal("10.000")), ("555902", None)]
    used = bench.rows(
        "select ccn, days - no_resident_days, days, resident_days, hours from staffing.daily_levels "
        "where measure = 'total_nurse' order by ccn"
    )
    assert used == [("555901", 3, 4, 102, 330), ("555902", 0, 1, 0, None)]
    why = bench.rows("select ccn, exclusion, reported_hprd from staffing.levels where measure = 'total_nurse' order by ccn")
    assert why[1] == ("555902", "no_resident_days", None)
    flags = bench.run("turnover.home_quarters", "audit.flags").rows(
        "select ccn, evidence from audit.flags where reason = 'no_residents_on_day' order by ccn"
    )
    assert flags == [("555901", "1 days without residents"), ("555902", "1 days without residents")]


def test_c32_blank_hours_are_not_zero_hours(store: Store, tmp_path: Path) -> None:
    """A blank makes the level of that group unknown; it is no day without a nurse."""
    case = fill.case("C32-blank-hours-are-not-zero")
    file = fill.write(tmp_path / "d.csv", "pbj_daily", fill.rows_of(case / "pbj_daily.csv"))
    assert fill.staged(store, file, "pbj_daily", "2024Q2")["rejected_rows"] == 0
    bench = levels_of(store, "2024-10", "2024Q2", ("555901",))
    counts = bench.rows(
        "select zero_days, first_zero_day::text, missing_hours_days from staffing.daily_levels where measure = 'rn'"
    )
    assert counts == [(1, "2024-04-01", 1)]
    levels = {m: (hprd, why) for m, hprd, why in bench.rows("select measure, reported_hprd, exclusion from staffing.levels")}
    assert levels["rn"] == levels["total_nurse"] == (None, "missing_hours")
    assert levels["nurse_aide"] == (Decimal("2.5"), None)


def test_c35_a_quarter_that_cms_marked_incomplete_is_no_finding(store: Store, tmp_path: Path) -> None:
    """December 2021: the flag of any day excludes the home-quarter and its zero-RN days; a file without the column has no flag."""
    case = fill.case("C35-incomplete-flag")
    for quarter in ("2021Q4", "2022Q1"):
        rows = fill.rows_of(case / f"pbj_daily_{quarter}.csv")
        zero_days = [{**rows[-1], "WorkDate": f"202112{day}"} for day in (21, 22, 23)] if quarter == "2021Q4" else []
        file = fill.write(tmp_path / f"{quarter}.csv", "pbj_daily", [*rows, *zero_days])
        fill.staged(store, file, "pbj_daily", quarter)
    marked = levels_of(store, "2022-07", "2021Q4")
    marked.run("staffing.measure_values", "staffing.printed_turnover", "staffing.components", "staffing.scores")
    levels = "select ccn, reported_hprd, exclusion from staffing.levels where measure = 'total_nurse' order by ccn"
    assert marked.rows(levels) == [("555901", 3, None), ("555902", None, "incomplete_quarter")]
    days = "select ccn, zero_days from staffing.daily_levels where measure = 'rn' order by ccn"
    assert marked.rows(days) == [("555901", 0), ("555902", 4)]
    assert marked.rows("select ccn, no_rn_days, reason from staffing.scores order by ccn") == [
        ("555901", 0, None),
        ("555902", None, None),
    ]
    assert levels_of(store, "2022-07", "2022Q1").rows(levels) == [("555901", 3, None), ("555902", 3, None)]
    window = fill.bench(store, "2022-07", {"six_quarters.pbj_daily": ["2021Q4", "2022Q1"]})
    window.run(*TURNOVER)
    inherited = window.rows("select distinct ccn, evidence from turnover.exclusions where exclusion = 'incomplete_quarter'")
    assert inherited == [("555902", "2021Q4")]
