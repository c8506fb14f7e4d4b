"""The far side of a store on object storage: whole files under an address, through fsspec.

A folder there counts only with its list of files, which is taken away before a file of it changes and written after the last one.
Whoever reads takes no file that is not in the list and none whose bytes are others than the list says.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pipelines.errors import OpenstarsError, UsageError
from pipelines.faults import CLOSED, FULL

LIST = "files.json"  # the last file of a finished folder: name, bytes, SHA-256 and homes of the others
LAST = ("manifest.json", "SHA256SUMS")  # behind the data, for readers that know no list
BLOCK = 1 << 20
TODO = "Check the network, the endpoint (AWS_ENDPOINT_URL) and the keys; then run again: what was finished is not done again."

# One step asks for the same notes and lists several times. What is not there is asked for each time, so that what a worker finishes
# is seen at once; work from an old list is refused, because `made_from` would not fit.
FRESH = 5.0  # seconds
_known: dict[tuple[str, str], tuple[float, bytes]] = {}


@cache
def _opened(address: str) -> tuple[Any, str]:
    """The file system of an address and the path in it. Raises UsageError where it cannot be had."""
    try:
        from fsspec.core import url_to_fs

        return url_to_fs(address, use_listings_cache=False)
    except ImportError as absent:
        raise UsageError(
            f"The store {address} needs a package that is not installed ({absent}): pip install 'openstars[cluster]'"
        ) from absent
    except ValueError as wrong:
        raise UsageError(
            f"The store {address} is at no address that can be read ({wrong}): give a folder or s3://bucket/folder"
        ) from wrong


@dataclass(frozen=True)
class Far:
    """Files under an address; keys are paths below it. Every fault is an OpenstarsError that says what to do."""

    address: str

    def open(self) -> None:
        """Raises UsageError where no file system for the address can be had; nothing is asked of it yet."""
        _opened(self.address)

    def read(self, key: str) -> bytes | None:
        """The bytes of a small file, or None where there is none."""
        when, known = _known.get((self.address, key), (float("-inf"), b""))
        if time.monotonic() - when < FRESH:
            return known
        with self._asked("read", key) as (files, path):
            try:
                found = bytes(files.cat_file(path))
            except FileNotFoundError:
                return None
        _known[self.address, key] = (time.monotonic(), found)
        return found

    def write(self, key: str, content: bytes) -> None:
        """Write a small file whole."""
        _known.pop((self.address, key), None)
        with self._asked("written", key) as (files, path):
            files.pipe_file(path, content)

    def has(self, key: str) -> bool:
        """Whether a file is there."""
        with self._asked("read", key) as (files, path):
            return bool(files.exists(path))

    def put(self, source: Path, key: str) -> None:
        """Put a local file there, whole."""
        with self._asked("written", key) as (files, path):
            files.put_file(str(source), path)

    def get(self, key: str, target: Path, sha256: str) -> None:
        """Bring a file here, whole. Raises OpenstarsError where its bytes are not those of the hash, and then keeps nothing."""
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            with self._asked("read", key) as (files, path):
                files.get_file(path, str(temporary))
            if sha256_of(temporary) != sha256:
                raise OpenstarsError(
                    f"{self.address}/{key} is not what was written there: another run is writing it, or it is damaged.\n"
                    f"Wait for the other run; if there is none, remove {LIST} beside it. Then run again."
                )
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)

    def names(self, key: str) -> list[str]:
        """Names of the files and folders in a folder, in order."""
        with self._asked("read", key) as (files, path):
            try:
                return sorted(name.rstrip("/").rsplit("/", 1)[-1] for name in files.ls(path, detail=False))
            except FileNotFoundError:
                return []

    def remove(self, key: str) -> None:
        """Remove a file, or a folder with all in it, where it is there."""
        for address, other in list(_known):
            if address == self.address and f"{other}/".startswith(f"{key}/"):
                _known.pop((address, other), None)
        with self._asked("written", key) as (files, path):
            for file in files.find(path):  # `rm` would take the path for a pattern
                files.rm_file(file)

    def listed(self, key: str) -> dict[str, dict[str, Any]] | None:
        """What a finished folder holds by name, or None where it is not finished."""
        found = self.read(f"{key}/{LIST}")
        return json.loads(found) if found else None

    def put_folder(self, source: Path, key: str, listed: dict[str, dict[str, Any]]) -> None:
        """Put a finished local folder there; what was in its place is gone."""
        self.remove(f"{key}/{LIST}")
        self.add_folder(source, key, listed)
        for name in self.names(key):
            if name not in listed and name != LIST:
                self.remove(f"{key}/{name}")

    def add_folder(self, source: Path, key: str, listed: dict[str, dict[str, Any]]) -> None:
        """Put a finished local folder where none is."""
        for name in sorted(listed, key=lambda name: (name in LAST, name)):
            self.put(source / name, f"{key}/{name}")
        self.write(f"{key}/{LIST}", json.dumps(listed, indent=1, sort_keys=True).encode())

    @contextmanager
    def _asked(self, done: str, key: str) -> Iterator[tuple[Any, str]]:
        """The file system and a path for one request, whose faults are told as ours."""
        files, base = _opened(self.address)
        try:
            yield files, f"{base}/{key}"
        except PermissionError as fault:
            if fault.filename and Path(str(fault.filename)).is_absolute() and not str(fault.filename).startswith(base):
                raise  # of the disk here
            raise OpenstarsError(f"{self.address}: {key} cannot be {done}: access was refused ({fault}).\n{TODO}") from fault
        except FileNotFoundError as fault:
            raise OpenstarsError(
                f"{self.address}: {key} cannot be {done}: it, or the bucket, is not there ({fault}).\nCheck the address given with --data."
            ) from fault
        except Exception as fault:  # each file system has faults of its own kind
            if isinstance(fault, OSError) and fault.errno in FULL | CLOSED:
                raise  # of the disk here
            told = " ".join(str(fault).split())[:300]
            raise OpenstarsError(
                f"The store {self.address} cannot be reached ({type(fault).__name__}: {told}).\n{TODO}"
            ) from fault


def list_of(folder: Path) -> dict[str, dict[str, Any]]:
    """Bytes, SHA-256 and, of Parquet files with a ccn, the first and last home of each file of a folder."""
    return {
        file.name: {"bytes": file.stat().st_size, "sha256": sha256_of(file), "homes": homes_of(file)}
        for file in sorted(folder.iterdir())
        if file.name != LIST
    }


def homes_of(file: Path) -> list[str] | None:
    """The first and last home of a Parquet file, from its footer; None where it does not tell them."""
    if file.suffix != ".parquet":
        return None
    import pyarrow.parquet as parquet

    footer = parquet.read_metadata(file)
    names = [footer.schema.column(number).path for number in range(footer.num_columns)]
    if "ccn" not in names:
        return None
    at = names.index("ccn")
    groups = [footer.row_group(number).column(at).statistics for number in range(footer.num_row_groups)]
    if not groups or not all(group and group.has_min_max for group in groups):
        return None
    return [min(group.min for group in groups), max(group.max for group in groups)]


def sha256_of(*paths: Path) -> str:
    """SHA-256 of the bytes of files, one after another, as hex."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    return digest.hexdigest()
