"""Where CMS's files come from. A source offers files and fetches them into the store; it knows no rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pipelines.store import Store, Supply
from schemas.files import read_kinds

QUARTER_TABLES = read_kinds("quarter")
STAGED_AS = {"pbj_employee": "employee_quarters"}  # staged tables that are named otherwise than the file they come from
RELEASE_TABLES = read_kinds("release")


def staged_name(table: str) -> str:
    """The staged table that a source table becomes."""
    return STAGED_AS.get(table, table)


def source_of(staged: str) -> str:
    """The source table behind a staged table."""
    return next((table for table, name in STAGED_AS.items() if name == staged), staged)


@dataclass(frozen=True)
class Offer:
    """A file that a source says it has. `period` is empty where only the rows will tell it."""

    table: str
    period: str
    address: str
    modified: str
    size: int | None


class Source(Protocol):
    """What the assets ask of a source."""

    name: str

    @property
    def warnings(self) -> list[str]:
        """What the source has and does not use, and why; known as far as it was looked at."""
        ...

    def offers(self) -> list[Offer]:
        """What is there, in table and period order."""
        ...

    def fetch(self, table: str, period: str, store: Store) -> Supply | None:
        """Bring the file of a table and period into the store; None where the source has none.

        Raises RefusedFile where what comes is damaged or is of another period than the catalogue says.
        """
        ...
