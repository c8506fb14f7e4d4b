"""Runs one SQL file over the tables of a release, by ranges of homes where they are large, into checked Parquet."""

from __future__ import annotations

import json
import os
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as arrow
import pyarrow.parquet as parquet

from pipelines import periods, quoting
from pipelines.checks import check_table, scan
from pipelines.errors import MissingInput, OpenstarsError
from pipelines.executors import workers_of
from pipelines.faults import explained
from pipelines.periods import RULES, Release, quarter_days
from pipelines.quoting import literal
from pipelines.ranges import make_ranges
from pipelines.sources import QUARTER_TABLES, RELEASE_TABLES, source_of, staged_name
from pipelines.store import Store, data_file, data_files, fingerprint, sha256_of, write_json
from schemas import TABLES, Table

SQL = Path(__file__).parent.parent / "sql"
HOMES_PER_RANGE = 2500
STAGED_AREAS = (
    "six_quarters",
    "current",
    "latest",
    "previous",
)  # names by which SQL says which periods of a staged table it reads
APART = ("checks", "vintages")  # SQL that makes no table of a period
ROW_GROUP = 100_000  # of a published table
PART_GROUP = 20_480  # of a table that is read by ranges of homes: small enough that a range skips most of them


@dataclass(frozen=True)
class Settings:
    """How a run is done. `ranges` 0 lets the engine choose."""

    inputs: str = "best"
    accept: str = ""
    ranges: int = 0
    threads: int = field(default_factory=lambda: os.cpu_count() or 2)
    memory: str = "2500MB"
    executor: str = "local"  # who works on ranges of homes: this process, or the workers of the Dask scheduler at the address
    scheduler: str = ""
    without: frozenset[tuple[str, str]] = frozenset()  # tables and periods that a person named as not to be used


def connect(store: Store, settings: Settings) -> duckdb.DuckDBPyConnection:
    """A private in-memory DuckDB with bounded memory that fetches nothing."""
    spills = store.root / "tmp"
    spills.mkdir(parents=True, exist_ok=True)
    # DuckDB names its files by process, and processes of two containers may share a number; it makes the folder and removes it. It takes
    # a backslash of the path for the end of a folder's name
    spill = (spills if "\\" not in str(spills) else Path(tempfile.gettempdir())) / f"spill.{uuid.uuid4().hex[:12]}"
    con = duckdb.connect(
        config={
            "threads": settings.threads,
            "memory_limit": settings.memory,
            "temp_directory": str(spill),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
    )
    con.execute("set enable_progress_bar = false")
    return con


@cache
def sql_files() -> dict[str, Path]:
    """Every SQL file that makes a table, by the table's name: sql/turnover/spells.sql makes `turnover.spells`."""
    return {f"{path.parent.name}.{path.stem}": path for path in sorted(SQL.glob("*/*.sql")) if path.parent.name not in APART}


@cache
def inputs_of(select: str) -> list[str]:
    """Schema-qualified tables that a SELECT reads, in name order. Raises ValueError where DuckDB cannot parse it."""
    parsed = json.loads(duckdb.connect().execute("select json_serialize_sql(?)", [select]).fetchall()[0][0])
    if parsed.get("error"):
        raise ValueError(parsed.get("error_message", "DuckDB cannot parse the SELECT"))
    return sorted(set(_tables(parsed)))


def _tables(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if node.get("type") == "BASE_TABLE" and node.get("schema_name"):
            yield f"{node['schema_name']}.{node['table_name']}"
        for child in node.values():
            yield from _tables(child)
    elif isinstance(node, list):
        for child in node:
            yield from _tables(child)


def variables_of(select: str) -> set[str]:
    """Names of the variables that a SELECT reads with getvariable()."""
    import re

    return set(re.findall(r"getvariable\('(\w+)'\)", select))


@cache
def lasting() -> set[str]:
    """What SQL reads as `latest.`: tables that stand for all months of a quarter."""
    return {name for inputs in graph().values() for name in inputs if name.startswith("latest.")}


def graph() -> dict[str, list[str]]:
    """Inputs of every SQL file, in an order in which each follows what it reads."""
    inputs = {name: inputs_of(path.read_text()) for name, path in sql_files().items() if not name.startswith("staged.")}
    done: dict[str, list[str]] = {}

    def visit(name: str, trail: tuple[str, ...]) -> None:
        if name in trail:
            raise ValueError(f"SQL files read each other in a circle: {' -> '.join([*trail, name])}")
        if name in done or name not in inputs:
            return
        for needed in inputs[name]:
            visit(needed, (*trail, name))
        done[name] = inputs[name]

    for name in inputs:
        visit(name, ())
    return done


@cache
def feeds_stars(staged: str) -> bool:
    """Whether any star is made from a staged table ("staged.qm_mds"), as the SQL files read each other."""
    inputs = graph()
    seen, ahead = set(), ["overall.stars"]
    while ahead:
        name = ahead.pop()
        if name not in seen:
            seen.add(name)
            area, _, table = name.partition(".")
            ahead += inputs.get(name, inputs.get(f"quarterly.{table}", []) if area in STAGED_AREAS else [])
    return any(f"{area}.{staged_name(staged.split('.')[1])}" in seen for area in STAGED_AREAS)


@cache
def _homes(files: tuple[tuple[str, int], ...]) -> list[str]:
    """Every CCN of some Parquet files, each given with its time of change, in order."""
    if not files:
        return []
    select = f"select distinct ccn from {scan(*(Path(file) for file, _ in files))} order by ccn"
    return [row[0] for row in duckdb.connect().execute(select).fetchall()]


@dataclass(frozen=True)
class Engine:
    """The SQL of one release over one store."""

    store: Store
    release: Release
    settings: Settings = Settings()

    def variables(self) -> dict[str, str]:
        """What getvariable() gives."""
        return {"release": self.release.name, "staffing_quarter": self.release.staffing_quarter, "inputs": self.settings.inputs}

    def files(self, name: str, homes: tuple[str, str] | None = None) -> list[Path]:
        """The Parquet files behind a schema-qualified name; empty where the input was never supplied. Raises MissingInput."""
        area, _, table = name.partition(".")
        if area in ("six_quarters", "current") and table in ("rejects", "flags"):
            beside = [self.store.beside(t, p, f"{table}.parquet") for t, p in self._staged_beside(area)]
            return [file for file in beside if file]
        return [file for t, p in self.finished(name) for file in self.store.need(t, p, homes)]

    def finished(self, name: str) -> list[tuple[str, str]]:
        """The finished (table, period) behind a schema-qualified name; none where it was never supplied. Raises MissingInput."""
        area, _, table = name.partition(".")
        if area not in STAGED_AREAS:
            self.store.checked(name, self.release.name)
            return [(name, self.release.name)]
        if table in ("rejects", "flags"):
            return [(t, p) for t, p in self._staged_beside(area) if self.store.beside(t, p, f"{table}.parquet")]
        described = self.described(name)
        if area == "previous":
            return self._nearest(described.name, [p for p in self.store.periods(described.name) if p < self.release.name])
        if area == "latest":
            return self._nearest(described.name, [r.name for r in periods.releases().values() if self._shares_quarter(r)])
        wanted = self.release.quarters if area == "six_quarters" else [self._current(described.clock)]
        if not described.name.startswith("staged."):
            return [self._of_quarter(described.name, quarter) for quarter in wanted]
        source = source_of(table)
        found = []
        for period in wanted:
            supply = self.store.supply(source, period)
            if supply:
                if self.store.checked(f"staged.{table}", period)["sha256"] != supply.sha256:
                    raise MissingInput(f"{table} of {period} was staged from another file than {supply.name}: stage it again")
                found.append((f"staged.{table}", period))
        return found

    def _of_quarter(self, name: str, quarter: str) -> tuple[str, str]:
        """A table that is made once a quarter. Raises MissingInput where it is not there or was made from other files."""
        if self.store.checked(name, quarter)["made_from"] != engine_for(self.store, quarter, self.settings).made_from(name):
            raise MissingInput(
                f"{name} of {quarter} was made from other files than are in the store now: stage the quarter again"
            )
        return name, quarter

    def _shares_quarter(self, other: Release) -> bool:
        """Whether a release is this one or an earlier month over the same quarters (in 2024 levels stood still, turnover moved on)."""
        return other.name <= self.release.name and other.all_quarters == self.release.all_quarters

    def _nearest(self, name: str, releases: Sequence[str]) -> list[tuple[str, str]]:
        """A staged table of the latest of some releases of which the store has it, of the source of this release's provider file."""
        source = source_of(name.split(".")[1])
        now = self.store.supply("provider_info", self.release.name)
        for period in sorted(releases, reverse=True):
            supply = self.store.supply(source, period)
            manifest = self.store.manifest(name, period)
            if now and supply and supply.source == now.source and manifest and manifest["sha256"] == supply.sha256:
                return [(name, period)]
        return []

    def month_of(self, table: str) -> str:
        """The release whose file of a Care Compare table this one reads: its own, or of what lasts a quarter an earlier month's."""
        found = self.finished(f"latest.{table}") if f"latest.{table}" in lasting() else []
        return next((period for _, period in found), self.release.name)

    def _current(self, clock: str) -> str:
        return self.release.staffing_quarter if clock == "quarter" else self.release.name

    def _staged_beside(self, area: str) -> list[tuple[str, str]]:
        """The staged tables of the window, or of the staffing quarter and the release, beside which rejects and flags lie."""
        if area == "six_quarters":
            wanted = [(t, q) for q in self.release.quarters for t in ("pbj_daily", "employee_quarters")]
        else:
            wanted = [("pbj_daily", self.release.staffing_quarter)]
            wanted += [(t, self.month_of(t)) for t in RELEASE_TABLES]
        return [(f"staged.{t}", p) for t, p in wanted if self.store.supply(source_of(t), p)]

    def described(self, name: str) -> Table:
        """The schema of a schema-qualified name. Raises OpenstarsError where no schema describes it."""
        area, _, table = name.partition(".")
        names = [f"staged.{table}", f"quarterly.{table}"] if area in STAGED_AREAS else [name]
        found = next((TABLES[known] for known in names if known in TABLES), None)
        if found is None:
            raise OpenstarsError(f"No schema describes the table {name}: add it to schemas/")
        return found

    def view(self, con: duckdb.DuckDBPyConnection, name: str, homes: tuple[str, str] | None = None, whole: bool = False) -> None:
        """Make `name` a view, limited to a half-open range of homes where one is given and the table has a ccn.

        Its columns are those of its schema, or all, those of the file that no rule reads too.
        """
        area, _, table = name.partition(".")
        described = self.described(name)
        con.execute(f"create schema if not exists {area}")
        columns = described.columns()
        if area == "rules":
            rule_view(con, name)
            return
        if area == "inputs":
            self._facts(con, table, described)
            return
        files = self.files(name, homes)
        if not files:
            select = ", ".join(f"cast(null as {c.type}) as {c.name}" for c in columns)
            con.execute(f"create or replace view {name} as select {select} where false")
            return
        limit = ""
        if homes and any(c.name == "ccn" for c in columns):
            limit = f" where ccn >= {literal(homes[0])} and ccn < {literal(homes[1])}"
        # a column of a file that no rule reads could have the name of one that a SELECT means
        read = "*" if whole else ", ".join(c.name for c in columns)
        con.execute(f"create or replace view {name} as select {read} from {scan(*files)}{limit}")

    def _facts(self, con: duckdb.DuckDBPyConnection, table: str, described: Table) -> None:
        """The `inputs.` tables: facts about the run."""
        have = {(t, p) for t in QUARTER_TABLES for p in self.release.all_quarters if self.store.supply(t, p)}
        rows: list[tuple[Any, ...]]
        if table == "six_quarters":
            rows = [
                (k, q, *quarter_days(q), ("pbj_daily", q) in have, ("pbj_employee", q) in have)
                for k, q in enumerate(self.release.quarters)
            ]
        elif table == "staffing_quarter":
            q = self.release.staffing_quarter
            rows = [(q, *quarter_days(q), ("pbj_daily", q) in have)]
        else:
            rows = [(t, self.release.name) for t in RELEASE_TABLES if self.store.supply(t, self.release.name)]
        columns = ", ".join(f"{c.name} {c.type}" for c in described.columns())
        con.execute(f"create or replace table inputs.{table} ({columns})")
        if rows:
            con.executemany(f"insert into inputs.{table} values ({', '.join('?' * len(rows[0]))})", rows)

    def open(self, names: Sequence[str], select: str = "", homes: tuple[str, str] | None = None) -> duckdb.DuckDBPyConnection:
        """A connection with the named tables as views and the variables set. Raises OpenstarsError for an unset variable."""
        con = connect(self.store, self.settings)
        for name in names:
            self.view(con, name, homes)
        unset = variables_of(select) - set(self.variables())
        if unset:
            raise OpenstarsError(f"The SELECT reads variables that are not set: {', '.join(sorted(unset))}")
        for name, value in self.variables().items():
            con.execute(f"set variable {name} = {literal(value)}")
        return con

    def ranges(self) -> list[tuple[str, str]]:
        """Half-open ranges of CCNs that cover every home of the window, about equal in homes."""
        files = [file for name in ("current.provider_info", "six_quarters.pbj_daily", "six_quarters.employee_quarters")
                 for file in self.files(name)]  # fmt: skip
        homes = _homes(tuple((str(file), file.stat().st_mtime_ns) for file in files))
        spread = 2 * workers_of(self.settings.executor, self.settings.scheduler)  # so that a slow or lost worker holds up little
        wanted = self.settings.ranges or max(1, -(-len(homes) // HOMES_PER_RANGE), spread)
        size = max(1, -(-len(homes) // wanted))
        starts = [homes[k] for k in range(0, len(homes), size)]
        edges = ["", *starts[1:], "~"]
        return list(pairwise(edges))

    def made_from(self, name: str) -> str:
        """A hash of everything a table is made from: its SELECT, its schema, its inputs, the rules and the settings that matter."""
        select = sql_files()[name].read_text()
        described = self.described(name)
        parts: list[Any] = [select, str(described.columns()), described.key]
        if "inputs" in variables_of(select):
            parts.append(self.settings.inputs)
        for needed in inputs_of(select):
            area, _, table = needed.partition(".")
            if area == "rules":
                parts.append(sha256_of(RULES / f"{table}.csv"))
            elif area == "inputs":
                asked = [(t, p) for t in QUARTER_TABLES for p in self.release.all_quarters]
                if table == "supplied":
                    asked = [(t, self.release.name) for t in RELEASE_TABLES]
                parts.append([(t, p, bool(self.store.supply(t, p))) for t, p in asked])
            else:
                manifests = [self.store.checked(table, period) for table, period in self.finished(needed)]
                parts.append([[m["made_from"], m.get("content")] for m in manifests])
        return fingerprint(self.release.name, self.release.quarters, parts)

    def run(self, name: str) -> dict[str, Any]:
        """Make one table and put it in place with its manifest; unchanged work is not done again.

        Raises OpenstarsError where the result breaks its schema or the machine has a fault, MissingInput where an input is not in the
        store, UsageError where a folder cannot be written.
        """
        with explained(f"{name} of {self.release.name}", self.store.root, self.settings.memory):
            return self._run(name)

    def _run(self, name: str) -> dict[str, Any]:
        made_from = self.made_from(name)
        before = self.store.manifest(name, self.release.name)
        if before and before["made_from"] == made_from and before["checked"]:
            return {**before, "unchanged": True}
        described = self.described(name)
        needed = inputs_of(sql_files()[name].read_text())
        ranges = self.ranges() if any(self.described(n).large for n in needed) else []
        with self.store.making(self.store.folder(name, self.release.name)) as folder:
            parts = [folder / data_file(number) for number in range(len(ranges) or 1)]
            if ranges:
                make_ranges(self, name, made_from, ranges, parts)
            else:
                self.make_part(name, None, parts[0])
            if not described.kept_in_parts:
                gather(parts, described)
            con = connect(self.store, self.settings)
            con.execute(f"create schema checked; create view checked.{described.short} as from {scan(*data_files(folder))}")
            rows = check_table(con, described, f"checked.{described.short}")
            con.close()
            manifest = {
                "table": name,
                "period": self.release.name,
                "made_from": made_from,
                # the bytes of parts depend on the ranges, what they hold does not
                "content": made_from if described.kept_in_parts else sha256_of(*data_files(folder)),
                "rows": rows,
                "checked": True,
            }
            write_json(folder / "manifest.json", manifest)
        return manifest

    def make_part(self, name: str, homes: tuple[str, str] | None, target: Path) -> None:
        """Write what a table has of a range of homes, sorted by its key, as one Parquet file."""
        select = sql_files()[name].read_text()
        described = self.described(name)
        con = self.open(inputs_of(select), select, homes)
        cast = ", ".join(f"cast({c.name} as {c.type}) as {c.name}" for c in described.columns())
        con.execute(
            f"copy (select {cast} from ({select}) order by {', '.join(described.key)}) "
            f"to {literal(target)} (format parquet, compression snappy, row_group_size {PART_GROUP})"
        )
        con.close()


def rule_view(con: duckdb.DuckDBPyConnection, name: str) -> None:
    """Make a rule table of data/rules a typed view."""
    select = ", ".join(f"cast({c.name} as {c.type}) as {c.name}" for c in TABLES[name].columns())
    source = quoting.files(RULES / f"{name.split('.')[1]}.csv")
    con.execute("create schema if not exists rules")
    con.execute(f"create or replace view {name} as select {select} from read_csv({source}, header=true, all_varchar=true)")


def gather(parts: Sequence[Path], described: Table) -> None:
    """Make the first of some parts the whole table, with described fields and fixed row groups: the same rows give the same bytes."""
    schema = described.arrow_schema()
    whole = parts[0].with_suffix(".whole")
    held = schema.empty_table()
    with parquet.ParquetWriter(whole, schema, compression="zstd") as writer:
        for part in parts:
            for batch in parquet.ParquetFile(part).iter_batches(batch_size=ROW_GROUP):
                held = arrow.concat_tables([held, arrow.Table.from_batches([batch]).cast(schema)])
                while held.num_rows >= ROW_GROUP:
                    writer.write_table(held.slice(0, ROW_GROUP).combine_chunks(), row_group_size=ROW_GROUP)
                    held = held.slice(ROW_GROUP)
            part.unlink()
        if held.num_rows:
            writer.write_table(held.combine_chunks(), row_group_size=ROW_GROUP)
    whole.rename(parts[0])


def engine_for(store: Store, release: str, settings: Settings) -> Engine:
    """The engine of a release by its month, or of one quarter alone. Raises UsageError for a month without a release."""
    return Engine(store, periods.quarter_alone(release) if "Q" in release else periods.release(release), settings)
