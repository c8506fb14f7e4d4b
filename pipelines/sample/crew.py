"""A home whose every person is written down, so that a reader can count its turnover by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from pipelines.sample.home import Home, Identity, Rows, rows_of
from pipelines.sample.window import Window

SHIFT = 800


class Crew:
    """People of a planted home. Each works five days of seven, eight hours, and always on the first and last day of a stint."""

    def __init__(self, window: Window):
        """An empty home."""
        self.window = window
        self.people = 0
        self.parts: list[Rows] = []

    def person(self) -> int:
        """A new person's number."""
        self.people += 1
        return self.people

    def stint(
        self, code: int, first: int = 0, last: int | None = None, *, person: int | None = None, contract: bool = False,
        weekdays: bool = False, every: int = 0, cents: int = SHIFT,
    ) -> int:  # fmt: skip
        """Work from one day to another: five days of seven in turn, Monday to Friday, or every nth day. Gives the person back."""
        last = self.window.days - 1 if last is None else last
        who = self.person() if person is None else person
        days = np.arange(first, last + 1)
        if every:
            keep = (days - first) % every == 0
        elif weekdays:
            keep = (self.window.first.weekday() + days) % 7 < 5
        else:
            keep = (days + 2 * who) % 7 < 5
        if not every:
            keep |= (days == first) | (days == last)
        self.parts.append(rows_of(days[keep], who, code, contract, cents))
        return who

    def on(self, code: int, days: Iterable[int], *, person: int | None = None, contract: bool = False, cents: int = SHIFT) -> int:
        """Work on given days."""
        who = self.person() if person is None else person
        self.parts.append(rows_of(np.array(list(days), dtype=np.int32), who, code, contract, cents))
        return who

    def standard(self, *, rns: int = 4, lpns: int = 7, aides: int = 17, leave: tuple[int, int, int] = (2, 3, 9)) -> None:
        """A director, an RN administrator and others; of each group some leave in Q3 or Q4 and somebody new comes the next day.

        With the defaults 30 eligible nurses, 14 departures; 6 eligible RNs, 2 departures. Those who come later never count: they
        start after Q2.
        """
        self.stint(5, weekdays=True)
        self.stint(6, weekdays=True)
        step = max(1, 160 // max(1, sum(leave)))
        left = 0
        for code, count, leaving in ((7, rns, leave[0]), (9, lpns, leave[1]), (10, aides, leave[2])):
            for k in range(count):
                if k < leaving:
                    day = self.window.starts[3] + 5 + step * left
                    left += 1
                    self.stint(code, 0, day)
                    self.stint(code, day + 1)
                else:
                    self.stint(code, contract=code == 10 and k == count - 1)

    def administrators(self, *last_days: int) -> None:
        """One administrator after another, each to a last day and the last of them to the end."""
        first = 0
        for day in (*last_days, self.window.days - 1):
            self.stint(1, first, day, weekdays=True)
            first = day + 1

    def others(self) -> None:
        """Therapists, activities, kitchen and house: never part of a measure."""
        for code in (21, 18, 29, 29, 30, 39, 39, 40):
            self.stint(code)
        self.stint(2, every=7, contract=True, cents=200)

    def rows(self, rng: np.random.Generator) -> Rows:
        """All rows, with CMS-like ids in place of person numbers."""
        ids = np.sort(rng.choice(31_000_000, size=self.people + 1, replace=False)) + 10_921
        days, people, codes, contracts, cents = (
            np.concatenate([getattr(part, c) for part in self.parts]) for c in ("day", "person", "code", "contract", "cents")
        )
        return Rows(days, ids[people], codes, contracts, cents)


Build = Callable[[Crew], None]
Finish = Callable[[Home, Window], None]


def planted_home(
    who: Identity, window: Window, rng: np.random.Generator, build: Build, finish: Finish | None, residents: int, usual: bool
) -> Home:
    """A home of a crew; `residents` 0 is a number that goes with the home.

    `usual` adds the standard nurses, one administrator who stays, and the other staff before `build`.
    """
    residents = residents or 38 + who.number * 7 % 21
    crew = Crew(window)
    if usual:
        crew.standard()
        crew.administrators()
    crew.others()
    build(crew)
    census = rng.integers(residents - 1, residents + 2, window.days).astype(np.int64)
    home = Home(who, census, crew.rows(rng), int(rng.integers(128000, 150000)))
    if finish:
        finish(home, window)
    return home


def tune(home: Home, codes: tuple[int, ...], days: Iterable[int], cents: int) -> None:
    """Make the hours of some codes on some days add up to exactly `cents` hundredths, each row by the same share."""
    mask = np.isin(home.rows.code, codes) & np.isin(home.rows.day, list(days))
    now = home.rows.cents[mask]
    scaled = now * cents // now.sum()
    scaled[: int(cents - scaled.sum())] += 1
    assert scaled.sum() == cents and scaled.max() < 2000
    home.rows.cents[mask] = scaled


def drop(home: Home, codes: tuple[int, ...], days: Iterable[int]) -> None:
    """Take the rows of some codes on some days away."""
    home.rows = home.rows.where(~(np.isin(home.rows.code, codes) & np.isin(home.rows.day, list(days))))
