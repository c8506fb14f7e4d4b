"""Where every file lives, written whole or not at all, each with a manifest."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pipelines.errors import MissingInput

BLOCK = 1 << 20


@dataclass(frozen=True)
class Supply:
    """The file that supplies one table for one period: a raw blob, and the member of it where it is a zip."""

    table: str  # schema name of the staged source: pbj_daily, pbj_employee, provider_info, state_averages, collection_intervals
    period: str
    sha256: str  # of the blob in raw/
    member: str  # path inside the zip, "!" between a zip and a zip inside it; empty for a plain file
    name: str  # file name as a person knows it
    address: str  # where it was fetched, or the path relative to the folder
    modified: str  # CMS's modified date (ISO), empty where unknown
    fetched: str  # ISO time
    size: int  # bytes of the blob
    source: str = ""  # cms, sample or folder


@dataclass(frozen=True)
class Store:
    """One folder with everything that runs write."""

    root: Path

    def blob(self, sha256: str) -> Path:
        """Where the raw bytes with this hash are, or would be."""
        return self.root / "raw" / "blobs" / sha256[:2] / sha256

    def add_blob(self, made: Path, sha256: str, seen: dict[str, Any]) -> Path:
        """Move a finished file under its hash and note where it was seen; the same bytes at a second address are a second note."""
        target = self.blob(sha256)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            made.unlink()
        else:
            os.replace(made, target)
        notes = Path(f"{target}.json")
        known = read_json(notes) or {"sha256": sha256, "bytes": target.stat().st_size, "seen": []}
        same = [s for s in known["seen"] if s.get("address") == seen.get("address") and s.get("etag") == seen.get("etag")]
        if not same:
            known["seen"].append(seen)
            write_json(notes, known)
        return target

    def supply_file(self, table: str, period: str) -> Path:
        """The note that says which blob supplies a table for a period."""
        return self.root / "raw" / "supplies" / table / f"{period}.json"

    def supply(self, table: str, period: str) -> Supply | None:
        """The file that supplies a table for a period, or None where none was ever supplied."""
        found = read_json(self.supply_file(table, period))
        return Supply(**found["now"]) if found and found["now"] else None

    def set_supply(self, supply: Supply) -> bool:
        """Note a supply. False where the same content was noted before; earlier vintages stay listed."""
        note = self.supply_file(supply.table, supply.period)
        found = read_json(note) or {"now": None, "before": []}
        now = found["now"]
        if now and (now["sha256"], now["member"], now.get("source")) == (supply.sha256, supply.member, supply.source):
            return False
        before = [*found["before"], now] if now else []
        write_json(note, {"now": asdict(supply), "before": before})
        return True

    def withdraw(self, table: str, period: str) -> None:
        """Note that the source in use has no file for a table and period; what was there before stays listed."""
        note = self.supply_file(table, period)
        found = read_json(note)
        if found and found["now"]:
            write_json(note, {"now": None, "before": [*found["before"], found["now"]]})

    def vintages(self, table: str, period: str) -> list[Supply]:
        """Every supply that was ever noted, oldest first."""
        found = read_json(self.supply_file(table, period))
        return [Supply(**s) for s in [*found["before"], found["now"]] if s] if found else []

    def folder(self, table: str, period: str) -> Path:
        """The folder of a staged or computed table ("staged.pbj_daily", "2026Q1")."""
        area, _, name = table.partition(".")
        clock = "quarter" if "Q" in period else "release"
        base = self.root / "staged" if area == "staged" else self.root / "computed" / area
        return base / name / f"{clock}={period}"

    def parquet(self, table: str, period: str) -> Path:
        """The Parquet file of a table and period."""
        return self.folder(table, period) / "data.parquet"

    def manifest(self, table: str, period: str) -> dict[str, Any] | None:
        """The manifest of a finished table, or None."""
        return read_json(self.folder(table, period) / "manifest.json")

    def published(self, release: str) -> Path:
        """The folder of a published release."""
        return self.root / "published" / release

    @contextmanager
    def making(self, target: Path) -> Iterator[Path]:
        """A temporary folder that becomes `target` when the block ends well, and vanishes when it does not."""
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        try:
            yield temporary
            if target.exists():
                old = Path(tempfile.mkdtemp(prefix=f".{target.name}.old.", dir=target.parent))
                os.rename(target, old / "was")
                os.rename(temporary, target)
                shutil.rmtree(old)
            else:
                os.rename(temporary, target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)

    def need(self, table: str, period: str) -> list[Path]:
        """The Parquet files of a finished table. Raises MissingInput where it is not there or its checks did not pass."""
        manifest = self.manifest(table, period)
        if manifest is None or not manifest.get("checked"):
            raise MissingInput(f"{table} of {period} is not in the store {self.root}: stage it first (openstars run does)")
        return data_files(self.folder(table, period))


def data_file(number: int) -> str:
    """The name of a Parquet file of a table, counted from 0."""
    return f"data-{number:03d}.parquet" if number else "data.parquet"


def data_files(folder: Path) -> list[Path]:
    """The Parquet files of a table in the order of their rows: one, or of a large table some."""
    return sorted(folder.glob("data*.parquet"), key=lambda file: (len(file.name), file.name))


def read_json(path: Path) -> Any:
    """The content of a JSON file, or None where there is none."""
    return json.loads(path.read_text()) if path.exists() else None


def write_json(path: Path, content: Any) -> None:
    """Write JSON whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(content, indent=1, sort_keys=True, default=str) + "\n")
    os.replace(temporary, path)


def sha256_of(*paths: Path) -> str:
    """SHA-256 of the bytes of files, one after another, as hex."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    return digest.hexdigest()


def fingerprint(*parts: Any) -> str:
    """One hash over JSON-like parts: what a table was made from."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
