-- CMS's own cut points of every state, read from the ranges that it prints.
-- Grain: scope, stars. Rule: methodology 4.5. A range is the numbers in its text; of five stars only the last counts, of one star the first.
with ranges as (
    select state, range.*
    from (
        select
            state,
            unnest([
                {stars: 5, printed: five_stars},
                {stars: 4, printed: four_stars},
                {stars: 3, printed: three_stars},
                {stars: 2, printed: two_stars},
                {stars: 1, printed: one_star}
            ]) as range
        from current.state_cut_points
    )
),

numbered as (
    select
        upper(trim(state)) as scope,
        stars,
        printed,
        regexp_extract_all(replace(printed, ',', ''), '[0-9]+(?:\.[0-9]+)?')::decimal(12, 3)[] as numbers
    from ranges
)

select
    scope,
    stars,
    printed,
    case when stars = 5 then 0 else numbers[1] end as lower,
    case when stars > 1 then numbers[-1] end as upper
from numbered
order by scope, stars
