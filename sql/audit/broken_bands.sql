-- Bands of the published cut points that run backwards or share a value with the next one: with any the release is not published.
-- Grain: scope, measure, basis, points.
with bands as (
    select
        scope,
        measure,
        basis,
        points,
        lower,
        upper,
        lead(lower) over (partition by scope, measure, basis order by lower, points) as next_lower
    from published.cut_points
)

select *
from bands
where lower > upper or next_lower <= coalesce(upper, next_lower)
order by scope, measure, basis, points
