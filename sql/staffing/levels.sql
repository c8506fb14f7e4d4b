-- Reported, case-mix and adjusted hours of every home, recomputed from PBJ and as published.
-- Grain: ccn, measure. Rule: methodology 1.3-1.6: adjusted = reported / case mix x nation; a case mix of zero adjusts nothing.
with methods as (
    select measure, case_mix_measure
    from rules.case_mix_methods
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

grid as (
    select homes.ccn, measures.measure
    from (
        select ccn from current.provider_info
        union
        select ccn from current.pbj_daily
    ) as homes
    cross join (
        select unnest(['rn', 'lpn', 'nurse_aide', 'total_nurse', 'weekend_total_nurse', 'weekend_rn']) as measure
    ) as measures
),

first_exclusion as (
    select ccn, measure, arg_min(exclusion, rank) as exclusion
    from staffing.level_exclusions
    group by ccn, measure
),

factors as (  -- what a reported hour is multiplied with
    select
        published.ccn,
        methods.measure,
        coalesce(own.case_mix_hprd, fallback.case_mix_hprd) as case_mix_hprd,
        case when own.case_mix_hprd is null then fallback_nation.basis else own_nation.basis end as nation_basis,
        (
            case when own.case_mix_hprd is null then fallback_nation.national_hprd else own_nation.national_hprd end
            / nullif(coalesce(own.case_mix_hprd, fallback.case_mix_hprd), 0)
        ) as factor,
        case when fallback.case_mix_hprd is null then fallback.adjusted_hprd / nullif(fallback.reported_hprd, 0) end as printed_factor
    from (select distinct ccn from staffing.published_levels) as published
    cross join methods
    left join staffing.published_levels as own on published.ccn = own.ccn and methods.case_mix_measure = own.measure
    left join staffing.national_case_mix as own_nation on methods.case_mix_measure = own_nation.measure
    -- a file without the weekend case-mix column: the full-week ratio is the same (ANOMALIES: one constant apart)
    left join staffing.published_levels as fallback
        on published.ccn = fallback.ccn and methods.measure = 'weekend_total_nurse' and fallback.measure = 'total_nurse'
    left join staffing.national_case_mix as fallback_nation
        on methods.measure = 'weekend_total_nurse' and fallback_nation.measure = 'total_nurse'
),

printed as (  -- published hours and what lies behind their last digit; weekend hours without a column of their own (July 2022) need no case mix
    select
        published.ccn,
        published.measure,
        published.reported_hprd,
        case when published.reported_hprd < published.half_unit then 0 else published.reported_hprd - published.half_unit end as low,
        published.reported_hprd + published.half_unit as high,
        coalesce(factors.factor, case when published.case_mix_hprd is null then factors.printed_factor end) as factor
    from staffing.published_levels as published
    inner join factors on published.ccn = factors.ccn and published.measure = factors.measure
)

select
    grid.ccn,
    grid.measure,
    daily.hours,
    daily.resident_days,
    case when first_exclusion.exclusion is null then daily.reported_hprd end as reported_hprd,
    coalesce(published.case_mix_hprd, factors.case_mix_hprd) as case_mix_hprd,
    case when first_exclusion.exclusion is null then (daily.reported_hprd * factors.factor)::decimal(18, 9) end as adjusted_hprd,
    first_exclusion.exclusion,
    factors.nation_basis,
    case
        when getvariable('inputs')::varchar = 'best' and reasons.published_stands_in then 'published'
        when getvariable('inputs')::varchar = 'best' then 'recomputed'
        else getvariable('inputs')::varchar
    end as wanted,
    published.reported_hprd as published_reported_hprd,
    published.adjusted_hprd as published_adjusted_hprd,
    (printed.reported_hprd * printed.factor)::decimal(18, 9) as adjusted_from_published_hprd,
    (printed.low * printed.factor)::decimal(18, 9) as adjusted_low_hprd,
    (printed.high * printed.factor)::decimal(18, 9) as adjusted_high_hprd
from grid
left join staffing.daily_levels as daily on grid.ccn = daily.ccn and grid.measure = daily.measure
left join staffing.published_levels as published on grid.ccn = published.ccn and grid.measure = published.measure
left join factors on grid.ccn = factors.ccn and grid.measure = factors.measure
left join printed on grid.ccn = printed.ccn and grid.measure = printed.measure
left join first_exclusion on grid.ccn = first_exclusion.ccn and grid.measure = first_exclusion.measure
left join rules.reasons as reasons on first_exclusion.exclusion = reasons.reason
order by grid.ccn, grid.measure
