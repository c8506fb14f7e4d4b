"""What a file is, told from its header and first rows: never from its name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from pipelines.errors import UsageError
from pipelines.periods import parse_quarter, quarter_of
from pipelines.sources import archive
from pipelines.sources.text import read_head
from pipelines.store import Store, fingerprint
from schemas import TABLES, Table, recognise

DAYS = (
    (re.compile(r"(\d{4})-?(\d{2})-?(\d{2})(?:[T ].*)?"), (1, 2, 3)),
    (re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})"), (3, 1, 2)),
)
MOST = 0.67  # share of a table's required and telling columns that make an unknown header a damaged one of that table
NEAR = 3  # columns of a known table that make an unknown file worth a word on what it lacks


@dataclass(frozen=True)
class Look:
    """What one CSV file is: `table` is the bare name, empty where none fits; `period` is empty where the rows do not tell it."""

    member: str  # path in the zip, empty for a plain file
    table: str
    period: str
    processed: str  # CMS's Processing Date of the rows (ISO), empty for PBJ files
    modified: str  # CMS's modified date from the manifest or the member's prefix (ISO), empty where unknown
    size: int
    problem: str  # why there is no table or no period, or what is odd about the rows
    refuse: bool = False  # the rows contradict each other about their period


def parse_day(text: str) -> date | None:
    """A day in any of CMS's spellings: `2026-07-01`, `20260701`, `07/01/2026`. None for anything else."""
    for pattern, (year, month, day) in DAYS:
        found = pattern.fullmatch(text.strip())
        if found:
            try:
                return date(int(found[year]), int(found[month]), int(found[day]))
            except ValueError:
                return None
    return None


def look(stream: BinaryIO, size: int = 0, member: str = "") -> Look:
    """Recognise a CSV stream by its header, and its period by its first rows."""
    head = read_head(stream)
    described = _recognise(tuple(head.header)) or _nearly(tuple(head.header))
    if described is None:
        return Look(member, "", "", "", "", size, nearest(head.header))
    seen = Look(member, described.name.split(".")[1], "", "", "", size, "")
    rows = [dict(zip((_plain(n) for n in head.header), row, strict=False)) for row in head.rows]
    if not rows:
        return replace(seen, problem="it has a header but no rows")
    return _quarter(seen, rows, described) if described.clock == "quarter" else _release(seen, rows, described)


def _quarter(seen: Look, rows: list[dict[str, str]], described: Table) -> Look:
    said = _values(rows, described, "quarter")
    days = [day for text in _values(rows, described, "work_date") if (day := parse_day(text))]
    quarters = list(dict.fromkeys(q for text in said if (q := _as_quarter(text))))
    worked = list(dict.fromkeys(quarter_of(day) for day in days))
    if len(quarters) > 1:
        return replace(
            seen, period=quarters[0], problem=f"its first rows are of more than one quarter: {', '.join(quarters)}", refuse=True
        )
    if quarters and worked and worked != quarters:
        problem = f"CY_Qtr says {quarters[0]} but WorkDate is in {', '.join(worked)}"
        return replace(seen, period=quarters[0], problem=problem, refuse=True)
    if quarters or len(worked) == 1:
        return replace(seen, period=(quarters or worked)[0])
    return replace(seen, problem="no CY_Qtr and no WorkDate of its first rows tells the quarter" + _example(said))


def says_month(table: str) -> bool:
    """Whether the rows of a Care Compare file say the month of its release; else it is that of the ProviderInfo beside it."""
    return any(c.name == "processing_date" for c in TABLES[f"staged.{table}"].columns())


def _release(seen: Look, rows: list[dict[str, str]], described: Table) -> Look:
    if not says_month(described.short):
        return seen
    said = _values(rows, described, "processing_date")
    days = list(dict.fromkeys(day for text in said if (day := parse_day(text))))
    if not days:
        return replace(seen, problem="no Processing Date of its first rows tells the release" + _example(said))
    months = sorted({f"{day:%Y-%m}" for day in days})
    problem = f"its rows have Processing Dates of {', '.join(months)}" if len(months) > 1 else ""
    return replace(seen, period=f"{days[0]:%Y-%m}", processed=max(days).isoformat(), problem=problem, refuse=bool(problem))


def _example(said: list[str]) -> str:
    return f' (the first is "{said[0]}")' if said else ""


def _values(rows: list[dict[str, str]], described: Table, column: str) -> list[str]:
    """What the rows have in a column, under any of its names, blanks left out."""
    names = [_plain(s) for c in described.columns() if c.name == column for s in c.spellings]
    return [text for row in rows for name in names if (text := row.get(name, "").strip())]


def _plain(name: str) -> str:
    return name.strip().casefold()


def _as_quarter(text: str) -> str:
    try:
        return parse_quarter(text)
    except UsageError:
        return ""


@cache
def _recognise(header: tuple[str, ...]) -> Table | None:
    return recognise(list(header))


@cache
def _nearly(header: tuple[str, ...]) -> Table | None:
    """The table of which a header has most of the required columns, so that staging can say which it lacks."""
    names = {_plain(name) for name in header}
    best: tuple[float, Table | None] = (0.0, None)
    for described in TABLES.values():
        if not described.signature or names & {_plain(name) for name in described.unlike}:
            continue
        required = [c for c in described.columns() if c.required or c.name in described.signature]
        have = sum(any(_plain(s) in names for s in c.spellings) for c in required)
        if required and have / len(required) > best[0]:
            best = (have / len(required), described)
    return best[1] if best[0] >= MOST else None


@cache
def _signatures() -> dict[str, tuple[dict[str, tuple[str, ...]], tuple[str, ...]]]:
    """For each table with a signature: the spellings of every column, and the columns of the signature."""
    return {
        described.name: ({c.name: c.spellings for c in described.columns()}, described.signature)
        for described in TABLES.values()
        if described.signature
    }


def nearest(header: list[str]) -> str:
    """Why a header fits nothing: the table it comes nearest to and what it lacks of that one's signature."""
    names = {_plain(name) for name in header}
    best: tuple[int, str, list[str]] = (0, "", [])
    for table, (columns, signature) in _signatures().items():
        have = {name for name, spellings in columns.items() if {_plain(s) for s in spellings} & names}
        if len(have) > best[0]:
            best = (len(have), table.split(".")[1], [columns[name][0] for name in signature if name not in have])
    count, table, missing = best
    if count < NEAR:
        return "its header is of no file that is read here"
    if not missing:
        return f"its header is of no file that is read here; it only resembles {table}"
    lacks = ", ".join(f'"{name}"' for name in missing)
    return (
        f"its header is of no file that is read here; nearest is {table} ({count} columns fit), which needs the columns {lacks}"
    )


def look_into(path: Path, name: str) -> list[Look]:
    """What each CSV file of a zip is, in the zip's order, with CMS's modified date from the manifest or the member's prefix."""
    found: list[Look] = []
    dates: dict[str, str] = {}
    for member in archive.walk(path, name):
        lower = member.path.lower()
        if lower.endswith(".csv"):
            with member.open() as stream:
                found.append(look(stream, member.size, member.path))
        elif lower.rpartition("/")[2].rpartition("!")[2] == "manifest.json":
            with member.open() as stream:
                dates |= manifest_dates(stream.read(1 << 24), folder_of(member.path))
    dated = [replace(seen, modified=dates.get(seen.member) or prefix_date(seen.member)) for seen in found]
    months: dict[str, set[str]] = {}
    for seen in dated:
        if seen.table == "provider_info" and seen.period:
            months.setdefault(folder_of(seen.member), set()).add(seen.period)
    return [_with_month(seen, months.get(folder_of(seen.member), set())) for seen in dated]


def _with_month(seen: Look, months: set[str]) -> Look:
    """A file whose rows do not say their month, with the one that the ProviderInfo beside it says."""
    lacks = seen.table and not seen.period and not seen.problem and len(months) == 1
    return replace(seen, period=min(months)) if lacks else seen


def look_into_blob(store: Store, sha256: str, name: str) -> list[Look]:
    """`look_into` for a stored zip, noted beside it so that a zip is read through once. The checksums are checked then."""
    note = Path(f"{store.blob_path(sha256)}.members.json")
    made_with = fingerprint(_signatures())
    known = store.note(note)
    if known and known["made_with"] == made_with:
        return [Look(**seen) for seen in known["members"]]
    path = store.blob(sha256)
    archive.check(path, name)
    found = look_into(path, name)
    store.put_note(note, {"made_with": made_with, "members": [asdict(seen) for seen in found]})
    return found


def folder_of(path: str) -> str:
    """The part of a path before its last name, with the `/` or `!` that ends it."""
    return path[: max(path.rfind("/"), path.rfind("!")) + 1]


def manifest_dates(content: bytes, folder: str) -> dict[str, str]:
    """CMS's modified date of each file that a `manifest.json` names; no dates from a manifest of another shape."""
    try:
        entries: Any = json.loads(content)
    except ValueError:
        return {}
    return dict(_dates_in(entries, folder)) if isinstance(entries, list) else {}


def _dates_in(entries: list[Any], folder: str) -> Iterator[tuple[str, str]]:
    for entry in entries:
        if isinstance(entry, dict) and parse_day(str(entry.get("modified_date", ""))):
            for resource in entry.get("resources") or []:
                if isinstance(resource, dict) and resource.get("filename"):
                    yield folder + str(resource["filename"]), str(entry["modified_date"])[:10]


def prefix_date(path: str) -> str:
    """The date that CMS puts before a member's own name (`4pq5-n9py_2026-07-29_NH_ProviderInfo_Jul2026.csv`), or nothing."""
    found = re.match(r"[0-9a-z]{4}-[0-9a-z]{4}_(\d{4}-\d{2}-\d{2})_", path[len(folder_of(path)) :], re.IGNORECASE)
    return found[1] if found else ""


def archive_date(path: str) -> str:
    """The last date in the names of the zips and folders around a file: `2026-07-29`, or `2022-11` for `..._11_2022.zip`."""
    found = ""
    for part in re.split(r"[/!\\]", folder_of(path)):
        for hit in re.finditer(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)|(?<!\d)(\d{2})_(\d{4})(?!\d)", part):
            found = hit[1] or f"{hit[3]}-{hit[2]}"
    return found


def order(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Which of two files is the later by CMS's own dates, the first that decides: 1, -1, or 0 where none does."""
    for a, b in zip(one, other, strict=True):
        if a and b and not a.startswith(b) and not b.startswith(a):
            return 1 if a > b else -1
    return 0
