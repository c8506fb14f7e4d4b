"""Citations to points of a rating cycle: each rule by a small case with a known answer."""

from __future__ import annotations

import csv
from typing import Any

import pytest

from pipelines.periods import RULES
from tests.support import Bench

HOME = "015009"
SCORED = ("inspections.citations", "inspections.citation_gaps", "inspections.cycles")
PAST = "Past Non-Compliance"


def cited(day: str, tag: str, letter: str, kind: str = "complaint", cycle: int | None = 1, **more: Any) -> dict[str, Any]:
    """A citation as staged; `kind` sets CMS's flags."""
    return {
        "ccn": HOME,
        "survey_date": day,
        "survey_type": "Health",
        "deficiency_prefix": tag[0],
        "tag_number": f"{int(tag[1:]):04}",
        "scope_severity": letter,
        "inspection_cycle": cycle,
        "is_standard": kind == "standard",
        "is_complaint": kind == "complaint",
        "is_infection_control": kind == "infection_control",
        **more,
    }


def scored(*citations: dict[str, Any], month: str = "2026-07", inputs: str = "best", **home: Any) -> Bench:
    """Citations and cycles of one home whose provider file row says `home`."""
    bench = Bench(month, inputs=inputs)
    plain = {"cycle_1_revisits": 0, "cycle_2_revisits": 0, "cycle_3_revisits": 0}
    bench.put("current.provider_info", [{"ccn": HOME, "state": "AL", **plain, **home}])
    bench.put("current.health_citations", citations)
    bench.put("inputs.supplied", [("health_citations", month)])
    return bench.run(*SCORED, "inspections.abuse")


def points(bench: Bench) -> list[tuple[str, int, str | None]]:
    """Tag, points added and reason of each citation, in its order."""
    return bench.rows("select tag, points, reason from inspections.citations order by citation")


def cycles(bench: Bench) -> list[int | None]:
    """Points of the cycles from the citations."""
    return [
        None if row[0] is None else int(row[0])
        for row in bench.rows("select recomputed_score from inspections.cycles order by cycle")
    ]


LETTERS = [("A", 0, 0, None), ("B", 0, 0, None), ("C", 0, 0, None), ("D", 4, 4, None), ("E", 8, 8, None), ("F", 16, 20, None), ("G", 20, 20, None),
           ("H", 35, 40, None), ("I", 45, 50, None), ("J", 50, 75, 20), ("K", 100, 125, 20), ("L", 150, 175, 20)]  # fmt: skip


@pytest.mark.parametrize(("letter", "plain", "substandard", "past"), LETTERS)
def test_points_of_each_letter(letter: str, plain: int, substandard: int, past: int | None) -> None:
    """Methodology 4.1: F812 is no substandard quality of care, F689 is; past non-compliance at J, K and L counts as a G whatever the tag."""
    found = points(scored(cited("2026-01-05", "F689", letter), cited("2026-01-05", "F812", letter)))
    assert [row[:2] for row in found] == [("F689", substandard), ("F812", plain)]
    found = points(
        scored(cited("2026-01-05", "F689", letter, corrected=PAST), cited("2026-01-05", "F812", letter, corrected=PAST))
    )
    assert [row[1] for row in found] == ([substandard, plain] if past is None else [past, past])


def test_every_letter_of_the_rule_table_is_tested() -> None:
    """And no other is there."""
    with (RULES / "health_points.csv").open(newline="") as lines:
        assert [row["scope_severity"] for row in csv.DictReader(lines)] == [row[0] for row in LETTERS]


def test_tags_that_are_never_scored() -> None:
    """Methodology 4.1: F731 and F884; a tag of a life-safety survey is none of health."""
    bench = scored(
        cited("2026-01-05", "F731", "D"),
        cited("2026-01-05", "F884", "F"),
        cited("2026-01-05", "K222", "D"),
        cited("2026-01-05", "F689", "D", survey_type="Fire Safety"),
    )
    assert points(bench) == [
        ("F689", 0, "not_a_health_survey"),
        ("F731", 0, "unscored_tag"),
        ("F884", 0, "unscored_tag"),
        ("K222", 0, "not_a_health_survey"),
    ]
    assert cycles(bench) == [0, 0]


@pytest.mark.parametrize(("days", "expected"), [(0, [20, 0]), (15, [20, 0]), (16, [24, 0])])
def test_a_complaint_near_a_standard_survey_counts_once(days: int, expected: list[int]) -> None:
    """Methodology 4.4: within 15 days before or after, with the higher letter; 16 days apart both count."""
    for standard, complaint in ((f"2026-03-{1:02}", f"2026-03-{1 + days:02}"), (f"2026-03-{1 + days:02}", f"2026-03-{1:02}")):
        bench = scored(cited(standard, "F689", "D", "standard"), cited(complaint, "F689", "G"), cited(complaint, "F690", "B"))
        assert cycles(bench) == expected
    if days == 15:
        assert points(bench) == [("F689", 0, "counted_once"), ("F690", 0, None), ("F689", 20, "raised_by_complaint")]
        assert bench.rows("select counted_with from inspections.citations where reason = 'counted_once'") == [(3,)]


@pytest.mark.parametrize(
    ("standard", "complaint", "points", "reason"),
    [
        (("J", PAST), ("H", ""), 20, None),  # J is the higher letter, although H of substandard care has 40 points
        (("H", ""), ("J", PAST), 20, "raised_by_complaint"),
        (("J", PAST), ("J", ""), 75, "raised_by_complaint"),  # of equal letters more points
        (("J", ""), ("J", PAST), 75, None),
        (("D", ""), ("D", ""), 4, None),
    ],
)
def test_of_two_citations_of_a_tag_the_higher_letter_counts(
    standard: tuple[str, str], complaint: tuple[str, str], points: int, reason: str | None
) -> None:
    """R26: the letter decides, not the points; they part only beside past non-compliance and substandard care."""
    bench = scored(
        cited("2026-03-01", "F689", standard[0], "standard", corrected=standard[1]),
        cited("2026-03-10", "F689", complaint[0], corrected=complaint[1]),
    )
    assert cycles(bench)[0] == points
    found = bench.rows("select points, reason from inspections.citations where is_counted")
    assert found == [(points, reason or ("past_noncompliance" if standard[1] else None))]


def test_of_several_complaints_the_highest_letter_counts() -> None:
    """R26 over more than two: E, G and D of one tag within 15 days are one G of 20 points."""
    bench = scored(
        cited("2026-03-10", "F689", "E", "standard"), cited("2026-03-01", "F689", "G"), cited("2026-03-12", "F689", "D")
    )
    assert cycles(bench) == [20, 0]


def test_what_counts_once_stays_in_the_cycle_of_the_standard_survey() -> None:
    """A complaint of 13 months ago near a standard survey of cycle 1 adds to cycle 1, not to the second window."""
    bench = scored(cited("2025-06-20", "F689", "D", "standard", 1), cited("2025-06-10", "F689", "G"))
    assert cycles(bench) == [20, 0]


def test_a_complaint_that_is_not_scored_raises_nothing() -> None:
    """Nor does one stand back for a standard survey that is not scored."""
    assert cycles(scored(cited("2023-06-20", "F689", "D", "standard", 2), cited("2023-06-10", "F689", "G"))) == [0, 4]
    assert cycles(scored(cited("2025-12-20", "F689", "D", "standard", 3), cited("2025-12-10", "F689", "G"))) == [20, 0]


def test_infection_control_citations_count_instead_of_others() -> None:
    """Methodology 4.4: several of one tag within 15 days all count, and a standard or complaint one of the tag near them does not."""
    bench = scored(
        cited("2026-03-01", "F880", "F", "standard"),
        cited("2026-03-05", "F880", "D", "infection_control"),
        cited("2026-03-10", "F880", "E", "infection_control"),
        cited("2026-03-12", "F880", "G"),
    )
    assert points(bench) == [
        ("F880", 0, "infection_control_counts"),
        ("F880", 4, None),
        ("F880", 8, None),
        ("F880", 0, "infection_control_counts"),
    ]


@pytest.mark.parametrize(
    ("month", "day", "expected"),
    [
        ("2026-07", "2025-07-01", [4, 0]),
        ("2026-07", "2025-06-30", [0, 4]),
        ("2026-07", "2023-07-01", [0, 4]),
        ("2026-07", "2023-06-30", [0, 0]),
        ("2025-06", "2024-06-01", [4, 0, 0]),
        ("2025-06", "2024-05-31", [0, 4, 0]),
        ("2025-06", "2023-05-31", [0, 0, 4]),
        ("2025-06", "2022-05-31", [0, 0, 0]),
    ],
)
def test_complaints_count_by_their_age(month: str, day: str, expected: list[int]) -> None:
    """Methodology 4.3, R13: up to 12 months the first cycle, from July 2025 on up to 36 the second; CMS's own cycle label does not matter."""
    assert cycles(scored(cited(day, "F689", "D", cycle=3), month=month)) == expected


def test_standard_surveys_count_by_their_cycle() -> None:
    """From July 2025 on two cycles, before three, however old the survey is."""
    surveys = [cited(f"20{24 - 2 * cycle}-01-05", "F689", "DEF"[cycle - 1], "standard", cycle) for cycle in (1, 2, 3)]
    assert cycles(scored(*surveys)) == [4, 8]
    assert cycles(scored(*surveys, month="2025-06")) == [4, 8, 20]


@pytest.mark.parametrize(("revisits", "added"), [(0, 0), (1, 0), (2, 2), (3, 3), (4, 3), (6, 3)])
def test_revisits_add_to_the_points_of_the_cycle(revisits: int, added: int) -> None:
    """Methodology 4.2: 50, 70 and 85 percent, half up; more than four count like four (4 x 0.85 = 3.4)."""
    assert cycles(scored(cited("2026-01-05", "F689", "D"), cycle_1_revisits=revisits))[0] == 4 + added


def test_half_a_point_of_a_revisit_is_rounded_up() -> None:
    """557 points and a second revisit add 279 (seen in July 2026); here 35 add 18."""
    assert cycles(scored(cited("2026-01-05", "F812", "H"), cycle_1_revisits=2))[0] == 53


@pytest.mark.parametrize(
    ("citation", "reason"),
    [
        (cited("2026-01-05", "F689", "Z"), "unknown_scope_severity"),
        (cited("2026-01-05", "F689", None), "unknown_scope_severity"),  # type: ignore[arg-type]
        (cited("2027-01-05", "F689", "D"), "future_survey_date"),
        (cited("2026-01-05", "F689", "D", "standard", None), "unknown_cycle"),
        (cited("2026-01-05", "F689", "D", "none"), "unknown_survey_kind"),
    ],
)
def test_a_citation_that_cannot_be_scored_leaves_cms_points(citation: dict[str, Any], reason: str) -> None:
    """The home has no points of its own; under `best` CMS's stand, under `recomputed` none."""
    given = {"cycle_1_score": 44, "cycle_2_score": 8}
    bench = scored(citation, cited("2026-01-05", "F812", "D"), **given)
    select = "select score, value_source, exclusion from inspections.cycles order by cycle"
    assert bench.rows(select) == [(44, "published", reason), (8, "published", reason)]
    assert scored(citation, inputs="recomputed", **given).rows(select) == [(None, None, reason)] * 2


def test_a_home_without_citations() -> None:
    """CMS counts none: no points. CMS counts some: the file lacks them, and CMS's points stand."""
    select = "select score, value_source, exclusion from inspections.cycles order by cycle"
    clean = scored(cycle_1_score=0, cycle_2_score=0, cycle_1_citations=0, cycle_2_citations=0)
    assert clean.rows(select) == [(0, "recomputed", None)] * 2
    lacking = scored(cycle_1_score=12, cycle_2_score=0, cycle_1_citations=3, cycle_2_citations=0)
    assert lacking.rows(select) == [(12, "published", "not_in_citations"), (0, "published", "not_in_citations")]


@pytest.mark.parametrize("month", ["2026-07", "2025-06"])
def test_a_cycle_without_revisits_is_not_a_cycle_less(month: str) -> None:
    """The home has the cycle: under `recomputed` it has no score, and it is not too new."""
    bench = scored(month=month, inputs="recomputed", cycle_1_score=4, cycle_2_score=4, cycle_3_score=4, cycle_2_revisits=None,
                   cycle_1_citations=0, cycle_2_citations=0, cycle_3_citations=0)  # fmt: skip
    bench.run("inspections.scores")
    assert bench.rows("select score, status from inspections.scores") == [(None, "revisits_unknown")]


def test_a_blank_cycle_of_a_rated_home_leaves_cms_score() -> None:
    """CMS has a star: the home is not too new, whatever cell of it was lost."""
    bench = scored(cycle_1_score=20, weighted_health_score="16.667", health_inspection_rating=3).run("inspections.scores")
    assert bench.rows("select score::double, status, value_source from inspections.scores") == [(16.667, "rated", "published")]


def test_where_citations_part_from_cms() -> None:
    """A later survey or another count says that CMS scored other citations: its points stand. Otherwise ours do."""
    select = "select score, recomputed_score, value_source, parting from inspections.cycles where cycle = 1"
    one = cited("2026-01-05", "F689", "D", "standard")
    later = scored(one, cycle_1_score=20, cycle_1_citations=2, cycle_1_survey_date="2026-04-01")
    assert later.rows(select) == [(20, 4, "published", "survey_since")]
    more = scored(one, cycle_1_score=20, cycle_1_citations=2, cycle_1_survey_date="2026-01-05")
    assert more.rows(select) == [(20, 4, "published", "citations_differ")]
    other = scored(one, cycle_1_score=20, cycle_1_citations=1, cycle_1_survey_date="2026-01-05")
    assert other.rows(select) == [(4, 4, "recomputed", "differs")]


def test_a_parting_names_the_citation_that_would_explain_it() -> None:
    """20 points here, 16 at CMS: F689 F without substandard care, and nothing else, would fit; 4 at CMS: without the whole citation."""
    pair = (cited("2026-01-05", "F689", "F", "standard"), cited("2026-01-05", "F812", "D", "standard"))
    select = "select difference::int, explained_by from inspections.partings"
    assert scored(*pair, cycle_1_score=20, cycle_1_citations=2).run("inspections.partings").rows(select) == [
        (-4, "F689 F of 2026-01-05 not substandard, or F812 D of 2026-01-05 not counted")
    ]
    assert scored(*pair, cycle_1_score=4, cycle_1_citations=1).run("inspections.partings").rows(select) == [
        (-20, "F689 F of 2026-01-05 not counted")
    ]
    assert scored(*pair, cycle_1_score=24, cycle_1_citations=2).run("inspections.partings").rows(select) == []
    assert scored(*pair, cycle_1_score=99, cycle_1_citations=2).run("inspections.partings").rows(select) == [(75, None)]


@pytest.mark.parametrize(
    ("citations", "icon"),
    [
        ([cited("2026-01-05", "F600", "G")], True),
        ([cited("2025-06-05", "F600", "G")], False),
        ([cited("2024-01-05", "F600", "G", "standard")], True),
        ([cited("2026-01-05", "F600", "D")], False),
        ([cited("2026-01-05", "F689", "G")], False),
        ([cited("2025-01-05", "F602", "D", "standard", 1), cited("2024-01-05", "F600", "D", "standard", 2)], True),
        ([cited("2026-01-05", "F603", "D"), cited("2025-01-05", "F603", "D")], True),
        ([cited("2026-01-05", "F603", "D"), cited("2024-01-05", "F603", "D")], False),
        ([cited("2025-01-05", "F602", "D", "standard", 1), cited("2024-01-05", "F600", "D", "standard", 3)], False),
    ],
)
def test_the_abuse_icon_follows_from_citations(citations: list[dict[str, Any]], icon: bool) -> None:
    """Methodology 4.6: harm on the latest standard survey or in the last year; or repeated in two cycles running."""
    assert scored(*citations).rows("select recomputed_icon from inspections.abuse") == [(icon,)]


def test_the_icon_needs_neither_revisits_nor_other_tags() -> None:
    """Blank revisits leave the cycle without points, an unknown letter of another tag too, and the icon as the citations give it."""
    icon = "select recomputed_icon from inspections.abuse"
    assert scored(cited("2026-01-05", "F600", "G"), cycle_1_revisits=None).rows(icon) == [(True,)]
    assert scored(cited("2026-01-05", "F689", "G"), cycle_1_revisits=None).rows(icon) == [(False,)]
    assert scored(cited("2026-01-05", "F689", "Z")).rows(icon) == [(False,)]
    assert scored(cited("2026-01-05", "F600", "Z")).rows(icon) == [(None,)]
    assert scored(cited("2026-01-05", "F600", "Z"), cited("2026-02-05", "F602", "G")).rows(icon) == [(True,)]
    assert scored(cycle_1_citations=3, cycle_1_revisits=None).rows(icon) == [(None,)]


def printed_bands(*ranges: str | None) -> list[tuple[Any, ...]]:
    """Bands of a state that CMS prints so, five stars first."""
    names = ("five_stars", "four_stars", "three_stars", "two_stars", "one_star")
    bench = Bench("2026-07").put("current.state_cut_points", [{"state": "al", **dict(zip(names, ranges, strict=True))}])
    bench.run("inspections.printed_cut_points")
    return bench.rows(
        "select stars, lower::varchar, upper::varchar from inspections.printed_cut_points where scope = 'AL' order by stars desc"
    )


@pytest.mark.parametrize("printed", ["0.000-11.333", "0 - 11.333", "<= 11.333", "11.333", "0.000 to 11.333"])
def test_printed_cut_points_are_read_however_the_range_is_written(printed: str) -> None:
    """The numbers in the text count; a text without any has no cut point. Above "31-60" comes "> 60", which begins at 60.001."""
    bands = printed_bands(printed, "11.334-30", None, "31-1,060.5", "> 1,060.5")
    assert bands == [
        (5, "0.000", "11.333"),
        (4, "11.334", "30.000"),
        (3, None, None),
        (2, "31.000", "1060.500"),
        (1, "1060.501", None),
    ]


def test_printed_bands_never_overlap_or_run_backwards() -> None:
    """Edges printed twice belong to the better band; a blank is no band, and neither is what ends below a better one."""
    assert printed_bands("0-10", "10-20", "20-20", "20-57", ">57") == [
        (5, "0.000", "10.000"),
        (4, "10.001", "20.000"),
        (3, None, None),
        (2, "20.001", "57.000"),
        (1, "57.001", None),
    ]
    assert printed_bands("", "0-20", "5-7", None, "> 20") == [
        (5, None, None),
        (4, "0.000", "20.000"),
        (3, None, None),
        (2, None, None),
        (1, "20.001", None),
    ]
