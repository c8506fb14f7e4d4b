-- Hours and resident days of the staffing quarter, by level.
-- Grain: ccn, measure. Rule: methodology 1.1, 1.3: a ratio of sums over days with residents; a blank hour makes its level unknown.
with days as (
    select
        ccn,
        work_date,
        census,
        isodow(work_date) >= 6 as is_weekend,
        rn_don_hours + rn_admin_hours + rn_hours as rn,  -- null where any is blank
        lpn_admin_hours + lpn_hours as lpn,
        cna_hours + na_training_hours + med_aide_hours as nurse_aide
    from current.pbj_daily
),

levels as (
    select
        ccn,
        work_date,
        census,
        unnest([
            {measure: 'rn', hours: rn, counts: true},
            {measure: 'lpn', hours: lpn, counts: true},
            {measure: 'nurse_aide', hours: nurse_aide, counts: true},
            {measure: 'total_nurse', hours: rn + lpn + nurse_aide, counts: true},
            {measure: 'weekend_total_nurse', hours: rn + lpn + nurse_aide, counts: is_weekend},
            {measure: 'weekend_rn', hours: rn, counts: is_weekend},
            {measure: 'weekend_nurse_aide', hours: nurse_aide, counts: is_weekend}
        ]) as level
    from days
)

select
    ccn,
    level.measure as measure,
    count(*) filter (where level.counts) as days,
    count(*) filter (where level.counts and census = 0) as no_resident_days,
    count(*) filter (where level.counts and census is null) as missing_census_days,
    count(*) filter (where level.counts and census > 0 and level.hours is null) as missing_hours_days,
    count(*) filter (where level.counts and census > 0 and level.hours = 0) as zero_days,
    min(work_date) filter (where level.counts and census > 0 and level.hours = 0) as first_zero_day,
    max(work_date) filter (where level.counts and census > 0 and level.hours = 0) as last_zero_day,
    sum(level.hours) filter (where level.counts and census > 0) as hours,
    sum(census) filter (where level.counts) as resident_days,
    case
        when count(*) filter (where level.counts and (census is null or (census > 0 and level.hours is null))) = 0
            then (
                sum(level.hours) filter (where level.counts and census > 0)
                / nullif(sum(census) filter (where level.counts), 0)
            )::decimal(18, 9)
    end as reported_hprd
from levels
group by ccn, level.measure
order by ccn, level.measure
