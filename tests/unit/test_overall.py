"""Inspections and the overall star: each rule by a small case with a known answer."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.support import Bench

INSPECTIONS = tuple(f"inspections.{name}" for name in ("citations", "cycles", "abuse", "scores", "cut_points", "stars"))
HEALTH = {"status": "rated", "source": "recomputed"}


def overall_of(health: int | None, staffing: int | None, quality: int | None, month: str = "") -> tuple[Any, ...]:
    """Star, changes by staffing, quality and cap, status and reason of one home; `month` for rules of another time."""
    bench = Bench("2026-07")
    if month:
        bench.con.execute(f"set variable release = '{month}'")
    status = {"status": "rated"} if health else {"status": "too_new"}
    bench.put(
        "quality.stars",
        [{"ccn": "015009", "rating": "qm_rating", "stars": quality, "status": "rated" if quality else "few_measures"}],
    )
    bench.put("staffing.scores", [{"ccn": "015009", "stars": staffing, "status": "rated" if staffing else "criteria_not_met"}])
    bench.put("inspections.stars", [{"ccn": "015009", "stars": health, **HEALTH, **status}])
    bench.run("overall.stars")
    return bench.rows("select stars, staffing_change, quality_change, cap_change, status, reason from overall.stars")[0]


@pytest.mark.parametrize(
    ("health", "staffing", "quality", "stars"),
    [(3, 5, 5, 5), (4, 5, 3, 5), (3, 5, 1, 3), (2, 1, 1, 1), (1, 5, 5, 2)],
)
def test_the_worked_examples(health: int, staffing: int, quality: int, stars: int) -> None:
    """Methodology 6."""
    assert overall_of(health, staffing, quality)[0] == stars


def test_each_step_is_told() -> None:
    """One star for inspections and five for both others: two steps up, and the cap takes one away."""
    assert overall_of(1, 5, 5) == (2, 1, 1, -1, "rated", "health_one_star")
    assert overall_of(5, 5, 5) == (5, 0, 0, 0, "rated", None)


def test_a_missing_part_is_skipped_and_without_inspections_there_is_no_star() -> None:
    """Methodology 6."""
    assert overall_of(3, None, 5)[:3] == (4, 0, 1)
    assert overall_of(3, 5, None)[:3] == (4, 1, 0)
    assert overall_of(None, 5, 5) == (None, None, None, None, "too_new", None)


def test_before_july_2022_four_stars_above_the_health_star_added_one() -> None:
    """Methodology 6: four or five for staffing, and more than for inspections; since then five alone."""
    assert overall_of(3, 4, 3, "2022-06")[0] == 4
    assert overall_of(4, 4, 3, "2022-06")[0] == 4
    assert overall_of(5, 5, 3, "2022-06")[0] == 5
    assert overall_of(3, 4, 3)[0] == 3
    assert overall_of(4, 1, 3, "2022-06")[0] == 3


def inspected(homes: list[dict[str, Any]], earlier: list[dict[str, Any]] | None = None, month: str = "2026-07") -> Bench:
    """Scores, cut points and stars of some homes."""
    bench = Bench(month)
    bench.put("current.provider_info", [{"state": "VT", **home} for home in homes])
    bench.put("previous.provider_info", [{"processing_date": "2026-06-01", **home} for home in earlier or []])
    return bench.run(*INSPECTIONS)


@pytest.mark.parametrize(
    ("month", "cycles", "score"),
    [
        ("2026-07", (56, 8, None), "44.000"),
        ("2025-06", (60, 30, 12), "42.000"),
        ("2025-06", (60, 30, None), "48.000"),
        ("2025-07", (1, 2, None), "1.250"),
        ("2026-07", (8, None, None), None),
    ],
)
def test_cycles_weigh_what_the_release_says(month: str, cycles: tuple[int | None, ...], score: str | None) -> None:
    """3/4 and 1/4 from July 2025; before 1/2, 1/3 and 1/6, with two surveys 60/40; one survey is no score."""
    home = {"ccn": "015009", **{f"cycle_{k}_score": points for k, points in enumerate(cycles, start=1)}}
    bench = inspected([home], month=month)
    expected = None if score is None else Decimal(score)
    assert bench.rows("select weighted_score, status from inspections.scores") == [(expected, "rated" if score else "too_new")]


def scored(*scores: float, state: str = "VT", first: int = 1) -> list[dict[str, Any]]:
    """Homes with these scores in both cycles."""
    return [
        {"ccn": f"{first + k:06}", "state": state, "cycle_1_score": score, "cycle_2_score": score}
        for k, score in enumerate(scores)
    ]


def stars(bench: Bench) -> list[int]:
    """Stars in the order of homes."""
    return [row[0] for row in bench.rows("select stars from inspections.stars order by ccn")]


def test_ranks_are_nearest_and_ties_stay_together() -> None:
    """R14: of ten homes one has five stars, then up to the 4th, the 6th and the 8th; equal scores never part."""
    assert stars(inspected(scored(*range(10)))) == [5, 4, 4, 4, 3, 3, 2, 2, 1, 1]
    assert stars(inspected(scored(0, 0, 0, 3, 4, 5, 6, 7, 8, 9))) == [5, 5, 5, 4, 3, 3, 2, 2, 1, 1]
    assert stars(inspected(scored(*[4] * 10))) == [5] * 10


def test_a_state_of_fewer_than_five_homes_takes_the_nation() -> None:
    """R14: four homes of GU with equal scores are placed among all homes, of which twenty are better."""
    homes = scored(*range(20), state="AL") + scored(50, 50, 50, 50, state="GU", first=900)
    bench = inspected(homes)
    assert bench.rows("select distinct scope, stars from inspections.stars where ccn >= '000900'") == [("nation", 1)]
    five = inspected(homes + scored(50, state="GU", first=950))
    assert five.rows("select distinct scope, stars from inspections.stars where ccn >= '000900'") == [("GU", 5)]


def test_the_abuse_icon_caps_the_star_and_stays_in_the_ranking() -> None:
    """Methodology 4.6, R23."""
    homes = scored(*range(10))
    homes[0]["abuse_icon"] = "Y"
    bench = inspected(homes)
    assert stars(bench) == [2, 4, 4, 4, 3, 3, 2, 2, 1, 1]
    assert bench.rows("select reason from inspections.stars where ccn = '000001'") == [("abuse_icon",)]


def test_special_focus_is_not_ranked_and_has_no_star() -> None:
    """Methodology 4.7; a candidate keeps its star."""
    homes = scored(*range(11))
    homes[0]["special_focus_status"] = "SFF"
    homes[1]["special_focus_status"] = "SFF Candidate"
    bench = inspected(homes)
    assert stars(bench) == [None, 5, 4, 4, 4, 3, 3, 2, 2, 1, 1]
    assert bench.rows("select status from inspections.stars where ccn = '000001'") == [("special_focus",)]


def test_a_home_keeps_its_star_until_its_own_score_changes() -> None:
    """Methodology 4.5: the star of the release before stands where the home's score is the same; without such a release it is fresh."""
    homes = scored(*range(10))
    earlier = [
        {"ccn": "000002", "weighted_health_score": 1, "health_inspection_rating": 5},
        {"ccn": "000003", "weighted_health_score": 9, "health_inspection_rating": 1},
    ]
    bench = inspected(homes, earlier)
    assert stars(bench) == [5, 5, 4, 4, 3, 3, 2, 2, 1, 1]
    reasons = "select ccn, reason from inspections.stars where reason is not null order by ccn"
    assert bench.rows(reasons) == [("000002", "kept_star")]
    assert {row[1] for row in inspected(homes).rows(reasons)} == {"no_previous_release"}
    other_weights = [{**home, "processing_date": "2025-06-01"} for home in earlier]
    assert {row[1] for row in inspected(homes, other_weights).rows(reasons)} == {"no_previous_release"}


@pytest.mark.parametrize(
    ("kept", "star", "reason"), [(1, 1, "kept_star"), (2, 2, "abuse_icon"), (4, 2, "abuse_icon"), (None, 2, "abuse_icon")]
)
def test_a_kept_star_under_the_abuse_icon(kept: int | None, star: int, reason: str) -> None:
    """Its rank of five is held at two; a star of one that it keeps is not the icon's doing."""
    homes = scored(*range(10))
    homes[0]["abuse_icon"] = "Y"
    earlier = [{"ccn": "000001", "weighted_health_score": 0, "health_inspection_rating": kept, "abuse_icon": "Y"}] if kept else []
    found = inspected(homes, earlier).rows("select stars, reason from inspections.stars where ccn = '000001'")
    assert found == [(star, reason)]


def test_cut_points_are_compared_with_those_that_cms_prints() -> None:
    """Of ten homes of VT the four-star cut is 3; GU has one home and the nation's cut points. A difference is told with CMS's text."""
    bench = inspected(scored(*range(10)) + scored(50, state="GU", first=900))
    right = {"five_stars": "0-1", "four_stars": "2 - 3", "three_stars": "4-6", "two_stars": "7-8", "one_star": "> 8"}
    vt = {"five_stars": "0-0", "four_stars": "0.001-3", "three_stars": "3.001-5", "two_stars": "5.001-7", "one_star": "> 7"}
    bench.put("current.state_cut_points", [{"state": "GU", **right}, {"state": "VT", **vt}])
    select = "select scope, stars, printed, recomputed_upper::int from audit.cut_point_differences"
    assert bench.run("inspections.printed_cut_points", "audit.cut_point_differences").rows(select) == []
    bench.put("current.state_cut_points", [{"state": "GU", **right}, {"state": "VT", **vt, "four_stars": "0.001-4"}])
    assert bench.run("inspections.printed_cut_points", "audit.cut_point_differences").rows(select) == [("VT", 4, "0.001-4", 3)]
