"""The surveys of a home and what they cite; drawn from the seed and the home's number only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from pipelines.sample.tags import TAGS

STANDARD, COMPLAINT, INFECTION_CONTROL = "standard", "complaint", "infection_control"
DATED, PLANNED, PAST = (
    "Deficient, Provider has date of correction",
    "Deficient, Provider has plan of correction",
    "Past Non-Compliance",
)
NO_REVISIT, NO_REVISIT_SINCE = "No revisit needed", date(2025, 10, 1)  # of letters that say of no harm
NEAR = 15  # days within which a tag cited twice counts once
FEW_DAYS = 45  # from a survey to the release, within which only a plan of correction is there
MONTHS_SEEN = 40  # in which complaint and infection-control surveys are drawn
_LETTERS = tuple("BCDEFGHIJKL")
_CHANCES = (0.02, 0.03, 0.62, 0.17, 0.11, 0.031, 0.003, 0.002, 0.008, 0.004, 0.002)
_NAMES = tuple(TAGS)
_WEIGHTS = np.array([tag.weight for tag in TAGS.values()]) / sum(tag.weight for tag in TAGS.values())


@dataclass(frozen=True, slots=True)
class Survey:
    """One visit; `label` is the cycle that CMS's files give it."""

    day: date
    kind: str
    label: int


@dataclass(frozen=True, slots=True)
class Citation:
    """One deficiency; `label` and the flags as CMS's citation file has them."""

    day: date
    tag: str
    letter: str
    label: int
    corrected: str
    corrected_on: date
    standard: bool
    complaint: bool
    infection_control: bool

    @property
    def kind(self) -> str:
        """What the citation counts as: the standard flag goes before infection control, that before complaint."""
        if self.standard:
            return STANDARD
        return INFECTION_CONTROL if self.infection_control else COMPLAINT


@dataclass(frozen=True)
class History:
    """What was found in a home, and where CMS's files say something else.

    `printed` is the citation file where it differs, `unusable` the word for why nothing can be computed from it, `extra` points that
    CMS's first cycle has beyond the citations. `revisits` are those of each cycle, of no effect where nothing was cited.
    """

    surveys: tuple[Survey, ...]
    citations: tuple[Citation, ...]
    revisits: tuple[int, ...] = (1, 1, 1)
    fire: tuple[int, ...] = (0, 0, 0)  # fire safety deficiencies of the three standard surveys
    printed: tuple[Citation, ...] | None = None
    unusable: str = ""
    extra: int = 0

    @property
    def in_file(self) -> tuple[Citation, ...]:
        """What the citation file holds."""
        return self.citations if self.printed is None else self.printed


def months_before(day: date, months: int) -> date:
    """The same day so many months earlier; `day` is the first of a month."""
    whole = day.year * 12 + day.month - 1 - months
    return date(whole // 12, whole % 12 + 1, day.day)


def age_label(day: date, release_day: date) -> int:
    """CMS's cycle label of a survey that is not a standard one: its age in years, three at most."""
    return 1 + sum(day < months_before(release_day, months) for months in (12, 24))


def cited(
    survey: Survey, tag: str, letter: str, corrected: str = DATED, also_complaint: bool = False, after: int = 35
) -> Citation:
    """A citation of a survey, corrected so many days after it or, past non-compliance, before it."""
    on = survey.day + timedelta(days=-after if corrected == PAST else after)
    complaint = also_complaint or survey.kind == COMPLAINT
    standard, infection = survey.kind == STANDARD, survey.kind == INFECTION_CONTROL
    return Citation(survey.day, tag, letter, survey.label, corrected, on, standard, complaint, infection)


def in_order(surveys: Iterable[Survey], citations: Iterable[Citation]) -> tuple[tuple[Survey, ...], tuple[Citation, ...]]:
    """Both in the order of CMS's files: cycle, day, tag."""
    return (
        tuple(sorted(surveys, key=lambda one: (one.label, one.day, one.kind))),
        tuple(sorted(citations, key=lambda one: (one.label, one.day, one.tag, one.kind))),
    )


def draw(release_day: date, rng: np.random.Generator, standard: int = 3) -> History:
    """Standard surveys, up to four complaint surveys and sometimes one of infection control.

    A home with two standard surveys is too new to have had any other before them.
    """
    level = rng.gamma(4.0, 0.25)
    surveys = list(_standard(release_day, rng))
    surveys += _others(release_day, surveys[2].day, rng)
    citations = [one for survey in surveys for one in _citations(survey, level, release_day, rng)]
    revisits = tuple(int(n) for n in rng.choice(4, size=3, p=(0.92, 0.06, 0.015, 0.005)) + 1)
    fire = tuple(int(n) for n in rng.poisson(3.0, size=3))
    surveys, citations = [s for s in surveys if s.label <= standard], [c for c in citations if c.label <= standard]
    return History(*in_order(surveys, citations), revisits=revisits, fire=fire)


def _standard(release_day: date, rng: np.random.Generator) -> Iterator[Survey]:
    day = release_day - timedelta(days=int(rng.integers(30, 425)))
    for label in (1, 2, 3):
        yield Survey(day, STANDARD, label)
        day -= timedelta(days=int(rng.integers(305, 456)))


def _others(release_day: date, oldest: date, rng: np.random.Generator) -> Iterator[Survey]:
    """Never where readings of the rules differ: beside the third standard survey or the end of the thirty-six months."""
    days = (release_day - months_before(release_day, MONTHS_SEEN)).days
    kinds = [COMPLAINT] * min(4, int(rng.poisson(1.6))) + [INFECTION_CONTROL] * int(rng.random() < 0.35)
    ends = (oldest, months_before(release_day, 36))
    for kind, back in zip(kinds, rng.choice(np.arange(5, days), size=len(kinds), replace=False), strict=True):
        day = release_day - timedelta(days=int(back))
        if all(abs((day - end).days) > NEAR for end in ends):
            yield Survey(day, kind, age_label(day, release_day))


def _citations(survey: Survey, level: float, release_day: date, rng: np.random.Generator) -> Iterator[Citation]:
    if survey.kind == INFECTION_CONTROL:
        tags = ["F880"] if rng.random() < 0.7 else []
    else:
        count = rng.poisson(7.0 * level) if survey.kind == STANDARD else rng.integers(0, 4)
        tags = [_NAMES[n] for n in rng.choice(len(_NAMES), size=min(int(count), 15), replace=False, p=_WEIGHTS)]
    letters = rng.choice(_LETTERS, size=len(tags), p=_CHANCES).tolist()
    also = rng.random(len(tags)) < (0.12 if survey.kind == STANDARD else 0.6)
    past = rng.random(len(tags)) < np.where([letter in "JKL" for letter in letters], 0.4, 0.01)
    later = rng.integers(20, 60, size=len(tags)).tolist()
    usual = PLANNED if (release_day - survey.day).days < FEW_DAYS else DATED
    for k, tag in enumerate(tags):
        spared = letters[k] in "BC" and release_day >= NO_REVISIT_SINCE
        corrected = PAST if past[k] else NO_REVISIT if spared else usual
        yield cited(survey, tag, letters[k], corrected, bool(also[k]), later[k])
