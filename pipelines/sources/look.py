"""What a file is, told from its content: the whole header and the first rows. A name only says what damaged content may have been."""

from __future__ import annotations

import inspect
import io
import sys
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import BinaryIO

import schemas.files
from pipelines.periods import quarter_of
from pipelines.sources import archive, names, text
from pipelines.sources.names import as_quarter, folder_of, manifest_dates, month_in_name, parse_day, prefix_date
from pipelines.sources.text import Head, read_head
from pipelines.store import Store, Supply, fingerprint
from schemas import TABLES, Table
from schemas.files import kinds, like_name, like_text, recognise, table_of

ANY = "*"  # among what an unreadable file may be: anything
START = 1 << 18  # bytes at the beginning that tell what a file is


@dataclass(frozen=True)
class Look:
    """What one file is. Of these one holds:

    - `table` is the kind that is read which it is, `period` its quarter or release (empty where only the ProviderInfo beside it says);
    - `may_be` are the kinds that are read which it resembles, or ANY, and `problem` says why it cannot be read as one;
    - neither: it is left alone, and `problem` says what it is.
    """

    member: str  # path in the zip, empty for a plain file
    table: str
    period: str
    processed: str  # CMS's Processing Date of the rows (ISO), empty for PBJ files
    modified: str  # CMS's modified date from the manifest or the member's prefix (ISO), empty where unknown
    size: int
    problem: str
    may_be: tuple[str, ...] = field(default=())

    @property
    def is_usable(self) -> bool:
        """Whether it can be staged, its period once known."""
        return bool(self.table) and not self.may_be

    @property
    def is_silent(self) -> bool:
        """Whether it can be used once another file tells its period."""
        return self.is_usable and not self.period


def look(stream: BinaryIO, size: int = 0, member: str = "", name: str = "") -> Look:
    """What a file is, by its content. `name` is its path as a person knows it, the member's where that is all there is."""
    name = name or member
    start = stream.read(START)
    seen = _of_content(start, stream, Look(member, "", "", "", "", size, ""))
    return _with_name(seen, name)


def _of_content(start: bytes, stream: BinaryIO, seen: Look) -> Look:
    if not start:
        return replace(seen, problem="it is empty")
    how = archive.packing(start)
    if how:
        return _packed(stream, how, seen)
    if start[:4] in archive.ZIP:
        return _office(stream, seen)
    what = archive.binary(start)
    if what:
        return replace(seen, problem=f"it is {what}; only CSV files are read, also in zips")
    return _of_text(read_head(io.BytesIO(start)), seen)


def _of_text(head: Head, seen: Look) -> Look:
    """What text is: a kind by its whole header, or by its words what it may be."""
    verdict = recognise(head.header)
    if verdict.kind and verdict.kind.is_read:
        described = table_of(verdict.kind.name)
        assert described is not None
        return _dated(replace(seen, table=verdict.kind.name), head, described)
    if verdict.kind:
        return replace(seen, problem=f"a {verdict.kind.name} file ({verdict.kind.title}), a kind that is not read here")
    if verdict.like and verdict.like.is_read:
        return replace(seen, may_be=(verdict.like.name,), problem=f"it resembles {verdict.like.name}, but {verdict.problem}")
    if verdict.like:
        told = f"it resembles {verdict.like.name} ({verdict.like.title}), a kind that is not read here"
        return replace(seen, problem=told)
    like = like_text(head.start)
    if like is None:
        return replace(seen, problem=verdict.problem)
    return replace(seen, may_be=(like.name,), problem=f"it has the columns of {like.name}, but {_odd_text(head)}")


def _odd_text(head: Head) -> str:
    """What is odd about text that has CMS's columns and yet no header of CMS's."""
    first = head.start.split("\n", 1)[0]
    counts = {mark: head.start.count(mark) for mark in ",;\t|"}
    most = max(counts, key=lambda mark: counts[mark])
    if head.start.lstrip().startswith(("{", "[")):
        return "it is JSON: fetch the CSV file"
    if most != ",":
        named = {";": "semicolons", "\t": "tabs", "|": "bars"}[most]
        return f"its cells are parted by {named}: save it with commas, as CMS serves it"
    if like_text(first) is None:
        return "its first line is not the header: take away the lines above it"
    return "its columns have the names of CMS's query API, which cuts them: fetch the CSV file of the data set itself"


def _packed(stream: BinaryIO, how: str, seen: Look) -> Look:
    """What is in a file that is packed with something else than zip, as far as it can be looked into: it is not read."""
    stream.seek(0)
    inside = archive.unpacked_start(stream, how, START)
    told = f"it is packed with {how}: unpack it"
    if inside is None:
        return replace(seen, problem=told)
    found = _of_text(read_head(io.BytesIO(inside)), seen)
    may_be = (found.table,) if found.table else found.may_be
    return replace(seen, may_be=may_be, problem=told if may_be else f"{told}; {found.problem}")


def _office(stream: BinaryIO, seen: Look) -> Look:
    """What a spreadsheet may be by its words; a zip that is none is walked elsewhere."""
    stream.seek(0)
    like = like_text(archive.words_of_office(stream, START))
    told = "it is a spreadsheet or another file of an office program: fetch the CSV file, or save the sheet as CSV in UTF-8"
    return replace(seen, may_be=(like.name,) if like else (), problem=told)


def _with_name(seen: Look, name: str) -> Look:
    """What cannot be read may be what CMS gives such a name."""
    named = like_name(name)
    if seen.is_usable or named is None or not named.is_read or named.name in seen.may_be:
        return seen
    return replace(seen, may_be=(*seen.may_be, named.name), problem=f"it has the name of {named.name}, but {seen.problem}")


def unreadable(member: str, name: str, problem: str, size: int = 0) -> Look:
    """What cannot be opened at all: by its name what it may be, else anything."""
    named = like_name(name)
    may_be = (named.name,) if named and named.is_read else () if named else (ANY,)
    return Look(member, "", "", "", "", size, problem, may_be)


def _dated(seen: Look, head: Head, described: Table) -> Look:
    if not head.rows:
        return replace(seen, may_be=(seen.table,), problem="it has a header but no rows")
    wide = [len(row) for row in head.rows[:-1] or head.rows]  # the last may be cut
    if all(count != len(head.header) for count in wide):
        problem = f"its rows have {wide[0]} values where the header has {len(head.header)} columns"
        return replace(seen, may_be=(seen.table,), problem=problem)
    columns = [_plain(n) for n in head.header]
    rows = [dict(zip(columns, row, strict=False)) for row in head.rows]
    return _quarter(seen, rows, described) if described.clock == "quarter" else _release(seen, rows, described)


def _plain(name: str) -> str:
    """A column name without capitals and blanks around it."""
    return name.strip().casefold()


def _quarter(seen: Look, rows: list[dict[str, str]], described: Table) -> Look:
    said = _values(rows, described, "quarter")
    days = [day for text in _values(rows, described, "work_date") if (day := parse_day(text))]
    quarters = list(dict.fromkeys(q for text in said if (q := as_quarter(text))))
    worked = list(dict.fromkeys(quarter_of(day) for day in days))
    if len(quarters) > 1:
        return _contradicts(seen, quarters[0], f"its first rows are of more than one quarter: {', '.join(quarters)}")
    if quarters and worked and worked != quarters:
        return _contradicts(seen, quarters[0], f"CY_Qtr says {quarters[0]} but WorkDate is in {', '.join(worked)}")
    if quarters or len(worked) == 1:
        return replace(seen, period=(quarters or worked)[0])
    return _contradicts(seen, "", "no CY_Qtr and no WorkDate of its first rows tells the quarter" + _example(said))


def _contradicts(seen: Look, period: str, problem: str) -> Look:
    return replace(seen, period=period, problem=problem, may_be=(seen.table,))


def says_month(table: str) -> bool:
    """Whether the rows of a Care Compare file say the month of its release; else it is that of the ProviderInfo beside it."""
    return any(c.name == "processing_date" for c in TABLES[f"staged.{table}"].columns())


def _release(seen: Look, rows: list[dict[str, str]], described: Table) -> Look:
    if not says_month(described.short):
        return seen
    said = _values(rows, described, "processing_date")
    days = list(dict.fromkeys(day for text in said if (day := parse_day(text))))
    if not days:
        return _contradicts(seen, "", "no Processing Date of its first rows tells the release" + _example(said))
    months = sorted({f"{day:%Y-%m}" for day in days})
    if len(months) > 1:
        return _contradicts(seen, f"{days[0]:%Y-%m}", f"its rows have Processing Dates of {', '.join(months)}")
    return replace(seen, period=months[0], processed=max(days).isoformat())


def _example(said: list[str]) -> str:
    return f' (the first is "{said[0]}")' if said else ""


def _values(rows: list[dict[str, str]], described: Table, column: str) -> list[str]:
    """What the rows have in a column, under any of its names, blanks left out."""
    spelled = [_plain(s) for c in described.columns() if c.name == column for s in c.spellings]
    return [text for row in rows for name in spelled if (text := row.get(name, "").strip())]


def look_into(path: Path, name: str) -> list[Look]:
    """What each file of a zip is, in the zip's order, with CMS's modified date from the manifest or the member's prefix."""
    found: list[Look] = []
    dates: dict[str, str] = {}
    for member in archive.walk(path, name):
        whole = f"{name}!{member.path}"
        if folder_of(member.path) + "manifest.json" == member.path:
            with member.open() as stream:
                dates |= manifest_dates(stream.read(1 << 24), folder_of(member.path))
            continue
        found.append(_look_at(member, whole))
    dated = [replace(seen, modified=dates.get(seen.member) or prefix_date(seen.member)) for seen in found]
    return with_months(dated, [seen.member for seen in dated])


def _look_at(member: archive.Member, whole: str) -> Look:
    if member.problem:
        return unreadable(member.path, whole, member.problem, member.size)
    try:
        with member.open() as stream:
            return look(stream, member.size, member.path, whole)
    except archive.DAMAGE as fault:
        return unreadable(member.path, whole, archive.damaged("", fault).problem, member.size)


def with_months(looks: list[Look], paths: list[str]) -> list[Look]:
    """Files whose rows do not say their month, with the one of the ProviderInfo beside them, in the same folder or zip."""
    beside: dict[str, set[str]] = {}
    for seen, path in zip(looks, paths, strict=True):
        if seen.table == "provider_info" and seen.is_usable:
            beside.setdefault(folder_of(path), set()).add(seen.period)
    return [
        replace(seen, period=month_beside(path, beside.get(folder_of(path), set()))) if seen.is_silent else seen
        for seen, path in zip(looks, paths, strict=True)
    ]


def month_beside(path: str, months: set[str]) -> str:
    """The month of a file whose rows do not say it: the only one of the ProviderInfo beside it, of several the one in its name."""
    if len(months) == 1:
        return min(months)
    said = month_in_name(path) or prefix_date(path)[:7]
    return said if said in months else ""


def look_into_blob(store: Store, sha256: str, name: str) -> list[Look]:
    """`look_into` for a stored zip, noted beside it so that a zip is read through once. The checksums are checked then.

    What an earlier recogniser noted is looked at again.
    """
    note = Path(f"{store.blob_path(sha256)}.members.json")
    known = store.note(note)
    if known and known["made_with"] == made_with():
        return [Look(**{**seen, "may_be": tuple(seen["may_be"])}) for seen in known["members"]]
    path = store.blob(sha256)
    archive.check(path, name)
    found = look_into(path, name)
    store.put_note(note, {"made_with": made_with(), "members": [asdict(seen) for seen in found]})
    return found


@cache
def made_with() -> str:
    """A hash of all that decides what a file is."""
    code = [inspect.getsource(module) for module in (schemas.files, archive, names, text, sys.modules[__name__])]
    spelled = [str(described.columns()) for name in kinds() if (described := table_of(name))]
    return fingerprint(code, spelled, [file.read_text() for file in sorted(schemas.files.HERE.glob("*.csv"))])


def still_is(supply: Supply, store: Store) -> bool:
    """Whether a stored file is today what it was taken for when it was supplied."""
    path = store.blob(supply.sha256)
    if supply.member:
        inside = {seen.member: seen for seen in look_into_blob(store, supply.sha256, supply.name)}
        seen = inside.get(supply.member)
    else:
        with path.open("rb") as stream:
            seen = look(stream, supply.size, "", supply.name)
    return seen is not None and seen.is_usable and seen.table == supply.table
