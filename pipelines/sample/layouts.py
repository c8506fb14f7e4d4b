"""What the PBJ files of the made-up nation are like, quarter by quarter: other spellings of their headers, encodings, zips."""

from __future__ import annotations

from schemas.files import layout

_RENAMED = {
    "Hrs_RNDON": "hrs_RN_DONadmin",
    "Hrs_LPNadmin": "Hrs_LPN_admin",
    "Hrs_NAtrn": "hrs_NA_trn",
    "CY_Qtr": "CY_QTR",
    "Hrs_LPN": "hrs_LPN",
    "Hrs_CNA": "hrs_CNA",
}
_RENAMED_2022 = {"EMP_CTR": "EMPLEE_CTR", "WORK_HRS_FN": "INCOMPLETE"}
LOWER, RENAMED, EMPLOYEE_2022 = 1, 2, 0  # positions of quarters with older spellings: as in 2020Q3, in 2018Q1, and in 2022
CP1252_POSITIONS = (0, 3, 5)  # quarters whose daily file is Windows-1252; the others are UTF-8
ZIPPED_POSITIONS = (2, 4)  # quarters whose employee file is a zip with one CSV

TRUTH = ("ccn", "table", "measure", "column", "expected", "why")


def daily_header(position: int, quarter: str) -> tuple[str, ...]:
    """The header of the daily file of a quarter."""
    names = layout("pbj_daily", quarter)
    if position == LOWER:
        return tuple(name.lower() for name in names)
    return tuple(_RENAMED.get(name, name) for name in names) if position == RENAMED else names


def employee_header(position: int, quarter: str) -> tuple[str, ...]:
    """The header of the employee file of a quarter."""
    names = layout("pbj_employee", quarter)
    return tuple(_RENAMED_2022.get(name, name) for name in names) if position == EMPLOYEE_2022 else names
