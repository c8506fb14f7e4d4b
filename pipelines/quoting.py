"""How what is not ours becomes SQL: texts, names and paths are quoted here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def literal(text: object) -> str:
    """A text, a path or a word as a string of SQL."""
    return "'" + str(text).replace("'", "''") + "'"


def literals(texts: Iterable[object]) -> str:
    """Texts as the inside of a list of SQL."""
    return ", ".join(literal(text) for text in texts)


def identifier(name: str) -> str:
    """The name of a column or table as SQL."""
    return '"' + name.replace('"', '""') + '"'


def files(*paths: Path) -> str:
    """SQL for files that DuckDB is to read.

    A path as such is a pattern to DuckDB: `a[1]` would read the file of `a1`. The file of a struct is taken as it is written.
    """
    return "[" + ", ".join(f"{{'filename': {literal(path)}}}" for path in paths) + "]"
