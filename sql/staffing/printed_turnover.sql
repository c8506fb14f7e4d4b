-- Points that a turnover printed with one decimal can stand for.
-- Grain: measure, printed. Rule: R19: the points that most fractions n/d printing as the value earn, ties to the higher points.
with cut_points as (
    select measure, points, lower, upper
    from rules.staffing_cut_points
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

fractions as (
    select
        limits.measure,
        round((100 * departures / nullif(eligible, 0))::decimal(18, 9), 3) as value,
        round((100 * departures / nullif(eligible, 0))::decimal(18, 9), 1) as printed
    from rules.published_fractions as limits
    cross join lateral unnest(range(limits.lowest_denominator, limits.highest_denominator + 1)) as denominators (eligible)
    cross join lateral unnest(range(0, eligible + 1)) as numerators (departures)
),

scored as (
    select fractions.measure, fractions.printed, cut_points.points, count(*) as fractions
    from fractions
    inner join cut_points
        on fractions.measure = cut_points.measure
        and fractions.value between cut_points.lower and coalesce(cut_points.upper, fractions.value)
    group by fractions.measure, fractions.printed, cut_points.points
)

select
    measure,
    printed,
    arg_max(points, (fractions, points)) as points,
    min(points) as points_low,
    max(points) as points_high
from scored
group by measure, printed
order by measure, printed
