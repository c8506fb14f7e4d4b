"""Cases about points and stars (C50, C51, C55)."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import duckdb
import pytest

from pipelines.main_job import run_release
from pipelines.resources import Run
from tests.cases import fill
from tests.support import Bench

ADJUSTED = "Adjusted {} Staffing Hours per Resident per Day"


def test_c50_a_value_between_two_printed_bands_has_one_band() -> None:
    """R11: the published value is rounded half up to three decimals before the cut points; a blank has a reason, not points."""
    case = fill.case("C50-gap-between-cut-points")
    values = {r["ccn"]: r["adjusted_rn_hprd"] for r in fill.rows_of(case / "adjusted_rn_hprd.csv")}
    bench = Bench("2023-10", inputs="published")
    bands = {int(r["points"]): Decimal(r["lower"]) for r in fill.rows_of(case / "cut_points.csv")}
    ours = bench.rows(
        "select points, lower from rules.staffing_cut_points where measure = 'adjusted_rn_hprd' and effective_from = '2022-07'"
    )
    assert dict(ours) == bands
    bench.put("current.provider_info", [{"ccn": ccn} for ccn in values])
    bench.put(
        "staffing.levels",
        [
            {"ccn": ccn, "measure": "rn", "wanted": "published", "published_adjusted_hprd": value or None}
            for ccn, value in values.items()
        ],
    )
    bench.run("staffing.printed_turnover", "staffing.measure_values", "staffing.components")
    found = bench.rows("select ccn, points, reason from staffing.components where measure = 'adjusted_rn_hprd' order by ccn")
    assert found == [
        ("555901", 90, None),
        ("555902", 100, None),
        ("555903", 100, None),
        ("555904", 20, None),
        ("555905", 10, None),
        ("555906", 100, None),
        ("555907", 10, None),
        ("555908", None, "value_blank"),
    ]


def test_c51_footnotes_and_blank_stars(tmp_path: Path) -> None:
    """3.4: a blank star never becomes 0, its footnote is kept as text, and a candidate keeps its rating; ProviderInfo is enough."""
    case = fill.case("C51-footnotes-and-blank-stars")
    scored = {  # 90 + 80 + 40 + 40 + 40 + 25 = 315 points: four stars
        "Reported RN Staffing Hours per Resident per Day": "0.95000",
        "Reported Total Nurse Staffing Hours per Resident per Day": "4.20000",
        "Total number of nurse staff hours per resident per day on the weekend": "3.70000",
        "Case-Mix RN Staffing Hours per Resident per Day": "0.70000",
        "Case-Mix Total Nurse Staffing Hours per Resident per Day": "3.90000",
        "Case-Mix Weekend Total Nurse Staffing Hours per Resident per Day": "3.40000",
        ADJUSTED.format("RN"): "0.95000",
        ADJUSTED.format("Total Nurse"): "4.20000",
        ADJUSTED.format("Weekend Total Nurse"): "3.70000",
        "Total nursing staff turnover": "40.0",
        "Registered Nurse turnover": "30.0",
        "Number of administrators who have left the nursing home": "1",
    }
    ccn = "CMS Certification Number (CCN)"
    rows = [{**r, **(scored if r[ccn] == "555901" else {})} for r in fill.rows_of(case / "provider_info.csv")]
    fill.write(tmp_path / "mine" / "providers.csv", "provider_info", rows)
    said: list[str] = []
    folder = run_release(Run(data=str(tmp_path / "store"), source=str(tmp_path / "mine"), threads=1), "2026-07", said.append)
    con = duckdb.connect()
    con.execute(f"create view ratings as from '{folder / 'ratings.parquet'}'")
    found = con.execute(
        "select ccn, overall_rating, staffing_rating, overall_status, staffing_status, staffing_reason, overall_footnote, "
        "staffing_footnote, is_sff, is_sff_candidate from ratings order by ccn"
    ).fetchall()
    assert found == [
        ("555901", 4, 4, "rated", "rated", None, None, None, False, False),
        ("555902", None, None, "special_focus", "special_focus", None, "18", "18", True, False),
        ("555903", None, None, "too_new", "too_new", None, "1", "1", False, False),
        ("555904", 1, 1, "rated", "rated", "no_submission", None, "23", False, True),
        ("555905", 3, None, "rated", "criteria_not_met", None, None, "6", False, False),
    ]
    assert con.execute("select count(overall_rating), round(avg(overall_rating), 3) from ratings").fetchall() == [(3, 2.667)]
    assert con.execute("select count(*) from ratings where overall_rating = 1").fetchall() == [(1,)]
    assert con.execute("select staffing_score from ratings where ccn = '555901'").fetchall() == [(315,)]
    assert any("pbj_daily of 2026Q1" in line for line in said)


def deciles_of(file: Path, threads: int) -> tuple[list[tuple[int, Decimal, Decimal | None, int]], list[tuple[str, int]]]:
    """Bands of the own distribution of a case's homes, and the points each home has in them."""
    bench = Bench("2026-07")
    bench.con.execute(f"set threads = {threads}")
    measure = "adjusted_total_nurse_hprd"
    bench.put(
        "staffing.components",
        [{"ccn": r["ccn"], "measure": measure, "value": r[measure], "value_source": "recomputed"} for r in fill.rows_of(file)],
    )
    bench.run("audit.deciles")
    bands = bench.rows(f"select points, lower, upper, homes from audit.deciles where measure = '{measure}' order by points")
    homes = bench.rows(
        "select c.ccn, d.points from staffing.components c join audit.deciles d on c.measure = d.measure "
        "and c.value between d.lower and coalesce(d.upper, c.value) order by c.ccn, d.points"
    )
    return bands, homes


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("file", ["measure.csv", "measure_shuffled.csv"])
def test_c55_equal_values_are_never_split(file: str, threads: int) -> None:
    """Own cut points are values, by linear interpolation (R type 7): neither the order of rows nor threads decide a band."""
    case = fill.case("C55-tied-values-in-deciles")
    bands, homes = deciles_of(case / file, threads)
    assert (bands, homes) == deciles_of(case / "measure.csv", 1)
    by_home = dict(homes)
    assert len(homes) == len(by_home) == 12
    assert len({by_home[f"55590{k}"] for k in (3, 4, 5, 6)}) == 1
    lower = {points: bound.quantize(Decimal("0.001"), ROUND_HALF_UP) for points, bound, *_ in bands}
    assert (lower[20], lower[60]) == (Decimal("3.210"), Decimal("3.350"))
    counted = {points: sum(found == points for found in by_home.values()) for points in lower}
    assert {points: n for points, _, _, n in bands} == counted
