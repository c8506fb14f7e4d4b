-- Stretches of work of a person: days worked with no gap between them that any definition could take for an end.
-- Grain: ccn, employee_id, measure, day_basis, first_workday. Rule: methodology 2.2-2.4; R2.
-- Definitions differ in where a spell ends; the spells of all of them are unions of these stretches. Each quarter is reduced to
-- stretches first, and only quarters of mixed codes or with as many days off as a gap has are looked at day by day.
with limits as (
    select min(gap_days) as gap_days, bool_or(day_basis = 'any') as any_basis
    from rules.turnover_definitions
),

own_days as (  -- the days with hours in the measure's codes; of a full quarter of such days alone only the first and the last
    select
        quarters.ccn,
        quarters.employee_id,
        codes.measure,
        'own' as day_basis,
        quarters.days[1].day as first_day,
        quarters.days[-1].day as last_day,
        case
            when
                quarters.job_code_bits & ~codes.bits = 0
                and quarters.least_hours > 0
                and quarters.days[-1].day - quarters.days[1].day + 1 - len(quarters.days) + quarters.repeated_days < limits.gap_days
                then null
            else list_filter(quarters.days, lambda item: (codes.bits >> item.job_code::bigint) & 1 = 1 and item.hours > 0)
        end as worked
    from six_quarters.employee_quarters as quarters
    inner join turnover.measure_codes as codes on quarters.job_code_bits & codes.bits <> 0
    cross join limits
),

people as (
    select distinct quarters.ccn, quarters.employee_id, codes.measure
    from six_quarters.employee_quarters as quarters
    inner join turnover.measure_codes as codes on quarters.job_code_bits & codes.bits <> 0
    inner join limits on limits.any_basis
),

any_days as (  -- the days with hours in any code, of people who have any in the measure's
    select
        quarters.ccn,
        quarters.employee_id,
        people.measure,
        'any' as day_basis,
        quarters.days[1].day as first_day,
        quarters.days[-1].day as last_day,
        case
            when
                len(quarters.other_days) = 0
                and quarters.least_hours > 0
                and quarters.days[-1].day - quarters.days[1].day + 1 - len(quarters.days) + quarters.repeated_days < limits.gap_days
                then null
            else list_sort(
                list_concat(
                    list_filter(quarters.days, lambda item: item.hours > 0),
                    list_transform(
                        list_filter(quarters.other_days, lambda item: item.hours > 0),
                        lambda item: {day: item.day, job_code: null::tinyint, is_contract: null::boolean, hours: item.hours}
                    )
                )
            )
        end as worked
    from six_quarters.employee_quarters as quarters
    inner join people on quarters.ccn = people.ccn and quarters.employee_id = people.employee_id
    cross join limits
),

broken as (  -- where a gap lies
    select
        every.*,
        limits.gap_days,
        list_filter(range(2, len(every.worked) + 1), lambda k: every.worked[k].day - every.worked[k - 1].day > limits.gap_days) as breaks
    from (
        from own_days
        union all
        from any_days
    ) as every
    cross join limits
),

in_quarters as (
    select
        ccn,
        employee_id,
        measure,
        day_basis,
        gap_days,
        case
            when worked is null then [{first_day: first_day, last_day: last_day}]
            when len(breaks) = 0 then [{first_day: worked[1].day, last_day: worked[-1].day}]
            else list_transform(
                range(0, len(breaks) + 1),
                lambda k: {
                    first_day: worked[coalesce(breaks[k], 1)].day, last_day: worked[coalesce(breaks[k + 1] - 1, len(worked))].day
                }
            )
        end as parts
    from broken
),

in_window as (  -- a quarter in which every row of the codes has zero hours leaves no part
    select
        ccn,
        employee_id,
        measure,
        day_basis,
        gap_days,
        list_sort(list_filter(flatten(list(parts)), lambda part: part.first_day is not null)) as parts
    from in_quarters
    group by ccn, employee_id, measure, day_basis, gap_days
),

joints as (
    select
        *,
        list_filter(range(2, len(parts) + 1), lambda k: parts[k].first_day - parts[k - 1].last_day > gap_days) as breaks
    from in_window
    where len(parts) > 0
),

joined as (
    select
        ccn,
        employee_id,
        measure,
        day_basis,
        list_transform(
            range(0, len(breaks) + 1),
            lambda k: {
                first_day: parts[coalesce(breaks[k], 1)].first_day,
                last_day: parts[coalesce(breaks[k + 1] - 1, len(parts))].last_day
            }
        ) as stretches
    from joints
),

numbered as (
    select *, unnest(range(1, len(stretches) + 1)) as k
    from joined
)

select
    numbered.ccn,
    numbered.employee_id,
    numbered.measure,
    numbered.day_basis,
    numbered.stretches[k].first_day as first_workday,
    numbered.stretches[k].last_day as last_workday,
    numbered.stretches[k].first_day - numbered.stretches[k - 1].last_day - 1 as gap_before,
    -- after the last stretch the gap is what is left of the window
    coalesce(numbered.stretches[k + 1].first_day, bounds.window_end + 1) - numbered.stretches[k].last_day - 1 as gap_after
from numbered
cross join (select max(last_day) as window_end from inputs.six_quarters) as bounds
order by numbered.ccn, numbered.employee_id, numbered.measure, numbered.day_basis, first_workday
