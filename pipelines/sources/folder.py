"""Files that somebody already has: CSV or zip, any name, at any depth, told by their content."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from pipelines.errors import OpenstarsError, RefusedFile, UsageError
from pipelines.sources import QUARTER_TABLES, RELEASE_TABLES, Offer, Source, archive
from pipelines.sources.candidates import Candidates, Found
from pipelines.sources.download import now
from pipelines.sources.look import Look, look, look_into, unreadable
from pipelines.sources.names import manifest_dates, prefix_date
from pipelines.store import Store, Supply, is_store

BLOCK = 1 << 20
OWN = "sample"  # the one folder of a store that may be a source: what `openstars run --source sample` wrote


class Folder(Source):
    """A folder of CMS files as a person has them. It is read through once per instance."""

    name = "folder"

    def __init__(self, path: Path):
        """`path` is the folder. Raises UsageError where it is a store, or in one: what runs write is no source."""
        self.path = path
        inside = next((p for p in (path.resolve(), *path.resolve().parents) if is_store(p)), None)
        if inside and not path.resolve().is_relative_to(inside / OWN):
            raise UsageError(f"{path} belongs to the store {inside}, which is no source: give the folder with CMS's files")
        self._skipped: list[str] = []

    @property
    def warnings(self) -> list[str]:
        """What is not used and why: files of other kinds, files put aside for a later one, files that cannot be read."""
        return [*self.candidates.lines(), *self._skipped]

    @cached_property
    def candidates(self) -> Candidates:
        """Every file of the folder, looked at."""
        return Candidates(list(self._files()), self._same, "take it out of the folder")

    def offers(self) -> list[Offer]:
        """What was recognised, in table and period order. Raises OpenstarsError where nothing was."""
        keys = self.candidates.keys()
        if not keys:
            raise OpenstarsError(
                f"{self.path}: no file in it was recognised. Looked for CSV files, also in zips and folders, with the headers of "
                f"{', '.join((*QUARTER_TABLES, *RELEASE_TABLES))}.\n" + "\n".join(self.warnings)
            )
        found = [self.candidates.offered(*key) for key in keys]
        return [Offer(*one.key, one.path, one.seen.modified, one.seen.size) for one in found]

    def fetch(self, table: str, period: str, store: Store) -> Supply | None:
        """Copy the file of a table and period into the store; None where the folder has none."""
        chosen = self.candidates.choose(table, period)
        if chosen is None:
            self.offers()  # says so where nothing at all was recognised
            return None
        sha256, size = self._add(chosen, store)
        seen = chosen.seen
        supply = Supply(table, period, sha256, seen.member, chosen.path, chosen.place, seen.modified, now(), size, self.name)
        store.set_supply(supply)
        return store.supply(table, period)

    def _files(self) -> Iterator[Found]:
        for relative, problem in self._walk():
            if problem:
                yield Found(relative, relative, unreadable("", relative, problem))
                continue
            try:
                yield from (Found(relative, relative, seen) for seen in self._looks(relative))
            except RefusedFile as fault:
                yield Found(relative, relative, unreadable("", relative, fault.problem))
            except OSError as fault:
                yield Found(relative, relative, unreadable("", relative, f"it cannot be read ({fault.strerror})"))

    def _looks(self, relative: str) -> list[Look]:
        file = self.path / relative
        if file.name == "manifest.json":
            return []
        with file.open("rb") as stream:
            if archive.is_zip(file) and not archive.is_office(stream):
                return look_into(file, relative)
            stream.seek(0)
            seen = look(stream, file.stat().st_size, "", relative)
        manifest = file.parent / "manifest.json"
        dates = manifest_dates(manifest.read_bytes(), "") if manifest.exists() else {}
        return [replace(seen, modified=dates.get(file.name) or prefix_date(relative))]

    def _walk(self) -> Iterator[tuple[str, str]]:
        """Every file at any depth in name order, with why a folder cannot be read; a system's leavings and stores are left out.

        Links are followed, but not in rings.
        """
        walked: set[str] = set()
        closed: list[OSError] = []
        for root, folders, files in os.walk(self.path, followlinks=True, onerror=closed.append):
            real = os.path.realpath(root)
            if real in walked:
                folders.clear()
                continue
            walked.add(real)
            at = Path(root)
            stores = [name for name in folders if is_store(at / name)]
            self._skipped += [f"{(at / name).relative_to(self.path).as_posix()}: a store, which is no source" for name in stores]
            folders[:] = sorted(n for n in folders if not archive.is_leaving(n) and n != "__MACOSX" and n not in stores)
            yield from (((at / n).relative_to(self.path).as_posix(), "") for n in sorted(files) if not archive.is_leaving(n))
        for fault in closed:
            where = Path(str(fault.filename))
            relative = where.relative_to(self.path).as_posix() if where.is_relative_to(self.path) else str(where)
            yield relative, f"the folder cannot be read ({fault.strerror})"

    def _same(self, one: Found, other: Found) -> bool:
        """Whether two files have the same content."""
        if one.seen.size != other.seen.size:
            return False
        with self._open(one) as a, self._open(other) as b:
            return archive.digest(a) == archive.digest(b)

    def _open(self, found: Found) -> BinaryIO:
        path = self.path / found.place
        return archive.open_member(path, found.seen.member) if found.seen.member else path.open("rb")

    def _add(self, chosen: Found, store: Store) -> tuple[str, int]:
        """Copy a file under its hash, of a zip only after the checksum of the member; what did not change since is not read again."""
        path = self.path / chosen.place
        status = path.stat()
        key = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
        note = store.root / "raw" / "urls" / f"{key}.json"
        state = [status.st_size, status.st_mtime_ns]
        known = store.note(note)
        checked = list(known.get("checked", [])) if known and known.get("state") == state else []
        if chosen.seen.member and chosen.seen.member not in checked:
            archive.check_member(path, chosen.seen.member, chosen.name)
            checked.append(chosen.seen.member)
        if known and known.get("state") == state and store.has_blob(known["sha256"]):
            store.put_note(note, {**known, "checked": checked})
            return known["sha256"], status.st_size
        part = store.root / "raw" / "partial" / f"{key}.{os.getpid()}"
        part.parent.mkdir(parents=True, exist_ok=True)
        digest, size = hashlib.sha256(), 0
        with path.open("rb") as source, part.open("wb") as target:
            while block := source.read(BLOCK):
                digest.update(block)
                size += target.write(block)
        seen = {
            "address": chosen.place,
            "etag": "",
            "last_modified": "",
            "modified": chosen.seen.modified,
            "fetched": now(),
            "bytes": size,
        }
        store.add_blob(part, digest.hexdigest(), seen)
        store.put_note(note, {"sha256": digest.hexdigest(), "state": state, "checked": checked})
        return digest.hexdigest(), size
