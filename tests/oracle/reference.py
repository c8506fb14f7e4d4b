"""The plain window SQL over days, beside the engine: what it reads, for tests and for timings."""

from __future__ import annotations

from pathlib import Path

import duckdb

from pipelines.engine import rule_view
from pipelines.periods import Release, quarter_days

WINDOW_SQL = Path(__file__).with_name("window.sql").read_text()


def prepare(con: duckdb.DuckDBPyConnection, release: Release) -> None:
    """Make the tables `measures` and `rule` that `window.sql` reads; `days` is the caller's."""
    for name in ("rules.job_codes", "rules.turnover_definitions"):
        rule_view(con, name)
    con.execute(
        "create or replace table measures as select unnest(['total_nurse', 'rn', 'administrator']) as measure, job_code, "
        "unnest([in_total_nurse, in_rn, in_administrator]) as belongs from rules.job_codes"
    )
    con.execute("delete from measures where not belongs")
    days = [quarter_days(quarter) for quarter in release.quarters]
    con.execute(
        "create or replace table rule as select gap_days, hours_needed, hours_window_days as window_days, ?::date as window_end, "
        "?::date as last_start, ?::date as first_departure, ?::date as last_departure from rules.turnover_definitions "
        "where definition = 'cms' and ? between effective_from and coalesce(effective_to, '9999-12')",
        [days[5][1], days[2][1], days[1][0], days[4][1], release.name],
    )
