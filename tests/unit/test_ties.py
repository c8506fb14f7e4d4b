"""Values on and around every cut point of the staffing measures, against exact fractions (R10, R11)."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

import pytest

from pipelines.periods import RULES, quarter_days, release
from tests.support import Bench

RELEASES = ("2023-10", "2026-07")
LEVELS = ("rn", "total_nurse", "weekend_total_nurse")
RATES = {"total_nurse_turnover_pct": "total_nurse", "rn_turnover_pct": "rn"}
DENOMINATORS = (*range(1, 61), 64, 96, 192, 320)  # multiples of 64 give exact halves of a thousandth: 1/64 = 1.5625 %
Bands = list[tuple[int, Fraction, Fraction | None]]


def bands_of(month: str, measure: str) -> Bands:
    """Points, lower and upper end of each band in force in a release."""
    with (RULES / "staffing_cut_points.csv").open(newline="") as lines:
        return [
            (int(row["points"]), Fraction(row["lower"]), Fraction(row["upper"]) if row["upper"] else None)
            for row in csv.DictReader(lines)
            if row["measure"] == measure and row["effective_from"] <= month <= (row["effective_to"] or "9999-12")
        ]


def points_of(value: Fraction, bands: Bands) -> int:
    """Points of an exact value: rounded half up to three decimals, both ends belong to their band."""
    rounded = Fraction((2000 * value + 1) // 2, 1000)
    (points,) = [p for p, lower, upper in bands if lower <= rounded and (upper is None or rounded <= upper)]
    return points


def exact(value: Fraction) -> str:
    """A fraction with at most nine decimals as text; raises where it has more."""
    scaled = value * 10**9
    assert scaled.denominator == 1
    return f"{Decimal(scaled.numerator).scaleb(-9):f}"


def around(bands: Bands) -> list[Fraction]:
    """A grid of 0.0001 and of the ninth decimal around both ends of every band."""
    near = [Fraction(k, 10_000) for k in range(-20, 21)]
    near += [Fraction(sign * 1, 2000) + Fraction(k, 10**9) for sign in (-1, 1) for k in (-1, 0, 1)]
    ends = {end for _, lower, upper in bands for end in (lower, upper) if end is not None}
    return sorted({end + step for end in ends for step in near if end + step >= 0})


def homes(bench: Bench, count: int) -> list[str]:
    """Codes of homes that are put into the provider file."""
    codes = [f"{k:06d}" for k in range(1, count + 1)]
    bench.put("current.provider_info")
    bench.con.execute(
        f"insert into current.provider_info by name select format('{{:06d}}', k) as ccn from range(1, {count + 1}) as t (k)"
    )
    return codes


def wrong(bench: Bench, measure: str, expected: dict[str, int], values: dict[str, Fraction]) -> list[tuple[str, float, int, int]]:
    """Homes whose points differ from the exact ones: code, value, points, right points."""
    found = dict(bench.rows(f"select ccn, points from staffing.components where measure = '{measure}'"))
    assert set(expected) <= set(found)
    return [(ccn, float(values[ccn]), found[ccn], right) for ccn, right in expected.items() if found[ccn] != right]


def score(bench: Bench) -> Bench:
    """Points from whatever values were put in."""
    return bench.run("staffing.printed_turnover", "staffing.measure_values", "staffing.components")


def put_levels(bench: Bench, inputs: str, values: dict[str, list[Fraction]], codes: list[str]) -> None:
    """Put adjusted levels into staffing.levels, recomputed or published."""
    column = "adjusted_hprd" if inputs == "recomputed" else "published_adjusted_hprd"
    bench.put("staffing.levels")
    rows = [(codes[k], level, exact(value)) for level, found in values.items() for k, value in enumerate(found)]
    listed = ", ".join(f"('{ccn}', '{level}', {value})" for ccn, level, value in rows)
    bench.con.execute(
        f"insert into staffing.levels by name select *, '{inputs}' as wanted from (values {listed}) as v (ccn, measure, {column})"
    )


@pytest.mark.parametrize("inputs", ["recomputed", "published"])
@pytest.mark.parametrize("month", RELEASES)
def test_an_adjusted_level_on_either_side_of_a_cut_point(month: str, inputs: str) -> None:
    """R10, R11: 1.2974999 belongs below 1.298, 1.2975 to it; on both sides of both ends of every band, in both periods."""
    bench = Bench(month, inputs=inputs)
    bands = {level: bands_of(month, f"adjusted_{level}_hprd") for level in LEVELS}
    values = {level: around(bands[level]) for level in LEVELS}
    codes = homes(bench, max(len(v) for v in values.values()))
    put_levels(bench, inputs, values, codes)
    score(bench)
    for level in LEVELS:
        assert len(bands[level]) == 10
        by_home = dict(zip(codes, values[level], strict=False))
        expected = {ccn: points_of(value, bands[level]) for ccn, value in by_home.items()}
        assert set(expected.values()) == {points for points, *_ in bands[level]}
        assert wrong(bench, f"adjusted_{level}_hprd", expected, by_home) == []


@pytest.mark.parametrize("month", RELEASES)
def test_hours_over_resident_days_that_are_exact_ties(month: str) -> None:
    """A ratio of sums that lies on half a thousandth is rounded up although the division is in floating point (R10)."""
    first, _ = quarter_days(release(month).staffing_quarter)
    saturday = next(first.replace(day=d) for d in range(1, 8) if first.replace(day=d).weekday() == 5)
    nation = {"case_mix_rn_hprd": "0.71", "case_mix_total_nurse_hprd": "3.87", "case_mix_weekend_total_nurse_hprd": "3.41"}
    hours = ("rn_don", "rn_admin", "lpn_admin", "lpn", "cna", "na_training", "med_aide")
    zeros = ", ".join(f"0 as {name}_hours" for name in hours)
    for level in LEVELS:
        bands = bands_of(month, f"adjusted_{level}_hprd")
        values = [v for v in around(bands) if v > 0 and (v * 10_000).denominator == 1]
        bench = Bench(month, inputs="recomputed")
        codes = homes(bench, len(values))
        by_home = dict(zip(codes, values, strict=True))
        same = ", ".join(f"{name} = {value}" for name, value in nation.items())
        bench.con.execute(f"update current.provider_info set reported_rn_hprd = 1, {same}")
        bench.put("current.state_averages", [{"state": "NATION", **nation}])
        for residents in (100, 300):  # hours of 100 residents are a multiple of 0.01 for every value of the grid
            listed = ", ".join(f"('{ccn}', {exact(value * residents)})" for ccn, value in by_home.items())
            bench.put("current.pbj_daily")
            bench.con.execute(
                f"insert into current.pbj_daily by name select ccn, date '{saturday}' as work_date, {residents} as census, "
                f"rn_hours, {zeros} from (values {listed}) as v (ccn, rn_hours)"
            )
            names = ("daily_levels", "level_exclusions", "published_levels", "national_case_mix", "levels")
            score(bench.run(*(f"staffing.{name}" for name in names)))
            expected = {ccn: points_of(value, bands) for ccn, value in by_home.items()}
            assert wrong(bench, f"adjusted_{level}_hprd", expected, by_home) == [], residents


def put_spells(bench: Bench, rates: Iterable[tuple[str, int, int]]) -> None:
    """Put spells for homes of which `departures` of `eligible` nurses, all RNs, left."""
    listed = ", ".join(f"('{ccn}', {departures}, {eligible})" for ccn, departures, eligible in rates)
    bench.put("turnover.spells").put("turnover.home_quarters")
    bench.con.execute(
        "insert into turnover.spells by name select ccn, k as employee_id, measure, 'cms' as definition, true as eligible, "
        f"k <= departures as departed from (values {listed}) as v (ccn, departures, eligible), unnest(range(1, eligible + 1)) as t (k), "
        "(values ('total_nurse'), ('rn')) as m (measure)"
    )
    bench.con.execute(
        "insert into turnover.home_quarters by name select ccn, quarter, quarter_position, true as daily_supplied, true as employee_supplied, "
        "true as in_daily, true as in_employee, 0 as rejected_rows, 90 as administrator_days, 0 as crowded_days, false as is_incomplete "
        "from current.provider_info, inputs.six_quarters"
    )


@pytest.mark.parametrize("month", RELEASES)
def test_every_turnover_fraction_is_in_its_band(month: str) -> None:
    """R10, R11: n of d who left, for every d to 60 and those d that give exact halves; fractions that land on an end are among them."""
    bench = Bench(month, inputs="recomputed")
    fractions = [(n, d) for d in DENOMINATORS for n in range(d + 1)]
    codes = homes(bench, len(fractions))
    put_spells(bench, [(ccn, n, d) for ccn, (n, d) in zip(codes, fractions, strict=True)])
    bench.put("turnover.exclusions").run("turnover.counts", "turnover.home_turnover")
    rates = dict(bench.rows("select ccn, turnover_pct from turnover.home_turnover where measure = 'rn' and definition = 'cms'"))
    by_home = {ccn: Fraction(100 * n, d) for ccn, (n, d) in zip(codes, fractions, strict=True)}
    off = [(ccn, rates[ccn]) for ccn, value in by_home.items() if Fraction(rates[ccn]) != Fraction((2000 * value + 1) // 2, 1000)]
    assert off == []
    assert any((value * 1000).denominator == 2 for value in by_home.values())
    bench.put("staffing.levels")
    score(bench)
    for measure in RATES:
        bands = bands_of(month, measure)
        ends = {end for _, lower, upper in bands for end in (lower, upper)}
        assert any(Fraction(rate) in ends for rate in rates.values()), "no fraction lands on an end"
        expected = {ccn: points_of(value, bands) for ccn, value in by_home.items()}
        assert wrong(bench, measure, expected, by_home) == []


@pytest.mark.parametrize("month", RELEASES)
def test_a_turnover_on_either_side_of_a_cut_point(month: str) -> None:
    """R11: a rate of three decimals on the upper end of a band, and one thousandth beyond, for every band of both measures."""
    bench = Bench(month, inputs="recomputed")
    values = {}
    for measure in RATES:
        ends = {end for _, lower, upper in bands_of(month, measure) for end in (lower, upper)}
        grid = {end + Fraction(k, 1000) for end in ends for k in (-2, -1, 0, 1, 2)}
        values[measure] = sorted(v for v in grid if 0 <= v <= 100)
    codes = homes(bench, max(len(v) for v in values.values()))
    rows = [
        {"ccn": codes[k], "measure": RATES[m], "definition": "cms", "turnover_pct": exact(v), "excluded": False}
        for m, found in values.items()
        for k, v in enumerate(found)
    ]
    bench.put("turnover.home_turnover", rows).put("staffing.levels")
    score(bench)
    for measure, found in values.items():
        by_home = dict(zip(codes, found, strict=False))
        expected = {ccn: points_of(value, bands_of(month, measure)) for ccn, value in by_home.items()}
        assert wrong(bench, measure, expected, by_home) == []


@pytest.mark.parametrize("month", RELEASES)
def test_administrators_who_left(month: str) -> None:
    """3.1: none, one, two and more departures are three bands; the last has no end."""
    bench = Bench(month, inputs="recomputed")
    codes = homes(bench, 5)
    rows = [
        {"ccn": ccn, "measure": "administrator", "definition": "cms", "departures": n, "excluded": False}
        for n, ccn in enumerate(codes)
    ]
    bench.put("turnover.home_turnover", rows).put("staffing.levels")
    score(bench)
    found = bench.rows("select points from staffing.components where measure = 'administrator_departures' order by ccn")
    assert found == [(30,), (25,), (10,), (10,), (10,)]
