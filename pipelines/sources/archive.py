"""Zip files as CMS and others make them: zips in zips, folders, the leavings of a Mac, damage."""

from __future__ import annotations

import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from pipelines.errors import RefusedFile

BLOCK = 1 << 20
IN_MEMORY = 64 << 20  # a zip in a zip up to this size is not written to disk to be read
DEPTH = 4  # zips within zips; CMS's deepest is a year of months
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, struct.error)
TODO = "Fetch it again (delete it first if it is your own copy), or unpack it yourself and put the CSV files in the folder."


@dataclass(frozen=True)
class Member:
    """A file in a zip: its path (`!` between a zip and a zip inside it), size, and how to read it while the archive is walked."""

    path: str
    size: int
    open: Callable[[], BinaryIO]


def is_zip(path: Path) -> bool:
    """Whether a file begins as a zip does."""
    with path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def members(path: Path, name: str = "") -> list[str]:
    """Every file of a zip, those of zips inside it included (`2022.zip!11/NH_ProviderInfo.csv`), without a Mac's leavings."""
    return [member.path for member in walk(path, name)]


def walk(path: Path, name: str = "") -> Iterator[Member]:
    """Every file of a zip, readable while the walk stands at it: a zip inside is unpacked once for all its files."""
    try:
        with zipfile.ZipFile(path) as outer:
            yield from _walk(outer, "", 1)
    except DAMAGE as fault:
        raise _damaged(name or path.name, fault) from fault


def open_member(path: Path, member: str) -> BinaryIO:
    """A member as a stream of bytes; closing it frees everything."""
    try:
        with zipfile.ZipFile(path) as outer:
            return _open(outer, member)
    except KeyError:
        raise RefusedFile(path.name, f"there is no {member} in this zip", todo=TODO) from None
    except DAMAGE as fault:
        raise _damaged(path.name, fault) from fault


def check(path: Path, name: str = "") -> None:
    """Read every byte of a zip and compare the checksums it carries; RefusedFile, naming the member, where one does not fit."""
    name = name or path.name
    at = ""
    try:
        with zipfile.ZipFile(path) as outer:
            for info in outer.infolist():
                at = info.filename
                with outer.open(info) as stream:
                    while stream.read(BLOCK):
                        pass
        at = ""
        for member in walk(path, name):
            if "!" in member.path:
                at = member.path
                with member.open() as inner:
                    while inner.read(BLOCK):
                        pass
    except DAMAGE as fault:
        raise _damaged(f"{name}!{at}" if at else name, fault) from fault


def _walk(archive: zipfile.ZipFile, before: str, depth: int) -> Iterator[Member]:
    for info in archive.infolist():
        if info.is_dir() or _leaving(info.filename):
            continue
        if info.filename.lower().endswith(".zip") and depth < DEPTH:
            with _unpacked(archive, info.filename) as inside, zipfile.ZipFile(inside) as inner:
                yield from _walk(inner, f"{before}{info.filename}!", depth + 1)
        else:
            yield Member(before + info.filename, info.file_size, lambda info=info: cast(BinaryIO, archive.open(info)))  # type: ignore[misc]


def _open(archive: zipfile.ZipFile, member: str) -> BinaryIO:
    """Open a path with `!` in it. An open member keeps its zip open, so the zips themselves can be let go."""
    names = set(archive.namelist())
    if member in names:
        return cast(BinaryIO, archive.open(member))
    at = member.find("!")
    while at >= 0:
        if member[:at] in names:
            with zipfile.ZipFile(_unpacked(archive, member[:at])) as inner:
                return _open(inner, member[at + 1 :])
        at = member.find("!", at + 1)
    raise KeyError(member)


def _unpacked(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    """A zip inside a zip, as a file that can be searched: in memory when small, else a temporary file."""
    spooled = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - the caller closes it
    with archive.open(name) as stream:
        while block := stream.read(BLOCK):
            spooled.write(block)
    spooled.seek(0)
    return cast(IO[bytes], spooled)


def _leaving(member: str) -> bool:
    """Whether a member is what a Mac adds to a zip."""
    parts = member.split("/")
    return "__MACOSX" in parts or parts[-1].startswith("._") or parts[-1] == ".DS_Store"


def _damaged(name: str, fault: BaseException) -> RefusedFile:
    if isinstance(fault, NotImplementedError):
        return RefusedFile(name, f"the zip uses a packing that Python cannot read ({fault})", todo=TODO)
    if isinstance(fault, RuntimeError):
        return RefusedFile(name, f"the zip cannot be opened ({fault})", todo=TODO)
    return RefusedFile(name, f"the zip is damaged or cut short ({fault})", todo=TODO)
