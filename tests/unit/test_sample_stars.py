"""Inspections and quality measures of the made-up nation: planted homes counted by hand, and files that say what was scored."""

from __future__ import annotations

import csv
import io
import zipfile
from collections import Counter
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from pipelines.sample.inspections import Cycle, cycles_of, has_abuse_icon, scored
from pipelines.sample.measures import LONG, QRP, measures_of, stay_of
from pipelines.sample.nation import BY_KEY, PLANTS, write_nation
from pipelines.sample.surveys import COMPLAINT, DATED, STANDARD, Citation, History, Survey, age_label, cited, months_before
from pipelines.sample.tags import TAGS
from schemas.files import kinds, layout, read_kinds

Row = dict[str, str]
RELEASE_DAY = date(2026, 7, 1)
SURVEYED = tuple(Survey(date(2026 - label, 7, 1), STANDARD, label) for label in (1, 2, 3))
QRP_FILE = "Skilled_Nursing_Facility_Quality_Reporting_Program_Provider_Data"
MEASURES = measures_of("2026-07")
HEADERS = {
    kinds()[kind].stems[0]: layout(kind, "2026-07")
    for kind in read_kinds("release")
    if kind not in ("provider_info", "state_averages", "collection_intervals")
}
CCN = "CMS Certification Number (CCN)"


class Nation:
    """Everything that was written about a few homes."""

    def __init__(self, folder: Path):
        write_nation(folder, homes=130)
        with zipfile.ZipFile(folder / "archives" / "nursing-homes_2026-07-29.zip") as packed:
            names = {n.split("_", 2)[2].removesuffix("_Jul2026.csv"): n for n in packed.namelist() if n[4:5] == "-"}
            self.files = {
                stem: list(csv.DictReader(io.StringIO(packed.read(n).decode(), newline=""))) for stem, n in names.items()
            }
        self.truth = {(r["ccn"], r["table"], r["measure"], r["column"]): r["expected"] for r in rows_of(folder / "truth.csv")}
        self.planted = {row["plant"]: row["ccn"] for row in rows_of(folder / "plants.csv")}
        self.homes = {row[CCN]: row for row in self.files["NH_ProviderInfo"]}

    def of(self, stem: str, key: str) -> list[Row]:
        return [row for row in self.files[stem] if row[CCN] == self.planted[key]]

    def component(self, key: str, measure: str, column: str) -> str:
        return self.truth[self.planted[key], "rating_components", measure, column]

    def rating(self, key: str, column: str) -> str:
        return self.truth[self.planted[key], "ratings", "", column]

    def excluded(self, key: str) -> set[tuple[str, str]]:
        return {k[2:] for k in self.truth if k[:2] == (self.planted[key], "exclusions")}


def rows_of(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Nation:
    return Nation(tmp_path_factory.mktemp("nation"))


def citation(row: Row) -> Citation:
    return Citation(
        date.fromisoformat(row["Survey Date"]),
        f"F{int(row['Deficiency Tag Number'])}",
        row["Scope Severity Code"],
        int(row["Inspection Cycle"]),
        row["Deficiency Corrected"],
        date.fromisoformat(row["Correction Date"]),
        row["Standard Deficiency"] == "Y",
        row["Complaint Deficiency"] == "Y",
        row["Infection Control Inspection Deficiency"] == "Y",
    )


def test_headers_are_those_of_cms(nation: Nation) -> None:
    assert [len(header) for header in HEADERS.values()] == [23, 41, 5, 14, 6, 5, 23, 17, 16]
    for stem, header in HEADERS.items():
        assert tuple(nation.files[stem][0]) == header, stem
        assert {len(row) for row in nation.files[stem]} == {len(header)} and not any(
            None in row.values() for row in nation.files[stem]
        )


def test_rows_are_in_the_order_of_homes(nation: Nation) -> None:
    for stem, header in HEADERS.items():
        if header[0] == CCN:
            homes = [row[CCN] for row in nation.files[stem]]
            assert homes == sorted(homes), stem


@pytest.mark.parametrize("key", [plant.key for plant in PLANTS if plant.cycles])
def test_planted_inspections_hold_what_was_counted_by_hand(key: str, nation: Nation) -> None:
    """True scores, and those of ProviderInfo, which one home shows four points higher."""
    plant, ccn = BY_KEY[key], nation.planted[key]
    assert plant.cycles is not None
    first, second = plant.cycles
    assert (nation.component(key, "cycle_1_score", "value"), nation.component(key, "cycle_2_score", "value")) == (
        str(first),
        str(second),
    )
    assert Fraction(nation.component(key, "weighted_score", "value")) == Fraction(3 * first + second, 4)
    extra = 4 if key == "published_cycle_differs" else 0
    home = nation.homes[ccn]
    assert home["Rating Cycle 1 Total Health Score"] == str(first + extra)
    assert home["Rating Cycle 2/3 Total Health Score"] == str(second)
    assert Fraction(home["Total Weighted Health Survey Score"]) == Fraction(3 * (first + extra) + second, 4)
    found = {k[2] for k in nation.truth if k[:2] == (ccn, "citations")}
    assert found == set(plant.cited)
    for measure, (points, reason) in plant.cited.items():
        assert nation.truth[ccn, "citations", measure, "points"] == str(points), measure
        assert nation.truth[ccn, "citations", measure, "reason"] == reason, measure


def test_revisits_are_rounded_half_up(nation: Nation) -> None:
    found = [nation.homes[nation.planted[f"revisits_{n}"]] for n in (2, 3, 4)]
    assert [home["Rating Cycle 1 Health Revisit Score"] for home in found] == ["18", "32", "0"]
    assert (
        found[2]["Rating Cycle 2/3 Health Revisit Score"] == "43"
        and found[2]["Rating Cycle 2/3 Number of Health Revisits"] == "4"
    )


def test_cms_stands_where_citations_cannot_be_used(nation: Nation) -> None:
    for key in ("unknown_letter", "future_survey", "not_in_citations"):
        assert nation.component(key, "cycle_1_score", "value_source") == "published"
    assert ("", "unknown_scope_severity") in nation.excluded("unknown_letter")
    assert ("", "future_survey_date") in nation.excluded("future_survey")
    assert ("", "not_in_citations") in nation.excluded("not_in_citations")
    assert nation.component("clean", "cycle_1_score", "value_source") == "recomputed"
    assert nation.of("NH_HealthCitations", "clean") == nation.of("NH_HealthCitations", "not_in_citations") == []
    assert len(nation.of("NH_HealthCitations", "older_citations")) == 2
    assert "Z" in {row["Scope Severity Code"] for row in nation.of("NH_HealthCitations", "unknown_letter")}
    assert max(row["Survey Date"] for row in nation.of("NH_HealthCitations", "future_survey")) == "2026-07-20"


def test_provider_info_shows_what_the_citation_file_earns(nation: Nation) -> None:
    differ = {nation.planted[key] for key in ("unknown_letter", "future_survey", "not_in_citations", "published_cycle_differs")}
    rows: dict[str, list[Citation]] = {}
    for row in nation.files["NH_HealthCitations"]:
        rows.setdefault(row[CCN], []).append(citation(row))
    merged: Counter[str] = Counter()
    for ccn, home in nation.homes.items():
        if ccn in differ:
            continue
        citations = tuple(rows.get(ccn, ()))
        revisits = int(home["Rating Cycle 1 Number of Health Revisits"]), int(home["Rating Cycle 2/3 Number of Health Revisits"])
        cycles = cycles_of(History(SURVEYED, citations, revisits), RELEASE_DAY)
        for cycle, number, label in zip(cycles, ("1", "2"), ("1", "2/3"), strict=True):
            assert home[f"Rating Cycle {label} Total Number of Health Deficiencies"] == str(cycle.total)
            assert home[f"Rating Cycle {number} Number of Standard Health Deficiencies"] == str(cycle.standard)
            assert home[f"Rating Cycle {label} Number of Complaint Health Deficiencies"] == str(cycle.complaint)
            assert home[f"Rating Cycle {label} Health Deficiency Score"] == str(cycle.deficiency_score)
            assert home[f"Rating Cycle {label} Total Health Score"] == str(cycle.score)
        assert home["Number of Citations from Infection Control Inspections"] == str(sum(c.infection_control for c in cycles))
        assert home["Abuse Icon"] == ("Y" if has_abuse_icon(citations, RELEASE_DAY) else "N")
        merged.update(one.reason for one in scored(citations, RELEASE_DAY))
    assert {
        "counted_once",
        "infection_control_counts",
        "older_cycle",
        "too_old_survey",
        "past_noncompliance",
        "unscored_tag",
    } < set(merged)


def test_the_abuse_icon_holds_a_star_down(nation: Nation) -> None:
    """The score of the home earns four or five stars by CMS's own cut points of its state."""
    home = nation.homes[nation.planted["abuse_capped"]]
    state = next(row for row in nation.files["NH_HlthInspecCutpointsState"] if row["State"] == home["State"])
    assert Decimal(home["Total Weighted Health Survey Score"]) <= Decimal(state["4 Stars"].split("-")[1])
    assert (home["Abuse Icon"], home["Health Inspection Rating"]) == ("Y", "2") and ("", "abuse_icon") in nation.excluded(
        "abuse_capped"
    )
    assert [nation.rating(key, "has_abuse_icon") for key in ("abuse_repeat", "clean", "substandard")] == ["true", "false", "true"]


def test_cut_points_give_the_stars(nation: Nation) -> None:
    """53 jurisdictions; ranges and stars come from one ranking, which the icon alone overrules."""
    ends = {row["State"]: row for row in nation.files["NH_HlthInspecCutpointsState"]}
    assert len(ends) == 53
    for key, home in nation.homes.items():
        if home["Health Inspection Rating"] and home["Abuse Icon"] == "N" and key != nation.planted["published_cycle_differs"]:
            score = Decimal(home["Total Weighted Health Survey Score"])
            ranges = list(ends[home["State"]].values())[1:-1]
            stars = 1 + max(
                (4 - place for place, text in enumerate(ranges) if text and score <= Decimal(text.split("-")[-1])), default=0
            )
            assert home["Health Inspection Rating"] == str(stars), key


def test_penalties_add_up_and_some_are_there_twice(nation: Nation) -> None:
    rows = nation.files["NH_Penalties"]
    fines: Counter[str] = Counter()
    for row in rows:
        fines[row[CCN]] += int(Decimal(row["Fine Amount"] or 0))
    assert all(Decimal(home["Total Amount of Fines in Dollars"]) == fines[ccn] for ccn, home in nation.homes.items())
    equal = Counter(tuple(row[c] for c in row if c != "Fine ID") for row in rows if row["Penalty Type"] == "Fine")
    assert len({row["Fine ID"] for row in rows if row["Fine ID"]}) == equal.total()  # since June 2026 they are told apart
    assert 2 in equal.values() and {row["Penalty Type"] for row in rows} == {"Fine", "Payment Denial"}


def test_every_survey_has_its_day(nation: Nation) -> None:
    """Also one that found nothing; the summary counts what the citation file puts in a cycle."""
    dates = nation.of("NH_SurveyDates", "clean")
    assert [(row["Survey Date"], row["Type of Survey"]) for row in dates[:2]] == [
        ("2025-11-03", "Fire Safety Standard"),
        ("2025-11-03", "Health Standard"),
    ]
    kinds = {row["Type of Survey"] for row in nation.files["NH_SurveyDates"]}
    assert kinds == {"Health Standard", "Health Complaint", "Infection Control", "Fire Safety Standard"}
    for row in nation.of("NH_SurveySummary", "lettered"):
        cited_then = [r for r in nation.of("NH_HealthCitations", "lettered") if r["Inspection Cycle"] == row["Inspection Cycle"]]
        assert row["Total Number of Health Deficiencies"] == str(len(cited_then))
        counts = [int(row[c]) for c in row if c.startswith("Count of ")]
        health, fire = sum(counts[:10]), sum(counts[10:])
        assert (health, fire) == (len(cited_then), int(row["Total Number of Fire Safety Deficiencies"]))
    assert {row["Deficiency Prefix and Number"] for row in nation.files["NH_CitationDescriptions"]} == {
        f"F-{t.padded}" for t in TAGS.values()
    }


@pytest.mark.parametrize("key", [plant.key for plant in PLANTS if plant.earned])
def test_planted_measures_hold_what_was_counted_by_hand(key: str, nation: Nation) -> None:
    for measure, points in BY_KEY[key].earned.items():
        if measure == "qm_rating":
            found = nation.rating(key, measure)
        else:
            found = nation.component(key, measure, "points" if measure in MEASURES else "value")
        assert found == ("" if points is None else str(points)), measure


def test_files_print_the_values_that_are_scored(nation: Nation) -> None:
    """Proportions to four decimals, half up; nothing is shown with footnote 9."""
    shown: dict[tuple[str, str], tuple[str, str]] = {}
    for stem, column, footnote in (
        ("NH_QualityMsr_MDS", "Four Quarter Average Score", "Footnote for Four Quarter Average Score"),
        ("NH_QualityMsr_Claims", "Adjusted Score", "Footnote for Score"),
    ):
        shown |= {(row[CCN], row["Measure Code"]): (row[column], row[footnote]) for row in nation.files[stem]}
    scores = {"S_005_02_DTC_RS_RATE", "S_038_02_ADJ_RATE", "S_042_02_OBS_RATE"}
    for row in nation.files[QRP_FILE]:
        if row["Measure Code"] in scores:
            blank = row["Score"] == "Not Available"
            shown[row[CCN], row["Measure Code"][:5]] = ("" if blank else row["Score"], row["Footnote"].replace("-", ""))
    for ccn in nation.homes:
        for code, measure in MEASURES.items():
            value, source, reason = (nation.truth[ccn, "rating_components", code, c] for c in ("value", "value_source", "reason"))
            printed, footnote = shown.get((ccn, code), ("", "no row"))
            assert (source == "published") == bool(printed)
            assert {"": reason in ("", "few_measures"), "9": reason == "too_few_residents", "no row": reason == "not_in_file"}[
                footnote
            ]
            if printed:
                per = 1 if measure.per_days else 100
                assert value == str((Decimal(printed) / per).quantize(Decimal("0.0001"), ROUND_HALF_UP))
                assert len(printed.split(".")[1]) == (2 if measure.file == QRP else 6)


def test_a_value_that_is_not_shown_is_the_mean_of_its_state(nation: Nation) -> None:
    ccn = nation.planted["footnote_9"]
    shown = [
        Decimal(row["Four Quarter Average Score"])
        for row in nation.files["NH_QualityMsr_MDS"]
        if row["Measure Code"] == "479"
        and row["State"] == "IL"
        and row["Four Quarter Average Score"]
        and row[CCN] in nation.homes
    ]
    mean = (sum(shown) / len(shown) / 100).quantize(Decimal("0.0001"), ROUND_HALF_UP)
    assert (
        nation.component("footnote_9", "479", "value") == str(mean)
        and nation.component("footnote_9", "479", "value_source") == "imputed"
    )
    points = [int(nation.component("footnote_9", code, "points")) for code in stay_of(MEASURES, LONG)]
    assert nation.component("footnote_9", "long_stay_qm_score", "value") == str(sum(points))
    assert nation.excluded("footnote_9") == {("479", "too_few_residents")}
    assert nation.homes[ccn]["QM Rating"] == nation.rating("footnote_9", "qm_rating") == "5"


def test_stars_that_are_not_there_say_why(nation: Nation) -> None:
    none = nation.homes[nation.planted["no_measures"]]
    assert (none["QM Rating"], none["QM Rating Footnote"], none["Long-Stay QM Rating Footnote"]) == ("", "2", "2")
    few = nation.homes[nation.planted["few_long"]]
    assert (few["Long-Stay QM Rating"], few["Long-Stay QM Rating Footnote"], few["QM Rating"]) == (
        "",
        "2",
        few["Short-Stay QM Rating"],
    )
    assert (
        nation.component("few_long", "401", "reason") == "few_measures"
        and nation.component("few_long", "401", "max_points") == ""
    )
    assert ("long_stay_qm_score", "few_measures") in nation.excluded("few_long")
    assert ("short_stay_qm_score", "few_measures") in nation.excluded("few_short")
    assert ("999", "unknown_measure") in nation.excluded("unknown_measure")
    focus = nation.homes[nation.planted["special_focus"]]
    assert (focus["QM Rating"], focus["QM Rating Footnote"]) == ("", "18")


def test_measures_that_are_not_rated_are_in_the_file(nation: Nation) -> None:
    rows = {row["Measure Code"]: row for row in nation.of("NH_QualityMsr_MDS", "band_edge")}
    unused = {code for code, row in rows.items() if row["Used in Quality Measure Five Star Rating"] == "N"}
    assert unused == {"404", "408", "409", "415", "430", "452", "454", "472", "480"}
    assert rows["401"]["Measure Period"] == "2025Q2-2026Q1" and rows["454"]["Measure Period"] == "2024Q3-2025Q2"
    assert rows["454"]["Footnote for Q1 Measure Score"] == "28" and rows["454"]["Four Quarter Average Score"]
    quarters = [Decimal(rows["401"][f"Q{n} Measure Score"]) for n in (1, 2, 3, 4)]
    assert rows["401"]["Four Quarter Average Score"] == "6.625000" and min(quarters) <= Decimal("6.625") <= max(quarters)


def test_a_home_for_a_risk_based_survey(nation: Nation) -> None:
    assert nation.rating("risk_based", "overall_rating") == "5" and int(nation.rating("risk_based", "staffing_rating")) >= 3


def test_a_home_that_provider_info_lacks_is_in_other_files(nation: Nation) -> None:
    assert [len(nation.of(stem, "pbj_only")) for stem in HEADERS if HEADERS[stem][0] == CCN] == [1, 1, 2, 0, 1, 0, 0]
    assert {k[1] for k in nation.truth if k[0] == nation.planted["pbj_only"]} == {"exclusions"}


def test_ages_count_from_the_first_of_the_month() -> None:
    assert (months_before(RELEASE_DAY, 12), months_before(date(2026, 1, 1), 36)) == (date(2025, 7, 1), date(2023, 1, 1))
    assert [age_label(day, RELEASE_DAY) for day in (date(2025, 7, 1), date(2025, 6, 30), date(2024, 6, 30))] == [1, 2, 3]


def test_the_nearest_standard_citation_takes_the_higher_points() -> None:
    """At equal distance the earlier one, which is of the older cycle."""
    newer, older = Survey(date(2026, 2, 20), STANDARD, 1), Survey(date(2026, 2, 10), STANDARD, 2)
    complaint = Survey(date(2026, 2, 15), COMPLAINT, 1)
    found = scored([cited(newer, "F689", "D"), cited(older, "F689", "D"), cited(complaint, "F689", "G")], RELEASE_DAY)
    assert [(one.cycle, one.points) for one in found] == [(1, 4), (2, 20), (0, 0)]
    assert cited(newer, "F689", "D").corrected == DATED and Cycle(1, 1, 0, 0, 35, 2).score == 53
