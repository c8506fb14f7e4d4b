-- State cut points of which CMS's file and the ranking of this release say different things.
-- Grain: scope, stars. Rule: methodology 4.5. A blank says nothing of a band that equal scores leave empty.
with limits as (
    select value as state_homes
    from rules.rating_limits
    where rule = 'state_homes' and getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

states as (
    select scope, any_value(ranked_homes) as homes
    from inspections.cut_points
    group by scope
),

scoped as (  -- CMS gives a small state the nation's cut points
    select printed.*, case when states.homes >= limits.state_homes then printed.scope else 'nation' end as ranked_scope, states.homes
    from inspections.printed_cut_points as printed
    cross join limits
    left join states on printed.scope = states.scope
)

select
    scoped.scope,
    scoped.stars,
    scoped.printed,
    scoped.upper as printed_upper,
    cut_points.upper as recomputed_upper,
    scoped.homes as ranked_homes
from scoped
left join inspections.cut_points as cut_points on scoped.ranked_scope = cut_points.scope and scoped.stars = cut_points.stars
where
    scoped.stars > 1
    and scoped.upper is distinct from cut_points.upper
order by scoped.scope, scoped.stars
