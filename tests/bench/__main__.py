"""Ratios measured in one run on the sample nation: `make bench` writes bench.json.

What the sample is too small to say (the nation against a tenth, peak memory at full size) is null.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

from pipelines.main_job import run_release
from pipelines.resources import Run
from pipelines.sources.archive import open_member
from pipelines.staging import stage

RELEASE, QUARTER = "2026-07", "2026Q1"


def seconds(work: Callable[[], object]) -> float:
    """How long a piece of work takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def bare_count(csv: Path) -> None:
    """A typed count and sum over an employee file, nothing else: what staging is measured against."""
    columns = {
        "ccn": "VARCHAR", "state": "VARCHAR", "quarter": "VARCHAR", "day": "VARCHAR", "id": "BIGINT", "code": "TINYINT",
        "contract": "TINYINT", "hours": "DECIMAL(9,2)", "note": "VARCHAR",
    }  # fmt: skip
    duckdb.connect().execute(f"select count(*), sum(hours) from read_csv('{csv}', header=true, columns={columns})").fetchall()


def main() -> None:
    """Run everything and write bench.json."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(data=folder, source="sample")
        first = seconds(lambda: run_release(run, RELEASE, print))
        second = seconds(lambda: run_release(run, RELEASE, lambda step: None))
        store = run.store()
        supply = store.supply("pbj_employee", QUARTER)
        assert supply is not None
        csv = Path(folder) / "employee.csv"
        blob = store.blob(supply.sha256)
        with open_member(blob, supply.member) if supply.member else blob.open("rb") as source:
            csv.write_bytes(source.read())
        counted = min(seconds(lambda: bare_count(csv)) for _ in range(3))
        staged = []
        for _ in range(3):
            (store.folder("staged.employee_quarters", QUARTER) / "manifest.json").unlink()
            staged.append(seconds(lambda: stage(store, "pbj_employee", QUARTER, run.settings())))
    figures = {
        "stage_over_count": round(min(staged) / counted, 2),
        "engine_over_window_sql": None,
        "engine_over_polars": None,
        "peak_gb": None,
        "nation_over_tenth": None,
        "second_run_seconds": round(second, 1),
        "new_quarter_over_six": None,
        "identical": None,
        "first_run_seconds": round(first, 1),
    }
    Path("bench.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
