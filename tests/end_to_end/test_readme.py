"""Every snippet of the README works: SQL and Python are run, R and Stata are checked by column, commands are parsed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from click import ClickException
from distributed.cli import dask_scheduler, dask_worker

from pipelines import periods
from pipelines.cli import main, parser
from schemas import TABLES

ROOT = Path(__file__).parents[2]
SNIPPETS = re.findall(r"^```(\w+)\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
FILE = re.compile(r"data/store/published/2026-07/(\w+)\.parquet")
R_WORDS = {"library", "TRUE", "FALSE", "NULL", "NA", "c"}
STATA_WORDS = {
    "import",
    "delimited",
    "using",
    "varnames",
    "stringcols",
    "clear",
    "tabulate",
    "summarize",
    "keep",
    "if",
    "list",
    "by",
}


def of(*languages: str) -> list[str]:
    return [text for language, text in SNIPPETS if language in languages]


def columns_of(snippet: str) -> set[str]:
    return {c.name for table in FILE.findall(snippet) for c in TABLES[f"published.{table}"].columns()}


def run_sql(query: str) -> None:
    duckdb.connect().execute(query)


def run_python(code: str, folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def check_sql_string(text: str) -> None:
    """Bind a query against empty tables made from the schemas."""
    con = duckdb.connect()
    for table in set(FILE.findall(text)):
        con.execute(f"create table {table} ({', '.join(f'{c.name} {c.type}' for c in TABLES[f'published.{table}'].columns())})")
    con.execute(re.sub(rf"'{FILE.pattern}'", r"\1", text))


def check_words(text: str, known: set[str]) -> None:
    """Every word that is no call, no package, no named argument and no name made here must be known."""
    made = set(re.findall(r"(\w+)\s*(?:<-|=(?!=))", text)) | set(re.findall(r"library\((\w+)\)", text))
    words = set(re.findall(r"(?<![\w.])([A-Za-z_]\w*)\b(?!\s*(?:\(|::))", text))
    unknown = words - known - made
    assert not unknown, f"no column of the tables that the snippet names: {sorted(unknown)}"


def check_r(snippet: str) -> None:
    text = re.sub(r"#[^\n]*", "", snippet)
    for string in re.findall(r'"([^"]*)"', text):
        if re.match(r"\s*select\b", string, re.IGNORECASE):
            check_sql_string(string)
        elif FILE.search(string):
            assert columns_of(string)
        else:
            text = text.replace(f'"{string}"', f" {string} ")
    check_words(re.sub(r'"[^"]*"', "", text), columns_of(snippet) | R_WORDS)


def check_stata(snippet: str) -> None:
    bridge = re.search(r"^python:\n(.*?)^end\n", snippet, re.MULTILINE | re.DOTALL)
    assert bridge, "no Python block"
    for string in re.findall(r'"(select [^"]*)"', bridge[1]):
        check_sql_string(string)
    rest = re.sub(r'//[^\n]*|"[^"]*"', "", snippet.replace(bridge[0], ""))
    selected = re.search(r"select (.*?) from", bridge[1])
    assert selected
    known = columns_of(snippet) & set(re.findall(r"\w+", selected[1]))
    check_words(rest, known | STATA_WORDS)


def check_command(line: str) -> None:
    words = shlex.split(line, comments=True)
    if words[0] == "make":
        targets = re.findall(r"^([\w-]+)\s*:(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert words[1] in targets, f"the Makefile has no {words[1]}"
    elif words[0] == "dask":
        commands = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}
        try:
            commands[words[1]].make_context(words[1], words[2:])
        except ClickException as wrong:
            raise AssertionError(f"dask does not take: {line}") from wrong
    else:
        assert words[0].split("/")[-1] == "openstars", f"not checked: {line}"
        try:
            given = parser().parse_args(words[1:])
        except SystemExit as wrong:
            raise AssertionError(f"openstars does not take: {line}") from wrong
        if getattr(given, "quarter", None):
            periods.release_of_quarter(given.quarter)
        if getattr(given, "release", None):
            periods.release(given.release)


@pytest.fixture
def folder(sample_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "store").symlink_to(sample_store.resolve())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("query", of("sql"))
def test_sql_runs(query: str, folder: Path) -> None:
    run_sql(query)


@pytest.mark.parametrize("code", of("python"))
def test_python_runs(code: str, folder: Path) -> None:
    run_python(code, folder)


@pytest.mark.parametrize("snippet", of("stata"))
def test_python_in_stata_runs(snippet: str, folder: Path) -> None:
    run_python(re.findall(r"^python:\n(.*?)^end\n", snippet, re.MULTILINE | re.DOTALL)[0], folder)


@pytest.mark.parametrize("snippet", of("r"))
def test_r_names_columns_that_are_there(snippet: str) -> None:
    check_r(snippet)


@pytest.mark.parametrize("snippet", of("stata"))
def test_stata_names_columns_that_are_there(snippet: str) -> None:
    check_stata(snippet)


@pytest.mark.parametrize("line", [line for text in of("sh") for line in text.splitlines() if line.strip()])
def test_commands_are_taken(line: str) -> None:
    check_command(line)


def test_commands_that_only_read_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`explain`, `compare` and `sql` on the published sample; the others fetch, serve a page or are this very run."""
    lines = [shlex.split(line, comments=True) for text in of("sh") for line in text.splitlines()]
    read = [words[1:] for words in lines if words and words[0] == "openstars" and words[1] in ("explain", "compare", "sql")]
    assert len(read) >= 3
    for words in read:
        assert main(words) == 0, words
    told = capsys.readouterr().out
    assert "Staffing star" in told and "Agreement with CMS" in told


def test_every_snippet_is_of_a_language_that_is_checked() -> None:
    assert {language for language, _ in SNIPPETS} == {"sh", "sql", "python", "r", "stata"}


@pytest.mark.parametrize(("check", "snippet"), [(check_r, s) for s in of("r")] + [(check_stata, s) for s in of("stata")])
def test_a_misspelled_column_fails(check: object, snippet: str) -> None:
    with pytest.raises((AssertionError, duckdb.Error)):
        check(snippet.replace("staffing_rating", "stafing_rating"))  # type: ignore[operator]


@pytest.mark.parametrize(
    "line", ["openstars run --quater 2026Q1 --source cms", "openstars run --source cms", "make rating", "dask worker --nthread 4"]
)
def test_a_wrong_command_fails(line: str) -> None:
    with pytest.raises(AssertionError):
        check_command(line)
