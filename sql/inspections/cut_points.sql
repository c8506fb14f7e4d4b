-- Highest inspection score that earns each number of stars, in every state and in the nation.
-- Grain: scope, stars. Rule: methodology 4.5; R14, R23: nearest rank among the homes with a star, those with the abuse icon included.
with shares as (
    select stars, thirtieths
    from rules.health_shares
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

ranked as (
    select state, score
    from inspections.scores
    where status = 'rated' and score is not null
),

placed as (
    select
        scope,
        score,
        row_number() over (partition by scope order by score) as place,
        count(*) over (partition by scope) as homes
    from (
        select state as scope, score from ranked
        where state is not null
        union all
        select 'nation' as scope, score from ranked
    )
),

uppers as (
    select placed.scope, shares.stars, placed.score as upper, placed.homes
    from placed
    inner join shares on placed.place = (shares.thirtieths * placed.homes + 29) // 30
)

select
    scope,
    stars,
    coalesce(lag(upper) over (partition by scope order by stars desc) + 0.001, 0) as lower,
    case when stars > 1 then upper end as upper,
    homes as ranked_homes
from uppers
order by scope, stars
