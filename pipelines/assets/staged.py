"""Typed, sorted, checked tables, one asset a source table."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from pipelines.checks import rules_for
from pipelines.errors import OpenstarsError
from pipelines.lineage import column_schema
from pipelines.partitions import QUARTERS, RELEASES
from pipelines.resources import Run
from pipelines.sources import QUARTER_TABLES, RELEASE_TABLES, staged_name
from pipelines.staging import stage
from schemas import TABLES


def staged_asset(table: str, partitions: dg.PartitionsDefinition) -> dg.AssetsDefinition:
    """The asset `staged/<table>`; its check `accepted` tells whether the file was taken, the others what it was taken with."""
    name = staged_name(table)
    key = dg.AssetKey(["staged", name])
    described = TABLES[f"staged.{name}"]
    warnings = [rule for rule in rules_for(name) if rule["severity"] == "warn"]

    @dg.asset(
        key=key,
        partitions_def=partitions,
        deps=[dg.AssetKey(["raw", table])],
        group_name="staged",
        description=described.description,
        metadata={"dagster/column_schema": column_schema(described)},
        check_specs=[
            dg.AssetCheckSpec("accepted", asset=key, description="Header, schema and cross-row checks of the file"),
            *(dg.AssetCheckSpec(rule["check_name"], asset=key, description=rule["todo"]) for rule in warnings),
        ],
    )
    def made(context: dg.AssetExecutionContext, run: Run) -> Iterator[dg.AssetCheckResult | dg.MaterializeResult]:
        store = run.store()
        manifest: dict[str, Any] = {"supplied": False, "warnings": {}, "content": ""}
        if store.supply(table, context.partition_key):
            try:
                manifest = stage(store, table, context.partition_key, run.settings())
            except OpenstarsError as refused:
                yield dg.AssetCheckResult(passed=False, asset_key=key, check_name="accepted", description=str(refused))
                raise
        facts = {k: v for k, v in manifest.items() if isinstance(v, (int, str, bool))}
        if "rows" in manifest:
            facts["dagster/row_count"] = manifest["rows"]
        found = {rule["check_name"]: manifest["warnings"].get(rule["check_name"], 0) for rule in warnings}
        checks = [dg.AssetCheckResult(passed=True, asset_key=key, check_name="accepted")]
        checks += [
            dg.AssetCheckResult(
                passed=not homes, asset_key=key, check_name=name, severity=dg.AssetCheckSeverity.WARN, metadata={"homes": homes}
            )
            for name, homes in found.items()
        ]
        version = dg.DataVersion(manifest["content"]) if manifest["content"] else None
        yield dg.MaterializeResult(metadata=facts, check_results=checks, data_version=version)

    return made


ASSETS = [staged_asset(t, QUARTERS) for t in QUARTER_TABLES] + [staged_asset(t, RELEASES) for t in RELEASE_TABLES]
