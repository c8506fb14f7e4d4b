"""Staffing values to points, scores and exclusions: each rule by a small case with a known answer."""

from __future__ import annotations

from typing import Any

import pytest

from pipelines.periods import release
from tests.support import Bench

HOME = "015009"
LEVELS = tuple(
    f"staffing.{name}" for name in ("daily_levels", "level_exclusions", "published_levels", "national_case_mix", "levels")
)
SCORED = tuple(
    f"staffing.{name}" for name in ("published_exclusions", "measure_values", "printed_turnover", "components", "scores")
)
HOURS = {"reported_rn_hprd": 1, "reported_total_nurse_hprd": 4, "reported_weekend_total_nurse_hprd": 3.5}
MIX = {"case_mix_rn_hprd": "0.7", "case_mix_total_nurse_hprd": "3.9", "case_mix_weekend_total_nurse_hprd": "3.4"}
TURNOVER = {"total_nurse_turnover_pct": "40.0", "rn_turnover_pct": "30.0", "administrator_departures": 1}
PRINTED = {**HOURS, **MIX, **TURNOVER}


def rated(*homes: dict[str, Any], month: str = "2026-07", inputs: str = "published") -> Bench:
    """Staffing scores of homes of a provider file alone, beside a row NATION of 0.7, 3.9 and 3.4 hours."""
    absent = [(table, quarter) for quarter in release(month).all_quarters for table in ("pbj_daily", "pbj_employee")]
    bench = Bench(month, inputs=inputs, without=absent)
    bench.put("current.provider_info", [{"ccn": f"{15009 + k:06}", **home} for k, home in enumerate(homes)])
    bench.put("current.state_averages", [{"state": "NATION", **MIX}])
    return bench.run("turnover.home_quarters", *(f"turnover.{name}" for name in ("spells", "counts", "full_days", "exclusions")),
                     "turnover.home_turnover", *LEVELS, *SCORED)  # fmt: skip


def component(bench: Bench, measure: str, columns: str, ccn: str = HOME) -> tuple[Any, ...]:
    return bench.rows(f"select {columns} from staffing.components where measure = '{measure}' and ccn = '{ccn}'")[0]


def test_only_printed_digits_leave_points_open() -> None:
    """R19: what is recomputed, or printed as adjusted, has one band; least and greatest must not take a missing bound for zero."""
    values = [
        ("adjusted_rn_hprd", 1.0, "recomputed", None, None),
        ("adjusted_total_nurse_hprd", 2.721, "published", 2.721, 2.722),  # on both sides of 2.722: 10 or 20 points
        ("adjusted_weekend_total_nurse_hprd", 0.0, "published", 0, 0.001),
        ("total_nurse_turnover_pct", 41.7, "published_rounded", None, None),
        ("rn_turnover_pct", 30.0, "recomputed", None, None),
        ("administrator_departures", 2, "recomputed", None, None),
    ]
    bench = Bench("2026-07").run("staffing.printed_turnover")
    names = ("measure", "value", "value_source", "value_low", "value_high")
    bench.put(
        "staffing.measure_values", [{"ccn": HOME, "wanted": "recomputed", **dict(zip(names, v, strict=True))} for v in values]
    )
    bench.run("staffing.components")
    found = bench.rows("select measure, points, points_low, points_high, reason from staffing.components order by measure")
    assert found == [
        ("adjusted_rn_hprd", 90, 90, 90, None),
        ("adjusted_total_nurse_hprd", 10, 10, 20, "one_point_band"),
        ("adjusted_weekend_total_nurse_hprd", 5, 5, 5, None),
        ("administrator_departures", 10, 10, 10, None),
        ("rn_turnover_pct", 40, 40, 40, None),
        ("total_nurse_turnover_pct", 40, 35, 40, "one_point_band"),
    ]


def test_a_star_from_values_that_are_not_rounded_is_never_open() -> None:
    """Recomputed points of 315 are four stars whatever lies below: a star that differs from CMS's is a contradiction."""
    bench = Bench("2026-07").run("staffing.printed_turnover").put("current.provider_info", [{"ccn": HOME, "staffing_rating": 2}])
    values = [("adjusted_rn_hprd", 1), ("adjusted_total_nurse_hprd", 4.2), ("adjusted_weekend_total_nurse_hprd", 3.7),
              ("total_nurse_turnover_pct", 40), ("rn_turnover_pct", 30), ("administrator_departures", 1)]  # fmt: skip
    rows = [{"ccn": HOME, "measure": m, "value": v, "value_source": "recomputed", "wanted": "recomputed"} for m, v in values]
    bench.put("staffing.measure_values", rows).run("staffing.components", "staffing.scores", "audit.replication")
    assert bench.rows("select stars_low, stars, stars_high from staffing.scores") == [(4, 4, 4)]
    agrees = "select agrees from audit.replication where item = 'staffing_rating'"
    assert bench.rows(agrees) == [("no",)]


def test_the_best_band_and_a_missing_value_have_no_way_to_go() -> None:
    """The distance is positive, in the measure's unit, and null at the top and where there is no value."""
    best = {
        **PRINTED,
        "adjusted_rn_hprd": 2,
        "rn_turnover_pct": None,
        "total_nurse_turnover_pct": "37.5",
        "administrator_departures": 0,
    }
    bench = rated(best)
    columns = "points, next_points, distance_to_next::double"
    assert component(bench, "adjusted_rn_hprd", columns) == (100, None, None)
    assert component(bench, "administrator_departures", columns) == (30, None, None)
    assert component(bench, "adjusted_total_nurse_hprd", columns) == (70, 80, 0.151)
    assert component(bench, "rn_turnover_pct", columns) == (None, None, None)
    assert component(bench, "total_nurse_turnover_pct", columns) == (45, 50, 6.374)


@pytest.mark.parametrize(
    ("home", "stars", "score"),
    [
        ({}, 4, 300),
        ({"staffing_footnote": "23"}, 1, None),
        ({"staffing_footnote": "24"}, 1, None),
        ({"special_focus_status": "SFF"}, None, None),
        ({"overall_footnote": "1"}, None, None),
    ],
)
def test_a_star_that_does_not_rest_on_the_score_has_none(home: dict[str, Any], stars: int | None, score: int | None) -> None:
    """Methodology 3.4, 4.7: one-star rules, Special Focus and new homes; 80 + 70 + 40 + 40 + 45 + 25 = 300 points else."""
    assert rated({**PRINTED, **home}).rows("select stars, score from staffing.scores") == [(stars, score)]


@pytest.mark.parametrize("inputs", ["published", "recomputed"])
@pytest.mark.parametrize(("mix", "word"), [("0.00000", "zero_case_mix"), (None, "no_case_mix")])
def test_without_a_case_mix_there_is_no_staffing_star(mix: str | None, word: str, inputs: str) -> None:
    """Methodology 3.3: rescaling is for homes with valid levels only, so one level without a value is no rating, and the reason is named."""
    bench = rated({**PRINTED, "case_mix_rn_hprd": mix}, PRINTED)
    if inputs == "recomputed":
        bench.con.execute("set variable inputs = 'recomputed'")
        bench.con.execute(
            "update staffing.levels set wanted = 'recomputed', reported_hprd = published_reported_hprd, exclusion = null"
        )
        bench.con.execute("update staffing.levels set adjusted_hprd = adjusted_from_published_hprd")
        bench.run(*SCORED)
    assert component(bench, "adjusted_rn_hprd", "value, points, reason") == (None, None, word)
    assert bench.rows(f"select stars, score, status from staffing.scores where ccn = '{HOME}'") == [(None, None, word)]
    assert bench.run("audit.flags", "staffing.exclusions").rows(
        f"select exclusion, effect, counted from staffing.exclusions where ccn = '{HOME}' and rating_measure = 'adjusted_rn_hprd' and counted"
    )[-1] == (word, "no_value", True)


def test_a_case_mix_of_zero_is_in_no_mean() -> None:
    """Without State US Averages the nation is the mean of the homes that have a case mix: 0.7 and 0.9, not 0.533."""
    bench = Bench("2026-07", inputs="published")
    bench.put(
        "current.provider_info", [{"ccn": f"{k:06}", "case_mix_rn_hprd": mix} for k, mix in enumerate(("0.7", "0.9", "0"), 1)]
    )
    bench.run("staffing.published_levels", "staffing.national_case_mix")
    assert bench.rows("select national_hprd::double, homes from staffing.national_case_mix where measure = 'rn'") == [(0.8, 2)]
    bench.put("current.state_averages", [{"state": "NATION", "case_mix_rn_hprd": 0}]).run("staffing.national_case_mix")
    assert bench.rows("select national_hprd::double, basis from staffing.national_case_mix where measure = 'rn'") == [
        (0.8, "mean_of_homes")
    ]


def test_weekend_hours_of_july_2022_need_no_case_mix() -> None:
    """Methodology 1.5: 3.5 x 4.2 / 4 = 3.675; the file of that month has no adjusted weekend column, and this home no case mix."""
    home = {**HOURS, **TURNOVER, "adjusted_rn_hprd": 1, "adjusted_total_nurse_hprd": "4.2"}
    bench = rated(home, PRINTED, month="2022-07")
    weekend = component(bench, "adjusted_weekend_total_nurse_hprd", "value::double, points, reason")
    assert weekend == (3.675, 40, None)
    assert bench.rows(f"select status from staffing.scores where ccn = '{HOME}'") == [("rated",)]


def test_of_several_exclusions_the_first_acts() -> None:
    """A home that lacks two quarters has few nurses too: the lowest points are those of the missing quarter, and one row says that it counted."""
    bench = rated(PRINTED, inputs="best")
    rows = [
        {"ccn": HOME, "measure": measure, "definition": "cms", "exclusion": word, "evidence": "seen", "rank": rank}
        for measure in ("total_nurse", "rn")
        for word, rank in (("few_eligible_nurses", 14), ("missing_quarter", 12))
    ]
    bench.put("turnover.exclusions", rows)
    bench.put("turnover.counts", [{"ccn": HOME, "measure": m, "definition": "cms", "eligible_spells": 3, "departures": 1}
                                  for m in ("total_nurse", "rn")])  # fmt: skip
    bench.run("turnover.home_turnover", "staffing.measure_values", "staffing.components", "staffing.scores", "audit.flags")
    found = bench.run("staffing.exclusions").rows(
        "select exclusion, rating_measure, could, effect, counted from staffing.exclusions where rating_measure = 'rn_turnover_pct'"
    )
    assert found == [
        ("few_eligible_nurses", "rn_turnover_pct", "left_out", "none", False),
        ("missing_quarter", "rn_turnover_pct", "minimum_points", "minimum_points", True),
    ]
    assert component(bench, "rn_turnover_pct", "points, reason") == (5, "missing_quarter")


@pytest.mark.parametrize(
    ("inputs", "home", "source"),
    [
        ("published", {}, "published"),
        ("best", {}, "published"),  # no file but the provider file
        ("recomputed", {"staffing_footnote": "24"}, "published"),  # the footnote alone makes it one
    ],
)
def test_whose_values_are_behind_a_staffing_star(inputs: str, home: dict[str, Any], source: str) -> None:
    """Levels and turnover are CMS's where no payroll file is there."""
    assert rated({**PRINTED, **home}, inputs=inputs).rows("select source from staffing.scores") == [(source,)]


def test_a_star_of_levels_of_ours_and_a_turnover_of_cms_is_mixed() -> None:
    """And one without RN hours on four days is ours, footnote or not."""
    bench = rated(PRINTED)
    bench.con.execute("update staffing.components set wanted = 'recomputed' where measure like 'adjusted%'")
    select = "select stars, source from staffing.scores"
    assert bench.run("staffing.scores").rows(select) == [(4, "mixed")]
    bench.con.execute("set variable inputs = 'best'")
    bench.put("staffing.daily_levels", [{"ccn": HOME, "measure": "rn", "zero_days": 4}])
    assert bench.run("staffing.scores").rows(select) == [(1, "recomputed")]
