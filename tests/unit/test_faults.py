"""Faults of the machine end a run with what happened and what to do, and leave nothing half-written."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from pipelines.cli import main
from pipelines.engine import Settings
from pipelines.errors import OpenstarsError, UsageError
from pipelines.faults import explained
from pipelines.sample.nation import write_nation
from pipelines.staging import stage
from pipelines.store import Store
from tests.cases import fill

RELEASE = "2026-07"
HEAVY = "select hash(a.range * b.range)::varchar || repeat('x', 50) as s from range(2000) as a, range(2000) as b order by s"
# a process whose files may not grow over a size stands for a disk that is full
SMALL_FILES = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
from pipelines.cli import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nation")
    write_nation(folder, homes=40)
    return folder


def supply_daily(store: Store, folder: Path) -> None:
    rows = [{"PROVNUM": f"{home:06}", "WorkDate": f"202404{day:02}"} for home in range(15000, 15200) for day in range(1, 31)]
    fill.supply(store, fill.write(folder / "daily.csv", "pbj_daily", rows), "pbj_daily", "2024Q2")


def test_a_memory_limit_too_small_names_the_table_and_the_settings(store: Store, tmp_path: Path) -> None:
    supply_daily(store, tmp_path)
    with pytest.raises(OpenstarsError, match="memory limit of 2MB is too small") as told:
        stage(store, "pbj_daily", "2024Q2", Settings(memory="2MB", threads=1))
    assert str(told.value).startswith("pbj_daily of 2024Q2, from daily.csv: ")
    assert "--memory" in str(told.value) and "--ranges" in str(told.value)
    assert store.manifest("staged.pbj_daily", "2024Q2") is None
    assert stage(store, "pbj_daily", "2024Q2", Settings(threads=1))["rows"] == 6000


def test_a_run_with_too_little_memory_ends_with_status_1(
    nation: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["run", "--release", RELEASE, "--source", str(nation), "--data", str(tmp_path / "store")]
    assert main([*run, "--memory", "1MB"]) == 1
    assert "memory limit of 1MB is too small" in capsys.readouterr().err


@pytest.mark.parametrize("size", ["much", "12XB", "2500", "-5MB", "1MB; drop"])
def test_a_size_of_memory_that_is_none_is_refused_at_once(size: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--release", RELEASE, "--source", "sample", f"--memory={size}"]) == 2
    assert f'"{size}" is no size of memory' in capsys.readouterr().err


def test_a_temporary_folder_that_cannot_be_written_is_wrong_usage(store: Store, tmp_path: Path) -> None:
    """A file where the folder must be: root is refused by it as well."""
    supply_daily(store, tmp_path)
    (store.root / "tmp").write_text("in the way")
    with pytest.raises(UsageError, match="cannot be written") as told:
        stage(store, "pbj_daily", "2024Q2", Settings())
    assert str(store.root) in str(told.value)
    assert store.manifest("staged.pbj_daily", "2024Q2") is None


def test_a_store_that_cannot_be_made_is_wrong_usage(nation: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    store = str(tmp_path / "file" / "store")
    assert main(["run", "--release", RELEASE, "--source", str(nation), "--data", store]) == 2
    told = capsys.readouterr().err
    assert store in told and "--data" in told


def test_a_full_disk_ends_the_run_and_no_file_counts(nation: Path, tmp_path: Path) -> None:
    """What came into the store before is whole; of the file that did not fit nothing is."""
    store = tmp_path / "store"
    arguments = ["run", "--release", RELEASE, "--source", str(nation), "--data", str(store)]
    done = subprocess.run([sys.executable, "-c", SMALL_FILES, "100000", *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stderr
    assert "no room left to write" in done.stderr and "Free space on the disk of" in done.stderr
    assert "Traceback" not in done.stderr
    blobs = [file for file in (store / "raw" / "blobs").rglob("*") if file.is_file() and not file.suffix]
    assert blobs and all(hashlib.sha256(blob.read_bytes()).hexdigest() == blob.name for blob in blobs)
    staged = list((store / "staged").glob("*/*"))
    assert all((folder / "manifest.json").exists() for folder in staged), staged
    assert not (store / "published").exists()


def test_a_full_disk_while_tables_are_computed_leaves_none_half_made(nation: Path, tmp_path: Path) -> None:
    """Everything is staged; of the tables of the release those that fitted are whole, and nothing is published."""
    store = tmp_path / "store"
    arguments = ["run", "--release", RELEASE, "--source", str(nation), "--data", str(store)]
    assert main(arguments) == 0
    shutil.rmtree(store / "published")
    for made in store.glob("computed/*/*/release=*"):
        shutil.rmtree(made)
    done = subprocess.run([sys.executable, "-c", SMALL_FILES, "20000", *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stderr
    assert "turnover.s" in done.stderr and "no room left to write" in done.stderr
    made = list(store.glob("computed/*/*/*"))
    assert any("release=" in folder.name for folder in made)
    assert all((folder / "manifest.json").exists() and not folder.name.startswith(".") for folder in made)
    assert not (store / "published").exists()
    assert main(arguments) == 0


@pytest.mark.parametrize(
    ("query", "config", "what"),
    [
        (f"copy ({HEAVY}) to '/dev/full' (format csv)", {}, "no room left"),
        (f"create table t as {HEAVY}", {"memory_limit": "60MB", "max_temp_directory_size": "5MB"}, "no room left"),
        ("copy (select 1) to 'no/such/folder/x.parquet' (format parquet)", {}, "cannot be read or written"),
        ("copy (select 1) to '/dev/null/x.parquet' (format parquet)", {}, "cannot be written"),
    ],
)
def test_what_duckdb_says_of_files_is_told_plainly(query: str, config: dict[str, str], what: str, tmp_path: Path) -> None:
    con = duckdb.connect(config={"threads": 1, "temp_directory": str(tmp_path / "spill"), **config})
    with pytest.raises((OpenstarsError, UsageError), match=what) as told, explained("turnover.spells of 2026-07", tmp_path):
        con.execute(query)
    assert str(told.value).startswith("turnover.spells of 2026-07: ")


def test_a_fault_of_the_program_stays_one() -> None:
    with pytest.raises(ZeroDivisionError), explained("x", Path(".")):
        _ = 1 / 0
    with pytest.raises(duckdb.BinderException), explained("x", Path(".")):
        duckdb.connect().execute("select nothing")
