"""One made-up home before anything is written: who it is, its residents, its people's hours, what is odd about it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pipelines.sample.window import Window

NURSE_CODES = (5, 6, 7, 8, 9, 10, 11, 12)
GROUPS = {"rn": (5, 6, 7), "lpn": (8, 9), "nurse_aide": (10, 11, 12), "total_nurse": NURSE_CODES}
ADMINISTRATOR = 1

# Case-mix hours are these times the nursing case-mix index; the NATION row is the same at the nation's index. Fixed, so that a
# home's published values do not hang on how many other homes were made.
CASE_MIX_PER_INDEX = {"nurse_aide": 162000, "lpn": 61730, "rn": 48270, "total_nurse": 272000, "weekend_total_nurse": 241100}
NATION_INDEX = 141000  # hundred-thousandths, like every case-mix number here


def case_mix(group: str, index: int) -> int:
    """Case-mix hours of a staff group at a case-mix index, in hundred-thousandths, rounded half up as printed."""
    return (CASE_MIX_PER_INDEX[group] * index + 50000) // 100000


@dataclass
class Rows:
    """Employee rows as columns: day number, person, job code, contract or not, hundredths of hours."""

    day: np.ndarray
    person: np.ndarray
    code: np.ndarray
    contract: np.ndarray
    cents: np.ndarray

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.day)

    def where(self, mask: np.ndarray | slice) -> Rows:
        """The rows of a mask or a run, or in an order."""
        return Rows(self.day[mask], self.person[mask], self.code[mask], self.contract[mask], self.cents[mask])

    def plus(self, other: Rows) -> Rows:
        """These rows and others."""
        columns = ("day", "person", "code", "contract", "cents")
        return Rows(*(np.concatenate([getattr(self, c), getattr(other, c)]) for c in columns))

    def sorted(self) -> Rows:
        """In CMS's order: day, person as a number; then code and contract, so that the order is total."""
        return self.where(np.lexsort((self.cents, self.contract, self.code, self.person, self.day)))


def rows_of(day: np.ndarray, person: int, code: int, contract: bool, cents: int | np.ndarray) -> Rows:
    """Rows of one person in one code."""
    day = np.asarray(day, dtype=np.int32)
    n = len(day)
    return Rows(
        day,
        np.full(n, person, dtype=np.int64),
        np.full(n, code, dtype=np.int8),
        np.full(n, contract, dtype=bool),
        np.broadcast_to(np.asarray(cents, dtype=np.int64), n).copy(),
    )


@dataclass(frozen=True)
class Identity:
    """Who a home is; depends on the seed and the home's number only."""

    number: int
    ccn: str
    name: str
    state: str
    city: str
    county: str
    fips: int
    zip_code: str
    plant: str = ""


@dataclass
class Home:
    """One home with its whole window. Positions are those of the six quarters, 0 to 5."""

    who: Identity
    census: np.ndarray
    rows: Rows
    index: int  # nursing case-mix index, hundred-thousandths
    absent_daily: set[int] = field(default_factory=set)
    absent_employee: set[int] = field(default_factory=set)
    incomplete: set[int] = field(default_factory=set)  # quarters that CMS marks as incomplete
    staffing_footnote: str = ""  # what CMS sets without regard to the PBJ rows: 1, 2, 18, 23, 24, 25
    focus: str = ""  # SFF or SFF Candidate
    in_provider_info: bool = True
    blank_cells: list[tuple[int, int]] = field(default_factory=list)  # day, job code
    daily_extra: list[tuple[int, int, int]] = field(default_factory=list)  # day, job code, cents that the employee file lacks
    short_ccn_positions: set[int] = field(default_factory=set)
    grouped_positions: set[int] = field(default_factory=set)  # hours of 1,000 and more written with a separator
    published: dict[str, str] = field(default_factory=dict)  # ProviderInfo cells that disagree on purpose
    exact: bool = False  # the case-mix index must stay as it is
    daily: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def settle(self, window: Window) -> Home:
        """Add up the daily file, `daily[day, job code - 5, contract]` in hundredths of hours.

        Only then are the quarters in which the home is not in the employee file dropped, and the rows sorted.
        """
        nurses = self.rows.where((self.rows.code >= 5) & (self.rows.code <= 12))
        cell = (nurses.day.astype(np.int64) * 8 + nurses.code - 5) * 2 + nurses.contract
        summed = np.bincount(cell, weights=nurses.cents, minlength=window.days * 16)
        self.daily = np.rint(summed).astype(np.int64).reshape(window.days, 8, 2)
        for day, code, cents in self.daily_extra:
            self.daily[day, code - 5, 0] += cents
        position = np.searchsorted(np.array(window.starts), self.rows.day, side="right") - 1
        self.rows = self.rows.where(~np.isin(position, list(self.absent_employee))).sorted()
        return self
