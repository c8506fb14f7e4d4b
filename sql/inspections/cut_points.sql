-- Highest inspection score that earns each number of stars, in every state and in the nation.
-- Grain: scope, stars. Rule: methodology 4.5; R14, R23: nearest rank among the homes with a star, those with the abuse icon included. Stars that
-- equal scores leave nobody have no row.
with shares as (
    select stars, thirtieths
    from rules.health_shares
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

ranked as (
    select state, score, value_source
    from inspections.scores
    where status = 'rated' and score is not null
),

placed as (
    select
        scope,
        score,
        row_number() over (partition by scope order by score) as place,
        count(*) over (partition by scope) as homes,
        count(*) filter (where value_source <> 'recomputed') over (partition by scope) as published_homes
    from (
        select state as scope, score, value_source from ranked
        where state is not null
        union all
        select 'nation' as scope, score, value_source from ranked
    )
),

uppers as (
    select placed.scope, shares.stars, placed.score as upper, placed.homes, placed.published_homes
    from placed
    inner join shares on placed.place = (shares.thirtieths * placed.homes + 29) // 30
),

bands as (
    select
        scope,
        stars,
        coalesce(lag(upper) over (partition by scope order by stars desc) + 0.001, 0) as lower,
        case when stars > 1 then upper end as upper,
        homes as ranked_homes,
        published_homes
    from uppers
)

select *
from bands
where lower <= coalesce(upper, lower)
order by scope, stars
