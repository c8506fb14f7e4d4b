"""Text as CMS serves it: the encoding is found strictly, and what leaves here is UTF-8 without a byte order mark."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, cast

from pipelines.errors import RefusedFile

BLOCK = 1 << 22
HEAD = 1 << 18
BEGINNING = 1 << 14  # letters of it that are kept as they are
END = 1 << 16  # how far from the end blank lines are looked for
WIDE = {  # byte order marks, the longer first: one of UTF-16 is the beginning of one of UTF-32
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
TODO = "Fetch the file again; if CMS serves it so, save it as UTF-8 and check the names in it."
QUOTES = "Fetch the file again, or mend the quote in that line."
# letters of UTF-8 that names of homes have: Latin ones, the okina, dashes and curly quotes; as cp1252 they are two signs that no name has
LETTERS = re.compile(rb"\xc2[\xa0-\xbf]|[\xc3-\xc5][\x80-\xbf]|\xca\xbb|\xe2[\x80-\x84][\x80-\xbf]")
BEGUN = re.compile(rb"(?:[\xc2-\xc5\xca\xe2]|\xe2[\x80-\x84])\Z")  # the beginning of one at the end of a block
TWICE = re.compile(rb"\xc3\x83\xc2[\x80-\xbf]|\xc3\xa2\xe2\x82\xac")  # UTF-8 that was taken for cp1252 and encoded again: Ã±, â€™
LONE = re.compile(rb"\r(?!\n)")
NO_MARKS = bytes(set(range(256)) - set(b'"\n'))


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


@dataclass(frozen=True)
class Piece:
    """A run of whole lines of a CSV file: where it lies, whether the header leads it, lines before it and in it.

    `starts` are the lines at which the rows after the header begin, where that is not one after another: a cell holds a line break, or
    a line is blank.
    """

    path: Path
    has_header: bool = True
    lines_before: int = 0
    lines: int = 0
    starts: array[int] | None = None

    @property
    def rows(self) -> int:
        """How many rows the piece has, as far as its lines tell."""
        return self.lines - self.has_header if self.starts is None else len(self.starts)


@dataclass
class _Progress:
    """What is known of a text while it is read: its name, the lines written so far, and whether it has letters of UTF-8, and some twice encoded."""

    name: str
    lines: int = 0
    has_utf8: bool = False
    has_twice: bool = False

    def line_of(self, data: bytes, at: int) -> int:
        """The line of a byte of a block that is not yet written."""
        return self.lines + 1 + _breaks(data[:at])


class _NotUtf8(Exception):
    """A stream is not UTF-8; the line that shows it."""


def as_pieces(stream: BinaryIO, folder: Path, name: str, size: int = 0) -> tuple[str, list[Piece]]:
    """Write the text of a stream into `folder` as UTF-8 in which each line ends with LF; the encoding it had, and the files.

    With a size the files are of about so many bytes, cut at line ends where the first cell changes: CMS's large files are in the order
    of homes, the CCN first, so that a home lies whole in one piece. The text is read in one pass in bounded memory, twice where it turns
    out not to be UTF-8: then what reads as a letter of UTF-8 that CMS's names have is one, all else is cp1252. Raises RefusedFile, naming
    the line, where nothing decodes.
    """
    first = stream.read(BLOCK)
    wide, marked = wide_encoding(first), first.startswith(codecs.BOM_UTF8)
    encoding = wide or ("utf-8-sig" if marked else "utf-8")
    blocks = _blocks(first[3:] if encoding == "utf-8-sig" else first, stream)
    seen = _Progress(name)
    decoded = _wide(blocks, wide, seen) if wide else _utf8(_to_line_ends(blocks), seen)
    try:
        pieces = _cut(_with_lf(decoded), folder, size, seen)
        return encoding + (", some letters encoded twice" if seen.has_twice else ""), pieces
    except _NotUtf8 as fault:
        if marked:
            raise RefusedFile(
                name, "the file says by its first bytes that it is UTF-8 but is not", line=fault.args[0], todo=TODO
            ) from None
    stream.seek(0)
    seen = _Progress(name)
    pieces = _cut(_with_lf(_cp1252(_to_line_ends(_blocks(b"", stream)), seen)), folder, size, seen)
    return "utf-8 and cp1252" if seen.has_utf8 else "cp1252", pieces


def _utf8(blocks: Iterator[bytes], seen: _Progress) -> Iterator[bytes]:
    """Blocks of UTF-8 as they are, cut between letters; _NotUtf8 where they are not."""
    pending = b""
    for block in blocks:
        data = pending + block
        _refuse_nul(data, seen)
        good = len(data)
        if not data.isascii():
            try:
                good = codecs.utf_8_decode(data, "strict", False)[1]  # the start of a letter is left for the next block
            except UnicodeDecodeError as fault:
                raise _NotUtf8(seen.line_of(data, fault.start)) from None
            seen.has_twice = seen.has_twice or bool(TWICE.search(data))
        yield data[:good]
        pending = data[good:]
    if pending:
        raise _NotUtf8(seen.line_of(pending, 0))


def _cp1252(blocks: Iterator[bytes], seen: _Progress) -> Iterator[bytes]:
    """Blocks of cp1252 as UTF-8; letters of CMS's names that are UTF-8 already stay so."""
    pending = b""
    for block in _with_end(blocks):
        data = pending + block
        _refuse_nul(data, seen)
        cut = BEGUN.search(data) if block else None
        pending = data[cut.start() :] if cut else b""
        data = data[: len(data) - len(pending)]
        if data.isascii():
            yield data
            continue
        made, last = [], 0
        for letter in LETTERS.finditer(data):
            made += [_of_cp1252(data, last, letter.start(), seen), letter[0]]
            seen.has_utf8 = True
            last = letter.end()
        yield b"".join([*made, _of_cp1252(data, last, len(data), seen)])


def _of_cp1252(data: bytes, start: int, end: int, seen: _Progress) -> bytes:
    try:
        return data[start:end].decode("cp1252").encode()
    except UnicodeDecodeError as fault:
        at = start + fault.start
        problem = f"byte 0x{data[at : at + 1].hex()} is neither UTF-8 nor Windows-1252"
        raise RefusedFile(seen.name, problem, line=seen.line_of(data, at), todo=TODO) from None


def _wide(blocks: Iterator[bytes], encoding: str, seen: _Progress) -> Iterator[bytes]:
    """Blocks of letters of two or four bytes as UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    held = ""  # a CR, whose LF may come with the next block
    for block in _with_end(blocks):
        try:
            text = held + decoder.decode(block, not block)
        except UnicodeDecodeError as fault:
            problem = f"byte 0x{fault.object[fault.start : fault.start + 1].hex()} is not {encoding}, which the first bytes say"
            before = fault.object[: fault.start].decode(encoding, "replace").encode()
            raise RefusedFile(seen.name, problem, line=seen.line_of(before, len(before)), todo=TODO) from None
        held = "\r" if text.endswith("\r") and block else ""
        made = text[: len(text) - len(held)].encode()
        _refuse_nul(made, seen)
        yield made


def _to_line_ends(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in blocks between which no CR LF is cut."""
    held = b""
    for block in blocks:
        data = held + block
        held = b"\r" if data.endswith(b"\r") else b""
        yield data[: len(data) - len(held)] if held else data
    if held:
        yield held


def _with_lf(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Blocks of UTF-8 in which LF ends each line, whether CR LF, LF or CR alone did, those within quotes too."""
    for block in blocks:
        if b"\r" not in block:
            yield block
        elif LONE.search(block):
            yield block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        else:  # twice as quick
            yield block.translate(None, b"\r")


def _breaks(data: bytes) -> int:
    """How many line ends there are, of any kind."""
    return data.count(b"\n") + (data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else 0)


def _refuse_nul(block: bytes, seen: _Progress) -> None:
    at = block.find(b"\0")
    if at >= 0:
        problem = "a zero byte stands where text is expected (the file is damaged, or no text at all)"
        raise RefusedFile(seen.name, problem, line=seen.line_of(block, at), todo=TODO)


def _blocks(first: bytes, stream: BinaryIO) -> Iterator[bytes]:
    if first:
        yield first
    while block := stream.read(BLOCK):
        yield block


def _with_end(blocks: Iterator[bytes]) -> Iterator[bytes]:
    yield from blocks
    yield b""


def _cut(blocks: Iterator[bytes], folder: Path, size: int, seen: _Progress) -> list[Piece]:
    """Write blocks into pieces, without the blank lines at the end; no cut is made within quotes."""
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
        while size and written + len(block) - begin > size:
            at = _change(block, begin + max(0, size - written), quotes, begin)
            if at == 0:
                break
            out.write(block[begin:at])
            lines += block.count(b"\n", begin, at)
            ended = True
            finish(out)
            before, lines, written, quotes, begin, out = before + lines, 0, 0, 0, at, start()
        rest = block[begin:] if begin else block
        if size and written > size and _is_quoted(rest, quotes):
            out.close()
            line = before + _last_quote(Path(out.name))
            raise RefusedFile(seen.name, "a quote opens and does not close for many lines", line=line, todo=QUOTES)
        out.write(rest)
        written += len(rest)
        lines += rest.count(b"\n")
        quotes += rest.count(b'"')
        ended = rest.endswith(b"\n") or (ended and not rest)
        seen.lines = before + lines
    if out:
        finish(out)
        made[-1] = _without_blank_end(made[-1])
    return made


def _is_quoted(block: bytes, quotes: int) -> bool:
    """Whether every line end of a block is within quotes, of which so many come before: then one was never closed."""
    marks = block.translate(None, NO_MARKS)
    runs = (b'"' * (quotes % 2) + marks).replace(b'""', b"").split(b'"')
    return len(block) >= BLOCK // 2 and b"\n" in marks and not any(runs[::2])


def _last_quote(path: Path) -> int:
    """The line of the last quote mark of a file."""
    line, found = 1, 1
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            at = block.rfind(b'"')
            found = line + block.count(b"\n", 0, at) if at >= 0 else found
            line += block.count(b"\n")
    return found


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


def _without_blank_end(piece: Piece) -> Piece:
    """The last piece without the blank lines at its end: editors and spreadsheets leave them there, and an old mark for the end."""
    with piece.path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - END))
        end = file.read()
        kept = end.rstrip(b"\n\x1a \t")
        after = end[len(kept) :]
        if not kept or after in (b"", b"\n"):
            return piece
        file.truncate(size - len(after))
        file.seek(0, os.SEEK_END)
        file.write(b"\n")
    return replace(piece, lines=piece.lines - after.count(b"\n") + 1 - (after[-1:] != b"\n"))


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
