"""From a CMS file to a typed, sorted, checked table: text first, then one cast; what cannot be read is kept as rejects."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb

from pipelines import compact
from pipelines.cells import Text, extra_columns
from pipelines.checks import check_select, check_table, rules_for, rules_of, write_flags
from pipelines.checks import scan as parquet_scan
from pipelines.codes import rule_tables
from pipelines.engine import Settings, connect, rule_view
from pipelines.errors import MissingInput, RefusedFile
from pipelines.faults import explained
from pipelines.periods import RULES
from pipelines.quoting import identifier, literal
from pipelines.rows import Counts, Flags, read_rows, select_of, write_rejects
from pipelines.sources import staged_name
from pipelines.sources.archive import open_member
from pipelines.sources.text import as_pieces, read_header
from pipelines.store import Store, Supply, data_files, fingerprint, sha256_of, write_json
from schemas import TABLES, Table, match_header
from schemas.files import names_of, plain

PROGRAM = (
    "staging",
    "cells",
    "codes",
    "records",
    "rows",
    "compact",
    "checks",
    "sources/text",
)  # modules that what is staged depends on
PIECE = 256 << 20  # bytes of a large file that are in memory at a time, as rows some two times that


def unpack(store: Store, supply: Supply, described: Table, folder: Path) -> Text:
    """Write the supplied file as UTF-8 into `folder` and match its header. Raises RefusedFile."""
    blob = store.blob(supply.sha256)
    with open_member(blob, supply.member) if supply.member else blob.open("rb") as stream:
        encoding, pieces = as_pieces(stream, folder, supply.name, PIECE if described.large else 0)
    header = read_header(pieces[0].path) if pieces else []
    try:
        found, unknown = match_header(header, described)
    except ValueError as problem:
        raise RefusedFile(
            supply.name,
            str(problem),
            line=1,
            todo="Check that this is CMS's file; a renamed column is added to schemas/ as an older spelling",
        ) from problem
    return Text(pieces, supply.name, encoding, header, found, unknown, described)


def stage(store: Store, table: str, period: str, settings: Settings) -> dict[str, Any]:
    """Stage the supplied file of a source table ("pbj_daily") and period; unchanged work is not done again.

    A large file goes piece by piece, so that memory is bounded. Raises MissingInput where none was supplied, RefusedFile where the
    file cannot be used.
    """
    supply = store.supply(table, period)
    if supply is None:
        raise MissingInput(f"No file was supplied for {table} of {period}")
    with explained(f"{table} of {period}, from {supply.name}", store.root, settings.memory):
        return _stage(store, supply, settings)


def _stage(store: Store, supply: Supply, settings: Settings) -> dict[str, Any]:
    table, period = supply.table, supply.period
    described = TABLES["raw.pbj_employee" if table == "pbj_employee" else f"staged.{table}"]
    target_name = f"staged.{staged_name(table)}"
    target = TABLES[target_name]
    made_from = fingerprint(
        supply.sha256,
        supply.member,
        [[str(t.columns()), t.order, t.rows, list(rules_of(t))] for t in (described, target)],
        [sha256_of(RULES / f"{name}.csv") for name in rule_tables(code for c in described.columns() for code in c.codes)],
        sha256_of(RULES / "job_codes.csv") if described.large else "",
        [(Path(__file__).parent / f"{module}.py").read_text() for module in PROGRAM],
        select_of(target_name),
        [(rule, check_select(rule["made_by"])) for t in (table, target_name) for rule in rules_for(t)],
    )
    before = store.manifest(target_name, period)
    if before and before["made_from"] == made_from:
        return {**before, "unchanged": True}
    (store.root / "tmp").mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="stage.", dir=store.root / "tmp"))
    try:
        with store.making(store.folder(target_name, period)) as folder:
            text = unpack(store, supply, described, work)
            con = connect(store, settings)
            con.execute(f"set variable period = {literal(period)}; create schema checked; create schema raw")
            for rules in ("rules.checks", "rules.job_codes"):
                rule_view(con, rules)
            counts, flags = Counts(), Flags()
            con.execute(
                f"create temp table rejected ({', '.join(f'{c.name} {c.type}' for c in TABLES['staged.rejects'].columns())})"
            )
            undated = ""
            if described.large:
                compact.stage_large(con, text, period, folder, counts, flags, work)
            else:
                undated = _stage_small(con, text, period, folder, counts, flags)
            if counts.rows + counts.rejected_rows == 0:
                raise RefusedFile(text.name, "holds a header and no rows", todo="Fetch the file again")
            write_rejects(con, folder)
            warned = write_flags(con, target.short, flags.rows, folder / "flags.parquet")
            con.close()
            manifest = {
                "table": target_name,
                "period": period,
                "made_from": made_from,
                "content": fingerprint([sha256_of(file) for file in data_files(folder)]),
                "checked": True,
                "file": supply.name,
                "sha256": supply.sha256,
                "encoding": text.encoding,
                "undated": undated,
                "unknown_columns": [name for name in text.unknown if plain(name) not in names_of(table)],
                "spellings_out_of_time": described.out_of_time(text.found, period),
                "warnings": warned,
                **asdict(counts),
            }
            write_json(folder / "manifest.json", manifest)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return manifest


def _stage_small(con: duckdb.DuckDBPyConnection, text: Text, period: str, folder: Path, counts: Counts, flags: Flags) -> str:
    """Stage a table whose rows are those of the file; columns that no rule reads are kept as text.

    Gives a digest of the rows without the date that CMS puts into each: equal ones of two months mean that nothing was renewed.
    """
    read_rows(con, text, text.pieces[0], period, counts, flags)
    described = text.described
    names = [c.name for c in described.columns()]
    kept_names = names + [identifier(n) for _, n in extra_columns(text)]
    kept = ", ".join(kept_names)
    data = folder / "data.parquet"
    con.execute(
        f"copy (select {kept} from readable order by {', '.join(described.order)}) to {literal(data)} (format parquet, compression zstd)"
    )
    con.execute(f"create or replace view checked.data as select {', '.join(names)} from {parquet_scan(data)}")
    check_table(con, described, "checked.data")
    undated = ", ".join(name for name in kept_names if name != "processing_date")
    digest = f"select md5(string_agg(r, chr(10) order by r)) from (select row({undated})::varchar as r from {parquet_scan(data)})"
    return str(con.execute(digest).fetchall()[0][0])
