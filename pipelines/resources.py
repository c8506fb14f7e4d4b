"""What every asset is given: where the store is, where files come from, how the run is done."""

import os
import re
from typing import Any

import dagster as dg

from pipelines.engine import Engine, Settings, engine_for
from pipelines.errors import UsageError
from pipelines.executors import check
from pipelines.faults import memory_size
from pipelines.periods import parse_quarter
from pipelines.sources import QUARTER_TABLES, RELEASE_TABLES, Source
from pipelines.sources.choose import open_source
from pipelines.store import Store, open_store

_open_sources: dict[tuple[str, str, str], Source] = {}


class Run(dg.ConfigurableResource):
    """Store, source and settings of a run. `data` defaults to OPENSTARS_DATA or data/store; of `release` the sample nation is made."""

    data: str = ""
    source: str = "cms"
    release: str = ""
    inputs: str = "best"
    through: str = "all"
    accept: str = ""
    ranges: int = 0
    threads: int = 0
    memory: str = ""
    executor: str = "local"
    scheduler: str = ""
    without: list[str] = []  # noqa: RUF012 - a field of a pydantic model

    def left_out(self) -> set[tuple[str, str]]:
        """The tables and periods that a person names as not to be used. Raises UsageError for what is none."""
        return {_table_and_period(text) for text in self.without}

    def located(self) -> Store:
        """The store where it is, or would be: a folder, or an address like s3://bucket/folder."""
        return open_store(self.data or os.environ.get("OPENSTARS_DATA") or "data/store")

    def store(self) -> Store:
        """The store; its folder is made where it is not there."""
        store = self.located()
        try:
            store.root.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            todo = "set OPENSTARS_MIRROR to a folder for its local copies" if store.far else "give another folder with --data"
            raise UsageError(f"The folder {store.root} cannot be written ({fault.strerror}): {todo}") from fault
        return store

    def opened(self) -> Source:
        """The source, opened once a process: it caches its catalogue."""
        store = self.store()
        key = (self.source, str(store.root), self.release)
        if key not in _open_sources:
            _open_sources[key] = open_source(self.source, store, self.release)
        return _open_sources[key]

    def fresh(self) -> Source:
        """The source with nothing cached: what a process that lives for weeks must look at."""
        return open_source(self.source, self.store(), self.release)

    def settings(self) -> Settings:
        """How SQL is run. Raises UsageError for settings that cannot be."""
        more: dict[str, Any] = {"threads": self.threads} if self.threads else {}
        if self.memory:
            more["memory"] = memory_size(self.memory)
        check(self.executor, self.scheduler)
        return Settings(
            inputs=self.inputs,
            accept=self.accept,
            ranges=self.ranges,
            executor=self.executor,
            scheduler=self.scheduler,
            without=frozenset(self.left_out()),
            **more,
        )

    def engine(self, release: str) -> Engine:
        """The engine of a release."""
        return engine_for(self.store(), release, self.settings())


def _table_and_period(text: str) -> tuple[str, str]:
    """A kind of file and its period, as in `--without pbj_daily:2025Q3`."""
    table, _, period = text.partition(":")
    if table not in (*QUARTER_TABLES, *RELEASE_TABLES):
        raise UsageError(
            f'"{text}": there is no kind of file "{table}" that is read; there are {", ".join((*QUARTER_TABLES, *RELEASE_TABLES))}'
        )
    if table in QUARTER_TABLES:
        return table, parse_quarter(period)
    if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", period):
        raise UsageError(f'"{text}": {table} has a release, like {table}:2026-07')
    return table, period
