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

starts as (
    select
        stretches.*,
        codes.bits,
        stretches.first_workday + limits.window_days - 1 as last_counted,
        -- only where the person is back within the period do its hours and those of the stretch differ
        stretches.last_workday + stretches.gap_after + 1 <= stretches.first_workday + limits.window_days - 1 as is_cut
    from turnover.stretches as stretches
    inner join turnover.measure_codes as codes on stretches.measure = codes.measure
    cross join limits
),

periods as (  -- ninety days touch two quarters at most, as a rule
    select starts.*, quarters.quarter
    from starts
    inner join inputs.six_quarters as quarters
        on starts.first_workday <= quarters.last_day and starts.last_counted >= quarters.first_day
),

worked as (
    select
        periods.* exclude (quarter, bits),
        list_sum(list_transform(quarters.days, lambda item: case
            when
                item.day between periods.first_workday and periods.last_counted
                and (periods.bits >> item.job_code::bigint) & 1 = 1
                then item.hours
        end)) as own_hours,
        case
            when periods.is_cut
                then list_sum(list_transform(quarters.days, lambda item: case
                    when item.day > periods.last_workday and item.day between periods.first_workday and periods.last_counted
                    and (periods.bits >> item.job_code::bigint) & 1 = 1
                        then item.hours
                end))
        end as later_hours,
        case
            when limits.any_hours
                then coalesce(list_sum(list_transform(quarters.days, lambda item: case
                    when item.day between periods.first_workday and periods.last_counted then item.hours
                end)), 0)
                + coalesce(list_sum(list_transform(quarters.other_days, lambda item: case
                    when item.day between periods.first_workday and periods.last_counted then item.hours
                end)), 0)
        end as any_hours
    from six_quarters.employee_quarters as quarters
    inner join periods
        on quarters.ccn = periods.ccn
        and quarters.employee_id = periods.employee_id
        and quarters.quarter = periods.quarter
    cross join limits
),

hours as (
    select
        ccn,
        employee_id,
        measure,
        day_basis,
        first_workday,
        coalesce(sum(own_hours), 0) as own_hours,
        coalesce(sum(own_hours), 0) - coalesce(sum(later_hours), 0) as own_hours_of_stretch,
        sum(any_hours) as any_hours
    from worked
    group by ccn, employee_id, measure, day_basis, first_workday
),

short_people as (  -- for all others the first ninety days suffice, under either reading of R4
    select distinct hours.ccn, hours.employee_id, hours.measure
    from hours
    inner join limits on limits.any_workday
    cross join last_start
    where hours.day_basis = 'own' and hours.own_hours < limits.hours_needed and hours.first_workday <= last_start.day
),

short_days as (
    select people.ccn, people.employee_id, people.measure, people.item.day as day, sum(people.item.hours) as hours
    from (
        select
            short_people.*,
            unnest(list_filter(
                quarters.days, lambda item: (codes.bits >> item.job_code::bigint) & 1 = 1 and item.hours > 0
            )) as item
        from six_quarters.employee_quarters as quarters
        inner join short_people on quarters.ccn = short_people.ccn and quarters.employee_id = short_people.employee_id
        inner join turnover.measure_codes as codes on short_people.measure = codes.measure
    ) as people
    group by people.ccn, people.employee_id, people.measure, people.item.day
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
        starts.ccn,
        starts.employee_id,
        starts.measure,
        starts.first_workday,
        max(short_periods.hours) as hours
    from short_periods
    cross join last_start
    inner join starts
        on short_periods.ccn = starts.ccn
        and short_periods.employee_id = starts.employee_id
        and short_periods.measure = starts.measure
        and short_periods.day between starts.first_workday and least(starts.last_workday, last_start.day)
    where starts.day_basis = 'own'
    group by starts.ccn, starts.employee_id, starts.measure, starts.first_workday
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
