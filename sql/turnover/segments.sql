-- Stretches of work of a person: workdays with no gap that any definition could take for an end.
-- Grain: ccn, employee_id, measure, day_basis, first_workday. Rule: methodology 2.2-2.4; R2, R3, R4, R24.
-- Definitions differ in where a spell ends and which hours count; all of them are unions of these stretches.
with measure_codes as (
    select 'total_nurse' as measure, job_code from rules.job_codes where in_total_nurse
    union all
    select 'rn' as measure, job_code from rules.job_codes where in_rn
    union all
    select 'administrator' as measure, job_code from rules.job_codes where in_administrator
),

limits as (
    select min(gap_days) as gap_days, max(hours_window_days) as window_days
    from rules.turnover_definitions
),

bounds as (
    select
        max(last_day) as window_end,
        max(last_day) filter (where quarter_position = 2) as last_start
    from inputs.six_quarters
),

own_rows as (
    select ccn, employee_id, unnest(days) as worked
    from six_quarters.employee_quarters
),

own_days as (
    select
        own_rows.ccn,
        own_rows.employee_id,
        measure_codes.measure,
        own_rows.worked.day as day,
        sum(own_rows.worked.hours) as hours
    from own_rows
    inner join measure_codes on own_rows.worked.job_code = measure_codes.job_code
    group by all
    having sum(own_rows.worked.hours) > 0
),

people as (
    select distinct ccn, employee_id, measure
    from own_days
),

any_rows as (
    select ccn, employee_id, worked.day as day, worked.hours as hours
    from own_rows
    union all
    select ccn, employee_id, other.day as day, other.hours as hours
    from (select ccn, employee_id, unnest(other_days) as other from six_quarters.employee_quarters)
),

any_days as (
    select ccn, employee_id, day, sum(hours) as hours
    from any_rows
    group by ccn, employee_id, day
    having sum(hours) > 0
),

person_days as (
    select
        people.ccn,
        people.employee_id,
        people.measure,
        any_days.day,
        any_days.hours as any_hours,
        coalesce(own_days.hours, 0) as own_hours  -- no row in the measure's codes is no hour in them
    from people
    inner join any_days on people.ccn = any_days.ccn and people.employee_id = any_days.employee_id
    left join own_days
        on people.ccn = own_days.ccn
        and people.employee_id = own_days.employee_id
        and people.measure = own_days.measure
        and any_days.day = own_days.day
),

with_periods as (
    select
        person_days.*,
        sum(own_hours) over period as own_period_hours,
        sum(any_hours) over period as any_period_hours
    from person_days
    cross join limits
    window period as (
        partition by ccn, employee_id, measure order by day
        range between current row and to_days(limits.window_days - 1) following
    )
),

workdays as (
    select
        with_periods.*,
        bases.day_basis,
        date_diff('day', lag(day) over person, day) - 1 as days_off
    from with_periods
    inner join (select distinct day_basis from rules.turnover_definitions) as bases
        on bases.day_basis = 'any' or with_periods.own_hours > 0
    window person as (partition by ccn, employee_id, measure, bases.day_basis order by day)
),

numbered as (
    select
        workdays.*,
        sum(case when days_off < limits.gap_days then 0 else 1 end) over person as segment
    from workdays
    cross join limits
    window person as (
        partition by ccn, employee_id, measure, day_basis order by day rows between unbounded preceding and current row
    )
),

placed as (
    select
        numbered.*,
        min(day) over (partition by ccn, employee_id, measure, day_basis, segment) as first_workday
    from numbered
),

segments as (
    select
        ccn,
        employee_id,
        measure,
        day_basis,
        first_workday,
        max(day) as last_workday,
        max(days_off) filter (where day = first_workday) as gap_before,
        count(*) filter (where own_hours > 0) as own_workdays,
        max(own_period_hours) filter (where day = first_workday) as own_hours,
        max(any_period_hours) filter (where day = first_workday) as any_hours,
        sum(own_hours) filter (where date_diff('day', first_workday, day) < window_days) as own_hours_of_segment,
        sum(any_hours) filter (where date_diff('day', first_workday, day) < window_days) as any_hours_of_segment,
        max(own_period_hours) filter (where day <= last_start) as best_own_hours,
        max(any_period_hours) filter (where day <= last_start) as best_any_hours
    from placed
    cross join bounds
    cross join limits
    group by ccn, employee_id, measure, day_basis, first_workday
)

select
    segments.*,
    coalesce(  -- after the last stretch the gap is what is left of the window
        date_diff('day', last_workday, lead(first_workday) over person) - 1,
        date_diff('day', last_workday, bounds.window_end)
    ) as gap_after
from segments
cross join bounds
window person as (partition by ccn, employee_id, measure, day_basis order by first_workday)
order by ccn, employee_id, measure, day_basis, first_workday
