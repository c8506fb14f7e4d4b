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

last_days as (
    select ccn, definition, last_workday as day, count(*) as leaving
    from nurses
    where gap_follows
    group by ccn, definition, last_workday
),

whole as (  -- where a quarter of the home is not there, everybody would seem to leave on its eve
    select ccn from turnover.home_quarters group by ccn having bool_and(in_employee)
),

period as (
    select max(last_day) filter (where quarter_position = 4) as last_day from inputs.six_quarters
)

select
    last_days.ccn,
    last_days.definition,
    last_days.day,
    last_days.leaving
from last_days
inner join whole on last_days.ccn = whole.ccn
cross join needed
cross join period
inner join nurses
    on last_days.ccn = nurses.ccn
    and last_days.definition = nurses.definition
    and last_days.day between nurses.first_workday and nurses.last_workday
where last_days.leaving >= needed.spells and last_days.day <= period.last_day
group by last_days.ccn, last_days.definition, last_days.day, last_days.leaving
having count(*) = last_days.leaving
order by last_days.ccn, last_days.definition, last_days.day
