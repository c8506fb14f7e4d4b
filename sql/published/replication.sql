-- Published against recomputed, item by item.
-- Grain: ccn, item.
select
    replication.*,
    versions.release,
    versions.quarter,
    versions.ruleset,
    versions.domain_ruleset
from audit.replication as replication
inner join rules.replication_items as items on replication.item = items.item
inner join audit.versions as versions on items.domain = versions.domain
order by replication.ccn, replication.item
