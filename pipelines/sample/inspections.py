"""The inspection score of a home in plain Python, from its citations (methodology 4.1 to 4.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from pipelines.sample.rules import cycle_ages, cycle_weights
from pipelines.sample.surveys import COMPLAINT, INFECTION_CONTROL, NEAR, PAST, STANDARD, Citation, History, months_before
from pipelines.sample.tags import ABUSE, POINTS, UNSCORED, points

REVISIT_PERCENT = {0: 0, 1: 0, 2: 50, 3: 70, 4: 85}
HARM, MORE_THAN_MINIMAL = "GHIJKL", "DEFGHIJKL"


@dataclass
class Scored:
    """What a citation adds: points to a cycle, or none and the reason."""

    cycle: int = 0
    points: int = 0
    reason: str = ""
    counts: bool = False


@dataclass(frozen=True)
class Cycle:
    """A rating cycle as ProviderInfo shows it."""

    total: int
    standard: int
    complaint: int
    infection_control: int
    deficiency_score: int
    revisits: int

    @property
    def revisit_score(self) -> int:
        """Points of the revisits, rounded half up."""
        return (self.deficiency_score * REVISIT_PERCENT[self.revisits] + 50) // 100

    @property
    def score(self) -> int:
        """Points of the cycle."""
        return self.deficiency_score + self.revisit_score


def scored(citations: Sequence[Citation], release_day: date) -> list[Scored]:
    """What each citation adds, in the order given."""
    found = [_alone(one, release_day) for one in citations]
    infection = [one for one in citations if one.kind == INFECTION_CONTROL]
    for one, result in zip(citations, found, strict=True):
        if result.counts and one.kind != INFECTION_CONTROL and any(_near(one, other) for other in infection):
            _drop(result, "infection_control_counts")
    rank = [(c.letter, result.points) for c, result in zip(citations, found, strict=True)]  # R26: the letter, then the points
    for one, result in zip(citations, found, strict=True):
        if not result.counts or one.kind != COMPLAINT:
            continue
        standard = [k for k, c in enumerate(citations) if c.kind == STANDARD and found[k].counts and _near(one, c)]
        if standard:
            nearest = min(standard, key=lambda k: (abs(citations[k].day - one.day), citations[k].day))
            if (one.letter, result.points) > rank[nearest]:
                rank[nearest] = (one.letter, result.points)
                found[nearest].points, found[nearest].reason = result.points, "raised_by_complaint"
            _drop(result, "counted_once")
    return found


def _alone(one: Citation, release_day: date) -> Scored:
    """Cycle and points of a citation without regard to others."""
    if one.letter not in POINTS:
        return Scored(reason="unknown_scope_severity")
    if one.day > release_day:
        return Scored(reason="future_survey_date")
    if one.tag in UNSCORED:
        return Scored(reason="unscored_tag")
    ages = cycle_ages(f"{release_day:%Y-%m}")
    if one.kind == STANDARD:
        cycle, too_old = one.label, "older_cycle"
    else:
        cycle, too_old = 1 + sum(one.day < months_before(release_day, months) for months in ages), "too_old_survey"
    if cycle > len(ages):
        return Scored(reason=too_old)
    past = one.corrected == PAST
    word = "past_noncompliance" if past and one.letter in "JKL" else ""
    return Scored(cycle, points(one.tag, one.letter, past), word, counts=True)


def _near(one: Citation, other: Citation) -> bool:
    return one.tag == other.tag and abs((one.day - other.day).days) <= NEAR


def _drop(result: Scored, reason: str) -> None:
    result.cycle, result.points, result.reason, result.counts = 0, 0, reason, False


def cycles_of(history: History, release_day: date) -> tuple[Cycle, ...]:
    """The rating cycles from what was really cited: as many as the rules count, and as the home has had standard surveys."""
    found = list(zip(history.citations, scored(history.citations, release_day), strict=True))

    def cycle(number: int) -> Cycle:
        counted = [(one, result) for one, result in found if result.counts and result.cycle == number]
        kinds = [one.kind for one, _ in counted]
        return Cycle(
            total=len(counted),
            standard=kinds.count(STANDARD),
            complaint=sum(one.complaint and one.kind != INFECTION_CONTROL for one, _ in counted),
            infection_control=kinds.count(INFECTION_CONTROL),
            deficiency_score=sum(result.points for _, result in counted),
            revisits=history.revisits[number - 1] if counted else 0,
        )

    most = len(cycle_ages(f"{release_day:%Y-%m}"))
    surveyed = max((one.label for one in history.surveys if one.kind == STANDARD), default=0)
    return tuple(cycle(number) for number in range(1, min(most, surveyed) + 1))


def weighted(scores: Sequence[int], release: str) -> Fraction:
    """The weighted score of the cycles; a home with one is too new to have any."""
    weights = cycle_weights(release).get(len(scores), ())
    return sum((weight * score for weight, score in zip(weights, scores, strict=False)), Fraction(0))


def has_abuse_icon(citations: Sequence[Citation], release_day: date) -> bool:
    """Harm in the latest cycle, or more than minimal in the latest and in the one before (methodology 4.6)."""
    found = [one for one in citations if one.tag in ABUSE and one.day <= release_day]

    def least(letters: str, cycle: int) -> bool:
        # CMS's label is the age in years of all but standard surveys
        return any(one.letter in letters and one.label == cycle for one in found)

    return least(HARM, 1) or (least(MORE_THAN_MINIMAL, 1) and least(MORE_THAN_MINIMAL, 2))
