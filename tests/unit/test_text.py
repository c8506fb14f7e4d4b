"""What comes in any encoding leaves as UTF-8, and nothing is guessed."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest

from pipelines.errors import RefusedFile
from pipelines.sources import text
from pipelines.sources.text import as_pieces, read_header

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
NAMES = "PROVNUM,PROVNAME\r\n405901,RESIDENCIA PEÑA – NORTE\r\n"


def through(content: bytes, folder: Path) -> tuple[str, bytes]:
    encoding, pieces = as_pieces(io.BytesIO(content), folder, "in.csv")
    return encoding, b"".join(piece.path.read_bytes() for piece in pieces)


def test_each_encoding_that_cms_uses_comes_out_as_utf8_without_mark(tmp_path: Path) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        assert through(NAMES.encode(encoding), tmp_path) == (encoding, NAMES.replace("\r", "").encode()), encoding


def test_plain_ascii_is_copied_and_an_empty_file_stays_empty(tmp_path: Path) -> None:
    assert through(b"a,b\n1,2\n", tmp_path) == ("utf-8", b"a,b\n1,2\n")
    assert through(b"", tmp_path) == ("utf-8", b"")


@pytest.mark.skipif(not CASES.exists(), reason="the cases are not here")
def test_c05_names_in_cp1252_keep_their_dash_and_apostrophe(tmp_path: Path) -> None:
    with (CASES / "C05-cp1252-names" / "pbj_daily.csv").open("rb") as stream:
        encoding, (piece,) = as_pieces(stream, tmp_path, "pbj_daily.csv")
    assert encoding == "cp1252"
    names = [line.split(",")[1] for line in piece.path.read_text("utf-8").splitlines()[1:]]
    assert names == ["RESIDENCIA PEÑA – NORTE", "ST. MARY’S EXAMPLE HOME", "PLAIN NAME"]


def test_a_byte_that_cp1252_does_not_have_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(RefusedFile, match="0x81") as refused:
        through(b"a,b\n1,\x92\n2,\x81\n", tmp_path)
    assert (refused.value.file, refused.value.line) == ("in.csv", 3)


def test_a_file_marked_utf8_that_is_not_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(RefusedFile) as refused:
        through(b"\xef\xbb\xbfa,b\n1,\xd1\n", tmp_path)
    assert refused.value.line == 2


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-16", "utf-32"])
def test_letters_of_two_and_four_bytes_are_read_with_a_mark_and_without(encoding: str, tmp_path: Path) -> None:
    """Where its zeros stand tells such a text; it was refused as one with zero bytes."""
    assert through(NAMES.encode(encoding), tmp_path)[1] == NAMES.replace("\r", "").encode()


def test_a_zero_byte_among_letters_is_refused_with_its_line(tmp_path: Path) -> None:
    for content in (b"a,\x92\n1,\0\n", b"a,b\n1,2\0" + b"3" * 4000):
        with pytest.raises(RefusedFile, match="zero byte") as refused:
            through(content, tmp_path)
        assert refused.value.line == 2


@pytest.mark.parametrize("block", [1, 2, 3, 7])
def test_the_size_of_a_block_changes_nothing(tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A character or the switch to cp1252 can fall on any border between blocks."""
    monkeypatch.setattr(text, "BLOCK", max(block, 3))
    chance = random.Random(block)
    for _ in range(100):
        line = "".join(
            chance.choice(["a", "b", ",", "\n", "\r\n", "\r", "ñ", "€", "–", "ÿ"]) for _ in range(chance.randrange(1, 30))
        )
        line += "z"
        plain = "\n".join(line.replace("\r\n", "\n").split("\r"))
        assert through(line.encode(), tmp_path) == ("utf-8", plain.encode())
        assert through(line.encode("utf-16"), tmp_path) == ("utf-16", plain.encode())
        single = line.encode("cp1252")
        try:
            single.decode()
        except UnicodeDecodeError:
            assert through(single, tmp_path) == ("cp1252", plain.encode())


@pytest.mark.parametrize("block", [3, 5, 8, 4000])
def test_a_few_bytes_of_cp1252_among_utf8_leave_the_other_letters_whole(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that were put together from two: PEÑA in UTF-8 came out as PEÃ‘A where a later line had one byte of cp1252."""
    monkeypatch.setattr(text, "BLOCK", block)
    content = (
        "a,PEÑA – ŌKINA ʻ\n".encode() + "1,ST. MARY’S\n".encode("cp1252") + "2,“CAFÉ”\n".encode() + "3,CAFÉ’S\n".encode("cp1252")
    )
    wanted = "a,PEÑA – ŌKINA ʻ\n1,ST. MARY’S\n2,“CAFÉ”\n3,CAFÉ’S\n"
    assert through(content, tmp_path) == ("utf-8 and cp1252", wanted.encode())


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r", "mixed"])
@pytest.mark.parametrize("block", [1, 2, 7, 4000])
def test_every_line_ends_alike_and_blank_lines_at_the_end_are_gone(
    ends: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LF, CR LF, CR alone, or all of them in one file; also between the blocks of one."""
    monkeypatch.setattr(text, "BLOCK", max(block, 3))
    lines = ["a,b", '1,"x', 'y"', "2,z"]
    kinds = ["\n", "\r\n", "\r"] if ends == "mixed" else [ends]
    content = "".join(line + kinds[k % len(kinds)] for k, line in enumerate(lines))
    for end in ("", ends.replace("mixed", "\r\n") * 2, "\x1a"):
        _, (piece,) = as_pieces(io.BytesIO((content + end).encode()), tmp_path, "in.csv")
        assert piece.path.read_bytes() == b'a,b\n1,"x\ny"\n2,z\n'
        assert piece.lines == 4


def test_the_header_is_read_in_any_encoding_and_with_quotes(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        file.write_bytes('"State, or Nation",Peña\r\n"AK","1"\r\n'.encode(encoding))
        assert read_header(file) == ["State, or Nation", "Peña"], encoding
    assert read_header(io.BytesIO(b"")) == []
