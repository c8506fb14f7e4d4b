"""Files that have far fewer homes than are known, of the nation or of a state."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import Bench


def homes(**states: int) -> list[dict[str, Any]]:
    """So many homes of each state."""
    return [
        {"ccn": f"{state}{k:04}", "state": state, "processing_date": "2026-07-01"}
        for state, count in states.items()
        for k in range(count)
    ]


def looks(month: str = "2026-07", **files: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What looks incomplete: file, scope, what it is set against, homes and homes known."""
    bench = Bench(month)
    bench.put("current.provider_info", files.get("provider", []))
    bench.put("previous.provider_info", files.get("previous", []))
    bench.put("current.pbj_daily", files.get("daily", []))
    bench.run("audit.completeness")
    return bench.rows(
        "select table_name, scope, basis, homes, expected from audit.completeness where looks_incomplete and scope <> 'nation' order by all"
    )


def nation(month: str, count: int) -> list[tuple[Any, ...]]:
    bench = Bench(month).put("current.provider_info", homes(TX=count)).run("audit.completeness")
    return bench.rows("select homes, expected, expected_of, looks_incomplete from audit.completeness where scope = 'nation'")


@pytest.mark.parametrize(
    ("month", "count", "found"),
    [
        ("2026-07", 14_693, (14_693, "of the nation in 2026-07", False)),
        ("2026-09", 14_250, (14_690, "of the nation in 2026-08", False)),  # 97.0 percent of 14,690 is 14,249.3
        ("2026-09", 14_249, (14_690, "of the nation in 2026-08", True)),
        ("2024-12", 14_807, (14_807, "of the nation in 2024-11", False)),
        ("2022-07", 15_000, (14_860, "of the nation in 2024-04", False)),  # no earlier count is known: the first
    ],
)
def test_the_nation_is_set_against_the_count_seen_nearest_before(month: str, count: int, found: tuple[Any, ...]) -> None:
    """Methodology 8.4: the provider file's rows of some releases."""
    assert nation(month, count) == [(count, *found)]


def test_a_state_that_lost_many_homes_since_the_release_before_is_told() -> None:
    """94 of 100 homes are too few, 95 are not; two homes are never; a state that is not there at all is."""
    before = homes(AL=100, GA=100, AK=20, VT=33)
    found = looks(provider=homes(AL=94, GA=95, AK=18), previous=before)
    assert found == [
        ("provider_info", "AL", "previous_release", 94, 100),
        ("provider_info", "VT", "previous_release", 0, 33),
    ]


def test_the_daily_file_and_the_provider_file_are_set_against_each_other() -> None:
    """Alaska once sent 13 of 20 homes; a state of which the daily file has 79 of 100 was cut, or the provider file was."""
    found = looks(provider=homes(AK=20, AL=100, GA=60), daily=homes(AK=13, AL=79, GA=100))
    assert found == [("pbj_daily", "AL", "provider_file", 79, 100), ("provider_info", "GA", "daily_file", 60, 100)]


def test_a_file_that_was_never_supplied_is_no_incomplete_one() -> None:
    """Neither the daily file nor the release before."""
    assert looks(provider=homes(AL=100)) == []
