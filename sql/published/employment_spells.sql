-- Employment spells under CMS's rule, where the employee files of all six quarters are there.
-- Grain: ccn, employee_id, measure, first_workday. Rule: methodology 2.3-2.5.
select
    spells.ccn,
    spells.employee_id,
    spells.measure,
    spells.first_workday,
    spells.last_workday,
    spells.hours_first_90_days,
    spells.eligible,
    spells.departed,
    versions.release,
    versions.quarter,
    versions.ruleset,
    versions.domain_ruleset
from turnover.spells as spells
inner join audit.versions as versions on versions.domain = 'staffing'
where
    spells.definition = 'cms'
    and spells.ccn in (select ccn from turnover.home_quarters group by ccn having bool_and(employee_supplied))
order by spells.ccn, spells.employee_id, spells.measure, spells.first_workday
