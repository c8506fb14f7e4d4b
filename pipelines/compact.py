"""The employee file, too large to be held: piece by piece, and one row per home, person and quarter."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import duckdb

from pipelines.cells import CCN, Text, cell, scan, trimmed, yes_or_no
from pipelines.checks import check_table, run_checks
from pipelines.checks import scan as parquet_scan
from pipelines.engine import PART_GROUP
from pipelines.periods import quarter_days
from pipelines.quoting import literal, literals
from pipelines.rows import Counts, Flags, read_rows, select_of
from pipelines.sources.text import Piece
from pipelines.store import data_file, data_files
from schemas import TABLES


def stage_large(
    con: duckdb.DuckDBPyConnection, text: Text, period: str, folder: Path, counts: Counts, flags: Flags, work: Path
) -> None:
    """Stage the employee file piece by piece as one row per home, employee and quarter."""
    described = TABLES["staged.employee_quarters"]
    _spell_words(con, period)
    for number, piece in enumerate(text.pieces):
        if not _compact_usual(con, text, piece, period, counts):
            read_rows(con, text, piece, period, counts, flags)
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
        read_rows(con, text, piece, period, counts, flags)
        rows.append(work / f"rows-{number:03d}.parquet")
        con.execute(f"copy (from readable) to {literal(rows[-1])} (format parquet, compression snappy)")
    homes = [row[0] for row in con.execute(f"select distinct ccn from {parquet_scan(*rows)} order by ccn").fetchall()]
    size = -(-len(homes) // len(rows))
    for number, start in enumerate(range(0, len(homes), size)):
        first, last = homes[start], homes[min(start + size, len(homes)) - 1]
        con.execute(
            f"create or replace view raw.pbj_employee as from {parquet_scan(*rows)} where ccn between {literal(first)} and {literal(last)}"
        )
        con.execute(f"create or replace temp table compact as {_compact_select()}")
        _put_compact(con, text, flags, folder, number)


def _put_compact(con: duckdb.DuckDBPyConnection, text: Text, flags: Flags, folder: Path, number: int) -> None:
    """Check the table `compact` and write it as the next file of the staged table: row groups small enough for ranges of homes."""
    con.execute("set preserve_insertion_order = true; create or replace view checked.employee_quarters as from compact")
    flags.extend(run_checks(con, "employee_quarters", text.name))
    target = folder / data_file(number)
    con.execute(f"copy (from compact) to {literal(target)} (format parquet, compression snappy, row_group_size {PART_GROUP})")
    con.execute("drop view checked.employee_quarters; drop table compact; drop table if exists file_rows cascade")


def _homes_rise(con: duckdb.DuckDBPyConnection, files: list[Path]) -> bool:
    """Whether every home lies in one file and the files are in the order of homes."""
    spans = [con.execute(f"select min(ccn), max(ccn) from {parquet_scan(file)}").fetchall()[0] for file in files]
    spans = [span for span in spans if span[0]]
    return all(before[1] < after[0] for before, after in pairwise(spans))


def _compact_select(cast: str = "cast", more: str = "") -> str:
    """The SELECT of `staged.employee_quarters` with the types of its schema, and more columns."""
    described = TABLES["staged.employee_quarters"]
    columns = ", ".join(f"{cast}({c.name} as {c.type}) as {c.name}" for c in described.columns())
    return f"select {columns}{more} from ({select_of(described.name)}) order by {', '.join(described.key)}"


def _spell_words(con: duckdb.DuckDBPyConnection, period: str) -> None:
    """The tables `spelled_days` and `spelled_hours`: the days of a quarter, and hours up to 99.99, as CMS writes them."""
    first, last = quarter_days(period)
    con.execute(
        f"create temp table spelled_days as select strftime(day, '%Y%m%d') as spelled, day::date as day "
        f"from range(date {literal(first)}, date {literal(last)} + interval 1 day, interval 1 day) as days(day)"
    )
    con.execute(
        "create temp table spelled_hours as select distinct spelled, hours from ("
        "select (hundredths / 100)::decimal(9, 2) as hours, unnest([hours::varchar, hours::decimal(9, 1)::varchar, hours::int::varchar]) as spelled "
        "from range(0, 10000) as numbers(hundredths)) where spelled::decimal(9, 2) = hours"
    )


def _compact_usual(con: duckdb.DuckDBPyConnection, text: Text, piece: Piece, period: str, counts: Counts) -> bool:
    """Compact a piece whose every row is written as CMS usually does, straight from the file; False where any row is not.

    Days and hours are taken by the spellings that CMS uses, ids and codes are read once for all rows of a person, which is several
    times as quick as the long way of `read_rows`. Whether every line of the piece became a row of the table proves that none was
    written otherwise.
    """
    at = {c.name: cell(position) for c in text.described.columns() if (position := text.position(c.name)) is not None}
    tests = [f"{at['quarter']} = {literal(period)}"]
    is_contract, footnote = "null::boolean", "null::varchar"
    if "is_contract" in at:
        column = next(c for c in text.described.columns() if c.name == "is_contract")
        is_contract = f"case {at['is_contract']} {yes_or_no(column)} end"
        tests.append(f"{at['is_contract']} in ({literals(word for word, _ in column.words)})")
    if "footnote" in at:
        footnote = f"case when {at['footnote']} is not null then {trimmed(at['footnote'])} end"
    con.execute(
        f"create or replace view raw.pbj_employee as select {at['ccn']} as ccn, {literal(period)} as quarter, days.day as work_date, "
        f"{at['employee_id']} as employee_id, {at['job_code']} as job_code, {is_contract} as is_contract, hours.hours, "
        f"{footnote} as footnote from {scan(text, piece)} "
        f"inner join spelled_days as days on {at['work_date']} = days.spelled "
        f"inner join spelled_hours as hours on {at['hours']} = hours.spelled where {' and '.join(tests)}"
    )
    # DuckDB cannot know how many rows a CSV has, and would build its hash tables from the file
    con.execute("set preserve_insertion_order = true; set disabled_optimizers = 'build_side_probe_side'")
    more = ", employee_id as spelled_id, job_code as spelled_code"
    try:
        con.execute(f"create or replace temp table compact as {_compact_select('try_cast', more)}")
    except duckdb.InvalidInputException:
        return False  # the long way tells the line
    finally:
        con.execute("reset disabled_optimizers")
    kept, strange = con.execute(
        "select coalesce(sum(len(work_dates)), 0), count(*) filter (where ("
        f"regexp_full_match(ccn, {literal(CCN)}) and employee_id::varchar = spelled_id "
        "and spelled_code in (select job_code::varchar from rules.job_codes)) is not true) from compact"
    ).fetchall()[0]
    if strange or kept != piece.rows:
        return False
    con.execute("alter table compact drop spelled_id; alter table compact drop spelled_code")
    counts.rows += kept
    return True
