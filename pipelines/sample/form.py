"""The form of a month's files: their names, encoding, line ends and quotes, as CMS's were in that month."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import IO

from pipelines.periods import releases
from pipelines.sample.provider import CCN, WHERE
from pipelines.sample.purchasing import fiscal_year, of_year
from schemas.files import kinds, layout

UTF_8_SINCE = "2023-05"  # cp1252 before
BLANK_LINE_UNTIL = "2024-06"  # at the end of a file
FOLDER_UNTIL = "2022-12"  # in the zip
PREFIX_SINCE = "2026-07"  # data set and modified date before a member's name, and manifest.json beside the members
OLD_PLACE = "/provider-data/sites/default/files/archive/Nursing homes including rehab services/"
NEW_PLACE = "/provider-data/sites/default/files/dataset-archives/unknown-type/"
VACCINATED_UNTIL = "2025-06"  # last seen of 11 May 2025; no longer there in March 2026
FOUR_MEASURES_SINCE = "2025-11"  # of value-based purchasing, whose layout is known of the fiscal years 2024 and 2026
PURCHASING = ("snf_vbp_facility", "snf_vbp_aggregate")
VACCINATION = ("covid_vax_provider", "covid_vax_averages")
# a column's name before June 2023 (before July 2025 of the last two): the rows here go by that of today
FORMERLY = {
    "Federal Provider Number": CCN,
    "Provider City": "City/Town",
    "Provider State": "State",
    "Provider Zip Code": "ZIP Code",
    "Provider Phone Number": "Telephone Number",
    "Provider County Name": "County/Parish",
    "Affiliated Entity Name": "Chain Name",
    "Affiliated Entity ID": "Chain ID",
}
BARE_SINCE = "2025-07"  # provider information and averages: only names and places in quotes
TEXT = (CCN, "ZIP Code", "Telephone Number", "Provider SSA County Code")  # digits that are no number
NAMES = (*WHERE, "Legal Business Name", "Chain Name")
NEEDS_QUOTES = re.compile(r'[",\r\n]')

Row = Mapping[str, str]


def first_of(release: str) -> date:
    """The first day of a release month."""
    return date(int(release[:4]), int(release[5:]), 1)


def release_days(release: str) -> tuple[date, date]:
    """The day the release is posted, the last Wednesday of its month, and the day a part of it is posted again."""
    after = first_of(release) + timedelta(days=31)
    last = after - timedelta(days=after.day)
    posted = last - timedelta(days=(last.weekday() - 2) % 7)
    return posted, posted + timedelta(days=8)


def quarter_posted(quarter: str) -> date:
    """The day on which a PBJ quarter is posted: with the first release that reads it, for levels or (2023Q4) turnover."""
    made = [r for r in releases().values() if r.basis != "never_made"]
    shown = min((r.name for r in made if max(r.all_quarters) == quarter), default=min(r.name for r in made))
    return release_days(shown)[0]


def zip_member(name: str, day: date) -> zipfile.ZipInfo:
    """A zip entry whose bytes do not depend on when or where it was written."""
    info = zipfile.ZipInfo(name, (day.year, day.month, day.day, 12, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    info.create_system = 3
    return info


def archive_name(release: str, day: date) -> str:
    """CMS's name of the zip of a month."""
    if release >= PREFIX_SINCE:
        return f"nursing-homes_{day.isoformat()}.zip"
    return f"nursing_homes_including_rehab_services_{release[5:]}_{release[:4]}.zip"


def archive_address(name: str) -> str:
    """Where CMS's site has a zip of that name."""
    year = re.fullmatch(r"nursing_homes_including_rehab_services_\d\d_(\d{4})\.zip", name)
    return f"{OLD_PLACE}{year[1]}/{name}" if year else NEW_PLACE + name


def has(kind: str, release: str) -> bool:
    """Whether a month has files of a kind."""
    return kind not in VACCINATION or release <= VACCINATED_UNTIL


def vaccinated_on(release: str) -> date:
    """The Sunday of which a month's vaccination files are."""
    posted = release_days(release)[0]
    return posted - timedelta(days=(posted.weekday() + 1) % 7)


def month_of(kind: str, release: str) -> date:
    """The month that CMS says a file of a release is of: those that are renewed more seldom are older than their zip."""
    month = first_of(release)
    if kind == "snf_qrp_national":
        return month.replace(month=month.month - (month.month - 1) % 3)
    if kind in PURCHASING:
        return date(fiscal_year(month) - 1, 11, 1)
    return month


def member_name(kind: str, release: str) -> str:
    """CMS's name of a file, without folder or prefix."""
    stem, month = kinds()[kind].stems[0], month_of(kind, release)
    if kind in PURCHASING:
        return f"FY_{fiscal_year(month)}_{stem}.csv"
    told = f"{vaccinated_on(release):%Y%m%d}" if kind in VACCINATION else f"{month:%b%Y}"
    return f"{stem}_{told}.csv"


def place_of(kind: str, release: str, modified: date) -> str:
    """The path of a file in the zip of its month."""
    name = member_name(kind, release)
    if release >= PREFIX_SINCE:
        return f"{kinds()[kind].dataset_id}_{modified.isoformat()}_{name}"
    folder = archive_name(release, modified).removesuffix(".zip") + "/" if release <= FOLDER_UNTIL else ""
    return folder + name


def header_of(kind: str, release: str) -> list[str]:
    """The header of a file; that of value-based purchasing has its fiscal years in it, and is known of two years only."""
    names = layout(kind, release)
    if kind not in PURCHASING:
        return list(names)
    known = 2026 if release >= FOUR_MEASURES_SINCE else 2024
    return [of_year(name, fiscal_year(first_of(release)) - known) for name in names]


def write(out: IO[bytes], kind: str, release: str, rows: Iterable[Row]) -> None:
    """A file as CMS wrote it in a month; row by row, since the largest has hundreds of megabytes."""
    columns = [FORMERLY.get(name, name) for name in layout(kind, release)]
    line = _quoting(kind, release, columns)
    with io.TextIOWrapper(out, encoding="utf-8" if release >= UTF_8_SINCE else "cp1252", newline="") as text:
        text.write(_all_quoted(header_of(kind, release)))
        for row in rows:
            text.write(line([row.get(column, "") for column in columns]))
        if release <= BLANK_LINE_UNTIL:
            text.write("\r\n")


def _quoting(kind: str, release: str, columns: Sequence[str]) -> Callable[[list[str]], str]:
    """How the cells of a file are quoted: all but blanks, where nothing else is known."""
    if kind not in ("provider_info", "state_averages"):
        return _all_quoted
    if release >= BARE_SINCE:
        return lambda cells: _line(cells, [column in NAMES for column in columns])
    if kind == "state_averages":
        return _all_quoted
    return lambda cells: _line(cells, [column in TEXT or not cell.isdigit() for column, cell in zip(columns, cells, strict=True)])


def _line(cells: list[str], quoted: list[bool]) -> str:
    told = zip(cells, quoted, strict=True)
    return (
        ",".join(_in_quotes(cell) if cell and (wanted or NEEDS_QUOTES.search(cell)) else cell for cell, wanted in told) + "\r\n"
    )


def _all_quoted(cells: list[str]) -> str:
    return ",".join(_in_quotes(cell) if cell else "" for cell in cells) + "\r\n"


def _in_quotes(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'
