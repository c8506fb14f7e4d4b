"""CMS's files as served, one asset a source table."""

import dagster as dg

from pipelines.faults import explained
from pipelines.partitions import QUARTERS, RELEASES
from pipelines.resources import Run
from pipelines.sources import QUARTER_TABLES, RELEASE_TABLES, Source
from pipelines.store import Store, Supply


def supplied(source: Source, table: str, period: str, store: Store) -> Supply | None:
    """The file that a source has for a table and period, brought into the store; None where it has none.

    A file of another source is never mixed in, nor one that was taken out of the folder. What CMS once offered and lists no more stays.
    """
    with explained(f"Fetching {table} of {period}", store.root):
        supply = source.fetch(table, period, store)
    before = store.supply(table, period)
    if supply is None and before is not None and (before.source, source.name) == ("cms", "cms"):
        return before
    if supply is None:
        store.withdraw(table, period)
    return supply


def raw_asset(table: str, partitions: dg.PartitionsDefinition) -> dg.AssetsDefinition:
    """The asset `raw/<table>`: brings the file of a period into the store, or notes that the source has none."""

    @dg.asset(
        key=["raw", table], partitions_def=partitions, group_name="raw", description=f"CMS's {table} file of a period, as served"
    )
    def fetched(context: dg.AssetExecutionContext, run: Run) -> dg.MaterializeResult:
        store = run.store()
        supply = supplied(run.opened(), table, context.partition_key, store)
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
