-- Turnover of every home of either file, by measure and reading of the rule.
-- Grain: ccn, measure, definition. Rule: methodology 2.6, 2.8.
select
    home_turnover.*,
    versions.release,
    versions.quarter,
    versions.ruleset,
    versions.domain_ruleset
from turnover.home_turnover as home_turnover
inner join audit.versions as versions on versions.domain = 'staffing'
order by home_turnover.ccn, home_turnover.measure, home_turnover.definition
