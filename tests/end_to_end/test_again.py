"""A release made anew: what a re-published file touches is done again and nothing else, and what moved is told."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import duckdb
import pytest

from pipelines.cli import main
from pipelines.engine import graph
from pipelines.sample.nation import write_nation

RELEASE, QUARTER = "2026-07", "2025Q3"
EMPLOYEE_MADE = {"employee_quarters", "administrator_days", "daily_differences"}  # what the employee file of one quarter becomes


def run(nation: Path, store: Path, *more: str) -> None:
    """The main job."""
    assert main(["run", "--release", RELEASE, "--source", str(nation), "--data", str(store), *more]) == 0


def made(store: Path) -> dict[str, int]:
    """When each staged and computed table was put in place."""
    return {str(file.parent.relative_to(store)): file.stat().st_mtime_ns for file in store.glob("*/*/**/manifest.json")
            if file.is_relative_to(store / "staged") or file.is_relative_to(store / "computed")}  # fmt: skip


def readers_of_the_employee_file() -> set[str]:
    """Short names of the tables of a release that are made from it, directly or not."""
    found = {f"six_quarters.{table}" for table in EMPLOYEE_MADE}
    for name, inputs in graph().items():  # each follows what it reads
        found |= {name} if found & set(inputs) else set()
    assert "staffing.daily_levels" not in found and "inspections.stars" not in found
    return {name.split(".")[1] for name in found}


def employee_file(nation: Path) -> Path:
    """The employee file of the quarter."""
    return next(nation.glob(f"pbj/*employee*{QUARTER}.csv"))


def away_for_a_quarter(file: Path) -> str:
    """Take out every row of half of the nurse aides of the file's first large home; the home."""
    with file.open(newline="", encoding="utf-8") as lines:
        header, *rows = list(csv.reader(lines))
    aides: dict[str, set[str]] = {}
    for row in rows:
        if row[5] == "10":
            aides.setdefault(row[0], set()).add(row[4])
    home = next(ccn for ccn, people in aides.items() if len(people) > 10)
    away = sorted(aides[home])[::2]
    with file.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out, lineterminator="\r\n").writerows([header, *(r for r in rows if r[0] != home or r[4] not in away)])
    return home


def test_a_file_that_is_published_again_moves_what_depends_on_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Half of a home's aides are not in one quarter any more: that quarter is staged again, the others stay, and one home's numbers move."""
    nation, store = tmp_path / "nation", tmp_path / "store"
    write_nation(nation, homes=60)
    run(nation, store)
    inputs = json.loads((store / "published" / RELEASE / "inputs.json").read_text())
    assert inputs["moved"] is None
    before = made(store)
    home = away_for_a_quarter(employee_file(nation))
    capsys.readouterr()
    run(nation, store)
    told = capsys.readouterr().out
    after = made(store)

    anew = {name for name in after if after[name] != before[name]}
    assert {name for name in anew if "quarter=" in name} >= {f"staged/employee_quarters/quarter={QUARTER}"}
    assert all(f"quarter={QUARTER}" in name and name.split("/")[-2] in EMPLOYEE_MADE for name in anew if "quarter=" in name)
    assert {name.split("/")[-2] for name in anew if "release=" in name} <= readers_of_the_employee_file()

    last = json.loads((store / "published" / RELEASE / "inputs.json").read_text())["moved"]
    assert last["because"] == [f"pbj_employee {QUARTER} was published again"]
    rows = duckdb.connect().execute(f"from '{store / last['table']}/moved.parquet'").fetchall()
    assert last["numbers"] == len(rows) > 0
    assert {row[0] for row in rows} == {home}
    assert last["homes"] == 1
    assert f"because pbj_employee {QUARTER} was published again: {len(rows)} numbers of 1 homes moved" in told

    run(nation, store)
    assert json.loads((store / "published" / RELEASE / "inputs.json").read_text())["moved"] == last
    assert made(store) == after


def test_another_way_to_score_is_told_as_the_reason(tmp_path: Path) -> None:
    """What a person asks otherwise is a reason too."""
    nation, store = tmp_path / "nation", tmp_path / "store"
    write_nation(nation, homes=45)
    run(nation, store)
    run(nation, store, "--inputs", "published")
    last = json.loads((store / "published" / RELEASE / "inputs.json").read_text())["moved"]
    assert last["because"] == ['inputs was "best" and is "published"']
    assert last["homes"] > 0
