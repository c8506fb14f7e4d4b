"""A month between two quarters: its inspections over the quarter's staffing and quality measures."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from pipelines.main_job import run_release
from pipelines.resources import Run
from pipelines.sample.nation import write_nation
from pipelines.story import explain

CCN = "CMS Certification Number (CCN)"
Row = dict[str, str]
Changed = Callable[[list[Row]], list[Row]]


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("monthly") / "files"
    write_nation(folder, homes=130)
    return folder


def member(nation: Path, stem: str) -> list[Row]:
    """The rows of a file of the July archive."""
    archive = min((nation / "archives").glob("*.zip"))
    with zipfile.ZipFile(archive) as packed:
        name = next(n for n in packed.namelist() if stem in n and not n.startswith("__MACOSX"))
        return list(csv.DictReader(io.TextIOWrapper(packed.open(name), encoding="utf-8")))


def write_august(nation: Path, stem: str, change: Changed = lambda rows: rows) -> None:
    """A file of July as August has it."""
    rows = change([{**row, "Processing Date": "2026-08-01"} for row in member(nation, stem)])
    target = nation / "august" / f"{stem}_Aug2026.csv"
    target.parent.mkdir(exist_ok=True)
    with target.open("w", newline="", encoding="utf-8") as out:
        lines = csv.DictWriter(out, list(rows[0]))
        lines.writeheader()
        lines.writerows(rows)


def published(store: Path, release: str) -> duckdb.DuckDBPyConnection:
    con = duckdb.connect()
    for file in (store / "published" / release).glob("*.parquet"):
        con.execute(f"create view {file.stem} as from read_parquet('{file}')")
    return con


def test_august_moves_by_its_inspections_alone(nation: Path, tmp_path: Path) -> None:
    """A complaint of July (F684 J, 75 points) sinks a five-star home; all others keep their stars although the ranks shift.

    August has no quality files of its own: those of July stand, for the quarter is the same.
    """
    ccn = next(row[CCN] for row in member(nation, "NH_ProviderInfo") if row["Health Inspection Rating"] == "5")

    def cited(rows: list[Row]) -> list[Row]:
        plain = next(row for row in rows if row["Standard Deficiency"] == "N")
        new = {**plain, CCN: ccn, "Survey Date": "2026-07-14", "Deficiency Tag Number": "0684", "Scope Severity Code": "J",
               "Deficiency Corrected": "Deficient, Provider has date of correction", "Inspection Cycle": "1",
               "Complaint Deficiency": "Y", "Infection Control Inspection Deficiency": "N"}  # fmt: skip
        return [*rows, new]

    def scored(rows: list[Row]) -> list[Row]:
        for row in rows:
            if row[CCN] == ccn:
                row["Rating Cycle 1 Total Number of Health Deficiencies"] = str(
                    int(row["Rating Cycle 1 Total Number of Health Deficiencies"]) + 1
                )
                row["Rating Cycle 1 Total Health Score"] = str(int(row["Rating Cycle 1 Total Health Score"]) + 75)
                weighted = float(row["Total Weighted Health Survey Score"]) + 56.25
                row |= {
                    "Total Weighted Health Survey Score": f"{weighted:.3f}",
                    "Health Inspection Rating": "1",
                    "Overall Rating": "",
                }
        return rows

    write_august(nation, "NH_ProviderInfo", scored)
    write_august(nation, "NH_StateUSAverages")
    write_august(nation, "NH_HealthCitations", cited)
    store = tmp_path / "store"
    for release in ("2026-07", "2026-08"):
        run_release(Run(data=str(store), source=str(nation), threads=1), release, print)
    july, august = published(store, "2026-07"), published(store, "2026-08")
    before = "select health_inspection_rating, overall_rating, staffing_rating, qm_rating from ratings where ccn = ?"
    health, overall, staffing, quality = july.execute(before, [ccn]).fetchall()[0]
    found = august.execute(before, [ccn]).fetchall()[0]
    assert found[0] < health and found[1] < overall
    assert found[2:] == (staffing, quality)
    points = "select cycle, points from citations where ccn = ? and survey_date = '2026-07-14'"
    assert august.execute(points, [ccn]).fetchall() == [(1, 75)]
    august.execute(f"create view july as from read_parquet('{store}/published/2026-07/ratings.parquet')")
    moved = august.execute(
        "select ccn from ratings join july using (ccn) where ratings.health_inspection_rating is distinct from july.health_inspection_rating"
    ).fetchall()
    assert moved == [(ccn,)]
    kept = august.execute("select count(*) from ratings where health_inspection_reason = 'kept_star'").fetchall()[0][0]
    shifted = august.execute("select count(*) from ratings where health_inspection_reason = 'no_previous_release'").fetchall()[0][
        0
    ]
    print(f"\n{ccn} sank; {kept} homes keep a star that their rank of August would not give")
    assert shifted == 0
    quality_of = "select count(points), sum(points) from rating_components where domain = 'quality'"
    assert august.execute(quality_of).fetchall() == july.execute(quality_of).fetchall()
    inputs = json.loads((store / "published" / "2026-08" / "inputs.json").read_text())
    assert inputs["previous_release"] == "2026-07"
    read = {(file["table"], file["period"]) for file in inputs["files"]}
    assert {("qm_mds", "2026-07"), ("health_citations", "2026-08"), ("pbj_daily", "2026Q1")} <= read
    story = explain(Run(data=str(store)).store(), "2026-08", ccn)
    assert "2026-07-14  complaint  F684  J       1      75      substandard quality of care" in story
