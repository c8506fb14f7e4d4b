-- Every measure of every home: value, points and the way to the next band.
-- Grain: ccn, domain, measure. Rule: methodology 3.1, 4.5, 6. Points of the inspection score are its stars, values overall are changes.
with health_bands as (
    select
        scope,
        stars,
        lower,
        upper,
        lead(stars) over (partition by scope order by stars) as next_stars,
        lead(upper) over (partition by scope order by stars) as next_upper
    from inspections.cut_points
),

inspections as (
    select
        ccn,
        'inspections' as domain,
        cell.measure as measure,
        cell.points as value,
        'published' as value_source
    from (
        select
            ccn,
            unnest([
                {measure: 'cycle_1_score', points: cycle_1_score},
                {measure: 'cycle_2_score', points: cycle_2_score},
                {measure: 'cycle_3_score', points: cycle_3_score}
            ]) as cell
        from inspections.scores
    )
    where cell.points is not null or cell.measure <> 'cycle_3_score'
),

weighted as (
    select
        scores.ccn,
        'inspections' as domain,
        'weighted_score' as measure,
        scores.score as value,
        scores.value_source,
        stars.fresh_stars as points,
        stars.fresh_stars as points_low,
        stars.fresh_stars as points_high,
        case when stars.fresh_stars is not null then 5 end as max_points,
        bands.lower as band_lower,
        bands.upper as band_upper,
        bands.next_stars as next_points,
        scores.score - bands.next_upper as distance_to_next,
        case when stars.status <> 'rated' then stars.status else stars.reason end as reason
    from inspections.scores as scores
    inner join inspections.stars as stars on scores.ccn = stars.ccn
    left join health_bands as bands on stars.scope = bands.scope and stars.fresh_stars = bands.stars
),

overall as (
    select
        ccn,
        'overall' as domain,
        cell.measure as measure,
        cell.change as value,
        case when cell.change is not null then 'recomputed' end as value_source,
        cell.reason as reason
    from (
        select
            ccn,
            unnest([
                {measure: 'health_inspection_rating', change: health_stars::integer, reason: case when stars is null then status end},
                {
                    measure: 'staffing_rating',
                    change: staffing_change,
                    reason: case when stars is null then status when staffing_stars is null then 'step_skipped' end
                },
                {
                    measure: 'qm_rating',
                    change: quality_change,
                    reason: case when stars is null then status when quality_stars is null then 'step_skipped' end
                },
                {measure: 'cap', change: cap_change, reason: case when stars is null then status else reason end}
            ]) as cell
        from overall.stars
    )
),

every as (
    select *, 'staffing' as domain
    from staffing.components
    union all by name
    select * from inspections
    union all by name
    select * from weighted
    union all by name
    select * from overall
)

select
    every.* exclude (effect, wanted),
    versions.release,
    versions.quarter,
    versions.ruleset
from every
inner join audit.versions as versions on every.domain = versions.domain
order by every.ccn, every.domain, every.measure
