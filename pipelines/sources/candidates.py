"""Which file of a source stands for a table and period, and what is told of all the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from pipelines.errors import RefusedFile
from pipelines.sources.look import ANY, Look, month_beside, with_months
from pipelines.sources.names import archive_date, may_be_of, order, posted_for, quarter_in_name

SHOWN = 3  # files that a refusal names


@dataclass(frozen=True)
class Found:
    """A file of a source: where the file or the zip that it is in lies (a path of the folder, an address), its name, what it is."""

    place: str
    name: str  # of the file or zip as a person writes it
    seen: Look
    day: str = ""  # of the archive that it came in, ISO

    @property
    def path(self) -> str:
        """The name, `!` before a member of a zip."""
        return f"{self.name}!{self.seen.member}" if self.seen.member else self.name

    @property
    def key(self) -> tuple[str, str]:
        """The table and period."""
        return self.seen.table, self.seen.period

    @property
    def dates(self) -> tuple[str, ...]:
        """What tells the later of two files: Processing Date, CMS's modified date, the archive's day, the date in its name."""
        inside = self.path if self.seen.is_usable else f"{self.path}/"  # what cannot be opened has a date in its own name
        return self.seen.processed, self.seen.modified, self.day, archive_date(inside)

    def may_be(self, table: str, period: str) -> bool:
        """Whether a file that cannot be read may be the one for a table and period."""
        if not {table, ANY} & set(self.seen.may_be):
            return False
        return self.seen.period == period if self.seen.period else may_be_of(self.path, period)

    def is_later(self, best: Found, period: str) -> bool:
        """Whether a file that cannot be read is the later one of a period of which there is another."""
        is_of = period in (self.seen.period, posted_for(self.path), quarter_in_name(self.path))
        return is_of and order(self.dates, best.dates) > 0


class Candidates:
    """The files of a source: which stands for each table and period, which may, and what is told of the others."""

    def __init__(self, files: Iterable[Found], same: Callable[[Found, Found], bool], rest: str):
        """`same` says whether two files have equal content; `rest` is what a person does with a file that should not count."""
        self._same, self._rest = same, rest
        self._told: list[str] = []
        self._faults: list[Found] = []
        by_key: dict[tuple[str, str], list[Found]] = defaultdict(list)
        left: dict[str, list[str]] = defaultdict(list)
        for found in self._with_months(list(files)):
            if found.seen.is_silent:
                problem = "its rows do not say their month, and no ProviderInfo beside it does"
                self._faults.append(replace(found, seen=replace(found.seen, may_be=(found.seen.table,), problem=problem)))
            elif found.seen.is_usable:
                by_key[found.key].append(found)
            elif found.seen.may_be:
                self._faults.append(found)
            else:
                left[found.seen.problem].append(found.path)
        self._best = {key: self._latest(*key, by_key[key]) for key in sorted(by_key)}
        self._told += [f"{found.path}: not used, {found.seen.problem}" for found in self._faults]
        self._told += [f"{', '.join(paths)}: left alone, {problem}" for problem, paths in sorted(left.items())]

    def keys(self) -> list[tuple[str, str]]:
        """The tables and periods of which there are files, in order."""
        return list(self._best)

    def offered(self, table: str, period: str) -> Found:
        """A file of a table and period, without judging whether it may be used."""
        best = self._best[table, period]
        return best.one if isinstance(best, _Undecided) else best

    def choose(self, table: str, period: str) -> Found | None:
        """The file for a table and period, the latest by CMS's own dates; None where there is none.

        Raises RefusedFile where two files differ and no date tells the later, and where a file that cannot be read may be the one:
        there is no other, or it is the later.
        """
        best = self._best.get((table, period))
        if isinstance(best, _Undecided):
            problem = f"it and {best.other.path} are both {table} of {period}, differ, and neither says which is the later"
            raise RefusedFile(best.one.path, problem, todo=self._todo(table, period))
        blocking = [f for f in self._faults if f.may_be(table, period) and (best is None or f.is_later(best, period))]
        if blocking and blocking[0].seen.table and not blocking[0].seen.period and table != "provider_info":
            self.choose("provider_info", period)  # what keeps its month from being known is the fault to tell
        if blocking:
            first, *more = blocking
            also = f"; so may be {', '.join(f.path for f in more[:SHOWN])}" if more else ""
            problem = f"{first.seen.problem} (it may be {table} of {period}{also})"
            raise RefusedFile(first.path, problem, todo=self._todo(table, period))
        return best

    def lines(self) -> list[str]:
        """All that is not used and why, a line a file or a kind of file."""
        return list(self._told)

    def _todo(self, table: str, period: str) -> str:
        further = f"; to go on without {table} of {period} add --without {table}:{period}" if table != "provider_info" else ""
        return f"Mend it or {self._rest}{further}."

    def _latest(self, table: str, period: str, files: list[Found]) -> Found | _Undecided:
        """The latest of the files for one table and period: of those that no other is later than, if they are equal."""
        best, *others = [one for one in files if not any(order(other.dates, one.dates) > 0 for other in files)] or files
        for other in others:
            if not self._same(best, other):
                told = f"two different files of {table} {period}, and no date of CMS's tells the later"
                self._told.append(f"{best.path}, {other.path}: {told}")
                return _Undecided(best, other)
        for loser in (one for one in files if one is not best):
            why = "has the same content" if loser in others else f"is the later file of {table} {period}"
            self._told.append(f"{loser.path}: not used, {best.path} {why}")
        return best

    def _with_months(self, files: list[Found]) -> list[Found]:
        """Files whose rows do not say their month, with that of the ProviderInfo beside them, else of the only one of the source."""
        looks = with_months([found.seen for found in files], [found.path for found in files])
        months = {seen.period for seen in looks if seen.table == "provider_info" and seen.is_usable}
        placed = []
        for found, seen in zip(files, looks, strict=True):
            month = month_beside(found.path, months) if seen.is_silent else ""
            if month:
                seen = replace(seen, period=month)
                self._told.append(f"{found.path}: its rows do not say their month: taken for that of the ProviderInfo of {month}")
            placed.append(replace(found, seen=seen))
        return placed


@dataclass(frozen=True)
class _Undecided:
    """Two different files for one table and period, and nothing that tells the later."""

    one: Found
    other: Found
