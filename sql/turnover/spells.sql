-- Employment spells under each definition: whether they count and whether they ended in turnover.
-- Grain: ccn, employee_id, measure, definition, first_workday. Rule: methodology 2.3-2.5; R1, R4-R8, R24.
with definitions as (
    select *
    from rules.turnover_definitions
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

bounds as (
    select
        max(first_day) filter (where quarter_position = 1) as first_departure,
        max(last_day) filter (where quarter_position = 4) as last_departure
    from inputs.six_quarters
),

starts as (
    select
        stretches.*,
        definitions.* exclude (day_basis),
        case
            when stretches.gap_before is null then 1
            when stretches.gap_before > definitions.gap_days then 1
            when stretches.gap_before = definitions.gap_days and definitions.gap_test = 'at_least' then 1
            else 0
        end as begins_spell
    from turnover.stretches as stretches
    inner join definitions on stretches.day_basis = definitions.day_basis
),

numbered as (
    select
        *,
        sum(begins_spell) over (
            partition by ccn, employee_id, measure, definition order by first_workday rows between unbounded preceding and current row
        ) as spell
    from starts
),

spells as (
    select
        numbered.ccn,
        numbered.employee_id,
        numbered.measure,
        numbered.definition,
        numbered.day_basis,
        numbered.eligibility_period,
        numbered.hours_needed,
        min(numbered.first_workday) as first_workday,
        max(numbered.last_workday) as last_workday,
        arg_max(numbered.gap_after, numbered.last_workday) as gap_after,
        arg_min(
            case
                when numbered.hours_basis = 'any' then hours.any_hours
                when numbered.hours_scope = 'spell' then hours.own_hours_of_stretch
                else hours.own_hours
            end,
            numbered.first_workday
        ) as hours_from_start,
        max(hours.best_own_hours) as best_hours
    from numbered
    inner join turnover.stretch_hours as hours
        on numbered.ccn = hours.ccn
        and numbered.employee_id = hours.employee_id
        and numbered.measure = hours.measure
        and numbered.day_basis = hours.day_basis
        and numbered.first_workday = hours.first_workday
    group by
        numbered.ccn,
        numbered.employee_id,
        numbered.measure,
        numbered.definition,
        numbered.day_basis,
        numbered.eligibility_period,
        numbered.hours_needed,
        numbered.spell
),

measured as (
    select
        spells.*,
        spells.first_workday <= starting.last_day as starts_in_time,
        case
            when spells.eligibility_period = 'first_workday' then spells.hours_from_start
            when spells.first_workday > starting.last_day then null
            when spells.hours_from_start >= spells.hours_needed then spells.hours_from_start
            else spells.best_hours
        end as hours_first_90_days
    from spells
    inner join definitions on spells.definition = definitions.definition
    inner join inputs.six_quarters as starting on definitions.starts_through = 'q' || starting.quarter_position
    where
        spells.day_basis = 'own'
        or exists (  -- work in other codes alone is no spell of the measure
            select 1
            from turnover.stretches as own
            where
                own.day_basis = 'own'
                and own.ccn = spells.ccn
                and own.employee_id = spells.employee_id
                and own.measure = spells.measure
                and own.first_workday between spells.first_workday and spells.last_workday
        )
),

judged as (
    select
        measured.*,
        measured.starts_in_time and coalesce(measured.hours_first_90_days >= definitions.hours_needed, false) as qualifies,
        measured.gap_after > definitions.gap_days
        or (measured.gap_after = definitions.gap_days and definitions.gap_test = 'at_least') as gap_follows,
        case definitions.departure_test
            when 'last_workday' then measured.last_workday
            else measured.last_workday + 1
        end as leaving_date,
        definitions.ended_in_q0
    from measured
    inner join definitions on measured.definition = definitions.definition
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
