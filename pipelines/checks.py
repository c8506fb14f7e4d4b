"""Checks before a table counts: the pandera schema pushed down to DuckDB, and sql/checks/*.sql that return offenders."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pandera.config
from pandera.errors import SchemaError, SchemaErrors

from pipelines.errors import OpenstarsError
from pipelines.periods import RULES
from schemas import Table

CHECKS = Path(__file__).parent.parent / "sql" / "checks"
SHOWN = 5


def scan(*files: Path) -> str:
    """SQL that reads Parquet files; what a folder is called ("release=2026-07") is no column."""
    listed = ", ".join(f"'{file}'" for file in files)
    return f"read_parquet([{listed}], union_by_name=true, hive_partitioning=false)"


def check_table(con: duckdb.DuckDBPyConnection, described: Table, name: str) -> int:
    """Rows of a table that keeps its schema and has each key once. Raises OpenstarsError with examples where it does not."""
    backend = ibis.duckdb.from_connection(con)
    schema_name, _, table = name.partition(".")
    rows = int(con.execute(f"select count(*) from {name}").fetchall()[0][0])
    # pandera takes the null sum over no rows for a failing check, so of an empty table only types are checked
    depth = pandera.config.ValidationDepth.SCHEMA_AND_DATA if rows else pandera.config.ValidationDepth.SCHEMA_ONLY
    try:
        with pandera.config.config_context(validation_depth=depth):
            described.schema().validate(backend.table(table, database=schema_name), lazy=True)
    except (SchemaError, SchemaErrors) as broken:
        cases = (
            broken.failure_cases.head(SHOWN).to_dict("records") if hasattr(broken.failure_cases, "head") else broken.failure_cases
        )
        told = (
            "; ".join(f"{c.get('column')}: {c.get('check')}: {c.get('failure_case')}" for c in cases)
            if isinstance(cases, list)
            else cases
        )
        raise OpenstarsError(f"{described.name} breaks its schema: {told}") from broken
    key = ", ".join(described.key)
    doubles = con.execute(
        f"select {key}, count(*) from {name} group by {key} having count(*) > 1 order by {key} limit {SHOWN}"
    ).fetchall()
    if doubles:
        raise OpenstarsError(f"{described.name} has a key ({key}) more than once: {doubles}")
    nulls = con.execute(f"select count(*) from {name} where {' or '.join(f'{k} is null' for k in described.key)}").fetchall()[0][
        0
    ]
    if nulls:
        raise OpenstarsError(f"{described.name} has {nulls} rows without a key ({key})")
    return rows


def rules_for(table: str) -> list[dict[str, str]]:
    """Rows of rules.checks for a table."""
    with (RULES / "checks.csv").open(newline="") as lines:
        return [row for row in csv.DictReader(lines) if row["checks_table"] == table]


def check_select(name: str) -> str:
    """The SELECT of a file of sql/checks."""
    return (CHECKS / f"{name}.sql").read_text()


def run_checks(con: duckdb.DuckDBPyConnection, table: str, file: str) -> list[tuple[str, list[tuple[Any, ...]]]]:
    """Offenders of the checks of a table by check: (ccn, evidence, first_date, last_date, found).

    Raises OpenstarsError where a check of severity error has any.
    """
    rules = {rule["check_name"]: rule for rule in rules_for(table)}
    every: dict[str, list[tuple[Any, ...]]] = {name: [] for name in rules}
    for made_by in dict.fromkeys(rule["made_by"] for rule in rules.values()):
        select = f"select check_name, ccn, evidence, first_date, last_date, found from ({check_select(made_by)}) order by check_name, ccn"
        for name, *offender in con.execute(select).fetchall():
            every[name].append(tuple(offender))
    for name, found in every.items():
        if found and rules[name]["severity"] == "error":
            shown = "; ".join(f"{row[0]}: {row[1]}" for row in found[:SHOWN])
            raise OpenstarsError(f"{file}: refused by the check {name}: {len(found)} homes: {shown}.\n{rules[name]['todo']}.")
    return list(every.items())


def write_flags(con: duckdb.DuckDBPyConnection, flags: dict[str, list[tuple[Any, ...]]], target: Path) -> dict[str, int]:
    """Write what warning checks found beside the table; homes by reason."""
    con.execute(
        "create or replace temp table flags (ccn text, reason text, evidence text, first_date date, last_date date, found bigint)"
    )
    rows = [(ccn, reason, evidence, first, last, n) for reason, found in flags.items() for ccn, evidence, first, last, n in found]
    if rows:
        con.executemany("insert into flags values (?, ?, ?, ?, ?, ?)", rows)
    con.execute(f"copy (from flags order by ccn, reason) to '{target}' (format parquet)")
    return {reason: len(found) for reason, found in flags.items() if found}
