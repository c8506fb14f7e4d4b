"""How a table is described: the `column` and `table` helpers, and everything that is derived from a description."""

from __future__ import annotations

import csv
import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import ibis.expr.datatypes as dt
import pandera.ibis as pa
import pyarrow as arrow
from pandera.engines import ibis_engine

from pipelines.codes import known
from pipelines.periods import RULES

YES_NO = {spelled: code == "Y" for spelled, code in known("known_codes.yes_no").spelled}


@ibis_engine.Engine.register_dtype(equivalents=[dt.Array])
@dataclass(frozen=True, init=False, repr=False)
class ArrayType(ibis_engine.DataType):
    """Lists, which pandera's ibis engine does not know of itself."""

    type: dt.Array

    def __init__(self, array: dt.Array | None = None):
        """`array` is the ibis type with its element type; pandera calls it once without."""
        object.__setattr__(self, "type", array)

    @classmethod
    def from_parametrized_dtype(cls, ibis_dtype: dt.Array) -> ibis_engine.DataType:
        """Called by pandera's engine with the ibis type."""
        return cls(ibis_dtype)


def column(
    description: str,
    *,
    cms: str = "",
    also: Iterable[str] = (),
    source: str = "",
    unit: str = "",
    required: bool = False,
    nullable: bool = False,
    words: dict[str, bool] | None = None,
    codes: tuple[str, ...] = (),
    digits: int = 0,
    several: bool = False,
    blank: str = "",
    **checks: Any,
) -> Any:
    """One column of a table.

    `cms` is CMS's own column name, `also` its older spellings with the time each was seen ("Hrs_x (2017Q1-2018Q1)");
    `required` means that a file without the column is refused; `words` are the codes of a yes-or-no column. `codes` are the columns of
    rule tables that know the codes of this one ("footnotes.footnote", "known_codes.state"); a code of digits gets zeros in front up to
    `digits`; `several` may stand in a cell; `blank` is what CMS writes for none. `checks` go to `pandera.Field`.
    """
    metadata = {"cms": cms, "also": tuple(also), "source": source, "unit": unit, "required": required, "words": words or {}}
    metadata |= {"codes": codes, "digits": digits, "several": several, "blank": blank}
    return pa.Field(description=description, nullable=nullable, metadata=metadata, **checks)


@dataclass(frozen=True)
class Column:
    """A column as other rooms see it; `type` is DuckDB's spelling."""

    name: str
    type: str
    description: str
    unit: str
    nullable: bool
    required: bool
    cms: str
    also: tuple[str, ...]
    source: str
    words: tuple[tuple[str, bool], ...] = ()
    codes: tuple[str, ...] = ()
    digits: int = 0
    several: bool = False
    blank: str = ""

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every name that CMS has given to this column."""
        dated = (name.rsplit(" (", 1)[0] for name in self.also)  # "Hrs_x (2017Q1-2018Q1)"
        return tuple(name for name in (self.cms, *dated) if name)


@dataclass(frozen=True)
class Table:
    """A table: its model, key (which is also its order), clock and what it is for."""

    name: str
    model: type[pa.DataFrameModel]
    key: tuple[str, ...]
    clock: str  # "quarter", "release" or "none"
    large: bool = False  # only ever read by ranges of homes
    signature: tuple[str, ...] = ()  # of a CMS file: columns that no file of the kind is without, beside the required ones
    rows: str = "keyed"  # of a CMS file: each key once ("keyed"), no key but no row twice ("distinct"), or copies count ("all")

    @property
    def short(self) -> str:
        """The name without its schema."""
        return self.name.split(".")[1]

    @property
    def order(self) -> tuple[str, ...]:
        """The columns by which the rows stand: the key, of a table without one then all others."""
        return self.key if self.rows == "keyed" else tuple(dict.fromkeys([*self.key, *(c.name for c in self.columns())]))

    @property
    def kept_in_parts(self) -> bool:
        """Whether the table is several files, one a range of homes: what is large and is not published."""
        return self.large and not self.name.startswith("published.")

    @property
    def description(self) -> str:
        """First paragraph of the model's docstring."""
        return " ".join((self.model.__doc__ or "").split("\n\n")[0].split())

    def schema(self) -> Any:
        """The pandera schema of the model."""
        return self.model.to_schema()

    @cache  # noqa: B019 - tables live as long as the program
    def columns(self) -> list[Column]:
        """The columns in their order."""
        found = []
        for name, col in self.schema().columns.items():
            meta = col.metadata or {}
            found.append(
                Column(
                    name=name,
                    type=duckdb_type(col.dtype.type),
                    description=col.description or "",
                    unit=meta.get("unit", ""),
                    nullable=col.nullable,
                    required=meta.get("required", False),
                    cms=meta.get("cms", ""),
                    also=meta.get("also", ()),
                    source=meta.get("source", ""),
                    words=tuple(meta.get("words", {}).items()),
                    codes=meta.get("codes", ()),
                    digits=meta.get("digits", 0),
                    several=meta.get("several", False),
                    blank=meta.get("blank", ""),
                )
            )
        return found

    def out_of_time(self, found: dict[str, str], period: str) -> list[str]:
        """Older spellings of a matched header that were not seen at the period: "EMPLEE_CTR (2022)". `found` is of `match_header`."""
        odd = []
        for c in self.columns():
            spelled = found.get(c.name, "").strip().casefold()
            seen = [dated for dated in c.also if dated.rsplit(" (", 1)[0].casefold() == spelled]
            if seen and not any(_covers(dated, period) for dated in seen):
                odd.append(seen[0])
        return odd

    def arrow_schema(self) -> arrow.Schema:
        """Arrow fields with type, nullability, description and unit, for published files."""
        types = {name: col.dtype.type.to_pyarrow() for name, col in self.schema().columns.items()}
        return arrow.schema(
            [
                arrow.field(c.name, types[c.name], c.nullable, {"comment": c.description, **({"unit": c.unit} if c.unit else {})})
                for c in self.columns()
            ]
        )


def rule_values(rules: str, name: str) -> list[int]:
    """The whole numbers of a column of a rule table, for a check that takes no others."""
    with (RULES / f"{rules}.csv").open(newline="") as lines:
        return [int(row[name]) for row in csv.DictReader(lines)]


TABLES: dict[str, Table] = {}


def table(name: str, *, key: tuple[str, ...], clock: str, **more: Any) -> Callable[[type], type]:
    """Register a model as the table `name` ("staged.pbj_daily", "turnover.spells"); `more` are fields of `Table`."""

    def register(model: type) -> type:
        TABLES[name] = Table(name, model, key, clock, **more)
        return model

    return register


def duckdb_type(dtype: dt.DataType) -> str:
    """DuckDB's spelling of an ibis type."""
    import ibis.backends.sql.compilers as compilers

    return compilers.DuckDBCompiler.type_mapper.to_string(dtype.copy(nullable=True))


def plain_name(name: str) -> str:
    """A column name as it is compared: without capitals, blanks around it and more than one within, whatever their width."""
    return " ".join(re.sub("[\u200b\ufeff]", " ", name).casefold().split())


def match_header(header: list[str], described: Table) -> tuple[dict[str, str], list[str]]:
    """Which staged column each CMS column of a file is, and the columns nobody knows.

    Capitals and blanks do not matter. Of a name that stands twice the first counts and the second is unknown. Raises ValueError naming each
    required column that is missing and the nearest names in the file.
    """
    wanted = {plain_name(spelling): c for c in described.columns() for spelling in c.spellings}
    found: dict[str, str] = {}
    unknown: list[str] = []
    for name in header:
        col = wanted.get(plain_name(name))
        if col is None or col.name in found:
            unknown.append(name)
        else:
            found[col.name] = name
    missing = [c for c in described.columns() if c.required and c.name not in found]
    if missing:
        raise ValueError("; ".join(_missing(c, unknown) for c in missing))
    return found, unknown


def _covers(dated: str, period: str) -> bool:
    """Whether the times of a dated spelling, "(2017Q1-2018Q1)", "(2022)" or "(until 2023)", hold a quarter or release."""
    seen = dated.rsplit(" (", 1)[1].rstrip(")")
    first, _, last = seen.partition("-") if "until" not in seen else ("", "", seen.removeprefix("until "))
    last = last or first
    return first <= period[: len(first)] and period[: len(last)] <= last


def _missing(col: Column, unknown: list[str]) -> str:
    near = difflib.get_close_matches(col.cms.casefold(), [u.casefold() for u in unknown], n=2, cutoff=0.4)
    names = [u for u in unknown if u.casefold() in near] or unknown[:2]
    hint = f" (nearest unknown columns: {', '.join(names)})" if names else ""
    return f"required column {col.cms} is missing{hint}"
