"""What audits join: under which rules a release was computed, and what warning checks found."""

from __future__ import annotations

import ibis.expr.datatypes as dt
import pandera.ibis as pa

from schemas.base import column, table
from schemas.staffing import reason_column
from schemas.turnover import ccn_column


@table("audit.versions", key=("domain",), clock="release")
class Versions(pa.DataFrameModel):
    """The rules in force for a domain at the release."""

    domain: str = column("Rating domain, or all", source="rules.rulesets")
    release: str = column("Care Compare release", source="computed")
    quarter: str = column("PBJ quarter of the staffing levels", source="rules.releases")
    ruleset: str = column("Release month of the latest rule change of any domain", source="rules.rulesets")
    domain_ruleset: str = column("Release month of the latest rule change of the domain", source="rules.rulesets")


@table("audit.flags", key=("ccn", "domain", "measure", "reason"), clock="release")
class AuditFlags(pa.DataFrameModel):
    """What warning checks found about a home in the inputs of the release."""

    ccn: str = ccn_column()
    domain: str = column("Rating domain that reads the input", source="computed", isin=["staffing", "inspections", "quality"])
    measure: str = column("total_nurse, or the score that the input is for", source="computed")
    reason: str = column("Reason word", source="rules.reasons")
    evidence: str = column("What shows it", source="computed")
    first_date: dt.date = column("First day it concerns", source="computed", nullable=True)
    last_date: dt.date = column("Last day it concerns", source="computed", nullable=True)


EFFECTS = ["minimum_points", "left_out", "no_value", "one_star", "imputed", "capped", "no_star", "published_value", "flag"]


class Exclusion(pa.DataFrameModel):
    """What keeps something of a home from counting as it stands."""

    ccn: str = ccn_column()
    measure: str = column(
        "Staff group as in turnover and staffing_levels; elsewhere as in rating_components, or the star", source="computed"
    )
    exclusion: str = column("Reason word", source="rules.reasons")
    rating_measure: str = column("The measure of rating_components that it concerns", source="computed", nullable=True)
    could: str = column(
        "What its rule can do: minimum_points, left_out, no_value, one_star, imputed (the mean of the state stands for it), capped (a rule holds "
        "the star down), no_star, published_value (CMS's value or blank is used instead), or flag (it is only told)",
        source="computed", isin=EFFECTS)  # fmt: skip
    effect: str = column(
        "What it did: of several exclusions of a measure the first in rank acts, the others did none; published_value where CMS's value or blank "
        "was used instead", source="computed", isin=[*EFFECTS, "none"])  # fmt: skip
    counted: bool = column("It acted: its effect is what became of the measure or star", source="computed")
    evidence: str = column("What shows it", source="computed")
    first_date: dt.date = column("First day it concerns", source="computed", nullable=True)
    last_date: dt.date = column("Last day it concerns", source="computed", nullable=True)


@table("staffing.exclusions", key=("ccn", "measure", "exclusion"), clock="release")
class StaffingExclusions(Exclusion):
    """Exclusions and flags of the staffing rating."""


@table("inspections.exclusions", key=("ccn", "measure", "exclusion"), clock="release")
class InspectionExclusions(Exclusion):
    """What keeps citations, cycles and stars from counting as they stand."""


@table("quality.exclusions", key=("ccn", "measure", "exclusion"), clock="release")
class QualityExclusions(Exclusion):
    """What keeps quality measures and stars from counting as they stand."""


@table("quarterly.daily_differences", key=("ccn",), clock="quarter")
class DailyDifferences(pa.DataFrameModel):
    """A home whose two PBJ files of a quarter disagree."""

    ccn: str = ccn_column()
    quarter: str = column("Calendar quarter", source="CY_Qtr")
    differing_days: dt.int32 = column("Days with different hours in any nurse job code", unit="days")
    difference_hours: dt.Decimal(18, 2) = column("Sum of the differences", unit="hours")
    first_date: dt.date = column("First such day", source="WorkDate")
    last_date: dt.date = column("Last such day", source="WorkDate")


@table("audit.interval_differences", key=("measure_code",), clock="release")
class IntervalDifferences(pa.DataFrameModel):
    """A staffing period of CMS's interval file that is not the one of rules.releases."""

    measure_code: str = column("CMS's code of the measure", cms="Measure Code")
    from_date: dt.date = column("First day as CMS gives it", cms="Data Collection Period From Date")
    through_date: dt.date = column("Last day as CMS gives it", cms="Data Collection Period Through Date")
    first_day: dt.date = column("First day by rules.releases", source="rules.releases")
    last_day: dt.date = column("Last day by rules.releases", source="rules.releases")


@table("audit.replication", key=("ccn", "item"), clock="release")
class Comparison(pa.DataFrameModel):
    """Published against recomputed."""

    ccn: str = ccn_column()
    item: str = column("What is compared", source="rules.replication_items")
    published: dt.Decimal(12, 5) = column("As CMS published it", nullable=True)
    recomputed: dt.Decimal(12, 5) = column("As recomputed, at CMS's decimals", nullable=True)
    difference: dt.Decimal(12, 5) = column("Recomputed less published", nullable=True)
    agrees: str = column("yes, no, or open where printed values do not determine it; null where there is nothing to compare",
                         source="computed", nullable=True, isin=["yes", "no", "open"])  # fmt: skip
    is_own: bool = column(
        "Recomputed without a value that CMS published for it or for an input that files let us count. Not own are: what stands on published hours, "
        "turnover or cycle points, a star that a footnote alone gives, one kept from the release before, ranks among published scores, and all of "
        "--inputs published. Only in CMS's files, so no hindrance: case mix, the row NATION, quality measures, revisits, Special Focus",
        source="computed")  # fmt: skip
    reason: str = reason_column("Why they differ or cannot be compared")


@table("audit.agreement", key=("item",), clock="release")
class Agreement(pa.DataFrameModel):
    """Agreement with CMS by item."""

    item: str = column("What is compared", source="rules.replication_items")
    homes: dt.int64 = column("Homes of the provider file", unit="homes")
    compared: dt.int64 = column("Homes with both values", unit="homes")
    agree: dt.int64 = column("Of these equal within the item's tolerance", unit="homes")
    contradict: dt.int64 = column("Of these different", unit="homes")
    open: dt.int64 = column("Of these not determined by printed values", unit="homes")
    agreement_pct: dt.Decimal(9, 3) = column("Agreeing homes per 100 compared", unit="percent", nullable=True)
    own_compared: dt.int64 = column(
        "Homes compared with no published value among the inputs of the item (replication.is_own)", unit="homes"
    )
    own_agree: dt.int64 = column("Of these equal within the item's tolerance", unit="homes")
    own_contradict: dt.int64 = column("Of these different", unit="homes")
    own_open: dt.int64 = column("Of these not determined by printed values", unit="homes")
    own_agreement_pct: dt.Decimal(9, 3) = column("Agreeing homes per 100 of these", unit="percent", nullable=True)
    only_ours: dt.int64 = column("Homes with a recomputed value and none of CMS's", unit="homes")
    only_cms: dt.int64 = column("Homes with a value of CMS's and none of ours", unit="homes")


@table("vintages.moved", key=("ccn", "table_name", "measure", "item"), clock="release")
class Moved(pa.DataFrameModel):
    """A number of a home that differs from what was published before for the same release."""

    ccn: str = ccn_column()
    table_name: str = column("Published table", source="computed")
    measure: str = column("Measure as in that table; `home` in ratings", source="computed")
    item: str = column("Column of that table", source="computed")
    before: str = column("What was published before, as text; null where there was nothing", source="computed", nullable=True)
    after: str = column("What is published now, as text", source="computed", nullable=True)


@table("audit.deciles", key=("measure", "points"), clock="release")
class Deciles(pa.DataFrameModel):
    """Point ranges of the release's own distribution."""

    measure: str = column("Measure of the staffing or quality rating", source="rules")
    points: dt.int32 = column("Points of the band", unit="points")
    lower: dt.Decimal(12, 4) = column("Lowest value of the band")
    upper: dt.Decimal(12, 4) = column("Highest value of the band, null at the open end", nullable=True)
    homes: dt.int64 = column("Homes in the band", unit="homes")


@table("audit.cut_point_differences", key=("scope", "stars"), clock="release")
class CutPointDifferences(pa.DataFrameModel):
    """A state cut point of which CMS's file and the ranking of the release say different things."""

    scope: str = column("State", source="State")
    stars: dt.int8 = column("Stars", unit="stars")
    printed: str = column("CMS's range as printed", source="5 Stars and the like", nullable=True)
    printed_upper: dt.Decimal(12, 3) = column("Highest score that it allows", unit="points", nullable=True)
    recomputed_upper: dt.Decimal(12, 3) = column("Highest score by the ranking", unit="points", nullable=True)
    ranked_homes: dt.int64 = column("Homes of the state that were ranked", unit="homes", nullable=True)


@table("audit.broken_bands", key=("scope", "measure", "basis", "points"), clock="release")
class BrokenBands(pa.DataFrameModel):
    """A band of the published cut points that runs backwards or shares a value with the next one. With any nothing is published."""

    scope: str = column("nation or a state", source="published.cut_points")
    measure: str = column("Measure", source="published.cut_points")
    basis: str = column("Whose cut points", source="published.cut_points")
    points: dt.int32 = column("Points of the band", unit="points")
    lower: dt.Decimal(12, 4) = column("Lowest value of the band")
    upper: dt.Decimal(12, 4) = column("Highest value of the band, null at the open end", nullable=True)
    next_lower: dt.Decimal(12, 4) = column("Lowest value of the next band", nullable=True)


@table("audit.completeness", key=("table_name", "scope", "basis"), clock="release")
class Completeness(pa.DataFrameModel):
    """Homes that a file has of a state or of the nation, beside how many are known."""

    table_name: str = column("The file whose homes are counted", source="computed", isin=["provider_info", "pbj_daily"])
    scope: str = column("nation or a state", source="State")
    basis: str = column("What it is set against", source="rules.completeness_limits")
    homes: dt.int64 = column("Homes in the file", unit="homes")
    expected: dt.int64 = column("Homes known", unit="homes")
    expected_of: str = column("Where they are known from", source="computed")
    looks_incomplete: bool = column("Far fewer than known", source="rules.completeness_limits")
