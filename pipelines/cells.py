"""What a cell of a CMS file is: SQL that casts its text by the schema, and says what is wrong with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.checks import holds
from pipelines.sources.text import Piece
from schemas import Column, Table

PLAIN = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)"
THOUSANDS = r"-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?"
CCN = "[0-9]{2}[0-9A-Z][0-9]{3}"
DIGITS = {"TINYINT": 2, "SMALLINT": 4, "INTEGER": 9, "BIGINT": 18}  # a whole number of so many digits fits the type


@dataclass(frozen=True)
class Text:
    """A CMS file as UTF-8 on disk, in one piece or some, matched with its schema."""

    pieces: list[Piece]
    name: str
    encoding: str
    header: list[str]
    found: dict[str, str]  # staged column -> CMS column of the file
    unknown: list[str]
    described: Table

    def position(self, column: str) -> int | None:
        """Where a staged column stands in the file, or None."""
        return self.header.index(self.found[column]) if column in self.found else None


def raw_text(text: Text, column: Column) -> str:
    """SQL for the trimmed text of a column, null where blank or absent."""
    position = text.position(column.name)
    return "null::varchar" if position is None else f"nullif(trim(c{position}), '')"


def usual(column: Column) -> tuple[str, str] | None:
    """How CMS usually writes a column, and the SQL that casts such a text `c`; None where nothing is gained by knowing it.

    Only speed rests on this: any other text goes the long way of `read`, which takes these too.
    """
    kind = column.type
    if column.name == "ccn":
        return CCN, "{c}"
    if column.name == "quarter":
        return "[0-9]{4}Q[1-4]", "{c}"
    if kind == "DATE":
        return "[0-9]{8}", "try_strptime({c}, '%Y%m%d')::date"
    if kind.startswith("DECIMAL"):
        precision, scale = (int(n) for n in kind.removeprefix("DECIMAL(").rstrip(")").split(","))
        return rf"[0-9]{{1,{precision - scale}}}(\.[0-9]{{0,{scale}}})?", f"cast({{c}} as {kind})"
    if kind in DIGITS:
        return f"[0-9]{{1,{DIGITS[kind]}}}", f"cast({{c}} as {kind})"
    return None


def read(column: Column, raw: str) -> str:
    """SQL that casts a column's text; null where it cannot be read."""
    kind = column.type
    if column.name == "ccn":
        padded = f"case when regexp_full_match({raw}, '[0-9]{{1,5}}') then lpad({raw}, 6, '0') else upper({raw}) end"
        return f"case when regexp_full_match({padded}, '{CCN}') then {padded} end"
    if column.name == "quarter":
        return f"nullif(regexp_extract(upper({raw}), '^(?:CY)?([0-9]{{4}}Q[1-4])$', 1), '')"
    if kind == "BOOLEAN":
        return f"case lower({raw}) {yes_or_no(column)} end"
    if kind == "DATE":
        return (
            f"case when regexp_full_match({raw}, '[0-9]{{8}}') then try_strptime({raw}, '%Y%m%d')::date "
            f"when regexp_full_match({raw}, '[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}') then try_strptime({raw}, '%Y-%m-%d')::date "
            f"when regexp_full_match({raw}, '[0-9]{{1,2}}/[0-9]{{1,2}}/[0-9]{{4}}') then try_strptime({raw}, '%m/%d/%Y')::date end"
        )
    if kind == "TEXT":
        return raw
    # an underscore or an exponent, which a cast would take, is no number of CMS's
    number = (
        f"case when regexp_full_match({raw}, '{PLAIN}') then {raw} "
        f"when regexp_full_match({raw}, '{THOUSANDS}') then replace({raw}, ',', '') end"
    )
    if kind.startswith("DECIMAL"):
        return f"try_cast({number} as {kind})"
    whole = f"try_cast({number} as decimal(24, 6))"
    return f"case when {whole} = floor({whole}) then try_cast({whole} as {kind}) end"


def yes_or_no(column: Column) -> str:
    """SQL for what the codes of a yes-or-no column mean: the branches of a CASE."""
    return " ".join(f"when '{word}' then {str(meaning).lower()}" for word, meaning in column.words)


def problem_of(text: Text, column: Column, checks: list[Any]) -> str:
    """SQL for what is wrong with a column of a row, or null."""
    if text.position(column.name) is None:
        return "null::varchar"
    raw, value = raw_text(text, column), column.name
    kept, cases = [f"{value} is not null"], []
    for check in checks:
        test, told = holds(value, check)
        kept.append(test)
        cases.append(f"when not ({test}) then '{told}'")
    blank = "" if column.nullable else f"when {raw} is null then 'is blank' "
    unread = f"when {raw} is not null and {value} is null then 'is not {_kind(column)}'"
    return f"case when {' and '.join(kept)} then null {unread} {blank}{' '.join(cases)} end"


def _kind(column: Column) -> str:
    if column.name == "ccn":
        return "a CCN (six characters: two digits, a digit or letter, three digits)"
    return {"DATE": "a date", "BOOLEAN": "one of the known codes", "TEXT": "a quarter"}.get(
        column.type, f"a number of {column.unit or 'the kind'}"
    )


def scan(text: Text, piece: Piece) -> str:
    """SQL that reads a piece of the file as text, columns c0, c1, ..."""
    columns = ", ".join(f"'c{k}': 'VARCHAR'" for k in range(len(text.header)))
    return (
        f"read_csv('{piece.path}', header=false, skip={int(piece.has_header)}, delim=',', quote='\"', escape='\"', "
        f"new_line='{_line_end(piece.path)}', columns={{{columns}}}, auto_detect=false, null_padding=false, max_line_size=1000000)"
    )


def _line_end(path: Path) -> str:
    with path.open("rb") as file:
        return "\\r\\n" if b"\r\n" in file.read(1 << 16) else "\\n"


def typed(text: Text, columns: list[Column], source: str) -> str:
    """SQL of every row of `source` with its typed columns, and whether each is written as usual (`column_usual`)."""
    tests, casts = [], []
    for c in columns:
        position, known = text.position(c.name), usual(c)
        value = read(c, raw_text(text, c))
        if position is not None and known:
            tests.append(f"regexp_full_match(c{position}, '{known[0]}') as {c.name}_usual")
            value = f"case when {c.name}_usual then {known[1].format(c=f'c{position}')} else {value} end"
        casts.append(f"{value} as {c.name}")
    return f"select {', '.join(casts)}, * from (select {', '.join([*tests, '*'])} from {source})"


def marks(text: Text, columns: list[Column]) -> dict[str, str]:
    """SQL for what a row of `typed` had that is told to the reader, by name; `is_bad` is a row that cannot be read."""
    checks = {name: col.checks for name, col in text.described.schema().columns.items()}
    present = [c for c in columns if c.name in text.found]
    numbers = [c for c in present if usual(c) and c.name != "employee_id" and (c.type.startswith("DECIMAL") or c.type in DIGITS)]

    def unusual(c: Column, test: str) -> str:
        return f"case when {c.name}_usual then false else coalesce({test}, false) end"

    fatal = [c for c in present if not keeps_row(text.described, c)]
    found = {
        "is_bad": [f"({problem_of(text, c, checks[c.name])}) is not null" for c in fatal],
        "lost_cells": [f"({problem_of(text, c, checks[c.name])}) is not null" for c in present if c not in fatal],
        "had_thousands": [unusual(c, f"contains({raw_text(text, c)}, ',')") for c in numbers],
        "was_rounded": [unusual(c, _is_finer(raw_text(text, c), c)) for c in numbers if c.type.startswith("DECIMAL")],
        "was_repaired": [
            unusual(c, f"regexp_full_match({raw_text(text, c)}, '[0-9]{{1,5}}')") for c in present if c.name == "ccn"
        ],
    }
    return {name: " or ".join(tests) or "false" for name, tests in found.items()}


def keeps_row(described: Table, column: Column) -> bool:
    """Whether a row stays where this column cannot be read: of a home's one row in a release only the cell is lost."""
    return described.clock == "release" and column.nullable and column.name not in described.key


def _is_finer(raw: str, column: Column) -> str:
    """SQL for whether a number has more decimals than its column, zeros at the end apart, so that reading it rounds it."""
    scale = int(column.type.rstrip(")").split(",")[1])
    return f"regexp_matches({raw}, '\\.[0-9]{{{scale}}}[0-9]*[1-9]')"


def extra_columns(text: Text) -> list[tuple[int, str]]:
    """Columns that no rule reads, kept as text under CMS's name in snake case: (position, name)."""
    known = {c.name for c in text.described.columns()}
    kept: dict[str, int] = {}
    for position, name in enumerate(text.header):
        if name in text.unknown:
            snake = re.sub(r"[^a-z0-9]+", "_", name.strip().casefold()).strip("_")
            if snake and snake not in known:
                kept.setdefault(snake, position)
    return [(position, name) for name, position in kept.items()]
