"""A DuckDB shell on the store: every table of a release as a view, the variables set."""

from __future__ import annotations

import sys

import duckdb

from pipelines.engine import Engine, graph, variables_of
from pipelines.errors import MissingInput, UsageError


def open_views(engine: Engine) -> duckdb.DuckDBPyConnection:
    """A connection with every table of the release that the store has as a view."""
    names = set(graph()) | {needed for inputs in graph().values() for needed in inputs}
    con = engine.open([])
    for name in sorted(names):
        try:
            engine.view(con, name, whole=True)
        except MissingInput:
            continue
    return con


def _answer(engine: Engine, con: duckdb.DuckDBPyConnection, query: str) -> None:
    """Run a query and show its rows. Raises UsageError where it reads a variable that nothing sets, which would be null."""
    known = {name for (name,) in con.execute("select name from duckdb_variables()").fetchall()}
    unset = variables_of(query) - known
    if unset:
        raise UsageError(
            f"The query reads variables that are not set: {', '.join(sorted(unset))}; set are {', '.join(sorted(known))}"
        )
    result = con.sql(query)
    if result is not None:
        result.show(max_width=200)


def shell(engine: Engine, query: str | None) -> None:
    """Run one query, or read queries from the terminal until its end; a query ends with a semicolon."""
    con = open_views(engine)
    if query:
        try:
            _answer(engine, con, query)
        except duckdb.Error as wrong:
            raise UsageError(f"The query does not run: {wrong}") from wrong
        return
    print(
        f"Release {engine.release.name}. Tables: published.ratings, turnover.spells, current.provider_info ... (show all tables)"
    )
    held = ""
    while True:
        if sys.stdin.isatty():
            print("openstars> " if not held else "       ... ", end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        held += line
        if not held.strip():
            held = ""
        elif ";" in line:
            try:
                _answer(engine, con, held)
            except (duckdb.Error, UsageError) as wrong:
                print(wrong, file=sys.stderr)
            held = ""
