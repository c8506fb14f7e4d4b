"""Inspections and the overall star: each rule by a small case with a known answer."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest

from pipelines.engine import SQL
from tests.support import Bench

STAFFING = (
    "daily_levels", "level_exclusions", "published_levels", "national_case_mix", "levels", "published_exclusions", "measure_values",
    "printed_turnover", "components", "scores",
)  # fmt: skip
QUALITY = tuple(f"quality.{name}" for name in ("values", "components", "scores", "stars"))
INSPECTIONS = tuple(
    f"inspections.{name}" for name in ("citations", "citation_gaps", "cycles", "abuse", "scores", "cut_points", "stars")
)
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


def test_least_and_greatest_are_used_only_where_nothing_is_missing() -> None:
    """DuckDB's two skip NULL, so that greatest(NULL, 0) is 0: what is unknown would become a number. A clamped star is never unknown."""
    used = {
        f"{path.parent.name}/{path.name}"
        for path in SQL.glob("*/*.sql")
        if re.search(r"\b(least|greatest)\s*\(", path.read_text())
    }
    assert used == {"overall/stars.sql"}


@pytest.mark.parametrize("domain", ["staffing", "quality"])
def test_a_domain_that_cms_rates_and_we_cannot_leaves_the_star_open(domain: str) -> None:
    """Methodology 6: only a domain without a star of CMS's is skipped; too few values in the file are not CMS's blank."""
    bench = Bench("2026-07", inputs="recomputed")
    plain: dict[str, Any] = {"ccn": "015009"}
    status = {name: {"stars": 3, "status": "rated"} for name in ("staffing", "quality")}
    status[domain] = {"status": {"staffing": "zero_case_mix", "quality": "few_measures"}[domain]}
    bench.put("quality.stars", [{**plain, "rating": "qm_rating", **status["quality"]}])
    bench.put("staffing.scores", [{**plain, **status["staffing"]}])
    bench.put("inspections.stars", [{**plain, "stars": 4, **HEALTH}])
    select = "select stars, status from overall.stars"
    assert bench.put("current.provider_info", [plain]).run("overall.stars").rows(select) == [(4, "rated")]
    rated = {"staffing": "staffing_rating", "quality": "qm_rating"}[domain]
    bench.put("current.provider_info", [{**plain, rated: 5}]).run("overall.stars")
    assert bench.rows(select) == [(None, status[domain]["status"])]


@pytest.mark.parametrize(
    ("parts", "source"),
    [
        (("recomputed", "recomputed", "recomputed"), "recomputed"),
        (("published", "published", "published"), "published"),
        (("recomputed", "recomputed", "published"), "mixed"),
        (("mixed", "recomputed", "recomputed"), "mixed"),
    ],
)
def test_a_star_is_recomputed_only_if_every_part_was(parts: tuple[str, ...], source: str) -> None:
    """Of the overall star, from those of inspections, staffing and quality measures."""
    bench = Bench("2026-07")
    row = {"ccn": "015009", "stars": 3, "status": "rated"}
    health, staffing, quality = parts
    bench.put("inspections.stars", [{**row, "source": health}]).put("staffing.scores", [{**row, "source": staffing}])
    bench.put("quality.stars", [{**row, "rating": "qm_rating", "source": quality}])
    assert bench.run("overall.stars").rows("select source from overall.stars") == [(source,)]


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
    """Homes with these scores in both cycles, and so by CMS's account too."""
    return [
        {"ccn": f"{first + k:06}", "state": state, "weighted_health_score": score, "cycle_1_score": score, "cycle_2_score": score}
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


def test_stars_that_equal_scores_leave_nobody_are_no_band() -> None:
    """R14: of ten equal homes all have five stars; what is worse has one, and between them there is no band that runs backwards."""
    bench = inspected(scored(*[4] * 10))
    bands = "select stars, lower::double, upper::double from inspections.cut_points where scope = 'VT' order by stars"
    assert bench.rows(bands) == [(1, 4.001, None), (5, 0, 4)]
    parted = inspected(scored(0, 1, 1, 1, 1, 1, 6, 7, 8, 9))
    assert parted.rows(bands) == [(1, 7.001, None), (2, 1.001, 7), (4, 0.001, 1), (5, 0, 0)]


def test_a_star_says_where_it_was_ranked_and_among_how_many() -> None:
    """Twenty homes of AL in their state, four of GU in the nation of 24."""
    bench = inspected(scored(*range(20), state="AL") + scored(50, 50, 50, 50, state="GU", first=900))
    found = bench.rows("select distinct scope, ranked_homes from inspections.stars order by 1")
    assert found == [("AL", 20), ("nation", 24)]


def test_a_star_is_our_own_where_score_icon_and_ranks_are() -> None:
    """Citations of five homes: all own. One home more by CMS's points: none is ranked among scores of ours alone."""
    homes = [
        {"ccn": f"{k:06}", "state": "VT", "cycle_1_score": 0, "cycle_2_score": 0, "cycle_1_revisits": 0, "cycle_2_revisits": 0,
         "cycle_1_citations": 0, "cycle_2_citations": 0} for k in range(1, 6)
    ]  # fmt: skip
    select = "select source, has_own_ranks, count(*) from inspections.stars group by all order by all"

    def ranked(*more: dict[str, Any]) -> list[tuple[Any, ...]]:
        bench = (
            Bench("2026-07")
            .put("current.provider_info", [*homes, *more])
            .put("inputs.supplied", [("health_citations", "2026-07")])
        )
        return bench.run(*INSPECTIONS).rows(select)

    assert ranked() == [("recomputed", True, 5)]
    assert ranked({**homes[0], "ccn": "000009", "cycle_1_citations": 3}) == [("published", False, 1), ("recomputed", False, 5)]
    assert ranked({**homes[0], "ccn": "000009", "cycle_1_revisits": None}) == [("mixed", False, 1), ("recomputed", False, 5)]


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


@pytest.mark.parametrize(("focus", "candidate"), [("SFF", "SFF Candidate"), ("S", "C"), (" sff ", "sff candidate"), ("s", "c ")])
def test_special_focus_is_not_ranked_and_has_no_star(focus: str, candidate: str) -> None:
    """Methodology 4.7, in every spelling seen; a candidate keeps its star."""
    homes = scored(*range(11))
    homes[0]["special_focus_status"] = focus
    homes[1]["special_focus_status"] = candidate
    bench = inspected(homes)
    assert stars(bench) == [None, 5, 4, 4, 4, 3, 3, 2, 2, 1, 1]
    assert bench.rows("select status from inspections.stars where ccn = '000001'") == [("special_focus",)]
    assert bench.rows("select is_sff, is_sff_candidate from homes.standing order by ccn limit 3") == [
        (True, False),
        (False, True),
        (False, False),
    ]


def unshown(**home: Any) -> list[tuple[Any, ...]]:
    """Star and status of inspections, staffing and quality of a home that would have stars in each, beside nine plain ones."""
    shown = dict.fromkeys(("overall_rating", "health_inspection_rating", "staffing_rating", "qm_rating"), 3)
    levels = {f"adjusted_{level}_hprd": 4 for level in ("rn", "total_nurse", "weekend_total_nurse")}
    blank = {} if home.pop("shown", True) else dict.fromkeys(shown)
    homes = [{**row, **shown, **levels} for row in scored(*range(10))]
    homes[0] |= {**blank, **home}
    bench = Bench("2026-06", inputs="published").put("current.provider_info", [{"state": "VT", **row} for row in homes])
    bench.run("turnover.home_quarters").put("turnover.home_turnover")
    bench.run(*(f"staffing.{name}" for name in STAFFING), *INSPECTIONS, *QUALITY)
    assert bench.rows("select count(*) from inspections.stars where status = 'rated'")[0][0] in (9, 10)
    return [
        bench.rows(f"select stars, status from {table} where ccn = '000001' {more}")[0]
        for table, more in (
            ("inspections.stars", ""),
            ("staffing.scores", ""),
            ("quality.stars", "and rating = 'qm_rating'"),
            ("quality.stars", "and rating = 'long_stay_qm_rating'"),
        )
    ]


@pytest.mark.parametrize(
    ("home", "status"),
    [
        ({"special_focus_status": "SFF"}, "special_focus"),  # by its text alone, whatever stars the file has
        ({"special_focus_status": "S", "shown": False}, "special_focus"),
        *(
            ({f"{domain}_footnote": "18"}, "special_focus")
            for domain in ("overall", "health_inspection", "staffing", "qm", "long_stay_qm", "short_stay_qm")
        ),
        ({"overall_footnote": "1", "shown": False}, "too_new"),
        ({"cycle_2_score": None, "health_inspection_rating": None}, "too_new"),  # one standard survey, no footnote
        ({"cycle_1_survey_date": "2026-01-05", "health_inspection_rating": None}, "too_new"),
        ({"shown": False}, "no_cms_star"),
        ({"special_focus_status": "Graduated", "shown": False}, "unknown_special_focus"),
    ],
)
def test_a_home_without_stars_has_none_in_any_domain(home: dict[str, Any], status: str) -> None:
    """R28: Special Focus by text or by footnote 18 beside any star, fewer than two standard surveys, or no star of CMS's at all."""
    assert unshown(**home) == [(None, status)] * 4


def test_a_special_focus_text_that_no_rule_knows_is_told() -> None:
    """It never means none in silence: the home has the stars that it would have, since CMS shows stars, and a flag."""
    assert [status for _, status in unshown(special_focus_status="Graduated")][:2] == ["rated", "rated"]
    homes = [{**home, "health_inspection_rating": 3} for home in scored(*range(10))]
    homes[0] |= {"special_focus_status": "Graduated"}
    bench = inspected(homes).run("inspections.partings", "inspections.exclusions")
    assert bench.rows("select ccn, exclusion, could, effect, counted, evidence from inspections.exclusions") == [
        ("000001", "unknown_special_focus", "no_star", "flag", False, 'Special Focus text "Graduated"')
    ]


def test_a_cell_that_could_not_be_read_makes_no_home_too_new() -> None:
    """The second cycle of a home without a star is blank because its cell is a reject."""
    homes = scored(*range(10))
    homes[0] |= {"cycle_2_score": None}
    bench = Bench("2026-07").put("current.provider_info", homes).run("homes.standing")
    assert bench.rows("select withheld from homes.standing where ccn = '000001'") == [("too_new",)]
    bench.put("current.rejects", [{"ccn": "000001", "table_name": "provider_info"}]).run("homes.standing")
    assert bench.rows("select withheld from homes.standing where ccn = '000001'") == [(None,)]


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


@pytest.mark.parametrize(
    ("before", "icon_before", "icon_now", "rank", "found"),
    [
        (4, False, True, 1, (2, 2, 2, "abuse_icon")),  # kept through an icon that came: four, and then the cap
        (1, False, True, 5, (1, 1, 1, "kept_star")),
        (1, True, False, 5, (1, 1, 1, "kept_star")),  # one star is no icon's doing, so it stays when the icon goes
        (2, True, False, 5, (5, 2, 5, "hidden_by_icon")),  # two under an icon may have been two to five
        (2, True, False, 1, (2, 2, 5, "hidden_by_icon")),
        (2, True, True, 5, (2, 2, 2, "abuse_icon")),  # whatever it hid, the cap is the same
        (2, False, False, 5, (2, 2, 2, "kept_star")),  # without an icon two is two
    ],
)
def test_a_star_is_kept_whatever_becomes_of_the_icon(
    before: int, icon_before: bool, icon_now: bool, rank: int, found: tuple[Any, ...]
) -> None:
    """R27: the score is the same, so the star is; the cap comes after; what two stars under an icon hid is open between two and five."""
    homes = scored(*range(10))
    mine = homes[{5: 0, 1: 9}[rank]]
    icon = {True: "Y", False: "N"}
    earlier = [
        {**mine, "health_inspection_rating": before, "abuse_icon": icon[icon_before]},
        {"ccn": "999999", "weighted_health_score": 0, "health_inspection_rating": 5},
    ]
    mine["abuse_icon"] = icon[icon_now]
    bench = inspected(homes, earlier)
    assert bench.rows(f"select stars, stars_low, stars_high, reason from inspections.stars where ccn = '{mine['ccn']}'") == [
        found
    ]


def test_a_score_of_cms_is_never_set_against_one_of_ours() -> None:
    """Under `recomputed` the score now is 0 as CMS's was, but CMS's now is 3: it changed. A blank of CMS's says nothing either."""
    earlier = [{"ccn": "000001", "weighted_health_score": 0, "health_inspection_rating": 1}]
    for printed in (3, None):
        homes = scored(*range(10))
        homes[0]["weighted_health_score"] = printed
        assert inspected(homes, earlier).rows("select kept_stars from inspections.stars where ccn = '000001'") == [(None,)]


@pytest.mark.parametrize("published", [2, 3, 5])
def test_an_open_inspection_star_is_compared_as_open(published: int) -> None:
    """R27: with 2 to 5 possible and 5 likely CMS's 5 agrees, and its 2 and 3 do not contradict."""
    homes = scored(*range(10))
    earlier = [{**homes[0], "health_inspection_rating": 2, "abuse_icon": "Y"}]
    homes[0]["health_inspection_rating"] = published
    bench = inspected(homes, earlier).run("audit.replication")
    row = bench.rows("select agrees, reason from audit.replication where item = 'health_inspection_rating' and ccn = '000001'")
    assert row == ([("yes", None)] if published == 5 else [("open", "hidden_by_icon")])


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
