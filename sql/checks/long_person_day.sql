-- Person-days with more hours over all job codes than a limit, up to the next limit.
-- Grain: check_name, ccn. Rule: methodology 8.1; the limits are rules.checks; nothing is removed or capped.
with limits as (
    select check_name, over_hours, coalesce(up_to_hours, 9999999) as up_to_hours
    from rules.checks
    where made_by = 'long_person_day'
),

least as (
    select min(over_hours) as hours from limits
),

candidates as (  -- most people have one row a day: days are only added up where a second row or a long one stands
    select ccn, employee_id, days, other_days
    from checked.employee_quarters
    cross join least
    where repeated_days > 0 or other_repeated_days > 0 or most_hours > least.hours or (len(days) > 0 and len(other_days) > 0)
),

person_days as (
    select ccn, employee_id, item.day as day, sum(item.hours) as hours
    from (
        select ccn, employee_id, unnest(list_concat(list_transform(days, lambda d: {day: d.day, hours: d.hours}), other_days)) as item
        from candidates
    )
    group by ccn, employee_id, item.day
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
