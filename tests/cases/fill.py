"""Fills the small inputs of the cases up to CMS's layout and takes them through the real staging."""

from __future__ import annotations

import csv
import hashlib
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipelines.engine import Settings
from pipelines.staging import stage
from pipelines.store import Store, Supply
from schemas import TABLES
from schemas.files import layout
from tests.support import Bench

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
SETTINGS = Settings(threads=1, ranges=1)
HOURS = ("Hrs_RNDON", "Hrs_RNadmin", "Hrs_RN", "Hrs_LPNadmin", "Hrs_LPN", "Hrs_CNA", "Hrs_NAtrn", "Hrs_MedAide")
DAILY = {"PROVNUM": "555901", "PROVNAME": "EXAMPLE HOME", "STATE": "CA", "CY_Qtr": "2024Q2", "WorkDate": "20240401"}
DAILY |= {"MDScensus": "40", **dict.fromkeys(HOURS, "0.00")}
EMPLOYEE = {"PROVNUM": "555901", "STATE": "CA", "CY_Qtr": "2024Q2", "WorkDate": "20240401", "SYS_EMPLEE_ID": "9001"}
EMPLOYEE |= {"EMPLEE_JOB_CD_ID": "7", "EMP_CTR": "1", "WORK_HRS_NUM": "8.00", "WORK_HRS_FN": ""}
PROVIDER = {c.cms: "" for c in TABLES["staged.provider_info"].columns()}
PROVIDER |= {"CMS Certification Number (CCN)": "555901", "Provider Name": "EXAMPLE HOME", "State": "CA"}
PROVIDER |= {"Processing Date": "2026-07-01"}
LAYOUTS: dict[str, dict[str, str]] = {"pbj_daily": DAILY, "pbj_employee": EMPLOYEE, "provider_info": PROVIDER}
HOME = {"CMS Certification Number (CCN)": "555901", "State": "CA", "Processing Date": "2026-07-01"}
MEASURE = {"Measure Code": "401", "Used in Quality Measure Five Star Rating": "Y", "Measure Period": "2025Q2-2026Q1"}
CITED = {"Survey Date": "2026-01-05", "Survey Type": "Health", "Deficiency Prefix": "F", "Deficiency Tag Number": "0689"}
CITED |= {
    "Scope Severity Code": "D",
    "Deficiency Corrected": "Deficient, Provider has date of correction",
    "Inspection Cycle": "1",
}
CITED |= {"Standard Deficiency": "Y", "Complaint Deficiency": "N", "Infection Control Inspection Deficiency": "N"}
PLAIN: dict[str, dict[str, str]] = {  # what a row of a release file holds that is not given
    "state_averages": {"State or Nation": "NATION"},
    "collection_intervals": {
        "Measure Code": "401",
        "Measure Description": "a measure",
        "Data Collection Period From Date": "04/01/2025",
    },
    "health_citations": CITED,
    "survey_summary": {"Inspection Cycle": "1"},
    "survey_dates": {"Survey Date": "2026-01-05", "Type of Survey": "Health Standard", "Survey Cycle": "1"},
    "penalties": {"Penalty Date": "2026-01-20", "Penalty Type": "Fine"},
    "qm_mds": MEASURE,
    "qm_claims": MEASURE | {"Measure Code": "551", "Measure Period": "20250401-20260331"},
    "snf_qrp": {"Measure Code": "S_005_02_DTC_RS_RATE", "Score": "50.00", "Footnote": "-"},
    "state_cut_points": {"5 Stars": "0-10", "1 Star": ">40"},
    "citation_descriptions": {"Deficiency Prefix and Number": "F-0689"},
}
for _table, _row in PLAIN.items():
    _header = layout(_table, "2026-07")
    LAYOUTS[_table] = dict.fromkeys(_header, "") | {name: value for name, value in (HOME | _row).items() if name in _header}
Row = Mapping[str, str]


def case(name: str) -> Path:
    """The folder of a case; the test is skipped where the cases are not there."""
    folder = CASES / name
    if not folder.exists():
        pytest.skip(f"the case {name} is not beside the project")
    return folder


def rows_of(file: Path, encoding: str = "utf-8") -> list[dict[str, str]]:
    """The rows of a CSV file as text."""
    with file.open(newline="", encoding=encoding) as lines:
        return list(csv.DictReader(lines))


def write(file: Path, table: str, rows: Iterable[Row], encoding: str = "utf-8") -> Path:
    """Write a file in the layout of a source table; a column that a row does not give holds a plain value."""
    plain = LAYOUTS[table]
    filled = [{**plain, **row} for row in rows]
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding=encoding) as out:
        writer = csv.DictWriter(out, list(filled[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(filled)
    return file


def supply(store: Store, file: Path, table: str, period: str) -> None:
    """Note a file as the supply of a table and period, as a source does."""
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    part = store.root / "raw" / "part"
    part.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, part)
    store.add_blob(part, sha256, {"address": file.name, "etag": ""})
    store.set_supply(Supply(table, period, sha256, "", file.name, file.name, "", "2026-07-30T00:00:00", file.stat().st_size))


def staged(store: Store, file: Path, table: str, period: str) -> dict[str, Any]:
    """Supply a file and stage it; the manifest."""
    supply(store, file, table, period)
    return stage(store, table, period, SETTINGS)


def read(store: Store, table: str, period: str, file: str = "data", columns: str = "*") -> list[tuple[Any, ...]]:
    """Rows beside or in a staged table, in the order of the file."""
    return duckdb.connect().execute(f"select {columns} from '{store.folder(table, period) / file}.parquet'").fetchall()


def bench(store: Store, release: str, tables: Mapping[str, Iterable[str]]) -> Bench:
    """A bench with staged tables of the given periods put in, `current.pbj_daily` from 2024Q2 for one."""
    made = Bench(release)
    for name, periods in tables.items():
        table = f"staged.{name.split('.')[1]}"
        made.put(name)
        names = ", ".join(c.name for c in TABLES[table].columns())
        for period in periods:
            made.con.execute(f"insert into {name} select {names} from '{store.parquet(table, period)}'")
    return made
