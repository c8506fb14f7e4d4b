-- Long-stay, adjusted short-stay and overall quality score of every home of the provider file, with the stars they earn.
-- Grain: ccn, score_name. Rule: methodology 5.3, 5.4: rounded half up to integers; the overall score needs both stays.
with thresholds as (
    select rating, stars, lower, lead(lower) over (partition by rating order by stars) - 1 as upper
    from rules.star_thresholds
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

limits as (
    select stay, scale_to, scale_from, least_measures
    from rules.quality_limits
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

stays as (
    select
        components.ccn,
        components.stay,
        count(*) filter (where components.value_source = 'published') as shown_measures,
        count(components.points) = count(*) as is_whole,
        count(*) filter (where components.value_source = 'published') < any_value(limits.least_measures) as has_few,
        bool_or(components.reason = 'no_point_ranges') as lacks_ranges,
        coalesce(bool_or(components.reason = 'inputs_absent'), false) as is_absent,
        floor((2 * sum(components.points) * any_value(limits.scale_to) + any_value(limits.scale_from)) / (2 * any_value(limits.scale_from)))
            as score,
        floor(
            (2 * sum(components.points_low) * any_value(limits.scale_to) + any_value(limits.scale_from)) / (2 * any_value(limits.scale_from))
        ) as score_low,
        floor(
            (2 * sum(components.points_high) * any_value(limits.scale_to) + any_value(limits.scale_from)) / (2 * any_value(limits.scale_from))
        ) as score_high
    from quality.components as components
    inner join limits on components.stay = limits.stay
    group by components.ccn, components.stay
),

every as (
    select
        ccn,
        stay || '_stay_qm_score' as score_name,
        stay || '_stay_qm_rating' as rating,
        shown_measures,
        is_whole,
        has_few,
        lacks_ranges,
        is_absent,
        score,
        score_low,
        score_high
    from stays
    union all
    select
        ccn,
        'overall_qm_score' as score_name,
        'qm_rating' as rating,
        sum(shown_measures) as shown_measures,
        bool_and(is_whole) as is_whole,
        bool_or(has_few) as has_few,
        bool_or(lacks_ranges) as lacks_ranges,
        bool_or(is_absent) as is_absent,
        sum(score) as score,
        sum(score_low) as score_low,
        sum(score_high) as score_high
    from stays
    group by ccn
),

known as (
    select distinct rating from thresholds
)

select
    every.ccn,
    every.score_name,
    every.rating,
    every.shown_measures,
    case when every.is_whole then every.score end as score,
    case when every.is_whole then every.score_low end as score_low,
    case when every.is_whole then every.score_high end as score_high,
    case when every.is_whole then fair.stars end as stars,
    case when every.is_whole then low.stars end as stars_low,
    case when every.is_whole then high.stars end as stars_high,
    case
        when every.is_absent then 'inputs_absent'
        when every.lacks_ranges then 'no_point_ranges'
        when every.has_few then 'few_measures'
        when not every.is_whole then 'value_blank'  -- of a home alone in the file: there is no mean to stand in
        when known.rating is null then 'no_star_thresholds'
        else 'rated'
    end as status
from every
left join known on every.rating = known.rating
left join thresholds as fair on every.rating = fair.rating and every.score between fair.lower and coalesce(fair.upper, every.score)
left join thresholds as low on every.rating = low.rating and every.score_low between low.lower and coalesce(low.upper, every.score_low)
left join thresholds as high on every.rating = high.rating and every.score_high between high.lower and coalesce(high.upper, every.score_high)
order by every.ccn, every.score_name
