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
        segments.*,
        definitions.* exclude (day_basis),
        case
            when segments.gap_before is null then 1
            when segments.gap_before > definitions.gap_days then 1
            when segments.gap_before = definitions.gap_days and definitions.gap_test = 'at_least' then 1
            else 0
        end as begins_spell
    from turnover.segments as segments
    inner join definitions on segments.day_basis = definitions.day_basis
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
        ccn,
        employee_id,
        measure,
        definition,
        min(first_workday) as first_workday,
        max(last_workday) as last_workday,
        arg_max(gap_after, last_workday) as gap_after,
        sum(own_workdays) as own_workdays,
        case
            when eligibility_period = 'any_workday' and hours_basis = 'own' then max(best_own_hours)
            when eligibility_period = 'any_workday' then max(best_any_hours)
            when hours_scope = 'all' and hours_basis = 'own' then arg_min(own_hours, first_workday)
            when hours_scope = 'all' then arg_min(any_hours, first_workday)
            when hours_basis = 'own' then arg_min(own_hours_of_segment, first_workday)
            else arg_min(any_hours_of_segment, first_workday)
        end as hours_first_90_days
    from numbered
    group by ccn, employee_id, measure, definition, spell, eligibility_period, hours_basis, hours_scope
),

judged as (
    select
        spells.* exclude (gap_after, own_workdays),
        spells.first_workday <= starting.last_day
        and coalesce(spells.hours_first_90_days >= definitions.hours_needed, false) as qualifies,
        spells.gap_after > definitions.gap_days
        or (spells.gap_after = definitions.gap_days and definitions.gap_test = 'at_least') as gap_follows,
        case definitions.departure_test
            when 'last_workday' then spells.last_workday
            else spells.last_workday + 1
        end as leaving_date,
        definitions.ended_in_q0
    from spells
    inner join definitions on spells.definition = definitions.definition
    inner join inputs.six_quarters as starting on definitions.starts_through = 'q' || starting.quarter_position
    where spells.own_workdays > 0  -- work in other codes alone is no spell of the measure
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
