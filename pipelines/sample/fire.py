"""Fire safety: what standard surveys cite of it, which no star counts, and the file of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from pipelines.sample.provider import Listing
from pipelines.sample.surveys import DATED, STANDARD


@dataclass(frozen=True)
class FireTag:
    """A tag of the life safety code."""

    number: str
    category: str
    description: str


FIRE_TAGS = (
    FireTag("0211", "Egress Deficiencies", "Keep every way out free of things that stand in it."),
    FireTag("0222", "Egress Deficiencies", "Have doors of exits that open, and open when the alarm goes off."),
    FireTag("0321", "Hazardous Area Deficiencies", "Shut off rooms with boilers, laundry, stores or rubbish from the corridor."),
    FireTag("0345", "Fire Alarm Systems Deficiencies", "Test the fire alarm as often as the code asks,\nand keep the record."),
    FireTag("0353", "Smoke Deficiencies", "Look after the sprinklers and test them."),
    FireTag("0363", "Corridor Walls and Doors Deficiencies", "Have corridor doors that close and latch."),
    FireTag("0712", "Emergency Plans and Fire Drills Deficiencies", "Hold a fire drill on each shift every quarter."),
    FireTag(
        "0920", "Gas, Vacuum, and Electrical Systems Deficiencies", "Use power strips and extension cords as they may be used."
    ),
)


def fire_citations(home: Listing, label: int) -> list[tuple[FireTag, str]]:
    """Tags and letters that the standard survey of a cycle cites."""
    first = home.number * 3 + label
    places = range(first, first + home.history.fire[label - 1])
    return [(FIRE_TAGS[place % len(FIRE_TAGS)], "DEF"[place % 3]) for place in places]


def fire_safety(homes: list[Listing], processed: str) -> Iterator[dict[str, str]]:
    """NH_FireSafetyCitations: like the health citations, of prefix K and with the version of the code."""
    for home in homes:
        same = home.where | {"Location": home.row["Location"], "Processing Date": processed}
        for survey in home.history.surveys:
            if survey.kind != STANDARD:
                continue
            for tag, letter in fire_citations(home, survey.label):
                yield {
                    **same,
                    "Survey Date": survey.day.isoformat(),
                    "Survey Type": "Fire Safety",
                    "Deficiency Prefix": "K",
                    "Deficiency Category": tag.category,
                    "Deficiency Tag Number": tag.number,
                    "Tag Version": "New",
                    "Deficiency Description": tag.description,
                    "Scope Severity Code": letter,
                    "Deficiency Corrected": DATED,
                    "Correction Date": (survey.day + timedelta(days=30)).isoformat(),
                    "Inspection Cycle": str(survey.label),
                    "Standard Deficiency": "Y",
                    "Complaint Deficiency": "N",
                    "Infection Control Inspection Deficiency": "N",
                    "Citation under IDR": "N",
                    "Citation under IIDR": "N",
                }
