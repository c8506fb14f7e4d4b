-- Eligible spells and departures of every home under every definition.
-- Grain: ccn, measure, definition. Rule: methodology 2.6; R10: three decimals, half up, before any cut point.
with grid as (
    select homes.ccn, measures.measure, definitions.definition
    from (select distinct ccn from turnover.home_quarters) as homes
    cross join (select unnest(['total_nurse', 'rn', 'administrator']) as measure) as measures
    cross join (select distinct definition from rules.turnover_definitions) as definitions
),

counted as (
    select
        grid.ccn,
        grid.measure,
        grid.definition,
        count(*) filter (where spells.eligible) as eligible_spells,
        count(*) filter (where spells.departed) as departures
    from grid
    left join turnover.spells as spells
        on grid.ccn = spells.ccn and grid.measure = spells.measure and grid.definition = spells.definition
    group by grid.ccn, grid.measure, grid.definition
),

supplied as (
    select ccn, bool_and(employee_supplied) as all_supplied
    from turnover.home_quarters
    group by ccn
)

select
    counted.ccn,
    counted.measure,
    counted.definition,
    case when supplied.all_supplied then counted.eligible_spells end as eligible_spells,
    case when supplied.all_supplied then counted.departures end as departures,
    case
        when supplied.all_supplied and counted.measure <> 'administrator'
            then round((100 * counted.departures / nullif(counted.eligible_spells, 0))::decimal(18, 9), 3)
    end as turnover_pct
from counted
inner join supplied on counted.ccn = supplied.ccn
order by counted.ccn, counted.measure, counted.definition
