"""What plain Python gets from the real data: the targets of the pipeline. `pytest -s` prints every miss with its reason."""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path

import pytest

from schemas.files import recognise
from tests.replication import folders
from tests.replication.expected import (
    REAL,
    TOTAL_TURNOVER,
    Scored,
    agreement,
    bands,
    july_adjusted,
    july_homes,
    level_points,
    likely_points,
    monthly_differences,
    national_case_mix,
    national_homes,
    reason,
    score,
)

pytestmark = pytest.mark.skipif(not REAL.exists(), reason="the folder of real data is not here")

JULY, JANUARY = "2026-07", "2026-01"


def show(title: str, scored: list[Scored]) -> None:
    """Print each miss."""
    print(f"\n{title}: {agreement(scored)}")
    for s in sorted((s for s in scored if not s.agrees), key=lambda s: (reason(s), s.home.ccn)):
        points = " ".join(f"{p.value}" if p.low == p.high else f"{p.value}({p.low}-{p.high})" for p in s.points.values())
        print(f"  {s.home.ccn} published {s.home.star} computed {s.star} score {s.score} [{points}] {reason(s)}")


@pytest.mark.parametrize(
    ("likeliest", "one_star", "six", "blanks"),
    [(False, False, 256, 42), (False, True, 257, 42), (True, False, 258, 42), (True, True, 259, 42)],
)
def test_the_july_sample(likeliest: bool, one_star: bool, six: int, blanks: int) -> None:
    """R19 finds 035014 and 015369 (5/12 and 2/7), footnote 24 finds 015197; 025036 and 015381 were rescaled, against R18."""
    scored = [score(home, JULY, likeliest=likeliest, one_star=one_star) for home in july_homes()]
    show(f"July 2026, R19 {likeliest}, one-star rules {one_star}", scored)
    assert agreement(scored) == {"six": (six, 259), "blanks": (blanks, 44)}


def test_adjusted_hours_follow_from_case_mix() -> None:
    """Reported / case mix x NATION: within 0.0002 of the published five decimals, and the same points in every row."""
    rows = list(july_adjusted())
    assert len(rows) == 3 * 305
    print(f"\nlargest difference {max(abs(published - computed) for _, _, published, computed in rows):.6f}")
    for ccn, measure, published, computed in rows:
        assert abs(published - computed) <= Decimal("0.0002"), (ccn, measure)
        assert level_points(measure, published, JULY) == level_points(measure, computed, JULY), (ccn, measure)


def test_the_national_case_mix_is_the_mean_over_all_homes() -> None:
    """0.67581 and 3.86342 over 14,173 homes; over those with reported hours here (without California) it would be lower."""
    assert national_case_mix() == {"rn": Decimal("0.67581"), "total": Decimal("3.86342")}


@pytest.mark.parametrize(
    ("likeliest", "one_star", "six", "blanks"),
    [(False, False, 10_654, 1_937), (False, True, 10_716, 2_026), (True, False, 10_704, 1_938), (True, True, 10_766, 2_027)],
)
def test_the_nation_in_2025q3(likeliest: bool, one_star: bool, six: int, blanks: int) -> None:
    """Targets of the pipeline: 10,760 of 10,802 homes with all six, 2,020 of 2,128 with blanks."""
    scored = [score(home, JANUARY, likeliest=likeliest, one_star=one_star) for home in national_homes()]
    if likeliest and one_star:
        show("Nation 2025Q3", scored)
    assert agreement(scored) == {"six": (six, 10_802), "blanks": (blanks, 2_128)}


def test_most_national_misses_are_open_within_rounding() -> None:
    """Of 36 misses with all six present 13 contradict the published star, whatever the rounding."""
    scored = [score(home, JANUARY) for home in national_homes()]
    missed = [s for s in scored if s.home.has_all_six and not s.agrees]
    assert len(missed) == 36
    assert sum(not s.is_open for s in missed) == 13


def test_only_nine_printed_turnovers_are_ambiguous() -> None:
    """R19: of 1,001 printed values nine of the total-nurse turnover can be two fractions with different points, none of RNs."""
    printed = [Decimal(k) / 10 for k in range(1001)]
    for measure, values in {TOTAL_TURNOVER: "31.1 37.5 41.7 45.7 49.3 53.4 57.7 62.8 69.8", "rn_turnover_pct": ""}.items():
        found = [v for v in printed if (p := likely_points(measure, v, JULY)).low != p.high]
        assert found == [Decimal(v) for v in values.split()]
        print(f"\n{measure}: " + ", ".join(f"{v} {tuple(likely_points(measure, v, JULY))}" for v in found))


def test_every_value_has_one_band() -> None:
    """C50: a value between the printed ends of two bands has points."""
    assert [level_points("adjusted_rn_hprd", Decimal(v), "2024-06") for v in ("1.29740", "1.29750", "0.26050", "0.26049")] == [
        90,
        100,
        20,
        10,
    ]
    assert set(bands("2024-06")) == set(bands(JULY))


def test_daily_rows_give_the_published_hours() -> None:
    """CCN 335513: every level of 83 of 86 release-months (2020Q2 was revised afterwards); both weekend levels 45 of 45."""
    months = list(monthly_differences())
    missed = [(day, quarter) for day, quarter, items, _ in months if any(a != b for a, b in items.values())]
    print(f"\nmissed: {missed}")
    assert len(months) == 86
    assert {quarter for _, quarter in missed} == {"2020Q2"} and len(missed) == 3
    weekend = [items for _, _, items, has_weekend in months if has_weekend]
    assert len(weekend) == 45
    assert all(items[k][0] == items[k][1] for items in weekend for k in ("weekend_total", "weekend_rn"))


def test_the_folders_are_recognised_by_their_headers(tmp_path: Path) -> None:
    """What the pipeline will be given: file names, tables and numbers of rows."""
    folders.july_2026(tmp_path / "july")
    few_rn = folders.national_2025q3(tmp_path / "nation", with_no_rn_days=True)
    folders.daily_335513(tmp_path / "daily", "2025Q2")
    folders.provider_335513(tmp_path / "daily", "2025-10")
    found = {}
    for path in sorted(tmp_path.rglob("*.csv")):
        with path.open(newline="") as lines:
            header, *rows = csv.reader(lines)
        kind = recognise(header).kind
        found[str(path.relative_to(tmp_path))] = (kind.name if kind else None, len(rows))
    assert found == {
        "daily/NH_ProviderInfo_Oct2025.csv": ("provider_info", 1),
        "daily/PBJ_dailynursestaffing_CY2025Q2.csv": ("pbj_daily", 91),
        "july/NH_ProviderInfo_Jul2026.csv": ("provider_info", 317),
        "july/NH_StateUSAverages_Jul2026.csv": ("state_averages", 54),
        "nation/NH_ProviderInfo_Jan2026.csv": ("provider_info", 14_706),
    }
    assert len(few_rn) == 351
