-- The cut points used, beside those of this release's own distribution.
-- Grain: scope, measure, points, basis. Rule: methodology 3.1, 4.5 (points are stars there); a release after the last guide seen carries CMS's forward, marked.
with in_force as (
    select
        measure,
        points,
        lower,
        upper,
        case when getvariable('release')::varchar > last_seen then 'carried_forward' else 'cms' end as basis
    from rules.staffing_cut_points
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

used as (
    select
        in_force.measure,
        in_force.points,
        in_force.basis,
        in_force.lower,
        in_force.upper,
        count(components.ccn) as homes
    from in_force
    left join staffing.components as components
        on in_force.measure = components.measure and in_force.points = components.points and components.value is not null
    group by all
),

bands as (
    select * from used
    union all
    select measure, points, 'recomputed' as basis, lower, upper, homes
    from staffing.deciles
),

health as (
    select
        cut_points.scope,
        'weighted_score' as measure,
        cut_points.stars as points,
        'recomputed' as basis,
        cut_points.lower,
        cut_points.upper,
        count(stars.ccn) as homes
    from inspections.cut_points as cut_points
    left join inspections.stars as stars on cut_points.scope = stars.scope and cut_points.stars = stars.fresh_stars
    group by all
),

every as (
    select 'staffing' as domain, 'nation' as scope, * from bands
    union all by name
    select 'inspections' as domain, * from health
)

select
    every.* exclude (domain),
    versions.release,
    versions.quarter,
    versions.ruleset
from every
inner join audit.versions as versions on every.domain = versions.domain
order by every.scope, every.measure, every.points, every.basis
