-- Point ranges that this release's own distribution gives, beside CMS's.
-- Grain: measure, points. Quantile: linear interpolation (quantile_cont, R type 7), rounded half up to the decimals that are compared; a value
-- belongs to the band whose bounds hold it, so equal values are never split. Best values earn the most points; what equal values leave empty has
-- no row.
with bands_of as (  -- step 1 has the fewest points; zero, where it is a band of its own, has the most and is in no other
    select
        measure,
        points,
        unit,
        row_number() over (partition by measure order by points) as step,
        count(*) over (partition by measure) as steps,
        arg_min(lower, points) over (partition by measure) > arg_max(lower, points) over (partition by measure) as less_is_better,
        false as zero_is_best
    from (
        select measure, points, lower, 0.001 as unit from rules.staffing_cut_points
        where
            getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
            and measure <> 'administrator_departures'
    )
    union all
    select
        points.measure,
        points.points,
        0.0001 as unit,
        row_number() over (partition by points.measure order by points.points) as step,
        count(*) over (partition by points.measure) - any_value(measures.zero_is_best::int) over (partition by points.measure) as steps,
        arg_min(points.lower, points.points) over (partition by points.measure)
        > arg_max(points.lower, points.points) over (partition by points.measure) as less_is_better,
        measures.zero_is_best
    from rules.quality_cut_points as points
    inner join rules.quality_measures as measures
        on points.measure = measures.measure
        and getvariable('release')::varchar between measures.effective_from and coalesce(measures.effective_to, '9999-12')
    where getvariable('release')::varchar between points.effective_from and coalesce(points.effective_to, '9999-12')
),

values_of as (
    select measure, value from staffing.components
    where value is not null and value_source <> 'imputed' and measure <> 'administrator_departures'
    union all
    select measure, value from quality.values
    where value is not null
),

ladder as (
    select
        measure,
        points,
        step,
        unit,
        less_is_better,
        case when less_is_better then (steps - step) / steps else (step - 1) / steps end as share
    from bands_of
    where step <= steps
),

zero_bands as (
    select measure, points from bands_of
    where step > steps
),

sorted as (
    select measure, value, row_number() over (partition by measure order by value) as position, count(*) over (partition by measure) as homes
    from values_of
    where value > 0 or measure not in (select zero_bands.measure from zero_bands)
),

starts as (
    select
        ladder.measure,
        ladder.points,
        ladder.step,
        ladder.unit,
        ladder.less_is_better,
        below.value + (coalesce(above.value, below.value) - below.value)
        * ((below.homes - 1) * ladder.share - floor((below.homes - 1) * ladder.share + 1e-9)) as bound
    from ladder
    inner join sorted as below
        on ladder.measure = below.measure
        and below.position = floor((below.homes - 1) * ladder.share + 1e-9) + 1
    left join sorted as above on below.measure = above.measure and above.position = below.position + 1
),

rounded as (
    select
        * exclude (bound),
        case
            when less_is_better and step = max(step) over (partition by measure)
                then case when measure in (select zero_bands.measure from zero_bands) then unit else 0 end
            when unit = 0.001 then round(bound::decimal(18, 9), 3)
            else round(bound::decimal(18, 9), 4)
        end as lower
    from starts
),

bands as (
    select measure, points, lower, lead(lower) over (partition by measure order by lower, step) - unit as upper
    from rounded
    union all
    select measure, points, 0 as lower, 0 as upper
    from zero_bands
    where measure in (select rounded.measure from rounded)
)

select
    bands.measure,
    bands.points,
    bands.lower,
    bands.upper,
    count(values_of.value) as homes
from bands
left join values_of
    on bands.measure = values_of.measure
    and values_of.value >= bands.lower
    and (bands.upper is null or values_of.value <= bands.upper)
where bands.lower <= coalesce(bands.upper, bands.lower)
group by all
order by bands.measure, bands.points
