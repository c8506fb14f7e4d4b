"""The rows of a CMS file: read once, those that cannot be read kept as rejects beside the table."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from pipelines.cells import Text, extra_columns, keeps_row, marks, problem_of, raw_text, scan, typed
from pipelines.checks import scan as parquet_scan
from pipelines.engine import sql_files
from pipelines.errors import RefusedFile
from pipelines.sources.text import Piece
from pipelines.store import Store
from schemas import TABLES


@dataclass
class Counts:
    """What was seen while a file was read, in rows."""

    rows: int = 0
    rejected_rows: int = 0
    thousands_separators: int = 0
    ccn_repaired: int = 0
    rounded_numbers: int = 0
    repeated_rows: int = 0


@dataclass
class Flags:
    """What warning checks found: (ccn, evidence, first day, last day, count) by reason."""

    rows: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)

    def add(self, reason: str, found: list[tuple[Any, ...]]) -> None:
        """Note offenders."""
        self.rows.setdefault(reason, []).extend(found)

    def extend(self, every: list[tuple[str, list[tuple[Any, ...]]]]) -> None:
        """Note the offenders of several checks."""
        for reason, found in every:
            self.add(reason, found)


def select_of(table: str) -> str:
    """The SELECT that makes a table, empty where the rows of the file are the table."""
    made_by = sql_files().get(table)
    return made_by.read_text() if made_by else ""


def read_rows(con: duckdb.DuckDBPyConnection, text: Text, piece: Piece, period: str, counts: Counts, flags: Flags) -> None:
    """Read a piece of the file once: the view `checked.file_rows` of readable rows, and the table `rejected` of the others.

    Raises RefusedFile for a broken structure.
    """
    described = text.described
    columns = described.columns()
    if described.large:  # of a large file only what its SELECT reads
        wanted = select_of("staged.employee_quarters")
        columns = [c for c in columns if re.search(rf"\b{c.name}\b", wanted)]
    extras = extra_columns(text)
    found = marks(text, columns)
    kept = ", ".join([c.name for c in columns] + [n for _, n in extras])
    checks = {name: col.checks for name, col in described.schema().columns.items()}
    values = [
        f"case when ({problem_of(text, c, checks[c.name])}) is null then {c.name} end as {c.name}"
        if c.name in text.found and keeps_row(described, c)
        else c.name
        for c in columns
    ]
    select = ", ".join(
        values + [f"nullif(trim(c{k}), '') as {n}" for k, n in extras] + [f"{sql} as {name}" for name, sql in found.items()]
    )
    con.execute("set preserve_insertion_order = false")
    try:
        con.execute(f"create or replace temp table file_rows as select {select} from ({typed(text, columns, scan(text, piece))})")
    except duckdb.InvalidInputException as broken:
        raise broken_file(text, piece, broken) from broken
    con.execute("set preserve_insertion_order = true")
    marked = con.execute(
        "select count(*), count(*) filter (where is_bad), count(*) filter (where lost_cells and not is_bad), "
        + ", ".join(f"count(*) filter (where {mark} and not is_bad)" for mark in ("had_thousands", "was_rounded", "was_repaired"))
        + " from file_rows"
    ).fetchall()[0]
    rows, bad, lost, thousands, rounded, repaired = marked
    # most files hold no two shifts, fines and the like: equal rows are copies
    counts_copies = described.large or described.rows == "all"
    distinct = "" if counts_copies else "distinct"
    con.execute(f"create or replace temp view readable as select {distinct} {kept} from file_rows where not is_bad")
    con.execute("create or replace view checked.file_rows as from readable")
    folded = 0 if counts_copies else rows - bad - con.execute("select count(*) from readable").fetchall()[0][0]
    counts.rows += rows - bad - folded
    counts.rejected_rows += bad + lost
    counts.thousands_separators += thousands
    counts.rounded_numbers += rounded
    counts.ccn_repaired += repaired
    counts.repeated_rows += folded
    day = "work_date" if any(c.name == "work_date" for c in columns) else "null::date"
    for reason, mark, told in (
        ("ccn_repaired", "was_repaired", "rows had a CCN without its leading zeros"),
        ("rejected_rows", "lost_cells", "rows have cells that could not be read, each of them now blank"),
    ):
        if any(c.name == "ccn" for c in columns):
            select = (
                f"select ccn, count(*) || ' {told}', min({day}), max({day}), count(*) from file_rows "
                f"where {mark} and not is_bad group by ccn order by ccn"
            )
            flags.add(reason, con.execute(select).fetchall())
    _keep_rejects(con, text, piece, period, any_bad=bad + lost > 0)


def broken_file(text: Text, piece: Piece, fault: Exception) -> RefusedFile:
    """The first line of a piece that is no row of the header's columns, as our error; else what DuckDB says."""
    todo = "Fetch the file again; a line that was cut or added by hand is mended or taken out"
    width = len(text.header)
    with piece.path.open(newline="", encoding="utf-8") as lines:
        reader = csv.reader(lines, strict=True)
        try:
            for cells in reader:
                if len(cells) != width:
                    what = f"has {len(cells)} values where the header has {width} columns" if cells else "is blank"
                    return RefusedFile(text.name, f"the line {what}", line=piece.lines_before + reader.line_num, todo=todo)
        except csv.Error as broken:
            return RefusedFile(text.name, f"quotes do not close ({broken})", line=piece.lines_before + reader.line_num, todo=todo)
    told = " ".join(str(fault).split(" Possible")[0].split())[:400]
    return RefusedFile(text.name, told, todo=todo)


def _keep_rejects(con: duckdb.DuckDBPyConnection, text: Text, piece: Piece, period: str, any_bad: bool) -> None:
    """Add every value that could not be read, with its line, to `rejected`; a second pass over the piece, if there are any."""
    if not any_bad:
        return
    columns = text.described.columns()
    checks = {name: col.checks for name, col in text.described.schema().columns.items()}
    problems = ", ".join(
        f"{{column_name: '{text.found[c.name]}', problem: {problem_of(text, c, checks[c.name])}, value: {raw_text(text, c)}}}"
        for c in columns
        if c.name in text.found
    )
    ccn = next((c for c in columns if c.name == "ccn"), None)
    told = f"coalesce(ccn, {raw_text(text, ccn)})" if ccn else "null"
    lines = f"(select *, row_number() over () + {piece.lines_before + int(piece.has_header)} as line from {scan(text, piece)})"
    con.execute("set preserve_insertion_order = true")
    con.execute(
        f"insert into rejected by name select '{text.described.name.split('.')[1]}' as table_name, ? as file, line, p.column_name, "
        f"p.value, p.problem, told as ccn, '{period}' as period from (select line, {told} as told, unnest([{problems}]) as p "
        f"from ({typed(text, columns, lines)})) where p.problem is not null",
        [text.name],
    )


def write_rejects(con: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write the rejects beside the table."""
    names = ", ".join(c.name for c in TABLES["staged.rejects"].columns())
    con.execute(
        f"copy (select {names} from rejected order by line, column_name) to '{folder / 'rejects.parquet'}' (format parquet)"
    )


def rejected(store: Store, table: str, period: str) -> list[dict[str, Any]]:
    """The rejects kept beside a staged table, as dicts."""
    file = store.beside(table, period, "rejects.parquet")
    if file is None:
        return []
    result = duckdb.connect().execute(f"from {parquet_scan(file)} order by line, column_name")
    names = [d[0] for d in result.description or []]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def told(reject: dict[str, Any]) -> str:
    """One reject as a person reads it."""
    line = f"{reject['line']:,}".replace(",", " ")
    value = "" if reject["value"] is None else f'"{reject["value"]}" '
    home = f"; home {reject['ccn']}" if reject["ccn"] else ""
    return f"{reject['file']}, line {line}, column {reject['column_name']}: {value}{reject['problem']}{home}"
