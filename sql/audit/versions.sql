-- The rules in force at the release, of all domains together and by domain.
-- Grain: domain. Rule: every published row names the release month of the latest rule change that matters to any domain, so that all tables
-- join, and where it belongs to a domain that of this domain.
with in_force as (
    select domain, effective_from
    from rules.rulesets
    where effective_from <= getvariable('release')::varchar
)

select
    domain,
    getvariable('release')::varchar as release,
    getvariable('staffing_quarter')::varchar as quarter,
    (select max(in_force.effective_from) from in_force) as ruleset,
    max(effective_from) as domain_ruleset
from (
    select domain, effective_from from in_force
    union all
    select 'all' as domain, effective_from from in_force
)
group by domain
order by domain
