-- One person's quarter at a home in one job code: the days and their hours, and what tells most readers enough without them.
-- Grain: ccn, employee_id, quarter, job_code, engagement. Rule: R2: a day without hours is no day worked.
-- CMS's files are in the order of days: lists whose days only rise are sorted already, any others are sorted by day and hours.
with collected as (
    select
        ccn,
        employee_id,
        quarter,
        job_code,
        case is_contract when true then 'contract' when false then 'employee' else 'unknown' end as engagement,
        list(work_date) as work_dates,
        list(hours) as work_hours,
        coalesce(list({day: work_date, footnote: footnote}) filter (where footnote is not null), []) as footnotes,
        min(hours) as least_hours,
        max(hours) as most_hours,
        sum(hours) as total_hours
    from raw.pbj_employee
    group by all
),

stepped as (
    select *, list_transform(work_dates, lambda day, k: day - work_dates[k - 1]) as steps
    from collected
),

paired as (
    select *, case when list_min(steps) < 1 then list_sort(list_zip(work_dates, work_hours)) end as pairs
    from stepped
),

in_order as (
    select * replace (
        case when pairs is null then work_dates else list_transform(pairs, lambda pair: pair[1]) end as work_dates,
        case when pairs is null then work_hours else list_transform(pairs, lambda pair: pair[2]) end as work_hours
    )
    from paired
),

worked as (  -- where every row is a day of its own with hours, the steps are those between days worked
    select *, case when pairs is not null or least_hours <= 0 then list_filter(work_dates, lambda day, k: work_hours[k] > 0) end as days
    from in_order
),

measured as (
    select
        * replace (
            coalesce(days, work_dates) as days,
            case when days is null then steps else list_transform(days, lambda day, k: day - days[k - 1]) end as steps
        )
    from worked
)

select
    ccn,
    employee_id,
    quarter,
    job_code,
    engagement,
    work_dates,
    work_hours,
    list_sort(footnotes) as footnotes,
    days[1] as first_workday,
    days[-1] as last_workday,
    -- no rule takes as little as two weeks off for the end of a spell
    case
        when list_max(steps) > 14
            then list_transform(
                list_filter(range(2, len(days) + 1), lambda k: days[k] - days[k - 1] > 14), lambda k: {last_day: days[k - 1], next_day: days[k]}
            )
        else []
    end as pauses,
    case when pairs is null then 0 else len(list_filter(work_dates, lambda day, k: day = work_dates[k - 1])) end as repeated_days,
    most_hours,
    total_hours
from measured
order by ccn, employee_id, quarter, job_code, engagement
