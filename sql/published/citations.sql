-- Every citation of the release, what its tag is about, and the rules it was scored under.
-- Grain: ccn, citation. Rule: methodology 4.1, 4.3, 4.4.
with descriptions as (
    select upper(left(tag, 1)) || right('000' || regexp_extract(tag, '[0-9]+'), 3) as tag, any_value(description) as description
    from current.citation_descriptions
    group by upper(left(tag, 1)) || right('000' || regexp_extract(tag, '[0-9]+'), 3)
)

select
    citations.*,
    descriptions.description as tag_description,
    versions.release,
    versions.quarter,
    versions.ruleset,
    versions.domain_ruleset
from inspections.citations as citations
left join descriptions on citations.tag = descriptions.tag
inner join audit.versions as versions on versions.domain = 'inspections'
order by citations.ccn, citations.citation
