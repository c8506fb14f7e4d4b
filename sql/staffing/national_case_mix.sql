-- The nation's case-mix hours that adjusted levels are scaled to.
-- Grain: measure. Rule: methodology 1.5, 1.6: row NATION of State US Averages; without it the mean over homes, marked. Zero is no case mix.
-- NATION has no LPN and aide row: their mean over homes is scaled as NATION's total stands to the mean total (one constant apart).
with averages as (
    select unnest([
        {measure: 'rn', hprd: nullif(case_mix_rn_hprd, 0)},
        {measure: 'total_nurse', hprd: nullif(case_mix_total_nurse_hprd, 0)},
        {measure: 'weekend_total_nurse', hprd: nullif(case_mix_weekend_total_nurse_hprd, 0)}
    ]) as level
    from current.state_averages
    where state = 'NATION'
),

means as (
    select
        measure,
        avg(nullif(case_mix_hprd, 0)::decimal(18, 5))::decimal(18, 9) as hprd,
        count(nullif(case_mix_hprd, 0)) as homes
    from staffing.published_levels
    group by measure
),

totals as (
    select averages.level.hprd / nullif(means.hprd, 0) as scale
    from averages
    inner join means on averages.level.measure = means.measure
    where averages.level.measure = 'total_nurse'
)

select
    means.measure,
    coalesce(
        averages.level.hprd,
        case when totals.scale is null then round(means.hprd, 5) else (means.hprd * totals.scale)::decimal(18, 9) end
    ) as national_hprd,
    case
        when averages.level.hprd is not null then 'state_averages'
        when totals.scale is not null then 'scaled_mean_of_homes'
        else 'mean_of_homes'
    end as basis,
    means.homes
from means
left join averages on means.measure = averages.level.measure
left join totals on true
where means.homes > 0 or averages.level.hprd is not null
order by means.measure
