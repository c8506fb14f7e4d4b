-- Every exclusion and flag of every home, its evidence, and what it did to the points.
-- Grain: ccn, domain, measure, exclusion. Rule: methodology 1.4, 2.8, 2.9, 3.4, 4, 5.
with every as (
    select *, 'staffing' as domain from staffing.exclusions
    union all by name
    select *, 'inspections' as domain from inspections.exclusions
    union all by name
    select *, 'quality' as domain from quality.exclusions
)

select
    every.*,
    versions.release,
    versions.quarter,
    versions.ruleset,
    versions.domain_ruleset
from every
inner join audit.versions as versions on every.domain = versions.domain
order by every.ccn, every.domain, every.measure, every.exclusion
