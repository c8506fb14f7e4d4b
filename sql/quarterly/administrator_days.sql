-- How many people worked as administrator at a home on each day that had any.
-- Grain: ccn, day. Rule: methodology 2.8: people are counted, not rows, and only with hours.
select ccn, quarter, day, count(distinct employee_id) as people
from (
    select
        rows_of.ccn,
        rows_of.quarter,
        rows_of.employee_id,
        unnest(rows_of.work_dates) as day,
        unnest(rows_of.work_hours) as hours
    from current.employee_quarters as rows_of
    inner join rules.job_codes as codes on rows_of.job_code = codes.job_code
    where codes.in_administrator
)
where hours > 0
group by ccn, quarter, day
order by ccn, day
