-- The nation's case-mix hours that adjusted levels are scaled to.
-- Grain: measure. Rule: methodology 1.5, 1.6: row NATION of State US Averages; without it the mean over homes, marked.
with averages as (
    select unnest([
        {measure: 'rn', hprd: case_mix_rn_hprd},
        {measure: 'total_nurse', hprd: case_mix_total_nurse_hprd},
        {measure: 'weekend_total_nurse', hprd: case_mix_weekend_total_nurse_hprd}
    ]) as level
    from current.state_averages
    where state = 'NATION'
),

means as (
    select measure, avg(case_mix_hprd::decimal(18, 5))::decimal(18, 5) as hprd, count(case_mix_hprd) as homes
    from staffing.published_levels
    group by measure
)

select
    means.measure,
    coalesce(averages.level.hprd, means.hprd) as national_hprd,
    case when averages.level.hprd is null then 'mean_of_homes' else 'state_averages' end as basis,
    means.homes
from means
left join averages on means.measure = averages.level.measure
where coalesce(averages.level.hprd, means.hprd) is not null
order by means.measure
