-- Every measure of every home: value, points and the way to the next band.
-- Grain: ccn, domain, measure. Rule: methodology 3.1, 4.5, 5, 6. Points of a score are its stars; values of the overall star are changes.
with quality_scores as (
    select
        scores.ccn,
        scores.score_name as measure,
        scores.score as value,
        case
            when scores.score is null then null
            when scores.score_low = scores.score_high then 'recomputed'
            else 'imputed'
        end as value_source,
        scores.stars as points,
        scores.stars_low as points_low,
        scores.stars_high as points_high,
        case when scores.stars is not null then 5 end as max_points,
        here.lower as band_lower,
        better.lower - 1 as band_upper,
        better.stars as next_points,
        better.lower - scores.score as distance_to_next,
        nullif(scores.status, 'rated') as reason
    from quality.scores as scores
    left join rules.star_thresholds as here
        on scores.rating = here.rating
        and scores.stars = here.stars
        and getvariable('release')::varchar between here.effective_from and coalesce(here.effective_to, '9999-12')
    left join rules.star_thresholds as better
        on scores.rating = better.rating
        and scores.stars + 1 = better.stars
        and getvariable('release')::varchar between better.effective_from and coalesce(better.effective_to, '9999-12')
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
    versions.ruleset
from every
inner join audit.versions as versions on every.domain = versions.domain
order by every.ccn, every.domain, every.measure
