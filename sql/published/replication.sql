-- Published against recomputed, item by item.
-- Grain: ccn, item.
select
    replication.*,
    versions.release,
    versions.quarter,
    versions.ruleset
from audit.replication as replication
inner join audit.versions as versions on versions.domain = 'staffing'
order by ccn, item
