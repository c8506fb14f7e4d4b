"""What the measures of a home earn: points, domain scores, stars, and the state's means for values that are not shown (methodology 5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from pipelines.sample.measures import LONG, MEASURES, SHORT, STAY, Measure, Quality
from pipelines.sample.truth import half_up

DOMAIN_SCORE = {LONG: "long_stay_qm_score", SHORT: "short_stay_qm_score"}
STARS = {
    "overall": (928, 1121, 1300, 1494),
    LONG: (466, 566, 641, 736),
    SHORT: (439, 526, 626, 720),
}


def short_adjusted(points: int) -> int:
    """Short-stay points on the scale of the long ones, rounded half up."""
    return int(half_up(Fraction(points * 1150, 800), 0))


def star(domain: str, score: int) -> int:
    """Stars of a score since July 2026."""
    return 1 + sum(score >= threshold for threshold in STARS[domain])


def published_stars(quality: Quality) -> dict[str, int | None]:
    """CMS's stars, from the values that CMS has and does not all show; one domain alone gives its own."""
    points = {stay: sum(MEASURES[c].points(quality.compared(c)) for c in STAY[stay]) for stay in STAY}
    scores = {LONG: points[LONG], SHORT: short_adjusted(points[SHORT])}
    found = {stay: star(stay, scores[stay]) if quality.eligible(stay) else None for stay in STAY}
    both = found[LONG] is not None and found[SHORT] is not None
    overall = star("overall", scores[LONG] + scores[SHORT]) if both else (found[LONG] or found[SHORT])
    return {"overall": overall, **found}


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
    for state, quality in homes:
        for code in MEASURES:
            if quality.shown(code):
                for scope in (state, "NATION"):
                    total, count = sums.get((scope, code), (Fraction(0), 0))
                    sums[scope, code] = total + Fraction(quality.values[code][0]), count + 1
    return {(scope, code): MEASURES[code].compared(total / count) for (scope, code), (total, count) in sums.items()}


def components(quality: Quality, state: str, means: Means) -> dict[str, Component]:
    """Every measure of a home with what it earns."""
    return {code: _component(quality, MEASURES[code], state, means) for code in MEASURES}


def _component(quality: Quality, one: Measure, state: str, means: Means) -> Component:
    eligible = quality.eligible(one.stay)
    if quality.shown(one.code):
        value = quality.compared(one.code)
        return Component(value, one.points(value) if eligible else None, "published", "" if eligible else "few_measures")
    reason = "not_in_file" if one.code in quality.absent else "too_few_residents"
    mean = means.get((state, one.code), means.get(("NATION", one.code))) if eligible else None
    return Component(reason=reason) if mean is None else Component(mean, one.points(mean), "imputed", reason)


def scores(found: dict[str, Component]) -> dict[str, int | None]:
    """Domain scores and their sum, None where a domain is not eligible."""
    sums: dict[str, int | None] = {}
    for stay, codes in STAY.items():
        points = [found[code].points for code in codes]
        known = [p for p in points if p is not None]
        sums[stay] = sum(known) if len(known) == len(points) else None
    long, short = sums[LONG], sums[SHORT]
    adjusted = None if short is None else short_adjusted(short)
    overall = None if long is None or adjusted is None else long + adjusted
    return {DOMAIN_SCORE[LONG]: long, DOMAIN_SCORE[SHORT]: adjusted, "overall_qm_score": overall}
