"""CMS's two catalogues: data.json with the PBJ file of each quarter, the Provider Data Catalog with archives by month."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urljoin

import requests

from pipelines.errors import OpenstarsError, RefusedFile
from pipelines.periods import quarter_of
from pipelines.sources import QUARTER_TABLES, Offer, Source, archive
from pipelines.sources.download import DELAY, TRIES, Downloaded, download, get_json, session_for
from pipelines.sources.look import Look, archive_date, look, look_into_blob, order, parse_day
from pipelines.store import Store, Supply

HOME = "https://data.cms.gov"
CATALOGUE = "/data.json"
ARCHIVES = "/provider-data/api/1/archive/aggregate/theme/nursing-homes"
CURRENT = "/provider-data/api/1/archive/aggregate/current/theme/all"
TITLES = {
    "pbj_daily": "Payroll Based Journal Daily Nurse Staffing",
    "pbj_employee": "Payroll Based Journal Employee Detail Nursing Home Staffing",
}
FILES = ("text/csv", "application/zip", "application/x-zip-compressed")
ARCHIVE = "archive"  # the table of an offer that is a zip of many
BEFORE, AFTER = 1, 2  # months around a release in which its archives are dated


@dataclass(frozen=True)
class ArchiveRow:
    """One zip of Care Compare files as the Provider Data Catalog lists it."""

    kind: str  # "theme" a month, "annual_theme" a year, "current" the newest
    day: str
    url: str
    size: int | None
    name: str


class Cms(Source):
    """CMS itself, or anything that answers as its two catalogues do."""

    name = "cms"

    def __init__(
        self,
        data_home: str = HOME,
        archive_home: str = HOME,
        *,
        session: requests.Session | None = None,
        tries: int = TRIES,
        delay: float = DELAY,
        name: str = "cms",
    ):
        """`data_home` serves /data.json, `archive_home` /provider-data; the catalogues are asked for once per instance."""
        self.data_home, self.archive_home = data_home.rstrip("/"), archive_home.rstrip("/")
        self.name = name
        self.session = session or session_for(data_home)
        self.tries, self.delay = tries, delay
        self.warnings: list[str] = []
        self._quarters: dict[tuple[str, str], Offer] | None = None
        self._archives: list[ArchiveRow] | None = None
        self._current: list[ArchiveRow] | None = None
        self._fetched: dict[str, Downloaded] = {}
        self._seen: dict[str, list[Look]] = {}

    def offers(self) -> list[Offer]:
        """Every PBJ quarter, then every archive; an archive's months are only known once it was read."""
        quarters = [self.quarters()[key] for key in sorted(self.quarters())]
        return quarters + [Offer(ARCHIVE, self._months(row), row.url, row.day, row.size) for row in self.archives()]

    def fetch(self, table: str, period: str, store: Store) -> Supply | None:
        """Bring the file of a table and period into the store; None where CMS offers none."""
        return self._fetch_quarter(table, period, store) if table in QUARTER_TABLES else self._fetch_release(table, period, store)

    def quarters(self) -> dict[tuple[str, str], Offer]:
        """The PBJ file of each table and quarter, as data.json lists them."""
        if self._quarters is None:
            url = self.data_home + CATALOGUE
            self._quarters = self._read_quarters(url, get_json(url, self.session, self.tries, self.delay))
        return self._quarters

    def archives(self) -> list[ArchiveRow]:
        """The archives of months and years, oldest first. An empty list is a fault of CMS: OpenstarsError."""
        if self._archives is None:
            url = self.archive_home + ARCHIVES
            self._archives = self._rows(url)
            if not self._archives:
                raise OpenstarsError(
                    f"{url}: the list of archives is empty. CMS has answered so by mistake before.\n"
                    "Try again later, or give a folder of files with --source."
                )
        return self._archives

    def _read_quarters(self, url: str, catalogue: Any) -> dict[tuple[str, str], Offer]:
        datasets = catalogue.get("dataset", []) if isinstance(catalogue, dict) else []
        found: dict[tuple[str, str], Offer] = {}
        for table, title in TITLES.items():
            named = [d for d in datasets if isinstance(d, dict) and d.get("title") == title]
            if not named:
                near = sorted(str(d.get("title")) for d in datasets if isinstance(d, dict) and "Payroll" in str(d.get("title")))
                raise OpenstarsError(
                    f'{url}: no dataset has the title "{title}" (like it: {"; ".join(near) or "none"}).\n'
                    "CMS may have renamed it: give a folder of files with --source."
                )
            for distribution in (d for dataset in named for d in dataset.get("distribution") or []):
                offer = self._offer(table, url, distribution)
                if offer:
                    older = found.get((table, offer.period))
                    if older is None or offer.modified > older.modified:
                        found[table, offer.period] = offer
        return found

    def _offer(self, table: str, base: str, distribution: dict[str, Any]) -> Offer | None:
        """The offer that a distribution is; None for the API entries."""
        kind = str(distribution.get("mediaType") or "").split(";")[0].strip().lower()
        address = str(distribution.get("downloadURL") or "")
        if kind not in FILES or not address:
            return None
        temporal = str(distribution.get("temporal") or "")
        days = [parse_day(part) for part in temporal.split("/")]
        if len(days) != 2 or not days[0] or not days[1] or quarter_of(days[0]) != quarter_of(days[1]):
            self.warnings.append(f'{address}: its dates "{temporal}" are not one quarter, so it is left out')
            return None
        size = str(distribution.get("byteSize") or "")
        return Offer(
            table,
            quarter_of(days[0]),
            urljoin(base, address),
            str(distribution.get("modified") or "")[:10],
            int(size) if size.isdigit() else None,
        )

    def _rows(self, url: str) -> list[ArchiveRow]:
        answer = get_json(url, self.session, self.tries, self.delay)
        rows = answer.get("data") if isinstance(answer, dict) else answer
        if not isinstance(rows, list):
            raise OpenstarsError(
                f"{url}: the answer has no list of archives.\nTry later, or give a folder of files with --source."
            )
        found = []
        for row in rows:
            if isinstance(row, dict) and row.get("url") and row.get("theme", "nursing-homes") == "nursing-homes":
                size = str(row.get("size") or "")
                found.append(
                    ArchiveRow(
                        str(row.get("type") or ""),
                        str(row.get("date") or "")[:10],
                        urljoin(url, str(row["url"])),
                        int(size) if size.isdigit() else None,
                        str(row.get("name") or ""),
                    )
                )
        return sorted(found, key=lambda row: (row.day, row.url))

    def _months(self, row: ArchiveRow) -> str:
        """The one release that an archive which was read is of, or nothing."""
        months = {seen.period for seen in self._seen.get(row.url, []) if seen.table and seen.period}
        return months.pop() if len(months) == 1 else ""

    def _get(self, url: str, store: Store, modified: str) -> Downloaded:
        if url not in self._fetched:
            self._fetched[url] = download(url, store, modified, session=self.session, tries=self.tries, delay=self.delay)
        return self._fetched[url]

    def _fetch_quarter(self, table: str, period: str, store: Store) -> Supply | None:
        offer = self.quarters().get((table, period))
        if offer is None:
            return None
        got = self._get(offer.address, store, offer.modified)
        path, name = store.blob(got.sha256), _name(offer.address)
        if archive.is_zip(path):
            inside = [seen for seen in look_into_blob(store, got.sha256, name) if seen.table == table]
            fitting = [seen for seen in inside if seen.period == period] or inside
            if len(fitting) != 1:
                listed = ", ".join(seen.member for seen in fitting) or "none"
                raise RefusedFile(name, f"the zip should hold one {table} file of {period} but holds: {listed}", todo=_odd(offer))
            seen = fitting[0]
        else:
            with path.open("rb") as stream:
                seen = look(stream, got.size)
        _prove(seen, table, period, name, offer)
        return self._supply(store, table, period, got, seen, name, offer.address, offer.modified)

    def _fetch_release(self, table: str, period: str, store: Store) -> Supply | None:
        months = [row for row in self.archives() if row.kind == "theme" and near(row.day, period)]
        for rows in (months, self._years(period), self._newest(period)):
            found = [
                (row, seen) for row in rows for seen in self._inside(row, store) if (seen.table, seen.period) == (table, period)
            ]
            if found:
                row, seen = found[0]
                for candidate in found[1:]:
                    if order(_dates(*candidate), _dates(row, seen)) >= 0:
                        row, seen = candidate
                name = _name(row.url)
                if seen.refuse:
                    raise RefusedFile(f"{name}!{seen.member}", seen.problem, todo="Tell CMS; until then use a folder without it.")
                return self._supply(
                    store, table, period, self._get(row.url, store, row.day), seen, name, row.url, seen.modified or row.day
                )
        return None

    def _inside(self, row: ArchiveRow, store: Store) -> list[Look]:
        if row.url not in self._seen:
            got = self._get(row.url, store, row.day)
            self._seen[row.url] = look_into_blob(store, got.sha256, _name(row.url))
        return self._seen[row.url]

    def _years(self, period: str) -> list[ArchiveRow]:
        """The yearly bundles that may hold a month: those that say its year."""
        return [row for row in self.archives() if row.kind == "annual_theme" and period[:4] in _words(row)]

    def _newest(self, period: str) -> list[ArchiveRow]:
        """The current whole-theme zip, for a month that is in no archive yet; CMS need not offer it."""
        if self._current is None:
            try:
                self._current = self._rows(self.archive_home + CURRENT)
            except OpenstarsError:
                self._current = []
        return [row for row in self._current if near(row.day, period)]

    def _supply(
        self, store: Store, table: str, period: str, got: Downloaded, seen: Look, name: str, address: str, modified: str
    ) -> Supply | None:
        """Note the supply; the note that stands is given back, so that the same content keeps its first address and time."""
        fetched = str(got.notes.get("fetched", ""))
        store.set_supply(Supply(table, period, got.sha256, seen.member, name, address, modified, fetched, got.size, self.name))
        return store.supply(table, period)


def _words(row: ArchiveRow) -> list[str]:
    return re.findall(r"\d{4}", f"{row.day} {row.name} {row.url}")


def near(day: str, period: str) -> bool:
    """Whether an archive of this day may hold files of a release: dated from the month before to two months after."""
    found = parse_day(day)
    if found is None:
        return False
    apart = (found.year - int(period[:4])) * 12 + found.month - int(period[5:7])
    return -BEFORE <= apart <= AFTER


def _dates(row: ArchiveRow, seen: Look) -> tuple[str, ...]:
    """What tells the later of two files: the archive's date, then that of a zip inside it, then CMS's modified date."""
    return (row.day, archive_date(seen.member), seen.modified)


def _prove(seen: Look, table: str, period: str, name: str, offer: Offer) -> None:
    """Refuse a file whose rows are not what the catalogue says."""
    if seen.table != table:
        what = f"it is a {seen.table} file" if seen.table else seen.problem
        raise RefusedFile(name, f"the catalogue calls it {table} but {what}", todo=_odd(offer))
    if seen.refuse or not seen.period:
        raise RefusedFile(name, seen.problem, line=2, todo=_odd(offer))
    if seen.period != period:
        raise RefusedFile(
            name,
            f"the catalogue says {period} but the rows are of {seen.period}",
            line=2,
            column="CY_Qtr",
            value=seen.period,
            todo=_odd(offer),
        )


def _odd(offer: Offer) -> str:
    return f"Look at {offer.address}; when CMS has put it right run again, or give a folder of files with --source."


def _name(url: str) -> str:
    return unquote(url.split("?")[0].rsplit("/", 1)[-1])
