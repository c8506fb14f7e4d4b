-- Days on which every eligible nurse at work left for good (CMS: 100% daily turnover).
-- Grain: ccn, definition, day. Rule: methodology 2.8; R9.
with needed as (
    select value as spells
    from rules.staffing_limits
    where
        rule = 'full_daily_turnover'
        and getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

nurses as (
    select *
    from turnover.spells
    where measure = 'total_nurse' and qualifies
),

whole as (  -- where a quarter of the home is not there, everybody would seem to leave on its eve
    select ccn from turnover.home_quarters group by ccn having bool_and(in_employee)
),

period as (
    select max(last_day) filter (where quarter_position = 4) as last_day from inputs.six_quarters
),

last_days as (
    select ccn, definition, last_workday as day, count(*) as leaving
    from nurses
    where gap_follows
    group by ccn, definition, last_workday
),

crowds as materialized (  -- found first, because they are few and the join with everybody at work is large
    select last_days.*
    from last_days
    inner join whole on last_days.ccn = whole.ccn
    cross join needed
    cross join period
    where last_days.leaving >= needed.spells and last_days.day <= period.last_day
)

select
    crowds.ccn,
    crowds.definition,
    crowds.day,
    crowds.leaving
from crowds
inner join nurses
    on crowds.ccn = nurses.ccn
    and crowds.definition = nurses.definition
    and crowds.day between nurses.first_workday and nurses.last_workday
group by crowds.ccn, crowds.definition, crowds.day, crowds.leaving
having count(*) = crowds.leaving
order by crowds.ccn, crowds.definition, crowds.day
