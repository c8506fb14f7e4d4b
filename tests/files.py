"""Small files of CMS's kinds as text, with the columns that no file of the kind can do without."""

from __future__ import annotations

from schemas.files import layout, table_of

HOURS = ("Hrs_RNDON", "Hrs_RNadmin", "Hrs_RN", "Hrs_LPNadmin", "Hrs_LPN", "Hrs_CNA", "Hrs_NAtrn", "Hrs_MedAide")


def header(kind: str, whole: str = "") -> list[str]:
    """The columns of a kind that a rule reads or that tell it; `whole` is a period of which every column is wanted."""
    described = table_of(kind)
    if whole or described is None:
        return list(layout(kind, whole))
    return [c.cms for c in described.columns() if c.required or c.name in described.signature]


def text(kind: str, *rows: dict[str, str], whole: str = "", end: str = "\n") -> str:
    """A file of a kind with these rows, other cells blank."""
    names = header(kind, whole)
    lines = [names, *([row.get(name, "") for name in names] for row in rows)]
    return "".join(",".join(line) + end for line in lines)


def daily(quarter: str, day: str, aides: str = "8", **more: str) -> str:
    """A PBJ daily file of one home and day."""
    cells = {
        "PROVNUM": "015009",
        "CY_Qtr": quarter,
        "WorkDate": day,
        "MDScensus": "50",
        **dict.fromkeys(HOURS, "0"),
        "Hrs_CNA": aides,
    }
    return text("pbj_daily", {**cells, **more})


def employee(quarter: str, day: str) -> str:
    """A PBJ employee file of one person and day."""
    cells = {
        "PROVNUM": "015009",
        "CY_Qtr": quarter,
        "WorkDate": day,
        "SYS_EMPLEE_ID": "1",
        "EMPLEE_JOB_CD_ID": "7",
        "WORK_HRS_NUM": "8",
    }
    return text("pbj_employee", cells)


def providers(stars: str, processed: str, ccn: str = "015009") -> str:
    """NH_ProviderInfo of one home."""
    cells = {"CMS Certification Number (CCN)": ccn, "Overall Rating": stars, "Staffing Rating": "5", "Processing Date": processed}
    return text("provider_info", cells)


def averages(hours: str, processed: str) -> str:
    """NH_StateUSAverages of the nation alone."""
    cells = {"State or Nation": "NATION", "Case-Mix RN Staffing Hours per Resident per Day": "0.66"}
    cells |= {"Case-Mix Total Nurse Staffing Hours per Resident per Day": hours, "Processing Date": processed}
    return text("state_averages", cells)


def cut_points(five: str = "0-4.000") -> str:
    """NH_HlthInspecCutpointsState of one state: its rows do not say their month."""
    cells = {"State": "AL", "5 Stars": five, "4 Stars": "4.001-20.000", "3 Stars": "20.001-40.000", "2 Stars": "40.001-80.000"}
    return text("state_cut_points", {**cells, "1 Star": "> 80.000"})
