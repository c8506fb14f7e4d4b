"""The engine and the plain window SQL agree on every spell of the sample nation."""

from __future__ import annotations

from pathlib import Path

import duckdb

from pipelines.checks import scan
from pipelines.engine import engine_for
from pipelines.periods import release
from pipelines.resources import Run
from tests.oracle.reference import WINDOW_SQL, prepare

RELEASE = "2026-07"


def test_the_window_sql_gives_every_spell_of_the_engine(sample_store: Path) -> None:
    """Both ways over the whole sample: first and last day, hours, eligibility and departure of every spell."""
    engine = engine_for(Run(data=str(sample_store)).store(), RELEASE, Run().settings())
    con = duckdb.connect()
    prepare(con, release(RELEASE))
    con.execute(
        "create view days as select ccn, employee_id, job_code, unnest(work_dates) as day, unnest(work_hours) as hours "
        f"from {scan(*engine.files('six_quarters.employee_quarters'))}"
    )
    columns = "ccn, employee_id, measure, first_workday, last_workday, hours_first_90_days, eligible, departed"
    con.execute(f"create view ours as select {columns} from '{sample_store}/published/{RELEASE}/employment_spells.parquet'")
    con.execute(f"create table reference as select {columns} from ({WINDOW_SQL})")
    assert con.execute("select count(*) from reference").fetchall()[0][0] > 10_000
    assert con.execute("from reference except from ours").fetchall() == []
    assert con.execute("from ours except from reference").fetchall() == []
