-- Stretches of work of a person: days worked with no gap between them that any definition could take for an end.
-- Grain: ccn, employee_id, measure, day_basis, first_workday. Rule: methodology 2.2-2.4; R2.
-- Definitions differ in where a spell ends; the spells of all of them are unions of these stretches. A quarter in one job code that
-- has no such gap goes in as its first and last day, any other day by day.
with limits as (
    select min(gap_days) as gap_days, bool_or(day_basis = 'any') as any_basis
    from rules.turnover_definitions
),

bounds as (
    select min(first_day) as window_start, max(last_day) as window_end from inputs.six_quarters
),

parts as (
    select ccn, employee_id, job_code, first_workday, last_workday
    from six_quarters.employee_quarters
    cross join limits
    where longest_gap < limits.gap_days
    union all
    select ccn, employee_id, job_code, day as first_workday, day as last_workday
    from (
        select ccn, employee_id, job_code, unnest(work_dates) as day, unnest(work_hours) as hours
        from six_quarters.employee_quarters
        cross join limits
        where longest_gap >= limits.gap_days
    )
    where hours > 0
),

own_parts as (
    select parts.ccn, parts.employee_id, codes.measure, parts.first_workday, parts.last_workday
    from parts
    inner join turnover.measure_codes as codes on parts.job_code = codes.job_code
),

people as (
    select distinct ccn, employee_id, measure
    from own_parts
),

bases as (
    select *, 'own' as day_basis, true as is_own
    from own_parts
    union all  -- days in any job code, of people who have days in the measure's
    select
        parts.ccn,
        parts.employee_id,
        people.measure,
        parts.first_workday,
        parts.last_workday,
        'any' as day_basis,
        codes.job_code is not null as is_own
    from parts
    inner join people on parts.ccn = people.ccn and parts.employee_id = people.employee_id
    inner join limits on limits.any_basis
    left join turnover.measure_codes as codes on people.measure = codes.measure and parts.job_code = codes.job_code
),

whole as (  -- of people with one part a quarter, who are most: their parts share no day, so that sums tell the days off between them
    select
        bases.ccn,
        bases.employee_id,
        bases.measure,
        bases.day_basis,
        min(bases.first_workday) as first_workday,
        max(bases.last_workday) as last_workday,
        bool_or(bases.is_own) as has_own_days,
        count(*) = bit_count(bit_or(1 << date_diff('quarter', bounds.window_start, bases.first_workday)))
        and max(bases.last_workday) - min(bases.first_workday) + 1
        - sum(bases.last_workday - bases.first_workday + 1) < limits.gap_days as is_one_stretch
    from bases
    cross join bounds
    cross join limits
    group by bases.ccn, bases.employee_id, bases.measure, bases.day_basis, limits.gap_days
),

reached as (
    select bases.*, max(bases.last_workday) over earlier as last_day_before
    from bases
    inner join whole
        on bases.ccn = whole.ccn
        and bases.employee_id = whole.employee_id
        and bases.measure = whole.measure
        and bases.day_basis = whole.day_basis
    where not whole.is_one_stretch
    window earlier as (
        partition by bases.ccn, bases.employee_id, bases.measure, bases.day_basis
        order by bases.first_workday, bases.last_workday rows between unbounded preceding and 1 preceding
    )
),

numbered as (
    select
        reached.*,
        count(*) filter (
            where reached.last_day_before is null or reached.first_workday - reached.last_day_before > limits.gap_days
        ) over so_far as stretch
    from reached
    cross join limits
    window so_far as (
        partition by reached.ccn, reached.employee_id, reached.measure, reached.day_basis
        order by reached.first_workday, reached.last_workday, reached.last_day_before nulls first
        rows between unbounded preceding and current row
    )
),

several as (
    select
        ccn,
        employee_id,
        measure,
        day_basis,
        min(first_workday) as first_workday,
        max(last_workday) as last_workday,
        bool_or(is_own) as has_own_days
    from numbered
    group by ccn, employee_id, measure, day_basis, stretch
),

stretches as (
    select *, lag(last_workday) over person as last_before, lead(first_workday) over person as first_after
    from several
    window person as (partition by ccn, employee_id, measure, day_basis order by first_workday)
    union all by name
    select * exclude (is_one_stretch), null as last_before, null as first_after
    from whole
    where is_one_stretch
)

select
    stretches.ccn,
    stretches.employee_id,
    stretches.measure,
    stretches.day_basis,
    stretches.first_workday,
    stretches.last_workday,
    stretches.has_own_days,
    stretches.first_workday - stretches.last_before - 1 as gap_before,
    -- after the last stretch the gap is what is left of the window
    coalesce(stretches.first_after, bounds.window_end + 1) - stretches.last_workday - 1 as gap_after
from stretches
cross join bounds
order by stretches.ccn, stretches.employee_id, stretches.measure, stretches.day_basis, stretches.first_workday
