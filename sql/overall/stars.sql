-- Overall star of every home of the provider file, step by step.
-- Grain: ccn. Rule: methodology 6. A domain that CMS gives no star changes nothing; one that we cannot rate although CMS does, or for want of its
-- inputs, leaves the overall star open.
with steps as (
    select domain, stars, must_exceed_health, change
    from rules.overall_steps
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

limits as (
    select value as most_stars
    from rules.rating_limits
    where rule = 'health_one_star' and getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

parts as (
    select
        health.ccn,
        health.stars as health_stars,
        health.status as health_status,
        staffing.stars as staffing_stars,
        quality.stars as quality_stars,
        health.source as health_source,
        staffing.source as staffing_source,
        quality.source as quality_source,
        health.has_own_ranks,
        case
            when staffing.stars is null and (staffing_reasons.published_stands_in or printed.staffing_rating is not null) then staffing.status
            when quality.stars is null and (quality_reasons.published_stands_in or printed.qm_rating is not null) then quality.status
        end as unknown_part
    from inspections.stars as health
    inner join staffing.scores as staffing on health.ccn = staffing.ccn
    inner join quality.stars as quality on health.ccn = quality.ccn and quality.rating = 'qm_rating'
    inner join rules.reasons as staffing_reasons on staffing.status = staffing_reasons.reason
    inner join rules.reasons as quality_reasons on quality.status = quality_reasons.reason
    left join current.provider_info as printed on health.ccn = printed.ccn
),

staffed as (
    select
        parts.*,
        least(5, greatest(1, parts.health_stars + coalesce(steps.change, 0))) as after_staffing
    from parts
    left join steps
        on steps.domain = 'staffing'
        and parts.staffing_stars = steps.stars
        and (not steps.must_exceed_health or parts.staffing_stars > parts.health_stars)
    where parts.health_stars is not null and parts.unknown_part is null
),

measured as (
    select
        staffed.*,
        least(5, greatest(1, staffed.after_staffing + coalesce(steps.change, 0))) as after_quality
    from staffed
    left join steps
        on steps.domain = 'quality'
        and staffed.quality_stars = steps.stars
        and (not steps.must_exceed_health or staffed.quality_stars > staffed.health_stars)
),

capped as (
    select
        measured.*,
        case
            when measured.health_stars = 1 then least(measured.after_quality, limits.most_stars)
            else measured.after_quality
        end as stars
    from measured
    cross join limits
)

select
    parts.ccn,
    parts.health_stars,
    parts.staffing_stars,
    parts.quality_stars,
    parts.health_source,
    parts.staffing_source,
    parts.quality_source,
    capped.after_staffing - capped.health_stars as staffing_change,
    capped.after_quality - capped.after_staffing as quality_change,
    capped.stars - capped.after_quality as cap_change,
    capped.stars,
    case
        when capped.stars is not null then 'rated'
        when parts.health_stars is not null then parts.unknown_part
        else parts.health_status
    end as status,
    case when capped.stars < capped.after_quality then 'health_one_star' end as reason,
    case
        when parts.health_source = 'recomputed' and parts.staffing_source = 'recomputed' and parts.quality_source = 'recomputed' then 'recomputed'
        when parts.health_source = 'published' and parts.staffing_source = 'published' and parts.quality_source = 'published' then 'published'
        else 'mixed'
    end as source,
    parts.has_own_ranks
from parts
left join capped on parts.ccn = capped.ccn
order by parts.ccn
