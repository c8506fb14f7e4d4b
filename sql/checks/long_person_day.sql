-- Person-days with more hours over all job codes than a limit, up to the next limit.
-- Grain: ccn. Rule: methodology 8.1; the limits are rules.checks; nothing is removed or capped.
with worked as (
    select ccn, employee_id, unnest(days) as item from checked.employee_quarters
),

other as (
    select ccn, employee_id, unnest(other_days) as item from checked.employee_quarters
),

person_days as (
    select ccn, employee_id, day, sum(hours) as hours
    from (
        select ccn, employee_id, item.day as day, item.hours as hours from worked
        union all
        select ccn, employee_id, item.day as day, item.hours as hours from other
    )
    group by ccn, employee_id, day
)

select
    ccn,
    count(*) || ' person-days over ' || getvariable('over_hours')::varchar || ' hours, the longest ' || max(hours) as evidence,
    min(day) as first_date,
    max(day) as last_date,
    count(*) as found
from person_days
where
    hours > getvariable('over_hours')::decimal(9, 2)
    and (getvariable('up_to_hours')::varchar = '' or hours <= getvariable('up_to_hours')::decimal(9, 2))
group by ccn
order by ccn
