-- Turnover of a home with the first exclusion that applies.
-- Grain: ccn, measure, definition. Rule: methodology 2.6, 2.8. The rate of an excluded home is not shown, its counts are.
with first_exclusion as (
    select ccn, measure, definition, arg_min(exclusion, rank) as exclusion
    from turnover.exclusions
    group by ccn, measure, definition
)

select
    counts.ccn,
    counts.measure,
    counts.definition,
    counts.eligible_spells,
    counts.departures,
    case when first_exclusion.exclusion is null then counts.turnover_pct end as turnover_pct,
    first_exclusion.exclusion is not null as excluded,
    first_exclusion.exclusion
from turnover.counts as counts
left join first_exclusion
    on counts.ccn = first_exclusion.ccn
    and counts.measure = first_exclusion.measure
    and counts.definition = first_exclusion.definition
order by counts.ccn, counts.measure, counts.definition
