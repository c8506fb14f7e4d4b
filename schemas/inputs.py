"""Facts about the run itself that SQL may join: what was supplied, and which quarters a release reads."""

from __future__ import annotations

import ibis.expr.datatypes as dt
import pandera.ibis as pa

from schemas.base import column, table


@table("inputs.supplied", key=("table_name", "period"), clock="none")
class Supplied(pa.DataFrameModel):
    """A Care Compare file that was supplied for the release."""

    table_name: str = column("Source table", source="manifests")
    period: str = column("The release", source="manifests")


@table("inputs.six_quarters", key=("quarter",), clock="none")
class SixQuarters(pa.DataFrameModel):
    """The turnover window of the release."""

    quarter_position: dt.int32 = column("0 for the baseline quarter, 5 for the look-ahead", source="rules.releases")
    quarter: str = column("Calendar quarter", source="rules.releases")
    first_day: dt.date = column("First day of the quarter", source="calendar")
    last_day: dt.date = column("Last day of the quarter", source="calendar")
    daily_supplied: bool = column("The daily file of the quarter was supplied", source="manifests")
    employee_supplied: bool = column("The employee file of the quarter was supplied", source="manifests")


@table("inputs.staffing_quarter", key=("quarter",), clock="none")
class StaffingQuarter(pa.DataFrameModel):
    """The quarter of the release's staffing levels."""

    quarter: str = column("Calendar quarter", source="rules.releases")
    first_day: dt.date = column("First day of the quarter", source="calendar")
    last_day: dt.date = column("Last day of the quarter", source="calendar")
    daily_supplied: bool = column("The daily file of the quarter was supplied", source="manifests")


@table("staged.flags", key=("ccn", "reason"), clock="quarter")
class Flags(pa.DataFrameModel):
    """A home that a warning check found in a staged or computed table."""

    table_name: str = column("The table", source="computed")
    ccn: str = column("CMS certification number", source="computed")
    reason: str = column("Reason word", source="rules.reasons")
    evidence: str = column("What shows it", source="computed")
    first_date: dt.date = column("First day it concerns", source="computed", nullable=True)
    last_date: dt.date = column("Last day it concerns", source="computed", nullable=True)
    found: dt.int64 = column("How often", source="computed", ge=0)
