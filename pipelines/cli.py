"""The `openstars` command. Exit status 0 done, 1 the data were refused, 2 wrong usage."""

from __future__ import annotations

import argparse
import io
import logging
import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.errors import OpenstarsError, UsageError
from pipelines.executors import NAMES
from pipelines.faults import explained

if TYPE_CHECKING:
    from pipelines.periods import Release
    from pipelines.resources import Run


def at_least(least: int) -> Callable[[str], int]:
    """A whole number of the command line that is not below another."""

    def number(text: str) -> int:
        found = int(text)
        if found < least:
            raise argparse.ArgumentTypeError(f"{found} is less than {least}")
        return found

    return number


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog="openstars", description="Recomputes nursing home star ratings from CMS's public files.")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="the main job for one release")
    which = run.add_mutually_exclusive_group(required=True)
    which.add_argument("--quarter", help="PBJ quarter, like 2026Q1: the first release that shows its staffing levels")
    which.add_argument("--release", help="Care Compare release, like 2026-07")
    run.add_argument("--source", required=True, help="cms, sample, or a folder of CMS files")
    run.add_argument(
        "--through",
        choices=["staffing", "all"],
        default="all",
        help="staffing: what is published is not the newest release, whatever its month",
    )
    run.add_argument("--inputs", choices=["best", "recomputed", "published"], default="best", help="which values are scored")
    run.add_argument(
        "--accept", default="", metavar="REASON", help="publish although rows could not be read; the reason is recorded"
    )
    run.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="KIND:PERIOD",
        help="go on without a file, like pbj_daily:2025Q3; may be given more than once, and is recorded",
    )
    run.add_argument(
        "--ranges", type=at_least(1), default=0, help="ranges of homes (default: chosen by size); results do not depend on it"
    )
    run.add_argument(
        "--threads", type=at_least(1), default=0, help="threads of DuckDB (default: all cores); results do not depend on it"
    )
    run.add_argument(
        "--memory", default="", metavar="SIZE", help="memory of DuckDB, like 2500MB (the default); results do not depend on it"
    )
    run.add_argument("--executor", choices=NAMES, default="local", help="who works on ranges of homes (default: this process)")
    run.add_argument("--scheduler", default="", metavar="ADDRESS", help="Dask's scheduler, like tcp://HOST:8786")

    explain = commands.add_parser("explain", help="one home: every measure, its points, and why")
    explain.add_argument("ccn", help="CMS certification number, six characters")
    explain.add_argument("--release", help="release (default: the newest published)")

    compare = commands.add_parser("compare", help="agreement with CMS's published values")
    compare.add_argument("--release", help="release (default: the newest published)")

    sample = commands.add_parser("sample", help="write a made-up nation as CMS files")
    sample.add_argument("folder", type=Path)
    sample.add_argument("--homes", type=at_least(1), default=320)
    sample.add_argument("--seed", type=int, default=1)
    sample.add_argument(
        "--release", default="2026-07", help="the month whose files they are, in its form and by its rules (2026-07)"
    )
    sample.add_argument("--real-size", action="store_true", help="homes as large as real ones: with 14,700 of them a nation")

    sources = commands.add_parser("sources", help="what a source offers, what is stored, what is missing")
    sources.add_argument("--source", default="cms", help="cms, sample, or a folder of CMS files")
    sources.add_argument("--release", help="say what is missing for this release")

    sql = commands.add_parser("sql", help="a DuckDB shell on the store")
    sql.add_argument("--release", help="release (default: the newest published)")
    sql.add_argument("query", nargs="?", help="run this instead of reading from the terminal")

    ui = commands.add_parser("ui", help="Dagster's page on this project")
    ui.add_argument("--port", type=int, default=3000)
    for command in (run, explain, compare, sources, sql, ui):
        command.add_argument(
            "--data", default="", help="the store, a folder or s3://bucket/folder (default: OPENSTARS_DATA or data/store)"
        )
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; its exit status."""
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")
    for stream in (sys.stdout, sys.stderr):  # a file name need not be text, nor a terminal know every letter
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    given = parser().parse_args(arguments)
    try:
        with explained(f"openstars {given.command}", _works_in(given)):
            return int(globals()[f"_{given.command}"](given) or 0)
    except UsageError as wrong:
        print(f"openstars: {wrong}", file=sys.stderr)
        return 2
    except OpenstarsError as refused:
        print(f"openstars: {refused}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of the output went away (| head)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _works_in(given: argparse.Namespace) -> Path:
    """The folder that a command writes into."""
    from pipelines.resources import Run

    return Path(given.folder) if "folder" in given else Run(data=given.data).located().root


def _run(given: argparse.Namespace) -> None:
    from dagster import BetaWarning

    from pipelines import periods
    from pipelines.main_job import run_release
    from pipelines.report import summary
    from pipelines.resources import Run

    warnings.filterwarnings("ignore", category=BetaWarning)  # of Dagster's own code
    for name in ("dagster", "alembic"):
        logging.getLogger(name).setLevel(logging.ERROR)
    began = time.monotonic()
    run = Run(
        data=given.data,
        source=given.source,
        inputs=given.inputs,
        through=given.through,
        accept=given.accept,
        ranges=given.ranges,
        threads=given.threads,
        memory=given.memory,
        executor=given.executor,
        scheduler=given.scheduler,
        without=given.without,
    )
    run.settings()  # a wrong one is refused before any work
    release = periods.release(given.release) if given.release else _release_of(given.quarter, run)
    print(f"Release {release.name}: staffing levels of {release.staffing_quarter}, turnover of {release.quarters[1]}-{release.quarters[4]}"
          + (f" ({release.note})" if release.note else ""))  # fmt: skip
    folder = run_release(run, release.name, lambda step: print(f"[{time.monotonic() - began:6.1f} s] {step}", flush=True))
    print(summary(run.engine(release.name)))
    store = run.store()
    print(f"Tables: {f'{store}/{store.key(folder)}' if store.far else folder} ({time.monotonic() - began:.0f} s)")


def _release_of(quarter: str, run: Run) -> Release:
    """The release of `--quarter`: the first that shows it and can be had; told where that is not the first."""
    from pipelines import periods

    first = periods.releases_of_quarter(quarter)[0]
    offered: set[str] = set()
    if not first.is_archived and run.source not in ("cms", "sample"):  # somebody may have kept the month
        offered = {offer.period for offer in run.opened().offers() if offer.table == "provider_info"}
    found = periods.release_of_quarter(quarter, offered)
    if found != first:
        print(f"{found.staffing_quarter} is first shown by {first.name}, which CMS's archive does not have: taking {found.name}")
    return found


def _there(run: Run) -> Run:
    """A run whose store is there. Raises UsageError where it is not, so that a misspelled folder is not made."""
    store = run.located()
    if store.far is None and not store.root.is_dir():
        raise UsageError(f"There is no store {store}: openstars run makes one, --data names another")
    return run


def _explain(given: argparse.Namespace) -> None:
    from pipelines.report import published_release
    from pipelines.resources import Run
    from pipelines.story import explain

    store = _there(Run(data=given.data)).store()
    print(explain(store, published_release(store, given.release), given.ccn))


def _compare(given: argparse.Namespace) -> None:
    from pipelines.report import compare, published_release
    from pipelines.resources import Run

    store = _there(Run(data=given.data)).store()
    print(compare(store, published_release(store, given.release)))


def _sample(given: argparse.Namespace) -> None:
    from pipelines.sample.nation import write_nation
    from pipelines.sample.people import REAL, SMALL

    if given.folder.exists() and any(given.folder.iterdir()):
        raise UsageError(f"{given.folder} is not empty: give a folder that is, or a new one")
    residents = REAL if given.real_size else SMALL
    write_nation(given.folder, homes=given.homes, seed=given.seed, release=given.release, residents=residents)
    truth = given.folder / "truth.csv"
    print(f"Made {given.homes} homes of release {given.release} in {given.folder}; what must come out of them stands in {truth}")


def _sources(given: argparse.Namespace) -> None:
    from pipelines import periods
    from pipelines.publishing import inputs_of_release
    from pipelines.resources import Run

    run = Run(data=given.data, source=given.source, release=given.release or "")
    store = run.store()
    source = run.opened()
    for offer in source.offers():
        size = f"{offer.size:,} bytes" if offer.size else ""
        held = store.supply(offer.table, offer.period) if offer.period else None
        is_stored = held and held.source == source.name and offer.address in (held.address, held.name)
        stored = "stored" if is_stored else ""
        print(f"{offer.table:22} {offer.period or '-':8} {offer.modified:12} {stored:7} {size:>20} {offer.address}")
    for line in source.warnings:
        print(f"Not used: {line}")
    if given.release:
        engine = run.engine(periods.release(given.release).name)
        missing = [
            f"{t} {p}" for t, p in inputs_of_release(engine) if (held := store.supply(t, p)) is None or held.source != source.name
        ]
        print(f"Not in the store from this source for release {given.release}: {', '.join(missing) or 'nothing is missing'}")


def _sql(given: argparse.Namespace) -> None:
    from pipelines.report import published_release
    from pipelines.resources import Run
    from pipelines.shell import shell

    run = _there(Run(data=given.data))
    shell(run.engine(published_release(run.store(), given.release)), given.query)


def _ui(given: argparse.Namespace) -> int:
    import subprocess

    from pipelines.resources import Run

    store = Run(data=given.data).store()
    home = store.root / "dagster"
    home.mkdir(exist_ok=True)
    settings = home / "dagster.yaml"
    if not settings.exists():
        settings.write_text("telemetry:\n  enabled: false\npython_logs:\n  python_log_level: INFO\n")
    environment = {**os.environ, "DAGSTER_HOME": str(home), "OPENSTARS_DATA": store.address}
    print(f"Dagster's page: http://127.0.0.1:{given.port}  (stop with Ctrl-C)")
    # with the daemon, without which no schedule or sensor that is switched on ticks
    command = [sys.executable, "-m", "dagster", "dev", "-m", "pipelines.definitions", "-h", "127.0.0.1", "-p", str(given.port)]
    return subprocess.call(command, env=environment)


if __name__ == "__main__":
    sys.exit(main())
