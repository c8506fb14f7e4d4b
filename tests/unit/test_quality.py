"""Quality measures to points, scores and stars: each rule by a small case with a known answer."""

from __future__ import annotations

import csv
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

from pipelines.periods import RULES, releases
from tests.support import Bench

HOME = "015009"
LONG = ("401", "451", "481", "479", "406", "407", "410", "551", "552")
SHORT = ("434", "S_042", "S_038", "521", "522", "S_005")
TABLES = ("qm_mds", "qm_claims", "snf_qrp")
MADE = tuple(f"quality.{name}" for name in ("values", "components", "scores", "stars"))
BEST = {"S_042": 100, "S_005": 100}  # of these more is better


def rows_of(table: str) -> list[dict[str, str]]:
    with (RULES / f"{table}.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


def in_force(table: str, month: str) -> list[dict[str, str]]:
    return [row for row in rows_of(table) if row["effective_from"] <= month <= (row["effective_to"] or "9999-12")]


def measured(
    values: dict[str, dict[str, Any]],
    month: str = "2026-07",
    inputs: str = "best",
    without: tuple[str, ...] = (),
    homes: dict[str, dict[str, Any]] | None = None,
) -> Bench:
    """Scores and stars of homes, each with its printed values by measure; None is a blank with footnote 9, absent is no row."""
    bench = Bench(month, inputs=inputs)
    provider = [{"ccn": ccn, "state": "AL", **(homes or {}).get(ccn, {})} for ccn in values]
    bench.put("current.provider_info", provider)
    source = {row["measure"]: row for row in in_force("quality_measures", month)}
    rows: dict[str, list[dict[str, Any]]] = {table: [] for table in TABLES}
    for ccn, printed in values.items():
        for measure, value in printed.items():
            rule = source[measure]
            row = {"ccn": ccn, "measure_code": rule["code_like"].replace("%", "02"), "is_used": "Y", "measure_period": "2025"}
            blank = {"footnote": "9"} if value is None else {}
            column = {"qm_mds": "four_quarter_average", "qm_claims": "adjusted_score", "snf_qrp": "score"}[rule["source_table"]]
            rows[rule["source_table"]].append({**row, column: value, **blank})
    for table in TABLES:
        bench.put(f"latest.{table}", [] if table in without else rows[table])
    return bench.run(*MADE)


def perfect(**other: Any) -> dict[str, Any]:
    """Printed values that earn the most points of every measure, but for some."""
    return {**{measure: BEST.get(measure, 0) for measure in (*LONG, *SHORT)}, **other}


def component(bench: Bench, measure: str, columns: str = "points") -> tuple[Any, ...]:
    return bench.rows(f"select {columns} from quality.components where measure = '{measure}' and ccn = '{HOME}'")[0]


def score(bench: Bench, name: str, columns: str = "score") -> tuple[Any, ...]:
    return bench.rows(f"select {columns} from quality.scores where score_name = '{name}_qm_score' and ccn = '{HOME}'")[0]


SETS = ("2022-07", "2025-06", "2026-07")  # releases that together use every row of the point tables


def test_the_releases_that_are_tested_use_every_row() -> None:
    """Of the point tables."""
    used = {tuple(row.values()) for month in SETS for row in in_force("quality_cut_points", month)}
    assert used == {tuple(row.values()) for row in rows_of("quality_cut_points")}


@pytest.mark.parametrize("month", SETS)
def test_every_row_of_the_point_tables(month: str) -> None:
    """Methodology 5.5: both ends of each band earn its points, a hair beyond them the next band's; for the releases of every set."""
    measures = {row["measure"]: row for row in in_force("quality_measures", month)}
    bands = [row for row in in_force("quality_cut_points", month) if row["measure"] in measures]
    assert {row["measure"] for row in bands} == set(measures)
    asked: dict[str, tuple[str, Decimal, int]] = {}
    for row in bands:
        for value in (Decimal(row["lower"]), Decimal(row["upper"])):
            near = [value - Decimal("0.00004"), value, value + Decimal("0.00004")] if 0 < value < 1 else [value]
            for exact in near:  # four decimals are compared, so that these are the same value
                asked[f"{len(asked):06}"] = (row["measure"], exact, int(row["points"]))
    bench = Bench(month)
    homes = [value for ccn, (measure, exact, _) in asked.items() for value in _with(ccn, measure, exact, list(measures.values()))]
    bench.put("quality.values", homes).run("quality.components")
    found = {(ccn, measure): points for ccn, measure, points in bench.rows("select ccn, measure, points from quality.components")}
    assert {ccn: found[ccn, measure] for ccn, (measure, _, _) in asked.items()} == {
        ccn: points for ccn, (_, _, points) in asked.items()
    }


def _with(ccn: str, measure: str, exact: Decimal, measures: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Values of a home of which one measure is looked at and the others make the stays count."""
    return [
        {
            "ccn": ccn,
            "state": "AL",
            "measure": row["measure"],
            "stay": row["stay"],
            "value": (exact if row["measure"] == measure else Decimal("0.1")).quantize(Decimal("0.0001")),
            "exact_value": exact,
            "is_supplied": True,
            "is_listed": True,
        }
        for row in measures
    ]


@pytest.mark.parametrize(
    "month", [name for name, release in releases().items() if release.basis != "never_made" and name < "2027"]
)
def test_every_release_has_point_ranges_without_gaps(month: str) -> None:
    """R20: the latest known ranges are carried forward; bands touch at the fourth decimal, best to worst."""
    measures = {row["measure"]: row for row in in_force("quality_measures", month)}
    assert sum(row["stay"] == "long" for row in measures.values()) == 9
    assert sum(row["stay"] == "short" for row in measures.values()) == 6
    for measure, rule in measures.items():
        bands = sorted(
            (Decimal(r["lower"]), Decimal(r["upper"])) for r in in_force("quality_cut_points", month) if r["measure"] == measure
        )
        assert len(bands) == int(rule["bands"])
        assert bands[0][0] == 0
        assert all(after[0] - before[1] == Decimal("0.0001") for before, after in pairwise(bands))


def test_printed_values_are_proportions_rounded_half_up() -> None:
    """Methodology 5.2: 6.625 percent is 0.06625 and compared as 0.0663, one band worse than 0.0662."""
    assert component(measured({HOME: perfect(**{"401": "6.624999"})}), "401", "value, points") == (Decimal("0.0662"), 150)
    assert component(measured({HOME: perfect(**{"401": "6.625000"})}), "401", "value, points") == (Decimal("0.0663"), 135)
    assert component(measured({HOME: perfect(**{"551": "0.717900"})}), "551", "value, points") == (Decimal("0.7179"), 150)


def test_zero_is_a_band_of_its_own() -> None:
    """Methodology 5.1: of 434 and S_038 zero earns 100 points, the least above it 80."""
    bench = measured({HOME: perfect(**{"434": "0.010000"})})
    assert component(bench, "434") == (80,)
    assert component(bench, "S_038") == (100,)


def test_the_best_and_the_worst_scores() -> None:
    """Methodology 5.4: 1,150 and 1,150 and 2,300 points; the other end is 155, 144 and 299."""
    bench = measured({HOME: perfect()})
    assert [score(bench, name) for name in ("long_stay", "short_stay", "overall")] == [(1150,), (1150,), (2300,)]
    worst = {measure: 0 if measure in BEST else 100 for measure in (*LONG, *SHORT)}
    bench = measured({HOME: worst})
    assert [score(bench, name) for name in ("long_stay", "short_stay", "overall")] == [(155,), (144,), (299,)]


def test_a_value_that_is_not_shown_is_the_mean_of_the_state_and_leaves_the_star_open() -> None:
    """Methodology 5.3: with 8 of 9 shown the stay counts; 406 of the other two homes of AL is 1.00 and 2.00 percent, of GA 9."""
    others = {"015010": perfect(**{"406": "1.00"}), "015011": perfect(**{"406": "2.00"}), "115001": perfect(**{"406": "9.00"})}
    bench = measured({HOME: perfect(**{"406": None}), **others}, homes={"115001": {"state": "GA"}})
    found = component(bench, "406", "value, value_source, points, points_low, points_high, max_points, reason")
    assert found == (Decimal("0.0150"), "imputed", 60, 20, 100, 100, "too_few_residents")
    assert score(bench, "long_stay", "score, score_low, score_high") == (1110, 1070, 1150)


def test_without_enough_measures_a_stay_does_not_count() -> None:
    """Methodology 5.3: five of nine long, four of six short; then the star is that of the other stay."""
    few_long = measured({HOME: perfect(**dict.fromkeys(LONG[:5]))}, month="2026-06")
    assert score(few_long, "long_stay", "score, status") == (None, "few_measures")
    assert component(few_long, "552", "points, max_points, reason") == (None, None, "few_measures")
    assert component(few_long, "401", "points, max_points, reason") == (None, None, "too_few_residents")
    star = "select stars, source, status from quality.stars where rating = 'qm_rating'"
    assert few_long.rows(star) == [(5, "recomputed", "rated")]
    alone = measured({HOME: perfect(**dict.fromkeys(LONG[:4]))}, month="2026-06")
    assert score(alone, "long_stay", "score, status") == (None, "value_blank")
    enough = measured({HOME: perfect(**dict.fromkeys(LONG[:4])), "015010": perfect()}, month="2026-06")
    assert score(enough, "long_stay", "score, status") == (1150, "rated")
    few_short = measured({HOME: perfect(**dict.fromkeys(SHORT[:3]))}, month="2026-06")
    assert score(few_short, "short_stay", "score, status") == (None, "few_measures")
    assert few_short.rows(star) == [(5, "recomputed", "rated")]
    none = measured({HOME: {}, "015010": perfect()}, month="2026-06")
    assert none.rows(f"{star} and ccn = '{HOME}'") == [(None, "recomputed", "few_measures")]
    assert component(none, "401", "value, reason") == (None, "not_in_file")


@pytest.mark.parametrize("month", ["2022-09", "2025-02", "2026-06", "2026-07"])
def test_every_row_of_the_star_thresholds(month: str) -> None:
    """Methodology 5.4: the lowest score of each star has it, a point less has not. Short-stay points are tested at the scale of 800."""
    carriers = {
        "qm_rating": "401",
        "long_stay_qm_rating": "401",
        "short_stay_qm_rating": "434",
    }  # the measure that has the points
    asked: dict[str, tuple[str, int, int | None]] = {}
    for row in in_force("star_thresholds", month):
        lower, stars = int(row["lower"]), int(row["stars"])
        if row["rating"] in carriers:
            if row["rating"] == "short_stay_qm_rating":
                lower = -(-(2 * lower - 1) * 800 // 2300)  # the fewest points that scale to the score or more
            for points, star in ((lower, stars), (lower - 1, stars - 1 or None)):
                asked[f"{len(asked):06}"] = (row["rating"], points, star)
    plain = {"value": 0, "value_source": "published"}
    rows = []
    for ccn, (rating, points, _) in asked.items():
        for row in in_force("quality_measures", month):
            earned = points if row["measure"] == carriers[rating] else 0
            every = dict.fromkeys(("points", "points_low", "points_high"), earned)
            rows.append({"ccn": ccn, "measure": row["measure"], "stay": row["stay"], **plain, **every})
    bench = Bench(month).put("quality.components", rows).run("quality.scores")
    found = {(ccn, rating): stars for ccn, rating, stars in bench.rows("select ccn, rating, stars from quality.scores")}
    assert {ccn: found[ccn, rating] for ccn, (rating, _, _) in asked.items()} == {
        ccn: star for ccn, (_, _, star) in asked.items()
    }


@pytest.mark.parametrize(
    ("month", "known"), [("2022-09", 3), ("2022-10", 0), ("2024-11", 0), ("2025-06", 3), ("2026-07", 1), ("2027-01", 0)]
)
def test_a_release_without_known_thresholds_has_scores_and_a_reason(month: str, known: int) -> None:
    """R20: nothing is carried over a raise whose numbers were not found; July 2026 has those of the overall score alone."""
    values = {
        row["measure"]: BEST.get(row["measure"], 100 if row["measure"] == "471" else 0)
        for row in in_force("quality_measures", month)
    }
    bench = measured({HOME: values}, month=month)
    found = bench.rows("select score, stars, status from quality.scores order by score_name")
    assert [row[0] for row in found] == [1150, 2300, 1150]
    assert sum(row[1] == 5 and row[2] == "rated" for row in found) == known
    assert sum(row[1] is None and row[2] == "no_star_thresholds" for row in found) == 3 - known


def test_whose_star_counts() -> None:
    """best: ours where the measures determine it, else CMS's; recomputed: ours; published: CMS's."""
    given = {HOME: {"qm_rating": 4, "long_stay_qm_rating": 3}}
    star = "select stars, source, status, reason from quality.stars where rating = '{}'"
    whole = {HOME: perfect()}
    assert measured(whole, homes=given).rows(star.format("qm_rating")) == [(5, "recomputed", "rated", None)]
    assert measured(whole, homes=given, inputs="published").rows(star.format("qm_rating")) == [(4, "published", "rated", None)]
    unknown = [(3, "published", "rated", "no_star_thresholds")]
    assert measured(whole, homes=given).rows(star.format("long_stay_qm_rating")) == unknown
    ours = measured(whole, homes=given, inputs="recomputed").rows(star.format("long_stay_qm_rating"))
    assert ours == [(None, "recomputed", "no_star_thresholds", None)]
    sixty = next(row for row in in_force("quality_cut_points", "2026-07") if (row["measure"], row["points"]) == ("434", "60"))
    worst_short = {m: 0 if m in BEST else 100 for m in SHORT} | {"434": str(100 * Decimal(sixty["lower"]))}
    middling = perfect(**worst_short, **{"406": None})  # 140 x 1150/800 = 201 and 1,070 to 1,150: on both sides of 1,300
    open_star = measured({HOME: middling, "015010": perfect()}, homes=given)
    possible = open_star.rows("select stars_low, stars_high from quality.stars where rating = 'qm_rating' and ccn = '015009'")
    assert possible == [(3, 4)]
    assert open_star.rows(star.format("qm_rating") + f" and ccn = '{HOME}'") == [(4, "published", "rated", "imputed_values")]
    absent = measured(whole, homes=given, without=("snf_qrp",))
    assert absent.rows(star.format("qm_rating")) == [(4, "published", "rated", "inputs_absent")]
    assert component(absent, "521", "points, reason") == (None, "inputs_absent")


def test_a_stay_that_cms_rates_is_not_missing() -> None:
    """Three short measures are not shown, CMS rates the stay all the same: the long stay alone is not the star, CMS's star is."""
    values = {HOME: perfect(**dict.fromkeys(SHORT[:3])), "015010": perfect()}
    star = f"select stars, source, reason from quality.stars where rating = 'qm_rating' and ccn = '{HOME}'"
    rated = {HOME: {"qm_rating": 3, "long_stay_qm_rating": 4, "short_stay_qm_rating": 2}}
    assert measured(values, month="2026-06", homes=rated).rows(star) == [(3, "published", "few_measures")]
    unrated = {HOME: {"qm_rating": 5, "long_stay_qm_rating": 5}}
    assert measured(values, month="2026-06", homes=unrated).rows(star) == [(5, "recomputed", None)]


def test_a_star_that_cms_holds_back_is_not_given() -> None:
    """Footnote 7: suppressed. A blank that leaves the star open: none. Under `published` CMS's blank has its footnote's reason."""
    star = f"select stars, status from quality.stars where rating = 'qm_rating' and ccn = '{HOME}'"
    whole = {HOME: perfect(), "015010": perfect()}
    assert measured(whole, homes={HOME: {"qm_footnote": "7"}}).rows(star) == [(None, "suppressed")]
    assert measured(whole, homes={HOME: {"qm_footnote": "2"}}, inputs="published").rows(star) == [(None, "not_enough_data")]
    assert measured(whole, inputs="published").rows(star) == [(None, "not_published")]
    assert measured(whole).rows(star) == [(5, "rated")]


def test_the_latest_period_and_version_of_a_measure_counts() -> None:
    """Two periods of 401 and two versions of S_038 in one file are one value each."""
    bench = measured({HOME: perfect(**{"401": "50"}), "015010": perfect()})
    bench.con.execute("update latest.qm_mds set measure_period = '2024' where measure_code = '401'")
    again = "insert into latest.{} by name select * replace ({}) from latest.{} where measure_code = '{}'"
    bench.con.execute(again.format("qm_mds", "'2025' as measure_period, 0 as four_quarter_average", "qm_mds", "401"))
    later = "'S_038_03_ADJ_RATE' as measure_code, '5' as score"
    bench.con.execute(again.format("snf_qrp", later, "snf_qrp", "S_038_02_ADJ_RATE"))
    bench.run(*MADE, "quality.exclusions")
    assert component(bench, "401") == (150,)
    assert component(bench, "S_038", "value") == (Decimal("0.0500"),)


@pytest.mark.parametrize("mark", ["N", "", None, "n", "no"])
def test_a_value_that_cms_does_not_use_is_not_scored(mark: str | None) -> None:
    """Methodology 5.2: only rows marked Y count. The mean of the other home stands for it, and the exclusion says why."""
    bench = measured({HOME: perfect(**{"401": "50", "551": "9"}), "015010": perfect()})
    for table in ("qm_mds", "qm_claims"):
        bench.con.execute(
            f"update latest.{table} set is_used = ? where ccn = '{HOME}' and measure_code in ('401', '551')", [mark]
        )
    bench.run(*MADE, "quality.exclusions")
    found = "value::double, value_source, points_low, points_high, reason"
    assert component(bench, "401", found) == (0, "imputed", 15, 150, "not_used")
    assert component(bench, "551", found) == (0, "imputed", 15, 150, "not_used")
    told = "select measure, exclusion, effect, counted, evidence from quality.exclusions order by measure"
    assert bench.rows(told) == [
        ("401", "not_used", "imputed", True, "not marked as used in qm_mds"),
        ("551", "not_used", "imputed", True, "not marked as used in qm_claims"),
    ]


def test_an_earlier_row_that_cms_uses_goes_before_a_later_one_that_it_does_not() -> None:
    """Of two periods of 401 the later is not marked: the earlier is the value."""
    bench = measured({HOME: perfect(), "015010": perfect()})
    later = "'2026' as measure_period, 50 as four_quarter_average, 'N' as is_used"
    bench.con.execute(
        f"insert into latest.qm_mds by name select * replace ({later}) from latest.qm_mds where measure_code = '401'"
    )
    assert component(bench.run(*MADE), "401", "points, reason") == (150, None)


def test_an_open_star_without_one_of_cms_has_none_and_says_so() -> None:
    """406 may be anything, so that 140 x 1150/800 and 1,070 to 1,150 lie on both sides of 1,300; CMS shows a blank and no footnote."""
    worst_short = {m: 0 if m in BEST else 100 for m in SHORT} | {"434": "1.0"}
    middling = {HOME: perfect(**worst_short, **{"406": None}), "015010": perfect()}
    star = f"select stars, stars_low, stars_high, source, status from quality.stars where rating = 'qm_rating' and ccn = '{HOME}'"
    assert measured(middling).rows(star) == [(None, 3, 4, "published", "not_published")]


def test_special_focus_and_new_homes_have_no_star() -> None:
    """Methodology 4.7, 4.3."""
    homes = {HOME: {"special_focus_status": "SFF", "qm_footnote": "18"}, "015010": {"qm_footnote": "1"}}
    bench = measured({HOME: perfect(), "015010": perfect()}, homes=homes)
    assert bench.rows("select stars, status from quality.stars where rating = 'qm_rating' order by ccn") == [
        (None, "special_focus"),
        (None, "too_new"),
    ]


def test_scores_of_a_home_without_a_star_say_why_they_are_there() -> None:
    """A Special Focus Facility has scores, no stars of them, and the reason in every row; the other home has 2,300 points and five stars."""
    homes = {HOME: {"special_focus_status": "S"}}
    bench = measured({HOME: perfect(), "015010": perfect()}, homes=homes).run("audit.versions", "published.rating_components")
    found = bench.rows(
        "select ccn, value::int, points, points_low, next_points, max_points, reason from published.rating_components "
        "where measure = 'overall_qm_score' order by ccn"
    )
    assert found == [(HOME, 2300, None, None, None, None, "special_focus"), ("015010", 2300, 5, 5, None, 5, None)]


def test_bad_rows_have_reasons() -> None:
    """A measure that no rule knows, a home that the provider file lacks, a blank without a footnote, an average outside its quarters."""
    bench = measured({HOME: perfect(), "015010": perfect(), "999999": perfect()})
    bench.con.execute("delete from current.provider_info where ccn = '999999'")
    mine = "update latest.qm_mds set {} where ccn <> '015010' and measure_code = '{}'"
    bench.con.execute(mine.format("measure_code = '999'", "407"))
    bench.con.execute(mine.format("four_quarter_average = null", "406"))
    bench.con.execute(mine.format("quarter_1 = 1, quarter_2 = 2, quarter_3 = 3, quarter_4 = 4", "410"))
    bench.run(*MADE, "quality.exclusions")
    found = bench.rows("select ccn, measure, exclusion, effect from quality.exclusions order by ccn, measure")
    assert found == [
        (HOME, "406", "value_blank", "imputed"),
        (HOME, "407", "not_in_file", "imputed"),
        (HOME, "410", "average_outside_quarters", "flag"),
        (HOME, "999", "unknown_measure", "flag"),
        ("999999", "410", "average_outside_quarters", "flag"),
        ("999999", "999", "unknown_measure", "flag"),
        ("999999", "overall_qm_score", "not_in_provider_file", "no_value"),
    ]


def test_thresholds_are_estimated_from_published_stars() -> None:
    """Scores of 100, 200, ... with stars that begin at 300 and 500; one home's star is misplaced and told so."""
    scores = {f"{k:06}": 100 * k for k in range(1, 9)}
    published = {ccn: 1 + (value >= 300) + (value >= 500) for ccn, value in scores.items()} | {"000004": 1}
    bench = Bench("2026-07")
    bench.put("quality.scores", [{"ccn": c, "score_name": "long_stay_qm_score", "rating": "long_stay_qm_rating",
                                  **dict.fromkeys(("score", "score_low", "score_high"), v)} for c, v in scores.items()])  # fmt: skip
    bench.put("quality.stars", [{"ccn": c, "rating": "long_stay_qm_rating", "published_stars": s} for c, s in published.items()])
    bench.run("quality.estimated_thresholds")
    found = bench.rows("select stars, lower, upper, homes, misplaced from quality.estimated_thresholds order by stars")
    assert found[1:] == [(2, 300, 499, 1, 1), (3, 500, None, 4, 0)]


def test_the_own_ranges_of_a_measure_with_a_band_for_zero() -> None:
    """Of 434 two homes at zero earn 100 points and are in no other band; the eight above zero fall into four equal ones."""
    rows = [{"ccn": f"{k:06}", "measure": "434", "stay": "short", "value": Decimal(max(0, k - 2)) / 100} for k in range(1, 11)]
    bench = Bench("2026-07").put("quality.values", rows).run("audit.deciles")
    found = bench.rows(
        "select points, lower::double, upper::double, homes from audit.deciles where measure = '434' order by points desc"
    )
    assert found == [
        (100, 0, 0, 2),
        (80, 0.0001, 0.0274, 2),
        (60, 0.0275, 0.0449, 2),
        (40, 0.045, 0.0624, 2),
        (20, 0.0625, None, 2),
    ]
