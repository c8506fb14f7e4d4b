"""Employment spells and turnover (methodology 2)."""

from __future__ import annotations

import ibis.expr.datatypes as dt
import pandera.ibis as pa

from schemas.base import column, table
from schemas.pbj import CCN

MEASURES = ["total_nurse", "rn", "administrator"]
HOURS = {"unit": "hours", "ge": 0}


def ccn_column() -> object:
    """The key of every table about homes."""
    return column("CMS certification number", source="PROVNUM", **CCN)


def measure_column() -> object:
    """The staff group of a turnover measure."""
    return column("Staff group", source="job codes", isin=MEASURES)


def definition_column() -> object:
    """The reading of the turnover rule."""
    return column("Reading of the turnover rule, see rules.turnover_definitions", source="computed")


@table("turnover.measure_codes", key=("measure", "job_code"), clock="release")
class MeasureCodes(pa.DataFrameModel):
    """The job codes of a turnover measure."""

    measure: str = measure_column()
    job_code: dt.int8 = column("PBJ job code that belongs to the measure", source="rules.job_codes")


@table("turnover.stretches", key=("ccn", "employee_id", "measure", "day_basis", "first_workday"), clock="release", large=True)
class Stretches(pa.DataFrameModel):
    """A person's days of work without a gap that any definition could take for the end of a spell."""

    ccn: str = ccn_column()
    employee_id: dt.int64 = column("CMS's id of the person within the home", source="SYS_EMPLEE_ID")
    measure: str = measure_column()
    day_basis: str = column("Job codes that make a day worked", source="R2", isin=["own", "any"])
    first_workday: dt.date = column("First day worked", source="WorkDate")
    last_workday: dt.date = column("Last day worked", source="WorkDate")
    has_own_days: bool = column("Any of the days worked is in the measure's job codes", source="computed")
    gap_before: dt.int32 = column("Whole days without work before; null for the first", unit="days", nullable=True)
    gap_after: dt.int32 = column("Whole days without work after, as far as the window shows", unit="days")


@table("turnover.stretch_hours", key=("ccn", "employee_id", "measure", "first_workday"), clock="release", large=True)
class StretchHours(pa.DataFrameModel):
    """Hours that decide whether a spell that begins on a day counts."""

    ccn: str = ccn_column()
    employee_id: dt.int64 = column("CMS's id of the person within the home", source="SYS_EMPLEE_ID")
    measure: str = measure_column()
    first_workday: dt.date = column("First day worked of a stretch", source="WorkDate")
    own_hours: dt.Decimal(9, 2) = column("Hours in the measure's codes in the 90 days from the first workday", **HOURS)
    own_hours_of_stretch: dt.Decimal(9, 2) = column("Of own_hours what the stretch of own days holds", **HOURS)
    any_hours: dt.Decimal(9, 2) = column(
        "Hours in any code in the 90 days from the first workday, where a definition reads them", nullable=True, **HOURS)  # fmt: skip
    best_own_hours: dt.Decimal(9, 2) = column(
        "Most own hours in 90 days that begin on a workday through Q2, of people for whom the first 90 days do not suffice",
        nullable=True, **HOURS)  # fmt: skip


@table("turnover.spells", key=("ccn", "employee_id", "measure", "definition", "first_workday"), clock="release", large=True)
class Spells(pa.DataFrameModel):
    """An employment spell under one definition."""

    ccn: str = ccn_column()
    employee_id: dt.int64 = column("CMS's id of the person within the home", source="SYS_EMPLEE_ID")
    measure: str = measure_column()
    definition: str = definition_column()
    first_workday: dt.date = column("First day worked that the window shows", source="WorkDate")
    last_workday: dt.date = column("Last day worked", source="WorkDate")
    hours_first_90_days: dt.Decimal(9, 2) = column("Hours that decide eligibility", unit="hours", nullable=True, ge=0)
    qualifies: bool = column("Began in Q0-Q2 and has the hours (R3-R5)", source="computed")
    gap_follows: bool = column("A gap long enough to end it follows within the window", source="computed")
    eligible: bool = column("Counted in the denominator", source="computed")
    departed: bool = column("Counted in the numerator", source="computed")


@table("turnover.full_days", key=("ccn", "definition", "day"), clock="release")
class FullDays(pa.DataFrameModel):
    """A day on which every eligible nurse at work left (CMS: 100% daily turnover)."""

    ccn: str = ccn_column()
    definition: str = definition_column()
    day: dt.date = column("The day", source="computed")
    leaving: dt.int32 = column("Eligible nurse spells that end on it", unit="spells")


@table("quarterly.administrator_days", key=("ccn", "day"), clock="quarter")
class AdministratorDays(pa.DataFrameModel):
    """How many administrators worked at a home on a day."""

    ccn: str = ccn_column()
    quarter: str = column("Calendar quarter", source="CY_Qtr")
    day: dt.date = column("The day", source="WorkDate")
    people: dt.int64 = column("People with administrator hours", unit="people", ge=1)


@table("turnover.home_quarters", key=("ccn", "quarter"), clock="release")
class HomeQuarters(pa.DataFrameModel):
    """What a home sent for one quarter of the window."""

    ccn: str = ccn_column()
    quarter: str = column("Calendar quarter", source="CY_Qtr")
    quarter_position: dt.int32 = column("0 for the baseline quarter, 5 for the look-ahead", source="rules.releases")
    daily_supplied: bool = column("The daily file of the quarter was supplied", source="inputs")
    employee_supplied: bool = column("The employee file of the quarter was supplied", source="inputs")
    in_daily: bool = column("The home is in the daily file", source="computed")
    in_employee: bool = column("The home is in the employee file", source="computed")
    is_incomplete: bool = column("CMS marked any day as incomplete", source="Incomplete")
    rejected_rows: dt.int64 = column("Rows of the home that could not be read", unit="rows", ge=0)
    administrator_days: dt.int32 = column("Days with administrator hours", unit="days", ge=0)
    crowded_days: dt.int32 = column("Days with as many administrators as the limit", unit="days", ge=0)
    first_crowded_day: dt.date = column("First such day", source="WorkDate", nullable=True)
    last_crowded_day: dt.date = column("Last such day", source="WorkDate", nullable=True)


@table("turnover.counts", key=("ccn", "measure", "definition"), clock="release")
class Counts(pa.DataFrameModel):
    """Eligible spells and departures of a home before any exclusion."""

    ccn: str = ccn_column()
    measure: str = measure_column()
    definition: str = definition_column()
    eligible_spells: dt.int32 = column("Spells in the denominator", unit="spells", nullable=True, ge=0)
    departures: dt.int32 = column("Spells that ended in turnover", unit="spells", nullable=True, ge=0)
    turnover_pct: dt.Decimal(9, 3) = column("Departures per 100 eligible spells", unit="percent", nullable=True, ge=0, le=100)


@table("turnover.exclusions", key=("ccn", "measure", "definition", "exclusion"), clock="release")
class TurnoverExclusions(pa.DataFrameModel):
    """An exclusion that applies to a home's turnover."""

    ccn: str = ccn_column()
    measure: str = measure_column()
    definition: str = definition_column()
    exclusion: str = column("Reason word", source="rules.reasons")
    evidence: str = column("What shows it", source="computed")
    first_date: dt.date = column("First day it concerns", source="computed", nullable=True)
    last_date: dt.date = column("Last day it concerns", source="computed", nullable=True)
    rank: dt.int32 = column("The lowest is named first", source="rules.reasons")


@table("turnover.home_turnover", key=("ccn", "measure", "definition"), clock="release")
class HomeTurnover(pa.DataFrameModel):
    """Turnover of one home by measure and definition."""

    ccn: str = ccn_column()
    measure: str = measure_column()
    definition: str = definition_column()
    eligible_spells: dt.int32 = column("Spells in the denominator", unit="spells", nullable=True, ge=0)
    departures: dt.int32 = column("Spells that ended in turnover", unit="spells", nullable=True, ge=0)
    turnover_pct: dt.Decimal(9, 3) = column(
        "Departures per 100 eligible spells; null for administrators and where excluded",
        unit="percent",
        nullable=True,
        ge=0,
        le=100,
    )
    excluded: bool = column("Whether the measure is not given", source="computed")
    exclusion: str = column("The first exclusion that applies", source="rules.reasons", nullable=True)
