"""A quarter that was never supplied: what needs it is left alone, and nothing is made up from its absence."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from pipelines.cli import main
from pipelines.sample.nation import write_nation

RELEASE = "2026-07"
CONSISTENT = """
    select exclusions.ccn, exclusions.measure, exclusions.exclusion, exclusions.effect, components.value_source, components.points
    from exclusions
    inner join rating_components as components
        on exclusions.ccn = components.ccn
        and components.measure in (exclusions.measure || '_turnover_pct', exclusions.measure || '_departures')
    where
        (exclusions.effect = 'minimum_points' and components.value_source is distinct from 'imputed')
        or (exclusions.effect = 'published_value' and components.value_source = 'recomputed')
        or (
            exclusions.effect = 'left_out'
            and components.points is not null
            and exclusions.exclusion not in ('few_eligible_nurses', 'no_eligible_rns')
        )
"""


def published(store: Path) -> duckdb.DuckDBPyConnection:
    """The published tables as views."""
    con = duckdb.connect()
    for file in (store / "published" / RELEASE).glob("*.parquet"):
        con.execute(f"create view {file.stem} as from '{file}'")
    return con


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> duckdb.DuckDBPyConnection:
    """A small nation without the employee file of 2025Q2."""
    nation, store = tmp_path_factory.mktemp("nation"), tmp_path_factory.mktemp("store")
    write_nation(nation, homes=80)
    for file in (nation / "pbj").glob("PBJ_employeedetail_CY2025Q2.*"):
        file.unlink()
    assert main(["run", "--release", RELEASE, "--source", str(nation), "--data", str(store)]) == 0
    return published(store)


def test_nobody_leaves_because_a_file_is_missing(con: duckdb.DuckDBPyConnection) -> None:
    """No departures on the eve of the quarter, no 100% day; every home's turnover is CMS's and says why."""
    assert con.execute("select count(*) from employment_spells").fetchall() == [(0,)]
    assert con.execute("select count(*) from exclusions where exclusion = 'full_daily_turnover'").fetchall() == [(0,)]
    turnover = "select distinct exclusion, eligible_spells, turnover_pct from turnover where definition = 'cms'"
    assert con.execute(turnover).fetchall() == [("inputs_absent", None, None)]
    sources = "select distinct value_source from rating_components where measure like '%turnover%' and value is not null"
    assert con.execute(sources).fetchall() == [("published_rounded",)]


def test_effects_say_what_was_done(con: duckdb.DuckDBPyConnection, sample_store: Path) -> None:
    """An exclusion of which CMS's value took the place says so; one that gave the lowest points did."""
    effects = con.execute(
        "select distinct effect from exclusions semi join ratings using (ccn) where exclusion = 'inputs_absent'"
    ).fetchall()
    assert effects == [("published_value",)]
    acted = "select count(*) from exclusions where exclusion in ('both_turnovers_blank', 'minimum_points_footnote', 'left_out_footnote')"
    assert con.execute(acted).fetchall()[0][0] > 0
    assert con.execute(CONSISTENT).fetchall() == []
    assert published(sample_store).execute(CONSISTENT).fetchall() == []
