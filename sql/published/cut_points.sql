-- The cut points used, beside those of this release's own distribution and CMS's of the states.
-- Grain: scope, measure, points, basis. Rule: methodology 3.1, 4.5, 5.4, 5.5 (points of scores are stars); R20: a release after the last guide seen
-- carries CMS's forward, marked. A band that equal values leave empty has no row.
with in_force as (
    select 'staffing' as domain, measure, points, lower, upper, last_seen
    from rules.staffing_cut_points
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
    union all
    select 'quality' as domain, points.measure, points.points, points.lower, points.upper, points.last_seen
    from rules.quality_cut_points as points
    inner join rules.quality_measures as measures
        on points.measure = measures.measure
        and getvariable('release')::varchar between measures.effective_from and coalesce(measures.effective_to, '9999-12')
    where getvariable('release')::varchar between points.effective_from and coalesce(points.effective_to, '9999-12')
),

components as (
    select ccn, measure, points from staffing.components
    where value is not null
    union all
    select ccn, measure, points from quality.components
    where value_source = 'published'
),

used as (
    select
        in_force.domain,
        in_force.measure,
        in_force.points,
        case when getvariable('release')::varchar > in_force.last_seen then 'carried_forward' else 'cms' end as basis,
        in_force.lower,
        in_force.upper,
        count(components.ccn) as homes
    from in_force
    left join components on in_force.measure = components.measure and in_force.points = components.points
    group by all
),

deciles as (
    select
        case when staffing.measure is null then 'quality' else 'staffing' end as domain,
        deciles.measure,
        deciles.points,
        'recomputed' as basis,
        deciles.lower,
        deciles.upper,
        deciles.homes
    from audit.deciles as deciles
    left join (select distinct measure from rules.staffing_cut_points) as staffing on deciles.measure = staffing.measure
),

thresholds as (
    select
        'quality' as domain,
        scores.score_name as measure,
        thresholds.stars as points,
        'cms' as basis,
        thresholds.lower,
        thresholds.upper,
        count(scores.ccn) filter (where scores.stars = thresholds.stars) as homes
    from (
        select rating, stars, lower, lead(lower) over (partition by rating order by stars) - 1 as upper
        from rules.star_thresholds
        where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
    ) as thresholds
    inner join quality.scores as scores on thresholds.rating = scores.rating
    group by all
),

estimated as (
    select 'quality' as domain, score_name as measure, stars as points, 'estimated' as basis, lower, upper, homes
    from quality.estimated_thresholds
    where lower <= coalesce(upper, lower)
),

ranked as (  -- every ranked home in its state, by whose cut points it goes there, and once more in the nation
    select scores.state as scope, stars.scope as ranked_scope, scores.score
    from inspections.stars as stars
    inner join inspections.scores as scores on stars.ccn = scores.ccn
    where stars.scope is not null and scores.state is not null
    union all
    select 'nation' as scope, 'nation' as ranked_scope, scores.score
    from inspections.stars as stars
    inner join inspections.scores as scores on stars.ccn = scores.ccn
    where stars.scope is not null
),

health as (
    select
        'inspections' as domain,
        ranked.scope,
        'weighted_score' as measure,
        cut_points.stars as points,
        'recomputed' as basis,
        cut_points.lower,
        cut_points.upper,
        count(*) filter (where ranked.score between cut_points.lower and coalesce(cut_points.upper, ranked.score)) as homes
    from ranked
    inner join inspections.cut_points as cut_points on ranked.ranked_scope = cut_points.scope
    group by all
),

printed as (  -- the homes of the state that have the star as published
    select
        'inspections' as domain,
        printed.scope,
        'weighted_score' as measure,
        printed.stars as points,
        'cms' as basis,
        printed.lower,
        printed.upper,
        count(scores.ccn) as homes
    from inspections.printed_cut_points as printed
    left join inspections.scores as scores on printed.scope = scores.state and printed.stars = scores.published_stars
    where printed.lower is not null
    group by all
),

every as (
    select 'nation' as scope, * from used
    union all by name
    select 'nation' as scope, * from deciles
    union all by name
    select 'nation' as scope, * from thresholds
    union all by name
    select 'nation' as scope, * from estimated
    union all by name
    select * from health
    union all by name
    select * from printed
)

select
    every.* exclude (domain),
    versions.release,
    versions.quarter,
    versions.ruleset,
    versions.domain_ruleset
from every
inner join audit.versions as versions on every.domain = versions.domain
order by every.scope, every.measure, every.points, every.basis
