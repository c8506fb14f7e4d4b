-- Homes whose two PBJ files of a quarter do not hold the same nurse hours by day and job code.
-- Grain: ccn, of one quarter. Rule: methodology 8.1, 2.11: they should agree; only days and homes that both files have are compared.
with daily as (
    select
        ccn,
        quarter,
        work_date as day,
        unnest([
            {job_code: 5, hours: rn_don_hours},
            {job_code: 6, hours: rn_admin_hours},
            {job_code: 7, hours: rn_hours},
            {job_code: 8, hours: lpn_admin_hours},
            {job_code: 9, hours: lpn_hours},
            {job_code: 10, hours: cna_hours},
            {job_code: 11, hours: na_training_hours},
            {job_code: 12, hours: med_aide_hours}
        ]) as cell
    from current.pbj_daily
),

employee as (
    select ccn, job_code, day, sum(hours) as hours
    from (
        select ccn, job_code, unnest(work_dates) as day, unnest(work_hours) as hours
        from current.employee_quarters
    )
    group by ccn, job_code, day
),

in_both as (
    select distinct ccn, quarter
    from current.employee_quarters
),

compared as (
    select
        daily.ccn,
        daily.quarter,
        daily.day,
        daily.cell.hours - coalesce(employee.hours, 0) as difference  -- no row is no hour
    from daily
    inner join in_both on daily.ccn = in_both.ccn and daily.quarter = in_both.quarter
    left join employee
        on daily.ccn = employee.ccn and daily.day = employee.day and daily.cell.job_code = employee.job_code
    where daily.cell.hours is not null
)

select
    ccn,
    quarter,
    count(distinct day) as differing_days,
    sum(abs(difference)) as difference_hours,
    min(day) as first_date,
    max(day) as last_date
from compared
where difference <> 0
group by ccn, quarter
order by ccn, quarter
