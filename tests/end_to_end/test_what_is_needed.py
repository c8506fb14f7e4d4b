"""A release is never made of less than before without a word, nor of what a person said not to use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.cli import main
from pipelines.resources import _open_sources
from tests.cases import fill

RELEASE = "2026-07"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    fill.write(folder / "p.csv", "provider_info", [{}])
    fill.write(folder / "daily.csv", "pbj_daily", [{"CY_Qtr": "2026Q1", "WorkDate": "20260101"}])
    return folder


def run(folder: Path, *more: str, release: str = RELEASE) -> int:
    """The command, as another process would run it."""
    _open_sources.clear()
    return main(["run", "--release", release, "--source", str(folder), "--data", str(folder.parent / "store"), *more])


def inputs(folder: Path) -> dict[str, object]:
    return json.loads((folder.parent / "store" / "published" / RELEASE / "inputs.json").read_text())


def test_a_file_that_is_gone_stops_the_release_unless_it_is_named(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(mine) == 0
    before = inputs(mine)
    (mine / "daily.csv").unlink()
    assert run(mine) == 1
    told = capsys.readouterr().err
    assert "pbj_daily of 2026Q1 (daily.csv)" in told and "--without pbj_daily:2026Q1" in told
    assert inputs(mine) == before
    assert run(mine, "--without", "pbj_daily:2026Q1") == 0
    assert inputs(mine)["without"] == ["pbj_daily:2026Q1"]


def test_a_file_is_not_used_where_a_person_says_so(mine: Path) -> None:
    assert run(mine, "--without", "pbj_daily:2026Q1") == 0
    assert [file["table"] for file in inputs(mine)["files"]] == ["provider_info"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "content", ["", "PROVNUM;CY_Qtr;WorkDate;MDScensus;Hrs_RNDON;Hrs_RNadmin;Hrs_RN;Hrs_LPN;Hrs_LPNadmin;Hrs_CNA\n"]
)
def test_a_damaged_file_does_not_take_the_place_of_the_good_one(
    content: str, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The release that stands stays as it is, and what is not used is named when a run is refused too."""
    (mine / "daily.csv").rename(mine / "PBJ_dailynursestaffing_CY2026Q1.csv")
    assert run(mine) == 0
    before = inputs(mine)
    (mine / "PBJ_dailynursestaffing_CY2026Q1.csv").write_text(content)
    (mine / "readme.txt").write_text("words\n")
    assert run(mine) == 1
    captured = capsys.readouterr()
    assert "PBJ_dailynursestaffing_CY2026Q1.csv" in captured.err and "--without pbj_daily:2026Q1" in captured.err
    assert "Not used: readme.txt" in captured.out
    assert inputs(mine) == before


def test_a_file_name_that_is_no_text_is_told_and_read(tmp_path: Path) -> None:
    """As an old archive unpacks them: bytes that are not UTF-8."""
    fill.write(tmp_path / "mine" / "p.csv", "provider_info", [{}])
    fill.write(tmp_path / "mine" / "d.csv", "pbj_daily", [{"CY_Qtr": "2026Q1", "WorkDate": "20260101"}])
    for name, odd in ((b"d.csv", b"f\xe9vrier\n.csv"), (b"p.csv", b"\xe9t\xe9.csv")):
        os.rename(os.fsencode(tmp_path / "mine") + b"/" + name, os.fsencode(tmp_path / "mine") + b"/" + odd)
    (tmp_path / "mine" / "notes").write_text("words\n")
    os.rename(tmp_path / "mine" / "notes", os.fsencode(tmp_path / "mine") + b"/n\xf6te")
    command = [sys.executable, "-m", "pipelines.cli", "run", "--release", RELEASE, "--source", str(tmp_path / "mine")]
    found = subprocess.run([*command, "--data", str(tmp_path / "store")], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert "Not used: n\\udcf6te: left alone" in found.stdout


@pytest.mark.parametrize("wrong", ["nurses:2026Q1", "pbj_daily", "pbj_daily:2026-07", "penalties:2026Q1", "penalties:2026-13"])
def test_a_kind_or_period_that_is_none_is_wrong_usage(wrong: str, mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(mine, "--without", wrong) == 2
    assert "openstars: " in capsys.readouterr().err


def test_a_month_that_no_archive_has_names_the_next_with_its_quarter(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(mine, release="2026-01") == 1
    told = capsys.readouterr().err
    assert "CMS's archive does not have this month" in told and "--release 2026-02" in told
