"""The rows of a CMS file: read once, those that cannot be read kept as rejects beside the table."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb

from pipelines.cells import (
    Text,
    cell,
    extra_columns,
    keeps_row,
    marks,
    problem,
    scan,
    trimmed,
    typed,
    unknown_codes,
    whole_text,
)
from pipelines.checks import run_checks
from pipelines.checks import scan as parquet_scan
from pipelines.engine import feeds_stars, sql_files
from pipelines.errors import RefusedFile
from pipelines.quoting import identifier, literal
from pipelines.records import TODO, line_of, located, parting
from pipelines.sources.text import Piece
from pipelines.store import Store
from schemas import TABLES, Column

JOINED = "Take the files apart that were joined: each is of one month or quarter."
LINE = identifier("line number")  # of a row of `file_rows`, null until a second pass is made for it
GOOD = f"from file_rows where not {identifier('is bad')}"
FEW = 20  # codes that nobody knows of one column, by name


@dataclass
class Counts:
    """What was seen while a file was read, in rows; `unknown_codes` are those of each code of a column that no rule table knows."""

    rows: int = 0
    rejected_rows: int = 0
    thousands_separators: int = 0
    ccn_repaired: int = 0
    rounded_numbers: int = 0
    blank_words: int = 0
    empty_rows: int = 0
    repeated_rows: int = 0
    unknown_codes: dict[str, dict[str, int]] = field(default_factory=dict)


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


@dataclass(frozen=True)
class Reading:
    """One piece of a file on its way into the tables `file_rows` and `rejected`."""

    con: duckdb.DuckDBPyConnection
    text: Text
    piece: Piece
    period: str
    in_parallel: bool = True

    @property
    def columns(self) -> list[Column]:
        """The columns that are read: of a large file only those of its SELECT."""
        columns = self.text.described.columns()
        if self.text.described.large:
            wanted = select_of("staged.employee_quarters")
            return [c for c in columns if re.search(rf"\b{c.name}\b", wanted)]
        return columns

    def load(self, lined: bool = False) -> int:
        """Make `file_rows` of the piece, with the line of each row where that is asked for; how many rows were read."""
        values = [
            f"case when {problem(self.text, c)} is null then {c.name} end as {c.name}"
            if keeps_row(self.text.described, c)
            else c.name
            for c in self.columns
        ]
        values += [f"{trimmed(cell(k))} as {identifier(n)}" for k, n in extra_columns(self.text)]
        values += [f"{sql} as {identifier(name)}" for name, sql in marks(self.text, self.columns).items()]
        source = self.with_lines() if lined else f"(select *, null::bigint as {LINE} from {self.scan()})"
        self.con.execute(f"set preserve_insertion_order = {str(lined).lower()}")
        select = f"select {', '.join(values)}, {LINE} from ({typed(self.text, self.columns, source)})"
        try:
            self.con.execute(f"create or replace temp table file_rows as {select}")
        finally:
            self.con.execute("set preserve_insertion_order = true")
        return int(self.con.execute("select count(*) from file_rows").fetchall()[0][0])

    def with_lines(self) -> str:
        """SQL of the rows of the piece as text, each with the line of the file at which it begins."""
        rows = f"select *, row_number() over () as {identifier('row number')} from {self.scan()}"
        lines = line_of(self.piece)
        if lines is None:
            before = self.piece.lines_before + self.piece.has_header
            return f"(select *, {identifier('row number')} + {before} as {LINE} from ({rows}))"
        self.con.register("line_starts", lines)
        return f"(select *, line_starts.line as {LINE} from ({rows}) inner join line_starts on {identifier('row number')} = line_starts.row)"

    def scan(self) -> str:
        """SQL of the rows of the piece as text."""
        return scan(self.text, self.piece, self.in_parallel)

    def first_line(self, mark: str) -> int:
        """The first line whose row has a mark."""
        self.load(lined=True)
        return int(self.con.execute(f"select min({LINE}) from file_rows where {identifier(mark)}").fetchall()[0][0])


def read_rows(con: duckdb.DuckDBPyConnection, text: Text, piece: Piece, period: str, counts: Counts, flags: Flags) -> None:
    """Read a piece of the file: the view `readable` of its readable rows, checked, and the table `rejected` of the others.

    Raises RefusedFile for a broken structure, and where a check of severity error finds something.
    """
    reading = _proven(Reading(con, text, piece, period))
    described, columns = text.described, reading.columns
    bad, lost = _count(reading, counts)
    names = ", ".join(c.name for c in columns)
    kept = ", ".join([names, *(identifier(n) for _, n in extra_columns(text))])
    has_doubles = (
        described.rows == "keyed" and not described.large and _has_doubles(con, f"select {', '.join(described.key)} {GOOD}")
    )
    # most files hold no two shifts, fines and the like: equal rows are copies
    folds = has_doubles or (described.rows == "distinct" and not described.large)
    once = f"select {kept}, min({LINE}) as {LINE} {GOOD} group by all" if folds else f"select {kept}, {LINE} {GOOD}"
    con.execute(f"create or replace temp view readable as {once}")
    con.execute(
        f"create or replace view checked.file_rows as select {names}, {LINE} as line {'from readable' if has_doubles else GOOD}"
    )
    flags.extend(run_checks(con, described.short, text.name, lambda: reading.load(lined=True)))
    if bad + lost:
        _keep_rejects(reading)
    later = _keep_one_of_a_key(reading) if has_doubles else 0
    rows = con.execute(f"select count(*) {GOOD}").fetchall()[0][0]
    readable = con.execute("select count(*) from readable").fetchall()[0][0] if folds else rows
    counts.rejected_rows += bad + lost + later
    counts.rows += readable
    counts.repeated_rows += rows - readable
    for c in columns:
        if c.codes and c.name in text.found:
            _count_unknown(reading, c, counts)
    _flag(reading, flags)


def _has_doubles(con: duckdb.DuckDBPyConnection, select: str) -> bool:
    return bool(con.execute(f"select *, count(*) from ({select}) group by all having count(*) > 1 limit 1").fetchall())


def _proven(reading: Reading) -> Reading:
    """Read a piece, and prove that each row of the text became one: as many were read as lines end.

    Where it is otherwise, because a cell holds a line break, a line is blank or the text is broken, a second reader tells where rows
    stand; then both must have found as many. Raises RefusedFile with the line where they do not.
    """
    rows = _read(reading)
    if rows == reading.piece.rows:
        return reading
    reading = replace(reading, piece=located(reading.text, reading.piece, is_broken=rows is None))
    if rows != reading.piece.rows:
        reading = replace(reading, in_parallel=False)
        rows = _read(reading)
    if rows is None:
        raise RefusedFile(reading.text.name, "its rows cannot be told apart", todo=TODO)
    if rows != reading.piece.rows:
        read = reading.con.execute(f"from {reading.scan()}")
        raise parting(reading.text, reading.piece, iter(read.fetchone, None))
    return reading


def _read(reading: Reading) -> int | None:
    """How many rows DuckDB reads of a piece; None where it cannot."""
    try:
        return reading.load()
    except duckdb.InvalidInputException:
        return None


def _count(reading: Reading, counts: Counts) -> tuple[int, int]:
    """Count what was odd about the rows; how many are bad, apart from empty ones, and how many others lost a cell.

    Raises RefusedFile where the header stands among the rows.
    """
    con, is_bad = reading.con, identifier("is bad")
    if con.execute(f"select count(*) from file_rows where {identifier('is header')}").fetchall()[0][0]:
        problem = "the header stands here once more: files were joined"
        raise RefusedFile(reading.text.name, problem, line=reading.first_line("is header"), todo=JOINED)
    told = ("lost cells", "had thousands", "was rounded", "was repaired", "had blank words")
    empty, bad, lost, thousands, rounded, repaired, words = con.execute(
        f"select count(*) filter (where {identifier('is empty')}), count(*) filter (where {is_bad} and not {identifier('is empty')}), "
        + ", ".join(f"count(*) filter (where {identifier(mark)} and not {is_bad})" for mark in told)
        + " from file_rows"
    ).fetchall()[0]
    counts.thousands_separators += thousands
    counts.rounded_numbers += rounded
    counts.ccn_repaired += repaired
    counts.blank_words += words
    counts.empty_rows += empty
    return bad, lost


def _count_unknown(reading: Reading, column: Column, counts: Counts) -> None:
    """Add the codes of a column that its rule tables do not know; of many the most frequent by name."""
    found = reading.con.execute(unknown_codes(column, f"({GOOD})")).fetchall()
    if found:
        told = counts.unknown_codes.setdefault(reading.text.found[column.name], {})
        for code, rows in [*found[:FEW], *([("others", sum(rows for _, rows in found[FEW:]))] if found[FEW:] else [])]:
            told[code] = told.get(code, 0) + rows


def _flag(reading: Reading, flags: Flags) -> None:
    """Flag the homes of rows that were repaired or lost a cell."""
    if not any(c.name == "ccn" for c in reading.columns):
        return
    day = "work_date" if any(c.name == "work_date" for c in reading.columns) else "null::date"
    for reason, mark, told in (
        ("ccn_repaired", "was repaired", "rows had a CCN that was not written in its six characters"),
        ("rejected_rows", "lost cells", "rows have cells that could not be read, each of them now blank"),
    ):
        select = (
            f"select ccn, count(*) || {literal(f' {told}')}, min({day}), max({day}), count(*) from file_rows "
            f"where {identifier(mark)} and not {identifier('is bad')} group by ccn order by ccn"
        )
        flags.add(reason, reading.con.execute(select).fetchall())


def _keep_rejects(reading: Reading) -> None:
    """Add every value that could not be read, with its line, to `rejected`: a second pass over the piece."""
    text, columns = reading.text, reading.text.described.columns()
    problems = ", ".join(
        f"{{column_name: {literal(text.found[c.name])}, problem: {problem(text, c)}, value: {whole_text(text, c)}}}"
        for c in columns
        if c.name in text.found
    )
    ccn = next((c for c in columns if c.name == "ccn"), None)
    told = f"coalesce(ccn, {whole_text(text, ccn)})" if ccn else "null"
    is_empty = marks(text, columns)["is empty"]
    reading.con.execute(
        f"insert into rejected by name select {literal(text.described.short)} as table_name, ? as file, line, p.column_name, "
        f"p.value, p.problem, told as ccn, ? as period from (select {LINE} as line, {told} as told, unnest([{problems}]) as p "
        f"from ({typed(text, columns, reading.with_lines())}) where not {is_empty}) where p.problem is not null",
        [text.name, reading.period],
    )


def _keep_one_of_a_key(reading: Reading) -> int:
    """Of different rows with one key keep the first and reject the others; how many. Of a table that stars are made from: refuse the file.

    Which of them is right nothing tells, and a table has each key once.
    """
    described, con = reading.text.described, reading.con
    key = ", ".join(described.key)
    if not _has_doubles(con, f"select {key} from readable"):
        return 0
    reading.load(lined=True)
    con.execute(
        f"create or replace temp table later as select {LINE} as line, {key}, first from "
        f"(select *, min({LINE}) over (partition by {key}) as first from readable) where {LINE} > first"
    )
    line, *values, first = con.execute(f"select line, {key}, first from later order by line limit 1").fetchall()[0]
    told = ", ".join(f"{reading.text.found[name]} {value}" for name, value in zip(described.key, values, strict=True))
    if feeds_stars(described.name):
        problem = f"two different rows for {told}: this one and that of line {first}"
        raise RefusedFile(reading.text.name, problem, line=line, todo="Ask CMS which is right, or take an earlier file.")
    column = literal(reading.text.found[described.key[0]])
    ccn = "ccn" if "ccn" in described.key else "null"
    con.execute(
        f"insert into rejected by name select {literal(described.short)} as table_name, ? as file, line, {column} as column_name, "
        f"{described.key[0]}::varchar as value, 'has another row with the same key on line ' || first as problem, {ccn} as ccn, "
        "? as period from later",
        [reading.text.name, reading.period],
    )
    same = " and ".join(f"file_rows.{name} = later.{name}" for name in described.key)
    con.execute(
        f"delete from file_rows using later where {same} and file_rows.{LINE} > later.first and not {identifier('is bad')}"
    )
    return int(con.execute("select count(*) from later").fetchall()[0][0])


def write_rejects(con: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write the rejects beside the table."""
    names = ", ".join(c.name for c in TABLES["staged.rejects"].columns())
    target = literal(folder / "rejects.parquet")
    con.execute(f"copy (select {names} from rejected order by line, column_name) to {target} (format parquet)")


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
