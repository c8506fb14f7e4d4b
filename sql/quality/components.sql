-- Points of every quality measure of every home; a value that CMS does not show is the mean of the state, and its points are open.
-- Grain: ccn, measure. Rule: methodology 5.3, 5.5; R20. Fewer measures than the stay needs: none of them counts.
with point_ranges as (
    select
        measure,
        points,
        lower,
        upper,
        max(points) over (partition by measure) as max_points,
        min(points) over (partition by measure) as min_points,
        lead(points) over (partition by measure order by points) as next_points,
        lead(lower) over (partition by measure order by points) as next_lower,
        lead(upper) over (partition by measure order by points) as next_upper
    from rules.quality_cut_points
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

ranged as (
    select distinct measure from point_ranges
),

limits as (
    select stay, least_measures
    from rules.quality_limits
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

eligible as (
    select shown.ccn, shown.stay, shown.is_supplied, shown.is_supplied and shown.measures >= limits.least_measures as is_eligible
    from (
        select ccn, stay, count(value) as measures, bool_and(is_supplied) as is_supplied
        from quality.values
        group by ccn, stay
    ) as shown
    inner join limits on shown.stay = limits.stay
),

means as (
    select coalesce(state, 'NATION') as state, measure, (sum(exact_value) / count(exact_value))::decimal(18, 9) as mean
    from quality.values
    group by grouping sets ((state, measure), (measure))
    having grouping(state) = 1 or state is not null
),

valued as (
    select
        homes.ccn,
        homes.measure,
        homes.stay,
        eligible.is_eligible,
        homes.value is null and eligible.is_eligible as is_imputed,
        case
            when homes.value is not null then homes.value
            when eligible.is_eligible then round(coalesce(of_state.mean, of_nation.mean), 4)
        end as value,
        case
            when homes.reason is not null then homes.reason
            when not eligible.is_supplied then 'inputs_absent'
            when not eligible.is_eligible then 'few_measures'
        end as reason
    from quality.values as homes
    inner join eligible on homes.ccn = eligible.ccn and homes.stay = eligible.stay
    left join means as of_state on homes.state = of_state.state and homes.measure = of_state.measure
    left join means as of_nation on of_nation.state = 'NATION' and homes.measure = of_nation.measure
)

select
    valued.ccn,
    valued.measure,
    valued.stay,
    valued.value,
    case when valued.value is null then null when valued.is_imputed then 'imputed' else 'published' end as value_source,
    case when valued.is_eligible then point_ranges.points end as points,
    case when valued.is_imputed then point_ranges.min_points when valued.is_eligible then point_ranges.points end as points_low,
    case when valued.is_imputed then point_ranges.max_points when valued.is_eligible then point_ranges.points end as points_high,
    case when valued.is_eligible then point_ranges.max_points end as max_points,
    case when valued.is_eligible then point_ranges.lower end as band_lower,
    case when valued.is_eligible then point_ranges.upper end as band_upper,
    case when valued.is_eligible then point_ranges.next_points end as next_points,
    case
        when not valued.is_eligible then null
        when point_ranges.next_lower > point_ranges.upper then point_ranges.next_lower - valued.value
        else valued.value - point_ranges.next_upper
    end as distance_to_next,
    case when valued.is_eligible and ranged.measure is null then 'no_point_ranges' else valued.reason end as reason
from valued
left join ranged on valued.measure = ranged.measure
left join point_ranges
    on valued.measure = point_ranges.measure and valued.value between point_ranges.lower and point_ranges.upper
order by valued.ccn, valued.measure
