-- Every measure of every home: value, points and the way to the next band.
-- Grain: ccn, domain, measure. Rule: methodology 3.1.
select
    components.* exclude (effect),
    versions.domain,
    versions.release,
    versions.quarter,
    versions.ruleset
from staffing.components as components
inner join audit.versions as versions on versions.domain = 'staffing'
order by components.ccn, versions.domain, components.measure
