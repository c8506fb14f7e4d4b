"""What names of files, folders and archives say, and CMS's manifest: dates and periods. Rows go before names wherever they tell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from pipelines.errors import UsageError
from pipelines.periods import parse_quarter

DAYS = (
    (re.compile(r"(\d{4})-?(\d{2})-?(\d{2})(?:[T ].*)?"), (1, 2, 3)),
    (re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})(?: .*)?"), (3, 1, 2)),
)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
POSTED_AGAIN = 15  # day of a month until which an archive posts the month before again
BEFORE, AFTER = 1, 2  # months around a release in which its archives are dated


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


def as_quarter(text: str) -> str:
    """A quarter label in the one spelling used here, or nothing."""
    try:
        return parse_quarter(text)
    except UsageError:
        return ""


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


def quarter_in_name(path: str) -> str:
    """The quarter that a file's own name says (`..._CY2026Q1.csv`, `..._Q3_2025.zip`), or nothing."""
    name = path[len(folder_of(path)) :]
    found = re.search(r"(?<!\d)(\d{4})[ _-]?Q([1-4])(?!\d)", name, re.IGNORECASE)
    swapped = re.search(r"Q([1-4])[ _-]?(\d{4})(?!\d)", name, re.IGNORECASE)
    if found:
        return f"{found[1]}Q{found[2]}"
    return f"{swapped[2]}Q{swapped[1]}" if swapped else ""


def month_in_name(path: str) -> str:
    """The month that CMS writes at the end of a file's own name (`NH_ProviderInfo_Jul2026.csv`), or nothing."""
    name = path[len(folder_of(path)) :]
    found = re.search(rf"({'|'.join(MONTHS)})[a-z]*[ _-]?(\d{{4}})(?!\d)", name, re.IGNORECASE)
    return f"{found[2]}-{MONTHS.index(found[1].lower()) + 1:02d}" if found else ""


def may_be_of(path: str, period: str) -> bool:
    """Whether a file that cannot be read may be of a period, as far as names say; a name that says nothing may be of any."""
    said = month_in_name(path)
    dated = archive_date(path + "/") or prefix_date(path)
    if "Q" in period:
        quarter = quarter_in_name(path)
        is_monthly = bool(said or dated) and not re.search("pbj|payroll", path, re.IGNORECASE)
        return quarter == period or not (quarter or is_monthly)
    if said:
        return said == period
    return not dated or near(dated, period)


def posted_for(path: str) -> str:
    """The month that a dated archive stands for by its name: CMS posts a month at its end, and what comes before mid-month again."""
    dated = archive_date(path + "/") or prefix_date(path)
    if dated[8:] and int(dated[8:10]) <= POSTED_AGAIN:
        year, month = int(dated[:4]), int(dated[5:7])
        return f"{year - (month == 1)}-{(month - 2) % 12 + 1:02d}"
    return month_in_name(path) or dated[:7]


def near(day: str, period: str) -> bool:
    """Whether an archive of this day or month may hold files of a release: dated from the month before to two months after."""
    found = re.match(r"(\d{4})-(\d{2})", day)
    if found is None:
        return False
    apart = (int(found[1]) - int(period[:4])) * 12 + int(found[2]) - int(period[5:7])
    return -BEFORE <= apart <= AFTER


def order(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Which of two files is the later by CMS's own dates, the first that decides: 1, -1, or 0 where none does."""
    for a, b in zip(one, other, strict=True):
        if a and b and not a.startswith(b) and not b.startswith(a):
            return 1 if a > b else -1
    return 0
