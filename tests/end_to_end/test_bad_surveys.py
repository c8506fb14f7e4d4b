"""Odd rows in the files on inspections and quality measures: each has a reason, none breaks the run."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipelines.errors import OpenstarsError
from pipelines.main_job import run_release
from pipelines.resources import Run
from schemas import TABLES

CITED = {
    "CMS Certification Number (CCN)": "555901",
    "Survey Date": "2026-01-05",
    "Survey Type": "Health",
    "Deficiency Prefix": "F",
    "Deficiency Tag Number": "0689",
    "Scope Severity Code": "D",
    "Inspection Cycle": "1",
    "Standard Deficiency": "Y",
    "Complaint Deficiency": "N",
    "Infection Control Inspection Deficiency": "N",
    "Processing Date": "2026-07-01",
}
MEASURED = {
    "CMS Certification Number (CCN)": "555901",
    "Measure Code": "401",
    "Four Quarter Average Score": "10.000000",
    "Used in Quality Measure Five Star Rating": "Y",
    "Measure Period": "2025Q2-2026Q1",
    "Processing Date": "2026-07-01",
}
HOMES = ("555901", "555902", "555903")


def write(file: Path, table: str, rows: list[dict[str, str]]) -> None:
    """A file with all columns that the schema of a table knows."""
    header = [c.cms for c in TABLES[f"staged.{table}"].columns()]
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as out:
        lines = csv.DictWriter(out, header, restval="")
        lines.writeheader()
        lines.writerows(rows)


def files(folder: Path, cited: list[dict[str, str]], measured: list[dict[str, str]]) -> Path:
    """A folder with three homes and what was found about them."""
    plain = {"State": "CA", "Processing Date": "2026-07-01", "Rating Cycle 1 Number of Health Revisits": "0",
             "Rating Cycle 2/3 Number of Health Revisits": "0", "Rating Cycle 1 Total Health Score": "12",
             "Rating Cycle 2/3 Total Health Score": "8"}  # fmt: skip
    write(folder / "providers.csv", "provider_info", [{"CMS Certification Number (CCN)": ccn, **plain} for ccn in HOMES])
    write(folder / "citations.csv", "health_citations", [{**CITED, **row} for row in cited])
    write(folder / "mds.csv", "qm_mds", [{**MEASURED, **row} for row in measured])
    return folder


def exclusions(folder: Path) -> dict[str, set[tuple[str, str, str]]]:
    """Measure, word and effect by home, staffing left out."""
    found: dict[str, set[tuple[str, str, str]]] = {}
    rows: list[tuple[Any, ...]] = (
        duckdb.connect()
        .execute(f"select ccn, measure, exclusion, effect from '{folder}/exclusions.parquet' where domain <> 'staffing'")
        .fetchall()
    )
    for ccn, *what in rows:
        found.setdefault(ccn, set()).add(tuple(what))  # type: ignore[arg-type]
    return found


def test_odd_values_are_reasons(tmp_path: Path) -> None:
    """An unknown letter, a future survey, a home and a code that nothing else knows, a home without citations, a footnote without a value."""
    ccn = "CMS Certification Number (CCN)"
    cited = [
        {"Scope Severity Code": "Q"},
        {ccn: "555902", "Survey Date": "2027-01-05", "Standard Deficiency": "N", "Complaint Deficiency": "Y"},
        {ccn: "555999"},
    ]
    measured = [
        {"Measure Code": "999"},
        {ccn: "555998"},
        {ccn: "555902", "Four Quarter Average Score": "", "Footnote for Four Quarter Average Score": "9"},
    ]
    folder = run_release(
        Run(data=str(tmp_path / "store"), source=str(files(tmp_path / "mine", cited, measured)), threads=1), "2026-07", print
    )
    found = exclusions(folder)
    cycles = ("cycle_1_score", "cycle_2_score")
    assert {(c, "unknown_scope_severity", "published_value") for c in cycles} | {("999", "unknown_measure", "flag")} <= found[
        "555901"
    ]
    assert {(c, "future_survey_date", "published_value") for c in cycles} | {("401", "too_few_residents", "left_out")} <= found[
        "555902"
    ]
    assert {(c, "not_in_citations", "published_value") for c in cycles} <= found["555903"]
    assert found["555999"] == {("weighted_score", "not_in_provider_file", "no_value")}
    assert found["555998"] == {("overall_qm_score", "not_in_provider_file", "no_value")}
    scores = duckdb.connect().execute(
        f"select distinct value::double, value_source from '{folder}/rating_components.parquet' where measure = 'weighted_score'"
    )
    assert scores.fetchall() == [(11.0, "published")]  # of CMS's points of both cycles


def test_a_citation_that_cannot_be_read_stops_the_run_until_it_is_accepted(tmp_path: Path) -> None:
    """File, line, column and value are told; accepted, the home goes by CMS's points and the others by their citations."""
    cited = [{"Survey Date": "2026-13-05"}, *({"CMS Certification Number (CCN)": ccn} for ccn in HOMES[1:])]
    mine = str(files(tmp_path / "mine", cited, [{}]))
    with pytest.raises(
        OpenstarsError, match=r'citations.csv, line 2, column Survey Date: "2026-13-05" is not a date; home 555901'
    ):
        run_release(Run(data=str(tmp_path / "store"), source=mine, threads=1), "2026-07", print)
    folder = run_release(Run(data=str(tmp_path / "store"), source=mine, threads=1, accept="one bad row"), "2026-07", print)
    assert {(c, "rejected_rows", "published_value") for c in ("cycle_1_score", "cycle_2_score")} <= exclusions(folder)["555901"]
    cycles = duckdb.connect().execute(
        f"select ccn, value::int, value_source from '{folder}/rating_components.parquet' where measure = 'cycle_1_score' order by ccn"
    )
    assert cycles.fetchall() == [("555901", 12, "published"), ("555902", 4, "recomputed"), ("555903", 4, "recomputed")]
