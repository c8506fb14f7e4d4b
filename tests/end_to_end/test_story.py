"""What the sample nation says of inspections, quality measures and the overall star, as a reader sees it."""

from __future__ import annotations

import csv
from pathlib import Path

import duckdb
import pytest

from pipelines.report import summary
from pipelines.resources import Run
from pipelines.story import explain

RELEASE = "2026-07"


def story(store: Path, plant: str) -> str:
    """What `openstars explain` tells of a planted home."""
    with (store / "sample" / RELEASE / "plants.csv").open(newline="", encoding="utf-8") as lines:
        ccn = next(row["ccn"] for row in csv.DictReader(lines) if row["plant"] == plant)
    return explain(Run(data=str(store)).store(), RELEASE, ccn)


def test_a_citation_that_counts_once_of_two(sample_store: Path) -> None:
    """The complaint adds nothing and names the survey that counts for it; that one has the higher points."""
    told = story(sample_store, "counted_once")
    print(told)
    assert (
        "2025-11-13  complaint  F689  G       1      0       counted_once: with F689 of the standard survey of 2025-11-03" in told
    )
    assert "2025-11-03  standard   F689  D       1      20      raised_by_complaint" in told
    assert "cycle 1 score 20.0, cycle 2 score 0.0, weighted score 15.0" in told


def test_a_home_that_the_abuse_icon_holds_down(sample_store: Path) -> None:
    """Its rank earns more than two stars; the evidence names the citation."""
    told = story(sample_store, "abuse_capped")
    print(told)
    assert "Inspection star: 2, abuse_icon (The abuse icon holds the health inspection star down)" in told
    assert "its rank earns 4" in told
    assert "inspections  health_inspection_rating  abuse_icon" in told
    assert "rank of 4 stars; F600 G on 2026-03-23" in told


@pytest.mark.parametrize("plant", ["unknown_letter", "no_measures", "few_short", "special_focus", "too_new", "not_in_citations"])
def test_every_odd_home_has_a_story(sample_store: Path, plant: str) -> None:
    """None is left without an overall line and a reason."""
    told = story(sample_store, plant)
    word = {"unknown_letter": "unknown_scope_severity", "no_measures": "not_in_file", "few_short": "few_measures"}.get(
        plant, plant
    )
    assert "Overall star: " in told and word in told


def test_recomputed_stars_agree_where_inputs_are_complete(sample_store: Path) -> None:
    """Of inspections, quality measures and the overall star nothing contradicts CMS but what is planted to; what is open is imputed."""
    con = duckdb.connect()
    con.execute(f"create view replication as from '{sample_store}/published/{RELEASE}/replication.parquet'")
    items = (
        "cycle_1_score", "cycle_2_score", "weighted_score", "abuse_icon", "health_inspection_rating", "overall_rating",
        "qm_rating", "long_stay_qm_rating", "short_stay_qm_rating",
    )  # fmt: skip
    rows = con.execute(
        f"select item, agrees, reason, count(*) from replication where item in {items} and agrees is not null group by all order by all"
    ).fetchall()
    print("\n", *rows, sep="\n")
    assert {row[:3] for row in rows if row[1] == "no"} == {
        ("cycle_1_score", "no", "differs"),
        ("weighted_score", "no", "input_differs"),
    }
    assert {row[2] for row in rows if row[1] == "open"} == {"imputed_values"}
    assert {row[0] for row in rows if row[1] == "yes" and row[3] > 200} >= set(items) - {
        "long_stay_qm_rating",
        "short_stay_qm_rating",
    }


def test_thresholds_of_single_stays_are_estimated(sample_store: Path) -> None:
    """July 2026: CMS's own for the overall score; for the stays an estimate that no home with all values contradicts."""
    con = duckdb.connect()
    con.execute(f"create view cut_points as from '{sample_store}/published/{RELEASE}/cut_points.parquet'")
    found = con.execute(
        "select measure, points, lower::int from cut_points where measure = 'long_stay_qm_score' and basis = 'estimated' and points > 1 order by 2"
    ).fetchall()
    true = {2: 466, 3: 566, 4: 641, 5: 736}  # what the sample's stars are made by
    print("\n", found)
    assert [row[1] for row in found] == [2, 3, 4, 5]
    assert all(0 <= lower - true[stars] <= 60 for _, stars, lower in found)
    assert con.execute("select count(*) from cut_points where measure = 'overall_qm_score' and basis = 'cms'").fetchall() == [
        (5,)
    ]


def test_the_summary_tells_every_star_and_the_risk_based_survey(sample_store: Path) -> None:
    """Nationally: how many homes meet both conditions, how many miss it only for staffing."""
    told = summary(Run(data=str(sample_store)).engine(RELEASE))
    con = duckdb.connect()
    both, staffing = con.execute(
        "select count(*) filter (where overall_rating = 5 and staffing_rating >= 3), count(*) filter (where overall_rating = 5 and "
        f"coalesce(staffing_rating, 0) < 3) from '{sample_store}/published/{RELEASE}/ratings.parquet'"
    ).fetchall()[0]
    assert f"{both:,} homes meet both, {staffing:,} miss it only for staffing" in told
    assert both and staffing
    assert all(f"{name} stars: 1 star" in told for name in ("Overall", "Inspection", "Staffing", "Quality measure"))
