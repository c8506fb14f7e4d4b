-- Cut points that this release's own distribution gives, beside CMS's.
-- Grain: measure, points. Quantile: linear interpolation (quantile_cont, R type 7), rounded half up to three decimals; a value
-- belongs to the band whose bounds hold it, so equal values are never split. Best values earn the most points.
with values_of as (
    select measure, value
    from staffing.components
    where value is not null and value_source <> 'imputed' and measure <> 'administrator_departures'
),

ladder as (
    select
        measure,
        points,
        row_number() over (partition by measure order by points) as step,  -- 1 = fewest points
        count(*) over (partition by measure) as steps,
        arg_min(lower, points) over (partition by measure) > arg_max(lower, points) over (partition by measure) as less_is_better
    from rules.staffing_cut_points
    where
        getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
        and measure <> 'administrator_departures'
),

quantiles as (
    select
        ladder.measure,
        ladder.points,
        ladder.step,
        ladder.steps,
        ladder.less_is_better,
        case when ladder.less_is_better then (ladder.steps - ladder.step) / ladder.steps else (ladder.step - 1) / ladder.steps end as share
    from ladder
),

sorted as (
    select measure, value, row_number() over (partition by measure order by value) as position, count(*) over (partition by measure) as homes
    from values_of
),

starts as (
    select
        quantiles.measure,
        quantiles.points,
        quantiles.step,
        quantiles.less_is_better,
        below.homes,
        round((
            below.value + (coalesce(above.value, below.value) - below.value)
            * ((below.homes - 1) * quantiles.share - floor((below.homes - 1) * quantiles.share + 1e-9))
        )::decimal(18, 9), 3) as bound
    from quantiles
    inner join sorted as below
        on quantiles.measure = below.measure
        and below.position = floor((below.homes - 1) * quantiles.share + 1e-9) + 1
    left join sorted as above on below.measure = above.measure and above.position = below.position + 1
),

bands as (
    select
        measure,
        points,
        case when less_is_better and step = max(step) over (partition by measure) then 0 else bound end as lower,
        lead(bound) over (partition by measure order by bound, step) as next_bound
    from starts
)

select
    bands.measure,
    bands.points,
    bands.lower,
    bands.next_bound - 0.001 as upper,
    (
        select count(*)
        from values_of
        where
            values_of.measure = bands.measure
            and values_of.value >= bands.lower
            and (bands.next_bound is null or values_of.value < bands.next_bound)
    ) as homes
from bands
order by bands.measure, bands.points
