-- Stretches of work of a person: days worked with no gap between them that any definition could take for an end.
-- Grain: ccn, employee_id, measure, day_basis, first_workday. Rule: methodology 2.2-2.4; R2.
-- Definitions differ in where a spell ends; the spells of all of them are unions of these stretches. Of a person's quarter in one job
-- code only the first and the last day count, and those around its pauses, which are shorter than any definition's gap.
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
    where len(pauses) = 0 and first_workday is not null
    union all
    select
        ccn,
        employee_id,
        job_code,
        unnest(list_prepend(first_workday, list_transform(pauses, lambda pause: pause.next_day))) as first_workday,
        unnest(list_append(list_transform(pauses, lambda pause: pause.last_day), last_workday)) as last_workday
    from six_quarters.employee_quarters
    where len(pauses) > 0
),

own_parts as (
    select parts.ccn, parts.employee_id, codes.measure, parts.first_workday, parts.last_workday
    from parts
    inner join turnover.measure_codes as codes on parts.job_code = codes.job_code
),

mixed as (  -- people who also work in other codes; days in any code are those in the measure's for everybody else
    select own.ccn, own.employee_id, own.measure
    from (select ccn, employee_id, measure, count(*) as parts from own_parts group by ccn, employee_id, measure) as own
    inner join (select ccn, employee_id, count(*) as parts from parts group by ccn, employee_id) as every
        on own.ccn = every.ccn and own.employee_id = every.employee_id
    inner join limits on limits.any_basis
    where own.parts < every.parts
),

bases as (
    select *, 'own' as day_basis, true as is_own
    from own_parts
    union all
    select
        parts.ccn,
        parts.employee_id,
        mixed.measure,
        parts.first_workday,
        parts.last_workday,
        'any' as day_basis,
        codes.job_code is not null as is_own
    from parts
    inner join mixed on parts.ccn = mixed.ccn and parts.employee_id = mixed.employee_id
    left join turnover.measure_codes as codes on mixed.measure = codes.measure and parts.job_code = codes.job_code
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
),

every as (
    select * from stretches
    union all
    select stretches.* replace ('any' as day_basis)
    from stretches
    inner join limits on limits.any_basis
    anti join mixed
        on stretches.ccn = mixed.ccn and stretches.employee_id = mixed.employee_id and stretches.measure = mixed.measure
    where stretches.day_basis = 'own'
)

select
    every.ccn,
    every.employee_id,
    every.measure,
    every.day_basis,
    every.first_workday,
    every.last_workday,
    every.has_own_days,
    every.first_workday - every.last_before - 1 as gap_before,
    -- after the last stretch the gap is what is left of the window
    coalesce(every.first_after, bounds.window_end + 1) - every.last_workday - 1 as gap_after
from every
cross join bounds
order by every.ccn, every.employee_id, every.measure, every.day_basis, every.first_workday
