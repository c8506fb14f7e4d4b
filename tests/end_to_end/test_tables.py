"""The published tables say only what is true: they join, their bands share nothing, and what is ours is told from what is CMS's."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipelines.errors import OpenstarsError
from pipelines.periods import releases
from pipelines.publishing import refuse_offenders
from pipelines.report import compare, summary
from pipelines.resources import Run
from pipelines.story import explain
from schemas import TABLES
from tests.support import Bench

RELEASE = "2026-07"
BY_HOME = [table.short for name, table in TABLES.items() if name.startswith("published.") and "ccn" in table.key]
EVERY_HOME = ("ratings", "rating_components", "turnover", "staffing_levels", "replication")


@pytest.fixture(scope="module")
def con(sample_store: Path) -> duckdb.DuckDBPyConnection:
    """The published tables as views."""
    con = duckdb.connect()
    for file in (sample_store / "published" / RELEASE).glob("*.parquet"):
        con.execute(f"create view {file.stem} as from '{file}'")
    return con


def homes(con: duckdb.DuckDBPyConnection, select: str) -> int:
    return int(con.execute(f"select count(distinct ccn) from ({select})").fetchall()[0][0])


@pytest.mark.parametrize(("one", "other"), list(combinations(BY_HOME, 2)))
def test_any_two_tables_join_without_losing_a_home(con: duckdb.DuckDBPyConnection, one: str, other: str) -> None:
    """On the columns that all share: release, quarter, ruleset and the home."""
    in_both = homes(con, f"select ccn from {one} semi join {other} using (ccn)")
    assert in_both and homes(con, f"select ccn from {one} inner join {other} using (release, quarter, ruleset, ccn)") == in_both


def test_every_home_of_the_provider_file_is_in_every_table_of_homes(con: duckdb.DuckDBPyConnection) -> None:
    """With a reason where it has no value."""
    known = homes(con, "from ratings")
    assert {
        table: homes(con, f"select ccn from {table} where ccn in (select r.ccn from ratings as r)") for table in EVERY_HOME
    } == dict.fromkeys(EVERY_HOME, known)


def test_the_ruleset_is_one_and_that_of_a_domain_stands_beside_it(con: duckdb.DuckDBPyConnection) -> None:
    """July 2026 raised the thresholds of the quality stars; the rules of the other domains are older."""
    for name in (table.short for name, table in TABLES.items() if name.startswith("published.")):
        assert con.execute(f"select distinct ruleset from {name}").fetchall() == [("2026-07",)], name
    own = {"staffing": "2024-07", "inspections": "2025-07", "quality": "2026-07", "overall": "2022-07"}
    assert dict(con.execute("select distinct domain, domain_ruleset from rating_components").fetchall()) == own
    assert con.execute("select distinct domain, domain_ruleset from exclusions order by all").fetchall() == sorted(
        (domain, own[domain]) for domain in ("staffing", "inspections", "quality")
    )
    items = "select any_value(domain_ruleset) from {} where item = '{}'"
    for item, domain in (
        ("weighted_score", "inspections"),
        ("qm_rating", "quality"),
        ("overall_rating", "overall"),
        ("rn_turnover_pct", "staffing"),
    ):
        for table in ("replication", "replication_summary"):
            assert con.execute(items.format(table, item)).fetchall() == [(own[domain],)]


def test_bands_share_no_value_and_none_runs_backwards(con: duckdb.DuckDBPyConnection) -> None:
    """Of one scope, measure and basis: each begins after the one before it ends."""
    bands = con.execute(
        "select scope, measure, basis, lower, upper from cut_points order by scope, measure, basis, lower"
    ).fetchall()
    assert len(bands) > 500 and {basis for _, _, basis, *_ in bands} >= {"cms", "recomputed", "estimated"}
    wrong = [(a, b) for a, b in pairwise(bands) if a[:3] == b[:3] and (a[4] is None or b[3] <= a[4])]
    assert wrong == [] and [band for band in bands if band[4] is not None and band[4] < band[3]] == []


@pytest.mark.parametrize(
    ("bands", "broken"),
    [
        ([(2, "57.001", "109.000"), (1, "109.001", None)], []),
        ([(2, "57.001", "109.000"), (1, "109.000", None)], [2]),
        ([(3, "20.001", "20.000"), (2, "20.001", "57")], [2, 3]),
        ([(5, "0", None), (4, "11.001", "20")], [5]),
    ],
)
def test_a_broken_band_is_found(bands: list[tuple[int, str, str | None]], broken: list[int]) -> None:
    """Edges that two bands share, a band that ends before it begins, an open one below another."""
    rows = [
        {"scope": "AL", "measure": "weighted_score", "basis": "cms", "points": p, "lower": a, "upper": b} for p, a, b in bands
    ]
    bench = Bench(RELEASE).put("published.cut_points", rows).run("audit.broken_bands")
    assert bench.rows("select points from audit.broken_bands order by 1") == [(points,) for points in broken]


@pytest.mark.parametrize(
    "month", [name for name, release in releases().items() if release.basis != "never_made" and name < "2027"]
)
def test_no_release_has_a_broken_band_by_its_rules(month: str) -> None:
    """CMS's bands of staffing, quality measures and stars, with those carried forward."""
    bench = Bench(month).run("audit.versions", "published.cut_points", "audit.broken_bands")
    assert bench.rows("select count(*) > 90 from published.cut_points") == [(True,)]
    assert bench.rows("from audit.broken_bands") == []


def test_a_release_with_a_broken_band_is_not_published(sample_store: Path, tmp_path: Path) -> None:
    """The sample has none; with one the message names it."""
    engine = Run(data=str(sample_store)).engine(RELEASE)
    refuse_offenders(engine)
    row = "'AL' as scope, 'weighted_score' as measure, 'cms' as basis, 2 as points, 57 as lower, 109 as upper, 109 as next_lower"
    duckdb.execute(f"copy (select {row}) to '{tmp_path}/broken.parquet'")

    class Store:
        def need(self, *_: Any) -> list[Path]:
            return [tmp_path / "broken.parquet"]

    class Stub:
        store, release = Store(), engine.release

    with pytest.raises(
        OpenstarsError, match=r"2026-07 is not published: audit.broken_bands has 1 rows[\s\S]*AL, weighted_score, cms, 2, 57, 109"
    ):
        refuse_offenders(Stub())  # type: ignore[arg-type]


def test_scores_of_homes_without_a_star_say_why_they_are_there(con: duckdb.DuckDBPyConnection) -> None:
    """A staffing score stands only behind a star that rests on it; other scores of a home without the star have its reason and no points."""
    assert con.execute("select count(*) from ratings where staffing_score is not null and (staffing_rating is null or staffing_reason is not null)"
                       ).fetchall() == [(0,)]  # fmt: skip
    for measure, domain in (("weighted_score", "health_inspection"), ("overall_qm_score", "qm")):
        rows = con.execute(
            f"select reason, {domain}_status, points from rating_components join ratings using (ccn) where measure = '{measure}' "
            f"and value is not null and {domain}_rating is null"
        ).fetchall()
        assert all(reason == status and points is None for reason, status, points in rows), rows
        assert rows or domain == "qm"


def test_distances_are_positive_and_null_at_the_top(con: duckdb.DuckDBPyConnection) -> None:
    """Of every measure of every domain."""
    wrong = (
        "select domain, measure, count(*) from rating_components where distance_to_next <= 0 "
        "or (distance_to_next is not null and (value is null or next_points is null)) group by all"
    )
    assert con.execute(wrong).fetchall() == []
    assert (
        con.execute(
            "select count(*) from rating_components where distance_to_next is null and next_points is not null"
        ).fetchall()[0][0]
        == 0
    )


def test_of_the_exclusions_of_a_measure_one_counts(con: duckdb.DuckDBPyConnection) -> None:
    """And it is the reason of the component."""
    many = (
        "select ccn, rating_measure, count(*) from exclusions where domain = 'staffing' and counted and rating_measure is not null "
        "group by all having count(*) > 1"
    )
    assert con.execute(many).fetchall() == []
    parted = con.execute(
        "select e.ccn, e.rating_measure, e.exclusion, c.reason from exclusions as e join rating_components as c "
        "on e.ccn = c.ccn and e.domain = c.domain and e.rating_measure = c.measure "
        "where e.domain = 'staffing' and e.counted and e.exclusion is distinct from c.reason"
    ).fetchall()
    assert parted == []
    words = con.execute("select effect = could, counted, effect, count(*) from exclusions group by all order by all").fetchall()
    assert all(counted == (effect not in ("none", "flag")) for _, counted, effect, _ in words)
    assert sum(count for _, _, effect, count in words if effect == "none") >= 5


def test_what_is_our_own_is_counted_apart(con: duckdb.DuckDBPyConnection) -> None:
    """Own: no published value among the inputs. Three staffing stars are given by a footnote alone, three scores hold cycle points of CMS's."""
    found = {
        item: row
        for item, *row in con.execute(
            "select item, compared, own_compared, own_agree, only_ours, only_cms from replication_summary"
        ).fetchall()
    }
    assert found["weighted_score"][:2] == [319, 316]
    assert found["staffing_rating"][:2] == [312, 309]
    assert found["rn_turnover_pct"][0] == found["rn_turnover_pct"][1] > 300
    assert 0 < found["overall_rating"][1] < found["health_inspection_rating"][1] < found["health_inspection_rating"][0]
    assert found["adjusted_weekend_total_nurse_hprd"][3] == 1 and found["long_stay_qm_rating"][4] > 300
    counted = con.execute("select item, count(agrees) filter (where is_own) from replication group by item").fetchall()
    assert dict(counted) == {item: row[1] for item, row in found.items()}
    rests = "select count(*) from replication join ratings using (ccn) where item = '{0}_rating' and is_own and {0}_source <> 'recomputed'"
    assert [con.execute(rests.format(domain)).fetchall() for domain in ("overall", "health_inspection", "staffing")] == [
        [(0,)]
    ] * 3


def test_ratings_have_the_stars_of_cms_beside_ours(con: duckdb.DuckDBPyConnection) -> None:
    """As replication has them; and where each inspection star was ranked."""
    for domain in ("overall", "health_inspection", "staffing", "qm", "long_stay_qm", "short_stay_qm"):
        parted = (
            "select count(*) from ratings join replication using (ccn) "
            f"where item = '{domain}_rating' and published is distinct from cms_{domain}_rating"
        )
        assert con.execute(parted).fetchall() == [(0,)]
    ranked = con.execute(
        "select health_inspection_scope = 'nation', min(health_inspection_ranked_homes), max(health_inspection_ranked_homes), "
        "bool_and(health_inspection_scope in ('nation', state)), bool_and(health_inspection_rating is not null) "
        "from ratings where health_inspection_scope is not null group by 1 order by 1"
    ).fetchall()
    assert [row[3:] for row in ranked] == [(True, True)] * 2
    assert ranked[0][1] >= 5 and ranked[1][1:3] == (317, 317)


def test_the_summary_begins_with_what_a_reader_must_know(sample_store: Path) -> None:
    """Stars without the release before, homes that go by published values, homes without any star of CMS's, and a nation that is not whole."""
    told = summary(Run(data=str(sample_store)).engine(RELEASE)).splitlines()
    print("\n".join(told[:8]))
    assert told[:2] == ["Homes 319", "To know first:"]
    assert told[2:6] == [
        "  308 inspection stars are the rank of this month alone, for want of the release before (no_previous_release)",
        "  Homes whose star rests on published values, wholly or in part: overall 109, inspection 3, staffing 3, quality measure 106",
        "  Homes of which CMS shows no star in any domain: 2 (special_focus 1, too_new 1)",
        "  provider_info looks incomplete: 319 homes, 14,693 of the nation in 2026-07",
    ]
    assert told[6].startswith("Overall stars")


def test_compare_and_explain_tell_what_is_own_and_what_is_of_cms(sample_store: Path) -> None:
    """The table of agreement has its own part; a home's story CMS's stars, the ranked homes and what each exclusion could do."""
    told = compare(Run(data=str(sample_store)).store(), RELEASE)
    own = told.partition("Of these our own, without a published value among the inputs of the item")[2].partition("The rest")[0]
    rows = {line.split()[0]: line.split()[1:] for line in own.splitlines()[2:]}
    assert rows["weighted_score"] == ["316", "315", "1", "0", "99.684", "0", "0"]
    assert rows["long_stay_qm_rating"] == ["0", "0", "0", "0", "-", "0", "315"]
    story = explain(Run(data=str(sample_store)).store(), RELEASE, "015001")
    names = {"overall": "overall", "health_inspection": "inspections", "staffing": "staffing", "qm": "quality measures"}
    names |= {"long_stay_qm": "long stay", "short_stay_qm": "short stay"}
    columns = ", ".join(f"cms_{name}_rating" for name in names)
    ratings = f"'{sample_store}/published/{RELEASE}/ratings.parquet'"
    stars = duckdb.connect().execute(f"select {columns} from {ratings} where ccn = '015001'").fetchall()[0]
    assert all(stars)
    assert "CMS's stars: " + ", ".join(f"{name} {star}" for name, star in zip(names.values(), stars, strict=True)) in story
    assert "its rank earns 1 among 6 homes of AL" in story
    assert "staffing_rating" in story and "own" in story
