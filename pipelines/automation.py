"""Jobs, the quarterly schedule, and the sensor on CMS's catalogue."""

import json
from typing import Any

import dagster as dg

from pipelines.errors import OpenstarsError
from pipelines.partitions import QUARTERS, RELEASES
from pipelines.periods import releases
from pipelines.resources import Run
from pipelines.sources import QUARTER_TABLES, RELEASE_TABLES, staged_name
from pipelines.sources.cms import ARCHIVE
from pipelines.sources.names import near
from pipelines.store import fingerprint

stage_quarter = dg.define_asset_job(
    "stage_quarter",
    selection=dg.AssetSelection.keys(*(["raw", t] for t in QUARTER_TABLES), *(["staged", staged_name(t)] for t in QUARTER_TABLES))
    | dg.AssetSelection.groups("quarterly"),
    partitions_def=QUARTERS,
    executor_def=dg.in_process_executor,
    description="Fetch and stage the PBJ files of one quarter, and compute what needs no other quarter",
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
    selection=dg.AssetSelection.groups(
        "homes", "turnover", "staffing", "inspections", "quality", "overall", "audit", "published"
    ),
    partitions_def=RELEASES,
    executor_def=dg.in_process_executor,
    description="Compute and publish one release from staged tables",
)


@dg.op
def run_the_release(context: dg.OpExecutionContext, run: Run) -> None:
    """Stage what the release needs and publish it."""
    from pipelines.main_job import run_release

    run_release(run, context.partition_key, context.log.info)


@dg.job(partitions_def=RELEASES, executor_def=dg.in_process_executor)
def main_release() -> None:
    """The main job for one release: what `openstars run` does."""
    run_the_release()


def offered_releases(run: Run) -> dict[str, str]:
    """Releases whose PBJ window the source offers whole, each with a hash of what it offers for the window.

    Of the months of a quarter only the first is listed; a re-published file changes the hash of every release that reads it, and so
    does an archive of a time in which files of the release are posted.
    """
    offers: dict[str, list[tuple[str, str, str, int | None]]] = {}
    for offer in run.fresh().offers():
        offers.setdefault("" if offer.table == ARCHIVE else offer.period, []).append(
            (offer.table, offer.address, offer.modified, offer.size)
        )
    archives = offers.pop("", [])
    found: dict[str, str] = {}
    windows = set()
    for name, release in releases().items():
        tables = [{table for table, *_ in offers.get(quarter, [])} for quarter in release.all_quarters]
        whole = all(there.issuperset(QUARTER_TABLES) for there in tables)
        if release.basis != "never_made" and whole and release.quarters not in windows:
            windows.add(release.quarters)
            monthly = offers.get(name, []) + [offer for offer in archives if near(offer[2], name)]
            read = [monthly, *(offers[quarter] for quarter in release.all_quarters)]
            found[name] = fingerprint([sorted(part, key=str) for part in read])
    return found


def newest_release(run: Run) -> str:
    """The newest release that the source offers whole. Raises OpenstarsError where there is none."""
    found = offered_releases(run)
    if not found:
        raise OpenstarsError("The source offers no release's six quarters in both PBJ files: see openstars sources")
    return max(found)


@dg.schedule(
    job=main_release,
    cron_schedule="0 6 2 2,5,8,11 *",  # CMS refreshes staffing at the end of January, April, July and October
    description="Fallback for people who do not run the sensor: four times a year, after CMS's refresh",
)
def quarterly_schedule(context: dg.ScheduleEvaluationContext, run: Run) -> dg.RunRequest:
    """The main job for the newest release of the catalogue."""
    return dg.RunRequest(partition_key=newest_release(run))


@dg.sensor(job=main_release, minimum_interval_seconds=6 * 3600, description="Asks for releases that CMS's catalogue has anew")
def catalogue_sensor(context: dg.SensorEvaluationContext, run: Run) -> dg.SensorResult:
    """Releases that a new or re-published file touches; the run key is release and content, so a re-published quarter runs again.

    The first tick asks for the newest release only.
    """
    now = offered_releases(run)
    before: dict[str, str] | None = json.loads(context.cursor) if context.cursor else None
    changed = (
        [max(now)] if before is None and now else [name for name, hashed in now.items() if (before or {}).get(name) != hashed]
    )
    requests = [dg.RunRequest(run_key=f"{name}:{now[name]}", partition_key=name) for name in sorted(changed)]
    return dg.SensorResult(run_requests=requests, cursor=json.dumps(now, sort_keys=True))


JOBS: list[Any] = [stage_quarter, stage_release, rate_release, main_release]
SCHEDULES = [quarterly_schedule]
SENSORS = [catalogue_sensor]
