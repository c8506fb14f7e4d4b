"""The whole graph on one page."""

from __future__ import annotations

from typing import Any

import dagster as dg

from pipelines.assets import computed, published, raw, staged
from pipelines.automation import JOBS, SCHEDULES, SENSORS
from pipelines.resources import Run


def build_defs(**overrides: Any) -> dg.Definitions:
    """Everything that Dagster knows of the project; `overrides` replace fields of the `run` resource (data, source, inputs...)."""
    return dg.Definitions(
        assets=[*raw.ASSETS, *staged.ASSETS, *computed.ASSETS, *published.ASSETS],
        jobs=JOBS,
        schedules=SCHEDULES,
        sensors=SENSORS,
        resources={"run": Run(**overrides)},
        executor=dg.in_process_executor,
    )


defs = build_defs()
