"""A large file goes piece by piece, and comes out as if it were read whole."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipelines import staging
from pipelines.sources import text
from pipelines.sources.text import as_pieces
from pipelines.store import Store, data_files
from tests.cases import fill

QUARTER = "2024Q2"
HOMES = ("015009", "01A193", "105002", "335513", "555901", "676001")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pieces of a few homes."""
    monkeypatch.setattr(staging, "PIECE", 900)
    monkeypatch.setattr(text, "BLOCK", 1000)
    yield


def rows() -> list[dict[str, str]]:
    """Some days of five people in each home, in CMS's order: home, day, person."""
    return [
        {"PROVNUM": home, "WorkDate": f"202404{day:02d}", "SYS_EMPLEE_ID": str(person), "WORK_HRS_NUM": f"{day % 12}.25"}
        for home in HOMES
        for day in (1, 3, 9)
        for person in range(1, 6)
    ]


def staged(folder: Path, found: list[dict[str, str]]) -> tuple[list[tuple[Any, ...]], int, dict[str, Any]]:
    """The rows of the staged table, its number of files, and its manifest."""
    store = Store(folder / "store")
    manifest = fill.staged(store, fill.write(folder / "e.csv", "pbj_employee", found), "pbj_employee", QUARTER)
    files = data_files(store.folder("staged.employee_quarters", QUARTER))
    every = [row for file in files for row in fill.read(store, "staged.employee_quarters", QUARTER, file.stem)]
    return every, len(files), manifest


def test_pieces_give_the_table_of_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Homes in order, each in one file, the same rows."""
    pieced, files, manifest = staged(tmp_path / "pieces", rows())
    assert files > 2
    monkeypatch.setattr(staging, "PIECE", 1 << 20)
    whole, one, same = staged(tmp_path / "whole", rows())
    assert one == 1
    assert pieced == whole
    assert manifest["rows"] == same["rows"] == len(rows())


def test_a_file_in_another_order_is_put_together_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No order of the file is leaned on: a home that lies in many pieces is one home."""
    shuffled = rows()
    random.Random(1).shuffle(shuffled)
    pieced, files, _ = staged(tmp_path / "pieces", shuffled)
    assert files > 1
    monkeypatch.setattr(staging, "PIECE", 1 << 20)
    assert pieced == staged(tmp_path / "whole", rows())[0]


def test_a_piece_with_an_unusual_row_goes_the_long_way(tmp_path: Path) -> None:
    """A date and a number that CMS does not write so are read all the same, a bad one is a reject with its line in the whole file."""
    found = rows()
    found[40] |= {"WorkDate": "2024-04-09", "WORK_HRS_NUM": "+9.250"}
    found[75] |= {"WORK_HRS_NUM": "1e1"}
    usual = staged(tmp_path / "usual", rows())[0]
    odd, _, manifest = staged(tmp_path / "odd", found)
    assert (manifest["rows"], manifest["rejected_rows"]) == (len(found) - 1, 1)
    lost = {row[:2] for row in usual if row not in odd}
    assert lost == {(found[75]["PROVNUM"], int(found[75]["SYS_EMPLEE_ID"]))}
    store = Store(tmp_path / "odd" / "store")
    rejects = fill.read(store, "staged.employee_quarters", QUARTER, "rejects", "line, column_name, value")
    assert rejects == [(77, "WORK_HRS_NUM", "1e1")]


@pytest.mark.parametrize("value", ["1e1", "8.005", "1_000", " ", "-1", "NaN", "12345678.00"])
def test_what_a_cast_would_take_or_round_never_passes_unseen(value: str, tmp_path: Path) -> None:
    """The quick way takes only digits with up to two decimals; anything else is a reject or counted."""
    found = rows()
    found[10] |= {"WORK_HRS_NUM": value}
    _, _, manifest = staged(tmp_path, found)
    assert manifest["rejected_rows"] + manifest["rounded_numbers"] == 1


def test_no_cut_is_made_within_quotes(tmp_path: Path) -> None:
    """A line break in a quoted cell is no line; the pieces put together are the file."""
    content = b"ccn,name\n" + b"".join(b'%06d,"a\nb%d"\n' % (k // 9, k) for k in range(300))
    _, pieces = as_pieces(io.BytesIO(content), tmp_path, "f.csv", 600)
    assert len(pieces) > 2
    assert b"".join(piece.path.read_bytes() for piece in pieces) == content
    assert all(piece.path.read_bytes().count(b'"') % 2 == 0 for piece in pieces)
    assert [piece.lines_before for piece in pieces[1:]] == [
        sum(p.path.read_bytes().count(b"\n") for p in pieces[:k]) for k in range(1, len(pieces))
    ]
    starts = [piece.path.read_bytes()[:6] for piece in pieces[1:]]
    assert len(set(starts)) == len(starts)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_pieces_are_utf8_whatever_came(encoding: str, tmp_path: Path) -> None:
    """Encodings are told apart as for other files."""
    content = "PROVNUM,PROVNAME\n" + "".join(f"{k // 4:06d},RESIDENCIA PEÑA – {k}\n" for k in range(200))
    found, pieces = as_pieces(io.BytesIO(content.encode(encoding)), tmp_path, "f.csv", 700)
    assert found == encoding
    assert b"".join(piece.path.read_bytes() for piece in pieces).decode() == content
    assert len(pieces) > 2
