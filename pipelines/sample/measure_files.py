"""Rows of the three files that quality measures come from: MDS, claims and the quality reporting programme."""

from __future__ import annotations

from collections.abc import Iterator

from pipelines.sample.measures import CLAIMS, MEASURES
from pipelines.sample.provider import Listing
from pipelines.sample.survey_files import Rows, who_of
from pipelines.sample.window import Window

DESCRIPTIONS = {
    "401": "Percentage of long-stay residents whose need for help with daily activities has increased",
    "404": "Percentage of long-stay residents who lose too much weight",
    "406": "Percentage of long-stay residents with a catheter inserted and left in their bladder",
    "407": "Percentage of long-stay residents with a urinary tract infection",
    "410": "Percentage of long-stay residents experiencing one or more falls with major injury",
    "430": "Percentage of short-stay residents assessed and appropriately given the pneumococcal vaccine",
    "434": "Percentage of short-stay residents who newly received an antipsychotic medication",
    "451": "Percentage of long-stay residents whose ability to walk independently worsened",
    "454": "Percentage of long-stay residents assessed and appropriately given the seasonal influenza vaccine",
    "479": "Percentage of long-stay residents with pressure ulcers",
    "481": "Percentage of long-stay residents who received an antipsychotic medication",
    "521": "Percentage of short-stay residents who were rehospitalized after a nursing home admission",
    "522": "Percentage of short-stay residents who had an outpatient emergency department visit",
    "551": "Number of hospitalizations per 1000 long-stay resident days",
    "552": "Number of outpatient emergency department visits per 1000 long-stay resident days",
    "999": "Percentage of long-stay residents with a measure that is not known",
}
CODE_OF = {words.replace("-", " "): code for code, words in DESCRIPTIONS.items()}
YEARLY = "454"  # no quarters: footnote 28
UNKNOWN = "999"
TOO_FEW = "9"
MDS_CODES = ("401", "404", "406", "407", "410", "430", "434", "451", "454", "479", "481")
CLAIMS_CODES = tuple(code for code, one in MEASURES.items() if one.file == CLAIMS)
# score and what stands beside it in the quality reporting file
QRP_ROWS = {
    "S_005": ("S_005_02_DTC_RS_RATE", "S_005_02_DTC_VOLUME"),
    "S_038": ("S_038_02_ADJ_RATE", "S_038_02_DENOMINATOR"),
    "S_042": ("S_042_02_OBS_RATE", "S_042_02_DENOMINATOR"),
}
READMISSIONS = "S_004_01_PPR_PD_COMP_PERF"
REGIONS = (
    "CT ME MA NH RI VT", "NJ NY PR", "DE DC MD PA VA WV", "AL FL GA KY MS NC SC TN", "IL IN MI MN OH WI", "AR LA NM OK TX",
    "IA KS MO NE", "CO MT ND SD UT WY", "AZ CA GU HI NV", "AK ID OR WA",
)  # fmt: skip
REGION_OF = {state: str(number) for number, states in enumerate(REGIONS, 1) for state in states.split()}


def _place(home: Listing) -> str:
    """Street, town, state and ZIP code with a blank after each comma, as only these files have them."""
    return ", ".join(home.row[column] for column in ("Provider Address", "City/Town", "State", "ZIP Code"))


def _stay(code: str) -> str:
    short = DESCRIPTIONS[code].startswith("Percentage of short")
    return "Short Stay" if short else "Long Stay"


def _year_of_influenza(last: str) -> str:
    """The last run from July to June that a quarter closes."""
    year = int(last[:4]) - (last[5] < "2")
    return f"{year - 1}Q3-{year}Q2"


def mds(homes: list[Listing], window: Window, processed: str) -> Rows:
    """NH_QualityMsr_MDS: four quarters and the mean between them."""
    period = f"{window.quarters[2]}-{window.quarters[5]}"
    for home in homes:
        who, place = who_of(home), _place(home)
        codes = [code for code in MDS_CODES if code not in home.quality.absent]
        for code in (*codes, *([UNKNOWN] if home.quality.unknown else [])):
            average, *quarters = home.quality.values["401" if code == UNKNOWN else code]
            note = TOO_FEW if code in home.quality.blank else ""
            cells = [("", "28") if code == YEARLY else ("", note) if note else (quarter, "") for quarter in quarters]
            used = "Y" if code in MEASURES or code == UNKNOWN else "N"
            yield [
                *who,
                *(code, DESCRIPTIONS[code], _stay(code)),
                *(cell for pair in cells for cell in pair),
                *("" if note else average, note, used),
                *(_year_of_influenza(window.quarters[5]) if code == YEARLY else period, place, processed),
            ]


def claims(homes: list[Listing], window: Window, processed: str) -> Rows:
    """NH_QualityMsr_Claims: the twelve months of the turnover window."""
    first, last = window.date(window.starts[1]), window.date(window.starts[5] - 1)
    for home in homes:
        for code in CLAIMS_CODES:
            if code not in home.quality.absent:
                note = TOO_FEW if code in home.quality.blank else ""
                scores = ["", "", ""] if note else home.quality.values[code]
                what = [code, DESCRIPTIONS[code], _stay(code), *scores, note, "Y", f"{first:%Y%m%d}-{last:%Y%m%d}"]
                yield [*who_of(home), *what, _place(home), processed]


def reporting(homes: list[Listing], window: Window) -> Rows:
    """Skilled_Nursing_Facility_Quality_Reporting_Program_Provider_Data: footnote "-" for none."""
    year = window.release_day.year
    two_years = (f"10/01/{year - 4}", f"09/30/{year - 2}")
    one_year = (f"{window.date(0):%m/%d/%Y}", f"{window.date(window.starts[4] - 1):%m/%d/%Y}")
    for home in homes:
        phone = home.row["Telephone Number"]
        who = [*who_of(home), home.row["County/Parish"], f"({phone[:3]}){phone[3:6]}-{phone[6:]}", REGION_OF[home.state]]
        for measure, score, footnote in _scores(home):
            days = two_years if measure.startswith(("S_004", "S_005")) else one_year
            yield [*who, measure, score, footnote, *days, "-", _place(home)]


def _scores(home: Listing) -> Iterator[tuple[str, str, str]]:
    """Measure code of the file, score and footnote."""
    codes = [code for code in QRP_ROWS if code not in home.quality.absent]
    if codes:
        yield READMISSIONS, "No Different than the National Rate", "-"
    for code in codes:
        for measure, score in zip(QRP_ROWS[code], home.quality.values[code], strict=True):
            yield (measure, "Not Available", TOO_FEW) if code in home.quality.blank else (measure, score, "-")
