-- Scores at which the published quality stars begin, as the homes tell whose values are all shown: an estimate.
-- Grain: score_name, stars. Rule: methodology 5.4; the threshold that puts the fewest homes on the wrong side, of equals the lowest.
with homes as (
    select
        scores.score_name,
        scores.score,
        stars.published_stars as stars
    from quality.scores as scores
    inner join quality.stars as stars on scores.ccn = stars.ccn and scores.rating = stars.rating
    where scores.score_low = scores.score_high and stars.published_stars is not null
),

wanted as (
    select distinct score_name, stars from homes
),

counted as (  -- a threshold at a score: homes below it that have the star, and homes from it on that have fewer
    select
        wanted.score_name,
        wanted.stars,
        homes.score,
        count(*) filter (where homes.stars >= wanted.stars) as with_star,
        count(*) filter (where homes.stars < wanted.stars) as without_star
    from wanted
    inner join homes on wanted.score_name = homes.score_name
    group by wanted.score_name, wanted.stars, homes.score
),

misplaced as (
    select
        score_name,
        stars,
        score,
        coalesce(sum(with_star) over (partition by score_name, stars order by score rows between unbounded preceding and 1 preceding), 0)
        + sum(without_star) over (partition by score_name, stars order by score rows between current row and unbounded following) as homes
    from counted
),

best as (
    select score_name, stars, arg_min(score, (homes, score)) as lower, min(homes) as misplaced
    from misplaced
    group by score_name, stars
)

select
    best.score_name,
    best.stars,
    best.lower,
    lead(best.lower) over (partition by best.score_name order by best.stars) - 1 as upper,
    (
        select count(*) from homes
        where homes.score_name = best.score_name and homes.stars = best.stars
    ) as homes,
    best.misplaced
from best
order by best.score_name, best.stars
