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
from pipelines.sources.candidates import Candidates, Found
from pipelines.sources.download import DELAY, TRIES, Downloaded, download, get_json, session_for
from pipelines.sources.look import look, look_into_blob, unreadable
from pipelines.sources.names import may_be_of, near, parse_day
from pipelines.store import Store, Supply
from schemas.files import kinds

HOME = "https://data.cms.gov"
CATALOGUE = "/data.json"
LISTS = "/provider-data/api/1/archive/aggregate"
# each list in every address at which it was seen; one of them once answered empty
ARCHIVES = (f"{LISTS}/theme/nursing-homes", f"{LISTS}/theme/nursing-homes/relative")
CURRENT = (
    f"{LISTS}/current/theme/nursing-homes",
    f"{LISTS}/current/theme/nursing-homes/relative",
    f"{LISTS}/current/theme/all",
    f"{LISTS}/current/theme/all/relative",
)
FILES = ("text/csv", "application/zip", "application/x-zip-compressed")
ARCHIVE = "archive"  # the table of an offer that is a zip of many
REST = "use a folder of files without it (--source FOLDER)"


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
        self._told: list[str] = []
        self._quarters: dict[tuple[str, str], list[Offer]] | None = None
        self._undated: list[Offer] = []  # PBJ files whose dates are not one quarter
        self._lists: dict[tuple[str, ...], list[ArchiveRow]] = {}
        self._fetched: dict[str, Downloaded] = {}
        self._read: dict[str, list[Found]] = {}  # what is in each archive that was fetched
        self._chosen: dict[tuple[str, ...], Candidates] = {}

    @property
    def warnings(self) -> list[str]:
        """What the catalogues say oddly, and what is in the archives that were read and not used."""
        lines = [line for candidates in self._chosen.values() for line in candidates.lines()]
        return list(dict.fromkeys([*self._told, *lines]))

    def offers(self) -> list[Offer]:
        """Every PBJ quarter, then every archive; an archive's months are only known once it was read."""
        quarters = [self.quarters()[key][0] for key in sorted(self.quarters())]
        return quarters + [Offer(ARCHIVE, self._months(row), row.url, row.day, row.size) for row in self.archives()]

    def fetch(self, table: str, period: str, store: Store) -> Supply | None:
        """Bring the file of a table and period into the store; None where CMS offers none."""
        return self._fetch_quarter(table, period, store) if table in QUARTER_TABLES else self._fetch_release(table, period, store)

    def quarters(self) -> dict[tuple[str, str], list[Offer]]:
        """The PBJ file of each table and quarter, as data.json lists them: the latest, or some where no date tells."""
        if self._quarters is None:
            url = self.data_home + CATALOGUE
            self._quarters = self._read_quarters(url, get_json(url, self.session, self.tries, self.delay))
        return self._quarters

    def archives(self) -> list[ArchiveRow]:
        """The archives of months and years, oldest first. Empty lists at every address are a fault of CMS: OpenstarsError."""
        found = self._list(ARCHIVES)
        if not found:
            raise OpenstarsError(
                f"{self.archive_home + ARCHIVES[0]}: the list of archives is empty, at its other address too. CMS has answered so by "
                "mistake before.\nTry again later, or give a folder of files with --source."
            )
        return found

    def _read_quarters(self, url: str, catalogue: Any) -> dict[tuple[str, str], list[Offer]]:
        datasets = catalogue.get("dataset", []) if isinstance(catalogue, dict) else []
        found: dict[tuple[str, str], list[Offer]] = {}
        for table in QUARTER_TABLES:
            title = kinds()[table].title
            named = [d for d in datasets if isinstance(d, dict) and d.get("title") == title]
            if not named:
                near_ones = sorted(
                    str(d.get("title")) for d in datasets if isinstance(d, dict) and "Payroll" in str(d.get("title"))
                )
                raise OpenstarsError(
                    f'{url}: no dataset has the title "{title}" (like it: {"; ".join(near_ones) or "none"}).\n'
                    "CMS may have renamed it: give a folder of files with --source."
                )
            for distribution in (d for dataset in named for d in dataset.get("distribution") or []):
                offer = self._offer(table, url, distribution)
                if offer:
                    listed = found.setdefault((table, offer.period), [])
                    listed[:] = _latest([*listed, offer])
        return found

    def _offer(self, table: str, base: str, distribution: dict[str, Any]) -> Offer | None:
        """The offer that a distribution is; None for the API entries."""
        kind = str(distribution.get("mediaType") or "").split(";")[0].strip().lower()
        address = str(distribution.get("downloadURL") or "")
        if kind not in FILES or not address:
            return None
        temporal = str(distribution.get("temporal") or "")
        days = [parse_day(part) for part in temporal.split("/")]
        size = str(distribution.get("byteSize") or "")
        found = Offer(
            table,
            quarter_of(days[0]) if days[0] else "",
            urljoin(base, address),
            str(distribution.get("modified") or "")[:10],
            int(size) if size.isdigit() else None,
        )
        if len(days) != 2 or not days[0] or not days[1] or quarter_of(days[0]) != quarter_of(days[1]):
            self._told.append(f'{found.address}: its dates "{temporal}" are not one quarter, so it is left out')
            self._undated.append(found)
            return None
        return found

    def _list(self, paths: tuple[str, ...]) -> list[ArchiveRow]:
        """A list of archives, from the first of its addresses that has any; what the others said is told.

        Raises OpenstarsError where each of them has a fault.
        """
        if paths not in self._lists:
            said, faults = [], []
            self._lists[paths] = []
            for path in paths:
                try:
                    self._lists[paths] = self._rows(self.archive_home + path)
                except OpenstarsError as fault:
                    faults.append(fault)
                    said.append(str(fault).splitlines()[0])
                    continue
                if self._lists[paths]:
                    break
                said.append(f"{self.archive_home + path}: the list of archives is empty")
            if len(faults) == len(paths):
                del self._lists[paths]
                raise faults[0]
            self._told += [f"{line.rstrip('.')}, so it was asked for at its other addresses" for line in said]
        return self._lists[paths]

    def _rows(self, url: str) -> list[ArchiveRow]:
        answer = get_json(url, self.session, self.tries, self.delay)
        rows = answer.get("data") if isinstance(answer, dict) else answer
        if isinstance(rows, dict):  # keyed rows, as the search answer has them
            rows = list(rows.values())
        if not isinstance(rows, list):
            raise OpenstarsError(
                f"{url}: the answer has no list of archives.\nTry later, or give a folder of files with --source."
            )
        found = []
        for row in rows:
            if isinstance(row, dict) and row.get("url") and str(row.get("theme") or "nursing-homes") == "nursing-homes":
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
        return sorted(set(found), key=lambda row: (row.day, row.url))

    def _months(self, row: ArchiveRow) -> str:
        """The one release that an archive which was read is of, or nothing."""
        months = {found.seen.period for found in self._read.get(row.url, []) if found.seen.is_usable and found.seen.period}
        return months.pop() if len(months) == 1 else ""

    def _get(self, url: str, store: Store, modified: str) -> Downloaded:
        if url not in self._fetched:
            self._fetched[url] = download(url, store, modified, session=self.session, tries=self.tries, delay=self.delay)
        return self._fetched[url]

    def _fetch_quarter(self, table: str, period: str, store: Store) -> Supply | None:
        offers = self.quarters().get((table, period), [])
        if not offers:
            odd = next((o for o in self._undated if o.table == table and may_be_of(_name(o.address), period)), None)
            if odd:
                problem = f"the catalogue lists it without the dates of one quarter, and no other file for {table} of {period}"
                raise RefusedFile(odd.address, problem, todo=f"{_odd(odd)[:-1]}; or add --without {table}:{period}.")
            return None
        got = [self._get(offer.address, store, offer.modified) for offer in offers]
        if len({one.sha256 for one in got}) > 1:
            listed = ", ".join(offer.address for offer in offers[1:])
            problem = f"the catalogue lists it and {listed} for {table} of {period} with one date, and they differ"
            raise RefusedFile(offers[0].address, problem, todo=_odd(offers[0]))
        return self._prove_quarter(offers[0], got[0], store)

    def _prove_quarter(self, offer: Offer, got: Downloaded, store: Store) -> Supply | None:
        """The supply of a file that the catalogue calls a quarter of a table, once its content says so."""
        path, name = store.blob(got.sha256), _name(offer.address)
        if archive.is_zip(path):
            inside = [seen for seen in look_into_blob(store, got.sha256, name) if seen.table == offer.table]
            fitting = [seen for seen in inside if seen.period == offer.period] or inside
            if len(fitting) != 1:
                listed = ", ".join(seen.member for seen in fitting) or "none"
                problem = f"the zip should hold one {offer.table} file of {offer.period} but holds: {listed}"
                raise RefusedFile(name, problem, todo=_odd(offer))
            seen = fitting[0]
        else:
            with path.open("rb") as stream:
                seen = look(stream, got.size, "", name)
        _prove(seen.table if seen.is_usable or not seen.may_be else "", seen.problem, seen.period, name, offer)
        return self._supply(store, offer.table, offer.period, got, seen.member, name, offer.address, offer.modified)

    def _fetch_release(self, table: str, period: str, store: Store) -> Supply | None:
        months = [row for row in self.archives() if row.kind == "theme" and near(row.day, period)]
        for rows in (months, self._years(period), self._newest(period)):
            chosen = self._candidates(rows, store).choose(table, period) if rows else None
            if chosen:
                got = self._fetched[chosen.place]
                modified = chosen.seen.modified or chosen.day
                return self._supply(store, table, period, got, chosen.seen.member, chosen.name, chosen.place, modified)
        return None

    def _candidates(self, rows: list[ArchiveRow], store: Store) -> Candidates:
        """What is in some archives, those of other months in them included."""
        key = tuple(row.url for row in rows)
        if key not in self._chosen:
            found = [one for row in rows for one in self._inside(row, store)]
            self._chosen[key] = Candidates(found, lambda one, other: self._same(one, other, store), REST)
        return self._chosen[key]

    def _inside(self, row: ArchiveRow, store: Store) -> list[Found]:
        if row.url not in self._read:
            got = self._get(row.url, store, row.day)
            name = _name(row.url)
            try:
                looks = look_into_blob(store, got.sha256, name)
            except RefusedFile as fault:
                looks = [unreadable("", name, fault.problem, got.size)]
            self._read[row.url] = [Found(row.url, name, seen, row.day) for seen in looks]
        return self._read[row.url]

    def _same(self, one: Found, other: Found, store: Store) -> bool:
        """Whether two members have the same content."""
        if one.seen.size != other.seen.size:
            return False
        return self._digest(one, store) == self._digest(other, store)

    def _digest(self, found: Found, store: Store) -> str:
        with archive.open_member(store.blob(self._fetched[found.place].sha256), found.seen.member) as stream:
            return archive.digest(stream)

    def _years(self, period: str) -> list[ArchiveRow]:
        """The yearly bundles that may hold a month: those that say its year."""
        return [row for row in self.archives() if row.kind == "annual_theme" and period[:4] in _words(row)]

    def _newest(self, period: str) -> list[ArchiveRow]:
        """The current whole-theme zip, for a month that is in no archive yet; CMS need not offer it."""
        try:
            return [row for row in self._list(CURRENT) if near(row.day, period)]
        except OpenstarsError as fault:
            self._told.append(str(fault).splitlines()[0])
            self._lists[CURRENT] = []
            return []

    def _supply(
        self, store: Store, table: str, period: str, got: Downloaded, member: str, name: str, address: str, modified: str
    ) -> Supply | None:
        """Note the supply; the note that stands is given back, so that the same content keeps its first address and time."""
        fetched = str(got.notes.get("fetched", ""))
        store.set_supply(Supply(table, period, got.sha256, member, name, address, modified, fetched, got.size, self.name))
        return store.supply(table, period)


def _latest(offers: list[Offer]) -> list[Offer]:
    """Of several offers for one table and quarter those with the latest date, each address once."""
    latest = max(offer.modified for offer in offers)
    return list({offer.address: offer for offer in offers if offer.modified == latest}.values())


def _words(row: ArchiveRow) -> list[str]:
    return re.findall(r"\d{4}", f"{row.day} {row.name} {row.url}")


def _prove(table: str, problem: str, period: str, name: str, offer: Offer) -> None:
    """Refuse a file whose rows are not what the catalogue says."""
    if table != offer.table:
        what = f"it is a {table} file" if table else problem
        raise RefusedFile(name, f"the catalogue calls it {offer.table} but {what}", todo=_odd(offer))
    if period != offer.period:
        said = f"the catalogue says {offer.period} but the rows are of {period}"
        raise RefusedFile(name, said, line=2, column="CY_Qtr", value=period, todo=_odd(offer))


def _odd(offer: Offer) -> str:
    return f"Look at {offer.address}; when CMS has put it right run again, or give a folder of files with --source."


def _name(url: str) -> str:
    return unquote(url.split("?")[0].rsplit("/", 1)[-1])
