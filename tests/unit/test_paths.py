"""Paths are paths and names are names: nothing of a person's files becomes SQL or a pattern."""

from __future__ import annotations

import ast
import csv
from pathlib import Path

import duckdb
import pytest

from pipelines.cells import extra_columns
from pipelines.checks import scan
from pipelines.cli import main
from pipelines.far import Far
from pipelines.quoting import files, identifier, literal
from pipelines.staging import unpack
from pipelines.store import Store
from schemas import TABLES
from schemas.files import layout
from tests.cases import fill

PACKAGE = Path(__file__).resolve().parents[2] / "pipelines"
RELEASE = "2026-07"
ODD = [
    "Bob's",
    "a[1]b",
    "q?x",
    "st*r",
    "**",
    "two\nlines",
    "  blanks  ",
    'say "order"',
    "{a,b}",
    "[!a]",
    "x]y[",
    "-- select",
    "ñ%20$HOME;",
    "\\?[a]",
]
LIKE = {"a[1]b": "a1b", "q?x": "qax", "st*r": "star", "[!a]": "c"}  # what these would mean as patterns


@pytest.mark.parametrize("name", ODD)
def test_duckdb_reads_the_file_that_is_named_and_no_other(name: str, tmp_path: Path) -> None:
    """`a[1]` read the file of `a1`, where there was one, and an apostrophe ended the text."""
    con = duckdb.connect()
    for folder in (name, LIKE.get(name, "other")):
        (tmp_path / folder).mkdir()
        con.execute(f"copy (select {literal(folder)} as name) to {literal(tmp_path / folder / 'f.parquet')} (format parquet)")
        (tmp_path / folder / "f.csv").write_text(f'name\n"{folder.replace(chr(34), chr(34) * 2)}"\n')
    found = con.execute(f"select name from {scan(tmp_path / name / 'f.parquet')}").fetchall()
    found += con.execute(
        f"select name from read_csv({files(tmp_path / name / 'f.csv')}, header=true, all_varchar=true)"
    ).fetchall()
    assert found == [(name,)] * 2


@pytest.mark.parametrize("text", [*ODD, "'", "''", '"', "a'; drop table t; --"])
def test_texts_and_names_come_back_as_they_were(text: str) -> None:
    """Quoted once, whatever they hold."""
    result = duckdb.connect().execute(f"select {literal(text)} as {identifier(text)}")
    assert (result.description or [])[0][0] == text
    assert result.fetchall() == [(text,)]


def test_no_text_of_sql_is_put_between_quotes_by_hand() -> None:
    """An f-string that puts a value between single quotes is SQL that an apostrophe ends: `quoting.literal` does it."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.JoinedStr) and "sample" not in path.parts:
                parts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
                around = zip(parts, parts[1:], parts[2:], strict=False)
                if any(middle is None and str(a).endswith("'") and str(b).startswith("'") for a, middle, b in around):
                    found.append(f"{path.name}:{node.lineno}")
    assert found == []


def test_removing_a_folder_on_object_storage_removes_no_other(tmp_path: Path) -> None:
    """The address of a store may hold what a pattern would: `run*` took away the folders of all runs."""
    pytest.importorskip("fsspec")
    for address in ("memory://run1", "memory://run*", "memory://run[1]"):
        Far(address).write("parts/a.parquet", b"x")
    for address in ("memory://run*", "memory://run[1]"):
        Far(address).remove("parts")
        assert not Far(address).has("parts/a.parquet")
    assert Far("memory://run1").has("parts/a.parquet")


NAMES = [
    "order",
    "select",
    "2019 rating",
    "c0",
    'ccn"; drop table',
    "c1",
    "is_bad",
    "Is Bad",
    "lost_cells",
    "state_usual",
    "line",
    "line number",
]
NAMES += ["  ", "", "Überlänge", "reason", "State", "state", "cell 0", "x'y", "ccn", "points"]


def providers(file: Path, homes: int = 2) -> Path:
    """A provider file in CMS's layout with columns of a person's own behind them."""
    header = layout("provider_info", RELEASE)
    plain = dict.fromkeys(header, "") | {"State": "CA", "Processing Date": "2026-07-01", "Overall Rating": "3"}
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as out:
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow([*header, *NAMES])
        for k in range(homes):
            row = plain | {"CMS Certification Number (CCN)": f"05{k:04d}", "Provider Name": f"HOME {k}"}
            lines.writerow([*row.values(), *(f"{k} of {n}" for n in range(len(NAMES)))])
    return file


def test_columns_of_a_person_are_kept_under_names_that_are_nobody_elses(tmp_path: Path) -> None:
    """Each column has its own, whatever it is called: words of SQL, names of ours, twice the same, blanks alone."""
    store, file = Store(tmp_path / "store"), providers(tmp_path / "p.csv")
    manifest = fill.staged(store, file, "provider_info", RELEASE)
    assert manifest["rows"] == 2
    described = TABLES["staged.provider_info"]
    supply = store.supply("provider_info", RELEASE)
    assert supply is not None
    (tmp_path / "work").mkdir()
    extras = dict(extra_columns(unpack(store, supply, described, tmp_path / "work")))
    ours = [extras[len(layout("provider_info", RELEASE)) + n] for n in range(len(NAMES))]
    assert len({*ours, *(c.name for c in described.columns())}) == len(ours) + len(described.columns())
    assert ours[:4] == ["order", "select", "2019_rating", "c0"]
    row = fill.read(
        store, "staged.provider_info", RELEASE, columns=", ".join(map(identifier, ["ccn", "state", "overall_rating", *ours]))
    )[0]
    assert row == ("050000", "CA", 3, *(f"0 of {n}" for n in range(len(NAMES))))


def test_a_name_that_stands_twice_loses_no_values(tmp_path: Path) -> None:
    """A daily file of 2017 had `Hrs_RNDON` a second time in place of another column: its values were gone."""
    store = Store(tmp_path / "store")
    file = fill.write(tmp_path / "d.csv", "pbj_daily", [{"Hrs_RNDON": "8.00"}])
    lines = file.read_text().split("\n")
    file.write_text(f"{lines[0]},Hrs_RNDON\n{lines[1]},1.25\n")
    fill.staged(store, file, "pbj_daily", "2024Q2")
    found = fill.read(store, "staged.pbj_daily", "2024Q2", columns="rn_don_hours::varchar, hrs_rndon")
    assert found == [("8.00", "1.25")]


def test_c75_the_job_runs_where_nothing_is_plain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Source, store and files with every such sign in their names, and a file whose columns are called like words of SQL and like ours."""
    here = tmp_path / "".join(("Bob's [a1] q?x st*r\n", "{a,b} ** [!z] 'order' \"", "\\?[c]"))
    source, store = here / "so[u]rce's", here / "sto*re's"
    providers(source / "pro'vid*er [1]?\n.csv")
    days = [{"PROVNUM": "050000", "CY_Qtr": "2026Q1", "WorkDate": f"202601{day:02d}"} for day in range(1, 11)]
    fill.write(source / "da[i]ly's; select.csv", "pbj_daily", days)
    trap = here / "store's"  # what `sto*re's` would mean as a pattern
    providers(trap / "published" / RELEASE / "ratings.parquet")
    data = ["--data", str(store), "--threads", "1"]
    assert main(["run", "--release", RELEASE, "--source", str(source), *data]) == 0, capsys.readouterr().err
    assert "Homes 2" in capsys.readouterr().out
    for command in (
        ["explain", "050000"],
        ["compare"],
        ["sources", "--source", str(source)],
        ["sql", "select * from current.provider_info"],
    ):
        assert main([*command, *data[:2]]) == 0, capsys.readouterr().err
    assert duckdb.connect().execute(
        f"select count(*) from {scan(store / 'published' / RELEASE / 'ratings.parquet')}"
    ).fetchall() == [(2,)]
    assert sorted(p.name for p in (trap / "published" / RELEASE).iterdir()) == ["ratings.parquet"]


def test_a_refusal_in_such_a_place_tells_the_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rejects name the file as it is called."""
    source, store = tmp_path / "Bob's [1]", tmp_path / "sto*re's"
    file = providers(source / "pro'vid?er.csv")
    file.write_text(file.read_text().replace(",3,", ",seven,", 1))
    assert main(["run", "--release", RELEASE, "--source", str(source), "--data", str(store)]) == 1
    assert (
        'pro\'vid?er.csv, line 2, column Overall Rating: "seven" is not a number of stars; home 050000' in capsys.readouterr().err
    )
