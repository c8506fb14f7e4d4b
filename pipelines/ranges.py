"""The ranges of homes of one table, each a part: made here, or by workers that write it into the store, where it is collected."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.errors import MissingInput, OpenstarsError
from pipelines.executors import all_results, executor_of
from pipelines.faults import explained
from pipelines.store import fingerprint

if TYPE_CHECKING:
    from pipelines.engine import Engine

Homes = tuple[str, str]
# a range takes all threads of its worker: two at once in one process would take twice the memory and be no quicker
_one_at_a_time = threading.Lock()


def make_ranges(engine: Engine, name: str, made_from: str, ranges: Sequence[Homes], targets: Sequence[Path]) -> None:
    """Make the parts of a table, one a range of homes, as local files.

    Raises OpenstarsError where a part cannot be made; parts that workers have finished stay in the store for the next run.
    """
    settings = engine.settings
    executor = executor_of(settings.executor, settings.scheduler)
    if settings.executor == "local":
        for homes, target in zip(ranges, targets, strict=True):
            executor.submit(engine.make_part, name, homes, target).result()
        return
    folders = [_folder(engine, name, made_from, homes) for homes in ranges]
    undone = [(homes, folder) for homes, folder in zip(ranges, folders, strict=True) if not engine.store.is_there(folder)]
    futures = [executor.submit(make_range, engine, name, made_from, homes) for homes, _ in undone]
    all_results(settings.scheduler, futures, [_told(engine, name, homes) for homes, _ in undone])
    for folder, target in zip(folders, targets, strict=True):
        _link(engine.store.part(folder), target)
    engine.store.discard(folders[0].parent)


def make_range(engine: Engine, name: str, made_from: str, homes: Homes) -> str:
    """What a worker does: make a part of a table from the store and put it into the store whole. Returns where.

    Raises OpenstarsError where the worker's program, rules or store are not those of the run.
    """
    from distributed import get_worker

    mine = replace(engine.settings, threads=get_worker().state.nthreads)
    engine = replace(engine, settings=mine)
    told = f"{_told(engine, name, homes)}, on {socket.gethostname()}"
    with _one_at_a_time, explained(told, engine.store.root, mine.memory):
        try:
            seen = engine.made_from(name)
        except MissingInput as absent:
            raise OpenstarsError(
                f"{told}: the worker does not see the store of the run: {absent}\n"
                "Every machine must see it at the same address: a shared folder at the same path, or s3://bucket/folder."
            ) from absent
        if seen != made_from:
            raise OpenstarsError(
                f"{told}: the worker would make it from other SQL, rules or inputs than the run.\n"
                "Install the same version of openstars there, start the worker again, and let one run at a time change the store."
            )
        folder = _folder(engine, name, made_from, homes)
        with engine.store.adding(folder) as made:
            # a worker that was thought lost may be writing the same part: no two write the same file
            engine.make_part(name, homes, made / f"{uuid.uuid4().hex}.parquet")
    return engine.store.key(folder)


def _folder(engine: Engine, name: str, made_from: str, homes: Homes) -> Path:
    return engine.store.root / "parts" / name / made_from[:32] / fingerprint(homes)[:32]


def _told(engine: Engine, name: str, homes: Homes) -> str:
    return f"{name} of {engine.release.name}, homes from {homes[0] or 'the first'} to before {homes[1]}"


def _link(part: Path, target: Path) -> None:
    try:
        os.link(part, target)
    except OSError:  # not every file system has links
        shutil.copyfile(part, target)
