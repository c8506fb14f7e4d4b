"""Cases about what the files hold: codes, types, encodings, headers, dates, months (C01, C03, C05, C06, C11, C12, C81, C87, C95)."""

from __future__ import annotations

import csv
import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from pipelines.cli import main
from pipelines.engine import feeds_stars
from pipelines.errors import RefusedFile, UsageError
from pipelines.periods import parse_quarter, quarter_days
from pipelines.store import Store
from schemas import TABLES
from tests.cases import fill


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_c01_a_ccn_keeps_its_leading_zero(store: Store, tmp_path: Path) -> None:
    """A CCN is a six-character code: zeros are put back and counted, and the home meets its own row of the provider file."""
    case = fill.case("C01-ccn-leading-zero")
    daily = fill.write(tmp_path / "d.csv", "pbj_daily", fill.rows_of(case / "pbj_daily.csv"))
    homes_of = [{**row, "Processing Date": "2024-10-01"} for row in fill.rows_of(case / "provider_info.csv")]
    providers = fill.write(tmp_path / "p.csv", "provider_info", homes_of)
    manifest = fill.staged(store, daily, "pbj_daily", "2024Q2")
    fill.staged(store, providers, "provider_info", "2024-10")
    homes = {ccn for (ccn,) in fill.read(store, "staged.provider_info", "2024-10", columns="ccn")}
    rows = fill.read(store, "staged.pbj_daily", "2024Q2", columns="ccn, census")
    assert {ccn for ccn, _ in rows} == homes == {"015901", "555901"}
    assert len([ccn for ccn, _ in rows if ccn in homes]) == 3
    assert sum(census for ccn, census in rows if ccn == "015901") == 80
    assert manifest["ccn_repaired"] == 1
    flags = fill.read(store, "staged.pbj_daily", "2024Q2", "flags", "ccn, reason, found")
    assert flags == [("015901", "ccn_repaired", 1)]


@pytest.mark.parametrize("ccn", ["0159011", "", "A5901", "0159", "01590A"])
def test_c01_only_short_numbers_are_repaired(ccn: str, store: Store, tmp_path: Path) -> None:
    """A CCN that is too long, empty, or has a letter in the wrong place is a reject; `0159` of digits only is padded."""
    daily = fill.write(tmp_path / "d.csv", "pbj_daily", [{"PROVNUM": ccn}, {"PROVNUM": "015009"}])
    manifest = fill.staged(store, daily, "pbj_daily", "2024Q2")
    repaired = ccn == "0159"
    assert (manifest["rejected_rows"], manifest["ccn_repaired"]) == ((0, 1) if repaired else (1, 0))


def test_c03_values_that_change_after_any_sample_are_read_exactly(store: Store, tmp_path: Path) -> None:
    """Types are declared, never inferred: three late rows with decimals, a leading zero and an `E` keep what they say."""
    case = fill.case("C03-values-change-after-sample")
    rows = fill.rows_of(case / "input.csv")
    people = [
        {"PROVNUM": r["PROVNUM"], "SYS_EMPLEE_ID": str(k), "WORK_HRS_NUM": r["Hrs_RN"]} for k, r in enumerate(rows, start=1)
    ]
    manifest = fill.staged(store, fill.write(tmp_path / "e.csv", "pbj_employee", people), "pbj_employee", "2024Q2")
    read = fill.read(store, "staged.employee_quarters", "2024Q2", columns="employee_id, ccn, work_hours[1]")
    assert manifest["rows"] == len(read) == 3003
    assert sum(hours for *_, hours in read) == Decimal("24023.75")
    assert {ccn for _, ccn, _ in read} == {"555001", "555002", "555003", "015009", "45E009"}
    late = [(ccn, hours) for _, ccn, hours in sorted(read)[-3:]]
    assert late == [("555001", Decimal("8.50")), ("015009", Decimal("7.25")), ("45E009", Decimal("8.00"))]


def test_c05_names_in_cp1252_come_out_whole(store: Store, tmp_path: Path) -> None:
    """UTF-8 first, then cp1252; what was used is recorded, and no row is dropped."""
    case = fill.case("C05-cp1252-names")
    rows = [{**r, "CY_Qtr": "2024Q2"} for r in fill.rows_of(case / "pbj_daily.csv", "cp1252")]
    file = fill.write(tmp_path / "d.csv", "pbj_daily", rows, "cp1252")
    assert {0x92, 0x96, 0xD1} <= set(file.read_bytes())
    manifest = fill.staged(store, file, "pbj_daily", "2024Q2")
    names = {name for (name,) in fill.read(store, "staged.pbj_daily", "2024Q2", columns="provider_name")}
    assert names == {"RESIDENCIA PEÑA – NORTE", "ST. MARY’S EXAMPLE HOME", "PLAIN NAME"}
    assert manifest["encoding"] == "cp1252"


@pytest.mark.parametrize(
    ("name", "quarter"), [("q_a_mixed_case", "2018Q3"), ("q_b_lower_case", "2018Q4"), ("q_c_renamed", "2018Q1")]
)
def test_c06_a_header_in_any_known_spelling_is_taken(name: str, quarter: str, store: Store) -> None:
    """Capitals do not matter and older spellings stand in the schema: 195 nurse hours, 52 RN hours, 3.900 a resident day."""
    file = fill.case("C06-header-case-and-rename") / f"{name}.csv"
    fill.staged(store, file, "pbj_daily", quarter)
    bench = fill.bench(store, "2024-10", {"current.pbj_daily": [quarter]}).run("staffing.daily_levels")
    levels = dict(bench.rows("select measure, hours from staffing.daily_levels"))
    assert (levels["total_nurse"], levels["rn"]) == (195, 52)
    assert bench.rows("select round(reported_hprd, 3) from staffing.daily_levels where measure = 'total_nurse'") == [
        (Decimal("3.900"),)
    ]


def test_c06_a_renamed_required_column_refuses_the_file(store: Store) -> None:
    """A missing hour column is never filled with zero: the message names the column and the one that may be it."""
    file = fill.case("C06-header-case-and-rename") / "q_d_unknown_column.csv"
    with pytest.raises(RefusedFile, match=r"required column Hrs_RN is missing .*Hrs_Registered_Nurse"):
        fill.staged(store, file, "pbj_daily", "2019Q1")
    assert store.manifest("staged.pbj_daily", "2019Q1") is None
    assert not store.parquet("staged.pbj_daily", "2019Q1").exists()


def test_c11_work_dates_are_dates(store: Store) -> None:
    """Integers YYYYMMDD become days: 30 over a leap February, not 170; 30 February is a reject, not a null."""
    file = fill.case("C11-workdate-integers") / "employee_detail.csv"
    manifest = fill.staged(store, file, "pbj_employee", "2024Q1")
    worked = dict(fill.read(store, "staged.employee_quarters", "2024Q1", columns="employee_id, work_dates"))
    assert (worked[9001][1] - worked[9001][0]).days == 30
    assert (worked[9002][1] - worked[9002][0]).days == 1
    assert worked[9001][0] == date(2024, 1, 31)
    assert set(worked) == {9001, 9002}
    assert (manifest["rows"], manifest["rejected_rows"]) == (4, 1)
    rejects = fill.read(store, "staged.employee_quarters", "2024Q1", "rejects", "line, column_name, value, problem, ccn")
    assert rejects == [(6, "WorkDate", "20240230", "is not a date", "555901")]
    kind = duckdb.connect().execute(f"select typeof(work_dates[1]) from '{store.parquet('staged.employee_quarters', '2024Q1')}'")
    assert kind.fetchall()[0] == ("DATE",)


def test_c12_a_quarter_label_means_a_calendar_quarter_unless_it_says_fy() -> None:
    """Homes submit by federal fiscal quarter, files are labelled by calendar quarter; a label that says neither is an error."""
    folder = fill.case("C12-fiscal-and-calendar-quarters")
    expected = {"FY2025 Q1": "2024Q4", "FY 2025, Quarter 2": "2025Q1", "2025Q5": ""}
    days = {"2024Q4": (date(2024, 10, 1), date(2024, 12, 31)), "2025Q1": (date(2025, 1, 1), date(2025, 3, 31))}
    with (folder / "labels.csv").open(newline="") as lines:
        labels = [row["label"] for row in csv.DictReader(lines)]
    assert len(labels) == 7
    for label in labels:
        quarter = expected.get(label, "2024Q4")
        if quarter:
            assert parse_quarter(label) == quarter
            assert quarter_days(quarter) == days[quarter]
        else:
            with pytest.raises(UsageError, match="is not a quarter"):
                parse_quarter(label)


CCN = "CMS Certification Number (CCN)"
RELEASE = "2026-07"
MONTHLY = ("provider_info", "state_averages", "collection_intervals", "health_citations", "survey_summary", "survey_dates", "penalties",
           "qm_mds", "qm_claims")  # fmt: skip


@pytest.mark.parametrize("ccn", ["A05001", "a05001", "0A5001", "A0A001", "AB5001"])
@pytest.mark.parametrize(("table", "column"), [("provider_info", CCN), ("pbj_daily", "PROVNUM"), ("pbj_employee", "PROVNUM")])
def test_c81_a_state_may_be_two_letters(ccn: str, table: str, column: str, store: Store, tmp_path: Path) -> None:
    """Where two digits run out, states are told by letters (S&C 16-09): one such home stopped the nation."""
    period = RELEASE if table == "provider_info" else "2024Q2"
    file = fill.write(tmp_path / "f.csv", table, [{column: "015009"}, {column: ccn}], "utf-16")
    manifest = fill.staged(store, file, table, period)
    assert (manifest["rows"], manifest["rejected_rows"]) == (2, 0)
    target = "staged.employee_quarters" if table == "pbj_employee" else f"staged.{table}"
    assert {home for (home,) in fill.read(store, target, period, columns="ccn")} == {"015009", ccn.upper()}


@pytest.mark.parametrize("marked", ["'015009", " 015009 ", '="015009"', "15009", "\u00a0015009"])
def test_c81_marks_of_a_spreadsheet_are_no_part_of_a_ccn(marked: str, store: Store, tmp_path: Path) -> None:
    """An apostrophe, a formula, blanks: what a spreadsheet puts around a text. Counted where it changed the six characters."""
    manifest = fill.staged(store, fill.write(tmp_path / "p.csv", "provider_info", [{CCN: marked}]), "provider_info", RELEASE)
    assert fill.read(store, "staged.provider_info", RELEASE, columns="ccn") == [("015009",)]
    assert manifest["ccn_repaired"] == (marked.strip() != "015009")


@pytest.mark.parametrize("number", ["15009.0", "1.5009E4", "2.30E+05", "2.3e+11", "15009.00"])
def test_c87_a_ccn_that_became_a_number_is_refused(number: str, store: Store, tmp_path: Path) -> None:
    """2.3E+11 was 23E010: what it was cannot be told, so no home is guessed."""
    file = fill.write(tmp_path / "p.csv", "provider_info", [{CCN: "015010"}, {CCN: number}], "cp1252")
    assert fill.staged(store, file, "provider_info", RELEASE)["rejected_rows"] == 1
    found = fill.read(store, "staged.provider_info", RELEASE, "rejects", "line, value, problem")
    assert found == [(3, number, "is no CCN any more: a program has made a number of it")]


@pytest.mark.parametrize(
    ("table", "column", "name", "written", "read"),
    [
        ("health_citations", "Deficiency Tag Number", "tag_number", "684.0", "0684"),
        ("health_citations", "Deficiency Tag Number", "tag_number", "0684.0", "0684"),
        ("health_citations", "Deficiency Tag Number", "tag_number", "684", "0684"),
        ("health_citations", "Inspection Cycle", "inspection_cycle", "2.0", 2),
        ("health_citations", "Scope Severity Code", "scope_severity", " g ", "G"),
        ("health_citations", "Deficiency Corrected", "corrected", "PAST NON-COMPLIANCE", "Past Non-Compliance"),
        ("health_citations", "Standard Deficiency", "is_standard", "True", True),
        ("health_citations", "Standard Deficiency", "is_standard", "0.0", False),
        ("health_citations", "Standard Deficiency", "is_standard", "nan", None),
        ("provider_info", "Staffing Rating Footnote", "staffing_footnote", "23.0", "23"),
        ("provider_info", "Staffing Rating Footnote", "staffing_footnote", "9.0; 28.0", "9, 28"),
        ("provider_info", "Staffing Rating Footnote", "staffing_footnote", "1;18", "1, 18"),
        ("provider_info", "Staffing Rating Footnote", "staffing_footnote", "<NA>", None),
        ("provider_info", "Staffing Rating", "staffing_rating", "4.0", 4),
        ("provider_info", "Staffing Rating", "staffing_rating", "N/A", None),
        ("provider_info", "Total nursing staff turnover", "total_nurse_turnover_pct", "NULL", None),
        ("provider_info", "Abuse Icon", "abuse_icon", "TRUE", "Y"),
        ("provider_info", "Special Focus Status", "special_focus_status", "sff candidate", "SFF Candidate"),
        ("provider_info", "Special Focus Status", "special_focus_status", "None", None),
        ("qm_mds", "Measure Code", "measure_code", "401.0", "401"),
        ("qm_mds", "Footnote for Four Quarter Average Score", "footnote", "9.0", "9"),
        ("qm_mds", "Four Quarter Average Score", "four_quarter_average", "Not Available", None),
        ("qm_mds", "Used in Quality Measure Five Star Rating", "is_used", "yes", "Y"),
        ("qm_claims", "Measure Code", "measure_code", "551.0", "551"),
        ("snf_qrp", "Footnote", "footnote", "9.0", "9"),
        ("snf_qrp", "Footnote", "footnote", "-", None),
        ("survey_dates", "Survey Cycle", "survey_cycle", "1.0", 1),
        ("survey_dates", "Type of Survey", "survey_kind", "health standard", "Health Standard"),
        ("pbj_daily", "WorkDate", "work_date", "20240402.0", date(2024, 4, 2)),
        ("pbj_daily", "MDScensus", "census", "40.0", 40),
        ("pbj_daily", "Hrs_RN", "rn_hours", "nan", None),
        ("pbj_daily", "STATE", "state", "ca", "CA"),
    ],
)
def test_c87_a_code_is_read_as_cms_writes_it(
    table: str, column: str, name: str, written: str, read: object, store: Store, tmp_path: Path
) -> None:
    """Floats of whole numbers, other capitals, words for blank: tags became F0.0, and footnote 23.0 was no footnote."""
    period = "2024Q2" if table == "pbj_daily" else RELEASE
    file = fill.write(tmp_path / "f.csv", table, [{column: written}], "utf-16-le")
    manifest = fill.staged(store, file, table, period)
    assert (manifest["rows"], manifest["rejected_rows"], manifest["unknown_codes"]) == (1, 0, {})
    assert fill.read(store, f"staged.{table}", period, columns=name) == [(read,)]
    assert manifest["blank_words"] == (read is None and written != "-")


def test_c87_the_employee_file_is_read_as_floats_too(store: Store, tmp_path: Path) -> None:
    """Saved again by a program that takes every column for numbers: job codes, ids, flags, days."""
    rows = [{"WorkDate": "20240401"}, {"WorkDate": "20240402", "EMP_CTR": "2"}]
    fill.staged(store, fill.write(tmp_path / "e.csv", "pbj_employee", rows), "pbj_employee", "2024Q2")
    wanted = fill.read(store, "staged.employee_quarters", "2024Q2")
    floats = {"SYS_EMPLEE_ID": "9001.0", "EMPLEE_JOB_CD_ID": "7.0", "WORK_HRS_NUM": "8", "WORK_HRS_FN": " "}
    floated = [{**floats, "WorkDate": "20240401.0", "EMP_CTR": "1.0"}, {**floats, "WorkDate": "20240402.0", "EMP_CTR": "2.0"}]
    manifest = fill.staged(store, fill.write(tmp_path / "f.csv", "pbj_employee", floated, "utf-32"), "pbj_employee", "2024Q2")
    assert (manifest["rows"], manifest["rejected_rows"]) == (2, 0)
    assert fill.read(store, "staged.employee_quarters", "2024Q2") == wanted


def test_a_word_for_blank_is_no_zero_and_no_name_is_one(store: Store, tmp_path: Path) -> None:
    """In columns of numbers, dates and codes only: a home may be called None, and what must not be blank is a reject."""
    rows = [{"PROVNAME": "None", "Hrs_RN": "NA"}, {"WorkDate": "20240402", "PROVNUM": "nan"}]
    manifest = fill.staged(store, fill.write(tmp_path / "d.csv", "pbj_daily", rows), "pbj_daily", "2024Q2")
    assert fill.read(store, "staged.pbj_daily", "2024Q2", columns="provider_name, rn_hours") == [("None", None)]
    assert fill.read(store, "staged.pbj_daily", "2024Q2", "rejects", "line, value, problem") == [(3, "nan", "is blank")]
    assert manifest["blank_words"] == 1


@pytest.mark.parametrize("table", MONTHLY)
@pytest.mark.parametrize(("spelling", "encoding"), [("2026-08-01", "utf-8"), ("20260801", "cp1252"), ("08/01/2026", "utf-16")])
def test_c95_rows_of_another_month_refuse_the_file(
    spelling: str, encoding: str, table: str, store: Store, tmp_path: Path
) -> None:
    """A file of several months counted each citation once a month: every row's Processing Date tells, in each of CMS's spellings."""
    many = 1200 if table in ("health_citations", "penalties") else 1
    first = next(iter(fill.LAYOUTS[table]))
    homes = [{first: f"{15000 + k:06d}"} for k in range(many)] if many > 1 else [{}]
    later = [{**row, "Processing Date": day} for day in (spelling, spelling.replace("08", "09", 1)) for row in homes]
    file = fill.write(tmp_path / "panel.csv", table, [*homes, *later], encoding)
    months = f"2026-07 {many}, 2026-08 {many}, 2026-09 {many}"
    with pytest.raises(RefusedFile, match=rf"row_of_another_month: rows by month of Processing Date: {months}\.") as refused:
        fill.staged(store, file, table, RELEASE)
    assert (refused.value.file, refused.value.line) == ("panel.csv", many + 2)
    assert store.manifest(f"staged.{table}", RELEASE) is None


def test_c95_a_whole_file_of_another_month_is_refused(store: Store, tmp_path: Path) -> None:
    """What a catalogue or a name says of a file proves nothing."""
    file = fill.write(tmp_path / "NH_Penalties_Jul2026.csv", "penalties", [{"Processing Date": "2026-06-01"}] * 2)
    with pytest.raises(RefusedFile, match=r"Jul2026\.csv, line 2: .*rows by month of Processing Date: 2026-06 2\."):
        fill.staged(store, file, "penalties", RELEASE)


ODD_ROWS: dict[
    str, list[tuple[dict[str, str], str, str]]
] = {  # of tables that no star reads: what is odd, the column told, and why
    "collection_intervals": [
        ({"Data Collection Period From Date": "see note"}, "Data Collection Period From Date", "is not a date"),
        ({"Data Collection Period From Date": ""}, "Data Collection Period From Date", "is blank"),
        ({"Data Collection Period Through Date": "03/31/2026"}, "Measure Code", "has another row with the same key on line 2"),
    ],
    "survey_summary": [
        ({"Total Number of Health Deficiencies": "4"}, CCN, "has another row with the same key on line 2"),
        ({"Health Survey Date": "2026-02-30", "Inspection Cycle": "2"}, "Health Survey Date", "is not a date"),
    ],
    "penalties": [
        ({"Penalty Date": "soon"}, "Penalty Date", "is not a date"),
        ({"Fine Amount": "$5,000"}, "Fine Amount", "is not a number of dollars"),
        ({"Processing Date": "July"}, "Processing Date", "is not a date"),
    ],
    "state_cut_points": [({"State": ""}, "State", "is blank")],
    "citation_descriptions": [
        ({"Deficiency Description": "another"}, "Deficiency Prefix and Number", "has another row with the same key on line 2")
    ],
}


def test_odd_rows_of_tables_that_no_star_reads_cost_themselves(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are kept as rejects and told; the run goes on and publishes. One bad date among the intervals stopped the nation."""
    folder = tmp_path / "files"
    fill.write(folder / "p.csv", "provider_info", [{}])
    for table, odd in ODD_ROWS.items():
        fill.write(folder / f"{table}.csv", table, [{}, *(row for row, *_ in odd)])
    assert main(["run", "--release", RELEASE, "--source", str(folder), "--data", str(store.root), "--threads", "1"]) == 0
    summary = capsys.readouterr().out
    for table, odd in ODD_ROWS.items():
        found = fill.read(store, f"staged.{table}", RELEASE, "rejects", "line, column_name, problem")
        assert found == [(line, column, problem) for line, (_, column, problem) in enumerate(odd, 3)]
        assert f"({table}.csv): {len(odd)} rows that could not be read, kept beside the table" in summary
    inputs = json.loads((store.root / "published" / RELEASE / "inputs.json").read_text())
    assert inputs["rejected_values"] == sum(map(len, ODD_ROWS.values()))


@pytest.mark.parametrize("table", ["qm_mds", "survey_dates", "state_averages"])
def test_two_rows_of_one_key_refuse_a_table_that_stars_read(table: str, store: Store, tmp_path: Path) -> None:
    """Nothing tells which is right; both lines are named."""
    differ = {"qm_mds": "Four Quarter Average Score", "state_averages": "Case-Mix RN Staffing Hours per Resident per Day"}
    rows = [{}, {}, {differ[table]: "1.5"}] if table in differ else [{}, {}]
    file = fill.write(tmp_path / "f.csv", table, rows)
    if table not in differ:  # its key is all that it holds: equal rows are copies
        assert fill.staged(store, file, table, RELEASE)["repeated_rows"] == 1
        return
    with pytest.raises(RefusedFile, match=r"f\.csv, line 4: two different rows for .*: this one and that of line 2"):
        fill.staged(store, file, table, RELEASE)


def test_which_tables_stars_are_made_from_is_read_from_the_sql() -> None:
    """A table that a new SELECT reads counts at once."""
    read = {t.short for t in TABLES.values() if t.signature and t.name.startswith("staged.") and feeds_stars(t.name)}
    assert read == {
        "pbj_daily",
        "provider_info",
        "health_citations",
        "survey_dates",
        "state_averages",
        "qm_mds",
        "qm_claims",
        "snf_qrp",
    }
    assert feeds_stars("staged.employee_quarters")
