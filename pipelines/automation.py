"""Jobs, the quarterly schedule, and the sensor on CMS's catalogue."""

import dagster as dg

from pipelines.partitions import QUARTERS, RELEASES
from pipelines.periods import releases
from pipelines.resources import Run
from pipelines.sources import QUARTER_TABLES, RELEASE_TABLES
from pipelines.store import fingerprint

STAGED_QUARTER = ("pbj_daily", "employee_quarters")

stage_quarter = dg.define_asset_job(
    "stage_quarter",
    selection=dg.AssetSelection.keys(*(["raw", t] for t in QUARTER_TABLES), *(["staged", t] for t in STAGED_QUARTER)),
    partitions_def=QUARTERS,
    executor_def=dg.in_process_executor,
    description="Fetch and stage the PBJ files of one quarter",
)
stage_release = dg.define_asset_job(
    "stage_release",
    selection=dg.AssetSelection.keys(*(["raw", t] for t in RELEASE_TABLES), *(["staged", t] for t in RELEASE_TABLES)),
    partitions_def=RELEASES,
    executor_def=dg.in_process_executor,
    description="Fetch and stage the Care Compare files of one release",
)
rate_release = dg.define_asset_job(
    "rate_release",
    selection=dg.AssetSelection.groups("turnover", "staffing", "audit", "published"),
    partitions_def=RELEASES,
    executor_def=dg.in_process_executor,
    description="Compute and publish one release from staged tables",
)
JOBS = [stage_quarter, stage_release, rate_release]


@dg.op
def run_the_release(context: dg.OpExecutionContext, run: Run) -> None:
    """Stage what the newest release needs and publish it: the main job, for people who run no sensor."""
    from pipelines.main_job import run_release

    release = newest_release(run)
    run_release(run, release, context.log.info)


@dg.job(executor_def=dg.in_process_executor)
def quarterly() -> None:
    """The main job for the newest release that the source offers."""
    run_the_release()


def newest_release(run: Run) -> str:
    """The newest release whose staffing quarter the source offers in both PBJ files."""
    offered = {(o.table, o.period) for o in run.opened().offers()}
    ready = [
        name
        for name, r in releases().items()
        if r.basis != "never_made" and all((t, r.quarters[-1]) in offered for t in QUARTER_TABLES)
    ]
    if not ready:
        raise RuntimeError("The source offers no quarter that a release reads: see openstars sources")
    first = releases()[ready[-1]]
    return next(name for name in ready if releases()[name].quarters == first.quarters)


quarterly_schedule = dg.ScheduleDefinition(
    name="quarterly_schedule",
    job=quarterly,
    cron_schedule="0 6 2 2,5,8,11 *",  # CMS refreshes staffing at the end of January, April, July and October
    description="Fallback for people who do not run the sensor: four times a year, after CMS's refresh",
)


@dg.sensor(
    jobs=[stage_quarter, stage_release], minimum_interval_seconds=6 * 3600, description="Asks for what CMS's catalogue has anew"
)
def catalogue_sensor(context: dg.SensorEvaluationContext, run: Run) -> dg.SensorResult:
    """A run for each period of the catalogue that is new or was published again; the run key is period and content."""
    requests = []
    by_period: dict[str, list[tuple[str, str, str, int | None]]] = {}
    for offer in run.opened().offers():
        if offer.period:
            by_period.setdefault(offer.period, []).append((offer.table, offer.address, offer.modified, offer.size))
    for period, offers in sorted(by_period.items()):
        job = stage_quarter if "Q" in period else stage_release
        if period in (QUARTERS if "Q" in period else RELEASES).get_partition_keys():
            requests.append(
                job.run_request_for_partition(period, run_key=f"{period}:{fingerprint(sorted(offers, key=str))[:16]}")
            )
    return dg.SensorResult(run_requests=requests)


SCHEDULES = [quarterly_schedule]
SENSORS = [catalogue_sensor]
