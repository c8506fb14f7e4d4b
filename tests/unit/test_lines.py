"""Line ends, quotes and blank lines: every row of a text becomes one row of the table, or the file is refused with the line."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from pipelines import staging
from pipelines.errors import RefusedFile
from pipelines.sources import text
from pipelines.store import Store, data_files
from tests.cases import fill

RELEASE, QUARTER = "2026-07", "2024Q2"
CCN = "CMS Certification Number (CCN)"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def providers(file: Path, names: list[str], bad: int | None = None) -> list[str]:
    """A provider file of homes with these names; the lines of its text. One home may have a rating that cannot be read."""
    rows = [
        {CCN: f"015{k:03d}", "Provider Name": name, "Overall Rating": "x" if k == bad else "3"} for k, name in enumerate(names)
    ]
    fill.write(file, "provider_info", rows)
    return file.read_text().split("\n")


def names_of(store: Store) -> list[str]:
    return [name for (name,) in fill.read(store, "staged.provider_info", RELEASE, columns="provider_name")]


def staged(store: Store, file: Path) -> dict[str, Any]:
    return fill.staged(store, file, "provider_info", RELEASE)


@pytest.mark.parametrize("inner", ["\n", "\r\n", "\r", "\n\n", "\r\n \r\n"])
@pytest.mark.parametrize("outer", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_c71_a_line_break_in_a_cell_is_no_line_end(outer: str, inner: str, encoding: str, store: Store, tmp_path: Path) -> None:
    """An LF file with one quoted CR LF gave no rows at all; every mix of the two is read whole, and the break stays in its cell."""
    file = tmp_path / "p.csv"
    providers(file, ["ONE", "TWO@SUITE 4", "PEÑA", "FOUR"])
    content = file.read_text().replace("\n", outer).replace("TWO@SUITE 4", f'"TWO{inner}SUITE 4"')
    file.write_bytes(content.encode(encoding))
    manifest = staged(store, file)
    assert (manifest["rows"], manifest["rejected_rows"]) == (4, 0)
    kept = inner.replace("\r\n", "\n").replace("\r", "\n")
    assert names_of(store) == ["ONE", f"TWO{kept}SUITE 4", "PEÑA", "FOUR"]


@pytest.mark.parametrize("table", ["pbj_daily", "pbj_employee"])
def test_kinds_of_line_ends_may_mix_in_one_file(table: str, store: Store, tmp_path: Path) -> None:
    """Files that were joined or edited on two systems: CR LF, LF, CR alone, and CR CR LF of a text written twice."""
    file = fill.write(tmp_path / "d.csv", table, [{"WorkDate": f"202404{day:02d}"} for day in range(1, 13)])
    lines, ends = file.read_text().split("\n")[:-1], ["\n", "\r\n", "\r", "\r\r\n"]
    file.write_bytes("".join(line + ends[k % 4] for k, line in enumerate(lines)).encode())
    manifest = fill.staged(store, file, table, QUARTER)
    assert (manifest["rows"], manifest["rejected_rows"]) == (12, 0)


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n\r\n", "\n \n\t\n", "\x1a", "\r\n\x1a"])
def test_the_end_of_a_file_may_be_any(end: str, store: Store, tmp_path: Path) -> None:
    """No line end, several (CMS until June 2024), blanks, or the mark with which old systems end a text."""
    file = tmp_path / "p.csv"
    file.write_bytes("\n".join([*providers(file, ["ONE", "TWO"])[:-1]]).encode() + end.encode())
    assert staged(store, file)["rows"] == 2
    assert names_of(store) == ["ONE", "TWO"]


def test_blank_lines_and_rows_without_a_value_are_no_rows(store: Store, tmp_path: Path) -> None:
    """Between rows, as editors and spreadsheets leave them; rows of commas alone are counted, and the lines told are the file's."""
    file = tmp_path / "p.csv"
    header, one, two, three, _ = providers(file, ["ONE", "TWO", "THREE"], bad=2)
    commas = "," * header.count(",")
    file.write_text("\n".join([header, "", one, "", "", two, commas, commas.replace(",", " ,"), three, commas]) + "\n")
    manifest = staged(store, file)
    assert (manifest["rows"], manifest["empty_rows"], manifest["rejected_rows"]) == (3, 3, 1)
    assert fill.read(store, "staged.provider_info", RELEASE, "rejects", "line, value") == [(9, "x")]


def test_the_line_told_is_the_one_an_editor_shows(store: Store, tmp_path: Path) -> None:
    """Line breaks within cells count: the row behind three of them was told three lines too early."""
    file = tmp_path / "p.csv"
    providers(file, ["ONE", "TWO", "A@B@C", "FOUR", "FIVE"], bad=4)
    file.write_text(file.read_text().replace("A@B@C", '"A\nB\nC"').replace("ONE", '"O\nNE"'))
    assert staged(store, file)["rejected_rows"] == 1
    assert fill.read(store, "staged.provider_info", RELEASE, "rejects", "line, value") == [(9, "x")]


@pytest.mark.parametrize(
    ("spoilt", "line"),
    [
        ('"TWO', 3),  # to the end of the file
        ('"TWO" HOME', 3),
        ('"THE \\"OLD\\" HOME"', 3),  # an escape that CSV does not have
        ('THE "OLD, GREY" HOME', 3),
        ("TWO\rHOUSES", 3),
        ("TWO, HOMES", 3),
    ],
)
def test_quotes_that_do_not_fit_refuse_the_file_with_the_line(spoilt: str, line: int, store: Store, tmp_path: Path) -> None:
    """The line at which the quote opens, not that at which the file ends; in our words."""
    file = tmp_path / "p.csv"
    providers(file, ["ONE", "@", *[f"HOME {k}" for k in range(300)]])
    file.write_bytes(file.read_text().replace("@", spoilt).encode())
    with pytest.raises(RefusedFile, match=rf"p\.csv, line {line}: (quotes do not close|the line has \d+ values)") as refused:
        staged(store, file)
    assert "Invalid" not in str(refused.value) and "CSV Error" not in str(refused.value)


@pytest.mark.parametrize("last", [3, 4])
def test_a_quote_is_never_closed_by_one_some_rows_on(last: int, store: Store, tmp_path: Path) -> None:
    """Two quotes too many make one cell of the rows between them, and the row fits its header: homes were lost without a word."""
    file = tmp_path / "p.csv"
    lines = providers(file, ["ONE", "TWO", "THREE", "FOUR", "FIVE"])
    lines[2] = lines[2].replace("2026-07-01", '"2026-07-01')
    lines[last] += '"'
    file.write_text("\n".join(lines))
    with pytest.raises(RefusedFile, match=r"p\.csv, line 3: a quote opens and does not close before the next row"):
        staged(store, file)


def test_quotes_that_are_letters_stay_so(store: Store, tmp_path: Path) -> None:
    """Doubled in a quoted cell, single in one that does not begin with one."""
    file = tmp_path / "p.csv"
    providers(file, ["ONE", 'THE "OLD" HOME', "@", "FOUR"])
    file.write_text(file.read_text().replace("@", 'HOME 12" WIDE'))
    staged(store, file)
    assert names_of(store) == ["ONE", 'THE "OLD" HOME', 'HOME 12" WIDE', "FOUR"]


@pytest.mark.parametrize("length", [200_000, 900_000])
def test_a_long_cell_is_read(length: int, store: Store, tmp_path: Path) -> None:
    """Up to a million bytes a line, with line breaks in cells and without; longer ones refuse the file with the line."""
    file = tmp_path / "p.csv"
    providers(file, ["ONE", "X" * length, "A@B"])
    file.write_text(file.read_text().replace("A@B", '"A\nB"'))
    assert staged(store, file)["rows"] == 3
    providers(file, ["ONE", "TWO", "X" * 1_100_000])
    with pytest.raises(RefusedFile, match=r"p\.csv, line 4: the line is longer than 1,000,000 bytes"):
        staged(store, file)


def test_files_that_were_joined_are_refused_with_the_line(store: Store, tmp_path: Path) -> None:
    """A second header among the rows, with the mark that a file begins with."""
    file = tmp_path / "p.csv"
    content = "\n".join(providers(file, ["ONE", "TWO"]))
    file.write_text(content + "\ufeff" + content.replace("015000", "016000").replace("015001", "016001"))
    with pytest.raises(RefusedFile, match=r"p\.csv, line 4: the header stands here once more"):
        staged(store, file)


def test_what_is_blank_at_the_ends_of_a_cell_is_no_part_of_it(store: Store, tmp_path: Path) -> None:
    """Tabs, blanks that do not break, blanks without width, and the mark of a joined file."""
    file = tmp_path / "p.csv"
    rows = [
        {CCN: "\ufeff015000", "Overall Rating": "\u00a03"},
        {CCN: "015001\u200b", "Overall Rating": "\t4 ", "State": "\u2007CA\u00a0"},
    ]
    fill.write(file, "provider_info", rows)
    assert staged(store, file)["rejected_rows"] == 0
    assert fill.read(store, "staged.provider_info", RELEASE, columns="ccn, state, overall_rating") == [
        ("015000", "CA", 3),
        ("015001", "CA", 4),
    ]


@pytest.mark.parametrize("kind", ["breaks", "blanks", "both"])
def test_pieces_of_a_large_file_tell_the_lines_of_the_whole(
    kind: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the employee file too: line breaks in footnotes and blank lines before a bad value."""
    monkeypatch.setattr(staging, "PIECE", 900)
    monkeypatch.setattr(text, "BLOCK", 1000)
    rows = [
        {"PROVNUM": f"0150{k:02d}", "WorkDate": f"202404{day:02d}", "WORK_HRS_FN": "a@b" if kind != "blanks" and day == 2 else ""}
        for k in range(10)
        for day in range(1, 6)
    ]
    rows[40]["WORK_HRS_NUM"] = "eight"
    file = fill.write(tmp_path / "e.csv", "pbj_employee", rows)
    lines = file.read_text().replace("a@b", '"a\nb"').split("\n")
    if kind != "breaks":
        lines = [one for k, line in enumerate(lines) for one in ([line, ""] if k % 7 == 3 else [line])]
    file.write_text("\n".join(lines))
    manifest = fill.staged(store, file, "pbj_employee", QUARTER)
    assert len(data_files(store.folder("staged.employee_quarters", QUARTER))) > 1
    assert (manifest["rows"], manifest["rejected_rows"]) == (49, 1)
    wanted = next(number for number, line in enumerate(lines, 1) if "eight" in line)
    assert fill.read(store, "staged.employee_quarters", QUARTER, "rejects", "line, value") == [(wanted, "eight")]


def test_a_quote_left_open_in_a_large_file_is_found_before_it_is_read(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No piece of it could be cut any more: all the rest would be held in memory as one."""
    monkeypatch.setattr(staging, "PIECE", 900)
    monkeypatch.setattr(text, "BLOCK", 1000)
    rows = [{"PROVNUM": f"0150{k:02d}", "WorkDate": f"202404{day:02d}"} for k in range(20) for day in range(1, 6)]
    rows[30]["WORK_HRS_FN"] = "@"
    file = fill.write(tmp_path / "e.csv", "pbj_employee", rows)
    file.write_text(file.read_text().replace("@", '"open'))
    with pytest.raises(RefusedFile, match=r"e\.csv, line 32: a quote opens and does not close for many lines"):
        fill.staged(store, file, "pbj_employee", QUARTER)


def test_any_text_is_read_whole_or_refused(tmp_path: Path) -> None:
    """Random mixes of line ends, quotes, blank lines and commas in a name: every home is there, or the file is refused with a line."""
    chance = random.Random(4)
    refused = 0
    for number in range(60):
        store, file = Store(tmp_path / str(number)), tmp_path / f"{number}.csv"
        end = chance.choice(["\n", "\r\n", "\r"])
        names = [
            "".join(chance.choice(["A", " ", '"', ",", "\n", "\r\n", "\r", "\n\n", "ñ"]) for _ in range(chance.randrange(6)))
            for _ in range(8)
        ]
        providers(file, [f"@{k}@" for k in range(len(names))])
        content = file.read_text().replace("\n", end)
        spoil = chance.random() < 0.5
        for k, name in enumerate(names):
            plain = name if spoil and k == 3 else '"' + name.replace('"', '""') + '"'
            content = content.replace(f"@{k}@", plain)
        file.write_bytes(content.encode(chance.choice(["utf-8", "cp1252", "utf-16"])))
        try:
            manifest = staged(store, file)
        except RefusedFile as fault:
            assert spoil and fault.line is not None
            refused += 1
            continue
        assert manifest["rows"] + manifest["rejected_rows"] == len(names)
    assert 5 < refused < 40
