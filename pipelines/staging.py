"""From a CMS file to a typed, sorted, checked table: text first, then one cast; what cannot be read is kept as rejects."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from pipelines.checks import check_select, check_table, rules_for, run_check, write_flags
from pipelines.checks import scan as parquet_scan
from pipelines.engine import HOMES_PER_RANGE, Settings, connect, gather, rule_view, sql_files
from pipelines.errors import MissingInput, RefusedFile
from pipelines.sources.archive import open_member
from pipelines.sources.text import read_header, transcode
from pipelines.store import Store, Supply, fingerprint, sha256_of, write_json
from schemas import TABLES, Column, Table, match_header

SHOWN = 3
PLAIN = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)"
THOUSANDS = r"-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?"


@dataclass(frozen=True)
class Text:
    """A CMS file as UTF-8 on disk, matched with its schema."""

    path: Path
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
    target = folder / "text.csv"
    blob = store.blob(supply.sha256)
    with open_member(blob, supply.member) if supply.member else blob.open("rb") as stream:
        encoding = transcode(stream, target, supply.name)
    header = read_header(target)
    try:
        found, unknown = match_header(header, described)
    except ValueError as problem:
        raise RefusedFile(
            supply.name,
            str(problem),
            line=1,
            todo="Check that this is CMS's file; a renamed column is added to schemas/ as an older spelling",
        ) from problem
    return Text(target, supply.name, encoding, header, found, unknown, described)


def raw_text(text: Text, column: Column) -> str:
    """SQL for the trimmed text of a column, null where blank or absent."""
    position = text.position(column.name)
    return "null::varchar" if position is None else f"nullif(trim(c{position}), '')"


def read(column: Column, raw: str) -> str:
    """SQL that casts a column's text; null where it cannot be read."""
    kind = column.type
    if column.name == "ccn":
        padded = f"case when regexp_full_match({raw}, '[0-9]{{1,5}}') then lpad({raw}, 6, '0') else upper({raw}) end"
        return f"case when regexp_full_match({padded}, '[0-9]{{2}}[0-9A-Z][0-9]{{3}}') then {padded} end"
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
        f"case when regexp_full_match({raw}, '{THOUSANDS}') then replace({raw}, ',', '') "
        f"when regexp_full_match({raw}, '{PLAIN}') then {raw} end"
    )
    if kind.startswith("DECIMAL"):
        return f"try_cast({number} as {kind})"
    whole = f"try_cast({number} as decimal(24, 6))"
    return f"case when {whole} = floor({whole}) then try_cast({whole} as {kind}) end"


def _words(column: Column) -> str:
    return " ".join(f"when '{word}' then {str(meaning).lower()}" for word, meaning in column.words)


def problem_of(text: Text, column: Column, checks: list[Any]) -> str:
    """SQL for what is wrong with a column of a row, or null."""
    raw, value = raw_text(text, column), column.name
    cases = []
    if text.position(column.name) is not None:
        cases.append(f"when {raw} is not null and {value} is null then 'is not {_kind(column)}'")
        if not column.nullable:
            cases.append(f"when {raw} is null then 'is blank'")
        for check in checks:
            stated = check.statistics or {}
            if "min_value" in stated and check.name.startswith("greater"):
                cases.append(f"when {value} < {stated['min_value']} then 'is less than {stated['min_value']}'")
            elif "max_value" in stated and check.name.startswith("less"):
                cases.append(f"when {value} > {stated['max_value']} then 'is more than {stated['max_value']}'")
            elif "allowed_values" in stated:
                allowed = ", ".join(repr(v) for v in stated["allowed_values"])
                cases.append(f"when {value} not in ({allowed}) then 'is none of {allowed.replace(chr(39), '')}'")
    return f"case {' '.join(cases)} end" if cases else "null::varchar"


def _kind(column: Column) -> str:
    if column.name == "ccn":
        return "a CCN (six characters: two digits, a digit or letter, three digits)"
    return {"DATE": "a date", "BOOLEAN": "one of the known codes", "TEXT": "a quarter"}.get(
        column.type, f"a number of {column.unit or 'the kind'}"
    )


def scan(text: Text) -> str:
    """SQL that reads the file as text, columns c0, c1, ..."""
    columns = ", ".join(f"'c{k}': 'VARCHAR'" for k in range(len(text.header)))
    return (
        f"read_csv('{text.path}', header=false, skip=1, delim=',', quote='\"', escape='\"', new_line='{_line_end(text.path)}', "
        f"columns={{{columns}}}, auto_detect=false, null_padding=false, max_line_size=1000000)"
    )


def _line_end(path: Path) -> str:
    with path.open("rb") as file:
        return "\\r\\n" if b"\r\n" in file.read(1 << 16) else "\\n"


def typed(text: Text) -> str:
    """SQL of every row with its typed columns and a list of its problems (struct of column, problem and text)."""
    columns = text.described.columns()
    checks = {name: col.checks for name, col in text.described.schema().columns.items()}
    cast = ",\n ".join(f"{read(c, raw_text(text, c))} as {c.name}" for c in columns)
    problems = ", ".join(
        f"{{column_name: '{text.found[c.name]}', problem: {problem_of(text, c, checks[c.name])}, value: {raw_text(text, c)}}}"
        for c in columns
        if c.name in text.found
    )
    repaired = f"regexp_full_match({raw_text(text, columns[0])}, '[0-9]{{1,5}}')" if columns[0].name == "ccn" else "false"
    numbers = [
        c
        for c in columns
        if c.name in text.found and (c.type.startswith("DECIMAL") or "INT" in c.type) and c.name != "employee_id"
    ]
    thousands = " or ".join(f"contains({raw_text(text, c)}, ',')" for c in numbers) or "false"
    finer = " or ".join(f"({_is_finer(raw_text(text, c), c)})" for c in numbers if c.type.startswith("DECIMAL")) or "false"
    return (
        f"select *, list_filter([{problems}], lambda p: p.problem is not null) as problems from (\n"
        f"select {cast}, *, {repaired} as was_repaired, coalesce({thousands}, false) as had_thousands, "
        f"coalesce({finer}, false) as was_rounded from {scan(text)})"
    )


def _is_finer(raw: str, column: Column) -> str:
    """SQL for whether a number has more decimals than its column, zeros at the end apart, so that reading it rounds it."""
    scale = int(column.type.rstrip(")").split(",")[1])
    return (
        f"strpos({raw}, '.') between 1 and len({raw}) - {scale + 1} and regexp_matches({raw}, '\\.[0-9]{{{scale}}}[0-9]*[1-9]')"
    )


def stage(store: Store, table: str, period: str, settings: Settings) -> dict[str, Any]:
    """Stage the supplied file of a source table ("pbj_daily") and period; unchanged work is not done again.

    Raises MissingInput where none was supplied, RefusedFile where the file cannot be used.
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
        Path(__file__).read_text(),
        _select_of(target_name),
        [(rule, check_select(rule)) for t in (table, target_name) for rule in rules_for(t)],
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
            con.execute(f"set variable period = '{period}'")
            counts = _read_rows(con, text, period, work, folder)
            flags = _repairs(con, work)
            for rule in rules_for(table):
                con.execute("create schema if not exists checked; create or replace view checked.file_rows as from good")
                flags[rule["check_name"]] = run_check(con, rule, supply.name)
            if table == "pbj_employee":
                _compact(con, work, folder, flags, settings)
            else:
                key = ", ".join(described.key)
                extras = _extra_columns(text)
                part = folder / "part.parquet"
                names = ", ".join([c.name for c in described.columns()] + [n for _, n in extras])
                con.execute(f"copy (select {names} from good order by {key}) to '{part}' (format parquet, compression zstd)")
                part.rename(folder / "data.parquet")
                con.execute(f"create schema if not exists checked; create or replace view checked.data as select "
                            f"{', '.join(c.name for c in described.columns())} from {parquet_scan(folder / 'data.parquet')}")  # fmt: skip
                check_table(con, described, "checked.data")
            warned = write_flags(con, flags, folder / "flags.parquet")
            con.close()
            manifest = {
                "table": target_name,
                "period": period,
                "made_from": made_from,
                "content": sha256_of(folder / "data.parquet"),
                "checked": True,
                "file": supply.name,
                "encoding": text.encoding,
                "unknown_columns": text.unknown if table.startswith("pbj") else [],
                "spellings_out_of_time": described.out_of_time(text.found, period),
                "warnings": warned,
                **counts,
            }
            write_json(folder / "manifest.json", manifest)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return manifest


def _select_of(table: str) -> str:
    made_by = sql_files().get(table)
    return made_by.read_text() if made_by else ""


def _extra_columns(text: Text) -> list[tuple[int, str]]:
    """Columns that no rule reads, kept as text under CMS's name in snake case: (position, name)."""
    import re

    known = {c.name for c in text.described.columns()}
    kept: dict[str, int] = {}
    for position, name in enumerate(text.header):
        if name in text.unknown:
            snake = re.sub(r"[^a-z0-9]+", "_", name.strip().casefold()).strip("_")
            if snake and snake not in known:
                kept.setdefault(snake, position)
    return [(position, name) for name, position in kept.items()]


def _read_rows(con: duckdb.DuckDBPyConnection, text: Text, period: str, work: Path, folder: Path) -> dict[str, Any]:
    """Read the file once: the view `good` of readable rows, rejects beside the table. Raises RefusedFile for a broken structure."""
    rows = work / "rows.parquet"
    extras = _extra_columns(text)
    names = ", ".join(
        [c.name for c in text.described.columns()]
        + [f"nullif(trim(c{k}), '') as {n}" for k, n in extras]
        + ["was_repaired", "had_thousands", "was_rounded"]
    )
    try:
        con.execute(
            f"copy (select {names}, len(problems) > 0 as is_bad from ({typed(text)})) to '{rows}' (format parquet, compression lz4)"
        )
    except duckdb.InvalidInputException as broken:
        raise RefusedFile(text.name, " ".join(str(broken).split(" Possible")[0].split())[:400],
                          todo="The file is not a well-formed CSV with one value a column: fetch it again") from broken  # fmt: skip
    marks = ("is_bad", "had_thousands", "was_repaired", "was_rounded")
    counted = con.execute(
        f"select count(*), {', '.join(f'count(*) filter (where {mark})' for mark in marks)} from '{rows}'"
    ).fetchall()[0]
    if counted[0] == 0:
        raise RefusedFile(text.name, "holds a header and no rows", todo="Fetch the file again")
    distinct = (
        "" if text.described.large else "distinct"
    )  # the daily and provider files hold no two shifts: equal rows are copies
    kept = ", ".join([c.name for c in text.described.columns()] + [n for _, n in extras])
    con.execute(f"create view good as select {distinct} {kept} from '{rows}' where not is_bad")
    folded = 0 if text.described.large else counted[0] - counted[1] - con.execute("select count(*) from good").fetchall()[0][0]
    _write_rejects(con, text, period, folder, any_bad=counted[1] > 0)
    return {"rows": counted[0] - counted[1] - folded, "rejected_rows": counted[1], "thousands_separators": counted[2],
            "ccn_repaired": counted[3], "rounded_numbers": counted[4], "repeated_rows": folded}  # fmt: skip


def _write_rejects(con: duckdb.DuckDBPyConnection, text: Text, period: str, folder: Path, any_bad: bool) -> None:
    """Keep every value that could not be read, with its line; the second pass over the file is only made when there are any."""
    described = TABLES["staged.rejects"]
    ccn = next((c for c in text.described.columns() if c.name == "ccn"), None)
    table = text.described.name.split(".")[1]
    if any_bad:
        numbered = typed(text).replace(
            f"from {scan(text)}", f"from (select *, row_number() over () + 1 as line from {scan(text)})"
        )
        told = f"coalesce(ccn, {raw_text(text, ccn)})" if ccn else "null"
        select = (
            f"select '{table}' as table_name, ? as file, line, p.column_name, p.value, p.problem, told as ccn, '{period}' as period "
            f"from (select line, {told} as told, unnest(problems) as p from ({numbered}))"
        )
        con.execute("set preserve_insertion_order = true")
        con.execute(f"create temp table rejected as {select}", [text.name])
    else:
        con.execute(f"create temp table rejected ({', '.join(f'{c.name} {c.type}' for c in described.columns())})")
    cast = ", ".join(f"cast({c.name} as {c.type}) as {c.name}" for c in described.columns())
    con.execute(
        f"copy (select {cast} from rejected order by line, column_name) to '{folder / 'rejects.parquet'}' (format parquet)"
    )


def _repairs(con: duckdb.DuckDBPyConnection, work: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Homes whose CCN got its zeros back."""
    columns = [row[0] for row in con.execute("describe good").fetchall()]
    if "ccn" not in columns:
        return {}
    day = "work_date" if "work_date" in columns else "null::date"
    found = con.execute(
        f"select ccn, count(*) || ' rows had a CCN without its leading zeros', min({day}), max({day}), count(*) "
        f"from '{work / 'rows.parquet'}' where was_repaired and not is_bad group by ccn order by ccn"
    ).fetchall()
    return {"ccn_repaired": found}


def _compact(
    con: duckdb.DuckDBPyConnection, work: Path, folder: Path, flags: dict[str, list[tuple[Any, ...]]], settings: Settings
) -> None:
    """One row per home, employee and quarter, range of homes by range of homes; warning checks on each range."""
    described = TABLES["staged.employee_quarters"]
    select = sql_files()[described.name].read_text()
    homes = [row[0] for row in con.execute("select distinct ccn from good order by ccn").fetchall()]
    count = settings.ranges or max(1, -(-len(homes) // HOMES_PER_RANGE))
    size = max(1, -(-len(homes) // count))
    parts = []
    rule_view(con, "rules.job_codes")
    con.execute("create schema raw")
    for number, start in enumerate(range(0, len(homes), size)):
        last = homes[min(start + size, len(homes)) - 1]
        part = folder / f"part{number:03d}.parquet"
        con.execute(f"create or replace view raw.pbj_employee as from good where ccn between '{homes[start]}' and '{last}'")
        con.execute(f"copy ({select}) to '{part}' (format parquet, compression zstd)")
        con.execute(
            f"create schema if not exists checked; create or replace view checked.employee_quarters as from {parquet_scan(part)}"
        )
        check_table(con, described, "checked.employee_quarters")
        for rule in rules_for("employee_quarters"):
            flags.setdefault(rule["check_name"], []).extend(run_check(con, rule, "PBJ employee detail"))
        parts.append(part)
    con.execute("drop view if exists checked.employee_quarters")
    gather(parts, folder / "data.parquet", described)


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
