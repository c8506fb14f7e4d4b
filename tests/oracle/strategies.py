"""Made-up homes for hypothesis, drawn towards the places where turnover rules can go wrong."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from hypothesis import strategies as st

from tests.oracle.slow import Case, Row, quarter_days, window

# Q5 of 90 days (2022-07, 2023-07, 2025-07), 91 (2024-07, 2024-10) and 92 (2023-04, 2025-02, 2026-01); the 60-day rule and the
# old administrator rule (to 2023-04), the 60-day rule with the new one (2023-07, 2024-04); windows over 29 February 2024.
RELEASES = ("2022-07", "2023-04", "2023-07", "2024-04", "2024-07", "2024-10", "2025-02", "2025-07", "2026-01")
HOMES = ("555901", "01A193")
GAPS = (1, 30, 59, 60, 61, 88, 89, 90, 91, 92, 150)
NURSES = (5, 6, 7, 8, 9, 10, 11, 12)
OTHERS = (2, 13, 39, 40)
HOUSEKEEPER = 99_000  # only there so that the home has a row in the quarter
LEAP_DAY = date(2024, 2, 29)
CENT = Decimal("0.01")


def hours() -> st.SearchStrategy[Decimal]:
    """0.00 to 24.00, mostly of the usual kind."""
    usual = st.sampled_from([Decimal(h) for h in ("0.00", "0.01", "7.50", "8.00", "12.00", "24.00")])
    return usual | st.decimals(min_value=0, max_value=24, places=2)


@st.composite
def stretch_of_hours(draw: st.DrawFn) -> list[Decimal]:
    """Hours of a few days: any, or adding up to a sum near 120, mostly one that reaches it."""
    if draw(st.integers(0, 3)) == 3:
        return draw(st.lists(hours(), min_size=1, max_size=8))
    total = draw(st.sampled_from([Decimal(t) for t in ("120.00", "120.00", "120.01", "168.00", "60.00", "119.99")]))
    days = draw(st.integers(7, 12))
    share = (total / days).quantize(CENT)
    return [share] * (days - 1) + [total - share * (days - 1)]


def boundaries(quarters: tuple[str, ...]) -> list[date]:
    """Days about which a rule changes its mind: the edges of the quarters, N days before the end, the leap day.

    Those of Q0-Q2 stand twice, for a spell that begins later counts nowhere.
    """
    first, end = quarter_days(quarters[0])[0], quarter_days(quarters[5])[1]
    edges = [edge for q in quarters for edge in quarter_days(q)]
    edges += [end - timedelta(days=n) for n in (59, 60, 61, 89, 90, 91)]
    near = {edge + timedelta(days=k) for edge in edges for k in (-1, 0, 1)} | {LEAP_DAY}
    days = sorted(d for d in near if first <= d <= end)
    return days + [d for d in days if d <= quarter_days(quarters[2])[1]]


@st.composite
def workdays(draw: st.DrawFn, quarters: tuple[str, ...], last: date | None) -> list[tuple[date, Decimal | None]]:
    """(day, hours) of one person: stretches with gaps between, one day of them on a boundary; `last` is the last if given.

    Hours of None are a day in another job within a gap.
    """
    first_day, end = quarter_days(quarters[0])[0], quarter_days(quarters[5])[1]
    day = first_day
    found: list[tuple[date, Decimal | None]] = []
    edges = []
    for k in range(draw(st.integers(1, 4))):
        if k:
            gap = draw(st.sampled_from(GAPS))
            if gap > 50 and draw(st.integers(0, 3)) == 0:
                found += [(day + timedelta(days=n), None) for n in range(20, gap, 20)]
            day += timedelta(days=gap + 1)
        step = draw(st.sampled_from([1, 1, 1, 2, 7, 11]))
        edges.append(day)
        for n, amount in enumerate(draw(stretch_of_hours())):
            day += timedelta(days=step if n else 0)
            found.append((day, amount))
        edges.append(day)
    shift = (last - day) if last else draw(st.sampled_from(boundaries(quarters))) - draw(st.sampled_from(edges))
    return [(d + shift, amount) for d, amount in found if first_day <= d + shift <= end]


@st.composite
def person(draw: st.DrawFn, ccn: str, employee_id: int, quarters: tuple[str, ...], last: date | None) -> list[Row]:
    """Rows of one person: one main job, sometimes others, on the same day too; contract or not by row."""
    main = draw(st.sampled_from([*NURSES, 7, 7, 10, 10, 1] if last is None else NURSES))
    side = draw(st.lists(st.sampled_from([*NURSES, *OTHERS, 1]), max_size=2))
    mixed = draw(st.booleans())
    rows = []
    for day, amount in draw(workdays(quarters, last)):
        contract = draw(st.booleans()) if mixed else False
        if amount is None:
            rows.append(Row(ccn, employee_id, day, 39, contract, Decimal("8.00")))
            continue
        code = draw(st.sampled_from([main, main, *side])) if side else main
        if side and amount > 0 and draw(st.integers(0, 5)) == 5:
            part = (amount / 2).quantize(CENT)
            rows.append(Row(ccn, employee_id, day, code, not contract, part))
            amount -= part
            code = main
        rows.append(Row(ccn, employee_id, day, code, contract, amount))
    return rows


@st.composite
def administrators(draw: st.DrawFn, ccn: str, quarters: tuple[str, ...]) -> list[Row]:
    """Four to six administrators on the same few days, in one quarter or over an edge between two."""
    edge = quarter_days(quarters[draw(st.integers(0, 5))])[1]
    days = draw(st.sampled_from([3, 4, 5, 11, 12, 13]))
    first = edge - timedelta(days=draw(st.integers(0, days)) + (days if edge == quarter_days(quarters[5])[1] else 0))
    people = draw(st.integers(4, 6))
    amount = draw(st.sampled_from([Decimal("0.00"), Decimal("8.00"), Decimal("8.00")]))
    return [
        Row(ccn, 500 + p, first + timedelta(days=d), 1, False, Decimal("8.00") if p < 4 else amount)
        for p in range(people)
        for d in range(days)
    ]


@st.composite
def home(draw: st.DrawFn, ccn: str, quarters: tuple[str, ...]) -> list[Row]:
    """Rows of one home: one to eight people, sometimes all with the same last day (R9), sometimes a crowd of administrators."""
    together = draw(st.booleans())
    last = draw(st.sampled_from(boundaries(quarters))) if together else None
    people = draw(st.integers(5, 9) if together else st.integers(1, 6))
    exceptions = draw(st.integers(0, 1)) if together else 0
    rows: list[Row] = []
    for k in range(people):
        rows += draw(person(ccn, 100 + k, quarters, None if k < exceptions else last))
    if draw(st.integers(0, 2)) == 0:
        rows += draw(administrators(ccn, quarters))
    if draw(st.booleans()):  # one administrator who stays, so that not every home lacks administrator data
        first, end = quarter_days(quarters[0])[0], quarter_days(quarters[5])[1]
        rows += [
            Row(ccn, 600, first + timedelta(days=n), 1, False, Decimal("20.00")) for n in range(0, (end - first).days + 1, 14)
        ]
    return rows


@st.composite
def cases(draw: st.DrawFn, releases: tuple[str, ...] = RELEASES) -> Case:
    """A release, one or two homes, and quarters in which a home is absent from one file or the other."""
    release = draw(st.sampled_from(releases))
    quarters = window(release)
    homes = HOMES[: draw(st.integers(1, 2))]
    absences = st.frozensets(st.sampled_from([(ccn, q) for ccn in homes for q in quarters]), max_size=2)
    not_daily = draw(st.just(frozenset()) | absences)
    not_employee = draw(st.just(frozenset()) | absences)
    everywhere = frozenset((ccn, q) for ccn in homes for q in quarters)
    rows: list[Row] = []
    for ccn in homes:
        rows += draw(home(ccn, quarters))
    span = {q: quarter_days(q) for q in quarters}
    quarter_of = {row.day: q for row in rows for q in quarters if span[q][0] <= row.day <= span[q][1]}
    rows = [row for row in rows if (row.ccn, quarter_of[row.day]) not in not_employee]
    seen = {(row.ccn, quarter_of[row.day]) for row in rows}
    rows += [Row(ccn, HOUSEKEEPER, span[q][0], 39, False, Decimal("8.00")) for ccn, q in sorted(everywhere - not_employee - seen)]
    return Case(release, quarters, tuple(rows), everywhere - not_daily, everywhere - not_employee)
