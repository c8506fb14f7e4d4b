"""Every answer that the sample nation knows holds in the published tables."""

from __future__ import annotations

import csv
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import duckdb

from tests.conftest import RELEASE

# NATION has no row for LPNs and aides: their nation is a mean over printed homes, which leaves the third decimal open
CLOSE = {("adjusted_hprd", "lpn"), ("adjusted_hprd", "nurse_aide")}
TRUTH_DECIMALS = {"adjusted_hprd": 3, "reported_hprd": 5}


def text_of(value: Any, column: str) -> str:
    """A published value as truth.csv writes it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal):
        digits = Decimal(1).scaleb(-TRUTH_DECIMALS[column]) if column in TRUTH_DECIMALS else None
        value = value.quantize(digits, ROUND_HALF_UP) if digits else value
        return str(value.normalize() + 0) if value else "0"
    return str(value)


def same(found: str, expected: str, within: Decimal = Decimal(0)) -> bool:
    """Whether two texts say the same, numbers compared as numbers."""
    try:
        return abs(Decimal(found) - Decimal(expected)) <= within
    except ArithmeticError:
        return found == expected


def against_truth(published: Path, truth: Path) -> tuple[int, list[str]]:
    """How many rows of a truth.csv were looked up in the tables of a published release, and those that do not hold."""
    con = duckdb.connect()
    tables: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
    for table, where in (
        ("turnover", "definition = 'cms'"),
        ("staffing_levels", "true"),
        ("rating_components", "domain <> 'overall'"),
        ("ratings", "true"),
        ("citations", "true"),
    ):
        result = con.execute(f"select * from read_parquet('{published / table}.parquet') where {where}")
        names = [d[0] for d in result.description]
        rows = [dict(zip(names, row, strict=True)) for row in result.fetchall()]
        if table == "citations":
            rows = [{**row, "measure": f"{row['survey_date']} {row['tag']} {row['survey_kind']}"} for row in rows]
        tables[table] = {(row["ccn"], row.get("measure", "")): row for row in rows}
    excluded = set(con.execute(f"select ccn, measure, exclusion from read_parquet('{published}/exclusions.parquet')").fetchall())
    any_measure = {(ccn, word) for ccn, _, word in excluded}
    wrong, checked = [], 0
    with truth.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            checked += 1
            ccn, table, measure, column = row["ccn"], row["table"], row["measure"], row["column"]
            if table == "exclusions":
                holds = (ccn, measure, column) in excluded if measure else (ccn, column) in any_measure
                found = "present" if holds else "absent"
            else:
                home = tables[table].get((ccn, measure))
                found = text_of(home[column], column) if home else "no row"
            within = Decimal("0.001") if (column, measure) in CLOSE else Decimal(0)
            if not same(found, row["expected"], within):
                wrong.append(f"{ccn} {table} {measure} {column}: {found!r} for {row['expected']!r} ({row['why']})")
    return checked, wrong


def test_every_row_of_truth_holds(sample_store: Path) -> None:
    """truth.csv is computed by the generator in plain Python, apart from any SQL."""
    checked, wrong = against_truth(sample_store / "published" / RELEASE, sample_store / "sample" / RELEASE / "truth.csv")
    assert checked > 10_000
    assert not wrong, f"{len(wrong)} of {checked}:\n" + "\n".join(wrong[:40])
