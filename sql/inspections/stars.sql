-- Inspection star of every home of the provider file.
-- Grain: ccn. Rule: methodology 4.5, 4.6; R14, R23: a home keeps its star until its own score changes.
with limits as (
    select
        max(value) filter (where rule = 'state_homes') as state_homes,
        max(value) filter (where rule = 'abuse_icon') as abuse_icon
    from rules.rating_limits
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

states as (
    select scope, any_value(ranked_homes) as homes
    from inspections.cut_points
    group by scope
),

scoped as (
    select scores.*, case when states.homes >= limits.state_homes then scores.state else 'nation' end as scope
    from inspections.scores as scores
    cross join limits
    left join states on scores.state = states.scope
),

fresh as (
    select
        scoped.ccn,
        any_value(scoped.scope) as scope,
        max(cut_points.stars) as stars
    from scoped
    inner join inspections.cut_points as cut_points
        on scoped.scope = cut_points.scope and scoped.score <= coalesce(cut_points.upper, scoped.score)
    where scoped.status = 'rated'
    group by scoped.ccn
),

same_rules as (  -- a score of other weights says nothing of a change
    select coalesce(max(effective_from), '') as first_release
    from rules.rulesets
    where domain = 'inspections' and effective_from <= getvariable('release')::varchar
),

earlier as (
    select ccn, health_inspection_rating, weighted_health_score, coalesce(upper(trim(abuse_icon)) = 'Y', false) as has_abuse_icon
    from previous.provider_info
    cross join same_rules
    where strftime(processing_date, '%Y-%m') >= same_rules.first_release
),

any_earlier as (
    select count(*) as homes from earlier
),

found as (
    select
        scores.ccn,
        scores.status,
        scores.published_stars,
        scores.has_abuse_icon,
        fresh.scope,
        fresh.stars as fresh_stars,
        case
            when earlier.weighted_health_score = coalesce(scores.published_weighted_score, scores.score) and earlier.has_abuse_icon = scores.has_abuse_icon
                then earlier.health_inspection_rating
        end as kept_stars,
        any_earlier.homes > 0 as has_previous
    from inspections.scores as scores
    cross join any_earlier
    left join fresh on scores.ccn = fresh.ccn
    left join earlier on scores.ccn = earlier.ccn
)

select
    found.ccn,
    found.scope,
    found.fresh_stars,
    found.kept_stars,
    case
        when found.status <> 'rated' then null
        when found.fresh_stars is null then found.published_stars
        when found.has_abuse_icon then least(coalesce(found.kept_stars, found.fresh_stars), limits.abuse_icon)
        else coalesce(found.kept_stars, found.fresh_stars)
    end as stars,
    case when found.fresh_stars is null then 'published' else 'recomputed' end as source,
    case when found.status = 'rated' and found.fresh_stars is null and found.published_stars is null then 'not_published' else found.status end
        as status,
    case
        when found.status <> 'rated' or found.fresh_stars is null then null
        when found.has_abuse_icon and coalesce(found.kept_stars, found.fresh_stars) > limits.abuse_icon then 'abuse_icon'
        when found.has_abuse_icon and least(found.fresh_stars, limits.abuse_icon) > found.kept_stars then 'kept_star'
        when found.has_abuse_icon and found.fresh_stars > limits.abuse_icon then 'abuse_icon'
        when found.kept_stars <> found.fresh_stars then 'kept_star'
        when not found.has_previous then 'no_previous_release'
    end as reason
from found
cross join limits
order by found.ccn
