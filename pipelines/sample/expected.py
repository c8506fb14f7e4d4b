"""The truth of a home as rows of `truth.csv`: table, measure, column and the value that must stand there."""

from __future__ import annotations

from collections.abc import Iterator

from pipelines.sample.home import Home
from pipelines.sample.plants import Plant
from pipelines.sample.provider import printed
from pipelines.sample.rules import ends_of
from pipelines.sample.truth import COMPONENT, LEVEL_COMPONENT, LEVELS, Truth

Row = tuple[str, str, str, str, str, str]
OF_FILES = (
    "gt_24h",
    "gt_22_5h",
    "repeated_row",
    "ccn_repaired",
    "not_in_provider_file",
    "daily_sums_differ",
)  # words that only plants say
HELD_BACK = ("2", "23", "25")  # footnotes with which CMS shows no case mix, so that nothing can be adjusted


def expected_rows(home: Home, found: Truth, release: str, why: str, plant: Plant | None) -> Iterator[Row]:
    """Rows of `truth.csv`. A blank value is null; in `exclusions` the column holds the word, and a blank measure means any."""
    ccn = home.who.ccn
    if home.in_provider_info:
        for table, measure, column, value in (
            *_turnover(home, found),
            *_levels(home, found),
            *_components(found, release),
            *_ratings(home, found),
        ):
            yield ccn, table, measure, column, value, why
    stated = set(_exclusions(home, found))
    stated |= {("", word) for word in (plant.also if plant else ()) if word in OF_FILES}
    for measure, word in sorted(stated):
        yield ccn, "exclusions", measure, word, "present", why


def _turnover(home: Home, found: Truth) -> Iterator[tuple[str, str, str, str]]:
    for measure, result in found.turnover.items():
        if len(home.absent_employee) < 6:
            yield "turnover", measure, "eligible_spells", str(result.eligible)
            yield "turnover", measure, "departures", str(result.departures)
        pct = None if measure == "administrator" else result.pct
        yield "turnover", measure, "turnover_pct", printed(pct, 3)
        yield "turnover", measure, "excluded", str(bool(result.exclusions)).lower()
        yield "turnover", measure, "exclusion", result.exclusions[0] if result.exclusions else ""


def _levels(home: Home, found: Truth) -> Iterator[tuple[str, str, str, str]]:
    """Reported hours of excluded homes are left open: whether they are shown is the product's choice. So is what 25 does."""
    for measure in LEVELS:
        word = found.level_exclusion[measure]
        if not word or word in ("missing_hours", "missing_quarter", "no_resident_days"):
            yield "staffing_levels", measure, "reported_hprd", printed(found.reported[measure], 5)
        if home.staffing_footnote not in HELD_BACK:
            if not word and measure != "weekend_rn" and not any(found.level_exclusion.values()):
                yield "staffing_levels", measure, "adjusted_hprd", printed(found.adjusted[measure], 3)
            yield "staffing_levels", measure, "excluded", str(bool(word)).lower()
            yield "staffing_levels", measure, "exclusion", word
    if found.zero_rn_days is not None:
        yield "staffing_levels", "rn", "zero_rn_days", str(found.zero_rn_days)


def _components(found: Truth, release: str) -> Iterator[tuple[str, str, str, str]]:
    """What a left-out measure's maximum says is left open."""
    for component in (*LEVEL_COMPONENT.values(), *COMPONENT.values()):
        points = found.points[component]
        yield "rating_components", component, "points", "" if points is None else str(points)
        if points is not None:
            yield "rating_components", component, "max_points", str(ends_of(release, component)[1])
        if points is not None or found.reasons[component]:
            yield "rating_components", component, "reason", found.reasons[component]


def _ratings(home: Home, found: Truth) -> Iterator[tuple[str, str, str, str]]:
    """The score behind a star that is not shown, or that a rule sets to one, is left open where there is one."""
    yield "ratings", "", "staffing_rating", "" if found.star is None else str(found.star)
    yield "ratings", "", "staffing_status", found.status
    yield "ratings", "", "staffing_reason", found.reason
    if found.status == "rated" and not found.reason:
        yield "ratings", "", "staffing_score", str(found.score)


def _exclusions(home: Home, found: Truth) -> Iterator[tuple[str, str]]:
    for measure, result in found.turnover.items():
        for word in result.exclusions if home.in_provider_info else ():
            if word == "missing_quarter" or not home.absent_employee:
                yield measure, word
    for measure, word in found.level_exclusion.items():
        if word and home.in_provider_info and word != "missing_quarter":
            yield measure, word
