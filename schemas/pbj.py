"""The Payroll-Based Journal files of one quarter, as staged (methodology 8.1)."""

from __future__ import annotations

import ibis.expr.datatypes as dt
import pandera.ibis as pa

from schemas.base import YES_NO, column, rule_values, table

HOURS = {"unit": "hours", "nullable": True, "ge": 0}
CCN = {"str_length": {"min_value": 6, "max_value": 6}}


def state_column(cms: str, also: tuple[str, ...] = (), required: bool = False, more: tuple[str, ...] = ()) -> object:
    """A state or territory, or, where `more` lists know it, another code in its place."""
    described = "State, territory or NATION" if more else "State or territory"
    return column(described, cms=cms, also=also, required=required, nullable=not required, codes=("known_codes.state", *more))


@table("staged.pbj_daily", key=("ccn", "work_date"), clock="quarter", signature=("work_date", "census", "cna_hours"))
class PbjDaily(pa.DataFrameModel):
    """Nurse hours and residents of one home on one day (PBJ Daily Nurse Staffing)."""

    ccn: str = column("CMS certification number", cms="PROVNUM", required=True, **CCN)
    provider_name: str = column("Name of the home", cms="PROVNAME", nullable=True)
    state: str = state_column("STATE")
    quarter: str = column("Calendar quarter as the row gives it", cms="CY_Qtr", required=True)
    work_date: dt.date = column("Day worked", cms="WorkDate", required=True)
    census: dt.int32 = column(
        "Residents on the day, from MDS", cms="MDScensus", unit="residents", required=True, nullable=True, ge=0
    )
    rn_don_hours: dt.Decimal(9, 2) = column(
        "RN director of nursing, job code 5", cms="Hrs_RNDON", also=("hrs_rn_donadmin (2017Q1)", "hrs_RN_DONadmin (2018Q1)"),
        required=True, **HOURS)  # fmt: skip
    rn_admin_hours: dt.Decimal(9, 2) = column(
        "RN with administrative duties, job code 6", cms="Hrs_RNadmin", required=True, **HOURS
    )
    rn_hours: dt.Decimal(9, 2) = column("RN, job code 7", cms="Hrs_RN", required=True, **HOURS)
    lpn_admin_hours: dt.Decimal(9, 2) = column(
        "LPN with administrative duties, job code 8", cms="Hrs_LPNadmin", also=("Hrs_LPN_admin (2017Q1-2018Q1)",),
        required=True, **HOURS)  # fmt: skip
    lpn_hours: dt.Decimal(9, 2) = column("LPN, job code 9", cms="Hrs_LPN", required=True, **HOURS)
    cna_hours: dt.Decimal(9, 2) = column("Certified nurse aide, job code 10", cms="Hrs_CNA", required=True, **HOURS)
    na_training_hours: dt.Decimal(9, 2) = column(
        "Nurse aide in training, job code 11", cms="Hrs_NAtrn", also=("hrs_NA_trn (2017Q1-2018Q1)",), required=True, **HOURS)  # fmt: skip
    med_aide_hours: dt.Decimal(9, 2) = column(
        "Medication aide or technician, job code 12", cms="Hrs_MedAide", required=True, **HOURS
    )
    city: str = column("City", cms="CITY", nullable=True)
    county_name: str = column("County", cms="COUNTY_NAME", nullable=True)
    county_fips: str = column("County code, with or without its leading zero", cms="COUNTY_FIPS", nullable=True)
    rn_don_emp_hours: dt.Decimal(9, 2) = column("RN director of nursing, employees", cms="Hrs_RNDON_emp", **HOURS)
    rn_don_ctr_hours: dt.Decimal(9, 2) = column("RN director of nursing, contract staff", cms="Hrs_RNDON_ctr", **HOURS)
    rn_admin_emp_hours: dt.Decimal(9, 2) = column("RN with administrative duties, employees", cms="Hrs_RNadmin_emp", **HOURS)
    rn_admin_ctr_hours: dt.Decimal(9, 2) = column("RN with administrative duties, contract staff", cms="Hrs_RNadmin_ctr", **HOURS)
    rn_emp_hours: dt.Decimal(9, 2) = column("RN, employees", cms="Hrs_RN_emp", **HOURS)
    rn_ctr_hours: dt.Decimal(9, 2) = column("RN, contract staff", cms="Hrs_RN_ctr", **HOURS)
    lpn_admin_emp_hours: dt.Decimal(9, 2) = column("LPN with administrative duties, employees", cms="Hrs_LPNadmin_emp", **HOURS)
    lpn_admin_ctr_hours: dt.Decimal(9, 2) = column(
        "LPN with administrative duties, contract staff", cms="Hrs_LPNadmin_ctr", **HOURS
    )
    lpn_emp_hours: dt.Decimal(9, 2) = column("LPN, employees", cms="Hrs_LPN_emp", **HOURS)
    lpn_ctr_hours: dt.Decimal(9, 2) = column("LPN, contract staff", cms="Hrs_LPN_ctr", **HOURS)
    cna_emp_hours: dt.Decimal(9, 2) = column("Certified nurse aide, employees", cms="Hrs_CNA_emp", **HOURS)
    cna_ctr_hours: dt.Decimal(9, 2) = column("Certified nurse aide, contract staff", cms="Hrs_CNA_ctr", **HOURS)
    na_training_emp_hours: dt.Decimal(9, 2) = column("Nurse aide in training, employees", cms="Hrs_NAtrn_emp", **HOURS)
    na_training_ctr_hours: dt.Decimal(9, 2) = column("Nurse aide in training, contract staff", cms="Hrs_NAtrn_ctr", **HOURS)
    med_aide_emp_hours: dt.Decimal(9, 2) = column("Medication aide or technician, employees", cms="Hrs_MedAide_emp", **HOURS)
    med_aide_ctr_hours: dt.Decimal(9, 2) = column("Medication aide or technician, contract staff", cms="Hrs_MedAide_ctr", **HOURS)
    is_incomplete: bool = column("CMS marked the home's data of the day as incomplete", cms="Incomplete", nullable=True,
                                 words=YES_NO)  # fmt: skip


@table("raw.pbj_employee", key=("ccn", "employee_id", "work_date", "job_code"), clock="quarter", large=True,
       signature=("employee_id", "job_code", "hours"))  # fmt: skip
class PbjEmployee(pa.DataFrameModel):
    """Hours of one person in one job code on one day (PBJ Employee Detail), as read; staged only as `employee_quarters`."""

    ccn: str = column("CMS certification number", cms="PROVNUM", required=True, **CCN)
    state: str = state_column("STATE")
    quarter: str = column("Calendar quarter as the row gives it", cms="CY_Qtr", required=True)
    work_date: dt.date = column("Day worked", cms="WorkDate", required=True)
    employee_id: dt.int64 = column("CMS's id of the person within the home", cms="SYS_EMPLEE_ID", required=True)
    job_code: dt.int8 = column("PBJ job code", cms="EMPLEE_JOB_CD_ID", required=True, isin=rule_values("job_codes", "job_code"))
    is_contract: bool = column(
        "Contract (2) or employee (1)", cms="EMP_CTR", also=("EMPLEE_CTR (2022)",), nullable=True,
        words={"1": False, "2": True})  # fmt: skip
    hours: dt.Decimal(9, 2) = column("Hours paid", cms="WORK_HRS_NUM", unit="hours", required=True, ge=0)
    footnote: str = column(
        "Footnote of the row, meaning not published", cms="WORK_HRS_FN", also=("INCOMPLETE (2022)",), nullable=True)  # fmt: skip


FOOTNOTE = dt.Struct({"day": dt.date, "footnote": dt.string})
PAUSE = dt.Struct({"last_day": dt.date, "next_day": dt.date})


@table("staged.employee_quarters", key=("ccn", "employee_id", "quarter", "job_code", "engagement"), clock="quarter", large=True)
class EmployeeQuarters(pa.DataFrameModel):
    """One person's quarter at a home in one job code: the days and hours, and what is known of them without looking."""

    ccn: str = column("CMS certification number", source="PROVNUM", **CCN)
    employee_id: dt.int64 = column("CMS's id of the person within the home", source="SYS_EMPLEE_ID")
    quarter: str = column("Calendar quarter", source="CY_Qtr")
    job_code: dt.int8 = column("PBJ job code", source="EMPLEE_JOB_CD_ID", isin=rule_values("job_codes", "job_code"))
    engagement: str = column(
        "Employee or contract, as far as the file tells", source="EMP_CTR", isin=["employee", "contract", "unknown"]
    )
    work_dates: dt.Array(dt.date) = column("Day of each row, in order", source="WorkDate")
    work_hours: dt.Array(dt.Decimal(9, 2)) = column(
        "Hours of each row, in the order of work_dates", source="WORK_HRS_NUM", unit="hours"
    )
    footnotes: dt.Array(FOOTNOTE) = column("Rows that carry a footnote", source="WORK_HRS_FN")
    first_workday: dt.date = column("First day with hours; null where no row has any", source="WorkDate", nullable=True)
    last_workday: dt.date = column("Last day with hours", source="WorkDate", nullable=True)
    pauses: dt.Array(PAUSE) = column(
        "Each two weeks or more without hours: the last day with hours before, the next after", source="WorkDate")  # fmt: skip
    repeated_days: dt.int32 = column("Rows beyond the first of their day", source="WorkDate", unit="rows", ge=0)
    most_hours: dt.Decimal(9, 2) = column("Most hours of a row", source="WORK_HRS_NUM", unit="hours", ge=0)
    total_hours: dt.Decimal(18, 2) = column("Hours of all rows", source="WORK_HRS_NUM", unit="hours", ge=0)


@table("staged.rejects", key=("table_name", "line", "column_name"), clock="quarter")
class Rejects(pa.DataFrameModel):
    """A value of a source file that could not be read; its row is in no other table."""

    table_name: str = column("Table the row was for", source="computed")
    file: str = column("File name", source="computed")
    line: dt.int64 = column("Line of the file, the header being line 1", source="computed")
    column_name: str = column("CMS column", source="computed")
    value: str = column("The text found there", source="computed", nullable=True)
    problem: str = column("Why it was rejected", source="computed")
    ccn: str = column("CCN of the row as text", source="computed", nullable=True)
    period: str = column("Quarter or release of the file", source="computed")
