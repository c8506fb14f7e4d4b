-- Agreement with CMS by item.
-- Grain: item.
select
    agreement.*,
    versions.release,
    versions.quarter,
    versions.ruleset
from audit.agreement as agreement
inner join audit.versions as versions on versions.domain = 'staffing'
order by item
