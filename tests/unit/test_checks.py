"""The one pass over a table finds what pandera finds."""

from __future__ import annotations

from typing import Any

import duckdb
import ibis
import pandera.config
import pandera.ibis as pa
import pytest
from pandera.errors import SchemaErrors

from pipelines.checks import check_table, holds
from pipelines.errors import OpenstarsError
from schemas import TABLES

GOOD = {
    "ccn": "'015009'", "employee_id": "1", "measure": "'rn'", "day_basis": "'own'", "first_workday": "date '2026-01-01'",
    "last_workday": "date '2026-01-02'", "has_own_days": "true", "gap_before": "null", "gap_after": "3",
}  # fmt: skip
STRETCHES = TABLES["turnover.stretches"]


def table_of(rows: list[dict[str, str]]) -> duckdb.DuckDBPyConnection:
    """A table of stretches with these cells."""
    con = duckdb.connect()
    con.execute("create schema checked")
    cells = " union all ".join(
        f"select {number} as n, " + ", ".join(f"cast({row[c.name]} as {c.type}) as {c.name}" for c in STRETCHES.columns())
        for number, row in enumerate(rows)
    )
    con.execute(f"create table checked.stretches as select * exclude (n) from ({cells}) order by n")
    return con


def accepted_by_pandera(con: duckdb.DuckDBPyConnection) -> bool:
    """What pandera says of the values."""
    table = ibis.duckdb.from_connection(con).table("stretches", database="checked")
    try:
        with pandera.config.config_context(validation_depth=pandera.config.ValidationDepth.SCHEMA_AND_DATA):
            STRETCHES.schema().validate(table, lazy=True)
    except SchemaErrors:
        return False
    return True


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("measure", "'cook'", "measure is none of total_nurse, rn, administrator"),
        ("day_basis", "null", "day_basis is null"),
        ("gap_after", "null", "gap_after is null"),
        ("gap_before", "null", ""),
        ("ccn", "'15009'", "ccn is not 6 to 6 characters long"),
        ("ccn", "null", "ccn is null"),
        ("last_workday", "null", "last_workday is null"),
    ],
)
def test_a_broken_row_is_told_as_pandera_would_refuse_it(column: str, value: str, told: str) -> None:
    """Each kind of check, on a second row; a null where one may stand passes in both."""
    con = table_of([GOOD, {**GOOD, "employee_id": "2", column: value}])
    assert accepted_by_pandera(con) is (told == "")
    if told:
        with pytest.raises(OpenstarsError, match=told):
            check_table(con, STRETCHES, "checked.stretches")
    else:
        assert check_table(con, STRETCHES, "checked.stretches") == 2


def test_a_key_that_stands_twice_or_out_of_order_is_refused() -> None:
    """The order of a table is its key, so that neighbours tell both."""
    with pytest.raises(OpenstarsError, match="more than once"):
        check_table(table_of([GOOD, GOOD]), STRETCHES, "checked.stretches")
    with pytest.raises(OpenstarsError, match="out of order"):
        check_table(table_of([{**GOOD, "employee_id": "2"}, GOOD]), STRETCHES, "checked.stretches")


def test_a_column_of_another_type_is_refused() -> None:
    """Types are pandera's part."""
    con = table_of([GOOD])
    con.execute("alter table checked.stretches alter gap_after type varchar")
    with pytest.raises(OpenstarsError, match="columns of its schema"):
        check_table(con, STRETCHES, "checked.stretches")


def test_bounds_are_read_from_the_check() -> None:
    """Numbers, and a kind that no SQL is known for."""
    assert holds("x", pa.Check.ge(0)) == ("x >= 0", "is less than 0")
    assert holds("x", pa.Check.le(5)) == ("x <= 5", "is more than 5")
    with pytest.raises(OpenstarsError, match="does not know"):
        holds("x", pa.Check.str_startswith("a"))


def test_every_check_of_every_schema_is_known_to_sql() -> None:
    """A new kind of check is written in `holds` before a schema may use it."""
    every: list[Any] = [
        (name, check) for table in TABLES.values() for name, col in table.schema().columns.items() for check in col.checks
    ]
    assert every
    assert all(holds(name, check) for name, check in every)
