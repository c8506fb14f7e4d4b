"""Which months can be had, and what stands in for one that cannot."""

from __future__ import annotations

import pytest

from pipelines.errors import UsageError
from pipelines.periods import nearest_with_quarter, release, release_of_quarter, releases


@pytest.mark.parametrize(
    ("quarter", "first"),
    [("2026Q1", "2026-07"), ("2025Q3", "2026-02"), ("2024Q3", "2025-02"), ("2022Q2", "2022-10"), ("2025Q1", "2025-07")],
)
def test_a_quarter_is_shown_by_the_first_month_that_the_archive_has(quarter: str, first: str) -> None:
    """January 2026 was posted and never archived (C94); January 2025 never came."""
    assert release_of_quarter(quarter).name == first


def test_a_month_that_no_archive_has_is_taken_where_the_source_offers_it() -> None:
    assert release_of_quarter("2025Q3", {"2026-01", "2026-03"}).name == "2026-01"


@pytest.mark.parametrize(
    ("month", "nearest"), [("2026-01", "2026-02"), ("2022-12", "2022-11"), ("2023-12", "2023-11"), ("2024-12", "2024-11")]
)
def test_the_nearest_month_with_the_same_quarter_is_known(month: str, nearest: str) -> None:
    found = nearest_with_quarter(release(month))
    assert found is not None and found.name == nearest
    assert found.staffing_quarter == release(month).staffing_quarter


def test_every_month_that_cms_archive_lacks_is_marked() -> None:
    """Seen in the lists of August to October 2026: three Decembers hold November's rows, three months have no zip."""
    lacking = {r.name: r.archive for r in releases().values() if not r.is_archived}
    assert lacking == {
        "2022-12": "month_before",
        "2023-12": "month_before",
        "2024-12": "month_before",
        "2025-01": "none",
        "2025-08": "none",
        "2026-01": "none",
    }


def test_a_month_that_was_never_made_names_the_one_to_ask_for() -> None:
    with pytest.raises(UsageError, match=r"There is no release 2025-08.*--release 2025-09"):
        release("2025-08")
