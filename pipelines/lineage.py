"""What Dagster is told of a table: its columns, and which tables it is made from."""

from __future__ import annotations

import dagster as dg

from pipelines.partitions import release_of_quarters
from schemas import TABLES, Table


def column_schema(described: Table) -> dg.TableSchema:
    """The columns of a table in Dagster's form."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                c.name,
                c.type,
                description=f"{c.description} [{c.unit}]" if c.unit else c.description,
                constraints=dg.TableColumnConstraints(nullable=c.nullable),
            )
            for c in described.columns()
        ]
    )


def asset_deps(inputs: list[str], clock: str) -> list[dg.AssetDep]:
    """Assets behind the schema-qualified tables that a SELECT of a clock reads; rules and facts of the run are no assets."""
    deps: dict[dg.AssetKey, dg.AssetDep] = {}
    for name in inputs:
        area, _, table = name.partition(".")
        if area in ("rules", "inputs", "previous") or table in ("rejects", "flags"):
            continue
        if area in ("six_quarters", "current", "latest"):
            behind = "staged" if f"staged.{table}" in TABLES else "quarterly"
            key = dg.AssetKey([behind, table])
            is_mapped = clock == "release" and TABLES[f"{behind}.{table}"].clock == "quarter"
            deps[key] = dg.AssetDep(key, partition_mapping=release_of_quarters() if is_mapped else None)
        else:
            key = dg.AssetKey([area, table])
            deps[key] = dg.AssetDep(key)
    return list(deps.values())
