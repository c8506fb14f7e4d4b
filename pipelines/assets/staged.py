"""Typed, sorted, checked tables, one asset a source table."""

from typing import Any

import dagster as dg

from pipelines.lineage import column_schema
from pipelines.partitions import QUARTERS, RELEASES
from pipelines.resources import Run
from pipelines.sources import QUARTER_TABLES, RELEASE_TABLES
from pipelines.staging import stage
from schemas import TABLES

NAMES = {"pbj_employee": "employee_quarters"}


def staged_asset(table: str, partitions: dg.PartitionsDefinition) -> dg.AssetsDefinition:
    """The asset `staged/<table>`; its check `accepted` tells whether the file was taken."""
    name = NAMES.get(table, table)
    key = dg.AssetKey(["staged", name])
    described = TABLES[f"staged.{name}"]

    @dg.asset(
        key=key,
        partitions_def=partitions,
        deps=[dg.AssetKey(["raw", table])],
        group_name="staged",
        description=described.description,
        metadata={"dagster/column_schema": column_schema(described)},
        check_specs=[dg.AssetCheckSpec("accepted", asset=key, description="Header, schema and cross-row checks of the file")],
    )
    def made(context: dg.AssetExecutionContext, run: Run) -> dg.MaterializeResult:
        store = run.store()
        if store.supply(table, context.partition_key) is None:
            return _result(key, True, {"supplied": False})
        manifest = stage(store, table, context.partition_key, run.settings())
        facts = {k: v for k, v in manifest.items() if isinstance(v, (int, str, bool))}
        return _result(key, True, {**facts, "dagster/row_count": manifest["rows"]}, manifest["content"])

    return made


def _result(key: dg.AssetKey, passed: bool, facts: dict[str, Any], content: str = "") -> dg.MaterializeResult:
    check = dg.AssetCheckResult(passed=passed, asset_key=key, check_name="accepted")
    version = dg.DataVersion(content) if content else None
    return dg.MaterializeResult(metadata=facts, check_results=[check], data_version=version)


ASSETS = [staged_asset(t, QUARTERS) for t in QUARTER_TABLES] + [staged_asset(t, RELEASES) for t in RELEASE_TABLES]
