-- Inspection star of every home of the provider file.
-- Grain: ccn. Rule: methodology 4.5, 4.6; R14, R23: a home keeps its star until its own score changes. R27: whatever became of the abuse icon,
-- whose cap comes after; what a star of two under an icon hid is not known, so that such a star is open upwards.
with limits as (
    select
        max(value) filter (where rule = 'state_homes') as state_homes,
        max(value) filter (where rule = 'abuse_icon') as abuse_icon
    from rules.rating_limits
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

most as (
    select max(stars) as stars
    from rules.health_shares
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

ranks as (
    select scope, any_value(ranked_homes) as ranked_homes, any_value(published_homes) as published_homes
    from inspections.cut_points
    group by scope
),

scoped as (
    select scores.*, case when ranks.ranked_homes >= limits.state_homes then scores.state else 'nation' end as scope
    from inspections.scores as scores
    cross join limits
    left join ranks on scores.state = ranks.scope
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

found as (  -- CMS's score then against CMS's now: one of ours beside one of CMS's would say nothing of a change
    select
        scores.ccn,
        scores.status,
        scores.value_source,
        scores.published_stars,
        scores.has_abuse_icon,
        scores.has_own_icon,
        fresh.scope,
        fresh.stars as fresh_stars,
        earlier.health_inspection_rating as kept_stars,
        coalesce(earlier.has_abuse_icon and earlier.health_inspection_rating = limits.abuse_icon, false) as is_hidden,
        any_earlier.homes > 0 as has_previous
    from inspections.scores as scores
    cross join any_earlier
    cross join limits
    left join fresh on scores.ccn = fresh.ccn
    left join earlier on scores.ccn = earlier.ccn and scores.published_weighted_score = earlier.weighted_health_score
),

uncapped as (
    select
        found.*,
        case
            when found.fresh_stars is null then found.published_stars
            when found.is_hidden and found.fresh_stars > found.kept_stars then found.fresh_stars
            else coalesce(found.kept_stars, found.fresh_stars)
        end as likely,
        case when found.fresh_stars is not null and found.is_hidden then most.stars end as highest
    from found
    cross join most
),

capped as (
    select
        uncapped.*,
        uncapped.fresh_stars is not null and uncapped.has_abuse_icon and uncapped.likely > limits.abuse_icon as is_capped,
        case when uncapped.has_abuse_icon and uncapped.fresh_stars is not null then limits.abuse_icon else most.stars end as cap
    from uncapped
    cross join limits
    cross join most
)

select
    capped.ccn,
    capped.scope,
    ranks.ranked_homes,
    capped.fresh_stars,
    capped.kept_stars,
    case when capped.status <> 'rated' then null when capped.likely > capped.cap then capped.cap else capped.likely end as stars,
    case
        when capped.status <> 'rated' then null
        when capped.highest is not null then capped.kept_stars
        when capped.likely > capped.cap then capped.cap
        else capped.likely
    end as stars_low,
    case
        when capped.status <> 'rated' then null
        when coalesce(capped.highest, capped.likely) > capped.cap then capped.cap
        else coalesce(capped.highest, capped.likely)
    end as stars_high,
    case
        when capped.fresh_stars is null or getvariable('inputs')::varchar = 'published' then 'published'
        when capped.value_source = 'recomputed' and capped.has_own_icon and capped.kept_stars is null then 'recomputed'
        when capped.value_source = 'published' then 'published'
        else 'mixed'
    end as source,
    coalesce(ranks.published_homes = 0, false) as has_own_ranks,
    case when capped.status = 'rated' and capped.likely is null then 'not_published' else capped.status end as status,
    case
        when capped.status <> 'rated' or capped.fresh_stars is null then null
        when capped.is_capped then 'abuse_icon'
        when capped.highest > capped.kept_stars and capped.cap > capped.kept_stars then 'hidden_by_icon'
        when capped.kept_stars <> capped.fresh_stars then 'kept_star'
        when not capped.has_previous then 'no_previous_release'
    end as reason
from capped
left join ranks on capped.scope = ranks.scope
order by capped.ccn
