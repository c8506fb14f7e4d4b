"""One asset a SQL file: sql/turnover/spells.sql is the asset turnover/spells."""

import dagster as dg

from pipelines.engine import graph, sql_files
from pipelines.lineage import asset_deps, column_schema
from pipelines.partitions import QUARTERS, RELEASES
from pipelines.resources import Run
from schemas import TABLES


def sql_asset(name: str, inputs: list[str]) -> dg.AssetsDefinition:
    """The asset that a SQL file is; its check `schema` is made before the table is put in place."""
    area, _, table = name.partition(".")
    key = dg.AssetKey([area, table])
    select = sql_files()[name].read_text()
    described = TABLES[name]

    @dg.asset(
        key=key,
        partitions_def=QUARTERS if described.clock == "quarter" else RELEASES,
        deps=asset_deps(inputs, described.clock),
        group_name=area,
        description=described.description,
        metadata={"sql": dg.MetadataValue.md(f"```sql\n{select}\n```"), "dagster/column_schema": column_schema(described)},
        check_specs=[dg.AssetCheckSpec("schema", asset=key, description="The table keeps its schema and has each key once")],
    )
    def made(context: dg.AssetExecutionContext, run: Run) -> dg.MaterializeResult:
        manifest = run.engine(context.partition_key).run(name)
        return dg.MaterializeResult(
            metadata={"dagster/row_count": manifest["rows"], "unchanged": manifest.get("unchanged", False)},
            check_results=[dg.AssetCheckResult(passed=True, asset_key=key, check_name="schema")],
            data_version=dg.DataVersion(manifest["content"]),
        )

    return made


ASSETS = [sql_asset(name, inputs) for name, inputs in graph().items()]
