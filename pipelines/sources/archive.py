"""Zip files as CMS and others make them: zips in zips, folders, Windows' backslashes, the leavings of a Mac, damage."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import re
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
DEPTH = 8  # zips within zips; CMS's deepest is a year of months
DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, NotImplementedError, struct.error, UnicodeError)
TODO = "Fetch it again (delete it first if it is your own copy), or unpack it yourself and put the CSV files in the folder."
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
OFFICE = {"[Content_Types].xml", "mimetype"}  # members by which a spreadsheet, itself a zip, is told
PACKED = {  # what is packed otherwise, by its first bytes
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstandard",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!": "RAR",
}
OPENERS: dict[str, Callable[[BinaryIO], IO[bytes]]] = {
    "gzip": lambda stream: cast(IO[bytes], gzip.GzipFile(fileobj=stream)),
    "bzip2": lambda stream: bz2.BZ2File(stream),
    "xz": lambda stream: lzma.LZMAFile(stream),  # noqa: SIM115 - it closes with the stream
}
BINARY = {  # what is no text, by its first bytes
    b"\xd0\xcf\x11\xe0": "an older Office file",
    b"%PDF": "a PDF",
    b"PAR1": "a Parquet file",
    b"SQLite format 3": "a SQLite database",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
}


@dataclass(frozen=True)
class Member:
    """A file in a zip: its path (`!` between a zip and a zip inside it), size, and how to read it while the archive is walked.

    `problem` says why a zip inside cannot be opened; then there is nothing to read.
    """

    path: str
    size: int
    open: Callable[[], BinaryIO]
    problem: str = ""


def is_zip(path: Path) -> bool:
    """Whether a file begins as a zip does."""
    with path.open("rb") as file:
        return file.read(4) in ZIP


def packing(start: bytes) -> str:
    """How a file is packed, other than as a zip, by its first bytes; empty where it is not."""
    return next((name for magic, name in PACKED.items() if start.startswith(magic)), "")


def binary(start: bytes) -> str:
    """What a file is that is no text, by its first bytes; empty where they do not tell."""
    return next((name for magic, name in BINARY.items() if start.startswith(magic)), "")


def unpacked_start(stream: BinaryIO, how: str, size: int) -> bytes | None:
    """The first bytes of what is packed in a stream; None where they cannot be had."""
    try:
        return OPENERS[how](stream).read(size) if how in OPENERS else None
    except (*DAMAGE, OSError):
        return None


def members(path: Path, name: str = "") -> list[str]:
    """Every file of a zip, those of zips inside it included (`2022.zip!11/NH_ProviderInfo.csv`), without a Mac's leavings."""
    return [member.path for member in walk(path, name)]


def walk(path: Path, name: str = "") -> Iterator[Member]:
    """Every file of a zip, readable while the walk stands at it: a zip inside is unpacked once for all its files.

    Raises RefusedFile where the zip is damaged; of a damaged zip inside it, the member says so and the walk goes on.
    """
    try:
        with zipfile.ZipFile(path) as outer:
            yield from _walk(outer, "", 1)
    except DAMAGE as fault:
        raise damaged(name or path.name, fault) from fault


def open_member(path: Path, member: str) -> BinaryIO:
    """A member as a stream of bytes; closing it frees everything."""
    try:
        with zipfile.ZipFile(path) as outer:
            return _open(outer, member)
    except KeyError:
        raise RefusedFile(path.name, f"there is no {member} in this zip", todo=TODO) from None
    except DAMAGE as fault:
        raise damaged(path.name, fault) from fault


def check(path: Path, name: str = "") -> None:
    """Read every byte of a zip and compare the checksums it carries; RefusedFile, naming the member, where one does not fit."""
    name = name or path.name
    at = ""
    try:
        with zipfile.ZipFile(path) as outer:
            for info in outer.infolist():
                at = info.filename
                with outer.open(info) as stream:
                    _read_through(stream)
        at = ""
        for member in walk(path, name):
            if member.problem:
                raise RefusedFile(f"{name}!{member.path}", member.problem, todo=TODO)
            if "!" in member.path:
                at = member.path
                with member.open() as inner:
                    _read_through(inner)
    except DAMAGE as fault:
        raise damaged(f"{name}!{at}" if at else name, fault) from fault


def check_member(path: Path, member: str, name: str = "") -> None:
    """Read one member whole, so that the checksums on the way to it are compared. Raises RefusedFile where one does not fit."""
    try:
        with open_member(path, member) as stream:
            _read_through(stream)
    except DAMAGE as fault:
        raise damaged(f"{name or path.name}!{member}", fault) from fault


def digest(stream: BinaryIO) -> str:
    """The SHA-256 of what a stream holds."""
    found = hashlib.sha256()
    while block := stream.read(BLOCK):
        found.update(block)
    return found.hexdigest()


def _read_through(stream: IO[bytes]) -> None:
    while stream.read(BLOCK):
        pass


def is_office(stream: BinaryIO) -> bool:
    """Whether a zip is a spreadsheet or another file of an office program."""
    try:
        with zipfile.ZipFile(stream) as packed:
            return not OFFICE.isdisjoint(packed.namelist())
    except DAMAGE:
        return False


def words_of_office(stream: BinaryIO, size: int) -> str:
    """The first words of a spreadsheet, its column names among them, each on a line; empty where they cannot be had."""
    try:
        with zipfile.ZipFile(stream) as packed:
            names = [n for n in packed.namelist() if n.endswith(("sharedStrings.xml", "sheet1.xml", "content.xml"))]
            found = b" ".join(packed.open(name).read(size) for name in names)
    except DAMAGE:
        return ""
    return re.sub(r"<[^>]*>", "\n", found.decode("utf-8", "replace"))


def _walk(archive: zipfile.ZipFile, before: str, depth: int) -> Iterator[Member]:
    for path, info in _files(archive).items():

        def opened(info: zipfile.ZipInfo = info) -> BinaryIO:
            return cast(BinaryIO, archive.open(info))

        found = Member(before + path, info.file_size, opened)
        try:
            with archive.open(info) as stream:
                begins_as_zip = stream.read(4) in ZIP
        except DAMAGE as fault:
            yield Member(found.path, found.size, opened, damaged("", fault).problem)
            continue
        if not begins_as_zip:
            yield found
        elif depth == DEPTH:
            yield Member(found.path, found.size, opened, f"it is a zip {DEPTH} zips deep, and deeper ones are not opened")
        else:
            yield from _walk_inside(archive, info, found, depth)


def _walk_inside(archive: zipfile.ZipFile, info: zipfile.ZipInfo, found: Member, depth: int) -> Iterator[Member]:
    """The files of a zip in a zip; a spreadsheet there is one file."""
    try:
        inside = _unpacked(archive, info)
        inner = zipfile.ZipFile(inside)
    except DAMAGE as fault:
        yield Member(found.path, found.size, found.open, damaged("", fault).problem)
        return
    with inside, inner:
        if OFFICE.isdisjoint(inner.namelist()):
            yield from _walk(inner, f"{found.path}!", depth + 1)
        else:
            yield found


def _files(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The members that are files by their path, `/` for Windows' backslash; of one that stands twice the later, as unpacking has it."""
    found: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        path = info.filename.replace("\\", "/")
        if not path.endswith("/") and not _leaving(path):
            found[path] = info
    return found


def _open(archive: zipfile.ZipFile, member: str) -> BinaryIO:
    """Open a path with `!` in it. An open member keeps its zip open, so the zips themselves can be let go."""
    files = _files(archive)
    if member in files:
        return cast(BinaryIO, archive.open(files[member]))
    at = member.find("!")
    while at >= 0:
        if member[:at] in files:
            with zipfile.ZipFile(_unpacked(archive, files[member[:at]])) as inner:
                return _open(inner, member[at + 1 :])
        at = member.find("!", at + 1)
    raise KeyError(member)


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    """A zip inside a zip, as a file that can be searched: in memory when small, else a temporary file."""
    spooled = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - the caller closes it
    with archive.open(info) as stream:
        while block := stream.read(BLOCK):
            spooled.write(block)
    spooled.seek(0)
    return cast(IO[bytes], spooled)


def _leaving(member: str) -> bool:
    """Whether a member is what a Mac or Windows adds to a zip."""
    parts = member.split("/")
    return "__MACOSX" in parts or is_leaving(parts[-1])


def is_leaving(name: str) -> bool:
    """Whether a file of this name is what a system or an editor leaves beside files."""
    return name.startswith((".", "~$")) or name.casefold() in ("thumbs.db", "desktop.ini")


def damaged(name: str, fault: BaseException) -> RefusedFile:
    """A fault of a zip as our error."""
    if isinstance(fault, NotImplementedError):
        return RefusedFile(name, f"the zip uses a packing that Python cannot read ({fault})", todo=TODO)
    if isinstance(fault, RuntimeError):
        return RefusedFile(name, f"the zip cannot be opened ({fault})", todo=TODO)
    return RefusedFile(name, f"the zip is damaged or cut short ({fault})", todo=TODO)
