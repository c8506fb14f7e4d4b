"""The two clocks: PBJ quarters (`2026Q1`) and Care Compare releases (`2026-07`)."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path

from pipelines.errors import UsageError

RULES = Path(__file__).parent.parent / "data" / "rules"


@dataclass(frozen=True)
class Release:
    """A release: the quarter of its staffing levels, its six turnover quarters Q0..Q5, and how we know."""

    name: str
    staffing_quarter: str
    quarters: tuple[str, ...]
    basis: str
    note: str
    archive: str = "own"

    @property
    def is_archived(self) -> bool:
        """Whether CMS's archive has the files of the month, as far as is known."""
        return self.archive in ("own", "not_seen")

    @property
    def all_quarters(self) -> tuple[str, ...]:
        """Every PBJ quarter the release reads, oldest first."""
        return tuple(sorted({self.staffing_quarter, *self.quarters}))


def _rows(table: str) -> list[dict[str, str]]:
    with (RULES / f"{table}.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


@cache
def releases() -> dict[str, Release]:
    """Every release of `data/rules/releases.csv` by its month, with what `special_periods.csv` says of it and its quarters."""
    special = {row["period"]: row["note"] for row in _rows("special_periods")}
    found = {}
    for row in _rows("releases"):
        quarters = tuple(row[f"q{k}"] for k in range(6))
        told = (row["release"], *(quarters if row["basis"] != "never_made" else ()))
        notes = [special[period] for period in told if period in special]
        found[row["release"]] = Release(
            row["release"], row["staffing_quarter"], quarters, row["basis"], "; ".join(notes), row["archive"]
        )
    return found


def release(name: str) -> Release:
    """The release of a month. Raises UsageError for a month that has none."""
    found = releases().get(name)
    if found is None:
        raise UsageError(
            f'"{name}" is no release: releases run from {min(releases())} to {max(releases())}, written like 2026-07'
        )
    if found.basis == "never_made":
        after = min((r.name for r in releases().values() if r.name > name and r.basis != "never_made"), default="")
        raise UsageError(f"There is no release {name}: {found.note}" + (f". Ask for --release {after}" if after else ""))
    return found


def quarter_alone(name: str) -> Release:
    """A quarter as a period of its own: what is made once a quarter reads that quarter's files and no other."""
    return Release(name, name, (name,), "quarter", "")


def releases_of_quarter(quarter: str) -> list[Release]:
    """The releases whose staffing levels show a quarter, oldest first. Raises UsageError, naming the release to ask for, where none does."""
    quarter = parse_quarter(quarter)
    made = [r for r in releases().values() if r.basis != "never_made"]
    shown = [r for r in made if r.staffing_quarter == quarter]
    if shown:
        return shown
    using = [r.name for r in made if quarter in r.quarters]
    hint = f"; it is in the turnover of release {using[0]}: ask for --release {using[0]}" if using else ""
    raise UsageError(f"No release shows staffing levels of {quarter}{hint}")


def release_of_quarter(quarter: str, offered: Collection[str] = ()) -> Release:
    """The first release that shows a quarter and can be had: the source offers it, or CMS's archive has it. Raises UsageError."""
    shown = releases_of_quarter(quarter)
    return next((r for r in shown if r.name in offered or r.is_archived), shown[0])


def nearest_with_quarter(found: Release) -> Release | None:
    """The archived release with the same staffing quarter that is nearest to one that cannot be had, of two the later."""
    shown = releases_of_quarter(found.staffing_quarter)
    others = [r for r in shown if r.is_archived and r.name != found.name]
    return min(others, key=lambda r: (abs(_months(r.name) - _months(found.name)), -_months(r.name)), default=None)


def _months(name: str) -> int:
    return int(name[:4]) * 12 + int(name[5:])


def quarters() -> list[str]:
    """Every PBJ quarter that a release may read, oldest first."""
    return sorted({q for r in releases().values() for q in r.all_quarters})


def quarter_days(quarter: str) -> tuple[date, date]:
    """First and last day of a calendar quarter."""
    year, number = int(quarter[:4]), int(quarter[5])
    first = date(year, 3 * number - 2, 1)
    after = date(year + (number == 4), 3 * number % 12 + 1, 1)
    return first, after - timedelta(days=1)


def quarter_of(day: date) -> str:
    """The calendar quarter of a day."""
    return f"{day.year}Q{(day.month + 2) // 3}"


def parse_quarter(label: str) -> str:
    """A quarter label in the one spelling used here.

    `CY2024Q4`, `cy_2024q4`, `Q4 2024` and `2024Q4` are calendar quarters; federal fiscal quarters only where the label says FY.
    Raises UsageError for anything else.
    """
    text = re.sub(r"[\s_,]+", " ", label.strip().upper())
    fiscal = text.startswith("FY")
    text = re.sub(r"^(FY|CY) ?", "", text).replace("QUARTER ", "Q")
    found = re.fullmatch(r"(\d{4}) ?Q([1-4])", text)
    swapped = re.fullmatch(r"Q([1-4]) (\d{4})", text)
    if found:
        year, number = int(found[1]), int(found[2])
    elif swapped:
        year, number = int(swapped[2]), int(swapped[1])
    else:
        raise UsageError(f'"{label}" is not a quarter; write it like 2026Q1 (calendar) or FY2026 Q2 (federal fiscal year)')
    if fiscal:  # the federal year begins in October of the year before
        year, number = (year - 1, 4) if number == 1 else (year, number - 1)
    return f"{year}Q{number}"
