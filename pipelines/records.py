"""Where the rows of a text stand: reads it once more, slowly, where DuckDB found other rows than the text has lines."""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pyarrow as arrow

from pipelines.cells import CCN, LONGEST, Text
from pipelines.codes import known
from pipelines.errors import RefusedFile
from pipelines.sources.text import Piece
from schemas import Column

TODO = "Fetch the file again; a line that was cut or added by hand is mended or taken out."


def located(text: Text, piece: Piece, is_broken: bool) -> Piece:
    """A piece with the line at which each of its rows begins; cells may hold line breaks, blank lines are no rows.

    Raises RefusedFile for a cell that swallowed a row and, where the piece is known to be broken, for the first line that is no row.
    """
    starts = array("q")
    with _rows(piece, strict=is_broken) as rows:
        try:
            for first, last, cells in rows:
                if is_broken:
                    _refuse_broken(text, piece.lines_before + first, cells)
                if last > first:
                    _refuse_swallowed(text, piece.lines_before, first, cells)
                starts.append(piece.lines_before + first)
        except csv.Error as fault:
            raise _open_quote(text, piece, rows.ended + 1) from fault
    return replace(piece, starts=starts[int(piece.has_header) :])


def line_of(piece: Piece) -> Any:
    """The line of each row of a piece as an Arrow table (row, line); None where one row follows another line by line."""
    if piece.starts is None:
        return None
    return arrow.table(
        {"row": arrow.array(range(1, len(piece.starts) + 1), arrow.int64()), "line": arrow.array(piece.starts, arrow.int64())}
    )


def parting(text: Text, piece: Piece, read: Iterator[tuple[Any, ...]]) -> RefusedFile:
    """The first line at which the rows that were read part from those of the text."""
    line = piece.starts[0] if piece.starts else None
    with _rows(piece, strict=False) as rows:
        wanted = ([cell or None for cell in cells] for k, (_, _, cells) in enumerate(rows) if k >= piece.has_header)
        for start, cells in zip(piece.starts or (), wanted, strict=True):
            line = start
            if list(next(read, ())) != cells:
                break
    return RefusedFile(
        text.name, "the line can be read in two ways: its quotes or blanks around them are not plain", line=line, todo=TODO
    )


class _Rows:
    """The rows of a piece that are not blank: first and last line within the piece, and cells."""

    def __init__(self, lines: Any, strict: bool):
        self._reader = csv.reader(lines, strict=strict)
        self.ended = 0  # line at which the last row ended

    def __iter__(self) -> Iterator[tuple[int, int, list[str]]]:
        for cells in self._reader:
            first, self.ended = self.ended + 1, self._reader.line_num
            if cells:
                yield first, self.ended, cells


@contextmanager
def _rows(piece: Piece, strict: bool) -> Iterator[_Rows]:
    limit = csv.field_size_limit(1 << 30)
    try:
        with piece.path.open(newline="", encoding="utf-8") as lines:
            yield _Rows(lines, strict)
    finally:
        csv.field_size_limit(limit)


def _refuse_broken(text: Text, line: int, cells: list[str]) -> None:
    width = len(text.header)
    if len(cells) != width and not (len(cells) == width + 1 and not cells[-1]):
        what = f"has {len(cells)} values where the header has {width} columns"
        if not "".join(cells).strip():
            what = "is blank but for blanks or commas"
        raise RefusedFile(text.name, f"the line {what}", line=line, todo=TODO)
    if sum(len(cell.encode()) for cell in cells) + len(cells) > LONGEST:
        raise RefusedFile(text.name, f"the line is longer than {LONGEST:,} bytes", line=line, todo=TODO)


def _refuse_swallowed(text: Text, before: int, first: int, cells: list[str]) -> None:
    """Raises RefusedFile where a line within a cell is itself a row: two quotes are missing, and what is between them would be lost."""
    key = next(c for c in text.described.columns() if c.name == text.described.key[0])
    at = text.position(key.name)
    for cell in cells if at is not None else ():
        for inner in cell.split("\n") if "\n" in cell else ():
            found = inner.split(",")
            if len(found) == len(text.header) and _is_key(found[at or 0].strip(), key):
                problem = "a quote opens and does not close before the next row begins"
                raise RefusedFile(text.name, problem, line=before + first, todo=TODO)


def _is_key(text: str, key: Column) -> bool:
    return bool(re.fullmatch(CCN, text.upper())) if key.name == "ccn" else text in known(*key.codes)


def _open_quote(text: Text, piece: Piece, first: int) -> RefusedFile:
    """The row that begins at a line of a piece has quotes that do not fit."""
    problem = "quotes do not close: one opens and none closes it, or more text follows the one that does"
    return RefusedFile(text.name, problem, line=piece.lines_before + first, todo=TODO)
