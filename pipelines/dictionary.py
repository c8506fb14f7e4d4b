"""The data dictionary: docs/data_dictionary.md, written from the schemas."""

from __future__ import annotations

from pathlib import Path

from schemas import TABLES, Column, Table

FILE = Path(__file__).parent.parent / "docs" / "data_dictionary.md"
PARTS = (
    ("Published tables", ("published",)),
    ("Staged tables: CMS's files as read", ("raw", "staged")),
    ("Computed tables", ()),  # every area that no other part names
    ("Facts of a run", ("inputs",)),
    ("Rule tables", ("rules",)),
)


def dictionary() -> str:
    """The whole dictionary as Markdown."""
    named = {area for _, areas in PARTS for area in areas}
    lines = ["# Data dictionary", "", "Written from `schemas/` by `python -m pipelines.dictionary`: do not edit by hand.", ""]
    for title, areas in PARTS:
        lines += [f"## {title}", ""]
        for name, table in TABLES.items():
            area = name.partition(".")[0]
            if area in areas or (not areas and area not in named):
                lines += _table(table)
    return "\n".join(lines).rstrip() + "\n"


def _table(table: Table) -> list[str]:
    return [
        f"### {table.name}",
        "",
        table.description,
        "",
        f"One row per {', '.join(table.key)}." + ("" if table.clock == "none" else f" One file per {table.clock}."),
        "",
        "| column | type | unit | nullable | meaning | CMS's column, or source |",
        "|---|---|---|---|---|---|",
        *(_column(c) for c in table.columns()),
        "",
    ]


def _column(c: Column) -> str:
    origin = "; ".join(name for name in (c.cms, *c.also) if name) or c.source
    cells = (f"`{c.name}`", c.type, c.unit, "yes" if c.nullable else "no", c.description, origin)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(dictionary(), encoding="utf-8")
