-- Agreement with CMS by item.
-- Grain: item.
select
    agreement.*,
    versions.release,
    versions.quarter,
    versions.ruleset,
    versions.domain_ruleset
from audit.agreement as agreement
inner join rules.replication_items as items on agreement.item = items.item
inner join audit.versions as versions on items.domain = versions.domain
order by agreement.item
