"""The turnover SQL against the slow implementation, on made-up homes."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal

from hypothesis import HealthCheck, Phase, given, settings

from tests.oracle.slow import Case, definition, turnover
from tests.oracle.strategies import cases
from tests.support import TURNOVER, Bench


def bench_of(case: Case) -> Bench:
    """The tables that the two PBJ files of a case become."""
    bench = Bench(case.release)
    bench.put_work(
        [
            {
                "ccn": row.ccn, "quarter": f"{row.day.year}Q{(row.day.month + 2) // 3}", "work_date": row.day,
                "employee_id": row.employee_id, "job_code": row.job_code, "is_contract": row.is_contract, "hours": row.hours,
            }
            for row in case.rows
        ]
    )  # fmt: skip
    present = [
        {"ccn": ccn, "quarter": q, "work_date": case.first_day(case.quarters.index(q)), "census": 1}
        for ccn, q in sorted(case.in_daily)
    ]
    bench.put("six_quarters.pbj_daily", present)
    return bench.run(*TURNOVER)


@settings(
    max_examples=500, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate], suppress_health_check=list(HealthCheck)
)
@given(cases())
def test_sql_and_slow_implementation_agree_on_every_definition(case: Case) -> None:
    """Spells, eligibility, departures, rates and home-level exclusions, for every row of turnover_definitions.csv."""
    bench = bench_of(case)
    names = [name for (name,) in bench.rows("select distinct definition from turnover.counts order by 1")]
    spells = defaultdict(list)
    for name, *spell in bench.rows(
        "select definition, ccn, employee_id, measure, first_workday, last_workday, hours_first_90_days, qualifies, gap_follows, "
        "eligible, departed from turnover.spells order by all"
    ):
        spells[name].append(tuple(spell))
    counts = {row[:3]: row[3:] for row in bench.rows("from turnover.counts")}
    exclusions = defaultdict(set)
    for ccn, measure, name, word in bench.rows("select ccn, measure, definition, exclusion from turnover.exclusions"):
        exclusions[ccn, measure, name].add(word)
    assert names
    for name in names:
        slow = turnover(case, definition(name, case.release))
        assert spells[name] == sorted(tuple(s) for s in slow.spells), name
        for (ccn, measure), home in slow.homes.items():
            found = counts[ccn, measure, name]
            assert found[:2] == (home.eligible_spells, home.departures), (name, ccn, measure)
            rate = None if found[2] is None else Decimal(found[2])
            assert rate == home.turnover_pct, (name, ccn, measure)
            assert exclusions[ccn, measure, name] == set(home.exclusions), (name, ccn, measure)
