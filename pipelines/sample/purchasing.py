"""Value-based purchasing: one file of homes and one row of the nation a fiscal year. No star counts them."""

from __future__ import annotations

import re
from datetime import date

from pipelines.sample.provider import WHERE, Listing
from pipelines.sample.survey_files import Rows
from schemas.files import layout

NONE = "---"


def fiscal_year(month: date) -> int:
    """The year of the file that a month's zip has: it is posted in November."""
    return month.year + (month.month >= 11)


def _value(column: str, place: int) -> str:
    """A plausible number for a column of a home."""
    if column.startswith("Footnote"):
        return NONE
    if "Multiplier" in column:
        return f"0.99{place % 100:02d}000000"
    if "Hours" in column:
        return f"{3 + place % 200 / 100:.5f}"
    if "Score" in column:
        return f"{place * 17 % 1000 / 100:.5f}"
    return f"{0.15 + place % 300 / 1000:.5f}"


def of_homes(homes: list[Listing], release: str) -> Rows:
    """FY_yyyy_SNF_VBP_Facility_Performance: only homes by number; those with a letter in it are not in it."""
    columns = [column for column in layout("snf_vbp_facility", release) if column not in WHERE]
    for rank, home in enumerate((home for home in homes if home.ccn.isdigit()), 1):
        yield home.where | {column: _value(column, home.number) for column in columns} | {"SNF VBP Program Ranking": str(rank)}


def of_the_nation(homes: list[Listing], release: str) -> Rows:
    """FY_yyyy_SNF_VBP_Aggregate_Performance: one row."""
    said = {
        "Total Number of SNFs Receiving Value-Based Incentive Payments": f"{len(homes):,}",
        "Total Amount of Value-Based Incentive Payments ($)": "$12,345,678.90",
        "Range of Performance Scores": "0.00000 - 100.00000",
        "Range of Incentive Payment Multipliers": "0.9800000000 - 1.0250000000",
        "Range of Value-Based Incentive Payments ($)": "$0.00 - $123,456.78",
    }
    yield {column: said.get(column, "0.20000") for column in layout("snf_vbp_aggregate", release)}


def of_year(column: str, shift: int) -> str:
    """A column's name with its fiscal years moved: the layout that is known is of one year."""
    return re.sub(r"\bFY (\d{4})\b", lambda found: f"FY {int(found[1]) + shift}", column)
