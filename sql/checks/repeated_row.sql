-- The same person, day, job code and contract more than once, whatever the hours.
-- Grain: ccn. Rule: methodology 8.1; no key tells a copy from a second shift, so hours stay.
with repeated as (
    select ccn, list_filter(work_dates, lambda day, k: day = work_dates[k - 1]) as days
    from checked.employee_quarters
    where repeated_days > 0
)

select
    'repeated_row' as check_name,
    ccn,
    sum(len(list_distinct(days))) || ' rows stand more than once' as evidence,
    min(list_min(days)) as first_date,
    max(list_max(days)) as last_date,
    sum(len(days)) as found
from repeated
group by ccn
order by ccn
