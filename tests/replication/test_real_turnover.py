"""Published turnover of CCN 335513 against what its employee rows allow (methodology 2.11); `pytest -s` prints the figures."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.oracle.slow import definition
from tests.replication.real_turnover import (
    FRACTIONS,
    PERSON_QUARTERS,
    PUBLISHED,
    feasible,
    outcomes_by_person,
    printing_as,
    span,
)

pytestmark = pytest.mark.skipif(not PERSON_QUARTERS.exists(), reason="the employee rows of CCN 335513 are not here")


def rule(release: str, name: str = "cms", **changed: str) -> dict[str, str]:
    return {**definition(name, release), **changed}


def windows_missed(name: str, measure: str = "rn", **changed: str) -> list[str]:
    """Releases whose published rate no choice of days gives under a reading."""
    missed = []
    for release, values in PUBLISHED.items():
        pairs = feasible(release, measure, rule(release, name, **changed))
        hits = printing_as(pairs, values[measure])
        reading = " ".join([name, *(f"{k}={v}" for k, v in changed.items())])
        print(f"{reading:24} {release} {measure}: {span(pairs):14} published {values[measure]:7} {sorted(hits) or 'ruled out'}")
        if not hits:
            missed.append(release)
    return missed


def test_published_fractions_lie_within_what_the_rows_allow() -> None:
    """15/27, 19/28, 17/30, 16/33 and 13/29 RNs; 66 of 246 nurses."""
    print()
    for release, by_measure in FRACTIONS.items():
        for measure, pair in by_measure.items():
            pairs = feasible(release, measure, rule(release))
            open_people = sum(len(o) > 1 for o in outcomes_by_person(release, measure, rule(release)).values())
            print(f"{release} {measure:12} {span(pairs):20} open people {open_people:3}  published {pair[1]} of {pair[0]}")
            assert pair in pairs, (release, measure, pair)


def test_published_rates_of_all_nurses_lie_within_what_the_rows_allow() -> None:
    """Of the other windows only the rate to one decimal is known."""
    print()
    for release, values in PUBLISHED.items():
        pairs = feasible(release, "total_nurse", rule(release))
        open_people = sum(len(o) > 1 for o in outcomes_by_person(release, "total_nurse", rule(release)).values())
        rates = [Decimal(100 * d) / e for e, d in pairs if e]
        print(
            f"{release} total_nurse {span(pairs):20} open people {open_people:3}  "
            f"{min(rates):.1f}-{max(rates):.1f}  published {values['total_nurse']}"
        )
        assert printing_as(pairs, values["total_nurse"]), release


def test_two_administrators_left() -> None:
    """No choice of days gives another number of departures than the published 2 in the January 2026 release."""
    pairs = feasible("2026-01", "administrator", rule("2026-01"))
    print(f"\n2026-01 administrator: {span(pairs)}")
    assert {departures for _, departures in pairs} == {2}


def test_counting_spells_that_ended_in_q0_is_ruled_out() -> None:
    """R6: in the denominator they make 15/30, 19/29 and 17/33."""
    print()
    assert windows_missed("ended_in_q0_counts") == ["2025-02", "2025-04", "2025-07"]


def test_counting_without_120_hours_is_ruled_out() -> None:
    """R5: without the limit the rates are 61.1, 66.7, 60.5, 53.7 and 51.4."""
    print()
    assert windows_missed("gap_90", hours_needed="0") == list(PUBLISHED)


def test_counting_starts_after_q2_is_ruled_out() -> None:
    """R5: with starts in Q3 and Q4 the rates fall to 32-45."""
    print()
    assert windows_missed("gap_90", starts_through="q4") == ["2025-02", "2025-04", "2025-07", "2026-01"]


def test_any_ninety_days_is_ruled_out() -> None:
    """R4: the per-diem 16554036 becomes eligible, 19/29 in the second window; in the last 13/29 is out of reach."""
    print()
    assert windows_missed("any_90_days") == ["2025-04", "2026-01"]


def test_the_default_reading_is_ruled_out_nowhere() -> None:
    """Neither by RN turnover nor by that of all nurses."""
    print()
    assert windows_missed("cms") == []
    assert windows_missed("gap_90") == []
    assert windows_missed("cms", "total_nurse") == []
