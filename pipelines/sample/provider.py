"""A home as Care Compare shows it: its ProviderInfo row, and what the other files hold of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

import numpy as np

from pipelines.sample import measures, penalties, surveys
from pipelines.sample.home import NATION_INDEX, Home, case_mix
from pipelines.sample.inspections import Cycle, cycles_of, has_abuse_icon, weighted
from pipelines.sample.measures import LONG, SHORT, Quality
from pipelines.sample.penalties import Penalty
from pipelines.sample.plants import Plant
from pipelines.sample.quality import OVERALL, published_stars
from pipelines.sample.rules import cycle_ages, earns_minimum, half_up
from pipelines.sample.surveys import History
from pipelines.sample.truth import COMPONENT, Truth
from pipelines.sample.window import Window

REPORTED = {
    "nurse_aide": "Reported Nurse Aide Staffing Hours per Resident per Day",
    "lpn": "Reported LPN Staffing Hours per Resident per Day",
    "rn": "Reported RN Staffing Hours per Resident per Day",
    "total_nurse": "Reported Total Nurse Staffing Hours per Resident per Day",
    "weekend_total_nurse": "Total number of nurse staff hours per resident per day on the weekend",
    "weekend_rn": "Registered Nurse hours per resident per day on the weekend",
}
STEM = {
    "nurse_aide": "Nurse Aide",
    "lpn": "LPN",
    "rn": "RN",
    "total_nurse": "Total Nurse",
    "weekend_total_nurse": "Weekend Total Nurse",
}
TURNOVER = {
    "total_nurse": ("Total nursing staff turnover", "Total nursing staff turnover footnote"),
    "rn": ("Registered Nurse turnover", "Registered Nurse turnover footnote"),
    "administrator": ("Number of administrators who have left the nursing home", "Administrator turnover footnote"),
}
CCN = "CMS Certification Number (CCN)"
WHERE = (CCN, "Provider Name", "Provider Address", "City/Town", "State", "ZIP Code")  # with which most files begin
STARS = ("Overall", "Health Inspection", "QM", "Long-Stay QM", "Short-Stay QM", "Staffing")
TWO_SURVEYS = (40, 31)  # every fortieth home, first that of this number, has had two standard surveys
THREE_DECIMALS = "2025-09"  # the one release that printed turnover so
TWO_LINES, CURLY, BY_ZIP_CODE = (
    (40, 9),
    (20, 3),
    (60, 17),
)  # homes with such an address, such a legal name, such a geocode: likewise
OWNERS = ("For profit - Corporation", "For profit - Limited Liability company", "Non profit - Corporation", "Government - County")


def printed(value: Fraction | None, digits: int) -> str:
    """A number as CMS prints it: rounded half up, all digits shown; blank for none."""
    if value is None:
        return ""
    whole = half_up(value, digits) * 10**digits
    text = f"{int(whole):0{digits + 1}d}"
    return f"{text[:-digits]}.{text[-digits:]}" if digits else text


@dataclass
class Listing:
    """A home in the making as Care Compare shows it; stars that need the whole state are filled in last."""

    row: dict[str, str]
    number: int
    plant: str
    state: str
    listed: bool  # has a row in ProviderInfo
    ranked: bool  # takes part in the ranking of its state
    history: History
    cycles: tuple[Cycle, ...]
    score: Fraction  # the true weighted health survey score
    penalties: tuple[Penalty, ...]
    quality: Quality
    abuse_icon: bool
    staffing: int | None
    true_staffing: int | None  # the star that is published wrongly where a plant says so
    qm: int | None
    held: bool = False  # the abuse icon holds the inspection star down
    health: int | None = None
    overall: int | None = None  # with the true staffing star

    @property
    def ccn(self) -> str:
        """The certification number."""
        return self.row[CCN]

    @property
    def where(self) -> dict[str, str]:
        """Who and where the home is, as most files begin."""
        return {column: self.row[column] for column in WHERE}


def listing_of(home: Home, found: Truth, window: Window, seed: int, plant: Plant | None) -> Listing:
    """A home; staffing cells come from the truth, surveys and measures from the plant, all else from the seed and the number."""
    about, visits, fines, values = (np.random.default_rng([seed, stream, home.who.number]) for stream in (11, 13, 15, 17))
    day = window.release_day
    standard = 2 if _is_one_of(TWO_SURVEYS, home) else 3
    history = plant.inspected(day) if plant and plant.inspected else surveys.draw(day, visits, standard)
    cycles = cycles_of(history, day)
    fined = penalties.draw(day, fines) if home.in_provider_info else ()
    quality = measures.draw(window.release, values, plant.measured if plant else None)
    stars = published_stars(quality, window.release)
    icon = has_abuse_icon(history.citations, day)
    shown = home.focus != "SFF" and home.staffing_footnote != "1"
    row = _about(home, window, about) | _staffing_cells(home, found, window.release)
    row |= _inspection_cells(history, cycles, window.release) | _penalty_cells(fined)
    row["Abuse Icon"] = "Y" if icon else "N"
    why = "18" if home.focus == "SFF" else "1"
    for name in STARS:
        row[f"{name} Rating Footnote"] = "" if shown else why
    if shown:
        for domain, name in ((OVERALL, "QM"), (LONG, "Long-Stay QM"), (SHORT, "Short-Stay QM")):
            row[f"{name} Rating"] = "" if stars[domain] is None else str(stars[domain])
            row[f"{name} Rating Footnote"] = "2" if stars[domain] is None else ""
        row["Staffing Rating"] = "" if found.star is None else str(found.star)
        row["Staffing Rating Footnote"] = _staffing_footnote(home, found)
    if row.get("Staffing Rating") and home.published.get("Staffing Rating"):
        row["Staffing Rating"] = str(found.star + 1 if found.star and found.star < 5 else 4)
    row |= {column: text for column, text in home.published.items() if column != "Staffing Rating"}
    return Listing(
        row=row,
        number=home.who.number,
        plant=home.who.plant,
        state=home.who.state,
        listed=home.in_provider_info,
        ranked=shown and home.in_provider_info,
        history=history,
        cycles=cycles,
        score=weighted([cycle.score for cycle in cycles], window.release),
        penalties=fined,
        quality=quality,
        abuse_icon=icon,
        staffing=int(row["Staffing Rating"]) if row.get("Staffing Rating") else None,
        true_staffing=found.star,
        qm=stars[OVERALL],
    )


def _is_one_of(every: tuple[int, int], home: Home) -> bool:
    return home.who.number % every[0] == every[1]


def _staffing_footnote(home: Home, found: Truth) -> str:
    if home.staffing_footnote:
        return home.staffing_footnote
    if found.reason == "no_rn_days":
        return "24"
    return "" if found.star is not None else "6"


def _staffing_cells(home: Home, found: Truth, release: str) -> dict[str, str]:
    """Hours and turnover as published; nothing where the levels are not valid."""
    row: dict[str, str] = {}
    held_back = home.staffing_footnote in ("2", "23", "25") or any(found.level_exclusion.values())
    note = home.staffing_footnote if home.staffing_footnote in ("2", "23", "25") else "6"
    row["Reported Staffing Footnote"] = row["Physical Therapist Staffing Footnote"] = note if held_back else ""
    if not held_back:
        for measure, column in REPORTED.items():
            row[column] = printed(found.reported[measure], 5)
        rn, lpn = found.reported["rn"], found.reported["lpn"]
        row["Reported Licensed Staffing Hours per Resident per Day"] = printed((rn or Fraction(0)) + (lpn or Fraction(0)), 5)
        row["Reported Physical Therapist Staffing Hours per Resident Per Day"] = printed(_therapists(home), 5)
        for measure, stem in STEM.items():
            row[f"Adjusted {stem} Staffing Hours per Resident per Day"] = printed(found.adjusted[measure], 5)
    if not held_back or (note == "6" and not all(found.level_exclusion.values())):
        row["Nursing Case-Mix Index"] = printed(Fraction(home.index, 100_000), 5)
        row["Nursing Case-Mix Index Ratio"] = printed(Fraction(home.index, NATION_INDEX), 5)
        for measure, stem in STEM.items():
            row[f"Case-Mix {stem} Staffing Hours per Resident per Day"] = printed(
                Fraction(case_mix(measure, home.index), 100_000), 5
            )
    for measure, (value, footnote) in TURNOVER.items():
        result = found.turnover[measure]
        word = result.exclusions[0] if result.exclusions else ""
        if word:
            row[value], row[footnote] = "", "26" if word in earns_minimum(release) else "27"
        else:
            digits = 3 if release == THREE_DECIMALS else 1
            row[value] = (
                str(result.departures) if COMPONENT[measure] == "administrator_departures" else printed(result.pct, digits)
            )
            row[footnote] = ""
    return row


def _therapists(home: Home) -> Fraction:
    return Fraction(int(home.rows.cents[home.rows.code == 21].sum()), max(1, int(home.census.sum()) * 100))


def _about(home: Home, window: Window, rng: np.random.Generator) -> dict[str, str]:
    who = home.who
    shown = home.census[window.levels]
    beds = int(max(home.census.max() * rng.uniform(1.05, 1.5), 10))
    street = f"{int(rng.integers(1, 9999))} {('MAIN STREET', 'FRANKLIN RD, SW', 'OAK AVENUE')[rng.integers(3)]}"
    if _is_one_of(TWO_LINES, home):
        street += "\nSUITE 200"
    company = f"OWNERS’ COMPANY OF {who.name}" if _is_one_of(CURLY, home) else f"{who.name} LLC"
    first = date(1967, 1, 1) + timedelta(days=int(rng.integers(0, 20000)))
    county = f"{int(rng.integers(0, 990)):03d}"
    return {
        CCN: who.ccn,
        "Provider Name": who.name,
        "Provider Address": street,
        "City/Town": who.city,
        "State": who.state,
        "ZIP Code": who.zip_code,
        "Telephone Number": f"{int(rng.integers(201, 989))}555{int(rng.integers(0, 10000)):04d}",
        "Provider SSA County Code": county,
        "County/Parish": who.county,
        "Urban": "Y" if rng.random() < 0.7 else "N",
        "Ownership Type": OWNERS[rng.integers(len(OWNERS))],
        "Number of Certified Beds": str(beds),
        "Average Number of Residents per Day": printed(Fraction(int(shown.sum()), len(shown)), 1),
        "Provider Type": "Medicare and Medicaid",
        "Provider Resides in Hospital": "N",
        "Legal Business Name": "Legal Business Name Not Available" if rng.random() < 0.3 else company,
        "Date First Approved to Provide Medicare and Medicaid Services": first.isoformat(),
        "Continuing Care Retirement Community": "Y" if rng.random() < 0.1 else "N",
        "Special Focus Status": home.focus,
        "Most Recent Health Inspection More Than 2 Years Ago": "N",
        "Provider Changed Ownership in Last 12 Months": "Y" if rng.random() < 0.06 else "N",
        "With a Resident and Family Council": ("Resident", "Both", "None")[rng.integers(3)],
        "Automatic Sprinkler Systems in All Required Areas": "Yes",
        "Location": f"{street},{who.city},{who.state},{who.zip_code}",
        "Latitude": f"{rng.uniform(25, 48):.4f}",
        "Longitude": f"{-rng.uniform(70, 122):.4f}",
        "Geocoding Footnote": "22" if _is_one_of(BY_ZIP_CODE, home) else "",
    }


def _inspection_cells(history: History, cycles: tuple[Cycle, ...], release: str) -> dict[str, str]:
    """The rating cycles and the weighted score, with the points that only CMS has; where two cycles count, the second is called 2/3."""
    days = {one.label: one.day.isoformat() for one in history.surveys if one.kind == surveys.STANDARD}
    merged = len(cycle_ages(release)) == 2
    row: dict[str, str] = {}
    for number, cycle in enumerate(cycles, 1):
        extra = history.extra if number == 1 else 0
        label = "2/3" if merged and number == 2 else str(number)
        surveyed = "Standard Survey Health Date" if number == 1 else "Standard Health Survey Date"
        row[f"Rating Cycle {number} {surveyed}"] = days.get(number, "")
        row[f"Rating Cycle {label} Total Number of Health Deficiencies"] = str(cycle.total)
        row[f"Rating Cycle {number} Number of Standard Health Deficiencies"] = str(cycle.standard)
        row[f"Rating Cycle {label} Number of Complaint Health Deficiencies"] = str(cycle.complaint)
        row[f"Rating Cycle {label} Health Deficiency Score"] = str(cycle.deficiency_score + extra)
        row[f"Rating Cycle {label} Number of Health Revisits"] = str(cycle.revisits)
        row[f"Rating Cycle {label} Health Revisit Score"] = str(cycle.revisit_score)
        row[f"Rating Cycle {label} Total Health Score"] = str(cycle.score + extra)
    score = weighted([cycle.score + (history.extra if number == 0 else 0) for number, cycle in enumerate(cycles)], release)
    row["Total Weighted Health Survey Score"] = printed(score, 3)
    row["Number of Citations from Infection Control Inspections"] = str(sum(cycle.infection_control for cycle in cycles))
    complaints = str(sum(one.kind == surveys.COMPLAINT and one.label < 3 for one in history.surveys))
    row["Number of Substantiated Complaints"] = row["Number of Complaints that Resulted in a Citation"] = complaints
    row["Number of Facility Reported Incidents"] = str(sum(history.fire) // 3)
    return row


def _penalty_cells(fined: tuple[Penalty, ...]) -> dict[str, str]:
    fines = [one.dollars for one in fined if one.dollars]
    return {
        "Number of Fines": str(len(fines)),
        "Total Amount of Fines in Dollars": f"{sum(fines)}.00",
        "Number of Payment Denials": str(len(fined) - len(fines)),
        "Total Number of Penalties": str(len(fined)),
    }
