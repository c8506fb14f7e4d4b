"""The three files of the quality reporting programme: of homes, which is read, of the nation and of swing beds, which are not."""

from __future__ import annotations

from collections.abc import Iterator

from pipelines.sample.measure_files import TOO_FEW, address
from pipelines.sample.measures import QRP
from pipelines.sample.names import CODE_OF, PLACES, TOWNS
from pipelines.sample.provider import CCN, Listing
from pipelines.sample.survey_files import Rows
from pipelines.sample.window import Window

# score and what stands beside it
SCORES = {
    "S_005": ("S_005_02_DTC_RS_RATE", "S_005_02_DTC_VOLUME"),
    "S_038": ("S_038_02_ADJ_RATE", "S_038_02_DENOMINATOR"),
    "S_042": ("S_042_02_OBS_RATE", "S_042_02_DENOMINATOR"),
}
READMISSIONS = "S_004_01_PPR_PD_COMP_PERF"
AS_USUAL = "No Different than the National Rate"
BY_CLAIMS = ("S_004", "S_005")  # of two fiscal years; the others of four quarters
HOMES_A_HOSPITAL = 18  # homes in the nation for each hospital with swing beds
REGIONS = (
    "CT ME MA NH RI VT", "NJ NY PR", "DE DC MD PA VA WV", "AL FL GA KY MS NC SC TN", "IL IN MI MN OH WI", "AR LA NM OK TX",
    "IA KS MO NE", "CO MT ND SD UT WY", "AZ CA GU HI NV", "AK ID OR WA",
)  # fmt: skip
REGION_OF = {state: str(number) for number, states in enumerate(REGIONS, 1) for state in states.split()}


def _days(measure: str, window: Window) -> dict[str, str]:
    year = window.release_day.year
    first, last = f"{window.date(0):%m/%d/%Y}", f"{window.date(window.starts[4] - 1):%m/%d/%Y}"
    if measure.startswith(BY_CLAIMS):
        first, last = f"10/01/{year - 4}", f"09/30/{year - 2}"
    return {"Start Date": first, "End Date": last}


def _phone(digits: str) -> str:
    return f"({digits[:3]}){digits[3:6]}-{digits[6:]}"


def of_homes(homes: list[Listing], window: Window) -> Rows:
    """Skilled_Nursing_Facility_Quality_Reporting_Program_Provider_Data: footnote "-" for none."""
    for home in homes:
        same = home.where | {
            "Address Line 1": home.row["Provider Address"],
            "County/Parish": home.row["County/Parish"],
            "Telephone Number": _phone(home.row["Telephone Number"]),
            "CMS Region": REGION_OF[home.state],
            "Measure Date Range": "-",
            "LOCATION1": address(home),
        }
        for measure, score, footnote in _scores(home):
            yield {**same, "Measure Code": measure, "Score": score, "Footnote": footnote, **_days(measure, window)}


def _scores(home: Listing) -> Iterator[tuple[str, str, str]]:
    """Measure code of the file, score and footnote."""
    quality = home.quality
    codes = sorted(code for code, one in quality.measures.items() if one.file == QRP and code not in quality.absent)
    if codes:
        yield READMISSIONS, AS_USUAL, "-"
    for code in codes:
        for measure, score in zip(SCORES[code], quality.values[code], strict=True):
            yield (measure, "Not Available", TOO_FEW) if code in quality.blank else (measure, score, "-")


def of_the_nation(homes: list[Listing], window: Window) -> Rows:
    """Skilled_Nursing_Facility_Quality_Reporting_Program_National_Data: a row a measure."""
    codes = sorted({code for home in homes for code, one in home.quality.measures.items() if one.file == QRP})
    for measure, score in [(READMISSIONS, "10.46"), *((SCORES[code][0], "52.50") for code in codes)]:
        same = {CCN: "Nation", "Footnote": "-", "Measure Date Range": "-"}
        yield {**same, "Measure Code": measure, "Score": score, **_days(measure, window)}


def of_swing_beds(homes: list[Listing], window: Window) -> Rows:
    """Swing_Bed_SNF_data: hospitals that use beds for nursing care, by numbers with a letter in third place."""
    states = sorted(CODE_OF)
    codes = sorted({code for home in homes for code, one in home.quality.measures.items() if one.file == QRP})
    for number in range(2 + len(homes) // HOMES_A_HOSPITAL):
        state, place = states[number * 7 % len(states)], PLACES[number % len(PLACES)]
        town, street, zip_code = (
            TOWNS[number % len(TOWNS)],
            f"{100 + number} HOSPITAL DRIVE",
            f"{int(CODE_OF[state]) * 1000 + number % 1000:05d}",
        )
        same = {
            CCN: f"{CODE_OF[state]}Z{300 + number % 700}",
            "Provider Name": f"{place} COUNTY HOSPITAL",
            "Address Line 1": street,
            "Address Line 2": "" if number % 3 else f"PO BOX {number + 1}",
            "City/Town": town,
            "State": state,
            "ZIP Code": zip_code,
            "County/Parish": place.title(),
            "Telephone Number": _phone(f"202555{number % 10000:04d}"),
            "CMS Region": REGION_OF[state],
            "MeasureDateRange": "-",
        }
        yield {**same, "Measure Code": READMISSIONS, "Score": AS_USUAL, "Footnote": "-", **_days(READMISSIONS, window)}
        for code in codes:
            for measure in SCORES[code]:
                yield {**same, "Measure Code": measure, "Score": "Not Available", "Footnote": TOO_FEW, **_days(measure, window)}
