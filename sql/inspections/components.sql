-- Points of the rating cycles and the weighted score of every home, and the way to the next star.
-- Grain: ccn, measure. Rule: methodology 4.5. Points of the weighted score are the stars of its rank.
with bands as (
    select
        scope,
        stars,
        lower,
        upper,
        lead(stars) over (partition by scope order by stars) as next_stars,
        lead(upper) over (partition by scope order by stars) as next_upper
    from inspections.cut_points
)

select
    ccn,
    'cycle_' || cycle || '_score' as measure,
    score as value,
    value_source,
    null as points,
    null as max_points,
    null as band_lower,
    null as band_upper,
    null as next_points,
    null as distance_to_next,
    coalesce(exclusion, parting) as reason
from inspections.cycles
union all
select
    scores.ccn,
    'weighted_score' as measure,
    scores.score as value,
    scores.value_source,
    stars.fresh_stars as points,
    case when stars.fresh_stars is not null then 5 end as max_points,
    bands.lower as band_lower,
    bands.upper as band_upper,
    bands.next_stars as next_points,
    scores.score - bands.next_upper as distance_to_next,
    case when stars.status <> 'rated' then stars.status else stars.reason end as reason
from inspections.scores as scores
inner join inspections.stars as stars on scores.ccn = stars.ccn
left join bands on stars.scope = bands.scope and stars.fresh_stars = bands.stars
order by ccn, measure
