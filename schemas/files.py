"""Every kind of file that CMS publishes about nursing homes, read here or not, and its whole header by month.

`kinds.csv` names the kinds, `layouts.csv` their columns in CMS's order with the first and last period in which each was seen; a blank
first period is as far back as is known, a blank last one is still there. What a column means stands in the models of this package.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from schemas.base import TABLES, Table, match_header

HERE = Path(__file__).parent
ALIKE = 0.5  # share of two headers together that they must have in common for the one to be told as like the other
TELLING = 0.6  # share of the columns that a kind cannot do without which makes unreadable text one of that kind
LEAST = 3  # and at least so many of them
SHOWN = 5  # column names that a message lists
CUT = 40  # letters of a name that the query API, which cuts names, leaves whole


@dataclass(frozen=True)
class Kind:
    """A kind of file: `is_read` where it becomes a table here; `stems` are CMS's names for it, without month and year."""

    name: str
    clock: str  # "quarter", "release", or "none" for files of other themes
    is_read: bool
    stems: tuple[str, ...]
    dataset_id: str
    title: str


@dataclass(frozen=True)
class Verdict:
    """What a header is: `kind` where it is one as a whole, else the `like` that it comes nearest to, and why it is not that."""

    kind: Kind | None
    like: Kind | None = None
    problem: str = ""


def _rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@cache
def kinds() -> dict[str, Kind]:
    """Every kind by its name, those that are read first."""
    return {
        row["kind"]: Kind(
            row["kind"],
            row["clock"],
            row["is_read"] == "1",
            (row["stem"], *filter(None, row["other_stems"].split("|"))),
            row["dataset_id"],
            row["title"],
        )
        for row in _rows("kinds.csv")
    }


def read_kinds(clock: str) -> tuple[str, ...]:
    """Names of the kinds of a clock that are read."""
    return tuple(kind.name for kind in kinds().values() if kind.is_read and kind.clock == clock)


@cache
def _columns() -> dict[str, list[tuple[str, str, str]]]:
    found: dict[str, list[tuple[str, str, str]]] = {}
    for row in _rows("layouts.csv"):
        found.setdefault(row["kind"], []).append((row["column"], row["first_period"], row["last_period"]))
    return found


def layout(kind: str, period: str) -> tuple[str, ...]:
    """The header of a kind in a period ("2026-07", "2026Q1"), in CMS's order; beyond the periods seen that of the nearest."""
    return tuple(c for c, first, last in _columns()[kind] if first <= period and (not last or period <= last))


def table_of(kind: str) -> Table | None:
    """The table that describes a kind that is read."""
    return next((TABLES[name] for name in (f"raw.{kind}", f"staged.{kind}") if name in TABLES), None)


def plain(name: str) -> str:
    """A column name as it is compared: without capitals, double blanks and the fiscal year that some files carry in it."""
    return re.sub(r"\bfy ?\d{4}\b", "fy", " ".join(name.casefold().split()))


@cache
def _layouts(kind: str) -> tuple[frozenset[str], ...]:
    """Every header that a kind ever had, as sets of plain names."""
    periods = {first for _, first, _ in _columns()[kind]} | {last for *_, last in _columns()[kind] if last}
    return tuple({frozenset(map(plain, layout(kind, period))) for period in sorted(periods | {"9999"})})


@cache
def names_of(kind: str) -> frozenset[str]:
    """Every column name, plain, that a kind ever had: of its layouts and of its model."""
    described = table_of(kind)
    spelled = [s for c in described.columns() for s in c.spellings] if described else []
    return frozenset(map(plain, [*spelled, *(c for c, *_ in _columns()[kind])]))


@cache
def _core(kind: str) -> tuple[frozenset[str], ...]:
    """The spellings, plain, of each column that a kind cannot do without: those that a rule reads and those that tell it."""
    described = table_of(kind)
    if described is None:
        return tuple(frozenset({name}) for name in frozenset.intersection(*_layouts(kind)))
    return tuple(frozenset(map(plain, c.spellings)) for c in described.columns() if c.required or c.name in described.signature)


def _share(header: frozenset[str], names: frozenset[str]) -> float:
    return len(header & names) / len(header | names)


def _nearest(header: frozenset[str]) -> tuple[float, Kind]:
    """The kind of which a layout has most in common with a header, of equal ones the first of the list."""
    return max(((max(_share(header, one) for one in _layouts(name)), kind) for name, kind in kinds().items()), key=lambda x: x[0])


def recognise(header: list[str]) -> Verdict:
    """What a file with this header is. It is of a kind by its whole header only.

    That is: it is one of the layouts of the kind; or the kind is the one that it has most in common with, it has every column that the
    kind cannot do without, and no column that only another kind has: CMS has added a column, or taken one away that no rule reads.
    Somebody's extract of the columns that a kind cannot do without, and no others, is of that kind too.
    """
    names = frozenset(map(plain, header)) - {""}
    fitting = [kind for kind in kinds().values() if names in _layouts(kind.name)]
    if fitting:
        return Verdict(fitting[0])
    share, near = _nearest(names)
    if _is_whole(names, near):
        return Verdict(near)
    own = [kind for kind in kinds().values() if kind.is_read and names <= names_of(kind.name) and _is_whole(names, kind)]
    if len(own) == 1 and (near.is_read or share < ALIKE):
        return Verdict(own[0])
    if share < ALIKE and not (near.is_read and _core_share(names, near.name) >= TELLING):
        return Verdict(None, None, f"its header is of no file that is known here{_hint(names)}")
    return Verdict(None, near, _lack(header, near))


def _hint(names: frozenset[str]) -> str:
    """The kind that is read which has most of some columns, and what it needs beside them; nothing where that would be no help."""
    counts = {name: len(names & names_of(name)) for name, kind in kinds().items() if kind.is_read}
    best = max(counts, key=lambda name: counts[name])
    described = table_of(best)
    if counts[best] < LEAST or described is None:
        return ""
    missing = [c.cms for c in described.columns() if c.required and not names & set(map(plain, c.spellings))]
    return f"; nearest is {best} ({counts[best]} columns fit), which needs {_some(missing)}"


def _is_whole(names: frozenset[str], kind: Kind) -> bool:
    """Whether a header that is no layout of a kind is one as a whole all the same."""
    has_core = all(spellings & names for spellings in _core(kind.name))
    return has_core and not any((names - names_of(kind.name)) & names_of(other) for other in kinds() if other != kind.name)


def _core_share(names: frozenset[str], kind: str) -> float:
    core = _core(kind)
    hits = sum(bool(spellings & names) for spellings in core)
    return hits / len(core) if hits >= min(LEAST, len(core)) else 0.0


def _lack(header: list[str], near: Kind) -> str:
    """Why a header is not the kind that it comes nearest to."""
    described = table_of(near.name)
    if described is not None:
        try:
            match_header(header, described)
        except ValueError as lacking:
            return str(lacking)
    strange = [name for name in header if plain(name) and plain(name) not in names_of(near.name)]
    names = frozenset(map(plain, header))
    closest = max(_layouts(near.name), key=lambda one: len(one & names))
    missing = [c for c, *_ in _columns()[near.name] if plain(c) in closest - names]
    told = [f"lacks {_some(missing)}"] if missing else []
    told += [f"has {_some(strange)}, which {near.name} never had"] if strange else []
    return f"its header {' and '.join(told)}"


def _some(names: list[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def letters(name: str) -> str:
    """A name without all that spellings differ in, cut as the query API cuts it."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())[:CUT]


def like_text(text: str) -> Kind | None:
    """The kind that is read of which unreadable text (another delimiter, title lines, the API's names) has the columns, or None."""
    found = frozenset(filter(None, map(letters, re.split(r"[,;:\t|\r\n{}\[\]]", text))))
    shares = {}
    for name, kind in kinds().items():
        core = [frozenset(map(letters, spellings)) for spellings in _core(name)]
        hits = sum(bool(spellings & found) for spellings in core)
        share = max(len(one & found) / len(one) for one in (frozenset(map(letters, names)) for names in _layouts(name)))
        if (hits >= LEAST and hits / len(core) >= TELLING) if kind.is_read else share >= ALIKE:
            shares[name] = share
    best = kinds()[max(shares, key=lambda name: shares[name])] if shares else None
    return best if best and best.is_read else None


@cache
def _stems() -> list[tuple[str, Kind]]:
    found = [(re.sub(r"[^a-z0-9]", "", stem.casefold()), kind) for kind in kinds().values() for stem in kind.stems]
    return sorted(found, key=lambda x: -len(x[0]))


def like_name(path: str) -> Kind | None:
    """The kind that CMS gives such a file name ("NH_ProviderInfo_Jul2026.csv", "4pq5-n9py_..."), read or not; None for no such name."""
    name = re.sub(r"[^a-z0-9]", "", re.split(r"[/\\!]", path)[-1].casefold())
    return next((kind for stem, kind in _stems() if stem in name), None)
