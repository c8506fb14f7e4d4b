"""Cases about what the files hold: codes, types, encodings, headers, dates (C01, C03, C05, C06, C11, C12)."""

from __future__ import annotations

import csv
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from pipelines.errors import RefusedFile, UsageError
from pipelines.periods import parse_quarter, quarter_days
from pipelines.store import Store
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
