"""The days of the six quarters, counted from the first day of Q0."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from pipelines import periods

NEWEST = "2026-07"  # the release that is made where none is named


@dataclass(frozen=True)
class Window:
    """The turnover window: day 0 is the first day of Q0, `starts[k]` the first day of Qk, `starts[6]` one past the end.

    `level` is the position of the quarter whose hours the release shows: the last, but where levels were frozen.
    """

    release: str
    quarters: tuple[str, ...]
    first: date
    starts: tuple[int, ...]
    level: int

    @property
    def days(self) -> int:
        """Number of days in the window."""
        return self.starts[6]

    @property
    def levels(self) -> range:
        """The day numbers of the quarter whose hours the release shows."""
        return self.span(self.level)

    @property
    def release_day(self) -> date:
        """The first day of the release month: the ages of surveys count from it."""
        return date(int(self.release[:4]), int(self.release[5:]), 1)

    def date(self, day: int) -> date:
        """The calendar day of a day number."""
        return self.first + timedelta(days=day)

    def weekday(self, day: int) -> int:
        """Monday is 0."""
        return (self.first.weekday() + day) % 7

    def span(self, position: int) -> range:
        """The day numbers of Qk."""
        return range(self.starts[position], self.starts[position + 1])


def window_of(release: str) -> Window:
    """The window of a release. Raises UsageError for a month that has none."""
    found = periods.release(release)
    first = periods.quarter_days(found.quarters[0])[0]
    starts = [(periods.quarter_days(q)[0] - first).days for q in found.quarters]
    end = (periods.quarter_days(found.quarters[5])[1] - first).days + 1
    return Window(release, found.quarters, first, (*starts, end), found.quarters.index(found.staffing_quarter))
