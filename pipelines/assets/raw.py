"""CMS's files as served, one asset a source table."""

import dagster as dg

from pipelines.faults import explained
from pipelines.partitions import QUARTERS, RELEASES
from pipelines.resources import Run
from pipelines.sources import QUARTER_TABLES, RELEASE_TABLES
from pipelines.sources.look import still_is
from pipelines.store import Supply


def supplied(run: Run, table: str, period: str) -> Supply | None:
    """The file that the source has for a table and period, brought into the store; None where it has none, or is not to be used.

    A file of another source is never mixed in, nor one that was taken out of the folder. What CMS once offered and lists no more stays,
    as long as it still is what it was taken for.
    """
    store = run.store()
    if (table, period) in run.left_out():
        store.withdraw(table, period)
        return None
    source = run.opened()
    with explained(f"Fetching {table} of {period}", store.root):
        supply = source.fetch(table, period, store)
    before = store.supply(table, period)
    if supply is None and before is not None and (before.source, source.name) == ("cms", "cms") and still_is(before, store):
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
        supply = supplied(run, table, context.partition_key)
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
