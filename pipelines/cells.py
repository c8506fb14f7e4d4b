"""What a cell of a CMS file is: SQL that casts its text by the schema, and says what is wrong with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pipelines.checks import holds
from pipelines.codes import SEVERAL, blank_pattern, known
from pipelines.quoting import files, identifier, literal
from pipelines.sources.text import Piece
from schemas import Column, Table

PLAIN = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)"
THOUSANDS = r"-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?"
CCN = "[0-9A-Z]{3}[0-9]{3}"  # the state by two digits or, where those run out, letters (CMS S&C 16-09); a letter third is a kind of home
MARKED = r"""^(?:'|="?)?([0-9A-Z]+)"?$"""  # a spreadsheet's marks of a text: '015009, ="015009"
NUMBERED = r"[0-9]+(\.[0-9]+(E[-+]?[0-9]+)?|E[-+]?[0-9]+)"  # a CCN that went through a program as a number: 15009.0, 2.3E+11
FLOAT = r"^([0-9]+)\.0+$"  # a whole number that did
WHOLE = r"^([-+]?[0-9]+)\.?0*$"
DIGITS = {"TINYINT": 2, "SMALLINT": 4, "INT": 9, "BIGINT": 18}  # a whole number of so many digits fits the type
# what no cell begins or ends with: blanks of every width, line ends, a byte order mark between joined files
WHITE = " \t\n\r\v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u2028\u2029\u202f\u3000\ufeff"
LONGEST = 1_000_000  # bytes of a line


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


def cell(position: int) -> str:
    """The column of the text as read: no name of a file, in snake case, can be like it. So are all names here that hold a blank."""
    return identifier(f"cell {position}")


def trimmed(raw: str) -> str:
    """SQL for a text without what is blank at its ends, null where nothing is left; most are without, which their ends tell at once."""
    plain = f"{raw}[1] between '!' and '~' and {raw}[-1] between '!' and '~'"
    return f"case when {plain} then {raw} else nullif(trim({raw}, {literal(WHITE)}), '') end"


def _named(text: Text, column: Column, what: str) -> str:
    return identifier(f"{column.name} {what}") if column.name in text.found else "null::varchar"


def problem(text: Text, column: Column) -> str:
    """The column of `typed` that says what is wrong with a column."""
    return _named(text, column, "problem")


def whole_text(text: Text, column: Column) -> str:
    """SQL on the rows of `typed` for the trimmed text of a column, null where empty or absent."""
    raw, position = _named(text, column, "raw"), text.position(column.name)
    return raw if position is None else f"coalesce({raw}, case when {_named(text, column, 'usual')} then {cell(position)} end)"


def is_free(column: Column) -> bool:
    """Whether a column holds whatever a person wrote: names, descriptions, scores that may be sentences."""
    return column.type == "TEXT" and not column.codes and column.name not in ("ccn", "quarter")


def usual(column: Column) -> tuple[str, str] | None:
    """How CMS usually writes a column, as a test of the text `{c}`, and the SQL that casts such a text; None where none is known.

    Only speed rests on this: any other text goes the long way of `read`, which takes these too.
    """
    kind = column.type
    cast = f"cast({{c}} as {kind})"
    if column.name == "ccn":
        return _matches(CCN), "{c}"
    if column.name == "quarter":
        return _matches("[0-9]{4}Q[1-4]"), "{c}"
    if kind == "DATE":
        return _matches("[0-9]{8}"), "try_strptime({c}, '%Y%m%d')::date"
    if kind.startswith("DECIMAL"):
        precision, scale = (int(n) for n in kind.removeprefix("DECIMAL(").rstrip(")").split(","))
        return _matches(rf"[0-9]{{1,{precision - scale}}}(\.[0-9]{{0,{scale}}})?"), cast
    if kind in DIGITS:
        return _matches(f"[0-9]{{1,{DIGITS[kind]}}}"), cast
    if kind == "TEXT" and column.codes:
        return _matches(known(*column.codes).pattern), "{c}"
    return None


def _matches(pattern: str) -> str:
    return f"regexp_full_match({{c}}, {_escaped(literal(pattern))})"


def _escaped(sql: str) -> str:
    """SQL that goes through `format`."""
    return sql.replace("{", "{{").replace("}", "}}")


def read(column: Column, raw: str) -> str:
    """SQL that casts a column's text; null where it cannot be read."""
    kind = column.type
    if column.name == "ccn":
        bare = f"regexp_replace(upper({raw}), {literal(MARKED)}, '\\1')"
        padded = f"case when regexp_full_match({bare}, '[0-9]{{1,5}}') then lpad({bare}, 6, '0') else {bare} end"
        return f"case when regexp_full_match({padded}, {literal(CCN)}) then {padded} end"
    if column.name == "quarter":
        return f"nullif(regexp_extract(upper({raw}), '^(?:CY)?([0-9]{{4}}Q[1-4])$', 1), '')"
    if kind == "BOOLEAN":
        return f"case lower({_whole(raw)}) {yes_or_no(column)} end"
    if kind == "DATE":
        return (
            f"case when regexp_full_match({raw}, '[0-9]{{8}}(\\.0+)?') then try_strptime(left({raw}, 8), '%Y%m%d')::date "
            f"when regexp_full_match({raw}, '[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}([T ]00:00:00(\\.0+)?)?') "
            f"then try_strptime(left({raw}, 10), '%Y-%m-%d')::date "
            f"when regexp_full_match({raw}, '[0-9]{{1,2}}/[0-9]{{1,2}}/[0-9]{{4}}') then try_strptime({raw}, '%m/%d/%Y')::date end"
        )
    if kind == "TEXT":
        return _code(column, raw) if column.codes else raw
    # an underscore or an exponent, which a cast would take, is no number of CMS's
    number = (
        f"case when regexp_full_match({raw}, {literal(PLAIN)}) then {raw} "
        f"when regexp_full_match({raw}, {literal(THOUSANDS)}) then replace({raw}, ',', '') end"
    )
    if kind.startswith("DECIMAL"):
        return f"try_cast({number} as {kind})"
    return f"try_cast(nullif(regexp_extract({number}, {literal(WHOLE)}, 1), '') as {kind})"


def _whole(raw: str) -> str:
    return f"regexp_replace({raw}, {literal(FLOAT)}, '\\1')"


def _code(column: Column, raw: str) -> str:
    """SQL for a code, or each of several, as CMS writes it: no float of it, its zeros in front, its own capitals."""
    codes = known(*column.codes)

    def one(code: str) -> str:
        whole = _whole(code)
        if column.digits:
            whole = f"case when regexp_full_match({whole}, '[0-9]{{1,{column.digits}}}') then lpad({whole}, {column.digits}, '0') else {whole} end"
        return codes.read(whole)

    return f"array_to_string(list_transform({split(raw)}, lambda code: {one('code')}), ', ')" if column.several else one(raw)


def split(raw: str) -> str:
    """SQL for the list of codes that stand in a cell."""
    return f"list_filter(string_split_regex({raw}, {literal(SEVERAL)}), lambda code: code <> '')"


def yes_or_no(column: Column) -> str:
    """SQL for what the codes of a yes-or-no column mean: the branches of a CASE."""
    return " ".join(f"when {literal(word)} then {str(meaning).lower()}" for word, meaning in column.words)


def _problem_of(text: Text, column: Column, checks: list[Any]) -> str:
    """SQL for what is wrong with a column, or null."""
    said, value, is_usual = (_named(text, column, "said"), column.name, _named(text, column, "usual"))
    kept, cases = [f"{value} is not null"], []
    for check in checks:
        test, words = holds(value, check)
        kept.append(test)
        cases.append(f"when not ({test}) then {literal(words)}")
    blank = (
        ""
        if column.nullable and column.name not in text.described.key
        else f"when {said} is null and not {is_usual} then 'is blank' "
    )
    unread = f"when {value} is null and ({is_usual} or {said} is not null) then {_unread(column, said)} "
    return f"case when {' and '.join(kept)} then null {unread}{blank}{' '.join(cases)} end"


def _unread(column: Column, said: str) -> str:
    """SQL for what is said of a text that cannot be read."""
    if column.name == "ccn":
        numbered = "is no CCN any more: a program has made a number of it"
        plain = "is not a CCN (six characters: two digits or letters, a digit or letter, three digits)"
        return (
            f"case when regexp_full_match(upper({said}), {literal(NUMBERED)}) then {literal(numbered)} else {literal(plain)} end"
        )
    kinds = {"DATE": "a date", "BOOLEAN": "one of the known codes", "TEXT": "a quarter"}
    unit = column.unit or "the kind"
    return literal(f"is not {kinds.get(column.type) or f'a number of {unit}'}")


def scan(text: Text, piece: Piece, parallel: bool = True) -> str:
    """SQL that reads a piece of the file as text, columns `cell(0)`, `cell(1)`, ..."""
    columns = ", ".join(f"'cell {k}': 'VARCHAR'" for k in range(len(text.header)))
    return (
        f"read_csv({files(piece.path)}, header=false, skip={int(piece.has_header)}, delim=',', quote='\"', escape='\"', "
        f"new_line='\\n', columns={{{columns}}}, auto_detect=false, null_padding=false, max_line_size={LONGEST}, parallel={parallel})"
    )


def typed(text: Text, columns: list[Column], source: str) -> str:
    """SQL of every row of `source` with its typed columns, made from the text step by step.

    `x usual` is whether a column is written as CMS usually does; if not, `x raw` is its trimmed text, null where empty, and `x said` the
    same, null too where it is a word that means blank. `x problem` is what is wrong with it, or null.
    """
    checks = {name: col.checks for name, col in text.described.schema().columns.items()}
    present = [(c, position, usual(c)) for c in columns if (position := text.position(c.name)) is not None]
    tests = [
        f"{f'coalesce({way[0].format(c=cell(k))}, false)' if way else 'false'} as {_named(text, c, 'usual')}"
        for c, k, way in present
    ]
    raws = [
        f"case when not {_named(text, c, 'usual')} then {trimmed(cell(k))} end as {_named(text, c, 'raw')}" for c, k, _ in present
    ]
    saids = [f"{_without_words(text, c)} as {_named(text, c, 'said')}" for c, _, _ in present]
    values = {c.name: f"null::{c.type}" for c in columns}
    for c, k, way in present:
        value = read(c, _named(text, c, "said"))
        values[c.name] = (
            f"case when {_named(text, c, 'usual')} then {way[1].format(c=cell(k))} else {value} end" if way else value
        )
    problems = [f"{_problem_of(text, c, checks[c.name])} as {problem(text, c)}" for c, *_ in present]
    for step in (tests, raws, saids, [f"{value} as {name}" for name, value in values.items()], problems):
        source = f"(select {', '.join([*step, '*'])} from {source})"
    return f"from {source}"


def _without_words(text: Text, column: Column) -> str:
    raw = _named(text, column, "raw")
    if is_free(column):
        return raw
    return f"case when regexp_full_match({raw}, {literal(blank_pattern(column.blank))}) then null else {raw} end"


def marks(text: Text, columns: list[Column]) -> dict[str, str]:
    """SQL for what a row of `typed` had that is told to the reader, by name; `is bad` is a row that cannot be read."""
    present = [c for c in columns if c.name in text.found]
    numbers = [c for c in present if usual(c) and c.name != "employee_id" and (c.type.startswith("DECIMAL") or c.type in DIGITS)]
    fatal = [c for c in present if not keeps_row(text.described, c)]
    first = next(c for c in columns if c.name == text.described.key[0])
    every = f"coalesce({', '.join(trimmed(cell(k)) for k in range(len(text.header)))})"
    header = literal(text.found.get(first.name, "").strip().casefold())
    raw = {c.name: _named(text, c, "raw") for c in columns}
    found = {
        "is empty": [f"case when {whole_text(text, first)} is null then {every} is null end"],
        "is header": [f"lower({raw[first.name]}) = {header}"],
        "is bad": [f"{problem(text, c)} is not null" for c in fatal],
        "lost cells": [f"{problem(text, c)} is not null" for c in present if c not in fatal],
        "had thousands": [f"contains({raw[c.name]}, ',')" for c in numbers],
        "was rounded": [_is_finer(raw[c.name], c) for c in numbers if c.type.startswith("DECIMAL")],
        "was repaired": [f"ccn <> upper({raw['ccn']})" for c in present if c.name == "ccn"],
        "had blank words": [
            f"{raw[c.name]} <> {literal(c.blank)} and {_named(text, c, 'said')} is null" for c in present if not is_free(c)
        ],
    }
    return {name: f"coalesce({' or '.join(tests) or 'false'}, false)" for name, tests in found.items()}


def keeps_row(described: Table, column: Column) -> bool:
    """Whether a row stays where this column cannot be read: of a home's one row in a release only the cell is lost."""
    return described.clock == "release" and column.nullable and column.name not in described.key


def _is_finer(raw: str, column: Column) -> str:
    """SQL for whether a number has more decimals than its column, zeros at the end apart, so that reading it rounds it."""
    scale = int(column.type.rstrip(")").split(",")[1])
    return f"regexp_matches({raw}, '\\.[0-9]{{{scale}}}[0-9]*[1-9]')"


def extra_columns(text: Text) -> list[tuple[int, str]]:
    """Columns that no rule reads, kept as text under CMS's name in snake case: (position, name), no name twice."""
    columns = text.described.columns()
    read_at = {text.position(c.name) for c in columns}
    taken = {c.name for c in columns}
    kept = []
    for position, name in enumerate(text.header):
        if position not in read_at:
            snake = re.sub(r"[^a-z0-9]+", "_", name.strip().casefold()).strip("_") or f"column_{position + 1}"
            unlike = next(n for n in (snake, *(f"{snake}_{k}" for k in range(2, len(text.header) + 2))) if n not in taken)
            taken.add(unlike)
            kept.append((position, unlike))
    return kept


def unknown_codes(column: Column, rows: str) -> str:
    """SQL for the codes of a column that its rule tables do not know, with how many rows of `rows` have each, most first."""
    codes = known(*column.codes)
    one = f"unnest({split(column.name)})" if column.several else f"{column.name}::varchar"
    return (
        f"select code, count(*) as rows from (select {one} as code from {rows} where {column.name} is not null) "
        f"where not {codes.knows('code')} group by code order by rows desc, code"
    )
