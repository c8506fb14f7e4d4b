"""Vaccination against COVID-19: of homes, and the means of states and nation. CMS's files of it are named by a day of the month."""

from __future__ import annotations

from statistics import mean

from pipelines.sample.provider import CCN, Listing
from pipelines.sample.survey_files import Rows

RESIDENTS = "Percent of residents who are up-to-date on their vaccines"
STAFF = "Percent of staff who are up-to-date on their vaccines"
AS_OF = "Date vaccination data last updated"
BEFORE = {  # what the file of homes counted in the first years
    "Percent Vaccinated Residents": 40.0,
    "Percent Vaccinated Healthcare Personnel": 45.0,
    "Percent of Fully Vaccinated Residents who Received a Booster Dose": 30.0,
    "Percent of Fully Vaccinated Staff who Received a Booster Dose": 20.0,
}


def _percents(home: Listing) -> tuple[float, float]:
    return home.number * 37 % 900 / 10, home.number * 13 % 300 / 10


def of_homes(homes: list[Listing], as_of: str) -> Rows:
    """NH_CovidVaxProvider."""
    for home in homes:
        residents, staff = _percents(home)
        before = {column: f"{min(100.0, residents + more):.1f}" for column, more in BEFORE.items()}
        yield {CCN: home.ccn, "State": home.state, RESIDENTS: f"{residents:.1f}", STAFF: f"{staff:.1f}", AS_OF: as_of} | before


def of_states(homes: list[Listing], as_of: str) -> Rows:
    """NH_CovidVaxAverages: the nation first."""
    groups: dict[str, list[Listing]] = {"US": homes}
    for home in sorted(homes, key=lambda one: one.state):
        groups.setdefault(home.state, []).append(home)
    for state, members in groups.items():
        residents, staff = (mean(values) for values in zip(*map(_percents, members), strict=True))
        yield {"State": state, RESIDENTS: f"{residents:.1f}", STAFF: f"{staff:.1f}", AS_OF: as_of}
