"""The main job for one release: stage what is missing, compute, publish; the command and the schedule both run it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import dagster as dg

from pipelines.definitions import build_defs
from pipelines.errors import MissingInput, OpenstarsError
from pipelines.executors import disconnect, executor_of
from pipelines.periods import Release, nearest_with_quarter
from pipelines.periods import release as release_of
from pipelines.publishing import inputs_of_release, refuse_fewer, refuse_rejects
from pipelines.resources import Run


def run_release(run: Run, release: str, say: Callable[[str], None]) -> Path:
    """Run the whole job for a release, telling each step, and at its end or refusal what the source has and was not used.

    Returns the published folder.

    Raises MissingInput without a provider file, OpenstarsError where the data are refused, UsageError for no release.
    """
    found = release_of(release)
    run = run.model_copy(update={"release": release})
    run.store().try_to_write()
    run.store().clear_leftovers()
    executor_of(run.executor, run.scheduler)  # a cluster that does not answer is told before hours of staging
    try:
        return _run_release(run, release, found, say)
    finally:
        disconnect()
        for line in run.opened().warnings:
            say(f"Not used: {line}")


def _run_release(run: Run, release: str, found: Release, say: Callable[[str], None]) -> Path:
    defs = build_defs(**run.model_dump(include=set(Run.model_fields)))
    with dg.DagsterInstance.ephemeral() as instance:
        _run_job(defs, "stage_release", release, instance, say)
        if run.store().supply("provider_info", release) is None:
            raise MissingInput(
                f"The source {run.source} has no provider file (NH_ProviderInfo) for release {release}, and without it no home can be rated.\n"
                f"{_instead(found)}See what it offers with: openstars sources --source ..."
            )
        for quarter in found.all_quarters:
            _run_job(defs, "stage_quarter", quarter, instance, say)
        engine = run.engine(release)
        absent = [f"{t} of {p}" for t, p in inputs_of_release(engine) if not run.store().supply(t, p)]
        if absent:
            say(f"Not supplied, so what needs it is not recomputed: {', '.join(absent)}")
        refuse_rejects(engine)
        refuse_fewer(engine)
        _run_job(defs, "rate_release", release, instance, say)
    return run.store().published(release)


def _instead(found: Release) -> str:
    """What to ask for instead of a release that cannot be had, as a sentence."""
    other = nearest_with_quarter(found)
    why = "" if found.is_archived else "CMS's archive does not have this month. "
    return f"{why}The nearest release with the same quarter is {other.name}: --release {other.name}.\n" if other else ""


def _run_job(defs: dg.Definitions, job: str, partition: str, instance: dg.DagsterInstance, say: Callable[[str], None]) -> None:
    say(f"{job} {partition}")
    result = defs.resolve_job_def(job).execute_in_process(
        partition_key=partition, instance=instance, run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    )
    if not result.success:
        raise OpenstarsError(f"The job {job} for {partition} failed")
