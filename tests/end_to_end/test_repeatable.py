"""The same input gives the same bytes, however the work is cut."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

import duckdb
import pytest

from pipelines.cli import main
from pipelines.sample.nation import write_nation

RELEASE = "2026-07"


def digests(store: Path) -> dict[str, str]:
    """Hashes of every Parquet file and the descriptor of the release."""
    folder = store / "published" / RELEASE
    files = [*sorted(folder.glob("*.parquet")), folder / "datapackage.json"]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small made-up nation as files on disk."""
    folder = tmp_path_factory.mktemp("nation")
    write_nation(folder, homes=80)
    return folder


def run(nation: Path, store: Path, *more: str) -> dict[str, str]:
    """The main job into a store; hashes of what it published."""
    arguments = ["run", "--release", RELEASE, "--source", str(nation), "--data", str(store), *more]
    assert main(arguments) == 0
    return digests(store)


def test_ranges_threads_and_repetition_do_not_change_a_byte(nation: Path, tmp_path: Path) -> None:
    """One range of homes and seven, one thread and two, a second run from nothing and a second run over the first."""
    one = run(nation, tmp_path / "one", "--ranges", "1", "--threads", "1")
    assert len(one) == 11  # ten tables and the datapackage
    assert run(nation, tmp_path / "seven", "--ranges", "7", "--threads", "2") == one
    marker = (tmp_path / "seven" / "computed" / "turnover" / "spells" / f"release={RELEASE}" / "data.parquet").stat().st_mtime_ns
    assert run(nation, tmp_path / "seven", "--ranges", "7") == one
    again = (tmp_path / "seven" / "computed" / "turnover" / "spells" / f"release={RELEASE}" / "data.parquet").stat().st_mtime_ns
    assert again == marker, "unchanged work was done again"


@pytest.mark.parametrize(
    ("inputs", "allowed"),
    [("published", {"published", "published_rounded", "imputed"}), ("recomputed", {"recomputed", "imputed"})],
)
def test_inputs_decides_which_values_are_scored(inputs: str, allowed: set[str], nation: Path, tmp_path: Path) -> None:
    """`published` scores what CMS printed although PBJ is there; `recomputed` never falls back on it."""
    run(nation, tmp_path, "--inputs", inputs)
    con = duckdb.connect()
    folder = tmp_path / "published" / RELEASE
    found = con.execute(
        f"select distinct value_source from read_parquet('{folder}/rating_components.parquet') "
        "where domain = 'staffing' and (value is not null or points > 0)"
    )
    assert {source for (source,) in found.fetchall()} <= allowed
    counts = "count(*) filter (where agrees = 'no'), count(agrees)"
    stars = con.execute(
        f"select {counts} from read_parquet('{folder}/replication.parquet') where item = 'staffing_rating'"
    ).fetchall()[0]
    assert stars[1] > 60
    assert stars[0] <= 2  # the planted disagreements


def test_explain_tells_an_exclusion_and_the_point_to_the_next_star(
    sample_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A home with a quarter missing from the daily file, and one whose score of 204 is a point short of three stars."""
    with (sample_store / "sample" / RELEASE / "plants.csv").open(encoding="utf-8", newline="") as lines:
        plants = {row["plant"]: row["ccn"] for row in csv.DictReader(lines)}
    assert main(["explain", plants["absent_daily"], "--data", str(sample_store)]) == 0
    told = capsys.readouterr().out
    assert "missing_quarter" in told
    assert "minimum_points" in told
    assert main(["explain", plants["one_point_short"], "--data", str(sample_store)]) == 0
    told = capsys.readouterr().out
    assert "Staffing star: 2, score 204 of 380; 1 point short of 3 stars" in told
    assert "few_eligible_nurses" in told
    assert "next band" in told


def test_compare_names_the_planted_disagreements(sample_store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sample plants one wrong published star, RN turnover, LPN level and cycle score: nothing else contradicts."""
    assert main(["compare", "--data", str(sample_store)]) == 0
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    contradicted = {line[0]: int(line[4]) for line in told if len(line) == 7 and line[1].isdigit()}
    assert {item for item, count in contradicted.items() if count} == {
        "staffing_rating", "rn_turnover_pct", "reported_lpn_hprd", "no_rn_days", "cycle_1_score", "weighted_score",
    }  # fmt: skip
    assert all(count <= 1 for count in contradicted.values())
