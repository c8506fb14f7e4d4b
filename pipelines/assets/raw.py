"""CMS's files as served, one asset a source table."""

import dagster as dg

from pipelines.partitions import QUARTERS, RELEASES
from pipelines.resources import Run
from pipelines.sources import QUARTER_TABLES, RELEASE_TABLES


def raw_asset(table: str, partitions: dg.PartitionsDefinition) -> dg.AssetsDefinition:
    """The asset `raw/<table>`: brings the file of a period into the store, or notes that the source has none."""

    @dg.asset(
        key=["raw", table], partitions_def=partitions, group_name="raw", description=f"CMS's {table} file of a period, as served"
    )
    def fetched(context: dg.AssetExecutionContext, run: Run) -> dg.MaterializeResult:
        store = run.store()
        before = store.supply(table, context.partition_key)
        supply = run.opened().fetch(table, context.partition_key, store) or before
        if supply is None:
            return dg.MaterializeResult(metadata={"supplied": False})
        return dg.MaterializeResult(
            metadata={
                "supplied": True,
                "file": supply.name,
                "address": supply.address,
                "bytes": supply.size,
                "modified": supply.modified,
            },
            data_version=dg.DataVersion(f"{supply.sha256}!{supply.member}"),
        )

    return fetched


ASSETS = [raw_asset(t, QUARTERS) for t in QUARTER_TABLES] + [raw_asset(t, RELEASES) for t in RELEASE_TABLES]
