-- Employment spells under each definition: whether they count and whether they ended in turnover.
-- Grain: ccn, employee_id, measure, definition, first_workday. Rule: methodology 2.3-2.5; R1, R4-R8, R24.
with definitions as (
    select *
    from rules.turnover_definitions
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

endings as (  -- definitions that end a spell alike share its days
    select distinct day_basis, gap_days, gap_test from definitions
),

bounds as (
    select
        max(first_day) filter (where quarter_position = 1) as first_departure,
        max(last_day) filter (where quarter_position = 4) as last_departure
    from inputs.six_quarters
),

numbered as (
    select
        stretches.*,
        endings.gap_days,
        endings.gap_test,
        count(*) filter (
            where stretches.gap_before is null
            or stretches.gap_before > endings.gap_days
            or (stretches.gap_before = endings.gap_days and endings.gap_test = 'at_least')
        ) over (
            partition by stretches.ccn, stretches.employee_id, stretches.measure, endings.day_basis, endings.gap_days, endings.gap_test
            order by stretches.first_workday rows between unbounded preceding and current row
        ) as spell
    from turnover.stretches as stretches
    inner join endings on stretches.day_basis = endings.day_basis
),

spells as (
    select
        numbered.ccn,
        numbered.employee_id,
        numbered.measure,
        numbered.day_basis,
        numbered.gap_days,
        numbered.gap_test,
        min(numbered.first_workday) as first_workday,
        max(numbered.last_workday) as last_workday,
        arg_max(numbered.gap_after, numbered.last_workday) as gap_after,
        arg_min(hours.own_hours, numbered.first_workday) as own_hours,
        arg_min(hours.own_hours_of_stretch, numbered.first_workday) as own_hours_of_stretch,
        arg_min(hours.any_hours, numbered.first_workday) as any_hours,
        max(hours.best_own_hours) as best_own_hours
    from numbered
    inner join turnover.stretch_hours as hours
        on numbered.ccn = hours.ccn
        and numbered.employee_id = hours.employee_id
        and numbered.measure = hours.measure
        and numbered.first_workday = hours.first_workday
    group by
        numbered.ccn,
        numbered.employee_id,
        numbered.measure,
        numbered.day_basis,
        numbered.gap_days,
        numbered.gap_test,
        numbered.spell
    having bool_or(numbered.has_own_days)  -- work in other codes alone is no spell of the measure
),

defined as (
    select
        spells.*,
        definitions.definition,
        definitions.eligibility_period,
        definitions.hours_needed,
        definitions.ended_in_q0,
        spells.first_workday <= starting.last_day as starts_in_time,
        case
            when definitions.hours_basis = 'any' then spells.any_hours
            when definitions.hours_scope = 'spell' then spells.own_hours_of_stretch
            else spells.own_hours
        end as hours_from_start,
        spells.gap_after > spells.gap_days or (spells.gap_after = spells.gap_days and spells.gap_test = 'at_least') as gap_follows,
        case definitions.departure_test
            when 'last_workday' then spells.last_workday
            else spells.last_workday + 1
        end as leaving_date
    from spells
    inner join definitions
        on spells.day_basis = definitions.day_basis
        and spells.gap_days = definitions.gap_days
        and spells.gap_test = definitions.gap_test
    inner join inputs.six_quarters as starting on definitions.starts_through = 'q' || starting.quarter_position
),

measured as (
    select
        *,
        case
            when eligibility_period = 'first_workday' then hours_from_start
            when not starts_in_time then null
            when hours_from_start >= hours_needed then hours_from_start
            else best_own_hours
        end as hours_first_90_days
    from defined
),

judged as (
    select *, starts_in_time and coalesce(hours_first_90_days >= hours_needed, false) as qualifies
    from measured
),

counted as (
    select
        judged.*,
        judged.qualifies
        and not (judged.ended_in_q0 = 'left_out' and judged.gap_follows and judged.leaving_date < bounds.first_departure) as eligible,
        judged.gap_follows and judged.leaving_date between bounds.first_departure and bounds.last_departure as leaves_in_period
    from judged
    cross join bounds
)

select
    ccn,
    employee_id,
    measure,
    definition,
    first_workday,
    last_workday,
    hours_first_90_days,
    qualifies,
    gap_follows,
    eligible,
    eligible and leaves_in_period as departed
from counted
order by ccn, employee_id, measure, definition, first_workday
