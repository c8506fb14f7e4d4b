-- Every home of the provider file with its stars and, where there is none, why.
-- Grain: ccn. Rule: methodology 3.4, 4.7, 6; footnotes as CMS gives them. Quality measures carry CMS's own star.
with footnoted as (
    select
        provider_info.*,
        coalesce(quality.reason, 'not_published') as qm_why
    from current.provider_info as provider_info
    left join rules.footnotes as quality on trim(provider_info.qm_footnote) = quality.footnote
)

select
    footnoted.ccn,
    footnoted.provider_name,
    footnoted.state,
    overall.stars as overall_rating,
    health.stars as health_inspection_rating,
    scores.stars as staffing_rating,
    footnoted.qm_rating,
    footnoted.long_stay_qm_rating,
    footnoted.short_stay_qm_rating,
    scores.score as staffing_score,
    overall.status as overall_status,
    overall.reason as overall_reason,
    footnoted.overall_footnote,
    'recomputed' as overall_source,
    health.status as health_inspection_status,
    health.reason as health_inspection_reason,
    footnoted.health_inspection_footnote,
    health.source as health_inspection_source,
    scores.status as staffing_status,
    scores.reason as staffing_reason,
    footnoted.staffing_footnote,
    'recomputed' as staffing_source,
    case when footnoted.qm_rating is null then footnoted.qm_why else 'rated' end as qm_status,
    null as qm_reason,
    footnoted.qm_footnote,
    'published' as qm_source,
    coalesce(upper(trim(footnoted.special_focus_status)) = 'SFF', false) as is_sff,
    coalesce(upper(trim(footnoted.special_focus_status)) = 'SFF CANDIDATE', false) as is_sff_candidate,
    coalesce(upper(trim(footnoted.abuse_icon)) = 'Y', false) as has_abuse_icon,
    versions.release,
    versions.quarter,
    versions.ruleset
from footnoted
inner join staffing.scores as scores on footnoted.ccn = scores.ccn
inner join inspections.stars as health on footnoted.ccn = health.ccn
inner join overall.stars as overall on footnoted.ccn = overall.ccn
inner join audit.versions as versions on versions.domain = 'all'
order by footnoted.ccn
