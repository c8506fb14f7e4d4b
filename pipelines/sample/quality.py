"""What the measures of a home earn: points, domain scores, stars, and the state's means for values that are not shown (methodology 5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from pipelines.sample.measures import LONG, SHORT, Measure, Quality, stay_of
from pipelines.sample.rules import half_up, star_scores

DOMAIN_SCORE = {LONG: "long_stay_qm_score", SHORT: "short_stay_qm_score"}
OVERALL = "overall"
RATING = {OVERALL: "qm_rating", LONG: "long_stay_qm_rating", SHORT: "short_stay_qm_rating"}


def short_adjusted(points: int) -> int:
    """Short-stay points on the scale of the long ones, rounded half up."""
    return int(half_up(Fraction(points * 1150, 800), 0))


def star(domain: str, score: int, release: str) -> int:
    """Stars of a score."""
    return 1 + sum(score >= threshold for threshold in star_scores(RATING[domain], release))


def published_stars(quality: Quality, release: str) -> dict[str, int | None]:
    """CMS's stars, from the values that CMS has and does not all show; one domain alone gives its own."""
    points = {
        stay: sum(quality.measures[c].points(quality.compared(c)) for c in stay_of(quality.measures, stay))
        for stay in (LONG, SHORT)
    }
    scores = {LONG: points[LONG], SHORT: short_adjusted(points[SHORT])}
    found = {stay: star(stay, score, release) if quality.eligible(stay) else None for stay, score in scores.items()}
    both = found[LONG] is not None and found[SHORT] is not None
    overall = star(OVERALL, sum(scores.values()), release) if both else (found[LONG] or found[SHORT])
    return {OVERALL: overall, **found}


@dataclass(frozen=True)
class Component:
    """A measure as the rating must show it; a value that is not its own is the mean of its state."""

    value: Fraction | None = None
    points: int | None = None
    source: str = ""
    reason: str = ""


Means = dict[tuple[str, str], Fraction]


def means_of(homes: Iterable[tuple[str, Quality]]) -> Means:
    """Mean of the printed values of each code by state and in the nation, as it meets the bands."""
    sums: dict[tuple[str, str], tuple[Fraction, int]] = {}
    measures: dict[str, Measure] = {}
    for state, quality in homes:
        measures |= quality.measures
        for code in quality.measures:
            if quality.shown(code):
                for scope in (state, "NATION"):
                    total, count = sums.get((scope, code), (Fraction(0), 0))
                    sums[scope, code] = total + Fraction(quality.values[code][0]), count + 1
    return {(scope, code): measures[code].compared(total / count) for (scope, code), (total, count) in sums.items()}


def components(quality: Quality, state: str, means: Means) -> dict[str, Component]:
    """Every measure of a home with what it earns."""
    return {code: _component(quality, one, state, means) for code, one in quality.measures.items()}


def _component(quality: Quality, one: Measure, state: str, means: Means) -> Component:
    eligible = quality.eligible(one.stay)
    if quality.shown(one.code):
        value = quality.compared(one.code)
        return Component(value, one.points(value) if eligible else None, "published", "" if eligible else "few_measures")
    reason = "not_in_file" if one.code in quality.absent else "too_few_residents"
    mean = means.get((state, one.code), means.get(("NATION", one.code))) if eligible else None
    return Component(reason=reason) if mean is None else Component(mean, one.points(mean), "imputed", reason)


def scores(quality: Quality, found: dict[str, Component]) -> dict[str, int | None]:
    """Domain scores and their sum, None where a domain is not eligible."""
    sums: dict[str, int | None] = {}
    for stay in DOMAIN_SCORE:
        points = [found[code].points for code in stay_of(quality.measures, stay)]
        known = [p for p in points if p is not None]
        sums[stay] = sum(known) if len(known) == len(points) else None
    long, short = sums[LONG], sums[SHORT]
    adjusted = None if short is None else short_adjusted(short)
    overall = None if long is None or adjusted is None else long + adjusted
    return {DOMAIN_SCORE[LONG]: long, DOMAIN_SCORE[SHORT]: adjusted, "overall_qm_score": overall}
