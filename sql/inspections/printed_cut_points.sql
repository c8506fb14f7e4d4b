-- CMS's own cut points of every state, read from the ranges that it prints.
-- Grain: scope, stars. Rule: methodology 4.5. A range is the numbers in its text; of five stars only the last counts, of one star the first.
-- "> 109.000" after "57.001-109.000" begins at 109.001: bands share no score. A text without a number, or one that runs backwards, is no band.
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
),

ends as (
    select
        scope,
        stars,
        printed,
        case when stars < 5 then numbers[1] when len(numbers) > 0 then 0 end as lower,
        case when stars > 1 then numbers[-1] end as upper
    from numbered
),

parted as (
    select
        * exclude (lower),
        case
            when lower <= max(upper) over better then (max(upper) over better) + 0.001
            else lower
        end as lower
    from ends
    window better as (partition by scope order by stars desc rows between unbounded preceding and 1 preceding)
)

select
    scope,
    stars,
    printed,
    case when lower <= coalesce(upper, lower) then lower end as lower,
    case when lower <= upper then upper end as upper
from parted
order by scope, stars
