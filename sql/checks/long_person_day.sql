-- Person-days with more hours over all job codes than a limit, up to the next limit.
-- Grain: check_name, ccn. Rule: methodology 8.1; the limits are rules.checks; nothing is removed or capped.
with limits as (
    select check_name, over_hours, coalesce(up_to_hours, 9999999) as up_to_hours
    from rules.checks
    where made_by = 'long_person_day'
),

candidates as (  -- days are only added up of people whose longest rows together pass the least limit, or who have two rows on a day
    select ccn, employee_id
    from checked.employee_quarters
    group by ccn, employee_id
    having sum(most_hours) > (select min(over_hours) from limits) or sum(repeated_days) > 0
),

person_days as (
    select ccn, employee_id, day, sum(hours) as hours
    from (
        select rows_of.ccn, rows_of.employee_id, unnest(rows_of.work_dates) as day, unnest(rows_of.work_hours) as hours
        from checked.employee_quarters as rows_of
        inner join candidates on rows_of.ccn = candidates.ccn and rows_of.employee_id = candidates.employee_id
    )
    group by ccn, employee_id, day
)

select
    limits.check_name,
    person_days.ccn,
    count(*) || ' person-days over ' || rtrim(rtrim(limits.over_hours::varchar, '0'), '.') || ' hours, the longest ' || max(person_days.hours) as evidence,
    min(person_days.day) as first_date,
    max(person_days.day) as last_date,
    count(*) as found
from person_days
inner join limits on person_days.hours > limits.over_hours and person_days.hours <= limits.up_to_hours
group by limits.check_name, limits.over_hours, person_days.ccn
order by limits.check_name, person_days.ccn
