-- Overall star of every home of the provider file, step by step.
-- Grain: ccn. Rule: methodology 6. A domain without a star changes nothing.
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
        homes.qm_rating as quality_stars
    from inspections.stars as health
    inner join staffing.scores as staffing on health.ccn = staffing.ccn
    inner join current.provider_info as homes on health.ccn = homes.ccn
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
    where parts.health_stars is not null
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
    capped.after_staffing - capped.health_stars as staffing_change,
    capped.after_quality - capped.after_staffing as quality_change,
    capped.stars - capped.after_quality as cap_change,
    capped.stars,
    case when capped.stars is null then parts.health_status else 'rated' end as status,
    case when capped.stars < capped.after_quality then 'health_one_star' end as reason
from parts
left join capped on parts.ccn = capped.ccn
order by parts.ccn
