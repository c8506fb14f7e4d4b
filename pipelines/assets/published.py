"""The release: its folder is written whole or not at all."""

import dagster as dg

from pipelines.engine import graph
from pipelines.partitions import RELEASES
from pipelines.publishing import OFFENDERS, publish
from pipelines.resources import Run

TABLES_OF_A_RELEASE = [name for name in graph() if name.startswith("published.")]


@dg.asset(
    key=["published", "release"],
    partitions_def=RELEASES,
    deps=[dg.AssetKey(name.split(".")) for name in (*TABLES_OF_A_RELEASE, *OFFENDERS)],
    group_name="published",
    description="The folder published/<release>: Parquet tables, datapackage.json, inputs.json, SHA256SUMS",
)
def release(context: dg.AssetExecutionContext, run: Run) -> dg.MaterializeResult:
    """Copy the published tables into one folder with its descriptions."""
    folder = publish(run.engine(context.partition_key), TABLES_OF_A_RELEASE, run.through)
    return dg.MaterializeResult(metadata={"folder": dg.MetadataValue.path(str(folder))})


ASSETS = [release]
