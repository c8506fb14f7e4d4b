"""Rows of two of the files that quality measures come from: MDS and claims."""

from __future__ import annotations

from pipelines.sample.measures import CLAIMS, MDS, SHORT
from pipelines.sample.provider import Listing
from pipelines.sample.survey_files import Rows
from pipelines.sample.window import Window

DESCRIPTIONS = {
    "401": "Percentage of long-stay residents whose need for help with daily activities has increased",
    "404": "Percentage of long-stay residents who lose too much weight",
    "405": "Percentage of low risk long-stay residents who lose control of their bowels or bladder",
    "406": "Percentage of long-stay residents with a catheter inserted and left in their bladder",
    "407": "Percentage of long-stay residents with a urinary tract infection",
    "408": "Percentage of long-stay residents who have depressive symptoms",
    "409": "Percentage of long-stay residents who were physically restrained",
    "410": "Percentage of long-stay residents experiencing one or more falls with major injury",
    "415": "Percentage of long-stay residents assessed and appropriately given the pneumococcal vaccine",
    "419": "Percentage of long-stay residents who received an antipsychotic medication",
    "430": "Percentage of short-stay residents assessed and appropriately given the pneumococcal vaccine",
    "434": "Percentage of short-stay residents who newly received an antipsychotic medication",
    "451": "Percentage of long-stay residents whose ability to walk independently worsened",
    "452": "Percentage of long-stay residents who received an antianxiety or hypnotic medication",
    "453": "Percentage of high risk long-stay residents with pressure ulcers",
    "454": "Percentage of long-stay residents assessed and appropriately given the seasonal influenza vaccine",
    "471": "Percentage of short-stay residents who made improvements in function",
    "472": "Percentage of short-stay residents who were assessed and appropriately given the seasonal influenza vaccine",
    "479": "Percentage of long-stay residents with pressure ulcers",
    "480": "Percentage of long-stay residents with new or worsened bowel or bladder incontinence",
    "481": "Percentage of long-stay residents who received an antipsychotic medication",
    "521": "Percentage of short-stay residents who were rehospitalized after a nursing home admission",
    "522": "Percentage of short-stay residents who had an outpatient emergency department visit",
    "551": "Number of hospitalizations per 1000 long-stay resident days",
    "552": "Number of outpatient emergency department visits per 1000 long-stay resident days",
    "999": "Percentage of long-stay residents with a measure that is not known",
}
WALK = "451"
MOVE = ("2024-12", "Percentage of long-stay residents whose ability to move independently worsened")  # what it was until then
YEARLY = ("454", "472")  # no quarters: footnote 28
UNKNOWN = "999"
TOO_FEW = "9"
FROZEN_CODES = ("401", "405", "451", "453", "471")  # methodology 5.5: of one year while the assessment changed
FROZEN_RELEASES, FROZEN_PERIOD = ("2024-04", "2025-01"), "2022Q4-2023Q3"


def description(code: str, release: str) -> str:
    """What the file calls a measure."""
    return MOVE[1] if code == WALK and release <= MOVE[0] else DESCRIPTIONS[code]


def address(home: Listing) -> str:
    """Street, town, state and ZIP code with a blank after each comma, as only the files of measures have them."""
    return ", ".join(home.row[column] for column in ("Provider Address", "City/Town", "State", "ZIP Code"))


def _stay(code: str) -> str:
    return "Short Stay" if f"{SHORT}-stay" in DESCRIPTIONS[code] else "Long Stay"


def _period(code: str, window: Window) -> str:
    """The quarters of a measure of the MDS file."""
    last = window.quarters[5]
    if code in YEARLY:  # the last run from July to June that a quarter closes
        year = int(last[:4]) - (last[5] < "2")
        return f"{year - 1}Q3-{year}Q2"
    if code in FROZEN_CODES and FROZEN_RELEASES[0] <= window.release <= FROZEN_RELEASES[1]:
        return FROZEN_PERIOD
    return f"{window.quarters[2]}-{last}"


def mds(homes: list[Listing], window: Window, processed: str) -> Rows:
    """NH_QualityMsr_MDS: four quarters and the mean between them."""
    for home in homes:
        quality = home.quality
        rated = {code for code, one in quality.measures.items() if one.file == MDS}
        listed = sorted(code for code, cells in quality.values.items() if len(cells) == 5 and code not in quality.absent)
        same = home.where | {"Location": address(home), "Processing Date": processed}
        for code in (*listed, *([UNKNOWN] if quality.unknown else [])):
            average, *quarters = quality.values["401" if code == UNKNOWN else code]
            note = TOO_FEW if code in quality.blank else ""
            row = {
                **same,
                "Measure Code": code,
                "Measure Description": description(code, window.release),
                "Resident type": _stay(code),
                "Four Quarter Average Score": "" if note else average,
                "Footnote for Four Quarter Average Score": note,
                "Used in Quality Measure Five Star Rating": "Y" if code in rated or code == UNKNOWN else "N",
                "Measure Period": _period(code, window),
            }
            for number, quarter in enumerate(quarters, 1):
                row[f"Q{number} Measure Score"] = "" if note or code in YEARLY else quarter
                row[f"Footnote for Q{number} Measure Score"] = "28" if code in YEARLY else note
            yield row


def claims(homes: list[Listing], window: Window, processed: str) -> Rows:
    """NH_QualityMsr_Claims: the twelve months of the turnover window."""
    first, last = window.date(window.starts[1]), window.date(window.starts[5] - 1)
    for home in homes:
        quality = home.quality
        same = home.where | {"Location": address(home), "Processing Date": processed}
        for code, one in sorted(quality.measures.items()):
            if one.file != CLAIMS or code in quality.absent:
                continue
            note = TOO_FEW if code in quality.blank else ""
            adjusted, observed, expected = ("", "", "") if note else quality.values[code]
            yield {
                **same,
                "Measure Code": code,
                "Measure Description": description(code, window.release),
                "Resident type": _stay(code),
                "Adjusted Score": adjusted,
                "Observed Score": observed,
                "Expected Score": expected,
                "Footnote for Score": note,
                "Used in Quality Measure Five Star Rating": "Y",
                "Measure Period": f"{first:%Y%m%d}-{last:%Y%m%d}",
            }
