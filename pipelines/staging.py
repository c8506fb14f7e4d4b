"""From a CMS file to a typed, sorted, checked table: text first, then one cast; what cannot be read is kept as rejects."""

from __future__ import annotations

import csv
import re
import shutil
import tempfile
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb

from pipelines.checks import check_select, check_table, rules_for, run_checks, write_flags
from pipelines.checks import scan as parquet_scan
from pipelines.engine import Settings, connect, rule_view, sql_files
from pipelines.errors import MissingInput, RefusedFile
from pipelines.periods import RULES, quarter_days
from pipelines.sources.archive import open_member
from pipelines.sources.text import Piece, cut_by_home, read_header, transcode, without_blank_end
from pipelines.store import Store, Supply, data_files, fingerprint, sha256_of, write_json
from schemas import TABLES, Column, Table, match_header

PLAIN = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)"
THOUSANDS = r"-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?"
CCN = "[0-9]{2}[0-9A-Z][0-9]{3}"
DIGITS = {"TINYINT": 2, "SMALLINT": 4, "INTEGER": 9, "BIGINT": 18}  # a whole number of so many digits fits the type
PIECE = 256 << 20  # bytes of a large file that are in memory at a time, as rows some two times that
STAGED_GROUP = 20_480
MANY = 10  # allowed values that a message does not list any more


@dataclass(frozen=True)
class Text:
    """A CMS file as UTF-8 on disk, in one piece or some, matched with its schema."""

    pieces: list[Piece]
    name: str
    encoding: str
    header: list[str]
    found: dict[str, str]  # staged column -> CMS column of the file
    unknown: list[str]
    described: Table

    def position(self, column: str) -> int | None:
        """Where a staged column stands in the file, or None."""
        return self.header.index(self.found[column]) if column in self.found else None


def unpack(store: Store, supply: Supply, described: Table, folder: Path) -> Text:
    """Write the supplied file as UTF-8 into `folder` and match its header. Raises RefusedFile."""
    blob = store.blob(supply.sha256)
    with open_member(blob, supply.member) if supply.member else blob.open("rb") as stream:
        if described.large:
            pieces = cut_by_home(stream, folder, PIECE, supply.name)
            encoding = "utf-8"
        else:
            pieces = [Piece(folder / "text.csv")]
            encoding = transcode(stream, pieces[0].path, supply.name)
    for piece in pieces[-1:]:
        without_blank_end(piece.path)
    header = read_header(pieces[0].path) if pieces else []
    try:
        found, unknown = match_header(header, described)
    except ValueError as problem:
        raise RefusedFile(
            supply.name,
            str(problem),
            line=1,
            todo="Check that this is CMS's file; a renamed column is added to schemas/ as an older spelling",
        ) from problem
    return Text(pieces, supply.name, encoding, header, found, unknown, described)


def raw_text(text: Text, column: Column) -> str:
    """SQL for the trimmed text of a column, null where blank or absent."""
    position = text.position(column.name)
    return "null::varchar" if position is None else f"nullif(trim(c{position}), '')"


def usual(column: Column) -> tuple[str, str] | None:
    """How CMS usually writes a column, and the SQL that casts such a text `c`; None where nothing is gained by knowing it.

    Only speed rests on this: any other text goes the long way of `read`, which takes these too.
    """
    kind = column.type
    if column.name == "ccn":
        return CCN, "{c}"
    if column.name == "quarter":
        return "[0-9]{4}Q[1-4]", "{c}"
    if kind == "DATE":
        return "[0-9]{8}", "try_strptime({c}, '%Y%m%d')::date"
    if kind.startswith("DECIMAL"):
        precision, scale = (int(n) for n in kind.removeprefix("DECIMAL(").rstrip(")").split(","))
        return rf"[0-9]{{1,{precision - scale}}}(\.[0-9]{{0,{scale}}})?", f"cast({{c}} as {kind})"
    if kind in DIGITS:
        return f"[0-9]{{1,{DIGITS[kind]}}}", f"cast({{c}} as {kind})"
    return None


def read(column: Column, raw: str) -> str:
    """SQL that casts a column's text; null where it cannot be read."""
    kind = column.type
    if column.name == "ccn":
        padded = f"case when regexp_full_match({raw}, '[0-9]{{1,5}}') then lpad({raw}, 6, '0') else upper({raw}) end"
        return f"case when regexp_full_match({padded}, '{CCN}') then {padded} end"
    if column.name == "quarter":
        return f"nullif(regexp_extract(upper({raw}), '^(?:CY)?([0-9]{{4}}Q[1-4])$', 1), '')"
    if kind == "BOOLEAN":
        return f"case lower({raw}) {_words(column)} end"
    if kind == "DATE":
        return (
            f"case when regexp_full_match({raw}, '[0-9]{{8}}') then try_strptime({raw}, '%Y%m%d')::date "
            f"when regexp_full_match({raw}, '[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}') then try_strptime({raw}, '%Y-%m-%d')::date "
            f"when regexp_full_match({raw}, '[0-9]{{1,2}}/[0-9]{{1,2}}/[0-9]{{4}}') then try_strptime({raw}, '%m/%d/%Y')::date end"
        )
    if kind == "TEXT":
        return raw
    # an underscore or an exponent, which a cast would take, is no number of CMS's
    number = (
        f"case when regexp_full_match({raw}, '{PLAIN}') then {raw} "
        f"when regexp_full_match({raw}, '{THOUSANDS}') then replace({raw}, ',', '') end"
    )
    if kind.startswith("DECIMAL"):
        return f"try_cast({number} as {kind})"
    whole = f"try_cast({number} as decimal(24, 6))"
    return f"case when {whole} = floor({whole}) then try_cast({whole} as {kind}) end"


def _words(column: Column) -> str:
    return " ".join(f"when '{word}' then {str(meaning).lower()}" for word, meaning in column.words)


def problem_of(text: Text, column: Column, checks: list[Any]) -> str:
    """SQL for what is wrong with a column of a row, or null."""
    if text.position(column.name) is None:
        return "null::varchar"
    raw, value = raw_text(text, column), column.name
    cases, holds = [], [f"{value} is not null"]
    for check in checks:
        stated = check.statistics or {}
        if "min_value" in stated and check.name.startswith("greater"):
            holds.append(f"{value} >= {stated['min_value']}")
            cases.append(f"when {value} < {stated['min_value']} then 'is less than {stated['min_value']}'")
        elif "max_value" in stated and check.name.startswith("less"):
            holds.append(f"{value} <= {stated['max_value']}")
            cases.append(f"when {value} > {stated['max_value']} then 'is more than {stated['max_value']}'")
        elif "allowed_values" in stated:
            allowed = ", ".join(repr(v) for v in stated["allowed_values"])
            holds.append(f"{value} in ({allowed})")
            listed = allowed.replace("'", "") if len(stated["allowed_values"]) <= MANY else "the known codes"
            cases.append(f"when {value} not in ({allowed}) then 'is none of {listed}'")
    blank = "" if column.nullable else f"when {raw} is null then 'is blank' "
    unread = f"when {raw} is not null and {value} is null then 'is not {_kind(column)}'"
    return f"case when {' and '.join(holds)} then null {unread} {blank}{' '.join(cases)} end"


def _kind(column: Column) -> str:
    if column.name == "ccn":
        return "a CCN (six characters: two digits, a digit or letter, three digits)"
    return {"DATE": "a date", "BOOLEAN": "one of the known codes", "TEXT": "a quarter"}.get(
        column.type, f"a number of {column.unit or 'the kind'}"
    )


def scan(text: Text, piece: Piece) -> str:
    """SQL that reads a piece of the file as text, columns c0, c1, ..."""
    columns = ", ".join(f"'c{k}': 'VARCHAR'" for k in range(len(text.header)))
    return (
        f"read_csv('{piece.path}', header=false, skip={int(piece.has_header)}, delim=',', quote='\"', escape='\"', "
        f"new_line='{_line_end(piece.path)}', columns={{{columns}}}, auto_detect=false, null_padding=false, max_line_size=1000000)"
    )


def _line_end(path: Path) -> str:
    with path.open("rb") as file:
        return "\\r\\n" if b"\r\n" in file.read(1 << 16) else "\\n"


def typed(text: Text, columns: list[Column], source: str) -> str:
    """SQL of every row of `source` with its typed columns, and whether each is written as usual (`column_usual`)."""
    tests, casts = [], []
    for c in columns:
        position, known = text.position(c.name), usual(c)
        value = read(c, raw_text(text, c))
        if position is not None and known:
            tests.append(f"regexp_full_match(c{position}, '{known[0]}') as {c.name}_usual")
            value = f"case when {c.name}_usual then {known[1].format(c=f'c{position}')} else {value} end"
        casts.append(f"{value} as {c.name}")
    return f"select {', '.join(casts)}, * from (select {', '.join([*tests, '*'])} from {source})"


def marks(text: Text, columns: list[Column]) -> dict[str, str]:
    """SQL for what a row of `typed` had that is told to the reader, by name; `is_bad` is a row that cannot be read."""
    checks = {name: col.checks for name, col in text.described.schema().columns.items()}
    present = [c for c in columns if c.name in text.found]
    numbers = [c for c in present if usual(c) and c.name != "employee_id" and (c.type.startswith("DECIMAL") or c.type in DIGITS)]

    def unusual(c: Column, test: str) -> str:
        return f"case when {c.name}_usual then false else coalesce({test}, false) end"

    fatal = [c for c in present if not keeps_row(text.described, c)]
    found = {
        "is_bad": [f"({problem_of(text, c, checks[c.name])}) is not null" for c in fatal],
        "lost_cells": [f"({problem_of(text, c, checks[c.name])}) is not null" for c in present if c not in fatal],
        "had_thousands": [unusual(c, f"contains({raw_text(text, c)}, ',')") for c in numbers],
        "was_rounded": [unusual(c, _is_finer(raw_text(text, c), c)) for c in numbers if c.type.startswith("DECIMAL")],
        "was_repaired": [
            unusual(c, f"regexp_full_match({raw_text(text, c)}, '[0-9]{{1,5}}')") for c in present if c.name == "ccn"
        ],
    }
    return {name: " or ".join(tests) or "false" for name, tests in found.items()}


def keeps_row(described: Table, column: Column) -> bool:
    """Whether a row stays where this column cannot be read: of a home's one row in a release only the cell is lost."""
    return described.clock == "release" and column.nullable and column.name not in described.key


def _is_finer(raw: str, column: Column) -> str:
    """SQL for whether a number has more decimals than its column, zeros at the end apart, so that reading it rounds it."""
    scale = int(column.type.rstrip(")").split(",")[1])
    return f"regexp_matches({raw}, '\\.[0-9]{{{scale}}}[0-9]*[1-9]')"


def stage(store: Store, table: str, period: str, settings: Settings) -> dict[str, Any]:
    """Stage the supplied file of a source table ("pbj_daily") and period; unchanged work is not done again.

    A large file goes piece by piece, so that memory is bounded. Raises MissingInput where none was supplied, RefusedFile where the
    file cannot be used.
    """
    supply = store.supply(table, period)
    if supply is None:
        raise MissingInput(f"No file was supplied for {table} of {period}")
    described = TABLES["raw.pbj_employee" if table == "pbj_employee" else f"staged.{table}"]
    target_name = "staged.employee_quarters" if table == "pbj_employee" else described.name
    made_from = fingerprint(
        supply.sha256,
        supply.member,
        str(described.columns()),
        str({name: [check.statistics for check in col.checks] for name, col in described.schema().columns.items()}),
        sha256_of(RULES / "job_codes.csv") if described.large else "",
        Path(__file__).read_text(),
        _select_of(target_name),
        [(rule, check_select(rule["made_by"])) for t in (table, target_name) for rule in rules_for(t)],
    )
    before = store.manifest(target_name, period)
    if before and before["made_from"] == made_from:
        return {**before, "unchanged": True}
    (store.root / "tmp").mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="stage.", dir=store.root / "tmp"))
    try:
        with store.making(store.folder(target_name, period)) as folder:
            text = unpack(store, supply, described, work)
            con = connect(store, settings)
            con.execute(f"set variable period = '{period}'; create schema checked; create schema raw")
            for rules in ("rules.checks", "rules.job_codes"):
                rule_view(con, rules)
            counts, flags = Counts(), Flags()
            con.execute(
                f"create temp table rejected ({', '.join(f'{c.name} {c.type}' for c in TABLES['staged.rejects'].columns())})"
            )
            if described.large:
                _stage_large(con, text, period, folder, counts, flags, work)
            else:
                _stage_small(con, text, period, folder, counts, flags)
            if counts.rows + counts.rejected_rows == 0:
                raise RefusedFile(text.name, "holds a header and no rows", todo="Fetch the file again")
            _write_rejects(con, folder)
            warned = write_flags(con, flags.rows, folder / "flags.parquet")
            con.close()
            manifest = {
                "table": target_name,
                "period": period,
                "made_from": made_from,
                "content": fingerprint([sha256_of(file) for file in data_files(folder)]),
                "checked": True,
                "file": supply.name,
                "sha256": supply.sha256,
                "encoding": text.encoding,
                "unknown_columns": text.unknown if table.startswith("pbj") else [],
                "spellings_out_of_time": described.out_of_time(text.found, period),
                "warnings": warned,
                **asdict(counts),
            }
            write_json(folder / "manifest.json", manifest)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return manifest


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


def _select_of(table: str) -> str:
    made_by = sql_files().get(table)
    return made_by.read_text() if made_by else ""


def _extra_columns(text: Text) -> list[tuple[int, str]]:
    """Columns that no rule reads, kept as text under CMS's name in snake case: (position, name)."""
    known = {c.name for c in text.described.columns()}
    kept: dict[str, int] = {}
    for position, name in enumerate(text.header):
        if name in text.unknown:
            snake = re.sub(r"[^a-z0-9]+", "_", name.strip().casefold()).strip("_")
            if snake and snake not in known:
                kept.setdefault(snake, position)
    return [(position, name) for name, position in kept.items()]


def _read_rows(con: duckdb.DuckDBPyConnection, text: Text, piece: Piece, period: str, counts: Counts, flags: Flags) -> None:
    """Read a piece of the file once: the view `checked.file_rows` of readable rows, and the table `rejected` of the others.

    Raises RefusedFile for a broken structure.
    """
    described = text.described
    columns = described.columns()
    if described.large:  # of a large file only what its SELECT reads
        wanted = _select_of("staged.employee_quarters")
        columns = [c for c in columns if re.search(rf"\b{c.name}\b", wanted)]
    extras = _extra_columns(text)
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
        raise _broken(text, piece, broken) from broken
    con.execute("set preserve_insertion_order = true")
    marked = con.execute(
        "select count(*), count(*) filter (where is_bad), count(*) filter (where lost_cells and not is_bad), "
        + ", ".join(f"count(*) filter (where {mark} and not is_bad)" for mark in ("had_thousands", "was_rounded", "was_repaired"))
        + " from file_rows"
    ).fetchall()[0]
    rows, bad, lost, thousands, rounded, repaired = marked
    # the daily and provider files hold no two shifts: equal rows are copies
    distinct = "" if described.large else "distinct"
    con.execute(f"create or replace temp view readable as select {distinct} {kept} from file_rows where not is_bad")
    con.execute("create or replace view checked.file_rows as from readable")
    folded = 0 if described.large else rows - bad - con.execute("select count(*) from readable").fetchall()[0][0]
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


def _broken(text: Text, piece: Piece, fault: Exception) -> RefusedFile:
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


def _write_rejects(con: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write the rejects beside the table."""
    names = ", ".join(c.name for c in TABLES["staged.rejects"].columns())
    con.execute(
        f"copy (select {names} from rejected order by line, column_name) to '{folder / 'rejects.parquet'}' (format parquet)"
    )


def _stage_small(con: duckdb.DuckDBPyConnection, text: Text, period: str, folder: Path, counts: Counts, flags: Flags) -> None:
    """Stage a table whose rows are those of the file; columns that no rule reads are kept as text."""
    _read_rows(con, text, text.pieces[0], period, counts, flags)
    described = text.described
    flags.extend(run_checks(con, described.name.split(".")[1], text.name))
    names = [c.name for c in described.columns()]
    kept = ", ".join(names + [n for _, n in _extra_columns(text)])
    data = folder / "data.parquet"
    con.execute(
        f"copy (select {kept} from readable order by {', '.join(described.key)}) to '{data}' (format parquet, compression zstd)"
    )
    con.execute(f"create or replace view checked.data as select {', '.join(names)} from {parquet_scan(data)}")
    check_table(con, described, "checked.data")


def _stage_large(
    con: duckdb.DuckDBPyConnection, text: Text, period: str, folder: Path, counts: Counts, flags: Flags, work: Path
) -> None:
    """Stage the employee file piece by piece as one row per home, employee and quarter."""
    described = TABLES["staged.employee_quarters"]
    _spell_words(con, period)
    for number, piece in enumerate(text.pieces):
        if not _compact_usual(con, text, piece, period, counts):
            _read_rows(con, text, piece, period, counts, flags)
            flags.extend(run_checks(con, "pbj_employee", text.name))
            con.execute("create or replace view raw.pbj_employee as from readable")
            con.execute(f"create or replace temp table compact as {_compact_select()}")
        _put_compact(con, text, flags, folder, number)
    if not _homes_rise(con, data_files(folder)):
        _stage_unordered(con, text, period, folder, counts, flags, work)
    con.execute(f"create or replace view checked.employee_quarters as from {parquet_scan(*data_files(folder))}")
    check_table(con, described, "checked.employee_quarters")


def _stage_unordered(
    con: duckdb.DuckDBPyConnection, text: Text, period: str, folder: Path, counts: Counts, flags: Flags, work: Path
) -> None:
    """Stage a file whose homes are not in order, from the beginning: all pieces are read, then one range of homes after another."""
    for file in data_files(folder):
        file.unlink()
    con.execute("delete from rejected")
    vars(counts).update(vars(Counts()))
    flags.rows.clear()
    rows = []
    for number, piece in enumerate(text.pieces):
        _read_rows(con, text, piece, period, counts, flags)
        flags.extend(run_checks(con, "pbj_employee", text.name))
        rows.append(work / f"rows-{number:03d}.parquet")
        con.execute(f"copy (from readable) to '{rows[-1]}' (format parquet, compression snappy)")
    homes = [row[0] for row in con.execute(f"select distinct ccn from {parquet_scan(*rows)} order by ccn").fetchall()]
    size = -(-len(homes) // len(rows))
    for number, start in enumerate(range(0, len(homes), size)):
        first, last = homes[start], homes[min(start + size, len(homes)) - 1]
        con.execute(
            f"create or replace view raw.pbj_employee as from {parquet_scan(*rows)} where ccn between '{first}' and '{last}'"
        )
        con.execute(f"create or replace temp table compact as {_compact_select()}")
        _put_compact(con, text, flags, folder, number)


def _put_compact(con: duckdb.DuckDBPyConnection, text: Text, flags: Flags, folder: Path, number: int) -> None:
    """Check the table `compact` and write it as the next file of the staged table: row groups small enough for ranges of homes."""
    con.execute("set preserve_insertion_order = true; create or replace view checked.employee_quarters as from compact")
    flags.extend(run_checks(con, "employee_quarters", text.name))
    target = folder / (f"data-{number:03d}.parquet" if number else "data.parquet")
    con.execute(f"copy (from compact) to '{target}' (format parquet, compression snappy, row_group_size {STAGED_GROUP})")
    con.execute("drop view checked.employee_quarters; drop table compact; drop table if exists file_rows cascade")


def _homes_rise(con: duckdb.DuckDBPyConnection, files: list[Path]) -> bool:
    """Whether every home lies in one file and the files are in the order of homes."""
    spans = [con.execute(f"select min(ccn), max(ccn) from {parquet_scan(file)}").fetchall()[0] for file in files]
    spans = [span for span in spans if span[0]]
    return all(before[1] < after[0] for before, after in pairwise(spans))


def _compact_select() -> str:
    """The SELECT of `staged.employee_quarters` with the types of its schema."""
    described = TABLES["staged.employee_quarters"]
    cast = ", ".join(f"cast({c.name} as {c.type}) as {c.name}" for c in described.columns())
    return f"select {cast} from ({_select_of(described.name)}) order by {', '.join(described.key)}"


def _spell_words(con: duckdb.DuckDBPyConnection, period: str) -> None:
    """The tables `spelled_days` and `spelled_codes`: the days of a quarter and the job codes as CMS writes them."""
    first, last = quarter_days(period)
    con.execute(
        f"create temp table spelled_days as select strftime(day, '%Y%m%d') as spelled, day::date as day "
        f"from range(date '{first}', date '{last}' + interval 1 day, interval 1 day) as days(day)"
    )
    con.execute("create temp table spelled_codes as select job_code, job_code::varchar as spelled from rules.job_codes")


def _compact_usual(con: duckdb.DuckDBPyConnection, text: Text, piece: Piece, period: str, counts: Counts) -> bool:
    """Compact a piece whose every row is written as CMS usually does, straight from the file; False where any row is not.

    Cells are taken by the spellings that CMS uses, which is several times as quick as the long way of `_read_rows`. Whether every line
    of the piece became a row of the table proves that none was written otherwise.
    """
    at = {c.name: f"c{position}" for c in text.described.columns() if (position := text.position(c.name)) is not None}
    columns = {c.name: c for c in text.described.columns()}
    casts, tests = {}, [f"{at['quarter']} = '{period}'"]
    for name in ("employee_id", "hours"):
        pattern, cast = usual(columns[name]) or ("", "")
        casts[name] = cast.replace("cast(", "try_cast(").format(c=at[name])
        tests.append(f"regexp_full_match({at[name]}, '{pattern}')")
    is_contract, footnote = "null::boolean", "null::varchar"
    if "is_contract" in at:
        is_contract = f"case {at['is_contract']} {_words(columns['is_contract'])} end"
        tests.append(f"{at['is_contract']} in ({', '.join(repr(word) for word, _ in columns['is_contract'].words)})")
    if "footnote" in at:
        footnote = f"case when {at['footnote']} is not null then nullif(trim({at['footnote']}), '') end"
    con.execute(
        f"create or replace view raw.pbj_employee as select {at['ccn']} as ccn, '{period}' as quarter, days.day as work_date, "
        f"{casts['employee_id']} as employee_id, codes.job_code, {is_contract} as is_contract, {casts['hours']} as hours, "
        f"{footnote} as footnote from {scan(text, piece)} "
        f"inner join spelled_days as days on {at['work_date']} = days.spelled "
        f"inner join spelled_codes as codes on {at['job_code']} = codes.spelled where {' and '.join(tests)}"
    )
    # DuckDB cannot know how many rows a CSV has, and would build its hash tables from the file
    con.execute("set preserve_insertion_order = true; set disabled_optimizers = 'build_side_probe_side'")
    try:
        con.execute(f"create or replace temp table compact as {_compact_select()}")
    except duckdb.InvalidInputException as broken:
        raise _broken(text, piece, broken) from broken
    finally:
        con.execute("reset disabled_optimizers")
    kept, strange = con.execute(
        f"select coalesce(sum(len(days) + len(other_days)), 0), count(*) filter (where not regexp_full_match(ccn, '{CCN}')) "
        "from compact"
    ).fetchall()[0]
    if strange or kept != piece.lines - int(piece.has_header):
        return False
    counts.rows += kept
    return True


def rejected(store: Store, table: str, period: str) -> list[dict[str, Any]]:
    """The rejects kept beside a staged table, as dicts."""
    file = store.folder(table, period) / "rejects.parquet"
    if not file.exists():
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
