"""Files that somebody already has: CSV or zip, any name, at any depth, told by their header and rows."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from pipelines.errors import OpenstarsError, RefusedFile
from pipelines.sources import QUARTER_TABLES, RELEASE_TABLES, Offer, Source, archive
from pipelines.sources.download import now
from pipelines.sources.look import Look, archive_date, folder_of, look, look_into, manifest_dates, order, prefix_date, says_month
from pipelines.store import Store, Supply

BLOCK = 1 << 20


@dataclass(frozen=True)
class Found:
    """A recognised file of the folder: the path of the CSV or zip relative to the folder, and what it is."""

    file: str
    seen: Look

    @property
    def name(self) -> str:
        """The path as a person writes it, `!` before a member of a zip."""
        return f"{self.file}!{self.seen.member}" if self.seen.member else self.file

    @property
    def dates(self) -> tuple[str, ...]:
        """What tells the later of two files: Processing Date, CMS's modified date, the date in the archive's name."""
        return (self.seen.processed, self.seen.modified, archive_date(self.name))


class Folder(Source):
    """A folder of CMS files as a person has them. It is read through once per instance."""

    name = "folder"

    def __init__(self, path: Path):
        """`path` is the folder."""
        self.path = path
        self._warnings: list[str] = []
        self._by_key: dict[tuple[str, str], list[Found]] | None = None
        self._broken: dict[str, list[RefusedFile]] = defaultdict(list)  # files that may be of a table ("" any) but cannot be used
        self._chosen: dict[tuple[str, str], Found | RefusedFile] = {}

    @property
    def warnings(self) -> list[str]:
        """What a person should know: files that fit nothing, files put aside for a later one."""
        self._scan()
        return list(self._warnings)

    def offers(self) -> list[Offer]:
        """What was recognised, in table and period order. Raises OpenstarsError where nothing was."""
        return [self._offer(key) for key in sorted(self._scan())]

    def fetch(self, table: str, period: str, store: Store) -> Supply | None:
        """Copy the file of a table and period into the store; None where the folder has none."""
        self._scan()
        chosen = self._chosen.get((table, period))
        if isinstance(chosen, RefusedFile):
            raise chosen
        if chosen is None:
            for fault in (*self._broken[table], *self._broken[""]):  # one of these may be what is asked for
                raise fault
            return None
        sha256, size = self._add(chosen, store)
        fetched = now()
        store.set_supply(
            Supply(
                table,
                period,
                sha256,
                chosen.seen.member,
                chosen.name,
                chosen.file,
                chosen.seen.modified,
                fetched,
                size,
                self.name,
            )
        )
        return store.supply(table, period)

    def _offer(self, key: tuple[str, str]) -> Offer:
        found = self._chosen[key]
        first = self._scan()[key][0] if isinstance(found, RefusedFile) else found
        return Offer(*key, first.name, first.seen.modified, first.seen.size)

    def _scan(self) -> dict[tuple[str, str], list[Found]]:
        if self._by_key is None:
            self._warnings, by_key = [], defaultdict(list)
            for found in self._dated(list(self._recognised())):
                by_key[found.seen.table, found.seen.period].append(found)
            self._chosen = {key: self._choose(key, by_key[key]) for key in sorted(by_key)}
            self._by_key = dict(by_key)
        if not self._by_key and not any(self._broken.values()):
            raise OpenstarsError(
                f"{self.path}: no file in it was recognised. Looked for CSV files, also in zips and folders, with the headers of "
                f"{', '.join((*QUARTER_TABLES, *RELEASE_TABLES))}.\n" + "\n".join(self._warnings[:20])
            )
        return self._by_key

    def _recognised(self) -> Iterator[Found]:
        """Every file that fits a table; the others become warnings."""
        for file in _files(self.path):
            relative, lower = file.relative_to(self.path).as_posix(), file.name.lower()
            if lower.endswith((".csv.gz", ".csv.zst", ".csv.bz2", ".csv.xz", ".7z")):
                self._warnings.append(f"{relative}: only CSV and zip files are read; unpack it first")
            elif lower.endswith((".csv", ".zip")):
                try:
                    looks = self._looks(file, relative)
                except RefusedFile as fault:
                    self._broken[""].append(fault)
                    self._warnings.append(str(fault))
                    continue
                for seen in looks:
                    found = Found(relative, seen)
                    if seen.problem:
                        self._warnings.append(f"{found.name}: {seen.problem}")
                    if seen.table:
                        yield found

    def _looks(self, file: Path, relative: str) -> list[Look]:
        if file.name.lower().endswith(".zip"):
            return look_into(file, relative)
        with file.open("rb") as stream:
            seen = look(stream, file.stat().st_size)
        manifest = file.parent / "manifest.json"
        dates = manifest_dates(manifest.read_bytes(), "") if manifest.exists() else {}
        return [replace(seen, modified=dates.get(file.name) or prefix_date(relative))]

    def _dated(self, files: list[Found]) -> Iterator[Found]:
        """Files with their period: of a Care Compare file whose rows do not say it, that of the ProviderInfo beside it.

        Beside means in the same zip or folder; of a file of a kind that never says it, else anywhere, where all are of one month.
        """
        beside: dict[str, set[str]] = defaultdict(set)
        for found in files:
            if found.seen.table == "provider_info" and found.seen.period:
                beside[folder_of(found.name)].add(found.seen.period)
        for found in files:
            if found.seen.period:
                yield found
                continue
            months = beside.get(folder_of(found.name), set()) if found.seen.table not in QUARTER_TABLES else set()
            is_silent = found.seen.table not in QUARTER_TABLES and not says_month(found.seen.table)
            if is_silent and not months:
                months = set().union(*beside.values())
                if len(months) == 1:
                    told = f"its rows do not say their month: taken for {min(months)}, of the only ProviderInfo in the folder"
                    self._warnings.append(f"{found.name}: {told}")
            if len(months) == 1:
                yield replace(found, seen=replace(found.seen, period=min(months)))
            elif is_silent:
                told = f"no ProviderInfo beside it says its month (there are {', '.join(sorted(months)) or 'none'}), so it is not used"
                self._warnings.append(f"{found.name}: a {found.seen.table} file, but {told}")
            else:
                todo = (
                    f"Check the file: it is a {found.seen.table} file, but of no known period; take it out if it is not needed."
                )
                self._broken[found.seen.table].append(RefusedFile(found.name, found.seen.problem, todo=todo))

    def _choose(self, key: tuple[str, str], files: list[Found]) -> Found | RefusedFile:
        """The latest of the files for one table and period; a refusal where their content differs and nothing tells the later."""
        best = files[0]
        for other in files[1:]:
            later = order(other.dates, best.dates)
            if later == 0 and not self._same(best, other):
                problem = f"it and {other.name} are both {key[0]} of {key[1]}, differ, and neither says which is the later"
                refusal = RefusedFile(best.name, problem, todo="Take the older one out of the folder.")
                self._warnings.append(str(refusal))
                return refusal
            loser, best = (best, other) if later > 0 else (other, best)
            if later:
                self._warnings.append(f"{loser.name}: not used, {best.name} is the later file of {key[0]} {key[1]}")
        return best

    def _same(self, one: Found, other: Found) -> bool:
        """Whether two files have the same content."""
        if one.seen.size != other.seen.size:
            return False
        with self._open(one) as a, self._open(other) as b:
            return _digest(a) == _digest(b)

    def _open(self, found: Found) -> BinaryIO:
        path = self.path / found.file
        return archive.open_member(path, found.seen.member) if found.seen.member else path.open("rb")

    def _add(self, found: Found, store: Store) -> tuple[str, int]:
        """Copy a file under its hash, a zip only after its checksums; a file that did not change since is not read again."""
        path = self.path / found.file
        status = path.stat()
        key = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:32]
        note = store.root / "raw" / "urls" / f"{key}.json"
        state = [status.st_size, status.st_mtime_ns]
        known = store.note(note)
        if known and known.get("state") == state and store.has_blob(known["sha256"]):
            return known["sha256"], status.st_size
        if archive.is_zip(path):
            archive.check(path, found.file)
        part = store.root / "raw" / "partial" / f"{key}.{os.getpid()}"
        part.parent.mkdir(parents=True, exist_ok=True)
        digest, size = hashlib.sha256(), 0
        with path.open("rb") as source, part.open("wb") as target:
            while block := source.read(BLOCK):
                digest.update(block)
                size += target.write(block)
        seen = {
            "address": found.file,
            "etag": "",
            "last_modified": "",
            "modified": found.seen.modified,
            "fetched": now(),
            "bytes": size,
        }
        store.add_blob(part, digest.hexdigest(), seen)
        store.put_note(note, {"sha256": digest.hexdigest(), "state": state})
        return digest.hexdigest(), size


def _files(folder: Path) -> Iterator[Path]:
    """Every file at any depth in name order, hidden ones and a Mac's leavings left out; links are followed, but not in rings."""
    walked: set[str] = set()
    for root, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(root)
        if real in walked:
            folders.clear()
            continue
        walked.add(real)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "__MACOSX")
        yield from (Path(root) / name for name in sorted(names) if not name.startswith("."))


def _digest(stream: BinaryIO) -> str:
    digest = hashlib.sha256()
    while block := stream.read(BLOCK):
        digest.update(block)
    return digest.hexdigest()
