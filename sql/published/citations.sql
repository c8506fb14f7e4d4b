-- Every citation of the release, with the rules it was scored under.
-- Grain: ccn, citation. Rule: methodology 4.1, 4.3, 4.4.
select
    citations.*,
    versions.release,
    versions.quarter,
    versions.ruleset
from inspections.citations as citations
inner join audit.versions as versions on versions.domain = 'inspections'
order by citations.ccn, citations.citation
