"""The rule tables of data/rules: CMS's constants as dated rows with their source."""

from __future__ import annotations

import ibis.expr.datatypes as dt
import pandera.ibis as pa

from schemas.base import column, table

MONTH = "release month, inclusive; empty means still in force"


@table("rules.releases", key=("release",), clock="none")
class Releases(pa.DataFrameModel):
    """Each release's staffing quarter and its six turnover quarters (methodology 2.1)."""

    release: str = column("Care Compare release")
    staffing_quarter: str = column("Quarter of the staffing levels")
    q0: str = column("Baseline quarter of the turnover window")
    q1: str = column("First quarter of the twelve months")
    q2: str = column("Second quarter of the twelve months")
    q3: str = column("Third quarter of the twelve months")
    q4: str = column("Fourth quarter of the twelve months")
    q5: str = column("Look-ahead quarter")
    basis: str = column("How it is known", isin=["interval_file", "by_rule", "never_made"])
    archive: str = column(
        "What CMS's archive has of the month: a zip of its own, a zip of its name with the rows of the month before, none, or not known yet",
        isin=["own", "month_before", "none", "not_seen"])  # fmt: skip
    source: str = column("Where the row comes from")


@table("rules.special_periods", key=("period",), clock="none")
class SpecialPeriods(pa.DataFrameModel):
    """Releases and quarters that are not like the others: frozen levels, waived quarters, releases that were never made."""

    period: str = column("Release or quarter")
    kind: str = column(
        "What is special", isin=["frozen_levels", "never_made", "waived_quarter", "incomplete_quarter", "never_shown"]
    )
    note: str = column("What it means, in a sentence")
    source: str = column("Where the row comes from")


@table("rules.job_codes", key=("job_code",), clock="none")
class JobCodes(pa.DataFrameModel):
    """PBJ job codes and the staff groups they belong to (methodology 1.1)."""

    job_code: dt.int8 = column("PBJ job code")
    title: str = column("CMS's title")
    staff_group: str = column("Five-Star staff group", nullable=True)
    in_total_nurse: bool = column("Counts as nurse")
    in_rn: bool = column("Counts as RN")
    in_administrator: bool = column("Counts as administrator")
    source: str = column("Where the row comes from")


@table("rules.turnover_definitions", key=("definition", "effective_from"), clock="none")
class TurnoverDefinitions(pa.DataFrameModel):
    """Readings of the turnover rule: `cms` is the default of the rulings R1-R8 and R24, the others run beside it."""

    definition: str = column("Name of the reading")
    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    gap_days: dt.int32 = column("Whole days without work that end a spell (R1)", unit="days")
    gap_test: str = column("Whether exactly that many days end it (R1)", isin=["at_least", "more_than"])
    day_basis: str = column("Job codes that make a day worked (R2)", isin=["own", "any"])
    hours_basis: str = column("Job codes whose hours count toward eligibility (R3)", isin=["own", "any"])
    eligibility_period: str = column("Where the 90 days may begin (R4)", isin=["first_workday", "any_workday"])
    hours_scope: str = column("Hours of the 90 days after a gap: all, or of this spell only (R24)", isin=["all", "spell"])
    hours_needed: dt.Decimal(9, 2) = column("Hours that make a spell eligible", unit="hours")
    hours_window_days: dt.int32 = column("Days in which they must be worked", unit="days")
    starts_through: str = column("Last quarter of the window in which a counted spell may begin (R5)")
    ended_in_q0: str = column("An eligible spell that ended in Q0 (R6)", isin=["left_out", "in_denominator"])
    departure_test: str = column("The date that must fall in Q1..Q4 (R7)", isin=["last_workday", "first_day_off"])
    source: str = column("Where the row comes from")


@table("rules.staffing_cut_points", key=("effective_from", "measure", "points"), clock="none")
class StaffingCutPoints(pa.DataFrameModel):
    """Points of the six staffing measures (methodology 3.1)."""

    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    last_seen: str = column("Last release for which CMS's guide is known to say so; later ones carry it forward")
    measure: str = column("Staffing measure")
    points: dt.int32 = column("Points of the band", unit="points")
    lower: dt.Decimal(9, 3) = column("Lowest value of the band")
    upper: dt.Decimal(9, 3) = column("Highest value of the band, empty at the open end", nullable=True)
    source: str = column("Where the row comes from")


@table("rules.star_thresholds", key=("rating", "effective_from", "stars"), clock="none")
class StarThresholds(pa.DataFrameModel):
    """Scores that earn a star (methodology 3.1)."""

    rating: str = column("Which star")
    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    stars: dt.int8 = column("Stars", unit="stars")
    lower: dt.int32 = column("Lowest score of the star", unit="points")
    source: str = column("Where the row comes from")


@table("rules.health_weights", key=("effective_from", "cycles", "cycle"), clock="none")
class HealthWeights(pa.DataFrameModel):
    """What a rating cycle weighs in the inspection score (methodology 4.3; R13)."""

    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    cycles: dt.int32 = column("Cycles that the home has", unit="cycles")
    cycle: dt.int32 = column("The cycle, 1 being the latest")
    sixtieths: dt.int32 = column("Its weight in sixtieths", unit="1/60")
    source: str = column("Where the row comes from")


@table("rules.health_shares", key=("effective_from", "stars"), clock="none")
class HealthShares(pa.DataFrameModel):
    """Which share of a state's homes, the best first, has at least so many inspection stars (methodology 4.5; R14)."""

    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    stars: dt.int8 = column("Stars", unit="stars")
    thirtieths: dt.int32 = column("The share in thirtieths", unit="1/30")
    source: str = column("Where the row comes from")


@table("rules.health_points", key=("scope_severity", "effective_from"), clock="none")
class HealthPoints(pa.DataFrameModel):
    """Points of a citation by its letter (methodology 4.1)."""

    scope_severity: str = column("Scope and severity")
    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    points: dt.int32 = column("Points", unit="points")
    points_substandard: dt.int32 = column("Points where it is substandard quality of care", unit="points")
    points_past: dt.int32 = column(
        "Points of past non-compliance, whatever the tag, where it has some of its own", unit="points", nullable=True
    )
    source: str = column("Where the row comes from")


@table("rules.health_tags", key=("role", "tag", "effective_from"), clock="none")
class HealthTags(pa.DataFrameModel):
    """Tags that are treated in a way of their own (methodology 4.1, 4.6)."""

    tag: str = column("Prefix and number")
    role: str = column("substandard quality of care, not scored, or abuse", isin=["substandard", "unscored", "abuse"])
    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    certainty: str = column("confirmed by a source or by published scores, or derived", isin=["confirmed", "derived"])
    source: str = column("Where the row comes from")


@table("rules.health_windows", key=("effective_from", "cycle"), clock="none")
class HealthWindows(pa.DataFrameModel):
    """The age of complaint and infection-control surveys that count in a rating cycle (methodology 4.3; R13)."""

    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    cycle: dt.int32 = column("The cycle, 1 being the latest")
    from_months: dt.int32 = column("More months before the first day of the release than this; 0 sets no limit", unit="months")
    to_months: dt.int32 = column("And at most so many", unit="months")
    source: str = column("Where the row comes from")


@table("rules.revisit_points", key=("revisits", "effective_from"), clock="none")
class RevisitPoints(pa.DataFrameModel):
    """What revisits add to the points of a cycle (methodology 4.2)."""

    revisits: dt.int32 = column("Revisits of the cycle; more than the most here count like the most", unit="revisits")
    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    percent: dt.int32 = column("Percent of the cycle's points", unit="percent")
    source: str = column("Where the row comes from")


@table("rules.abuse_rules", key=("rule", "effective_from"), clock="none")
class AbuseRules(pa.DataFrameModel):
    """When a home has the abuse icon (methodology 4.6)."""

    rule: str = column("One harmful citation, or repeated ones", isin=["harm", "repeated"])
    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    least_letter: str = column("Least scope and severity")
    months: dt.int32 = column("Age of surveys other than standard ones", unit="months")
    source: str = column("Where the row comes from")


@table("rules.quality_measures", key=("measure", "effective_from"), clock="none")
class QualityMeasures(pa.DataFrameModel):
    """The measures of the quality rating and where CMS shows them (methodology 5.1, 5.2)."""

    measure: str = column("CMS's code")
    stay: str = column("Long or short stay", isin=["long", "short"])
    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    source_table: str = column("Staged table it is in", isin=["qm_mds", "qm_claims", "snf_qrp"])
    code_like: str = column("Code of its row in the file, % for what changes with the version")
    divide_by: dt.int32 = column("100 where CMS shows percent and the point ranges are proportions")
    bands: dt.int32 = column("Point ranges: ten, or five", unit="bands")
    zero_is_best: bool = column("Zero is a band of its own and earns the most points")
    title: str = column("What it measures")
    source: str = column("Where the row comes from")


@table("rules.quality_cut_points", key=("measure", "effective_from", "points"), clock="none")
class QualityCutPoints(pa.DataFrameModel):
    """Points of the quality measures (methodology 5.5; R20)."""

    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    last_seen: str = column("Last release for which a guide is known to say so; later ones carry it forward")
    measure: str = column("CMS's code")
    points: dt.int32 = column("Points of the band", unit="points")
    lower: dt.Decimal(9, 4) = column("Lowest value of the band: a proportion, or per 1,000 days")
    upper: dt.Decimal(9, 4) = column("Highest value of the band")
    source: str = column("Where the row comes from")


@table("rules.quality_limits", key=("stay", "effective_from"), clock="none")
class QualityLimits(pa.DataFrameModel):
    """When a stay is scored, and to what its points are scaled (methodology 5.3, 5.4)."""

    stay: str = column("Long or short stay", isin=["long", "short"])
    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    least_measures: dt.int32 = column("Measures with a value of the home's own that are needed", unit="measures")
    scale_to: dt.int32 = column("Points are multiplied by this", unit="points")
    scale_from: dt.int32 = column("And divided by this", unit="points")
    source: str = column("Where the row comes from")


@table("rules.rating_limits", key=("rule", "effective_from"), clock="none")
class RatingLimits(pa.DataFrameModel):
    """Limits in the rules of inspections and the overall star (methodology 4.5, 4.6, 6)."""

    rule: str = column("What the limit is for")
    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    value: dt.int32 = column("The limit")
    unit: str = column("Its unit")
    source: str = column("Where the row comes from")


@table("rules.overall_steps", key=("domain", "stars", "effective_from"), clock="none")
class OverallSteps(pa.DataFrameModel):
    """What the stars of a domain add to the overall star, or take from it (methodology 6)."""

    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    domain: str = column("Rating domain", isin=["staffing", "quality"])
    stars: dt.int8 = column("Stars of the domain", unit="stars")
    must_exceed_health: bool = column("Only where they are more than the stars for inspections")
    change: dt.int32 = column("What they change", unit="stars")
    source: str = column("Where the row comes from")


@table("rules.staffing_limits", key=("rule", "effective_from"), clock="none")
class StaffingLimits(pa.DataFrameModel):
    """Limits in the staffing rules that are no cut points (methodology 1.4, 2.8, 3.4)."""

    rule: str = column("What the limit is for; the exclusion of that name where there is one")
    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    value: dt.Decimal(9, 2) = column("The limit")
    unit: str = column("Its unit")
    source: str = column("Where the row comes from")


@table("rules.administrator_limits", key=("effective_from",), clock="none")
class AdministratorLimits(pa.DataFrameModel):
    """When a home has too many administrators for the measure (methodology 2.8)."""

    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    people: dt.int32 = column("Different people with administrator hours on one day", unit="people")
    days: dt.int32 = column("Such days", unit="days")
    span: str = column("Counted within", isin=["eligibility_quarters", "single_quarter"])
    source: str = column("Where the row comes from")


@table("rules.exclusion_effects", key=("exclusion", "measure", "effective_from"), clock="none")
class ExclusionEffects(pa.DataFrameModel):
    """What an exclusion does to the points of a turnover measure (methodology 2.9; R17, R18, R22, R25)."""

    exclusion: str = column("Exclusion, or what is seen in a published file")
    measure: str = column("Staffing measure")
    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    effect: str = column("What happens to the points", isin=["minimum_points", "left_out"])
    source: str = column("Where the row comes from")


@table("rules.case_mix_methods", key=("measure", "effective_from"), clock="none")
class CaseMixMethods(pa.DataFrameModel):
    """Which case-mix column adjusts which level (methodology 1.5, 1.6)."""

    measure: str = column("Staffing level")
    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    case_mix_measure: str = column("Level whose case-mix column adjusts it")
    source: str = column("Where the row comes from")


@table("rules.footnotes", key=("footnote",), clock="none")
class Footnotes(pa.DataFrameModel):
    """CMS's footnote codes and what they mean for a rating."""

    footnote: str = column("CMS's code")
    reason: str = column("Our word for it", nullable=True)
    forces_one_staffing_star: bool = column("The staffing star is one (methodology 3.4)")
    meaning: str = column("What CMS says, in our words")
    source: str = column("Where the row comes from")


@table("rules.special_focus", key=("text", "effective_from"), clock="none")
class SpecialFocus(pa.DataFrameModel):
    """What CMS's text on Special Focus says (methodology 4.7): compared without capitals and outer spaces."""

    text: str = column("The text")
    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    meaning: str = column("Special Focus Facility, or candidate", isin=["facility", "candidate"])
    source: str = column("Where the row comes from")


@table("rules.nation_counts", key=("release",), clock="none")
class NationCounts(pa.DataFrameModel):
    """How many homes the provider file of a release was seen to have (methodology 8.4)."""

    release: str = column("Care Compare release")
    homes: dt.int32 = column("Homes", unit="homes")
    source: str = column("Where the row comes from")


@table("rules.completeness_limits", key=("basis", "effective_from"), clock="none")
class CompletenessLimits(pa.DataFrameModel):
    """When a file has so few homes of a state or of the nation that it looks incomplete."""

    basis: str = column(
        "What its homes are set against", isin=["nation_count", "previous_release", "daily_file", "provider_file"]
    )
    effective_from: str = column(f"First {MONTH}")
    effective_to: str = column(f"Last {MONTH}", nullable=True)
    least_pct: dt.int32 = column("Fewer are told", unit="percent")
    unnoticed_homes: dt.int32 = column("But not where no more than so many are missing", unit="homes")
    source: str = column("Where the row comes from")


@table("rules.reasons", key=("reason",), clock="none")
class Reasons(pa.DataFrameModel):
    """Every reason word with its meaning, and the order in which exclusions apply."""

    reason: str = column("The word")
    rank: dt.int32 = column("Of several exclusions the lowest rank is named first")
    published_stands_in: bool = column("CMS's published value is used in its place under --inputs best", nullable=True)
    meaning: str = column("What it says")


@table("rules.published_fractions", key=("measure",), clock="none")
class PublishedFractions(pa.DataFrameModel):
    """Denominators considered behind a turnover printed with one decimal (R19)."""

    measure: str = column("Staffing measure")
    lowest_denominator: dt.int32 = column("Smallest number of eligible spells considered", unit="spells")
    highest_denominator: dt.int32 = column("Largest number of eligible spells considered", unit="spells")
    source: str = column("Where the row comes from")


@table("rules.rulesets", key=("domain", "effective_from"), clock="none")
class Rulesets(pa.DataFrameModel):
    """Releases at which the rules of a domain changed."""

    domain: str = column("Rating domain")
    effective_from: str = column("First release under the changed rules")
    change: str = column("What changed")
    source: str = column("Where the row comes from")


@table("rules.replication_items", key=("item",), clock="none")
class ReplicationItems(pa.DataFrameModel):
    """How near a recomputed value must be to the published one to agree."""

    item: str = column("Item of the comparison")
    domain: str = column("Rating domain", isin=["staffing", "inspections", "quality", "overall"])
    input_of: str = column("Item that is made from it: where this one parts from CMS, that one may", nullable=True)
    decimals: dt.int8 = column("Decimals that CMS prints", unit="decimals")
    tolerance: dt.Decimal(9, 5) = column("Largest difference that agrees, in the item's unit")
    why: str = column("Why this tolerance")


@table("rules.checks", key=("check_name", "checks_table"), clock="none")
class Checks(pa.DataFrameModel):
    """Cross-row checks: a SELECT of sql/checks returns the offenders."""

    check_name: str = column("Name of the check; of a warning it is the reason word")
    checks_table: str = column("Table it is run for")
    made_by: str = column("File of sql/checks")
    severity: str = column("error refuses the table, warn becomes reason rows", isin=["error", "warn"])
    over_hours: dt.Decimal(9, 2) = column("Offends above so many hours", unit="hours", nullable=True)
    up_to_hours: dt.Decimal(9, 2) = column("And up to so many", unit="hours", nullable=True)
    todo: str = column("What a person can do about it")


@table("rules.known_codes", key=("list_name", "code"), clock="none")
class KnownCodes(pa.DataFrameModel):
    """Codes of CMS's files that no other rule table has, in lists; what no list of its column has is told after a run."""

    list_name: str = column("Which list; `blank` holds the words that mean a blank cell")
    code: str = column("The code, capitals apart; # is any digit, % any text")
    stands_for: str = column("The code as CMS writes it, where this is another spelling of it", nullable=True)
    meaning: str = column("What it means")
    source: str = column("Where the row comes from")
