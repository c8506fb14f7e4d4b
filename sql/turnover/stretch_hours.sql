-- Hours that decide whether a spell counts, for each stretch of work that may begin one.
-- Grain: ccn, employee_id, measure, day_basis, first_workday. Rule: methodology 2.3; R3, R4, R24.
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
        stretches.*,
        stretches.first_workday + limits.window_days - 1 as last_counted,
        -- only where the person is back within the period do its hours and those of the stretch differ
        stretches.last_workday + stretches.gap_after + 1 < stretches.first_workday + limits.window_days as is_cut,
        limits.any_hours
    from turnover.stretches as stretches
    cross join limits
),

touched as (  -- the rows that have days in a period; most lie in it whole
    select
        periods.* exclude (has_own_days, gap_before, gap_after),
        codes.job_code is not null as is_own,
        quarters.first_workday >= periods.first_workday and quarters.last_workday <= periods.last_counted as is_whole,
        quarters.work_dates,
        quarters.work_hours,
        quarters.total_hours
    from six_quarters.employee_quarters as quarters
    inner join periods
        on quarters.ccn = periods.ccn
        and quarters.employee_id = periods.employee_id
        and quarters.last_workday >= periods.first_workday
        and quarters.first_workday <= periods.last_counted
    left join turnover.measure_codes as codes on periods.measure = codes.measure and quarters.job_code = codes.job_code
    where codes.job_code is not null or periods.any_hours or periods.day_basis = 'any'
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
                    work_hours, lambda hours, k: case when work_dates[k] > last_workday and work_dates[k] <= last_counted then hours end
                ))
        end as later_hours
    from touched
),

hours as (
    select
        ccn,
        employee_id,
        measure,
        day_basis,
        first_workday,
        coalesce(sum(hours) filter (where is_own), 0) as own_hours,
        coalesce(sum(hours) filter (where is_own), 0) - coalesce(sum(later_hours) filter (where is_own), 0) as own_hours_of_stretch,
        case when any_hours then sum(hours) end as any_hours
    from counted
    group by ccn, employee_id, measure, day_basis, first_workday, any_hours
),

short_people as (  -- for all others the first ninety days suffice, under either reading of R4
    select distinct hours.ccn, hours.employee_id, hours.measure
    from hours
    inner join limits on limits.any_workday
    cross join last_start
    where hours.day_basis = 'own' and hours.own_hours < limits.hours_needed and hours.first_workday <= last_start.day
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
        periods.ccn,
        periods.employee_id,
        periods.measure,
        periods.first_workday,
        max(short_periods.hours) as hours
    from short_periods
    cross join last_start
    inner join periods
        on short_periods.ccn = periods.ccn
        and short_periods.employee_id = periods.employee_id
        and short_periods.measure = periods.measure
        and short_periods.day between periods.first_workday and least(periods.last_workday, last_start.day)
    where periods.day_basis = 'own'
    group by periods.ccn, periods.employee_id, periods.measure, periods.first_workday
)

select
    hours.*,
    best.hours as best_own_hours
from hours
left join best
    on hours.day_basis = 'own'
    and hours.ccn = best.ccn
    and hours.employee_id = best.employee_id
    and hours.measure = best.measure
    and hours.first_workday = best.first_workday
order by hours.ccn, hours.employee_id, hours.measure, hours.day_basis, hours.first_workday
