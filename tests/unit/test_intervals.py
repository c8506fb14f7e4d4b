"""CMS's interval file against the release table."""

from __future__ import annotations

from datetime import date

from tests.support import Bench

PROCESSED = date(2026, 7, 1)


def test_only_a_period_that_differs_is_told() -> None:
    """July 2026 reads 2026Q1 and 2025Q1-2025Q4; older files call the levels STAFFING; a blank period says nothing."""
    bench = Bench("2026-07").put(
        "current.collection_intervals",
        [
            ("STAFFING", "Staffing", date(2026, 1, 1), date(2026, 3, 31), PROCESSED),
            ("STAFFING_TURNOVER", "Turnover", date(2024, 10, 1), date(2025, 9, 30), PROCESSED),
            ("401", "A quality measure", date(2025, 1, 1), date(2025, 12, 31), PROCESSED),
        ],
    )
    bench.run("audit.interval_differences")
    assert bench.rows("select measure_code, from_date, first_day, last_day from audit.interval_differences") == [
        ("STAFFING_TURNOVER", date(2024, 10, 1), date(2025, 1, 1), date(2025, 12, 31))
    ]
    bench.put("current.collection_intervals", [("STAFFING_TURNOVER", "Turnover", None, None, PROCESSED)]).run(
        "audit.interval_differences"
    )
    assert bench.rows("from audit.interval_differences") == []
