"""Where every file lives, written whole or not at all, each with a manifest.

A store is a folder, or an address of object storage (s3://bucket/folder) with a folder of local copies. Of the latter the far side is
the truth: notes are read there each time, and a finished folder counts as its list there says; the copies only save the way.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pipelines.errors import MissingInput, UsageError
from pipelines.far import LIST, Far, list_of
from pipelines.far import sha256_of as sha256_of  # for all who read the store

AREAS = ("staged", "computed", "published", "changes")
WORKING = re.compile(r"\.[\w=-]+\.(old\.)?\w{8}")  # what whole_folder works in
NOTE, MADE_BY = "store.json", {"made_by": "openstars"}  # by which a folder is known to be a store
LEFTOVER = 86_400  # seconds after which nobody works in a working folder any more


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
    """One place with everything that runs write; `open_store` finds it by its address."""

    root: Path  # the folder, or that of the local copies
    far: Far | None = None

    @property
    def address(self) -> str:
        """What a person calls the store: its folder or its address."""
        return self.far.address if self.far else str(self.root)

    def __str__(self) -> str:
        """The address."""
        return self.address

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another machine, the store is opened there by its address: local copies lie elsewhere on each."""
        return (open_store, (self.address,))

    def key(self, path: Path) -> str:
        """What a path of the store is called on the far side."""
        return path.relative_to(self.root).as_posix()

    def note(self, path: Path) -> Any:
        """The content of a small JSON file of the store, or None where there is none."""
        if self.far is None:
            return read_json(path)
        found = self.far.read(self.key(path))
        return json.loads(found) if found else None

    def put_note(self, path: Path, content: Any) -> None:
        """Write a small JSON file of the store whole or not at all."""
        if self.far is None:
            write_json(path, content)
        else:
            self.far.write(self.key(path), json_text(content).encode())

    def try_to_write(self) -> None:
        """Write a small file, so that a store that cannot be written is told before hours of work."""
        self.put_note(self.root / NOTE, MADE_BY)

    def clear_leftovers(self) -> None:
        """Remove what runs that were killed left here a day ago or more: working folders, and parts of tables that came to be."""
        hidden = [f for area in AREAS for f in (self.root / area).rglob(".*") if WORKING.fullmatch(f.name)]
        for folder in [*hidden, *(self.root / "tmp").glob("*.*"), *(self.root / "parts").glob("*/*")]:
            if folder.is_dir() and time.time() - folder.stat().st_mtime > LEFTOVER:
                shutil.rmtree(folder, ignore_errors=True)

    def blob_path(self, sha256: str) -> Path:
        """Where the raw bytes with this hash are, or would be."""
        return self.root / "raw" / "blobs" / sha256[:2] / sha256

    def has_blob(self, sha256: str) -> bool:
        """Whether the store has the raw bytes with this hash."""
        path = self.blob_path(sha256)
        return self.far.has(self.key(path)) if self.far else path.exists()

    def blob(self, sha256: str) -> Path:
        """The raw bytes with this hash, brought here where they are only on the far side. Raises MissingInput without them."""
        path = self.blob_path(sha256)
        if not path.exists():
            if not self.has_blob(sha256):
                raise MissingInput(f"The store {self} has lost {self.key(path)}: run again with the source that it came from")
            if self.far:
                self.far.get(self.key(path), path, sha256)
        return path

    def add_blob(self, made: Path, sha256: str, seen: dict[str, Any]) -> Path:
        """Move a finished file under its hash and note where it was seen; the same bytes at a second address are a second note."""
        target = self.blob_path(sha256)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            made.unlink()
        else:
            os.replace(made, target)
        if self.far and not self.has_blob(sha256):
            self.far.put(target, self.key(target))
        notes = Path(f"{target}.json")
        known = self.note(notes) or {"sha256": sha256, "bytes": target.stat().st_size, "seen": []}
        same = [s for s in known["seen"] if s.get("address") == seen.get("address") and s.get("etag") == seen.get("etag")]
        if not same:
            known["seen"].append(seen)
            self.put_note(notes, known)
        return target

    def supply_file(self, table: str, period: str) -> Path:
        """The note that says which blob supplies a table for a period."""
        return self.root / "raw" / "supplies" / table / f"{period}.json"

    def supply(self, table: str, period: str) -> Supply | None:
        """The file that supplies a table for a period, or None where none was ever supplied."""
        found = self.note(self.supply_file(table, period))
        return Supply(**found["now"]) if found and found["now"] else None

    def set_supply(self, supply: Supply) -> bool:
        """Note a supply. False where the same content was noted before; earlier vintages stay listed."""
        note = self.supply_file(supply.table, supply.period)
        found = self.note(note) or {"now": None, "before": []}
        now = found["now"]
        if now and (now["sha256"], now["member"], now.get("source")) == (supply.sha256, supply.member, supply.source):
            return False
        before = [*found["before"], now] if now else []
        self.put_note(note, {"now": asdict(supply), "before": before})
        return True

    def withdraw(self, table: str, period: str) -> None:
        """Note that the source in use has no file for a table and period; what was there before stays listed."""
        note = self.supply_file(table, period)
        found = self.note(note)
        if found and found["now"]:
            self.put_note(note, {"now": None, "before": [*found["before"], found["now"]]})

    def vintages(self, table: str, period: str) -> list[Supply]:
        """Every supply that was ever noted, oldest first."""
        found = self.note(self.supply_file(table, period))
        return [Supply(**s) for s in [*found["before"], found["now"]] if s] if found else []

    def folder(self, table: str, period: str) -> Path:
        """The folder of a staged or computed table ("staged.pbj_daily", "2026Q1")."""
        area, _, name = table.partition(".")
        clock = "quarter" if "Q" in period else "release"
        base = self.root / "staged" if area == "staged" else self.root / "computed" / area
        return base / name / f"{clock}={period}"

    def periods(self, table: str) -> list[str]:
        """The periods of which a staged or computed table is finished, in order."""
        parent = self.folder(table, "").parent
        names = self.far.names(self.key(parent)) if self.far else [f.name for f in parent.iterdir()] if parent.exists() else []
        found = sorted(name.split("=")[1] for name in names if "=" in name and not name.startswith("."))
        return [period for period in found if self.manifest(table, period)]

    def parquet(self, table: str, period: str) -> Path:
        """Where the first Parquet file of a table and period is, or would be."""
        return self.folder(table, period) / "data.parquet"

    def manifest(self, table: str, period: str) -> dict[str, Any] | None:
        """The manifest of a finished table, or None."""
        found = self._held(self.folder(table, period), lambda name, _: name == "manifest.json")
        return read_json(found[0]) if found else None

    def published(self, release: str) -> Path:
        """Where the folder of a published release is, or would be."""
        return self.root / "published" / release

    def releases(self) -> list[str]:
        """The published releases in order."""
        folder = self.root / "published"
        if self.far:
            return [name for name in self.far.names(self.key(folder)) if self.far.has(f"{self.key(folder)}/{name}/{LIST}")]
        found = folder.iterdir() if folder.exists() else ()
        return sorted(f.name for f in found if (f / "SHA256SUMS").exists() and not f.name.startswith("."))

    def published_tables(self, release: str) -> list[Path]:
        """The Parquet files of a published release in name order."""
        return self._held(self.published(release), lambda name, _: name.endswith(".parquet"))

    def published_file(self, release: str, name: str) -> Path | None:
        """A file of a published release, or None where there is none."""
        found = self._held(self.published(release), lambda other, _: other == name)
        return found[0] if found else None

    @contextmanager
    def making(self, target: Path) -> Iterator[Path]:
        """A temporary folder that becomes `target` when the block ends well, and vanishes when it does not."""
        with whole_folder(target) as folder:
            yield folder
            if self.far:
                listed = list_of(folder)
                if listed != self.far.listed(self.key(target)):  # the same again is not taken down and put up
                    self.far.put_folder(folder, self.key(target), listed)
                write_json(folder / LIST, listed)

    @contextmanager
    def adding(self, target: Path) -> Iterator[Path]:
        """A temporary folder that becomes `target` unless another was quicker; of a store elsewhere no copy stays here."""
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as temporary:
            folder = Path(temporary) / target.name
            folder.mkdir()
            yield folder
            if self.is_there(target):
                return
            if self.far:
                self.far.add_folder(folder, self.key(target), list_of(folder))
                return
            try:
                os.rename(folder, target)
            except OSError:
                if not self.is_there(target):
                    raise

    def is_there(self, folder: Path) -> bool:
        """Whether a folder is finished and none of its files was lost since."""
        if self.far is None:
            return folder.exists()
        listed = self.far.listed(self.key(folder))
        return listed is not None and all(self.far.has(f"{self.key(folder)}/{name}") for name in listed)

    def part(self, folder: Path) -> Path:
        """The one Parquet file of a finished folder. Raises MissingInput without it."""
        found = self._held(folder, lambda name, _: name.endswith(".parquet"))
        if len(found) != 1:
            raise MissingInput(f"{self}: {self.key(folder)} should hold one part of a table: remove it and run again")
        return found[0]

    def discard(self, folder: Path) -> None:
        """Remove a folder with all in it."""
        if self.far:
            self.far.remove(self.key(folder))
        shutil.rmtree(folder, ignore_errors=True)

    def checked(self, table: str, period: str) -> dict[str, Any]:
        """The manifest of a finished table. Raises MissingInput where it is not there or its checks did not pass."""
        return self._check(table, period, self.manifest(table, period))

    def _check(self, table: str, period: str, manifest: dict[str, Any] | None) -> dict[str, Any]:
        if manifest is None or not manifest.get("checked"):
            raise MissingInput(f"{table} of {period} is not in the store {self}: stage it first (openstars run does)")
        return manifest

    def need(self, table: str, period: str, homes: tuple[str, str] | None = None) -> list[Path]:
        """The Parquet files of a finished table; of a store elsewhere only those that may hold homes of a half-open range.

        Raises MissingInput where the table is not there or its checks did not pass.
        """
        found = self._held(
            self.folder(table, period), lambda name, known: name == "manifest.json" or (is_data(name) and _may_hold(known, homes))
        )
        self._check(table, period, next((read_json(file) for file in found if file.name == "manifest.json"), None))
        return sorted((file for file in found if is_data(file.name)), key=_in_order)

    def beside(self, table: str, period: str, name: str) -> Path | None:
        """A file beside a finished table, or None where there is none."""
        found = self._held(self.folder(table, period), lambda other, _: other == name)
        return found[0] if found else None

    def _held(self, folder: Path, wanted: Callable[[str, dict[str, Any]], bool]) -> list[Path]:
        """The wanted files of a finished folder, brought here where they are only on the far side; none where it is not there."""
        if self.far is None:
            return [file for file in sorted(folder.iterdir()) if wanted(file.name, {})] if folder.exists() else []
        listed = self.far.listed(self.key(folder))
        names = [name for name, known in (listed or {}).items() if wanted(name, known)]
        if not names:
            return []
        with _only_one(folder):
            # every file of a local copy is of the list beside it: of another list nothing stays
            if read_json(folder / LIST) != listed:
                with whole_folder(folder) as fresh:
                    write_json(fresh / LIST, listed)
            for name in names:
                if not (folder / name).exists():
                    self.far.get(f"{self.key(folder)}/{name}", folder / name, (listed or {})[name]["sha256"])
        return [folder / name for name in names]


def is_store(folder: Path) -> bool:
    """Whether a folder is a store, by the note that each run writes into it first."""
    try:
        return (folder / NOTE).is_file() and (read_json(folder / NOTE) or {}).get("made_by") == MADE_BY["made_by"]
    except (OSError, ValueError, AttributeError):
        return False


def open_store(address: str) -> Store:
    """The store of a folder or an address like s3://bucket/folder. Raises UsageError for an address that cannot be read."""
    if "://" not in address:
        return Store(expanded(address).resolve())
    address = address.rstrip("/")
    copies = os.environ.get("OPENSTARS_MIRROR") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "openstars"
    far = Far(address)
    far.open()
    return Store(expanded(str(copies)).resolve() / fingerprint(address)[:16], far)


def expanded(path: str) -> Path:
    """A path as a person gives it, `~` being the home folder. Raises UsageError for the home of a user that is not known."""
    try:
        return Path(path).expanduser()
    except RuntimeError as fault:
        raise UsageError(f"{path}: {fault}. Give the folder from its root on") from fault


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A temporary folder that becomes the local folder `target` when the block ends well, and vanishes when it does not."""
    temporary = target.parent / f".{target.name}.{uuid.uuid4().hex[:8]}"
    temporary.mkdir(parents=True)  # as open as the folder it is in: workers and readers may be other users
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


def _only_one(folder: Path) -> Any:
    """A lock on the local copy of a folder: several workers of a machine share it."""
    from filelock import FileLock

    folder.parent.mkdir(parents=True, exist_ok=True)
    return FileLock(folder.parent / f".{folder.name}.lock")


def _may_hold(known: dict[str, Any], homes: tuple[str, str] | None) -> bool:
    """Whether a file of a list may hold a home of a half-open range."""
    span = known.get("homes")
    return homes is None or span is None or (span[0] < homes[1] and span[1] >= homes[0])


def is_data(name: str) -> bool:
    """Whether a file of a table's folder is the table, or a part of it."""
    return name.startswith("data") and name.endswith(".parquet")


def data_file(number: int) -> str:
    """The name of a Parquet file of a table, counted from 0."""
    return f"data-{number:03d}.parquet" if number else "data.parquet"


def data_files(folder: Path) -> list[Path]:
    """The Parquet files of a table in the order of their rows: one, or of a large table some."""
    return sorted(folder.glob("data*.parquet"), key=_in_order)


def _in_order(file: Path) -> tuple[int, str]:
    return (len(file.name), file.name)


def read_json(path: Path) -> Any:
    """The content of a JSON file, or None where there is none."""
    return json.loads(path.read_text()) if path.exists() else None


def write_json(path: Path, content: Any) -> None:
    """Write JSON whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(json_text(content))
    os.replace(temporary, path)


def json_text(content: Any) -> str:
    """JSON as it is written everywhere in the store."""
    return json.dumps(content, indent=1, sort_keys=True, default=str) + "\n"


def fingerprint(*parts: Any) -> str:
    """One hash over JSON-like parts: what a table was made from."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
