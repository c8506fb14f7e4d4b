"""What the provider file says of a home as a whole (methodology 4.7, 6; R28)."""

from __future__ import annotations

import ibis.expr.datatypes as dt
import pandera.ibis as pa

from schemas.base import column, table
from schemas.staffing import reason_column, stars_column
from schemas.turnover import ccn_column


@table("homes.printed_stars", key=("ccn", "rating"), clock="release")
class PrintedStars(pa.DataFrameModel):
    """A star as CMS prints it, with its footnote."""

    ccn: str = ccn_column()
    rating: str = column("Which star", source="computed")
    stars: dt.int8 = stars_column("Star as published")
    footnote: str = column("CMS's footnote, where a rule knows it", source="rules.footnotes", nullable=True)
    reason: str = reason_column("What the footnote means")
    forces_one_staffing_star: bool = column("The footnote makes the staffing star one", source="rules.footnotes")


@table("homes.standing", key=("ccn",), clock="release")
class Standing(pa.DataFrameModel):
    """Special Focus of a home, and why it has no star in any domain."""

    ccn: str = ccn_column()
    state: str = column("State or territory", cms="State", nullable=True)
    focus_text: str = column("The text as printed", cms="Special Focus Status", nullable=True)
    is_sff: bool = column("Special Focus Facility, by the text or by footnote 18 beside any star", source="rules.special_focus")
    is_sff_candidate: bool = column("Candidate for Special Focus", source="rules.special_focus")
    has_unknown_focus: bool = column("The text is one that no rule knows", source="rules.special_focus")
    withheld: str = reason_column("Why the home has no star in any domain")
    evidence: str = column("What shows it", source="computed", nullable=True)
