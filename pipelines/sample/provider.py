"""A home as Care Compare shows it: one ProviderInfo row from the truth, and the surveys that have no source file here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

import numpy as np

from pipelines.sample.home import NATION_INDEX, Home, case_mix
from pipelines.sample.truth import COMPONENT, LEFT_OUT, Truth, half_up
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
STARS = ("Overall", "Health Inspection", "QM", "Long-Stay QM", "Short-Stay QM", "Staffing")
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
    """A ProviderInfo row in the making; stars that need the whole state are filled in last."""

    row: dict[str, str]
    state: str
    score: Fraction  # weighted health survey score
    ranked: bool  # takes part in the ranking of its state
    abuse_icon: bool
    staffing: int | None
    true_staffing: int | None  # the star that is published wrongly where a plant says so
    qm: int
    health: int | None = None
    overall: int | None = None  # with the true staffing star


def listing_of(home: Home, found: Truth, window: Window, seed: int) -> Listing:
    """The row of a home; staffing cells come from the truth, the rest is drawn from the seed and the home's number."""
    rng = np.random.default_rng([seed, 11, home.who.number])
    shown = home.focus != "SFF" and home.staffing_footnote != "1"
    row = _about(home, window, rng)
    row |= _staffing_cells(home, found)
    score, cycles = _surveys(window, rng)
    row |= cycles
    long_stay, short_stay = int(rng.integers(1, 6)), int(rng.integers(1, 6))
    qm = int(np.clip((long_stay + short_stay + 1) // 2, 1, 5))
    only_long = rng.random() < 0.2
    why = "18" if home.focus == "SFF" else "1"
    for name in STARS:
        row[f"{name} Rating Footnote"] = "" if shown else why
    if shown:
        row |= {"Long-Stay QM Rating": str(long_stay), "Short-Stay QM Rating": "" if only_long else str(short_stay)}
        row |= {"Short-Stay QM Rating Footnote": "2" if only_long else ""}
        qm = long_stay if only_long else qm
        row["QM Rating"] = str(qm)
        row["Staffing Rating"] = "" if found.star is None else str(found.star)
        row["Staffing Rating Footnote"] = _staffing_footnote(home, found)
    if row.get("Staffing Rating") and home.published.get("Staffing Rating"):
        row["Staffing Rating"] = str(found.star + 1 if found.star and found.star < 5 else 4)
    row |= {column: text for column, text in home.published.items() if column != "Staffing Rating"}
    staffing = int(row["Staffing Rating"]) if row.get("Staffing Rating") else None
    return Listing(row, home.who.state, score, shown, home.abuse_icon, staffing, found.star, qm)


def _staffing_footnote(home: Home, found: Truth) -> str:
    if home.staffing_footnote:
        return home.staffing_footnote
    if found.reason == "no_rn_days":
        return "24"
    return "" if found.star is not None else "6"


def _staffing_cells(home: Home, found: Truth) -> dict[str, str]:
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
            row[value], row[footnote] = "", "27" if word in LEFT_OUT else "26"
        else:
            row[value] = str(result.departures) if COMPONENT[measure] == "administrator_departures" else printed(result.pct, 1)
            row[footnote] = ""
    return row


def _therapists(home: Home) -> Fraction:
    return Fraction(int(home.rows.cents[home.rows.code == 21].sum()), max(1, int(home.census.sum()) * 100))


def _about(home: Home, window: Window, rng: np.random.Generator) -> dict[str, str]:
    who = home.who
    last = home.census[window.starts[5] :]
    beds = int(max(home.census.max() * rng.uniform(1.05, 1.5), 10))
    street = f"{int(rng.integers(1, 9999))} {('MAIN STREET', 'FRANKLIN RD, SW', 'OAK AVENUE')[rng.integers(3)]}"
    first = date(1967, 1, 1) + timedelta(days=int(rng.integers(0, 20000)))
    county = f"{int(rng.integers(0, 990)):03d}"
    fines = int(rng.poisson(0.9))
    denials = int(rng.poisson(0.15))
    return {
        "CMS Certification Number (CCN)": who.ccn,
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
        "Average Number of Residents per Day": printed(Fraction(int(last.sum()), len(last)), 1),
        "Provider Type": "Medicare and Medicaid",
        "Provider Resides in Hospital": "N",
        "Legal Business Name": "Legal Business Name Not Available" if rng.random() < 0.3 else f"{who.name} LLC",
        "Date First Approved to Provide Medicare and Medicaid Services": first.isoformat(),
        "Continuing Care Retirement Community": "Y" if rng.random() < 0.1 else "N",
        "Special Focus Status": home.focus,
        "Abuse Icon": "Y" if home.abuse_icon else "N",
        "Most Recent Health Inspection More Than 2 Years Ago": "N",
        "Provider Changed Ownership in Last 12 Months": "Y" if rng.random() < 0.06 else "N",
        "With a Resident and Family Council": ("Resident", "Both", "None")[rng.integers(3)],
        "Automatic Sprinkler Systems in All Required Areas": "Yes",
        "Number of Fines": str(fines),
        "Total Amount of Fines in Dollars": f"{fines * int(rng.integers(650, 40000))}.00",
        "Number of Payment Denials": str(denials),
        "Total Number of Penalties": str(fines + denials),
        "Location": f"{street},{who.city},{who.state},{who.zip_code}",
        "Latitude": f"{rng.uniform(25, 48):.4f}",
        "Longitude": f"{-rng.uniform(70, 122):.4f}",
    }


def _surveys(window: Window, rng: np.random.Generator) -> tuple[Fraction, dict[str, str]]:
    """Two rating cycles; the weighted score is three quarters of the first and one quarter of the second."""
    row: dict[str, str] = {}
    totals = []
    end = window.date(window.days - 1)
    for label, plain, surveyed in (("1", "1", "Standard Survey Health Date"), ("2/3", "2", "Standard Health Survey Date")):
        found = int(rng.poisson(8.0))
        complaints = int(rng.binomial(found, 0.3))
        score = 4 * found + (16 if rng.random() < 0.2 else 0) + (50 if rng.random() < 0.05 else 0)
        revisits = 1 if found else 0
        extra = 0
        if score and rng.random() < 0.06:
            revisits, extra = 2, (score + 1) // 2
        back = (30 if plain == "1" else 430) + int(rng.integers(0, 360))
        row[f"Rating Cycle {plain} {surveyed}"] = (end - timedelta(days=back)).isoformat()
        row[f"Rating Cycle {label} Total Number of Health Deficiencies"] = str(found)
        row[f"Rating Cycle {plain} Number of Standard Health Deficiencies"] = str(found - complaints)
        row[f"Rating Cycle {label} Number of Complaint Health Deficiencies"] = str(complaints)
        row[f"Rating Cycle {label} Health Deficiency Score"] = str(score)
        row[f"Rating Cycle {label} Number of Health Revisits"] = str(revisits)
        row[f"Rating Cycle {label} Health Revisit Score"] = str(extra)
        row[f"Rating Cycle {label} Total Health Score"] = str(score + extra)
        totals.append(score + extra)
    weighted = Fraction(3 * totals[0] + totals[1], 4)
    row["Total Weighted Health Survey Score"] = printed(weighted, 3)
    row["Number of Citations from Infection Control Inspections"] = "0"
    return weighted, row


def rank(listings: list[Listing]) -> None:
    """Health and overall stars, once every home of the nation is known (methodology 4.5, 6; R14, R23)."""
    by_state: dict[str, list[Fraction]] = {}
    for found in listings:
        if found.ranked:
            by_state.setdefault(found.state, []).append(found.score)
    nation = sorted(score for scores in by_state.values() for score in scores)
    for scores in by_state.values():
        scores.sort()
    for found in listings:
        if not found.ranked:
            continue
        scores = by_state[found.state] if len(by_state[found.state]) >= 5 else nation
        health = _health_star(found.score, scores)
        found.health = min(health, 2) if found.abuse_icon else health
        found.overall = _overall_star(found.health, found.true_staffing, found.qm)
        found.row["Health Inspection Rating"] = str(found.health)
        found.row["Overall Rating"] = str(_overall_star(found.health, found.staffing, found.qm))


def _overall_star(health: int, staffing: int | None, qm: int) -> int:
    overall = min(5, max(1, health + (staffing == 5) - (staffing == 1)))
    overall = min(5, max(1, overall + (qm == 5) - (qm == 1)))
    return min(overall, 2) if health == 1 else overall


def _health_star(score: Fraction, scores: list[Fraction]) -> int:
    for star, share in ((5, Fraction(1, 10)), (4, Fraction(1, 3)), (3, Fraction(17, 30)), (2, Fraction(4, 5))):
        position = -((-share.numerator * len(scores)) // share.denominator)
        if score <= scores[position - 1]:
            return star
    return 1
