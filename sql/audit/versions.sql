-- The rules in force at the release, by domain.
-- Grain: domain. Rule: every published row names the release month of the latest rule change that matters to it.
with in_force as (
    select domain, effective_from
    from rules.rulesets
    where effective_from <= getvariable('release')::varchar
)

select
    domain,
    getvariable('release')::varchar as release,
    getvariable('staffing_quarter')::varchar as quarter,
    max(effective_from) as ruleset
from (
    select domain, effective_from from in_force
    union all
    select 'all' as domain, effective_from from in_force
)
group by domain
order by domain
