"""Puts a release in place: tables, their description, their hashes, and what they were made from."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb

from pipelines.checks import scan
from pipelines.engine import Engine, feeds_stars
from pipelines.errors import OpenstarsError
from pipelines.faults import explained
from pipelines.rows import rejected, told
from pipelines.sources import QUARTER_TABLES, RELEASE_TABLES, staged_name
from pipelines.store import Supply, read_json, sha256_of, write_json
from pipelines.vintages import note_moved
from schemas import TABLES, Table

OFFENDERS = ("audit.broken_bands",)  # tables of a release that must be empty
FIELD_TYPES = {"TEXT": "string", "DATE": "date", "BOOLEAN": "boolean"}
SHOWN = 5


def inputs_of_release(engine: Engine) -> list[tuple[str, str]]:
    """Every (source table, period) that the release may read, in order; of some tables an earlier month of the quarter stands in."""
    quarters = [(t, q) for q in engine.release.all_quarters for t in QUARTER_TABLES]
    return quarters + [(t, engine.month_of(t)) for t in RELEASE_TABLES]


def refuse_rejects(engine: Engine) -> list[dict[str, Any]]:
    """What could not be read in the inputs of the release. Raises OpenstarsError where a star needs any of it and none was accepted."""
    found: list[dict[str, Any]] = []
    needed: list[dict[str, Any]] = []
    for table, period in inputs_of_release(engine):
        name = f"staged.{staged_name(table)}"
        if engine.store.supply(table, period) and (engine.store.manifest(name, period) or {}).get("rejected_rows"):
            found += (rejects := rejected(engine.store, name, period))
            needed += rejects if feeds_stars(name) else []
    if needed and not engine.settings.accept:
        shown = "\n".join(told(r) for r in needed[:SHOWN])
        more = f"\nand {len(needed) - SHOWN} more, in rejects.parquet beside the staged tables" if len(needed) > SHOWN else ""
        raise OpenstarsError(
            f"{len(needed)} values could not be read, so nothing is published:\n{shown}{more}\n"
            'Check the file, or run again with --accept "reason": the rows stay out, their homes get no value from them.'
        )
    return found


def refuse_fewer(engine: Engine) -> None:
    """Refuse to put a release in the place of one that was made of more: a file that is gone is missed, not passed over.

    Raises OpenstarsError, unless a person named each of them as not to be used.
    """
    note = engine.store.published_file(engine.release.name, "inputs.json")
    before = [Supply(**file) for file in read_json(note)["files"]] if note else []
    have = {_slot(t, p) for t, p in inputs_of_release(engine) if engine.store.supply(t, p)}
    allowed = {_slot(*pair) for pair in engine.settings.without}
    gone = [s for s in before if _slot(s.table, s.period) not in have | allowed]
    if gone:
        listed = "\n".join(f"{s.table} of {s.period} ({s.name})" for s in gone)
        flags = " ".join(f"--without {s.table}:{s.period}" for s in gone)
        raise OpenstarsError(
            f"Release {engine.release.name} is published with files that the source does not have now, so nothing is published:\n{listed}\n"
            f"Bring them back, or publish the release without them by adding: {flags}"
        )


def _slot(table: str, period: str) -> tuple[str, str]:
    """What of a release a file fills: of a kind that lasts a quarter any month's file will do."""
    return (table, period) if table in QUARTER_TABLES else (table, "")


def refuse_offenders(engine: Engine) -> None:
    """Raises OpenstarsError where a table that must be empty is not: then nothing is published."""
    for name in OFFENDERS:
        rows = duckdb.connect().execute(f"from {scan(*engine.store.need(name, engine.release.name))} order by all").fetchall()
        if rows:
            columns = ", ".join(c.name for c in TABLES[name].columns())
            shown = "\n".join("  " + ", ".join(str(cell) for cell in row) for row in rows[:SHOWN])
            raise OpenstarsError(
                f"Release {engine.release.name} is not published: {name} has {len(rows)} rows ({columns}):\n{shown}\n"
                f"{TABLES[name].description} Please report it with the files of the release"
            )


def publish(engine: Engine, names: list[str], through: str = "all") -> Path:
    """Write published/<release>. Raises OpenstarsError where rejects were not accepted; then nothing published is touched."""
    with explained(f"Publishing {engine.release.name}", engine.store.root, engine.settings.memory):
        return _publish(engine, names, through)


def _publish(engine: Engine, names: list[str], through: str) -> Path:
    rejects = refuse_rejects(engine)
    refuse_offenders(engine)
    target = engine.store.published(engine.release.name)
    with engine.store.making(target) as folder:
        for name in names:
            shutil.copyfile(engine.store.need(name, engine.release.name)[0], folder / f"{name.split('.')[1]}.parquet")
        (folder / "datapackage.json").write_text(json.dumps(datapackage(engine, names, folder), indent=1, sort_keys=True) + "\n")
        inputs = inputs_json(engine, through, rejects)
        write_json(folder / "inputs.json", {**inputs, "moved": note_moved(engine, folder, inputs)})
        sums = "".join(f"{sha256_of(file)}  {file.name}\n" for file in sorted(folder.iterdir()) if file.name != "inputs.json")
        (folder / "SHA256SUMS").write_text(sums)
    newest = engine.store.root / "published" / "latest.json"
    if through == "all" and (engine.store.note(newest) or {"release": ""})["release"] <= engine.release.name:
        engine.store.put_note(newest, {"release": engine.release.name})
    return target


def inputs_json(engine: Engine, through: str, rejects: list[dict[str, Any]]) -> dict[str, Any]:
    """What the release was made from and how."""
    supplies = [s for t, p in inputs_of_release(engine) if (s := engine.store.supply(t, p))]
    absent = [f"{t} {p}" for t, p in inputs_of_release(engine) if not engine.store.supply(t, p)]
    return {
        "release": engine.release.name,
        "quarters": list(engine.release.quarters),
        "staffing_quarter": engine.release.staffing_quarter,
        "basis": engine.release.basis,
        "note": engine.release.note,
        "through": through,
        "previous_release": next((period for _, period in engine.finished("previous.provider_info")), ""),
        "inputs": engine.settings.inputs,
        "files": [asdict(s) for s in supplies],
        "absent": absent,
        "rejected_values": len(rejects),
        "accepted": engine.settings.accept,
        "without": [f"{table}:{period}" for table, period in sorted(engine.settings.without)],
    }


def datapackage(engine: Engine, names: list[str], folder: Path) -> dict[str, Any]:
    """The Frictionless descriptor of a release."""
    return {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": f"openstars-{engine.release.name}",
        "title": f"Nursing home star ratings recomputed, release {engine.release.name}",
        "version": engine.release.name,
        "licenses": [
            {"name": "CC0-1.0", "title": "Creative Commons Zero", "path": "https://creativecommons.org/publicdomain/zero/1.0/"}
        ],
        "resources": [resource(TABLES[name], folder / f"{name.split('.')[1]}.parquet") for name in names],
    }


def resource(described: Table, file: Path) -> dict[str, Any]:
    """The descriptor of one Parquet file."""
    return {
        "name": file.stem,
        "path": file.name,
        "format": "parquet",
        "mediatype": "application/vnd.apache.parquet",
        "bytes": file.stat().st_size,
        "hash": f"sha256:{sha256_of(file)}",
        "description": described.description,
        "schema": {"fields": [field(c) for c in described.columns()], "primaryKey": list(described.key)},
    }


def field(column: Any) -> dict[str, Any]:
    """The descriptor of one column."""
    kind = FIELD_TYPES.get(column.type) or ("number" if column.type.startswith("DECIMAL") else "integer")
    told = {"name": column.name, "type": kind, "description": column.description}
    if column.unit:
        told["unit"] = column.unit
    if column.cms:
        told["cms_column"] = column.cms
    if not column.nullable:
        told["constraints"] = {"required": True}
    return told
