"""What a bad row, a bad file and a wrong call get ("What a bad row gets")."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from pipelines.cli import main
from pipelines.errors import OpenstarsError, RefusedFile
from pipelines.resources import _open_sources
from pipelines.sources.folder import Folder
from pipelines.store import Store
from tests.cases import fill

NAMES = {"pbj_daily": "staged.pbj_daily", "pbj_employee": "staged.employee_quarters", "provider_info": "staged.provider_info"}
PERIODS = {"pbj_daily": "2024Q2", "pbj_employee": "2024Q2", "provider_info": "2026-07"}
CCN = {"pbj_daily": "PROVNUM", "pbj_employee": "PROVNUM", "provider_info": "CMS Certification Number (CCN)"}
RELEASE = "2026-07"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.mark.parametrize(
    ("table", "column", "value", "problem"),
    [
        ("pbj_daily", "Hrs_RN", "7,5", "is not a number of hours"),
        ("pbj_daily", "Hrs_RN", "1,23", "is not a number of hours"),
        ("pbj_daily", "Hrs_CNA", "eight", "is not a number of hours"),
        ("pbj_employee", "WORK_HRS_NUM", "NaN", "is blank"),
        ("pbj_daily", "Hrs_CNA", "inf", "is not a number of hours"),
        ("pbj_daily", "Hrs_LPN", "-0.25", "is less than 0"),
        ("pbj_daily", "MDScensus", "40.5", "is not a number of residents"),
        ("pbj_daily", "MDScensus", "-1", "is less than 0"),
        ("pbj_daily", "WorkDate", "20240431", "is not a date"),
        ("pbj_daily", "WorkDate", "", "is blank"),
        ("pbj_daily", "CY_Qtr", "2024Q5", "is not a quarter"),
        ("pbj_daily", "PROVNUM", "", "is blank"),
        ("pbj_employee", "WORK_HRS_NUM", "7,5", "is not a number of hours"),
        ("pbj_employee", "WORK_HRS_NUM", "-8.00", "is less than 0"),
        ("pbj_employee", "WORK_HRS_NUM", "", "is blank"),
        ("pbj_employee", "WorkDate", "20240230", "is not a date"),
        ("pbj_employee", "EMPLEE_JOB_CD_ID", "41", "is none of the known codes"),
        ("pbj_employee", "EMPLEE_JOB_CD_ID", "0", "is none of the known codes"),
        ("pbj_employee", "EMPLEE_JOB_CD_ID", "RN", "is not a number of the kind"),
        ("pbj_employee", "EMP_CTR", "3", "is not one of the known codes"),
        ("pbj_employee", "SYS_EMPLEE_ID", "", "is blank"),
        ("provider_info", "Processing Date", "2026-02-30", "is not a date"),
    ],
)
def test_a_value_that_cannot_be_read_is_kept_as_a_reject(
    table: str, column: str, value: str, problem: str, store: Store, tmp_path: Path
) -> None:
    """The row stays out of the table; file, line, column and text stand beside it, and the good rows count."""
    key, period = CCN[table], PERIODS[table]
    rows = [{key: "015009"}, {key: "015010", column: value}]
    file = fill.write(tmp_path / "bad.csv", table, rows)
    manifest = fill.staged(store, file, table, period)
    assert (manifest["rows"], manifest["rejected_rows"]) == (1, 1)
    assert fill.read(store, NAMES[table], period, columns="ccn") == [("015009",)]
    rejects = fill.read(
        store, NAMES[table], period, "rejects", "table_name, file, line, column_name, value, problem, ccn, period"
    )
    home = None if column == key else "015010"
    assert rejects == [(table, "bad.csv", 3, column, value or None, problem, home, period)]


@pytest.mark.parametrize(
    ("column", "name", "value", "problem"),
    [
        ("Staffing Rating", "staffing_rating", "6", "is none of 1, 2, 3, 4, 5"),
        ("Staffing Rating", "staffing_rating", "3.5", "is not a number of stars"),
        ("Total nursing staff turnover", "total_nurse_turnover_pct", "100.1", "is more than 100"),
    ],
)
def test_a_bad_cell_of_the_provider_file_costs_the_cell_and_not_the_home(
    column: str, name: str, value: str, problem: str, store: Store, tmp_path: Path
) -> None:
    """Every home of the provider file stays; the cell is blank, told as a reject, and the home is flagged."""
    key = CCN["provider_info"]
    file = fill.write(tmp_path / "bad.csv", "provider_info", [{key: "015009", column: "3"}, {key: "015010", column: value}])
    manifest = fill.staged(store, file, "provider_info", "2026-07")
    assert (manifest["rows"], manifest["rejected_rows"]) == (2, 1)
    found = fill.read(store, "staged.provider_info", "2026-07", columns=f"ccn, {name} is null")
    assert found == [("015009", False), ("015010", True)]
    rejects = fill.read(store, "staged.provider_info", "2026-07", "rejects", "line, column_name, value, problem, ccn")
    assert rejects == [(3, column, value, problem, "015010")]
    assert fill.read(store, "staged.provider_info", "2026-07", "flags", "ccn, reason, found") == [("015010", "rejected_rows", 1)]


def test_two_bad_values_of_a_row_are_two_rejects(store: Store, tmp_path: Path) -> None:
    """Every value that could not be read is told, not only the first of its row."""
    rows = [{"Hrs_RN": "7,5", "Hrs_CNA": "-1"}, {"WorkDate": "20240402"}]
    manifest = fill.staged(store, fill.write(tmp_path / "d.csv", "pbj_daily", rows), "pbj_daily", "2024Q2")
    assert manifest["rejected_rows"] == 1
    found = fill.read(store, "staged.pbj_daily", "2024Q2", "rejects", "line, column_name, value")
    assert found == [(2, "Hrs_CNA", "-1"), (2, "Hrs_RN", "7,5")]


@pytest.mark.parametrize("table", ["pbj_daily", "pbj_employee"])
def test_a_file_of_which_no_row_can_be_read_is_all_rejects(table: str, store: Store, tmp_path: Path) -> None:
    """Nothing is lost: the table is empty and the rejects tell why."""
    file = fill.write(tmp_path / "f.csv", table, [{"WorkDate": "20240431"}])
    manifest = fill.staged(store, file, table, "2024Q2")
    assert (manifest["rows"], manifest["rejected_rows"]) == (0, 1)
    assert fill.read(store, NAMES[table], "2024Q2") == []
    assert len(fill.read(store, NAMES[table], "2024Q2", "rejects")) == 1


def test_thousands_separators_are_read_and_counted(store: Store, tmp_path: Path) -> None:
    """`1,234.50` is a number; how many rows had one is in the manifest."""
    rows = [{"Hrs_CNA": "1,234.50", "MDScensus": "1,040"}, {"WorkDate": "20240402", "Hrs_CNA": "12.25"}]
    manifest = fill.staged(store, fill.write(tmp_path / "d.csv", "pbj_daily", rows), "pbj_daily", "2024Q2")
    assert (manifest["thousands_separators"], manifest["rejected_rows"]) == (1, 0)
    found = fill.read(store, "staged.pbj_daily", "2024Q2", columns="census, cna_hours")
    assert found == [(1040, Decimal("1234.50")), (40, Decimal("12.25"))]


def test_identical_rows_of_a_home_day_are_folded_and_counted(store: Store, tmp_path: Path) -> None:
    """The daily file holds no two shifts: an equal row is a copy."""
    manifest = fill.staged(
        store, fill.write(tmp_path / "d.csv", "pbj_daily", [{}, {}, {"WorkDate": "20240402"}]), "pbj_daily", "2024Q2"
    )
    assert manifest["repeated_rows"] == 1
    assert len(fill.read(store, "staged.pbj_daily", "2024Q2")) == 2


@pytest.mark.parametrize(
    ("table", "rows", "told"),
    [
        ("pbj_daily", [{"Hrs_RN": "8.00"}, {"Hrs_RN": "9.00"}], r"two_rows_for_a_home_day: 1 homes: 555901.*2024-04-01"),
        ("pbj_daily", [{}, {"WorkDate": "20240701"}], r"row_of_another_quarter: 1 homes: 555901.*2024-07-01"),
        ("pbj_daily", [{}, {"CY_Qtr": "2024Q3", "WorkDate": "20240402"}], r"row_of_another_quarter: 1 homes: 555901"),
        ("pbj_employee", [{}, {"CY_Qtr": "2024Q3", "WorkDate": "20240701"}], r"row_of_another_quarter: 1 homes: 555901"),
        ("provider_info", [{"Overall Rating": "3"}, {"Overall Rating": "4"}], r"two_rows_for_a_home: 1 homes: 555901"),
    ],
)
def test_rows_that_contradict_refuse_the_file(
    table: str, rows: list[dict[str, str]], told: str, store: Store, tmp_path: Path
) -> None:
    """The whole file is refused by name, and what was staged before stays as it was."""
    name, period = NAMES[table], PERIODS[table]
    fill.staged(store, fill.write(tmp_path / "good.csv", table, [{}]), table, period)
    before = {p.name: p.read_bytes() for p in store.folder(name, period).iterdir()}
    with pytest.raises(OpenstarsError, match=r"bad\.csv, line 3: refused by the check " + told):
        fill.staged(store, fill.write(tmp_path / "bad.csv", table, rows), table, period)
    assert {p.name: p.read_bytes() for p in store.folder(name, period).iterdir()} == before
    assert [p.name for p in store.folder(name, period).parent.iterdir()] == [store.folder(name, period).name]


@pytest.mark.parametrize(
    ("table", "column", "renamed"),
    [
        ("pbj_daily", "Hrs_LPNadmin", "Hrs_LPN_administration"),
        ("pbj_daily", "MDScensus", "MDS_census"),
        ("pbj_employee", "WORK_HRS_NUM", "WORK_HOURS"),
        ("provider_info", "Staffing Rating", "Staffing Stars Rating"),
    ],
)
def test_a_required_column_that_is_missing_refuses_the_file(
    table: str, column: str, renamed: str, store: Store, tmp_path: Path
) -> None:
    """The message names the column and the unknown one that is nearest; nothing is guessed."""
    file = fill.write(tmp_path / "f.csv", table, [{}])
    header, rest = file.read_text().split("\n", 1)
    file.write_text(",".join(renamed if n == column else n for n in header.split(",")) + "\n" + rest)
    with pytest.raises(
        RefusedFile, match=rf"f\.csv, line 1: required column {column} is missing \(nearest .*{renamed}"
    ) as refused:
        fill.staged(store, file, table, PERIODS[table])
    assert refused.value.line == 1
    assert store.manifest(NAMES[table], PERIODS[table]) is None


def test_an_unknown_header_is_named_with_what_it_lacks(store: Store, tmp_path: Path) -> None:
    """A folder of which no file fits says which table a file comes nearest to and the columns it needs for that."""
    file = fill.write(tmp_path / "mine" / "odd.csv", "pbj_daily", [{}])
    file.write_text(file.read_text().replace("MDScensus", "Residents").replace("Hrs_", "Hours "))
    with pytest.raises(OpenstarsError, match=r"odd\.csv: left alone, its header .*nearest is pbj_daily .*MDScensus"):
        Folder(tmp_path / "mine").offers()


def test_nothing_of_another_source_is_mixed_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run uses what its source has: a file that another folder gave, or that was taken out, is gone and told as not supplied."""
    data = ["--data", str(tmp_path / "store")]
    for name in ("one", "two"):
        fill.write(tmp_path / name / "p.csv", "provider_info", [{}])
    daily = fill.write(tmp_path / "one" / "daily.csv", "pbj_daily", [{"CY_Qtr": "2026Q1", "WorkDate": "20260101"}])
    assert main(["run", "--release", RELEASE, "--source", str(tmp_path / "one"), *data]) == 0
    assert "pbj_daily of 2026Q1" not in capsys.readouterr().out
    two = ["run", "--release", RELEASE, "--source", str(tmp_path / "two"), *data]
    assert main(two) == 1  # fewer files than the release that stands
    assert main([*two, "--without", "pbj_daily:2026Q1"]) == 0
    assert "pbj_daily of 2026Q1" in capsys.readouterr().out
    assert main(["sources", "--source", str(tmp_path / "one"), *data]) == 0
    daily.unlink()
    _open_sources.clear()  # another process
    assert (
        main(["run", "--release", RELEASE, "--source", str(tmp_path / "one"), *data]) == 0
    )  # nor did the one that stands have it
    assert "pbj_daily of 2026Q1" in capsys.readouterr().out


def test_a_folder_whose_file_lacks_a_required_column_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not passed over: the run stops and names the column and the nearest one of the file."""
    folder = tmp_path / "mine"
    fill.write(folder / "p.csv", "provider_info", [{}])
    quarter = "2026Q1"
    file = fill.write(folder / "daily.csv", "pbj_daily", [{"CY_Qtr": quarter, "WorkDate": "20260101"}])
    file.write_text(file.read_text().replace("MDScensus", "MDScensuss"))
    assert main(["run", "--release", RELEASE, "--source", str(folder), "--data", str(tmp_path / "store")]) == 1
    told = capsys.readouterr().err
    assert (
        "daily.csv: it resembles pbj_daily, but required column MDScensus is missing (nearest unknown columns: MDScensuss)"
        in told
    )


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("555901,too,few\n", r"cut\.csv, line 3: the line has 3 values where the header has 33 columns"),
        ("555901" + ",1" * 40 + "\n", r"cut\.csv, line 3: the line has 41 values where the header has 33 columns"),
        ("\n555901,too\n", r"cut\.csv, line 4: the line has 2 values where the header has 33 columns"),
        (",,\n", r"cut\.csv, line 3: the line is blank but for blanks or commas"),
        ("  \nx", r"cut\.csv, line 3: the line is blank but for blanks or commas"),
        ('"555901,never closed\n', r"cut\.csv, line 3: quotes do not close"),
    ],
)
@pytest.mark.parametrize("table", ["pbj_daily", "pbj_employee"])
def test_a_line_with_another_number_of_values_refuses_the_file(
    table: str, lines: str, told: str, store: Store, tmp_path: Path
) -> None:
    """A line that is cut or has a comma too many is no row to guess at; the message says which line it is."""
    file = fill.write(tmp_path / "cut.csv", table, [{}])
    width = file.read_text().split("\n")[0].count(",") + 1
    file.write_text(file.read_text() + lines)
    with pytest.raises(RefusedFile, match=told.replace("33 columns", f"{width} columns")):
        fill.staged(store, file, table, "2024Q2")


@pytest.mark.parametrize("table", ["pbj_daily", "pbj_employee"])
def test_blank_lines_at_the_end_are_no_rows(table: str, store: Store, tmp_path: Path) -> None:
    """Editors and spreadsheets leave them there."""
    file = fill.write(tmp_path / "d.csv", table, [{}])
    file.write_text(file.read_text() + "\n\n")
    manifest = fill.staged(store, file, table, "2024Q2")
    assert (manifest["rows"], manifest["rejected_rows"]) == (1, 0)


def test_a_header_without_rows_refuses_the_file(store: Store, tmp_path: Path) -> None:
    """An empty file is a failed download, not a quarter in which nobody worked."""
    file = fill.write(tmp_path / "d.csv", "pbj_daily", [{}])
    file.write_text(file.read_text().split("\n")[0] + "\n")
    with pytest.raises(RefusedFile, match="holds a header and no rows"):
        fill.staged(store, file, "pbj_daily", "2024Q2")


def test_a_person_day_over_24_hours_is_a_flag(store: Store, tmp_path: Path) -> None:
    """Hours stay as CMS would count them; 24.00 is a long day (over 22.5), 24.01 an impossible one, over all job codes."""
    rows = [{"WORK_HRS_NUM": "24.00"}]
    rows += [
        {"SYS_EMPLEE_ID": "2", "WORK_HRS_NUM": "20.00"},
        {"SYS_EMPLEE_ID": "2", "EMPLEE_JOB_CD_ID": "30", "WORK_HRS_NUM": "4.01"},
    ]
    rows += [{"SYS_EMPLEE_ID": "3", "WORK_HRS_NUM": "22.50"}]
    manifest = fill.staged(store, fill.write(tmp_path / "e.csv", "pbj_employee", rows), "pbj_employee", "2024Q2")
    assert manifest["rejected_rows"] == 0
    found = fill.read(store, "staged.employee_quarters", "2024Q2", "flags", "reason, found, evidence")
    assert found == [
        ("gt_22_5h", 1, "1 person-days over 22.5 hours, the longest 24.00"),
        ("gt_24h", 1, "1 person-days over 24 hours, the longest 24.01"),
    ]


# -- whole runs ---------------------------------------------------------------------------------------------------------------

HOMES = ("015009", "015010")
PUBLISHED = {
    "Staffing Rating": "3",
    "Reported RN Staffing Hours per Resident per Day": "0.90000",
    "Reported Total Nurse Staffing Hours per Resident per Day": "4.10000",
    "Total number of nurse staff hours per resident per day on the weekend": "3.60000",
    "Case-Mix RN Staffing Hours per Resident per Day": "0.70000",
    "Case-Mix Total Nurse Staffing Hours per Resident per Day": "3.90000",
    "Case-Mix Weekend Total Nurse Staffing Hours per Resident per Day": "3.40000",
    "Adjusted RN Staffing Hours per Resident per Day": "0.90000",
    "Adjusted Total Nurse Staffing Hours per Resident per Day": "4.10000",
    "Adjusted Weekend Total Nurse Staffing Hours per Resident per Day": "3.60000",
    "Total nursing staff turnover": "40.0",
    "Registered Nurse turnover": "30.0",
    "Number of administrators who have left the nursing home": "1",
}


def write_folder(folder: Path, hours: str) -> Path:
    """Two homes in the provider file and the daily file of the staffing quarter; `hours` are RN hours of the second on one day."""
    fill.write(folder / "providers.csv", "provider_info", [{CCN["provider_info"]: ccn, **PUBLISHED} for ccn in HOMES])
    plain = {"CY_Qtr": "2026Q1", "Hrs_RN": "40.00", "Hrs_LPN": "40.00", "Hrs_CNA": "80.00"}
    days = [{**plain, "PROVNUM": ccn, "WorkDate": f"202601{day:02d}"} for ccn in HOMES for day in range(1, 11)]
    days[-1]["Hrs_RN"] = hours
    fill.write(folder / "daily.csv", "pbj_daily", days)
    return folder


def run(store: Path, source: Path | str, *more: str) -> int:
    """The exit status of the main job."""
    return main(["run", "--release", RELEASE, "--source", str(source), "--data", str(store), "--threads", "1", *more])


def hashes(folder: Path) -> dict[str, str]:
    """Every file of a published release by its hash."""
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.iterdir())}


@dataclass
class Told:
    """A run of the command: exit status, what it wrote, and the published files after it."""

    status: int
    out: str
    err: str
    published: dict[str, str]


@dataclass
class Runs:
    """A good file published; then one with a value that cannot be read, refused; then accepted."""

    folder: Path
    good: Told
    refused: Told
    accepted: Told


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    from contextlib import redirect_stderr, redirect_stdout
    from io import StringIO

    root = tmp_path_factory.mktemp("runs")
    good, bad = write_folder(root / "good", "40.00"), write_folder(root / "bad", "7,5")
    folder = root / "store" / "published" / RELEASE

    def told(source: Path, *more: str) -> Told:
        with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
            status = run(root / "store", source, *more)
        return Told(status, out.getvalue(), err.getvalue(), hashes(folder) if folder.exists() else {})

    return Runs(folder, told(good), told(bad), told(bad, "--accept", "checked with the home"))


def test_a_missing_quarter_of_the_window_is_told_and_the_run_goes_on(runs: Runs) -> None:
    """An input that was never supplied is no failure: exit 0, and the run says which quarters it lacks."""
    assert runs.good.status == 0
    assert "Not supplied" in runs.good.out
    assert "pbj_daily of 2024Q4" in runs.good.out
    assert "pbj_employee of 2026Q1" in runs.good.out
    assert "pbj_daily of 2026Q1" not in runs.good.out
    assert "ratings.parquet" in runs.good.published


def test_rejects_stop_a_run_before_it_publishes(runs: Runs) -> None:
    """Exit 1; the message has file, line, column, value and what to do; the release published before is untouched."""
    assert runs.refused.status == 1
    assert 'daily.csv, line 21, column Hrs_RN: "7,5" is not a number of hours; home 015010' in runs.refused.err
    assert "--accept" in runs.refused.err
    assert runs.refused.published == runs.good.published != {}


def test_accepted_rejects_are_published_with_their_reason(runs: Runs) -> None:
    """The reason is in inputs.json; the home gets `rejected_rows` and no level of its own, the other home is as before."""
    assert runs.accepted.status == 0, runs.accepted.err
    noted = json.loads((runs.folder / "inputs.json").read_text())
    assert (noted["accepted"], noted["rejected_values"]) == ("checked with the home", 1)
    con = duckdb.connect()
    found = con.execute(
        f"select distinct ccn from '{runs.folder}/exclusions.parquet' where exclusion = 'rejected_rows'"
    ).fetchall()
    assert found == [("015010",)]
    levels = con.execute(
        f"select ccn, reported_hprd, value_source, exclusion from '{runs.folder}/staffing_levels.parquet' where measure = 'rn' order by ccn"
    ).fetchall()
    assert levels == [
        ("015009", Decimal("1.00000"), "recomputed", None),
        ("015010", Decimal("0.90000"), "published", "rejected_rows"),
    ]
    sources = con.execute(
        f"select ccn, value_source, points from '{runs.folder}/rating_components.parquet' where measure = 'adjusted_rn_hprd' order by ccn"
    ).fetchall()
    assert sources == [("015009", "recomputed", 90), ("015010", "published", 80)]


def test_a_source_without_a_provider_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without NH_ProviderInfo no home can be rated: exit 1, nothing is published."""
    folder = write_folder(tmp_path / "mine", "40.00")
    (folder / "providers.csv").unlink()
    assert run(tmp_path / "store", folder) == 1
    assert "NH_ProviderInfo" in capsys.readouterr().err
    assert not (tmp_path / "store" / "published").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--release", "2025-01", "--source", "sample"], "There is no release 2025-01"),
        (["--release", "2026-7", "--source", "sample"], "is no release"),
        (["--quarter", "2023Q4", "--source", "sample"], "--release 2024-04"),
        (["--quarter", "2025Q5", "--source", "sample"], "is not a quarter"),
        (["--release", RELEASE, "--source", "no/such/folder"], '"no/such/folder" is no source'),
    ],
)
def test_wrong_usage_is_told_with_status_2(
    arguments: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A release that was never made, a quarter that no release shows, a source that is none: status 2 and what to ask for."""
    assert main(["run", *arguments, "--data", str(tmp_path / "store")]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["run"], ["run", "--source", "sample"], ["rate"]])
def test_an_incomplete_command_is_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Status 2, with the usage line."""
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: openstars" in capsys.readouterr().err
