-- Every home of the provider file with its stars and, where there is none, why.
-- Grain: ccn. Rule: methodology 3.4, 4.7, 4.8, 5, 6; footnotes as CMS gives them. The two conditions of the Risk-Based Survey are necessary, not sufficient.
with limits as (
    select
        max(value) filter (where rule = 'risk_based_overall') as overall_stars,
        max(value) filter (where rule = 'risk_based_staffing') as staffing_stars
    from rules.rating_limits
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
)

select
    homes.ccn,
    homes.provider_name,
    homes.state,
    overall.stars as overall_rating,
    health.stars as health_inspection_rating,
    scores.stars as staffing_rating,
    quality.stars as qm_rating,
    long_stay.stars as long_stay_qm_rating,
    short_stay.stars as short_stay_qm_rating,
    homes.overall_rating as cms_overall_rating,
    homes.health_inspection_rating as cms_health_inspection_rating,
    homes.staffing_rating as cms_staffing_rating,
    homes.qm_rating as cms_qm_rating,
    homes.long_stay_qm_rating as cms_long_stay_qm_rating,
    homes.short_stay_qm_rating as cms_short_stay_qm_rating,
    scores.score as staffing_score,
    overall.status as overall_status,
    overall.reason as overall_reason,
    homes.overall_footnote,
    case when overall.stars is not null then overall.source end as overall_source,
    health.status as health_inspection_status,
    health.reason as health_inspection_reason,
    homes.health_inspection_footnote,
    case when health.stars is not null then health.source end as health_inspection_source,
    health.scope as health_inspection_scope,
    health.ranked_homes as health_inspection_ranked_homes,
    scores.status as staffing_status,
    scores.reason as staffing_reason,
    homes.staffing_footnote,
    case when scores.stars is not null then scores.source end as staffing_source,
    quality.status as qm_status,
    quality.reason as qm_reason,
    homes.qm_footnote,
    case when quality.stars is not null then quality.source end as qm_source,
    standing.is_sff,
    standing.is_sff_candidate,
    inspections.has_abuse_icon,
    case
        when overall.stars is null then 'not_rated'
        when overall.stars < limits.overall_stars then 'overall_too_low'
        when scores.stars is null or scores.stars < limits.staffing_stars then 'staffing_too_low'
        else 'both_met'
    end as risk_based_survey,
    versions.release,
    versions.quarter,
    versions.ruleset
from current.provider_info as homes
cross join limits
inner join homes.standing as standing on homes.ccn = standing.ccn
inner join staffing.scores as scores on homes.ccn = scores.ccn
inner join inspections.scores as inspections on homes.ccn = inspections.ccn
inner join inspections.stars as health on homes.ccn = health.ccn
inner join quality.stars as quality on homes.ccn = quality.ccn and quality.rating = 'qm_rating'
inner join quality.stars as long_stay on homes.ccn = long_stay.ccn and long_stay.rating = 'long_stay_qm_rating'
inner join quality.stars as short_stay on homes.ccn = short_stay.ccn and short_stay.rating = 'short_stay_qm_rating'
inner join overall.stars as overall on homes.ccn = overall.ccn
inner join audit.versions as versions on versions.domain = 'all'
order by homes.ccn
