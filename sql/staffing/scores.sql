-- Staffing score and star of every home of the provider file.
-- Grain: ccn. Rule: methodology 3.1, 3.3, 3.4; R12: round half up to an integer, then the star bands. A star that does not rest on the score
-- has none.
with limits as (
    select max(value) filter (where rule = 'no_rn_days') as no_rn_days
    from rules.staffing_limits
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

whole as (
    select sum(maximum) as maximum
    from (
        select measure, max(points) as maximum
        from rules.staffing_cut_points
        where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
        group by measure
    )
),

thresholds as (
    select stars, lower, lead(lower) over (order by stars) - 1 as upper
    from rules.star_thresholds
    where rating = 'staffing' and getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

sums as (
    select
        ccn,
        sum(points) as points,
        sum(points_low) as points_low,
        sum(points_high) as points_high,
        sum(max_points) as max_points,
        sum(points) filter (where value is not null) as points_of_values,
        sum(max_points) filter (where value is not null) as max_of_values,
        arg_min(coalesce(reason, 'value_blank'), measure) filter (where measure like 'adjusted%' and value is null) as missing_level,
        case
            when bool_and(wanted = 'recomputed') then 'recomputed'
            when bool_and(wanted = 'published') then 'published'
            else 'mixed'
        end as source
    from staffing.components
    group by ccn
),

scored as (
    select
        sums.ccn,
        sums.missing_level,
        sums.source,
        sums.points as raw_points,
        sums.max_points,
        case
            when sums.missing_level is null
                then floor((2 * sums.points * whole.maximum + sums.max_points) / (2 * sums.max_points))
        end as score,
        floor((2 * sums.points_low * whole.maximum + sums.max_points) / (2 * sums.max_points)) as score_low,
        floor((2 * sums.points_high * whole.maximum + sums.max_points) / (2 * sums.max_points)) as score_high,
        floor((2 * sums.points_of_values * whole.maximum + sums.max_of_values) / (2 * sums.max_of_values)) as score_of_values
    from sums
    cross join whole
),

zero_days as (  -- a day of an incomplete quarter is no finding
    select levels.ccn, levels.zero_days, levels.zero_days >= limits.no_rn_days as reaches_limit
    from staffing.daily_levels as levels
    cross join limits
    where
        levels.measure = 'rn'
        and levels.ccn not in (select ccn from staffing.level_exclusions where exclusion = 'incomplete_quarter')
),

footnoted as (
    select ccn, reason, forces_one_staffing_star as forces_one_star
    from homes.printed_stars
    where rating = 'staffing_rating'
),

decided as (
    select
        footnoted.ccn,
        scored.* exclude (ccn),
        zero_days.zero_days as no_rn_days,
        footnoted.reason as footnote_reason,
        case when footnoted.reason = 'too_new' then coalesce(standing.withheld, footnoted.reason) else standing.withheld end as not_shown,
        getvariable('inputs')::varchar <> 'published' and coalesce(zero_days.reaches_limit, false) as lacks_rns,
        case
            when footnoted.forces_one_star then footnoted.reason
            when getvariable('inputs')::varchar <> 'published' and zero_days.reaches_limit then 'no_rn_days'
        end as one_star_reason
    from footnoted
    inner join homes.standing as standing on footnoted.ccn = standing.ccn
    left join scored on footnoted.ccn = scored.ccn
    left join zero_days on footnoted.ccn = zero_days.ccn
)

select
    decided.ccn,
    case
        when decided.not_shown is not null then null
        when decided.one_star_reason is not null then 1
        else fair.stars
    end as stars,
    case
        when decided.not_shown is not null then null
        when decided.one_star_reason is not null then 1
        else low.stars
    end as stars_low,
    case
        when decided.not_shown is not null then null
        when decided.one_star_reason is not null then 1
        else high.stars
    end as stars_high,
    case
        when decided.not_shown is null and decided.one_star_reason is null and decided.missing_level is null then valued.stars
    end as stars_of_values,
    case when decided.not_shown is null and decided.one_star_reason is null then decided.score end as score,
    decided.raw_points,
    decided.max_points,
    case
        when decided.not_shown is not null then decided.not_shown
        when decided.one_star_reason is not null or fair.stars is not null then 'rated'
        -- what the PBJ files show goes before CMS's footnote, and that before "not known"
        when decided.missing_level not in ('inputs_absent', 'value_blank', 'no_case_mix', 'zero_case_mix') then decided.missing_level
        else coalesce(decided.footnote_reason, decided.missing_level, 'value_blank')
    end as status,
    case when decided.not_shown is null then decided.one_star_reason end as reason,
    case
        when decided.one_star_reason is null then decided.source
        when decided.lacks_rns then 'recomputed'
        else 'published'  -- a footnote alone makes the star one
    end as source,
    decided.no_rn_days
from decided
left join thresholds as fair on decided.score between fair.lower and coalesce(fair.upper, decided.score)
left join thresholds as low
    on decided.score is not null and decided.score_low between low.lower and coalesce(low.upper, decided.score_low)
left join thresholds as high
    on decided.score is not null and decided.score_high between high.lower and coalesce(high.upper, decided.score_high)
left join thresholds as valued
    on decided.score_of_values between valued.lower and coalesce(valued.upper, decided.score_of_values)
order by decided.ccn
