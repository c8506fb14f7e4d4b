"""A store elsewhere: what is there counts whole or not at all, and local copies never hide it. fsspec's memory stands for S3."""

from __future__ import annotations

import importlib
import json
import os
import pickle
import shutil
import sys
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from pipelines.cli import main
from pipelines.errors import MissingInput, OpenstarsError, UsageError
from pipelines.far import LIST, Far, _opened, list_of
from pipelines.store import Store, Supply, open_store, write_json

TABLE, PERIOD = "turnover.spells", "2026-07"
KEY = "computed/turnover/spells/release=2026-07"


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("OPENSTARS_MIRROR", str(tmp_path / "here"))
    return f"memory://{tmp_path.name}"


@pytest.fixture
def store(address: str) -> Store:
    return open_store(address)


def far_of(store: Store) -> Far:
    assert store.far
    return store.far


def elsewhere(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The same store as another machine sees it."""
    monkeypatch.setenv("OPENSTARS_MIRROR", str(tmp_path / "another machine"))
    return open_store(store.address)


def make(store: Store, homes: list[list[str]], mark: str = "first", breaks: bool = False) -> None:
    """Make a table of several files, one a list of homes."""
    with store.making(store.folder(TABLE, PERIOD)) as folder:
        for number, ccns in enumerate(homes):
            name = f"data-{number:03d}.parquet" if number else "data.parquet"
            parquet.write_table(arrow.table({"ccn": ccns, "mark": [mark] * len(ccns)}), folder / name)
        write_json(folder / "manifest.json", {"checked": True, "made_from": mark})
        if breaks:
            raise RuntimeError("the worker dies here")


def marks(store: Store) -> set[str]:
    return {mark for file in store.need(TABLE, PERIOD) for mark in parquet.read_table(file)["mark"].to_pylist()}


def test_another_machine_reads_what_was_made(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(store, [["015001"], ["015002"]])
    other = elsewhere(store, tmp_path, monkeypatch)
    assert other.root != store.root and not other.root.exists()
    assert [file.name for file in other.need(TABLE, PERIOD)] == ["data.parquet", "data-001.parquet"]
    assert marks(other) == {"first"}


def test_a_local_copy_does_not_hide_what_was_made_anew(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new table has fewer files: nothing of the old one may be read with it."""
    make(store, [["015001"], ["015002"]])
    other = elsewhere(store, tmp_path, monkeypatch)
    assert len(other.need(TABLE, PERIOD)) == 2
    make(store, [["015001"]], "second")
    assert marks(other) == {"second"}
    assert far_of(store).names(KEY) == ["data.parquet", LIST, "manifest.json"]


def test_without_its_list_a_folder_is_not_in_the_store(store: Store) -> None:
    """Data files without the list are what an upload leaves that was cut; the copy on this machine does not count either."""
    make(store, [["015001"]])
    far_of(store).remove(f"{KEY}/{LIST}")
    assert store.manifest(TABLE, PERIOD) is None
    with pytest.raises(MissingInput, match=f"{TABLE} of {PERIOD} is not in the store {store.address}"):
        store.need(TABLE, PERIOD)


def test_an_upload_that_is_cut_leaves_no_table(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    make(store, [["015001"], ["015002"]])
    put = Far.put

    def cut(far: Far, source: Path, key: str) -> None:
        if key.endswith("data-001.parquet"):
            raise OpenstarsError("the line is cut")
        put(far, source, key)

    monkeypatch.setattr(Far, "put", cut)
    with pytest.raises(OpenstarsError, match="cut"):
        make(store, [["015001"], ["015002"]], "second")
    assert store.manifest(TABLE, PERIOD) is None
    monkeypatch.undo()


def test_a_table_that_breaks_leaves_the_one_before(store: Store) -> None:
    make(store, [["015001"]])
    with pytest.raises(RuntimeError):
        make(store, [["015001"]], "second", breaks=True)
    assert marks(store) == {"first"}


def test_a_file_that_is_not_what_the_list_says_is_refused(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(store, [["015001"]])
    far_of(store).write(f"{KEY}/data.parquet", b"half")
    other = elsewhere(store, tmp_path, monkeypatch)
    with pytest.raises(OpenstarsError, match=r"data\.parquet is not what was written there"):
        other.need(TABLE, PERIOD)
    assert not list(other.root.rglob("*data.parquet*"))


def test_only_files_that_may_hold_homes_of_the_range_are_brought(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(store, [["015001", "015009"], ["025001", "025009"], ["035001"]])
    other = elsewhere(store, tmp_path, monkeypatch)
    assert [file.name for file in other.need(TABLE, PERIOD, ("025005", "035001"))] == ["data-001.parquet"]
    assert sorted(file.name for file in other.folder(TABLE, PERIOD).glob("*.parquet")) == ["data-001.parquet"]
    assert [file.name for file in other.need(TABLE, PERIOD, ("", "015002"))] == ["data.parquet"]
    assert len(other.need(TABLE, PERIOD, ("", "~"))) == 3


def test_notes_and_blobs_are_the_far_ones(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"rows")
    sha256 = list_of(tmp_path)["file"]["sha256"]
    store.add_blob(file, sha256, {"address": "x"})
    supply = Supply("pbj_daily", "2026Q1", sha256, "", "file", "x", "", "", 4)
    assert store.set_supply(supply)
    other = elsewhere(store, tmp_path, monkeypatch)
    assert other.supply("pbj_daily", "2026Q1") == supply
    assert other.has_blob(sha256) and other.blob(sha256).read_bytes() == b"rows"
    other.withdraw("pbj_daily", "2026Q1")
    assert store.supply("pbj_daily", "2026Q1") is None and store.vintages("pbj_daily", "2026Q1") == [supply]


def test_a_lost_blob_is_named(store: Store) -> None:
    with pytest.raises(MissingInput, match="has lost raw/blobs/ab/abc"):
        store.blob("abc")


@pytest.mark.parametrize("kind", ["far", "local"])
def test_of_two_parts_the_first_stays(kind: str, store: Store, tmp_path: Path) -> None:
    """A worker that was thought lost comes back with the same part: nobody may see a folder with two or a mixed one."""
    used = store if kind == "far" else Store(tmp_path / "local")
    folder = used.root / "parts" / "x" / "range"
    with used.adding(folder) as late:
        parquet.write_table(arrow.table({"mark": ["late"]}), late / "late.parquet")
        with used.adding(folder) as quick:
            parquet.write_table(arrow.table({"mark": ["quick"]}), quick / "quick.parquet")
        assert used.is_there(folder)
    assert parquet.read_table(used.part(folder))["mark"].to_pylist() == ["quick"]
    used.discard(folder.parent)
    assert not used.is_there(folder)
    with pytest.raises(MissingInput, match="should hold one part"):
        used.part(folder)


def test_a_store_is_sent_by_its_address(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = pickle.dumps(store)
    there = elsewhere(store, tmp_path, monkeypatch)
    assert pickle.loads(sent) == there != store
    local = Store(tmp_path / "folder")
    assert pickle.loads(pickle.dumps(local)) == local


def test_published_releases_are_those_with_a_list(store: Store) -> None:
    for release in ("2026-04", "2026-07"):
        with store.making(store.published(release)) as folder:
            (folder / "inputs.json").write_text(json.dumps({}))
    assert store.releases() == ["2026-04", "2026-07"]
    far_of(store).remove(f"published/2026-07/{LIST}")
    assert store.releases() == ["2026-04"]


@pytest.mark.parametrize(
    ("arguments", "module", "todo"),
    [
        (["--data", "s3://bucket/store"], "s3fs", "pip install 'openstars[cluster]'"),
        (["--executor", "dask", "--scheduler", "tcp://127.0.0.1:8786"], "distributed", "pip install 'openstars[cluster]'"),
    ],
)
def test_an_extra_that_is_not_installed_is_told(
    arguments: list[str], module: str, todo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("OPENSTARS_MIRROR", str(tmp_path / "here"))
    monkeypatch.setenv("OPENSTARS_DATA", str(tmp_path / "store"))
    monkeypatch.setitem(sys.modules, module, None)
    if module == "s3fs":
        monkeypatch.delitem(importlib.import_module("fsspec.registry")._registry, "s3", raising=False)
    _opened.cache_clear()
    assert main(["run", "--release", PERIOD, "--source", str(tmp_path), *arguments]) == 2
    assert todo in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [["--executor", "dask"], ["--scheduler", "tcp://127.0.0.1:8786"], ["--executor", "dask", "--scheduler", "no such://thing"]],
)
def test_a_wrong_cluster_is_wrong_usage(arguments: list[str], tmp_path: Path, capsys: Any) -> None:
    assert main(["run", "--release", PERIOD, "--source", str(tmp_path), "--data", str(tmp_path), *arguments]) == 2
    assert "tcp://HOST:8786" in capsys.readouterr().err


def test_an_address_that_is_none_is_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENSTARS_MIRROR", str(tmp_path))
    with pytest.raises(UsageError, match="s3://bucket/folder"):
        open_store("nothing://at/all")


def test_copies_are_below_a_folder_of_their_address(address: str, tmp_path: Path) -> None:
    """Two stores with one folder for copies do not meet, and the end of an address does not matter."""
    one, two = open_store(address), open_store(f"{address}2")
    assert one.root.parent == two.root.parent == tmp_path / "here"
    assert one.root != two.root
    assert open_store(f"{address}/") == one
    shutil.rmtree(tmp_path / "here", ignore_errors=True)


def test_what_a_killed_run_left_is_removed_after_a_day(tmp_path: Path) -> None:
    """Working folders of whole_folder and of staging, old ones alone; nothing else of the store, whatever its age."""
    store = Store(tmp_path)
    left = [tmp_path / "staged" / "pbj_daily" / ".quarter=2026Q1.0123abcd", tmp_path / "tmp" / "stage.abc"]
    left += [tmp_path / "published" / ".2026-07.old.abcd1234", tmp_path / "parts" / "turnover.spells" / "0123"]
    kept = [tmp_path / "published" / "2026-07", tmp_path / "staged" / ".git", tmp_path / "tmp" / "spill.now"]
    for folder in [*left, *kept]:
        folder.mkdir(parents=True)
        (folder / "inputs.json").write_text("{}")
    for folder in [*left, *kept[:2]]:
        os.utime(folder, (0, 0))
    store.clear_leftovers()
    assert [folder.exists() for folder in left] == [False] * 4
    assert [folder.exists() for folder in kept] == [True] * 3


def test_a_release_that_was_not_finished_is_none(tmp_path: Path) -> None:
    """A run that was killed before the rename leaves a hidden folder, one that was killed before the hashes a folder without them."""
    for name, files in (
        ("2026-06", ("inputs.json", "SHA256SUMS")),
        (".2026-07.0123abcd", ("inputs.json", "SHA256SUMS")),
        ("2026-08", ("inputs.json",)),
    ):
        for file in files:
            (tmp_path / "published" / name).mkdir(parents=True, exist_ok=True)
            (tmp_path / "published" / name / file).write_text("{}")
    assert Store(tmp_path).releases() == ["2026-06"]
