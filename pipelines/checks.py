"""Checks before a table counts: the pandera schema pushed down to DuckDB, and sql/checks/*.sql that return offenders."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pandera.config
import pyarrow as arrow
from pandera.errors import SchemaError, SchemaErrors

from pipelines import quoting
from pipelines.errors import OpenstarsError, RefusedFile
from pipelines.periods import RULES
from schemas import TABLES, Table

CHECKS = Path(__file__).parent.parent / "sql" / "checks"
SHOWN = 5
MANY = 10  # allowed values that a message does not list any more


def scan(*files: Path) -> str:
    """SQL that reads Parquet files; what a folder is called ("release=2026-07") is no column."""
    return f"read_parquet({quoting.files(*files)}, union_by_name=true, hive_partitioning=false)"


def holds(column: str, check: Any) -> tuple[str, str]:
    """A check of a schema as SQL that is true or null where it holds, and what is told of a value where it does not.

    Raises OpenstarsError for a kind of check that is not known here.
    """
    stated = {name: value for name, value in (check.statistics or {}).items() if value is not None}
    if check.name == "greater_than_or_equal_to":
        return f"{column} >= {stated['min_value']}", f"is less than {stated['min_value']}"
    if check.name == "less_than_or_equal_to":
        return f"{column} <= {stated['max_value']}", f"is more than {stated['max_value']}"
    if check.name == "isin":
        allowed = stated["allowed_values"]
        quoted = ", ".join(quoting.literal(value) if isinstance(value, str) else str(value) for value in allowed)
        listed = ", ".join(map(str, allowed)) if len(allowed) <= MANY else "the known codes"
        return f"{column} in ({quoted})", f"is none of {listed}"
    if check.name == "str_length":
        least, most = stated["min_value"], stated["max_value"]
        return f"length({column}) between {least} and {most}", f"is not {least} to {most} characters long"
    raise OpenstarsError(f"The schema has a check of a kind that SQL does not know: {check.name}")


def check_table(con: duckdb.DuckDBPyConnection, described: Table, name: str) -> int:
    """Rows of a table that keeps its schema and stands in the order of its key, each key once.

    Raises OpenstarsError with examples where it does not. pandera compares the types; the checks of the same schema are made in one pass
    over the rows, since pandera's passes, one for each check, take several times as long on tables of this size.
    """
    _compare_types(con, described, name)
    rules = rules_of(described)
    rows, kept = con.execute(
        f"select count(*), count(*) filter (where {' and '.join(f'({rule})' for rule in rules)}) from {name}"
    ).fetchall()[0]
    if kept < rows:
        raise OpenstarsError(f"{described.name} breaks its schema in {rows - kept} rows: {_broken(con, rules, described, name)}")
    key = f"row({', '.join(described.order)})"
    wrong = "<" if described.rows == "all" else "<="
    misplaced = con.execute(
        f"select key, before from (select {key} as key, lag({key}) over () as before from {name}) where key {wrong} before limit {SHOWN}"
    ).fetchall()
    if misplaced:
        doubles = [found for found, before in misplaced if found == before]
        what = (
            f"has a key ({', '.join(described.order)}) more than once: {doubles}" if doubles else f"is out of order: {misplaced}"
        )
        raise OpenstarsError(f"{described.name} {what}")
    return int(rows)


def rules_of(described: Table) -> dict[str, str]:
    """What each row of a table must keep, as SQL that is true where it does, and what is told of a row that does not."""
    rules = {f"{key} is not null": f"{key} is null" for key in described.key}
    for column, stated in described.schema().columns.items():
        rules |= {} if stated.nullable else {f"{column} is not null": f"{column} is null"}
        for check in stated.checks:
            test, told = holds(column, check)
            rules[f"coalesce({test}, true)"] = f"{column} {told}"
    return rules


def _broken(con: duckdb.DuckDBPyConnection, rules: dict[str, str], described: Table, name: str) -> str:
    """The rules that are broken, each with the keys of some rows."""
    found = []
    for rule, told in rules.items():
        rows = con.execute(f"select {', '.join(described.key)} from {name} where not ({rule}) limit {SHOWN}").fetchall()
        found += [f"{told} ({', '.join(described.key)}: {rows})"] if rows else []
    return "; ".join(found)


def _compare_types(con: duckdb.DuckDBPyConnection, described: Table, name: str) -> None:
    """Raises OpenstarsError where the columns of a table are not those of its schema or have other types."""
    schema_name, _, table = name.partition(".")
    try:
        with pandera.config.config_context(validation_depth=pandera.config.ValidationDepth.SCHEMA_ONLY):
            described.schema().validate(ibis.duckdb.from_connection(con).table(table, database=schema_name), lazy=True)
    except (SchemaError, SchemaErrors) as broken:
        raise OpenstarsError(f"{described.name} does not have the columns of its schema: {broken}") from broken


def rules_for(table: str) -> list[dict[str, str]]:
    """Rows of rules.checks for a table."""
    with (RULES / "checks.csv").open(newline="") as lines:
        return [row for row in csv.DictReader(lines) if row["checks_table"] == table]


def check_select(name: str) -> str:
    """The SELECT of a file of sql/checks."""
    return (CHECKS / f"{name}.sql").read_text()


def run_checks(
    con: duckdb.DuckDBPyConnection, table: str, file: str, with_lines: Callable[[], object] = lambda: None
) -> list[tuple[str, list[tuple[Any, ...]]]]:
    """Offenders of the warning checks of a table by check: (ccn, evidence, first_date, last_date, found).

    Raises RefusedFile where a check of severity error has any, with the first line; `with_lines` makes the rows anew with their lines.
    """
    rules = {rule["check_name"]: rule for rule in rules_for(table)}
    every: dict[str, list[tuple[Any, ...]]] = {name: [] for name in rules}
    for made_by in dict.fromkeys(rule["made_by"] for rule in rules.values()):
        found = _offenders(con, made_by)
        if any(rules[row["check_name"]]["severity"] == "error" for row in found):
            with_lines()
            raise _refusal(file, rules, [r for r in _offenders(con, made_by) if rules[r["check_name"]]["severity"] == "error"])
        for row in found:
            every[row["check_name"]].append(tuple(row[name] for name in ("ccn", "evidence", "first_date", "last_date", "found")))
    return list(every.items())


def _offenders(con: duckdb.DuckDBPyConnection, made_by: str) -> list[dict[str, Any]]:
    """The rows of a file of sql/checks."""
    result = con.execute(f"select * from ({check_select(made_by)}) order by check_name, ccn")
    names = [column[0] for column in result.description or []]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _refusal(file: str, rules: dict[str, dict[str, str]], found: list[dict[str, Any]]) -> RefusedFile:
    """What the first check of severity error found, those first that stand first in the file."""
    name = found[0]["check_name"]
    found = sorted(
        (row for row in found if row["check_name"] == name), key=lambda row: (row["line"] is None, row["line"], row["ccn"])
    )
    shown = "; ".join(": ".join(filter(None, (row["ccn"], row["evidence"]))) for row in found[:SHOWN])
    homes = f"{len(found)} homes: " if found[0]["ccn"] else ""
    return RefusedFile(
        file, f"refused by the check {name}: {homes}{shown}", line=found[0]["line"], todo=f"{rules[name]['todo']}."
    )


def write_flags(
    con: duckdb.DuckDBPyConnection, table: str, flags: dict[str, list[tuple[Any, ...]]], target: Path
) -> dict[str, int]:
    """Write what warning checks found beside the table; homes by reason."""
    described = TABLES["staged.flags"].arrow_schema()
    rows = [(table, ccn, reason, *offender) for reason, found in flags.items() for ccn, *offender in found]
    columns = zip(*rows, strict=True) if rows else [()] * len(described)
    con.register("flags", arrow.table([arrow.array(c, f.type) for c, f in zip(columns, described, strict=True)], described))
    con.execute(f"copy (from flags order by ccn, reason) to {quoting.literal(target)} (format parquet)")
    con.unregister("flags")
    return {reason: len(found) for reason, found in flags.items() if found}
