-- Every measure of every home: value, points and the way to the next band.
-- Grain: ccn, domain, measure. Rule: methodology 3.1, 4.5, 5, 6. Points of a score are its stars, so that a home without the star has none and the
-- reason; values of the overall star are changes.
with thresholds as (
    select
        rating,
        stars,
        lower,
        lead(stars) over (partition by rating order by stars) as next_stars,
        lead(lower) over (partition by rating order by stars) as next_lower,
        max(stars) over (partition by rating) as most_stars
    from rules.star_thresholds
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

quality_scores as (
    select
        scores.ccn,
        scores.score_name as measure,
        scores.score as value,
        case
            when scores.score is null then null
            when scores.score_low = scores.score_high then 'recomputed'
            else 'imputed'
        end as value_source,
        thresholds.stars as points,
        case when thresholds.stars is not null then scores.stars_low end as points_low,
        case when thresholds.stars is not null then scores.stars_high end as points_high,
        thresholds.most_stars as max_points,
        thresholds.lower as band_lower,
        thresholds.next_lower - 1 as band_upper,
        thresholds.next_stars as next_points,
        thresholds.next_lower - scores.score as distance_to_next,
        case when scores.status <> 'rated' then scores.status when stars.status <> 'rated' then stars.status end as reason
    from quality.scores as scores
    inner join quality.stars as stars on scores.ccn = stars.ccn and scores.rating = stars.rating
    left join thresholds on scores.rating = thresholds.rating and scores.stars = thresholds.stars and stars.stars is not null
),

every as (
    select *, 'staffing' as domain from staffing.components
    union all by name
    select *, points as points_low, points as points_high, 'inspections' as domain from inspections.components
    union all by name
    select *, 'quality' as domain from quality.components
    union all by name
    select *, 'quality' as domain from quality_scores
    union all by name
    select *, 'overall' as domain from overall.components
)

select
    every.* exclude (effect, wanted, stay),
    versions.release,
    versions.quarter,
    versions.ruleset,
    versions.domain_ruleset
from every
inner join audit.versions as versions on every.domain = versions.domain
order by every.ccn, every.domain, every.measure
