-- The same person, day, job code and contract more than once, whatever the hours.
-- Grain: ccn. Rule: methodology 8.1; no key tells a copy from a second shift, so hours stay. Of other codes only hours are kept.
with worked as (
    select ccn, employee_id, unnest(days) as item
    from checked.employee_quarters
    where repeated_days > 0
),

repeated as (
    select ccn, employee_id, item.day as day, count(*) as copies
    from worked
    group by ccn, employee_id, item.day, item.job_code, item.is_contract
    having count(*) > 1
)

select
    'repeated_row' as check_name,
    ccn,
    count(*) || ' rows stand more than once' as evidence,
    min(day) as first_date,
    max(day) as last_date,
    sum(copies - 1) as found
from repeated
group by ccn
order by ccn
