"""Text as CMS serves it: the encoding is found strictly, and what leaves here is UTF-8 without a byte order mark."""

from __future__ import annotations

import codecs
import csv
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from pipelines.errors import RefusedFile

BLOCK = 1 << 22
HEAD = 1 << 18
BEGINNING = 1 << 14  # letters of it that are kept as they are
WIDE = {  # byte order marks, the longer first: one of UTF-16 is the beginning of one of UTF-32
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
TODO = "Fetch the file again; if CMS serves it so, save it as UTF-8 and check the names in it."


@dataclass(frozen=True)
class Head:
    """The first lines of a CSV file: its encoding as far as they show it, its header and some rows, and the text that they are."""

    encoding: str
    header: list[str]
    rows: list[list[str]]
    start: str = ""


def wide_encoding(start: bytes) -> str:
    """The encoding of text that has more than a byte a letter, by its mark or, without one, by where its zero bytes stand; else nothing."""
    for mark, encoding in WIDE.items():
        if start.startswith(mark):
            return encoding
    first = start[: 1 << 10]
    zeros = [first[k::4].count(0) for k in range(4)] if len(first) >= 8 else [0] * 4
    many = len(first) // 4 * 0.6  # most of CMS's letters are ASCII
    shape = "".join("0" if zero > many else "x" for zero in zeros)
    return {"x000": "utf-32-le", "000x": "utf-32-be", "x0x0": "utf-16-le", "0x0x": "utf-16-be"}.get(shape, "")


def transcode(stream: BinaryIO, target: Path, name: str = "") -> str:
    """Write a stream to `target` as UTF-8 and return the encoding it had: `utf-8`, `utf-8-sig`, `cp1252`, or a wide one.

    One pass in bounded memory; bytes that are UTF-8 already are copied. Only where a file turns out to be cp1252 after text that
    was not plain ASCII is the part already written read once more. Raises RefusedFile, naming the line, where nothing decodes.
    """
    name = name or str(getattr(stream, "name", "") or target.name)
    first = stream.read(BLOCK)
    wide = wide_encoding(first)
    if wide:
        _decode(_blocks(first, stream), target, wide, name)
        return wide
    marked = first.startswith(codecs.BOM_UTF8)
    rest = _copy_utf8(_blocks(first[3:] if marked else first, stream), target, name)
    if rest is None:
        return "utf-8-sig" if marked else "utf-8"
    if marked:
        raise RefusedFile(name, "the file says by its first bytes that it is UTF-8 but is not", line=rest.line, todo=TODO)
    if rest.plain:  # what stands in the target already is ASCII, so the same in both encodings
        _decode(_blocks(rest.block, stream), target, "cp1252", name, mode="ab", line=rest.first_line)
        return "cp1252"
    again = target.with_name(f"{target.name}.utf8")
    try:
        os.replace(target, again)
        with again.open("rb") as written:
            _decode(_both(_blocks(b"", written), _blocks(rest.block, stream)), target, "cp1252", name)
    finally:
        again.unlink(missing_ok=True)
    return "cp1252"


@dataclass(frozen=True)
class _Rest:
    """Where a file stopped being UTF-8: the block not written, whether all before was ASCII, its line and that of the fault."""

    block: bytes
    plain: bool
    first_line: int
    line: int


def _copy_utf8(blocks: Iterator[bytes], target: Path, name: str) -> _Rest | None:
    """Copy bytes while they are UTF-8. None where all were; else what was not written."""
    plain, line, pending = True, 1, b""
    with target.open("wb") as out:
        for block in blocks:
            _refuse_nul(block, line, name)
            data = pending + block
            good = len(data)
            if not data.isascii():
                try:
                    good = codecs.utf_8_decode(data, "strict", False)[1]  # the start of a character is left for the next block
                except UnicodeDecodeError as fault:
                    return _Rest(data, plain, line, line + data[: fault.start].count(b"\n"))
            out.write(data[:good])
            plain = plain and data[:good].isascii()
            line += data.count(b"\n")
            pending = data[good:]
    return _Rest(pending, plain, line, line) if pending else None


def _decode(blocks: Iterator[bytes], target: Path, encoding: str, name: str, mode: str = "wb", line: int = 1) -> None:
    """Write blocks of one encoding as UTF-8; RefusedFile with the line of the first byte that does not decode."""
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    with cast(BinaryIO, target.open(mode)) as out:
        for block in blocks:
            if encoding == "cp1252" and block.isascii():
                _refuse_nul(block, line, name)
                out.write(block)
                line += block.count(b"\n")
                continue
            line += _write_text(decoder, block, False, out, line, encoding, name)
        _write_text(decoder, b"", True, out, line, encoding, name)


def _write_text(
    decoder: codecs.IncrementalDecoder, block: bytes, final: bool, out: BinaryIO, line: int, encoding: str, name: str
) -> int:
    try:
        text = decoder.decode(block, final)
    except UnicodeDecodeError as fault:
        before = block[: fault.start].count(b"\n") if encoding == "cp1252" else 0
        value = fault.object[fault.start : fault.start + 1].hex()
        what = "is neither UTF-8 nor Windows-1252" if encoding == "cp1252" else f"is not {encoding}, which the first bytes say"
        raise RefusedFile(name, f"byte 0x{value} {what}", line=line + before, todo=TODO) from None
    if "\0" in text:
        raise RefusedFile(
            name, "a zero byte stands where text is expected", line=line + text[: text.index(chr(0))].count("\n"), todo=TODO
        )
    out.write(text.encode())
    return text.count("\n")


def _refuse_nul(block: bytes, line: int, name: str) -> None:
    at = block.find(b"\0")
    if at >= 0:
        problem = "a zero byte stands where text is expected (UTF-16 without a byte order mark, or no text at all)"
        raise RefusedFile(name, problem, line=line + block[:at].count(b"\n"), todo=TODO)


def _blocks(first: bytes, stream: BinaryIO) -> Iterator[bytes]:
    if first:
        yield first
    while block := stream.read(BLOCK):
        yield block


def _both(one: Iterator[bytes], other: Iterator[bytes]) -> Iterator[bytes]:
    yield from one
    yield from other


@dataclass(frozen=True)
class Piece:
    """A run of whole lines of a CSV file: where it lies, whether the header leads it, lines before it and in it."""

    path: Path
    has_header: bool = True
    lines_before: int = 0
    lines: int = 0


def cut_by_home(stream: BinaryIO, folder: Path, size: int, name: str) -> tuple[str, list[Piece]]:
    """Write a CSV as UTF-8 into files of about `size` bytes, cut at line ends where the first cell changes; its encoding, the files.

    CMS's large files are in the order of homes, the CCN first, so that a home lies whole in one piece. No cut is made within quotes.
    Raises RefusedFile as `transcode` does.
    """
    try:
        return "utf-8", _cut(_utf8_blocks(stream), folder, size)
    except UnicodeError:
        stream.seek(0)
        whole = folder / "whole.csv"
        encoding = transcode(stream, whole, name)
        with whole.open("rb") as text:
            pieces = _cut(_blocks(b"", text), folder, size)
        whole.unlink()
        return encoding, pieces


def _utf8_blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Blocks of a stream that is UTF-8 without a mark or zero bytes; UnicodeError where it is not."""
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    first = True
    while block := stream.read(BLOCK):
        if first and (wide_encoding(block) or block.startswith(codecs.BOM_UTF8)):
            raise UnicodeError("the file has a byte order mark or letters of more than a byte")
        first = False
        if b"\0" in block:
            raise UnicodeError("the file has a zero byte")
        if not block.isascii() or decoder.getstate()[0]:
            decoder.decode(block)
        yield block
    decoder.decode(b"", True)


def _cut(blocks: Iterator[bytes], folder: Path, size: int) -> list[Piece]:
    """Write blocks into pieces."""
    made: list[Piece] = []
    out, written, lines, before, quotes, ended = None, 0, 0, 0, 0, True

    def start() -> BinaryIO:
        return cast(BinaryIO, (folder / f"piece-{len(made):03d}.csv").open("wb"))

    def finish(file: BinaryIO) -> None:
        file.close()
        made.append(Piece(Path(file.name), not made, before, lines + (not ended)))

    for block in blocks:
        out = out or start()
        begin = 0
        while written + len(block) - begin > size and (at := _change(block, begin + max(0, size - written), quotes, begin)):
            out.write(block[begin:at])
            lines += block.count(b"\n", begin, at)
            ended = True
            finish(out)
            before, lines, written, quotes, begin, out = before + lines, 0, 0, 0, at, start()
        rest = block[begin:] if begin else block
        out.write(rest)
        written += len(rest)
        lines += rest.count(b"\n")
        quotes += rest.count(b'"')
        ended = rest.endswith(b"\n") or (ended and not rest)
    if out:
        finish(out)
    return made


def _change(block: bytes, wanted: int, quotes: int, begin: int) -> int:
    """Where in a block, at or after `wanted`, a line starts whose first cell is not that of the line before; 0 for nowhere.

    `quotes` is how many quote marks of the piece come before `begin`: within an open quote no line starts.
    """
    start = block.find(b"\n", wanted) + 1
    if start == 0:
        return 0
    is_open = (quotes + block.count(b'"', begin, start)) % 2 == 1
    cell = None
    while start < len(block):
        end = block.find(b"\n", start) + 1
        comma = block.find(b",", start)
        if comma < 0 or end == 0:
            return 0
        first = block[start:comma]
        if not is_open and cell is not None and first != cell:
            return start
        cell = cell if is_open else first
        is_open ^= block.count(b'"', start, end) % 2 == 1
        start = end
    return 0


def without_blank_end(path: Path) -> None:
    """Take blank lines from the end of a file: editors and spreadsheets leave them there."""
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - BLOCK))
        end = file.read()
        kept = end.rstrip(b"\r\n")
        if not kept or len(end) - len(kept) <= 2:
            return
        line_end = end[len(kept) :][:2] if end[len(kept) :].startswith(b"\r\n") else end[len(kept) :][:1]
        file.truncate(size - len(end) + len(kept) + len(line_end))


def read_header(source: Path | BinaryIO) -> list[str]:
    """The column names of a CSV file, in any of the encodings that `transcode` knows."""
    if isinstance(source, Path):
        with source.open("rb") as stream:
            return read_head(stream, rows=0).header
    return read_head(source, rows=0).header


def read_head(stream: BinaryIO, rows: int = 1000) -> Head:
    """Header and first rows of a CSV stream; of the stream only the first quarter of a megabyte is read."""
    start = stream.read(HEAD)
    while len(start) < HEAD and (more := stream.read(HEAD - len(start))):
        start += more
    whole = len(start) < HEAD
    encoding, text = _decode_head(start, whole)
    if not whole:  # the last line is cut
        text = text[: text.rfind("\n") + 1] or text
    lines = csv.reader(io.StringIO(text, newline=""))
    try:
        header = next(lines, [])
        found = [row for row, _ in zip(lines, range(rows), strict=False) if row] if rows else []
    except csv.Error:
        return Head(encoding, [], [], text[:BEGINNING])
    return Head(encoding, header, found, text[:BEGINNING])


def _decode_head(start: bytes, whole: bool) -> tuple[str, str]:
    wide = wide_encoding(start)
    if wide:
        return wide, codecs.getincrementaldecoder(wide)("replace").decode(start, whole)
    marked = start.startswith(codecs.BOM_UTF8)
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")("strict").decode(start, whole)
        return ("utf-8-sig" if marked else "utf-8"), text
    except UnicodeDecodeError:
        return "cp1252", start.decode("cp1252", "replace")
