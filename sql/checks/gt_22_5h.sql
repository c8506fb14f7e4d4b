-- Person-days with more than 22.5 and up to 24 hours over all job codes.
-- Grain: ccn. Rule: methodology 8.1: CMS refuses them since April 2026; nothing is removed or capped.
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
    count(*) || ' person-days over 22.5 hours, the longest ' || max(hours) as evidence,
    min(day) as first_date,
    max(day) as last_date,
    count(*) as found
from person_days
where hours > 22.5 and hours <= 24
group by ccn
order by ccn
