"""More machines: real Dask workers in processes of their own, a real S3 server, and the bytes of a run on one machine.

Everything talks on loopback only. Each worker has a folder for local copies of its own, as on a machine of its own.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
import s3fs
from distributed import Client

from pipelines.cli import main
from pipelines.far import LIST, _known, _opened
from pipelines.sample.nation import write_nation
from pipelines.store import open_store

RELEASE = "2026-07"
BUCKET = "stars"
STORE = f"s3://{BUCKET}/store"
SPELLS = f"store/computed/turnover/spells/release={RELEASE}"
PATIENCE = 120.0


def wait_for(what: str, found: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """What a function gives as soon as it is true of it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if result := found():
            return result
        time.sleep(0.01)
    raise AssertionError(f"not within {seconds:.0f} s: {what}")


def answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


class Processes:
    """Processes of one test, each with its output in a file; those that still run at the end are ended."""

    def __init__(self, folder: Path, environment: dict[str, str]):
        self.folder, self.environment = folder, environment
        self.all: list[subprocess.Popen[bytes]] = []
        self.clients: list[Client] = []

    def start(self, name: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start Python with arguments, in an empty folder: it has the installed package and nothing of the tests."""
        empty = self.folder / f"{name}-folder"
        empty.mkdir()
        with (self.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, *arguments], cwd=empty, env=self.environment | environment, stdout=log, stderr=subprocess.STDOUT
            )
        self.all.append(process)
        return process

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def end(self) -> None:
        for client in self.clients:
            client.close()
        for process in self.all:
            process.kill()
            process.wait()


class Cluster:
    """A Dask scheduler and its workers."""

    def __init__(self, processes: Processes, allowed_failures: int = 3):
        self.processes, self.port = processes, free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.workers: dict[str, subprocess.Popen[bytes]] = {}  # by address
        processes.start(
            "scheduler", "-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard",
            DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES=str(allowed_failures),
        )  # fmt: skip
        wait_for("the scheduler", lambda: answers(self.port))
        self.client = Client(self.address, set_as_default=False)
        processes.clients.append(self.client)

    def add_worker(self) -> None:
        name, port = f"worker-{len(self.workers)}", free_port()
        self.workers[f"tcp://127.0.0.1:{port}"] = self.processes.start(
            name, "-m", "dask", "worker", self.address, "--host", "127.0.0.1", "--worker-port", str(port), "--nthreads", "1",
            "--memory-limit", "0", "--no-nanny", "--no-dashboard", "--local-directory", str(self.processes.folder / name),
            OPENSTARS_MIRROR=str(self.processes.folder / f"{name}-copies"),
        )  # fmt: skip

    def kill_a_busy_worker(self, parts: Callable[[str], Path]) -> set[str]:
        """Kill a worker while it makes a part of a table: the keys of its ranges. `parts` is where the worker of a name makes them.

        It is stopped first, and killed only if a part is half made then and the scheduler still waits for it.
        """
        while True:
            address, name = wait_for("a busy worker", lambda: self.busy(parts))
            process = self.workers[address]
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.5)  # a result that was on its way has arrived
            keys = self.ranges_of(address)
            if keys and half_made(parts(name)):
                process.send_signal(signal.SIGKILL)
                process.wait()
                return keys
            process.send_signal(signal.SIGCONT)

    def busy(self, parts: Callable[[str], Path]) -> tuple[str, str] | None:
        """Address and name of a worker that is making a part."""
        names = {address: f"worker-{number}" for number, address in enumerate(self.workers)}
        return next(((a, n) for a, n in names.items() if half_made(parts(n)) and self.ranges_of(a)), None)

    def ranges_of(self, address: str) -> set[str]:
        return {key for key in self.client.processing().get(address, ()) if key.startswith("make_range")}

    def story(self, keys: set[str]) -> dict[str, list[tuple[str, str]]]:
        """What the scheduler noted of each task: from which state to which."""

        def look(dask_scheduler: Any = None) -> list[tuple[str, str, str]]:
            return [(str(t.key), t.start, t.finish) for t in dask_scheduler.transition_log]

        told: dict[str, list[tuple[str, str]]] = {key: [] for key in keys}
        for key, start, finish in self.client.run_on_scheduler(look):
            if key in told:
                told[key].append((start, finish))
        return told


def copies_of(address: str) -> str:
    """The folder of local copies of a store below OPENSTARS_MIRROR."""
    return open_store(address).root.name


def half_made(parts: Path) -> list[Path]:
    """Folders of parts that are being made in a folder, which may change while they are looked for."""
    with contextlib.suppress(FileNotFoundError):
        return [found for found in parts.glob("*/*/.*.*") if found.is_dir()]
    return []


def truth_rows(nation: Path) -> list[dict[str, str]]:
    """The rows of truth.csv."""
    with (nation / "truth.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def environment() -> Iterator[dict[str, str]]:
    """The environment in which nothing is asked of any other machine."""
    port = free_port()
    settings = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        "DAGSTER_DISABLE_TELEMETRY": "yes",
        "PYTHONPATH": "",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        yield dict(os.environ)


@pytest.fixture(scope="module")
def s3(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """An S3 server with one bucket; a client of it."""
    processes = Processes(tmp_path_factory.mktemp("s3"), environment)
    port = int(environment["AWS_ENDPOINT_URL"].rsplit(":", 1)[1])
    processes.start("s3", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port))
    try:
        wait_for("the S3 server", lambda: answers(port))
        client = boto3.client("s3")
        client.create_bucket(Bucket=BUCKET)
        yield client
    finally:
        processes.end()


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nation")
    write_nation(folder, homes=40)
    return folder


@pytest.fixture(scope="module")
def alone(nation: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Hashes of what one machine with a local store publishes."""
    store = tmp_path_factory.mktemp("alone")
    assert main(["run", "--release", RELEASE, "--source", str(nation), "--data", str(store)]) == 0
    return digests({file.name: file.read_bytes() for file in (store / "published" / RELEASE).iterdir()})


def digests(files: dict[str, bytes]) -> dict[str, str]:
    """Hashes of the tables and the descriptor of a release."""
    return {
        name: hashlib.sha256(content).hexdigest()
        for name, content in sorted(files.items())
        if name.endswith(".parquet") or name == "datapackage.json"
    }


def objects(s3: Any, prefix: str) -> dict[str, str]:
    """Key and ETag of every object."""
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
    return {item["Key"]: item["ETag"] for page in pages for item in page.get("Contents", [])}


def published(s3: Any) -> dict[str, str]:
    keys = objects(s3, f"store/published/{RELEASE}/")
    return digests({key.rsplit("/", 1)[1]: s3.get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in keys})


def test_a_cluster_that_loses_a_worker_publishes_the_same_bytes(
    nation: Path,
    alone: dict[str, str],
    s3: Any,
    environment: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Three workers and a store on S3; one is killed with ranges in hand, which the others do. Then: nothing new, a lost list."""
    processes = Processes(tmp_path, environment)
    run = ["-m", "pipelines.cli", "run", "--release", RELEASE, "--source", str(nation), "--data", STORE]
    copies = {"OPENSTARS_MIRROR": str(tmp_path / "copies")}
    try:
        cluster = Cluster(processes)
        for _ in range(3):
            cluster.add_worker()
        cluster.client.wait_for_workers(3, timeout=PATIENCE)
        driver = processes.start("driver", *run, "--ranges", "8", "--executor", "dask", "--scheduler", cluster.address, **copies)
        lost = cluster.kill_a_busy_worker(lambda name: tmp_path / f"{name}-copies" / copies_of(STORE) / "parts")
        assert driver.wait(PATIENCE) == 0, processes.log("driver")
        for key, steps in cluster.story(lost).items():
            begun = [finish for _, finish in steps].count("processing")
            assert begun >= 2 and ("processing", "memory") in steps, f"the lost range {key} was not done again: {steps}"
        assert published(s3) == alone
        assert objects(s3, "store/parts/") == {}, "parts that were collected stay"
        assert list((tmp_path / "copies").rglob("parts/**/*.parquet")) == []
        for worker in sorted(tmp_path.glob("worker-*-copies")):
            assert not list(worker.rglob("blobs")), "a worker fetched raw files, which it does not read"
    finally:
        processes.end()

    monkeypatch.setenv("OPENSTARS_MIRROR", str(tmp_path / "a new machine"))
    before = objects(s3, "store/")
    again = ["run", "--release", RELEASE, "--source", str(nation), "--data", STORE]
    assert main(again) == 0
    after = objects(s3, "store/")
    # where files were seen may be noted anew by a machine that sees them first; nothing else is new
    assert {key for key in after if after[key] != before.get(key)} <= {key for key in after if "/raw/" in key}
    assert set(before) <= set(after)
    assert published(s3) == alone

    with (nation / "plants.csv").open(encoding="utf-8", newline="") as lines:
        home = next(csv.DictReader(lines))["ccn"]
    assert main(["explain", home, "--data", STORE]) == 0
    assert main(["compare", "--data", STORE]) == 0
    told = capsys.readouterr().out
    assert f"({home}, " in told and "Agreement with CMS, release 2026-07" in told
    assert main(["sql", "select 1000 + count(*) as homes from published.ratings", "--data", STORE]) == 0
    homes = len({row["ccn"] for row in truth_rows(nation) if row["table"] == "ratings"})
    assert str(1000 + homes) in capsys.readouterr().out

    s3.delete_object(Bucket=BUCKET, Key=f"{SPELLS}/{LIST}")
    s3.put_object(Bucket=BUCKET, Key=f"{SPELLS}/data.parquet", Body=b"half")
    _known.clear()  # what was read just now is forgotten in a few seconds anyway
    assert main(again) == 0
    assert s3.get_object(Bucket=BUCKET, Key=f"{SPELLS}/data.parquet")["Body"].read()[:4] == b"PAR1"
    listed = json.loads(s3.get_object(Bucket=BUCKET, Key=f"{SPELLS}/{LIST}")["Body"].read())
    assert "data.parquet" in listed and "manifest.json" in listed
    assert published(s3) == alone


def test_a_range_that_no_worker_survives_is_named_and_the_next_run_goes_on(
    nation: Path, alone: dict[str, str], environment: dict[str, str], tmp_path: Path
) -> None:
    """A shared folder as the store, a scheduler that forgives no death, one worker: killed. With another the run goes on."""
    processes = Processes(tmp_path, environment)
    store = tmp_path / "store"
    run = ["-m", "pipelines.cli", "run", "--release", RELEASE, "--source", str(nation), "--data", str(store), "--ranges", "6"]
    try:
        cluster = Cluster(processes, allowed_failures=0)
        cluster.add_worker()
        cluster.client.wait_for_workers(1, timeout=PATIENCE)
        run += ["--executor", "dask", "--scheduler", cluster.address]
        driver = processes.start("driver", *run)
        cluster.kill_a_busy_worker(lambda name: store / "parts")
        assert driver.wait(PATIENCE) == 1, processes.log("driver")
        told = processes.log("driver")
        named = re.search(r"openstars: (\w+)\.(\w+) of ([\w-]+), homes from .* to before .*: lost its worker 1 time, ", told)
        assert named, told
        assert "Traceback" not in told.split("openstars: ")[-1]
        assert not (store / "published").exists()
        assert not list((store / "computed" / named[1] / named[2]).glob(f"*={named[3]}"))
        cluster.add_worker()
        assert processes.start("second", *run).wait(PATIENCE) == 0, processes.log("second")
        assert digests({file.name: file.read_bytes() for file in (store / "published" / RELEASE).iterdir()}) == alone
        assert list(store.glob("parts/*/*")) == []
    finally:
        processes.end()


def test_a_scheduler_that_goes_away_ends_the_run(nation: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """The work is not there any more, so the run cannot wait for it."""
    processes = Processes(tmp_path, environment)
    store = tmp_path / "store"
    try:
        cluster = Cluster(processes)
        cluster.add_worker()
        cluster.client.wait_for_workers(1, timeout=PATIENCE)
        driver = processes.start(
            "driver", "-m", "pipelines.cli", "run", "--release", RELEASE, "--source", str(nation), "--data", str(store),
            "--ranges", "6", "--executor", "dask", "--scheduler", cluster.address,
            DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="2s",
        )  # fmt: skip
        wait_for("a part", lambda: half_made(store / "parts"))
        cluster.client.close()
        processes.all[0].kill()
        assert driver.wait(PATIENCE) == 1, processes.log("driver")
        assert f"openstars: The Dask scheduler {cluster.address} is gone." in processes.log("driver")
        assert not (store / "published").exists()
    finally:
        processes.end()


def test_a_scheduler_that_does_not_answer_is_told(
    nation: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pipelines.executors.CONNECT", 1.0)
    address = f"tcp://127.0.0.1:{free_port()}"
    arguments = ["--data", str(tmp_path), "--executor", "dask", "--scheduler", address]
    assert main(["run", "--release", RELEASE, "--source", str(nation), *arguments]) == 1
    assert f"The Dask scheduler {address} cannot be reached" in capsys.readouterr().err


def test_a_scheduler_without_workers_is_told(
    nation: Path,
    environment: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("pipelines.executors.WORKERS", 1.0)
    processes = Processes(tmp_path, environment)
    try:
        cluster = Cluster(processes)
        arguments = ["--data", str(tmp_path / "store"), "--executor", "dask", "--scheduler", cluster.address]
        assert main(["run", "--release", RELEASE, "--source", str(nation), *arguments]) == 1
    finally:
        processes.end()
    told = capsys.readouterr().err
    assert "has no workers" in told and f"dask worker {cluster.address}" in told


@pytest.mark.parametrize(
    ("address", "endpoint", "what"),
    [
        ("s3://no-such-bucket/store", "", "it, or the bucket, is not there"),
        ("s3://stars/other", "http://127.0.0.1:1", "cannot be reached"),
    ],
)
def test_a_store_that_cannot_be_reached_is_told_before_any_work(
    address: str,
    endpoint: str,
    what: str,
    nation: Path,
    s3: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OPENSTARS_MIRROR", str(tmp_path))
    s3fs.S3FileSystem.clear_instance_cache()  # which would keep the endpoint
    _opened.cache_clear()
    if endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    assert main(["run", "--release", RELEASE, "--source", str(nation), "--data", address]) == 1
    told = capsys.readouterr()
    assert what in told.err and address in told.err
    assert "stage_release" not in told.out
