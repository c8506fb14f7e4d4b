"""The pieces of work that are timed. Those that return seconds measure themselves, without what comes before."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

import duckdb

from pipelines import engine as engine_module
from pipelines import staging
from pipelines.checks import check_table, scan
from pipelines.engine import engine_for
from pipelines.main_job import run_release
from pipelines.periods import release
from pipelines.resources import Run
from pipelines.sample.nation import write_nation
from pipelines.sample.people import REAL
from pipelines.sources import QUARTER_TABLES
from pipelines.sources.archive import open_member
from pipelines.store import Store, read_json
from schemas import TABLES
from tests.oracle.reference import WINDOW_SQL, prepare

RELEASE = "2026-07"
ENGINE = ("measure_codes", "stretches", "stretch_hours", "spells", "counts")


def sample(folder: Path, homes: int) -> None:
    """Write a nation of homes of real size."""
    write_nation(folder, homes=homes, residents=REAL)


def run(folder: Path, store: Path, ranges: int = 0, threads: int = 0) -> None:
    """The main job for the release."""
    run_release(Run(data=str(store), source=str(folder), ranges=ranges, threads=threads), RELEASE, lambda step: None)


def run_on_cluster(folder: Path, store: Path, ranges: int, workers: int) -> None:
    """The main job with the ranges of homes on a Dask cluster of this machine, one thread a worker."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        made = Run(data=str(store), source=str(folder), ranges=ranges, executor="dask", scheduler=cluster.scheduler_address)
        run_release(made, RELEASE, lambda step: None)


def forget(store: Path, quarter: str) -> None:
    """Forget the files of a quarter, what was made of them, and what was computed for the release, as when the quarter is new."""
    held = Store(store)
    for table in QUARTER_TABLES:
        supply = held.supply(table, quarter)
        assert supply is not None
        for note in store.glob("raw/urls/*.json"):
            if read_json(note)["sha256"] == supply.sha256:
                note.unlink()
        for file in (held.supply_file(table, quarter), *store.glob(f"raw/blobs/*/{supply.sha256}*")):
            file.unlink()
    for made in (*store.glob(f"staged/*/quarter={quarter}"), *store.glob(f"computed/quarterly/*/quarter={quarter}")):
        shutil.rmtree(made)
    forget_release(store)


def forget_all_but_raw(store: Path) -> None:
    """Forget everything that was staged and computed."""
    for folder in ("staged", "computed"):
        shutil.rmtree(store / folder)


def forget_release(store: Path) -> None:
    """Forget everything that was computed for the release."""
    for made in store.glob("computed/*/*/release=*"):
        shutil.rmtree(made)


def bare_count(store: Path, quarter: str) -> float:
    """A typed count and sum over an employee file, nothing else."""
    csv = _csv(Store(store), quarter)
    columns = {
        "ccn": "VARCHAR", "state": "VARCHAR", "quarter": "VARCHAR", "day": "VARCHAR", "id": "BIGINT", "code": "TINYINT",
        "contract": "TINYINT", "hours": "DECIMAL(9,2)", "note": "VARCHAR",
    }  # fmt: skip
    con = duckdb.connect()
    con.execute("set enable_progress_bar = false")
    began = time.perf_counter()
    con.execute(f"select count(*), sum(hours) from read_csv('{csv}', header=true, columns={columns})").fetchall()
    return time.perf_counter() - began


def unpack_quarter(store: Path, quarter: str) -> float:
    """Unzip and transcode an employee file and cut it into pieces: what comes before staging."""
    held = Store(store)
    supply = held.supply("pbj_employee", quarter)
    assert supply is not None
    with tempfile.TemporaryDirectory(dir=store) as folder:
        began = time.perf_counter()
        staging.unpack(held, supply, TABLES["raw.pbj_employee"], Path(folder))
        return time.perf_counter() - began


def stage_quarter(store: Path, quarter: str) -> float:
    """Stage an employee file: read, check, reject, compact, write; unpacking and transcoding are left out of the time."""
    held = Store(store)
    con = duckdb.connect()  # a check of the table that is there loads what a process loads once, ibis above all
    con.execute("create schema checked")
    con.execute(f"create view checked.loaded as from {scan(*held.need('staged.employee_quarters', quarter))}")
    check_table(con, TABLES["staged.employee_quarters"], "checked.loaded")
    con.close()
    (held.folder("staged.employee_quarters", quarter) / "manifest.json").unlink()
    apart = 0.0
    unpack = staging.unpack

    def timed(*arguments: object) -> object:
        nonlocal apart
        began = time.perf_counter()
        text = unpack(*arguments)  # type: ignore[arg-type]
        apart = time.perf_counter() - began
        return text

    staging.unpack = timed  # type: ignore[assignment]
    began = time.perf_counter()
    staging.stage(held, "pbj_employee", quarter, Run().settings())
    return time.perf_counter() - began - apart


def engine(store: Path) -> float:
    """Spells and counts of the release from staged/employee_quarters, by the definition `cms` alone, checks and writing included."""
    plain = engine_module.rule_view

    def only_cms(con: duckdb.DuckDBPyConnection, name: str) -> None:
        plain(con, name)
        if name == "rules.turnover_definitions":
            con.execute(
                "create temp table in_force as from rules.turnover_definitions where definition = 'cms' "
                f"and '{RELEASE}' between effective_from and coalesce(effective_to, '9999-12')"
            )
            con.execute(f"create or replace view {name} as from in_force")

    engine_module.rule_view = only_cms
    shutil.rmtree(store / "computed" / "turnover", ignore_errors=True)
    made = engine_for(Store(store), RELEASE, Run().settings())
    made.run("turnover.home_quarters")  # what counts.sql also reads
    began = time.perf_counter()
    for name in ENGINE:
        made.run(f"turnover.{name}")
    return time.perf_counter() - began


def write_days(store: Path, root: Path) -> None:
    """The nurse and administrator rows of staged/employee_quarters as day-level Parquet, as one would sort them."""
    made = engine_for(Store(store), RELEASE, Run().settings())
    con = duckdb.connect()
    engine_module.rule_view(con, "rules.job_codes")
    for file in made.files("six_quarters.employee_quarters"):
        con.execute(
            "copy (select ccn, employee_id, unnest(work_dates) as day, job_code, engagement = 'contract' as is_contract, "
            f"unnest(work_hours) as hours from {scan(file)} inner join rules.job_codes as codes using (job_code) "
            "where codes.in_total_nurse or codes.in_administrator order by all) "
            f"to '{root}/days-{file.parent.name}-{file.stem}.parquet' (format parquet, compression zstd)"
        )


def window_sql(root: Path) -> float:
    """The plain window SQL over all days, without a memory limit."""
    con = duckdb.connect()
    con.execute("set enable_progress_bar = false")
    prepare(con, release(RELEASE))
    con.execute(f"create view days as from read_parquet('{root}/days-*.parquet')")
    began = time.perf_counter()
    con.execute(f"copy ({WINDOW_SQL}) to '{root}/window.parquet' (format parquet)")
    return time.perf_counter() - began


def polars(root: Path) -> float:
    """The same in polars, streaming."""
    import polars as pl

    con = duckdb.connect()
    prepare(con, release(RELEASE))
    measures = con.execute("select measure, job_code from measures").fetchall()
    gap, needed, window, end, last_start, first, last = con.execute("from rule").fetchall()[0]
    person = ["ccn", "employee_id", "measure"]
    began = time.perf_counter()
    codes = pl.LazyFrame(measures, schema={"measure": pl.String, "job_code": pl.Int8}, orient="row")
    days = (
        pl.scan_parquet(f"{root}/days-*.parquet")
        .join(codes, on="job_code")
        .group_by(*person, "day")
        .agg(pl.col("hours").sum())
        .filter(pl.col("hours") > 0)
        .sort(*person, "day")
    )
    off = (pl.col("day") - pl.col("day").shift(1).over(person)).dt.total_days() - 1
    numbered = days.with_columns((off.is_null() | (off >= gap)).cast(pl.Int32).cum_sum().over(person).alias("spell"))
    placed = numbered.with_columns(pl.col("day").min().over([*person, "spell"]).alias("first_workday"))
    spells = (
        placed.group_by(*person, "first_workday")
        .agg(
            pl.col("day").max().alias("last_workday"),
            pl.col("hours").filter(pl.col("day") < pl.col("first_workday") + pl.duration(days=window)).sum().alias("hours"),
        )
        .sort(*person, "first_workday")
    )
    following = pl.col("first_workday").shift(-1).over(person).fill_null(pl.lit(end) + pl.duration(days=1))
    judged = spells.with_columns(
        ((following - pl.col("last_workday")).dt.total_days() - 1 >= gap).alias("gap_follows"),
        ((pl.col("first_workday") <= last_start) & (pl.col("hours") >= needed)).alias("qualifies"),
    ).with_columns(
        (pl.col("qualifies") & ~(pl.col("gap_follows") & (pl.col("last_workday") < first))).alias("eligible"),
        (pl.col("qualifies") & pl.col("gap_follows") & pl.col("last_workday").is_between(first, last)).alias("departed"),
    )
    judged.collect(engine="streaming").write_parquet(f"{root}/polars.parquet")
    seconds = time.perf_counter() - began
    totals = (
        "select measure, count(*) filter (where eligible), count(*) filter (where departed) from '{}' group by all order by all"
    )
    ours = con.execute(totals.format(f"{root}/window.parquet")).fetchall()
    theirs = con.execute(totals.format(f"{root}/polars.parquet")).fetchall()
    if ours != theirs:
        raise AssertionError(f"polars and the window SQL differ: {theirs} and {ours}")
    return seconds


def _csv(store: Store, quarter: str) -> Path:
    """The employee file of a quarter as plain CSV."""
    supply = store.supply("pbj_employee", quarter)
    assert supply is not None
    blob = store.blob(supply.sha256)
    if not supply.member:
        return blob
    target = store.root / f"{quarter}.csv"
    if not target.exists():
        with open_member(blob, supply.member) as packed, target.open("wb") as out:
            shutil.copyfileobj(packed, out)
    return target
