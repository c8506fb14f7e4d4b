"""Rows of the files of inspections: citations, their summary, survey dates, penalties and the look-up of tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from pipelines.sample import layouts
from pipelines.sample.provider import Listing
from pipelines.sample.surveys import COMPLAINT, INFECTION_CONTROL, STANDARD
from pipelines.sample.tags import TAGS

TYPES = {STANDARD: "Health Standard", COMPLAINT: "Health Complaint", INFECTION_CONTROL: "Infection Control"}
FIRE = "Count of Smoke Deficiencies"  # where every fire safety deficiency is counted
PREFIX = 6  # columns of who and where a home is, the same in all these files and in ProviderInfo

Rows = Iterator[list[str]]


def who_of(home: Listing) -> list[str]:
    """Who and where a home is, as every file begins."""
    return [home.row[column] for column in layouts.PROVIDER_INFO[:PREFIX]]


def _flag(value: bool) -> str:
    return "Y" if value else "N"


def citations(homes: list[Listing], processed: str) -> Rows:
    """NH_HealthCitations."""
    for home in homes:
        who, end = who_of(home), [home.row["Location"], processed]
        for one in home.history.in_file:
            tag = TAGS[one.tag]
            what = [one.day.isoformat(), "Health", "F", tag.category, tag.padded, tag.description, one.letter]
            corrected = [one.corrected, one.corrected_on.isoformat(), str(one.label)]
            flags = [_flag(one.standard), _flag(one.complaint), _flag(one.infection_control), "N", "N"]
            yield [*who, *what, *corrected, *flags, *end]


def deficiencies(home: Listing, label: int) -> int:
    """Health deficiencies that CMS's files put in a cycle."""
    return sum(one.label == label for one in home.history.citations)


def survey_summary(homes: list[Listing], processed: str) -> Rows:
    """NH_SurveySummary: a row a standard survey, with the deficiencies of its cycle by category."""
    for home in homes:
        for survey in home.history.surveys:
            if survey.kind != STANDARD:
                continue
            found = Counter(TAGS[c.tag].category for c in home.history.citations if c.label == survey.label)
            fire = home.history.fire[survey.label - 1]
            counts = {_count_of(category): number for category, number in found.items()} | {FIRE: fire}
            day = survey.day.isoformat()
            yield [
                *who_of(home),
                *(str(survey.label), day, day, str(found.total()), str(fire)),
                *(str(counts.get(column, 0)) for column in layouts.SURVEY_SUMMARY if column.startswith("Count of ")),
                *(home.row["Location"], processed),
            ]


def _count_of(category: str) -> str:
    """The summary's column of a category: its commas are left out."""
    return f"Count of {category.replace(', and', ' and').replace(',', ' and')}"


def survey_dates(homes: list[Listing], processed: str) -> Rows:
    """NH_SurveyDates: every survey, also without a citation; fire safety is looked at with each standard survey."""
    for home in homes:
        kinds = [(one.day, TYPES[one.kind], one.label) for one in home.history.surveys]
        kinds += [(one.day, "Fire Safety Standard", one.label) for one in home.history.surveys if one.kind == STANDARD]
        for day, kind, label in sorted(kinds, key=lambda found: (-found[0].toordinal(), found[1])):
            yield [home.ccn, day.isoformat(), kind, str(label), processed]


def penalties(homes: list[Listing], processed: str) -> Rows:
    """NH_Penalties; two equal fines of a day are two equal rows."""
    for home in homes:
        for one in home.penalties:
            fine = ["Fine", f"{one.dollars}.00", "", ""]
            denied = ["Payment Denial", "", (one.day + timedelta(days=30)).isoformat(), str(one.denied_days)]
            yield [*who_of(home), one.day.isoformat(), *(fine if one.dollars else denied), home.row["Location"], processed]


def citation_descriptions() -> Rows:
    """NH_CitationDescriptions: the tags that this nation knows."""
    for tag in TAGS.values():
        yield ["F", tag.padded, f"F-{tag.padded}", tag.description, tag.category]
