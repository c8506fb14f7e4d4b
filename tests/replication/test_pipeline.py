"""The main job on real CMS data: staffing stars from published inputs, adjusted hours, PBJ days to published hours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipelines.main_job import run_release
from pipelines.resources import Run
from tests.replication import folders
from tests.support import Bench

REAL = Path(__file__).resolve().parents[3] / "shared" / "real"
pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="the real files are not beside the project")
STAR = """
    select
        count(*) filter (where complete and agrees is not null), count(*) filter (where complete and agrees = 'yes'),
        count(*) filter (where not complete and agrees is not null), count(*) filter (where not complete and agrees = 'yes')
    from replication
    inner join (
        select ccn, count(value) = 6 as complete, count(value) filter (where measure like 'adjusted%') = 3 as rated
        from rating_components where domain = 'staffing' group by ccn
    ) using (ccn)
    where item = 'staffing_rating' and rated
"""


def published(store: Path, release: str) -> duckdb.DuckDBPyConnection:
    """The published tables of a release as views."""
    con = duckdb.connect()
    for file in (store / "published" / release).glob("*.parquet"):
        con.execute(f"create view {file.stem} as from read_parquet('{file}')")
    return con


def misses(con: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    """Homes whose star differs, with CMS's and ours and why."""
    return con.execute(
        "select ccn, published, recomputed, agrees, reason from replication "
        "where item = 'staffing_rating' and agrees in ('no', 'open') order by agrees, ccn"
    ).fetchall()


@pytest.fixture(scope="module")
def july(tmp_path_factory: pytest.TempPathFactory) -> duckdb.DuckDBPyConnection:
    """The July 2026 sample of 317 homes, published inputs only."""
    folder, store = tmp_path_factory.mktemp("july"), tmp_path_factory.mktemp("store")
    folders.july_2026(folder)
    run_release(Run(data=str(store), source=str(folder)), "2026-07", print)
    return published(store, "2026-07")


def test_july_sample_gets_its_published_staffing_stars(july: duckdb.DuckDBPyConnection) -> None:
    """258 of 259 with all six measures needed; with footnote 24 as an input all. Blanks: 42 of 44, CMS rescaled 025036 and 015381."""
    complete, agree, blanks, blanks_agree = july.execute(STAR).fetchall()[0]
    print(f"\nJuly 2026: {agree} of {complete} with six measures, {blanks_agree} of {blanks} with blanks", misses(july))
    assert (complete, blanks) == (259, 44)
    assert agree >= 258
    assert blanks_agree >= 42
    assert {row[0] for row in misses(july)} <= {"025036", "015381"}


def test_adjusted_hours_follow_from_reported_and_case_mix(july: duckdb.DuckDBPyConnection) -> None:
    """Every row within 0.0002 of the published value, with the same points as the published value earns."""
    rows = july.execute(
        "select item, count(*), max(abs(difference)), count(*) filter (where agrees <> 'yes') from replication "
        "where item like 'adjusted%' and agrees is not null group by item order by item"
    ).fetchall()
    print("\n", rows)
    assert [(row[1], row[3]) for row in rows] == [(305, 0)] * 3
    assert all(row[2] <= 0.0002 for row in rows)


def test_july_sample_gets_its_published_inspection_scores_and_stars(july: duckdb.DuckDBPyConnection) -> None:
    """Weighted scores 317 of 317; stars of the three complete states, where the misses are kept or unexplained."""
    scores = july.execute(
        "select count(*), count(*) filter (where agrees = 'yes') from replication where item = 'weighted_score' and agrees is not null"
    ).fetchall()
    assert scores == [(317, 317)]
    found = july.execute(
        "select state, count(*), count(*) filter (where agrees = 'yes'), list(ccn order by ccn) filter (where agrees = 'no') "
        "from replication join (select ccn, state from ratings) using (ccn) where item = 'health_inspection_rating' "
        "and agrees is not null and state in ('AL', 'AK', 'VT') group by state order by state"
    ).fetchall()
    print("\n", found)
    assert [row[:2] for row in found] == [("AK", 20), ("AL", 223), ("VT", 32)]
    assert found[0][2] >= 19
    assert found[1][2] == 223
    assert found[2][2] >= 29
    misses = {ccn for row in found for ccn in row[3] or []}
    assert misses <= {"025037", "475020", "475033", "475046"}
    whys = july.execute(
        "select distinct reason from replication where item = 'health_inspection_rating' and agrees = 'no' and ccn in "
        "('025037', '475020', '475033', '475046')"
    ).fetchall()
    assert whys == [("no_previous_release",)]


def test_special_focus_homes_of_the_sample_have_no_star(july: duckdb.DuckDBPyConnection) -> None:
    """R28, R23: its text is S. 015463 and 475025 have no star, as CMS gives none, and are in no rank: 015114 then has CMS's one star."""
    stars = (
        "overall_rating, health_inspection_rating, staffing_rating, qm_rating, overall_status, staffing_status, qm_status, is_sff"
    )
    found = july.execute(f"select ccn, {stars} from ratings where ccn in ('015463', '475025') order by ccn").fetchall()
    assert [row[1:5] for row in found] == [(None,) * 4] * 2
    assert [row[5:] for row in found] == [("special_focus", "special_focus", "special_focus", True)] * 2
    ranked = (
        "select state, any_value(health_inspection_ranked_homes), count(health_inspection_scope) from ratings "
        "where state in ('AL', 'VT') group by 1"
    )
    assert sorted(july.execute(ranked).fetchall()) == [("AL", 223, 223), ("VT", 32, 32)]
    star = (
        "select health_inspection_rating, cms_health_inspection_rating, health_inspection_scope from ratings where ccn = '015114'"
    )
    assert july.execute(star).fetchall() == [(1, 1, "AL")]
    told = july.execute(
        "select domain, effect, counted from exclusions where exclusion = 'special_focus' and ccn = '015463' order by 1"
    ).fetchall()
    assert told == [("inspections", "no_star", True), ("quality", "no_star", True), ("staffing", "no_star", True)]
    assert july.execute("select count(*) from ratings where is_sff_candidate and overall_rating is not null").fetchall() == [
        (11,)
    ]


def own(con: duckdb.DuckDBPyConnection) -> dict[str, tuple[int, ...]]:
    """Homes compared, of these own, and of these in agreement, by item; items that nothing was compared of are left out."""
    rows = con.execute(
        "select item, compared, agree, own_compared, own_agree from replication_summary where compared > 0 order by item"
    ).fetchall()
    print("\nitem, compared, agree, own compared, own agree", *rows, sep="\n")
    return {item: tuple(counts) for item, *counts in rows}


def test_nothing_of_a_provider_file_alone_is_our_own(july: duckdb.DuckDBPyConnection) -> None:
    """Hours, turnover and cycle points are CMS's: 311 staffing stars and 317 weighted scores are compared, none of them own."""
    found = own(july)
    assert {item: row[0] for item, row in found.items()} == {
        "adjusted_rn_hprd": 305,
        "adjusted_total_nurse_hprd": 305,
        "adjusted_weekend_total_nurse_hprd": 305,
        "health_inspection_rating": 315,
        "overall_rating": 315,
        "staffing_rating": 311,
        "weighted_score": 317,
    }
    assert all(row[2:] == (0, 0) for row in found.values())
    sources = july.execute(
        "select distinct overall_source, health_inspection_source, staffing_source, qm_source from ratings"
    ).fetchall()
    assert {source for row in sources for source in row} == {"published", None}


@pytest.fixture(scope="module")
def alabama(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], duckdb.DuckDBPyConnection]:
    """The July 2026 sample with the citations of Alabama homes; the homes that are whole in them."""
    folder, store = tmp_path_factory.mktemp("alabama"), tmp_path_factory.mktemp("store")
    folders.july_2026(folder)
    whole = folders.citations_as_of_july(folder)
    run_release(Run(data=str(store), source=str(folder)), "2026-07", print)
    return whole, published(store, "2026-07")


def test_citations_give_the_published_points_of_both_cycles(alabama: tuple[list[str], duckdb.DuckDBPyConnection]) -> None:
    """At least 91 of 96 homes, and each miss explained: a survey since February (three), or citations that CMS has changed (015133)."""
    whole, con = alabama
    rows = con.execute(
        "select ccn, item, published, recomputed, agrees, reason from replication "
        "where item in ('cycle_1_score', 'cycle_2_score') and list_contains(?, ccn) order by ccn, item",
        [whole],
    ).fetchall()
    misses = [row for row in rows if row[4] != "yes"]
    agree = set(whole) - {row[0] for row in misses}
    print(f"\ncitations to cycle scores: {len(agree)} of {len(whole)} homes", *misses, sep="\n")
    assert (len(whole), len(rows)) == (96, 192)
    assert len(agree) >= 91
    assert {(row[0], row[5]) for row in misses} <= {
        ("015015", "survey_since"),
        ("015073", "survey_since"),
        ("015132", "survey_since"),
        ("015133", "citations_differ"),
    }


def test_the_abuse_icon_follows_from_citations(alabama: tuple[list[str], duckdb.DuckDBPyConnection]) -> None:
    """Shown with five of the homes, and with those alone."""
    whole, con = alabama
    found = con.execute(
        "select published, recomputed, count(*) from replication where item = 'abuse_icon' and list_contains(?, ccn) group by all order by all",
        [whole],
    ).fetchall()
    print("\n", found)
    assert [row for row in found if row[0] != row[1]] == []
    assert sum(row[2] for row in found if row[0]) >= 5


def test_points_of_citations_are_used_where_they_are_those_of_cms(alabama: tuple[list[str], duckdb.DuckDBPyConnection]) -> None:
    """Under `best` the stars of Alabama are all as published: CMS's points stand where it scored other citations."""
    _, con = alabama
    found = con.execute(
        "select count(*), count(*) filter (where agrees = 'yes') from replication join (select ccn, state from ratings) using (ccn) "
        "where item = 'health_inspection_rating' and agrees is not null and state = 'AL'"
    ).fetchall()
    assert found == [(223, 223)]
    sources = con.execute(
        "select value_source, reason, count(*) from rating_components where domain = 'inspections' and measure like 'cycle%' group by all"
    ).fetchall()
    print("\n", sources)
    assert {("recomputed", None), ("published", "survey_since"), ("published", "not_in_citations")} <= {
        row[:2] for row in sources
    }


def test_what_citations_alone_give_is_our_own(alabama: tuple[list[str], duckdb.DuckDBPyConnection], tmp_path: Path) -> None:
    """101 homes have citations, or none by CMS's count too. A score is own where both cycles are, a star where all that are ranked there are:
    under `best` none, for CMS's points stand for most homes of Alabama; under `recomputed` those are in no rank."""
    _, con = alabama
    found = own(con)
    assert {item for item, row in found.items() if row[2]} == {"cycle_1_score", "cycle_2_score", "weighted_score", "abuse_icon"}
    assert found["cycle_1_score"] == (101, 98, 101, 98)
    assert found["abuse_icon"] == (101, 101, 101, 101)
    assert found["weighted_score"] == (317, 317, 97, 97)
    folder = tmp_path / "files"
    folders.july_2026(folder)
    folders.citations_as_of_july(folder)
    run_release(Run(data=str(tmp_path / "store"), source=str(folder), inputs="recomputed"), "2026-07", print)
    alone = published(tmp_path / "store", "2026-07")
    found = own(alone)
    assert found["weighted_score"] == (101, 97, 101, 97)
    assert found["health_inspection_rating"][0] == found["health_inspection_rating"][2] == 101
    assert found["staffing_rating"][2] == 0 and "overall_rating" not in found  # there are no payroll files


def test_quality_measures_of_february_give_scores_and_stars(tmp_path: Path) -> None:
    """No star of that quarter is at hand: the codes that CMS marks as used are those of the rules, averages lie within their quarters,
    and a home with all values has scores within their bounds and stars under the thresholds of January 2025."""
    folder = tmp_path / "files"
    folder.mkdir()
    folders.quality_2026_02(folder)
    run_release(Run(data=str(tmp_path / "store"), source=str(folder)), "2026-02", print)
    con = published(tmp_path / "store", "2026-02")
    for name in ("qm_mds", "qm_claims"):
        con.execute(f"create view {name} as from '{tmp_path}/store/staged/{name}/release=2026-02/data.parquet'")
    used = con.execute(
        "select distinct measure_code from (select measure_code, is_used from qm_mds union all select measure_code, is_used from qm_claims) "
        "where is_used = 'Y' order by 1"
    ).fetchall()
    rated = con.execute(
        "select distinct measure from rating_components where domain = 'quality' and measure not like '%score' and measure not like 'S%' order by 1"
    ).fetchall()
    assert used == rated and len(used) == 12
    words = dict(con.execute("select exclusion, count(*) from exclusions where domain = 'quality' group by 1").fetchall())
    assert not words.keys() & {"unknown_measure", "average_outside_quarters", "not_in_provider_file"}
    scores = con.execute(
        "select measure, value_source, count(*), min(value)::int, max(value)::int, count(points) from rating_components "
        "where measure like '%_qm_score' and value is not null group by all order by all"
    ).fetchall()
    print("\n", words, *scores, sep="\n")
    whole = [row for row in scores if row[1] == "recomputed"]
    assert {row[0] for row in whole} == {"long_stay_qm_score", "overall_qm_score", "short_stay_qm_score"}
    assert all(144 <= row[3] <= row[4] <= 2300 and row[5] == row[2] for row in whole)


@pytest.mark.parametrize(
    ("release", "file", "ccn", "homes"),
    [
        ("2024-11", "2024-11-derived/merged_nhc_pbj.csv.gz", "PROVNUM", 14_664),
        ("2026-07", "2026-07/provider_info_sample_Jul2026.csv", "ccn", 315),
    ],
)
def test_overall_stars_follow_from_the_other_stars(release: str, file: str, ccn: str, homes: int) -> None:
    """Every home with an overall star, from CMS's own stars for inspections, staffing and quality."""
    bench = Bench(release).put("quality.stars").put("staffing.scores").put("inspections.stars")
    stars = {
        "overall": "overall_rating",
        "health": "health_inspection_rating",
        "staffing": "staffing_rating",
        "quality": "qm_rating",
    }
    cells = ", ".join(f"try_cast(nullif({column}, '') as double)::tinyint as {name}" for name, column in stars.items())
    bench.con.execute(
        f"create table published as select {ccn} as ccn, {cells} from read_csv('{REAL / file}', all_varchar = true)"
    )
    status = "'rated' as status"
    bench.con.execute(
        f"insert into quality.stars by name select ccn, 'qm_rating' as rating, quality as stars, {status} from published"
    )
    bench.con.execute(f"insert into staffing.scores by name select ccn, staffing as stars, {status} from published")
    bench.con.execute(f"insert into inspections.stars by name select ccn, health as stars, {status} from published")
    bench.run("overall.stars")
    agree, rated = bench.rows(
        "select count(*) filter (where ours.stars = published.overall), count(*) from published "
        "left join overall.stars as ours on published.ccn = ours.ccn where published.overall is not null"
    )[0]
    print(f"\n{release}: {agree} of {rated}")
    assert (agree, rated) == (homes, homes)


@pytest.fixture(scope="module", params=[False, True], ids=["without no-RN days", "with no-RN days"])
def nation(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[bool, duckdb.DuckDBPyConnection]:
    """The nation of 2025Q3 from published inputs; no-RN days of the compliance table as footnote 24."""
    folder, store = tmp_path_factory.mktemp("nation"), tmp_path_factory.mktemp("store")
    folders.national_2025q3(folder, with_no_rn_days=request.param)
    run_release(Run(data=str(store), source=str(folder)), "2026-01", print)
    return request.param, published(store, "2026-01")


def test_the_nation_gets_its_published_staffing_stars(nation: tuple[bool, duckdb.DuckDBPyConnection]) -> None:
    """At least 10,760 of 10,802 with R19 and the no-RN-day rule (10,704 with R19 alone); homes with blanks at least 2,020 of 2,128."""
    with_days, con = nation
    complete, agree, blanks, blanks_agree = con.execute(STAR).fetchall()[0]
    kinds = con.execute(
        "select agrees, count(*) from replication where item = 'staffing_rating' group by 1 order by 1"
    ).fetchall()
    print(
        f"\n2025Q3, no-RN days {with_days}: {agree} of {complete} with six measures, {blanks_agree} of {blanks} with blanks; {kinds}"
    )
    assert (complete, blanks) == (10_802, 2_128)
    assert agree >= (10_760 if with_days else 10_704)
    if with_days:
        print(misses(con))
        assert blanks_agree >= 2_020


@pytest.mark.parametrize(("quarter", "release"), [("2024Q1", "2024-07"), ("2025Q1", "2025-07")])
def test_daily_rows_of_one_home_give_its_published_hours(quarter: str, release: str, tmp_path: Path) -> None:
    """PBJ days through staging to reported hours, five decimals, weekend too. All 86 months are in test_expected.py."""
    folder = tmp_path / "files"
    folder.mkdir()
    folders.daily_335513(folder, quarter)
    folders.provider_335513(folder, release)
    run_release(Run(data=str(tmp_path / "store"), source=str(folder)), release, print)
    con = published(tmp_path / "store", release)
    rows = con.execute(
        "select item, published, recomputed, agrees from replication where item like 'reported%' and published is not null order by item"
    ).fetchall()
    print("\n", rows)
    assert len(rows) == 6
    assert all(row[3] == "yes" for row in rows)
