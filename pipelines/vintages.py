"""What moved when a release is made anew: the homes whose numbers differ from those published before, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pipelines.checks import check_table, scan
from pipelines.engine import SQL, Engine, connect, inputs_of
from pipelines.quoting import literal
from pipelines.sources.download import now
from pipelines.store import fingerprint, read_json, sha256_of, write_json
from schemas import TABLES

MOVED = SQL / "vintages" / "moved.sql"
ASKED = ("inputs", "accepted", "through")  # what a person asks of a run


def note_moved(engine: Engine, folder: Path, inputs: Mapping[str, Any]) -> dict[str, Any] | None:
    """Compare the release in `folder` with the one published now, and keep what moved in the store under `changes/`.

    Returns what inputs.json says of it: when, how many homes, why, and the table; of a release that is as before what was said before;
    None of one that never moved.
    """
    store, release = engine.store, engine.release.name
    before = {file.stem: file for file in store.published_tables(release)}
    note = store.published_file(release, "inputs.json")
    if note is None:
        return None
    said: dict[str, Any] = read_json(note)
    after = {file.stem: file for file in folder.glob("*.parquet")}
    digests = [[(name, sha256_of(file)) for name, file in sorted(files.items())] for files in (before, after)]
    if digests[0] == digests[1]:
        return said.get("moved")
    select = MOVED.read_text()
    described = TABLES["vintages.moved"]
    target = store.root / "changes" / release / fingerprint(*digests)[:12]
    con = connect(store, engine.settings)
    con.execute("create schema vintages; create schema checked")
    for table in inputs_of(select):
        name = table.split(".")[1]
        both = {"before": before, "after": after}
        sides = [
            f"select {literal(side)} as vintage, * from {scan(files[name])}" for side, files in both.items() if name in files
        ]
        con.execute(f"create view {table} as {' union all by name '.join(sides)}")
    with store.making(target) as made:
        con.execute(f"copy ({select}) to {literal(made / 'moved.parquet')} (format parquet)")
        con.execute(f"create view checked.moved as from {scan(made / 'moved.parquet')}")
        rows = check_table(con, described, "checked.moved")
        homes = con.execute("select count(distinct ccn) from checked.moved").fetchall()[0][0]
        moved = {"when": now(), "homes": homes, "numbers": rows, "because": _because(said, inputs), "table": store.key(target)}
        write_json(made / "manifest.json", {**moved, "release": release, "checked": True})
    con.close()
    return moved


def _because(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Why two makings of a release differ, as far as their inputs tell."""
    had, have = _by_period(before["files"]), _by_period(after["files"])
    told = [f"{table} {period} was published again" for table, period in sorted(had.keys() & have.keys())
            if had[table, period] != have[table, period]]  # fmt: skip
    told += [f"{table} {period} came in" for table, period in sorted(have.keys() - had.keys())]
    told += [f"{table} {period} went away" for table, period in sorted(had.keys() - have.keys())]
    told += [f'{key} was "{before.get(key)}" and is "{after[key]}"' for key in ASKED if before.get(key) != after[key]]
    return told or ["the rules or the program changed"]


def _by_period(files: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], tuple[str, str]]:
    return {(file["table"], file["period"]): (file["sha256"], file["member"]) for file in files}
