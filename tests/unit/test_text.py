"""What comes in any encoding leaves as UTF-8, and nothing is guessed."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest

from pipelines.errors import RefusedFile
from pipelines.sources import text
from pipelines.sources.text import read_header, transcode

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
NAMES = "PROVNUM,PROVNAME\r\n405901,RESIDENCIA PEÑA – NORTE\r\n"


def through(content: bytes, folder: Path) -> tuple[str, bytes]:
    encoding = transcode(io.BytesIO(content), folder / "out.csv", "in.csv")
    return encoding, (folder / "out.csv").read_bytes()


def test_each_encoding_that_cms_uses_comes_out_as_utf8_without_mark(tmp_path: Path) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        assert through(NAMES.encode(encoding), tmp_path) == (encoding, NAMES.encode()), encoding


def test_plain_ascii_is_copied_and_an_empty_file_stays_empty(tmp_path: Path) -> None:
    assert through(b"a,b\r\n1,2\r\n", tmp_path) == ("utf-8", b"a,b\r\n1,2\r\n")
    assert through(b"", tmp_path) == ("utf-8", b"")


@pytest.mark.skipif(not CASES.exists(), reason="the cases are not here")
def test_c05_names_in_cp1252_keep_their_dash_and_apostrophe(tmp_path: Path) -> None:
    with (CASES / "C05-cp1252-names" / "pbj_daily.csv").open("rb") as stream:
        assert transcode(stream, tmp_path / "out.csv") == "cp1252"
    names = [line.split(",")[1] for line in (tmp_path / "out.csv").read_text("utf-8").splitlines()[1:]]
    assert names == ["RESIDENCIA PEÑA – NORTE", "ST. MARY’S EXAMPLE HOME", "PLAIN NAME"]


def test_a_byte_that_cp1252_does_not_have_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(RefusedFile, match="0x81") as refused:
        through(b"a,b\n1,\x92\n2,\x81\n", tmp_path)
    assert (refused.value.file, refused.value.line) == ("in.csv", 3)


def test_a_file_marked_utf8_that_is_not_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(RefusedFile) as refused:
        through(b"\xef\xbb\xbfa,b\n1,\xd1\n", tmp_path)
    assert refused.value.line == 2


def test_zero_bytes_are_refused_because_they_are_utf16_without_mark(tmp_path: Path) -> None:
    for content in ("a,b\n1,2\n".encode("utf-16-le"), b"a,\x92\n1,\0\n"):
        with pytest.raises(RefusedFile, match="zero byte"):
            through(content, tmp_path)


@pytest.mark.parametrize("block", [1, 2, 3, 7])
def test_the_size_of_a_block_changes_nothing(tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A character or the switch to cp1252 can fall on any border between blocks."""
    monkeypatch.setattr(text, "BLOCK", max(block, 3))
    chance = random.Random(block)
    for _ in range(100):
        line = "".join(chance.choice("ab,\nñ€–ÿ") for _ in range(chance.randrange(1, 30)))
        assert through(line.encode(), tmp_path) == ("utf-8", line.encode())
        assert through(line.encode("utf-16"), tmp_path) == ("utf-16", line.encode())
        single = line.encode("cp1252")
        try:
            single.decode()
        except UnicodeDecodeError:
            assert through(single, tmp_path) == ("cp1252", line.encode())


def test_utf8_before_a_cp1252_byte_is_read_again_as_cp1252(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One file has one encoding: what looked like UTF-8 at first is cp1252 like the rest, and nothing is left beside the file."""
    monkeypatch.setattr(text, "BLOCK", 8)
    content = b"a,\xc3\xb1,cdefghijk\n1,\x92\n"
    assert through(content, tmp_path) == ("cp1252", content.decode("cp1252").encode())
    assert [file.name for file in tmp_path.iterdir()] == ["out.csv"]


def test_the_header_is_read_in_any_encoding_and_with_quotes(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        file.write_bytes('"State, or Nation",Peña\r\n"AK","1"\r\n'.encode(encoding))
        assert read_header(file) == ["State, or Nation", "Peña"], encoding
    assert read_header(io.BytesIO(b"")) == []
