"""Rows of the files of inspections: citations, their summary, survey dates, penalties and the look-up of tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from pipelines.sample.fire import fire_citations
from pipelines.sample.provider import CCN, Listing
from pipelines.sample.surveys import COMPLAINT, INFECTION_CONTROL, STANDARD
from pipelines.sample.tags import TAGS
from schemas.files import layout

TYPES = {STANDARD: "Health Standard", COMPLAINT: "Health Complaint", INFECTION_CONTROL: "Infection Control"}

Rows = Iterator[dict[str, str]]


def _flag(value: bool) -> str:
    return "Y" if value else "N"


def citations(homes: list[Listing], processed: str) -> Rows:
    """NH_HealthCitations."""
    for home in homes:
        same = home.where | {"Location": home.row["Location"], "Processing Date": processed}
        for one in home.history.in_file:
            tag = TAGS[one.tag]
            yield {
                **same,
                "Survey Date": one.day.isoformat(),
                "Survey Type": "Health",
                "Deficiency Prefix": "F",
                "Deficiency Category": tag.category,
                "Deficiency Tag Number": tag.padded,
                "Deficiency Description": tag.description,
                "Scope Severity Code": one.letter,
                "Deficiency Corrected": one.corrected,
                "Correction Date": one.corrected_on.isoformat(),
                "Inspection Cycle": str(one.label),
                "Standard Deficiency": _flag(one.standard),
                "Complaint Deficiency": _flag(one.complaint),
                "Infection Control Inspection Deficiency": _flag(one.infection_control),
                "Citation under IDR": "N",
                "Citation under IIDR": "N",
            }


def deficiencies(home: Listing, label: int) -> int:
    """Health deficiencies that CMS's files put in a cycle."""
    return sum(one.label == label for one in home.history.citations)


def survey_summary(homes: list[Listing], release: str, processed: str) -> Rows:
    """NH_SurveySummary: a row a standard survey, with the deficiencies of its cycle by category."""
    counted = [column for column in layout("survey_summary", release) if column.startswith("Count of ")]
    for home in homes:
        for survey in home.history.surveys:
            if survey.kind != STANDARD:
                continue
            found = Counter(TAGS[c.tag].category for c in home.history.citations if c.label == survey.label)
            fire = Counter(tag.category for tag, _ in fire_citations(home, survey.label))
            counts = {_count_of(category): str(number) for category, number in (found + fire).items()}
            yield {
                **home.where,
                **dict.fromkeys(counted, "0"),
                **counts,
                "Inspection Cycle": str(survey.label),
                "Health Survey Date": survey.day.isoformat(),
                "Fire Safety Survey Date": survey.day.isoformat(),
                "Total Number of Health Deficiencies": str(found.total()),
                "Total Number of Fire Safety Deficiencies": str(fire.total()),
                "Location": home.row["Location"],
                "Processing Date": processed,
            }


def _count_of(category: str) -> str:
    """The summary's column of a category: its commas are left out."""
    return f"Count of {category.replace(', and', ' and').replace(',', ' and')}"


def survey_dates(homes: list[Listing], processed: str) -> Rows:
    """NH_SurveyDates: every survey, also without a citation; fire safety is looked at with each standard survey."""
    for home in homes:
        kinds = [(one.day, TYPES[one.kind], one.label) for one in home.history.surveys]
        kinds += [(one.day, "Fire Safety Standard", one.label) for one in home.history.surveys if one.kind == STANDARD]
        for day, kind, label in sorted(kinds, key=lambda found: (-found[0].toordinal(), found[1])):
            when = {"Survey Date": day.isoformat(), "Type of Survey": kind, "Survey Cycle": str(label)}
            yield {CCN: home.ccn, **when, "Processing Date": processed}


def penalties(homes: list[Listing], processed: str) -> Rows:
    """NH_Penalties; two equal fines of a day are two equal rows, told apart by the number that fines have since June 2026."""
    for home in homes:
        same = home.where | {"Location": home.row["Location"], "Processing Date": processed}
        for place, one in enumerate(home.penalties):
            row = {**same, "Penalty Date": one.day.isoformat()}
            if one.dollars:
                yield {
                    **row,
                    "Penalty Type": "Fine",
                    "Fine Amount": f"{one.dollars}.00",
                    "Fine ID": str(100_000 + 10 * home.number + place),
                }
            else:
                starts = (one.day + timedelta(days=30)).isoformat()
                denied = {"Payment Denial Start Date": starts, "Payment Denial Length in Days": str(one.denied_days)}
                yield {**row, "Penalty Type": "Payment Denial", **denied}


def citation_descriptions() -> Rows:
    """NH_CitationDescriptions: the tags that this nation knows."""
    for tag in TAGS.values():
        yield {
            "Deficiency Prefix": "F",
            "Deficiency Tag Number": tag.padded,
            "Deficiency Prefix and Number": f"F-{tag.padded}",
            "Deficiency Description": tag.description,
            "Deficiency Category": tag.category,
        }
