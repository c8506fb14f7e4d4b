"""The truth of inspections, quality measures and stars as rows of `truth.csv`: what needs the whole nation."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from pipelines.sample.expected import Row
from pipelines.sample.inspections import scored
from pipelines.sample.measure_files import UNKNOWN
from pipelines.sample.measures import LONG, SHORT
from pipelines.sample.plants import Plant
from pipelines.sample.provider import Listing, printed
from pipelines.sample.quality import DOMAIN_SCORE, RATING, Means, components, scores

Cell = tuple[str, str, str, str]  # table, measure, column, expected


def rated_rows(home: Listing, means: Means, release_day: date, why: str, plant: Plant | None) -> Iterator[Row]:
    """Rows of a home that ProviderInfo has; citations one by one of the homes that are planted for them."""
    if not home.listed:
        return
    cells = [*_inspections(home), *_measures(home, means), *_ratings(home), *_exclusions(home)]
    if plant and plant.inspected:
        cells += _citations(home, release_day)
    for table, measure, column, value in cells:
        yield home.ccn, table, measure, column, value, why


def _text(value: int | None) -> str:
    return "" if value is None else str(value)


def _inspections(home: Listing) -> Iterator[Cell]:
    """True scores; where citations cannot be used these are CMS's."""
    for number, cycle in enumerate(home.cycles, 1):
        yield "rating_components", f"cycle_{number}_score", "value", str(cycle.score)
        source = "published" if home.history.unusable else "recomputed"
        yield "rating_components", f"cycle_{number}_score", "value_source", source
    yield "rating_components", "weighted_score", "value", printed(home.score, 3)


def _citations(home: Listing, release_day: date) -> Iterator[Cell]:
    """What each row of the citation file adds."""
    for one, result in zip(home.history.in_file, scored(home.history.in_file, release_day), strict=True):
        measure = f"{one.day.isoformat()} {one.tag} {one.kind}"
        yield "citations", measure, "points", str(result.points)
        yield "citations", measure, "reason", result.reason


def _measures(home: Listing, means: Means) -> Iterator[Cell]:
    found = components(home.quality, home.state, means)
    for code, one in found.items():
        yield "rating_components", code, "value", printed(one.value, 4)
        yield "rating_components", code, "points", _text(one.points)
        yield "rating_components", code, "max_points", "" if one.points is None else str(home.quality.measures[code].most)
        yield "rating_components", code, "value_source", one.source
        yield "rating_components", code, "reason", one.reason
    for measure, score in scores(home.quality, found).items():
        yield "rating_components", measure, "value", _text(score)


def _ratings(home: Listing) -> Iterator[Cell]:
    """Stars of quality measures are CMS's: it has the values that it does not show."""
    yield "ratings", "", "health_inspection_rating", _text(home.health)
    yield "ratings", "", "overall_rating", _text(home.overall)
    for rating, name in zip(RATING.values(), ("QM", "Long-Stay QM", "Short-Stay QM"), strict=True):
        yield "ratings", "", rating, home.row.get(f"{name} Rating", "")
    yield "ratings", "", "has_abuse_icon", str(home.abuse_icon).lower()


def _exclusions(home: Listing) -> Iterator[Cell]:
    words = [("", home.history.unusable)] if home.history.unusable else []
    words += [("", "abuse_icon")] if home.held else []
    words += [(code, "too_few_residents") for code in home.quality.measures if code in home.quality.blank]
    words += [(DOMAIN_SCORE[stay], "few_measures") for stay in (LONG, SHORT) if not home.quality.eligible(stay)]
    words += [(UNKNOWN, "unknown_measure")] if home.quality.unknown else []
    for measure, word in words:
        yield "exclusions", measure, word, "present"
