-- Points of each staffing measure: the band, what an exclusion does, what rounding leaves open, the way to the next band.
-- Grain: ccn, measure. Rule: methodology 2.9, 3.1; R10, R11, R17-R19, R22, R25.
with cut_points as (
    select measure, points, lower, upper
    from rules.staffing_cut_points
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

ends as (
    select measure, min(points) as minimum, max(points) as maximum
    from cut_points
    group by measure
),

effects as (
    select exclusion, measure, effect
    from rules.exclusion_effects
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

banded as (
    select
        measured.*,
        likely.points as likely_points,
        coalesce(likely.points, band.points) as band_points,
        coalesce(likely.points_low, band_low.points, band.points) as points_low,  -- of hours, which have ends, more earn more
        coalesce(likely.points_high, band_high.points, band.points) as points_high,
        effects.effect,
        ends.minimum,
        ends.maximum
    from staffing.measure_values as measured
    inner join ends on measured.measure = ends.measure
    left join cut_points as band
        on measured.measure = band.measure
        and measured.value between band.lower and coalesce(band.upper, measured.value)
    left join cut_points as band_low
        on measured.measure = band_low.measure
        and measured.value_low between band_low.lower and coalesce(band_low.upper, measured.value_low)
    left join cut_points as band_high
        on measured.measure = band_high.measure
        and measured.value_high between band_high.lower and coalesce(band_high.upper, measured.value_high)
    left join staffing.printed_turnover as likely
        on measured.value_source = 'published_rounded'
        and measured.measure = likely.measure
        and measured.value = likely.printed
    left join effects on measured.measure = effects.measure and measured.exclusion = effects.exclusion
),

pointed as (
    select
        ccn,
        measure,
        value,
        case when value is null and effect = 'minimum_points' then 'imputed' else value_source end as value_source,
        case when value is null and effect = 'minimum_points' then minimum else band_points end as points,
        case when value is null and effect = 'minimum_points' then minimum else points_low end as points_low,
        case when value is null and effect = 'minimum_points' then minimum else points_high end as points_high,
        case when value is not null or effect = 'minimum_points' then maximum end as max_points,
        wanted,
        effect,
        exclusion
    from banded
),

steps as (
    select
        measure,
        points,
        lower,
        upper,
        lead(points) over by_points as next_points,
        lead(lower) over by_points as next_lower,
        lead(upper) over by_points as next_upper
    from cut_points
    window by_points as (partition by measure order by points)
)

select
    pointed.ccn,
    pointed.measure,
    pointed.value,
    pointed.value_source,
    pointed.points,
    pointed.points_low,
    pointed.points_high,
    pointed.max_points,
    case when pointed.value is not null then steps.lower end as band_lower,
    case when pointed.value is not null then steps.upper end as band_upper,
    case when pointed.value is not null then steps.next_points end as next_points,
    case  -- more hours or fewer departures; none where a printed value already lies in the better band
        when pointed.value < steps.next_lower then steps.next_lower - pointed.value
        when pointed.value > steps.next_upper then pointed.value - steps.next_upper
    end as distance_to_next,
    pointed.wanted,
    case
        when pointed.exclusion is not null then pointed.exclusion
        when pointed.points_low <> pointed.points_high then 'one_point_band'
    end as reason,
    pointed.effect
from pointed
left join steps on pointed.measure = steps.measure and pointed.points = steps.points
order by pointed.ccn, pointed.measure
