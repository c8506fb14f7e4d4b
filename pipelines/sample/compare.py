"""The Care Compare files of the release: ProviderInfo, state averages, intervals, and the theme zips that hold them."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path

from pipelines.sample import layouts
from pipelines.sample.home import NATION_INDEX, case_mix
from pipelines.sample.provider import STEM, Listing, printed
from pipelines.sample.window import Window
from pipelines.sample.written import zip_member

SETS = {
    "NH_ProviderInfo": ("4pq5-n9py", "Provider Information"),
    "NH_StateUSAverages": ("xcdc-v8bm", "State US Averages"),
    "NH_DataCollectionIntervals": ("qmdc-9999", "Data Collection Intervals"),
}
DIGITS = {
    "Nursing Case-Mix Index": 5,
    "Average Number of Residents per Day": 1,
    "Number of Fines": 1,
    "Fine Amount in Dollars": 0,
}
LIKE = {"Fine Amount in Dollars": "Total Amount of Fines in Dollars"}
# Quality measures that have no source file here: one plausible national value, the same in each state.
OTHER_AVERAGES = "12.500000"


def release_days(release: str) -> tuple[date, date]:
    """The day the release is posted, the last Wednesday of its month, and the day a part of it is posted again."""
    year, month = int(release[:4]), int(release[5:])
    last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
    posted = last - timedelta(days=(last.weekday() - 2) % 7)
    return posted, posted + timedelta(days=8)


def as_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A CSV in CMS's manner: quoted where needed, CRLF, UTF-8."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def provider_info(listings: list[Listing], processed: str, correct: bool = False) -> bytes:
    """NH_ProviderInfo. `correct` gives the first home another telephone number, as a second posting of the month does."""
    rows = []
    for position, found in enumerate(listings):
        row = found.row | {"Processing Date": processed}
        if correct and position == 0:
            row["Telephone Number"] = "2025550100"
        rows.append([row.get(column, "") for column in layouts.PROVIDER_INFO])
    return as_csv(layouts.PROVIDER_INFO, rows)


def state_averages(listings: list[Listing], processed: str) -> bytes:
    """NH_StateUSAverages: means over homes with a value; the case-mix cells of NATION are the constants of `home.py`."""
    groups: dict[str, list[dict[str, str]]] = {"NATION": [found.row for found in listings]}
    for found in sorted(listings, key=lambda one: one.state):
        groups.setdefault(found.state, []).append(found.row)
    constant = {
        f"Case-Mix {stem} Staffing Hours per Resident per Day": printed(Fraction(case_mix(measure, NATION_INDEX), 100_000), 5)
        for measure, stem in STEM.items()
    }
    table = []
    for state, rows in groups.items():
        cells = {"State or Nation": state, "Processing Date": processed}
        for column in layouts.STATE_AVERAGES[1:-1]:
            cells[column] = _mean(column, rows)
        table.append([(cells | (constant if state == "NATION" else {}))[column] for column in layouts.STATE_AVERAGES])
    return as_csv(layouts.STATE_AVERAGES, table)


def _mean(column: str, rows: list[dict[str, str]]) -> str:
    if column.startswith("Cycle "):
        found = [r["Rating Cycle 1 Total Number of Health Deficiencies"] for r in rows]
    elif column.startswith(("Percentage", "Number of hosp", "Number of outp")):
        return OTHER_AVERAGES
    else:
        found = [r.get(LIKE.get(column, column), "") for r in rows]
    values = [Fraction(text) for text in found if text]
    digits = DIGITS.get(column, 5 if "per Resident" in column or "per resident" in column else 1)
    return printed(sum(values, Fraction(0)) / len(values), digits) if values else ""


def intervals(window: Window, posted: date) -> bytes:
    """NH_DataCollectionIntervals: staffing levels are Q5, turnover is the first day of Q1 to the last of Q4."""

    def us(day: int) -> str:
        return window.date(day).strftime("%m/%d/%Y")

    spans = (("STAFFING_LEVELS", "Staffing levels", 5, 6), ("STAFFING_TURNOVER", "Staff turnover", 1, 5))
    rows = []
    for code, what, first, after in spans:
        begin, end = us(window.starts[first]), us(window.starts[after] - 1)
        rows.append([code, what, begin, end, f"{begin} - {end}", posted.strftime("%Y%m%d")])
    return as_csv(layouts.INTERVALS, rows)


def archive(path: Path, posted: date, month: date, files: dict[str, bytes]) -> None:
    """A theme zip in CMS's shape: members named by data set and day, manifest, dictionary, and what a Mac leaves behind."""
    manifest = []
    with zipfile.ZipFile(path, "w") as packed:
        for stem, content in files.items():
            dataset, title = SETS[stem]
            name = f"{dataset}_{posted.isoformat()}_{stem}_{month:%b%Y}.csv"
            packed.writestr(zip_member(name), content)
            manifest.append(
                {
                    "name": f"{title} ({posted.isoformat()})",
                    "dataset_id": dataset,
                    "type": "individual",
                    "modified_date": posted.isoformat(),
                    "access_level": "public",
                    "private": False,
                    "resources": [{"filename": name, "filesize": len(content), "mime_type": "text/csv"}],
                }
            )
        packed.writestr(zip_member("manifest.json"), json.dumps(manifest, indent=2))
        packed.writestr(zip_member("NH_Data_Dictionary.pdf"), b"%PDF-1.4\n% the dictionary of a made-up nation\n%%EOF\n")
        packed.writestr(zip_member(f"__MACOSX/._{packed.namelist()[0]}"), b"\x00\x05\x16\x07")
