"""What a code does that no rule table knows, column by column: it is told with its count, and what it does to stars is written here.

One nation of homes that are alike: each carries one such code in one column, the first none.
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import duckdb
import pytest

from pipelines.checks import scan
from pipelines.cli import main
from pipelines.store import Store
from schemas import TABLES
from schemas.files import layout
from tests.cases import fill

RELEASE = "2026-07"
CCN = "CMS Certification Number (CCN)"
MDS = ("401", "406", "407", "410", "434", "451", "479", "481")
CLAIMS = ("521", "522", "551", "552")
QRP = ("S_005_02_DTC_RS_RATE", "S_038_02_ADJ_RATE", "S_042_02_OBS_RATE")
PROVIDER = {
    "State": "CA",
    "Abuse Icon": "N",
    "Overall Rating": "4",
    "Health Inspection Rating": "4",
    "QM Rating": "3",
    "Long-Stay QM Rating": "3",
    "Short-Stay QM Rating": "3",
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
    "Rating Cycle 1 Standard Survey Health Date": "2026-01-05",
    "Rating Cycle 2 Standard Health Survey Date": "2024-11-05",
    "Rating Cycle 1 Total Number of Health Deficiencies": "1",
    "Rating Cycle 2/3 Total Number of Health Deficiencies": "1",
    "Rating Cycle 1 Number of Health Revisits": "0",
    "Rating Cycle 2/3 Number of Health Revisits": "0",
    "Rating Cycle 1 Total Health Score": "4",
    "Rating Cycle 2/3 Total Health Score": "8",
    "Total Weighted Health Survey Score": "5.000",
}
CITED = {
    "Survey Date": "2026-01-05",
    "Survey Type": "Health",
    "Deficiency Prefix": "F",
    "Deficiency Tag Number": "0689",
    "Scope Severity Code": "D",
    "Deficiency Corrected": "Deficient, Provider has date of correction",
    "Inspection Cycle": "1",
    "Standard Deficiency": "Y",
    "Complaint Deficiency": "N",
    "Infection Control Inspection Deficiency": "N",
    "Citation under IDR": "N",
    "Citation under IIDR": "N",
}


@dataclass(frozen=True)
class Odd:
    """A code that nobody knows in a column, beside which some cells are blank, and what it does to the home that has it.

    `changed` are the columns of `ratings` and the measures of `rating_components` that are otherwise than of a home with the usual code,
    or no footnote, in its place; `reasons` what `exclusions` says of the home and not of that one.
    """

    table: str
    column: str
    code: str
    does: str
    changed: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    blank: tuple[str, ...] = ()

    @property
    def cms(self) -> str:
        """CMS's name of the column."""
        return next(c.cms for c in TABLES[f"staged.{self.table}"].columns() if c.name == self.column)


TOLD = "nothing: no star reads it"
UNUSED = "is not scored: only Y is used"
RANKED = ("health_inspection_scope", "health_inspection_ranked_homes")
SCORED = ("cycle_1_score", "weighted_score", "health_inspection_source")
QUALITY = ("overall_qm_score", "qm_reason", "qm_source")
NO_FOOTNOTE = "as if there were no footnote"
BLANKS = {
    "overall_footnote": ("Overall Rating",),
    "health_inspection_footnote": ("Health Inspection Rating", "Overall Rating"),
    "qm_footnote": ("QM Rating",),
    "long_stay_qm_footnote": ("Long-Stay QM Rating",),
    "short_stay_qm_footnote": ("Short-Stay QM Rating",),
    "staffing_footnote": ("Staffing Rating",),
    "reported_staffing_footnote": (),
    "total_nurse_turnover_footnote": ("Total nursing staff turnover",),
    "rn_turnover_footnote": ("Registered Nurse turnover",),
    "administrator_footnote": ("Number of administrators who have left the nursing home",),
}
COLUMNS = [
    Odd("provider_info", "state", "ZZ", "a state of one home: ranked by the nation's cut points", RANKED),
    Odd(
        "provider_info",
        "special_focus_status",
        "Watch",
        "told of the home too; it keeps its stars",
        reasons=("unknown_special_focus",),
    ),
    Odd("provider_info", "abuse_icon", "Maybe", "as if there were no icon"),
    *[Odd("provider_info", name, "99", NO_FOOTNOTE, blank=blank) for name, blank in BLANKS.items()],
    Odd(
        "health_citations",
        "survey_type",
        "Food",
        "is no health survey: not scored, CMS's points stand",
        SCORED,
        ("citations_differ",),
    ),
    Odd(
        "health_citations",
        "deficiency_prefix",
        "X",
        "is no health tag: not scored, CMS's points stand",
        SCORED,
        ("citations_differ",),
    ),
    Odd("health_citations", "tag_number", "68A", "a tag of no kind: plain points"),
    Odd(
        "health_citations",
        "scope_severity",
        "A-",
        "cannot be scored: CMS's points stand",
        (*SCORED, "cycle_2_score"),
        ("unknown_scope_severity",),
    ),
    Odd("health_citations", "corrected", "Some other way", "is not past non-compliance: plain points"),
    Odd(
        "health_citations",
        "inspection_cycle",
        "7",
        "is in no cycle of the rating: not scored",
        SCORED,
        ("citations_differ",),
    ),
    Odd("survey_summary", "inspection_cycle", "9", TOLD),
    Odd("survey_dates", "survey_kind", "Odd Standard", "is no standard survey"),
    Odd("survey_dates", "survey_cycle", "9", TOLD),
    Odd("penalties", "penalty_type", "Warning", TOLD),
    Odd("state_averages", "state", "ZZ", TOLD),
    Odd("state_cut_points", "state", "ZZ", TOLD),
    Odd("citation_descriptions", "tag", "X12", TOLD),
    Odd("collection_intervals", "measure_code", "ODD", TOLD),
    Odd("qm_mds", "measure_code", "999", "flagged: CMS marks it as used", reasons=("unknown_measure",)),
    Odd("qm_mds", "footnote", "99", NO_FOOTNOTE, blank=("Four Quarter Average Score",)),
    Odd("qm_mds", "is_used", "P", UNUSED, ("401", "long_stay_qm_score", *QUALITY), ("not_used",)),
    Odd("qm_claims", "measure_code", "599", "flagged: CMS marks it as used", reasons=("unknown_measure",)),
    Odd("qm_claims", "footnote", "99", NO_FOOTNOTE, blank=("Adjusted Score",)),
    Odd("qm_claims", "is_used", "P", UNUSED, ("521", "short_stay_qm_score", *QUALITY), ("not_used",)),
    Odd("snf_qrp", "state", "ZZ", TOLD),
    Odd("snf_qrp", "measure_code", "S_999_01_ODD", TOLD),
    Odd("snf_qrp", "footnote", "99", NO_FOOTNOTE, blank=("Score",)),
    Odd("pbj_daily", "state", "ZZ", TOLD),
]
WITH_HOMES = [odd for odd in COLUMNS if any(c.name == "ccn" for c in TABLES[f"staged.{odd.table}"].columns())]


def ccn_of(odd: Odd, twin: bool) -> str:
    """Each home with such a code, and beside it one that is like it but for the code."""
    return f"{50000 + 2 * COLUMNS.index(odd) + twin:06d}"


def rows_of_a_home(ccn: str) -> Iterator[tuple[str, dict[str, str]]]:
    """A home in every table."""
    yield "provider_info", PROVIDER
    yield "health_citations", CITED
    yield "health_citations", CITED | {"Survey Date": "2024-11-05", "Inspection Cycle": "2", "Scope Severity Code": "E"}
    yield "survey_dates", {"Survey Date": "2026-01-05", "Type of Survey": "Health Standard", "Survey Cycle": "1"}
    yield "survey_dates", {"Survey Date": "2024-11-05", "Type of Survey": "Health Standard", "Survey Cycle": "2"}
    yield (
        "survey_summary",
        {"Inspection Cycle": "1", "Health Survey Date": "2026-01-05", "Total Number of Health Deficiencies": "1"},
    )
    yield "penalties", {"Penalty Date": "2026-01-20", "Penalty Type": "Fine", "Fine Amount": "5000"}
    used = {"Used in Quality Measure Five Star Rating": "Y"}
    for code in MDS:
        yield (
            "qm_mds",
            {"Measure Code": code, "Four Quarter Average Score": "9.500000", "Measure Period": "2025Q2-2026Q1", **used},
        )
    for code in CLAIMS:
        yield "qm_claims", {"Measure Code": code, "Adjusted Score": "1.500000", "Measure Period": "20250401-20260331", **used}
    for code in QRP:
        yield "snf_qrp", {"State": "CA", "Measure Code": code, "Score": "50.00", "Footnote": "-"}


def write(folder: Path, change: Callable[[str, str], str] = lambda name, cell: cell, encoding: str = "utf-8") -> None:
    """All homes; the odd code stands in the first row that a home has in the table, a measure's in a row of its own.

    `change` is made to each cell of a code, given with its column.
    """
    tables: dict[str, list[dict[str, str]]] = {
        "state_averages": [{"State or Nation": "NATION", "Case-Mix RN Staffing Hours per Resident per Day": "0.70000"}],
        "state_cut_points": [
            {
                "State": "CA",
                "5 Stars": "0-10",
                "4 Stars": "10.001-20",
                "3 Stars": "20.001-30",
                "2 Stars": "30.001-40",
                "1 Star": ">40",
            }
        ],
        "citation_descriptions": [{"Deficiency Prefix and Number": "F-0689", "Deficiency Description": "Accidents"}],
        "collection_intervals": [
            {
                "Measure Code": "401",
                "Measure Description": "one",
                "Data Collection Period From Date": "04/01/2025",
                "Data Collection Period Through Date": "03/31/2026",
            }
        ],
        "pbj_daily": [{**fill.DAILY, "CY_Qtr": "2026Q1", "WorkDate": "20260101", "STATE": "CA", "PROVNUM": "049999"}],
    }
    for odd in COLUMNS:
        if odd not in WITH_HOMES:
            tables[odd.table].append({**tables[odd.table][0], odd.cms: odd.code})
        for ccn, code in ((ccn_of(odd, False), odd.code), (ccn_of(odd, True), None)):
            written = set()
            for table, row in rows_of_a_home(ccn):
                row = {CCN: ccn, **row}
                if table == odd.table and table not in written:
                    row |= dict.fromkeys(odd.blank, "")
                    if code and odd.column == "measure_code":
                        tables.setdefault(table, []).append({**row, odd.cms: code})
                    elif code:
                        row[odd.cms] = code
                    written.add(table)
                tables.setdefault(table, []).append(row)
    tables["pbj_daily"].append({**tables["pbj_daily"][0], "WorkDate": "20260102", "STATE": "ZZ"})
    for table, rows in tables.items():
        header = layout(table, "2026Q1" if table == "pbj_daily" else RELEASE)
        codes = {c.cms for c in TABLES[f"staged.{table}"].columns() if c.codes}
        with (folder / f"{table}.csv").open("w", newline="", encoding=encoding) as out:
            lines = csv.DictWriter(out, header, restval="")
            lines.writeheader()
            for row in rows:
                dated = {"Processing Date": "2026-07-01"} | row if "Processing Date" in header else row
                lines.writerow({name: change(name, cell) if name in codes else cell for name, cell in dated.items()})


@dataclass(frozen=True)
class Run:
    """What a run said and published: of each home its ratings and the values, points and reasons of its measures by name, and its reasons."""

    summary: str
    store: Store
    found: dict[str, dict[str, object]]
    reasons: dict[str, set[str]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    root = tmp_path_factory.mktemp("codes")
    (root / "files").mkdir()
    write(root / "files")
    with redirect_stdout(StringIO()) as out:
        assert (
            main(["run", "--release", RELEASE, "--source", str(root / "files"), "--data", str(root / "store"), "--threads", "1"])
            == 0
        )
    store = Store(root / "store")
    published = store.root / "published" / RELEASE
    con = duckdb.connect()
    ratings, components, exclusions = (
        scan(published / f"{name}.parquet") for name in ("ratings", "rating_components", "exclusions")
    )
    result = con.execute(f"from {ratings}")
    names = [column[0] for column in result.description or []]
    found = {row[names.index("ccn")]: dict(zip(names, row, strict=True)) for row in result.fetchall()}
    for ccn, measure, *what in con.execute(
        f"select ccn, measure, value_source, value, points, reason from {components}"
    ).fetchall():
        found[ccn].setdefault(measure, what)  # the overall star has components that are called like stars
    reasons: dict[str, set[str]] = {ccn: set() for ccn in found}
    for ccn, reason in con.execute(f"select ccn, exclusion from {exclusions}").fetchall():
        reasons.setdefault(ccn, set()).add(reason)
    return Run(out.getvalue(), store, found, reasons)


@pytest.mark.parametrize("odd", COLUMNS, ids=lambda odd: f"{odd.table}.{odd.column}")
def test_a_code_that_no_rule_table_knows_is_told(odd: Odd, run: Run) -> None:
    """In the manifest by column and code with its rows, and in what a person reads after the run."""
    manifest = run.store.manifest(f"staged.{odd.table}", "2026Q1" if odd.table == "pbj_daily" else RELEASE)
    assert manifest["unknown_codes"][odd.cms] == {odd.code: 1}
    assert f'codes of {odd.cms} that no rule table knows: "{odd.code}" in 1 rows' in run.summary


@pytest.mark.parametrize("odd", WITH_HOMES, ids=lambda odd: f"{odd.table}.{odd.column}")
def test_what_it_does_to_a_home(odd: Odd, run: Run) -> None:
    """The home beside one that is like it but for the code: what of its ratings is otherwise, and the reasons that only it has."""
    home, twin = ccn_of(odd, False), ccn_of(odd, True)
    same = ("ccn", "provider_name", "state", *(name for name in run.found[home] if name.endswith("footnote")))
    changed = {name for name, value in run.found[home].items() if name not in same and value != run.found[twin][name]}
    assert (changed, run.reasons[home] - run.reasons[twin]) == (set(odd.changed), set(odd.reasons)), odd.does


def floated(name: str, cell: str) -> str:
    """What a program makes of a code that it takes for a number, and of a blank one."""
    return f"{int(cell)}.0" if cell.isdigit() else cell or "nan"


def test_c87_codes_that_became_floats_give_the_same_release(run: Run, tmp_path: Path) -> None:
    """Tags, cycles, footnotes and measure codes with .0, blanks as nan, in a zip of UTF-16: not a byte of the tables is otherwise.

    Tags of 684.0 gave each citation another tag and other points; a footnote 18.0 or 23.0 did nothing.
    """
    (tmp_path / "files").mkdir()
    write(tmp_path, floated, "utf-16")
    with zipfile.ZipFile(tmp_path / "files" / "saved again.zip", "w") as out:
        for file in sorted(tmp_path.glob("*.csv")):
            out.write(file, f"from pandas/{file.name}")
    assert (
        main(
            [
                "run",
                "--release",
                RELEASE,
                "--source",
                str(tmp_path / "files"),
                "--data",
                str(tmp_path / "store"),
                "--threads",
                "1",
            ]
        )
        == 0
    )
    published = [store / "published" / RELEASE for store in (run.store.root, tmp_path / "store")]
    names = [file.name for file in sorted(published[0].glob("*.parquet"))]
    assert names
    assert [name for name in names if len({(folder / name).read_bytes() for folder in published}) > 1] == []


def test_no_code_column_is_left_out() -> None:
    """Every column of a file that has a list of codes stands in the table above."""
    wanted = {(t.short, c.name) for t in TABLES.values() for c in t.columns() if c.codes and t.name.startswith("staged.")}
    assert {(odd.table, odd.column) for odd in COLUMNS} == wanted


STRICT = [
    (t.short, c.name)
    for t in TABLES.values()
    for c in t.columns()
    if c.cms
    and (c.words or any(check.name == "isin" for check in t.schema().columns[c.name].checks))
    and t.name.startswith(("staged.", "raw."))
]


@pytest.mark.parametrize(("table", "column"), STRICT)
def test_a_code_that_says_yes_or_no_or_a_number_of_stars_is_a_reject(table: str, column: str, tmp_path: Path) -> None:
    """Codes of which CMS has a closed list: job codes, contract flags, stars, yes and no. A value beside them stops the run, with its line."""
    store, described = Store(tmp_path / "store"), TABLES[f"raw.{table}" if table == "pbj_employee" else f"staged.{table}"]
    period = "2024Q2" if table.startswith("pbj") else RELEASE
    cms = next(c.cms for c in described.columns() if c.name == column)
    row = fill.LAYOUTS[table] if table in fill.LAYOUTS else CITED | {CCN: "555901", "Processing Date": "2026-07-01"}
    file = tmp_path / "f.csv"
    with file.open("w", newline="") as out:
        lines = csv.DictWriter(out, list(dict.fromkeys([*row, cms])), restval="")
        lines.writeheader()
        lines.writerows([row, row | {cms: "77"}])
    manifest = fill.staged(store, file, table, period)
    assert manifest["rejected_rows"] == 1
    target = "employee_quarters" if table == "pbj_employee" else table
    assert fill.read(store, f"staged.{target}", period, "rejects", "line, column_name, value") == [(3, cms, "77")]
