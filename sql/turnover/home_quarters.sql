-- What each home sent for each quarter of the window, and what is wrong with it.
-- Grain: ccn, quarter. Rule: methodology 2.8 (missing quarters, administrators); R21.
with homes as (
    select ccn from current.provider_info
    union
    select ccn from six_quarters.pbj_daily
    union
    select ccn from six_quarters.employee_quarters
),

daily as (
    select ccn, quarter, bool_or(coalesce(is_incomplete, false)) as is_incomplete
    from six_quarters.pbj_daily
    group by ccn, quarter
),

employee as (
    select ccn, quarter
    from six_quarters.employee_quarters
    group by ccn, quarter
),

rejected as (
    select ccn, period as quarter, count(distinct table_name || file || line) as rejected_rows
    from six_quarters.rejects
    where ccn is not null
    group by ccn, period
),

administrators as (
    select
        days.ccn,
        days.quarter,
        count(*) as administrator_days,
        count(*) filter (where days.people >= limits.people) as crowded_days,
        min(days.day) filter (where days.people >= limits.people) as first_crowded_day,
        max(days.day) filter (where days.people >= limits.people) as last_crowded_day
    from six_quarters.administrator_days as days
    cross join rules.administrator_limits as limits
    where getvariable('release')::varchar between limits.effective_from and coalesce(limits.effective_to, '9999-12')
    group by days.ccn, days.quarter
)

select
    homes.ccn,
    quarters.quarter,
    quarters.quarter_position,
    quarters.daily_supplied,
    quarters.employee_supplied,
    daily.ccn is not null as in_daily,
    employee.ccn is not null as in_employee,
    coalesce(daily.is_incomplete, false) as is_incomplete,
    coalesce(rejected.rejected_rows, 0) as rejected_rows,
    coalesce(administrators.administrator_days, 0) as administrator_days,
    coalesce(administrators.crowded_days, 0) as crowded_days,
    administrators.first_crowded_day,
    administrators.last_crowded_day
from homes
cross join inputs.six_quarters as quarters
left join daily on homes.ccn = daily.ccn and quarters.quarter = daily.quarter
left join employee on homes.ccn = employee.ccn and quarters.quarter = employee.quarter
left join rejected on homes.ccn = rejected.ccn and quarters.quarter = rejected.quarter
left join administrators on homes.ccn = administrators.ccn and quarters.quarter = administrators.quarter
order by homes.ccn, quarters.quarter
