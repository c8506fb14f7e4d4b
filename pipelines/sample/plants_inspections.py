"""The planted homes of the inspections; points and reasons are by hand, dates those of July 2026."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

from pipelines.sample.plants import USUAL, Plant
from pipelines.sample.surveys import (
    COMPLAINT,
    DATED,
    INFECTION_CONTROL,
    PAST,
    STANDARD,
    Citation,
    History,
    Survey,
    age_label,
    cited,
    in_order,
    months_before,
)

Inspected = Callable[[date], History]
When = Callable[[date], date]  # a day, given the release day
Found = tuple[str, When, str]  # kind, day, "F689 D"


def _ago(days: int) -> When:
    return lambda release_day: release_day - timedelta(days=days)


def _months(months: int, older: int = 0) -> When:
    return lambda release_day: months_before(release_day, months) - timedelta(days=older)


FIRST, SECOND, THIRD = _ago(240), _ago(620), _ago(1000)  # the standard surveys: 2025-11-03, 2024-10-19 and 2023-10-05


def _surveyed(*found: Found, corrected: str = DATED, revisits: tuple[int, ...] = (1, 1, 1)) -> Inspected:
    """Three standard surveys and the others that are named, with what they cite."""

    def inspected(release_day: date) -> History:
        surveys = {(STANDARD, day(release_day)): label for day, label in ((FIRST, 1), (SECOND, 2), (THIRD, 3))}
        for kind, when, _ in found:
            surveys.setdefault((kind, when(release_day)), age_label(when(release_day), release_day))
        visits = {key: Survey(key[1], key[0], label) for key, label in surveys.items()}
        citations = [cited(visits[kind, when(release_day)], what[:4], what[5:], corrected) for kind, when, what in found]
        return History(*in_order(visits.values(), citations), revisits=revisits)

    return inspected


CLEAN = _surveyed()


def _printed(inspected: Inspected, word: str, change: Callable[[tuple[Citation, ...], date], tuple[Citation, ...]]) -> Inspected:
    """The citation file says something else, so that CMS's scores stand."""

    def changed(release_day: date) -> History:
        history = inspected(release_day)
        return replace(history, printed=change(history.citations, release_day), unusable=word)

    return changed


def _unknown_letter(citations: tuple[Citation, ...], _: date) -> tuple[Citation, ...]:
    return tuple(replace(one, letter="Z") if one.tag == "F812" else one for one in citations)


def _after_release(citations: tuple[Citation, ...], release_day: date) -> tuple[Citation, ...]:
    visit = Survey(release_day + timedelta(days=19), COMPLAINT, 1)
    return (cited(visit, "F684", "G"), *citations)


def _with_extra(inspected: Inspected, points: int) -> Inspected:
    return lambda release_day: replace(inspected(release_day), extra=points)


def one_survey(release_day: date) -> History:
    """One standard survey with one citation."""
    visit = Survey(FIRST(release_day), STANDARD, 1)
    return History((visit,), (cited(visit, "F812", "E"),))


def _plant(
    key: str,
    state: str,
    rule: str,
    note: str,
    inspected: Inspected,
    cycles: tuple[int, int],
    by_hand: dict[str, tuple[int, str]] | None = None,
) -> Plant:
    name = f"PLANT {key.replace('_', ' ').upper()} HOME"
    return Plant(key, name, state, rule, note, counts=USUAL, inspected=inspected, cycles=cycles, cited=by_hand or {})


INSPECTIONS = (
    _plant("counted_once", "CA", "4.4", "F689 D at the standard survey and G by a complaint ten days later: 20 points once",
           _surveyed((STANDARD, FIRST, "F689 D"), (COMPLAINT, _ago(230), "F689 G")), (20, 0), {
               "2025-11-03 F689 standard": (20, "raised_by_complaint"),
               "2025-11-13 F689 complaint": (0, "counted_once")}),
    _plant("sixteen_days", "TX", "4.4", "The same sixteen days apart: 4 and 20 points",
           _surveyed((STANDARD, FIRST, "F689 D"), (COMPLAINT, _ago(224), "F689 G")), (24, 0), {
               "2025-11-03 F689 standard": (4, ""),
               "2025-11-19 F689 complaint": (20, "")}),
    _plant("infection_counts", "OH", "4.4", "F880 F at the standard survey and D by infection control within 15 days: only the latter",
           _surveyed((STANDARD, FIRST, "F880 F"), (INFECTION_CONTROL, _ago(225), "F880 D")), (4, 0), {
               "2025-11-03 F880 standard": (0, "infection_control_counts"),
               "2025-11-18 F880 infection_control": (4, "")}),
    _plant("infection_twice", "FL", "4.4", "Two infection-control citations of a tag five days apart: both count",
           _surveyed((INFECTION_CONTROL, _ago(100), "F880 D"), (INFECTION_CONTROL, _ago(95), "F880 D")), (8, 0), {
               "2026-03-23 F880 infection_control": (4, ""),
               "2026-03-28 F880 infection_control": (4, "")}),
    _plant("substandard", "IL", "4.1", "J on a tag of substandard quality of care is 75, on another 50 points",
           _surveyed((COMPLAINT, _ago(100), "F600 J"), (COMPLAINT, _ago(100), "F812 J")), (125, 0), {
               "2026-03-23 F600 complaint": (75, ""),
               "2026-03-23 F812 complaint": (50, "")}),
    _plant("past_noncompliance", "PA", "4.1", "J of past non-compliance: 20 points",
           _surveyed((STANDARD, FIRST, "F689 J"), corrected=PAST), (20, 0), {
               "2025-11-03 F689 standard": (20, "past_noncompliance")}),
    _plant("unscored_tags", "NY", "4.1", "F731 and F884 are never scored",
           _surveyed((STANDARD, FIRST, "F884 F"), (STANDARD, FIRST, "F731 D")), (0, 0), {
               "2025-11-03 F884 standard": (0, "unscored_tag"),
               "2025-11-03 F731 standard": (0, "unscored_tag")}),
    _plant("revisits_2", "TX", "4.2", "Two revisits: half of 35 points, 17.5, is 18",
           _surveyed((STANDARD, FIRST, "F812 H"), revisits=(2, 1, 1)), (35 + 18, 0), {"2025-11-03 F812 standard": (35, "")}),
    _plant("revisits_3", "OH", "4.2", "Three revisits: 70 percent of 45 points, 31.5, is 32",
           _surveyed((STANDARD, FIRST, "F812 I"), revisits=(3, 1, 1)), (45 + 32, 0), {"2025-11-03 F812 standard": (45, "")}),
    _plant("revisits_4", "FL", "4.2", "Four revisits in cycle 2: 85 percent of 50 points, 42.5, is 43",
           _surveyed((STANDARD, SECOND, "F812 J"), revisits=(1, 4, 1)), (0, 50 + 43), {"2024-10-19 F812 standard": (50, "")}),
    _plant("twelve_months", "IL", "4.3, R13", "Complaints on the last day of 12 and of 36 months and a day older",
           _surveyed((COMPLAINT, _months(12), "F689 G"), (COMPLAINT, _months(12, 1), "F684 E"),
                     (COMPLAINT, _months(36), "F812 F"), (COMPLAINT, _months(36, 1), "F656 J")), (20, 8 + 16), {
               "2025-07-01 F689 complaint": (20, ""),
               "2025-06-30 F684 complaint": (8, ""),
               "2023-07-01 F812 complaint": (16, ""),
               "2023-06-30 F656 complaint": (0, "too_old_survey")}),
    _plant("abuse_capped", "CA", "4.6", "F600 G by a complaint of the last 12 months: the score earns more, the icon leaves two stars",
           _surveyed((COMPLAINT, _ago(100), "F600 G")), (20, 0), {"2026-03-23 F600 complaint": (20, "")}),
    _plant("abuse_repeat", "PA", "4.6", "F602 D on the two latest standard surveys: icon",
           _surveyed((STANDARD, FIRST, "F602 D"), (STANDARD, SECOND, "F602 D")), (4, 4), {
               "2025-11-03 F602 standard": (4, ""),
               "2024-10-19 F602 standard": (4, "")}),
    _plant("clean", "NY", "4.1", "No citation at all: 0 points", CLEAN, (0, 0)),
    _plant("unknown_letter", "TX", "design: bad rows", "The letter Z cannot be scored: CMS's cycle scores stand",
           _printed(_surveyed((STANDARD, FIRST, "F812 E"), (STANDARD, SECOND, "F656 D")), "unknown_scope_severity", _unknown_letter),
           (8, 4), {
               "2025-11-03 F812 standard": (0, "unknown_scope_severity"),
               "2024-10-19 F656 standard": (4, "")}),
    _plant("future_survey", "OH", "design: bad rows", "A complaint dated after the release: CMS's cycle scores stand",
           _printed(_surveyed((STANDARD, FIRST, "F689 E")), "future_survey_date", _after_release), (8, 0), {
               "2026-07-20 F684 complaint": (0, "future_survey_date"),
               "2025-11-03 F689 standard": (8, "")}),
    _plant("not_in_citations", "FL", "design: what others rely on", "ProviderInfo counts deficiencies, the citation file has none",
           _printed(_surveyed((STANDARD, FIRST, "F689 E"), (STANDARD, SECOND, "F880 F")), "not_in_citations", lambda *_: ()), (8, 16)),
    _plant("published_cycle_differs", "IL", "replication", "ProviderInfo shows four points more in cycle 1",
           _with_extra(_surveyed((STANDARD, FIRST, "F812 E")), 4), (8, 0), {"2025-11-03 F812 standard": (8, "")}),
    _plant("older_citations", "PA", "4.3, R13", "Only the third standard survey and a complaint over 36 months old: 0 points",
           _surveyed((STANDARD, THIRD, "F812 F"), (COMPLAINT, _months(36, 20), "F689 G")), (0, 0), {
               "2023-10-05 F812 standard": (0, "older_cycle"),
               "2023-06-11 F689 complaint": (0, "too_old_survey")}),
)  # fmt: skip
