-- Hours that decide whether a spell counts, for each day on which a stretch of work begins, whichever days make the stretch.
-- Grain: ccn, employee_id, measure, first_workday. Rule: methodology 2.3; R3, R4, R24.
with limits as (
    select
        max(hours_window_days) as window_days,
        min(hours_needed) as hours_needed,
        bool_or(hours_basis = 'any') as any_hours,
        bool_or(eligibility_period = 'any_workday') as any_workday
    from rules.turnover_definitions
),

last_start as (
    select max(quarters.last_day) as day
    from inputs.six_quarters as quarters
    inner join rules.turnover_definitions as definitions on definitions.starts_through = 'q' || quarters.quarter_position
),

periods as (
    select
        stretches.ccn,
        stretches.employee_id,
        stretches.measure,
        stretches.first_workday,
        stretches.first_workday + limits.window_days - 1 as last_counted,
        max(stretches.last_workday) filter (where stretches.day_basis = 'own') as last_own_day,
        -- only where the person is back within the period do its hours and those of the stretch differ
        bool_or(
            stretches.day_basis = 'own' and stretches.last_workday + stretches.gap_after + 1 < stretches.first_workday + limits.window_days
        ) as is_cut
    from turnover.stretches as stretches
    cross join limits
    group by stretches.ccn, stretches.employee_id, stretches.measure, stretches.first_workday, limits.window_days
),

touched as (  -- the rows that have days in a period; most lie in it whole
    select
        periods.*,
        codes.job_code is not null as is_own,
        quarters.first_workday >= periods.first_workday and quarters.last_workday <= periods.last_counted as is_whole,
        quarters.work_dates,
        quarters.work_hours,
        quarters.total_hours,
        limits.any_hours
    from six_quarters.employee_quarters as quarters
    inner join periods
        on quarters.ccn = periods.ccn
        and quarters.employee_id = periods.employee_id
        and quarters.last_workday >= periods.first_workday
        and quarters.first_workday <= periods.last_counted
    cross join limits
    left join turnover.measure_codes as codes on periods.measure = codes.measure and quarters.job_code = codes.job_code
    where codes.job_code is not null or limits.any_hours or periods.last_own_day is null
),

counted as (
    select
        *,
        case
            when is_whole then total_hours
            else list_sum(list_transform(
                work_hours, lambda hours, k: case when work_dates[k] between first_workday and last_counted then hours end
            ))
        end as hours,
        case
            when is_cut
                then list_sum(list_transform(
                    work_hours, lambda hours, k: case when work_dates[k] > last_own_day and work_dates[k] <= last_counted then hours end
                ))
        end as later_hours
    from touched
),

hours as (
    select
        ccn,
        employee_id,
        measure,
        first_workday,
        coalesce(sum(hours) filter (where is_own), 0) as own_hours,
        coalesce(sum(hours) filter (where is_own), 0) - coalesce(sum(later_hours) filter (where is_own), 0) as own_hours_of_stretch,
        case when any_hours then sum(hours) end as any_hours,
        any_value(last_own_day) as last_own_day
    from counted
    group by ccn, employee_id, measure, first_workday, any_hours
),

short_people as (  -- for all others the first ninety days suffice, under either reading of R4
    select distinct hours.ccn, hours.employee_id, hours.measure
    from hours
    inner join limits on limits.any_workday
    cross join last_start
    where hours.last_own_day is not null and hours.own_hours < limits.hours_needed and hours.first_workday <= last_start.day
),

short_days as (
    select ccn, employee_id, measure, day, sum(hours) as hours
    from (
        select short_people.*, unnest(quarters.work_dates) as day, unnest(quarters.work_hours) as hours
        from six_quarters.employee_quarters as quarters
        inner join short_people on quarters.ccn = short_people.ccn and quarters.employee_id = short_people.employee_id
        inner join turnover.measure_codes as codes on short_people.measure = codes.measure and quarters.job_code = codes.job_code
    )
    where hours > 0
    group by ccn, employee_id, measure, day
),

short_periods as (
    select
        short_days.* exclude (hours),
        sum(short_days.hours) over (
            partition by short_days.ccn, short_days.employee_id, short_days.measure
            order by short_days.day
            range between current row and to_days(limits.window_days - 1) following
        ) as hours
    from short_days
    cross join limits
),

best as (
    select
        hours.ccn,
        hours.employee_id,
        hours.measure,
        hours.first_workday,
        max(short_periods.hours) as hours
    from short_periods
    cross join last_start
    inner join hours
        on short_periods.ccn = hours.ccn
        and short_periods.employee_id = hours.employee_id
        and short_periods.measure = hours.measure
        and short_periods.day between hours.first_workday and hours.last_own_day
        and short_periods.day <= last_start.day
    group by hours.ccn, hours.employee_id, hours.measure, hours.first_workday
)

select
    hours.* exclude (last_own_day),
    best.hours as best_own_hours
from hours
left join best
    on hours.ccn = best.ccn
    and hours.employee_id = best.employee_id
    and hours.measure = best.measure
    and hours.first_workday = best.first_workday
order by hours.ccn, hours.employee_id, hours.measure, hours.first_workday
