"""Writing the PBJ files: blocks of homes become lines of text without a Python loop over rows."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.sample import layouts
from pipelines.sample.form import quarter_posted, zip_member
from pipelines.sample.home import Home
from pipelines.sample.window import Window
from schemas.files import layout

NURSE_COLUMNS = 8
INCOMPLETE = "Incomplete"  # the column of the one quarter that has it
END = "\n"


def quoted(*cells: str) -> str:
    """Cells of text as CMS's PBJ files have them, in quotes; numbers stand without."""
    return ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)


class PbjFiles:
    """The twelve PBJ files of a window, open for one block of homes after another."""

    def __init__(self, folder: Path, window: Window):
        """Create the files and write their headers."""
        self.window = window
        self.names: list[tuple[str, str, str]] = []  # dataset title, path, quarter
        self.dates = pa.array([window.date(day).strftime("%Y%m%d") for day in range(window.days)])
        self.trimmed = pa.array([f"{cents / 100:.2f}".rstrip("0").rstrip(".") for cents in range(200_000)])
        self.fixed = pa.array([f"{cents / 100:.2f}" for cents in range(10_000)])
        self.marks = [INCOMPLETE in layout("pbj_daily", quarter) for quarter in window.quarters]
        self._open: list[IO[bytes]] = []
        self._zips: list[zipfile.ZipFile] = []
        self.daily = [self._daily_file(folder, k) for k in range(6)]
        self.employee = [self._employee_file(folder, k) for k in range(6)]

    def _daily_file(self, folder: Path, k: int) -> IO[bytes]:
        name = f"pbj/PBJ_dailynursestaffing_CY{self.window.quarters[k]}.csv"
        self.names.append(("Payroll Based Journal Daily Nurse Staffing", name, self.window.quarters[k]))
        return self._start((folder / name).open("wb"), layouts.daily_header(k, self.window.quarters[k]))

    def _employee_file(self, folder: Path, k: int) -> IO[bytes]:
        stem = f"PBJ_employeedetail_CY{self.window.quarters[k]}"
        name = f"pbj/{stem}.{'zip' if k in layouts.ZIPPED_POSITIONS else 'csv'}"
        self.names.append(("Payroll Based Journal Employee Detail Nursing Home Staffing", name, self.window.quarters[k]))
        header = layouts.employee_header(k, self.window.quarters[k])
        if k not in layouts.ZIPPED_POSITIONS:
            return self._start((folder / name).open("wb"), header)
        # One zip can have one open member at a time, and each zip here has only one.
        packed = zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        self._zips.append(packed)
        posted = quarter_posted(
            self.window.quarters[k]
        )  # the same file in every release that reads the quarter at the same place
        return self._start(packed.open(zip_member(f"{stem}.csv", posted), "w", force_zip64=True), header)

    def _start(self, file: IO[bytes], header: tuple[str, ...]) -> IO[bytes]:
        self._open.append(file)
        file.write((quoted(*header) + END).encode())
        return file

    def close(self) -> None:
        """Finish every file."""
        for file in self._open:
            file.close()
        for packed in self._zips:
            packed.close()

    def write(self, homes: list[Home]) -> None:
        """Append a block of homes to all twelve files."""
        for k in range(6):
            for home in homes:
                if k not in home.absent_daily:
                    text = self._daily_text(home, k)
                    encoding = "cp1252" if k in layouts.CP1252_POSITIONS else "utf-8"
                    self.daily[k].write(text if text.isascii() else text.decode().encode(encoding))
            self.employee[k].write(self._employee_text([h for h in homes if k not in h.absent_employee], k))

    def _daily_text(self, home: Home, k: int) -> bytes:
        days = np.arange(self.window.starts[k], self.window.starts[k + 1])
        who = home.who
        ccn = who.ccn.lstrip("0") if k in home.short_ccn_positions else quoted(who.ccn)  # a number, once the zero is lost
        text = quoted(who.name, who.city, who.state, who.county)
        prefix = ",".join([ccn, text, str(who.fips), quoted(self.window.quarters[k]), ""])
        cells = []
        for column in range(NURSE_COLUMNS):
            for cents in (home.daily[days, column].sum(axis=1), home.daily[days, column, 0], home.daily[days, column, 1]):
                cells.append(self._hours(cents, k in home.grouped_positions, self._blanks(home, days, column)))
        residents = pc.cast(pa.array(home.census[days]), pa.string())
        dates = self.dates.take(pa.array(days))
        first = pc.binary_join_element_wise(pa.scalar(prefix), dates, pa.scalar(""))
        if self.marks[k]:
            cells.append(pa.array(["1" if k in home.incomplete else "0"] * len(days)))
        return _joined([first, residents, *cells], END)

    def _blanks(self, home: Home, days: np.ndarray, column: int) -> np.ndarray | None:
        wanted = [day for day, code in home.blank_cells if code - 5 == column]
        return np.isin(days, wanted) if wanted else None

    def _hours(self, cents: np.ndarray, grouped: bool, blank: np.ndarray | None) -> pa.Array:
        if grouped and (cents >= 100_000).any():
            text = [f'"{c / 100:,.2f}"' if c >= 100_000 else f"{c / 100:.2f}" for c in cents.tolist()]
            return pa.array(text)
        found = self.trimmed.take(pa.array(cents))
        return found if blank is None else pc.if_else(pa.array(blank), pa.scalar(""), found)

    def _employee_text(self, homes: list[Home], k: int) -> bytes:
        parts = [home.rows.where(_between(home, self.window, k)) for home in homes]
        kept = [(home, rows) for home, rows in zip(homes, parts, strict=True) if len(rows)]
        if not kept:
            return b""
        prefixes = pa.array([quoted(home.who.ccn, home.who.state, self.window.quarters[k]) for home, _ in kept])
        home_of_row = np.repeat(np.arange(len(kept)), [len(rows) for _, rows in kept])
        day, person, code, contract, cents = (
            np.concatenate([getattr(rows, c) for _, rows in kept]) for c in ("day", "person", "code", "contract", "cents")
        )
        numbers = pa.array([str(n) for n in range(41)])
        footnote = pc.if_else(pa.array((cents >= 1650) & (k > 0)), pa.scalar("1"), pa.scalar(""))
        return _joined(
            [
                prefixes.take(pa.array(home_of_row)),
                self.dates.take(pa.array(day)),
                pc.cast(pa.array(person), pa.string()),
                numbers.take(pa.array(code)),
                numbers.take(pa.array(contract.astype(np.int8) + 1)),
                self.fixed.take(pa.array(cents)),
                footnote,
            ],
            END,
        )


def _between(home: Home, window: Window, k: int) -> slice:
    """Rows are in order of days, so a quarter is one run of them."""
    first, after = np.searchsorted(home.rows.day, [window.starts[k], window.starts[k + 1]])
    return slice(int(first), int(after))


def _joined(columns: list[pa.Array], end: str) -> bytes:
    """Columns of text as CSV lines: the data buffer of the joined Arrow array is the text itself."""
    lines = pc.binary_join_element_wise(
        *columns[:-1], pc.binary_join_element_wise(columns[-1], pa.scalar(end), pa.scalar("")), pa.scalar(",")
    )
    if isinstance(lines, pa.ChunkedArray):
        lines = lines.combine_chunks()
    out = io.BytesIO()
    text = lines.cast(pa.large_string()) if lines.type != pa.large_string() else lines
    buffers = text.buffers()
    offsets = np.frombuffer(buffers[1], dtype=np.int64)
    out.write(memoryview(buffers[2])[offsets[text.offset] : offsets[text.offset + len(text)]])
    return out.getvalue()
