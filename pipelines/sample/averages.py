"""The means of states and nation that Care Compare shows beside a home."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from pipelines.sample import survey_files
from pipelines.sample.home import NATION_INDEX, case_mix
from pipelines.sample.measure_files import DESCRIPTIONS
from pipelines.sample.measures import slot_of
from pipelines.sample.provider import STEM, Listing, printed
from pipelines.sample.survey_files import Rows
from schemas.files import layout

CODE_OF = {words.replace("-", " "): code for code, words in DESCRIPTIONS.items()} | {
    "Percentage of long stay residents whose ability to move independently worsened": "451",
    "Percentage of high risk long stay residents with pressure ulcers": "453",
    "Percentage of long stay low risk residents who lose control": "405",
    "Percentage of low risk long stay residents who lose control of their bowels or bladder": "405",
}
LIKE = {"Fine Amount in Dollars": "Total Amount of Fines in Dollars"}
DIGITS = {"Nursing Case-Mix Index": 5, "Fine Amount in Dollars": 0}  # of the others one, or as `_hours` says
EXACT_SINCE = "2024-07"  # the hours that the rating reads have five decimals, all others two
EXACT = (
    "Reported RN Staffing Hours per Resident per Day",
    "Reported Total Nurse Staffing Hours per Resident per Day",
    "Total number of nurse staff hours per resident per day on the weekend",
)


def state_averages(homes: list[Listing], release: str, processed: str) -> Rows:
    """NH_StateUSAverages: means over homes with a value; the case-mix cells of NATION are the constants of `home.py`."""
    groups: dict[str, list[Listing]] = {"NATION": homes}
    for home in sorted(homes, key=lambda one: one.state):
        groups.setdefault(home.state, []).append(home)
    constant = {
        f"Case-Mix {stem} Staffing Hours per Resident per Day": printed(Fraction(case_mix(measure, NATION_INDEX), 100_000), 5)
        for measure, stem in STEM.items()
    }
    columns = [c for c in layout("state_averages", release) if c not in ("State or Nation", "Processing Date")]
    for state, members in groups.items():
        means = {column: _mean(column, members, release) for column in columns}
        yield {"State or Nation": state, **means, **(constant if state == "NATION" else {}), "Processing Date": processed}


def _mean(column: str, homes: list[Listing], release: str) -> str:
    if column.startswith(("Percentage", "Number of hosp", "Number of outp")):
        values, digits = _measured(CODE_OF[column.replace("-", " ")], homes), 6
    elif column.startswith("Cycle "):
        label, fire = int(column[6]), "Fire" in column
        found = [home.history.fire[label - 1] if fire else survey_files.deficiencies(home, label) for home in homes]
        values, digits = [Decimal(number) for number in found], 1
    else:
        values = [Decimal(text) for home in homes if (text := home.row.get(LIKE.get(column, column), ""))]
        digits = DIGITS.get(column, _hours(column, release) if "per resident" in column.lower() else 1)
    return printed(Fraction(sum(values, Decimal(0))) / len(values), digits) if values else ""


def _measured(code: str, homes: list[Listing]) -> list[Decimal]:
    """The values that homes show of a measure, whichever of its codes is in the files of the month."""
    same = [c for c in homes[0].quality.values if slot_of(c) == slot_of(code)]
    return [Decimal(home.quality.values[c][0]) for home in homes for c in same if home.quality.shown(c)]


def _hours(column: str, release: str) -> int:
    """Decimals of hours per resident day."""
    return 5 if column.startswith("Case-Mix") or (column in EXACT and release >= EXACT_SINCE) else 2
