"""Runs SQL files of the project on small tables made in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as arrow

from pipelines.engine import STAGED_AREAS, inputs_of, rule_view, sql_files
from pipelines.periods import quarter_days, release
from schemas import TABLES

SPELLS = tuple(f"turnover.{name}" for name in ("measure_codes", "stretches", "stretch_hours", "spells"))
TURNOVER = ("turnover.home_quarters", *SPELLS, *(f"turnover.{name}" for name in ("counts", "full_days", "exclusions")))


def as_text(value: Any) -> str:
    """A cell as DuckDB reads it from text: a decimal without an exponent."""
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


class Bench:
    """A DuckDB in memory with the rule tables that are read, the facts of a release, and whatever a test puts in."""

    def __init__(self, month: str, inputs: str = "best", without: Iterable[tuple[str, str]] = ()):
        self.con = duckdb.connect(config={"threads": 1})
        self.release = release(month)
        missing = set(without)
        for name, value in {"release": month, "staffing_quarter": self.release.staffing_quarter, "inputs": inputs}.items():
            self.con.execute(f"set variable {name} = '{value}'")
        for area in ("six_quarters", "current", "inputs"):
            self.con.execute(f"create schema if not exists {area}")
        quarters = self.release.quarters
        self.put(
            "inputs.six_quarters",
            [
                (k, q, *quarter_days(q), ("pbj_daily", q) not in missing, ("pbj_employee", q) not in missing)
                for k, q in enumerate(quarters)
            ],
        )
        staffing = self.release.staffing_quarter
        self.put("inputs.staffing_quarter", [(staffing, *quarter_days(staffing), ("pbj_daily", staffing) not in missing)])

    def put(self, name: str, rows: Sequence[Sequence[Any] | Mapping[str, Any]] = ()) -> Bench:
        """Make a table of its schema and fill it; mappings leave the other columns null."""
        area, _, table = name.partition(".")
        names = [f"staged.{table}", f"quarterly.{table}"] if area in STAGED_AREAS else [name]
        columns = next(TABLES[known] for known in names if known in TABLES).columns()
        self.con.execute(f"create schema if not exists {area}")
        self.con.execute(f"create or replace table {name} ({', '.join(f'{c.name} {c.type}' for c in columns)})")
        if rows:
            filled = [[row.get(c.name) for c in columns] if isinstance(row, Mapping) else row for row in rows]
            cells = [[None if value is None else as_text(value) for value in cell] for cell in zip(*filled, strict=True)]
            given = arrow.table(cells, arrow.schema([(c.name, arrow.string()) for c in columns]))
            self.con.register("given", given)  # a row at a time takes a thousand times as long
            casts = ", ".join(f"cast({c.name} as {c.type})" for c in columns)
            self.con.execute(f"insert into {name} select {casts} from given")
        return self

    def put_work(self, rows: Sequence[Mapping[str, Any]]) -> Bench:
        """Put rows of the employee file into the window, compacted as staging does."""
        self.put("raw.pbj_employee", rows).run("staged.employee_quarters")
        self.con.execute("create or replace view six_quarters.employee_quarters as from staged.employee_quarters")
        return self

    def has(self, name: str) -> bool:
        """Whether a table or view is there."""
        found = "select 1 from information_schema.tables where table_schema = ? and table_name = ?"
        return bool(self.con.execute(found, name.split(".")).fetchall())

    def make_quarterly(self, name: str) -> None:
        """Make what is made once a quarter for all quarters of the window in one go."""
        table = name.split(".")[1]
        for read in inputs_of(sql_files()[f"quarterly.{table}"].read_text()):
            window = f"six_quarters.{read.split('.')[1]}"
            if not self.has(read) and self.has(window):
                self.con.execute(f"create view {read} as from {window}")
        self.run(f"quarterly.{table}")
        self.con.execute(f"create view {name} as from quarterly.{table}")

    def run(self, *names: str) -> Bench:
        """Make the tables of SQL files, in the order given; what the provider file says of homes too, other inputs that no test put are empty."""
        for name in names:
            select = sql_files()[name].read_text()
            for needed in inputs_of(select):
                if needed.startswith("homes."):
                    self.run(needed)
                if self.has(needed):
                    continue
                if needed.startswith("rules."):
                    rule_view(self.con, needed)
                else:
                    self.make_quarterly(needed) if f"quarterly.{needed.split('.')[1]}" in TABLES else self.put(needed)
            cast = ", ".join(f"cast({c.name} as {c.type}) as {c.name}" for c in TABLES[name].columns())
            self.con.execute(f"create schema if not exists {name.split('.')[0]}")
            self.con.execute(f"create or replace table {name} as select {cast} from ({select})")
        return self

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        for name in re.findall(r"\brules\.\w+", query):
            rule_view(self.con, name)
        return self.con.execute(query).fetchall()
