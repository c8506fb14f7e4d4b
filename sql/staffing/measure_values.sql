-- The value of each of the six staffing measures, where it comes from, or why there is none.
-- Grain: ccn, measure. Rule: methodology 3.1; R10, R11 for rounding; `inputs` says whether published values may stand in.
with homes as (
    select ccn from current.provider_info
),

rejected as (  -- a blank of these homes may be a cell that could not be read
    select distinct ccn from current.rejects where table_name = 'provider_info'
),

precision as (  -- releases that print three decimals (September 2025) need no guess at the fraction
    select bool_and(coalesce(
        total_nurse_turnover_pct = round(total_nurse_turnover_pct, 1) and rn_turnover_pct = round(rn_turnover_pct, 1), true
    )) as one_decimal
    from current.provider_info
),

levels as (
    select
        levels.ccn,
        'adjusted_' || levels.measure || '_hprd' as measure,
        levels.adjusted_hprd as recomputed,
        levels.exclusion,
        -- beside a case mix of zero CMS's zero is no level
        coalesce(
            case when levels.case_mix_hprd = 0 then nullif(levels.published_adjusted_hprd, 0) else levels.published_adjusted_hprd end,
            levels.adjusted_from_published_hprd
        ) as published,
        case when levels.published_adjusted_hprd is null then levels.adjusted_low_hprd end as published_low,
        case when levels.published_adjusted_hprd is null then levels.adjusted_high_hprd end as published_high,
        levels.reported_hprd,
        levels.published_reported_hprd,
        case when levels.case_mix_hprd is null then 'no_case_mix' when levels.case_mix_hprd = 0 then 'zero_case_mix' end as case_mix_reason,
        levels.wanted
    from staffing.levels as levels
    where levels.measure in ('rn', 'total_nurse', 'weekend_total_nurse')
),

turnovers as (
    select
        turnover.ccn,
        case turnover.measure
            when 'administrator' then 'administrator_departures'
            else turnover.measure || '_turnover_pct'
        end as measure,
        case
            when turnover.excluded then null
            when turnover.measure = 'administrator' then turnover.departures
            else turnover.turnover_pct
        end as recomputed,
        turnover.exclusion,
        case turnover.measure
            when 'total_nurse' then published.total_nurse_turnover_pct
            when 'rn' then published.rn_turnover_pct
            else published.administrator_departures
        end as published,
        case
            when getvariable('inputs')::varchar = 'best' and reasons.published_stands_in then 'published'
            when getvariable('inputs')::varchar = 'best' then 'recomputed'
            else getvariable('inputs')::varchar
        end as wanted
    from turnover.home_turnover as turnover
    inner join current.provider_info as published on turnover.ccn = published.ccn
    left join rules.reasons as reasons on turnover.exclusion = reasons.reason
    where turnover.definition = 'cms'
),

offered as (
    select
        levels.ccn,
        measure,
        recomputed,
        coalesce(exclusion, case when recomputed is null and reported_hprd is not null then case_mix_reason end) as exclusion,
        published,
        published_low,
        published_high,
        case
            when rejected.ccn is not null then 'rejected_rows'
            when published_reported_hprd is not null and case_mix_reason is not null then case_mix_reason
            else 'value_blank'
        end as blank_reason,
        wanted
    from levels
    left join rejected on levels.ccn = rejected.ccn
    union all
    select
        turnovers.ccn,
        turnovers.measure,
        turnovers.recomputed,
        turnovers.exclusion,
        turnovers.published,
        null as published_low,
        null as published_high,
        coalesce(blanks.exclusion, 'value_blank') as blank_reason,
        turnovers.wanted
    from turnovers
    left join staffing.published_exclusions as blanks
        on turnovers.ccn = blanks.ccn and turnovers.measure = blanks.measure
),

chosen as (
    select offered.*
    from offered
    inner join homes on offered.ccn = homes.ccn
)

select
    chosen.ccn,
    chosen.measure,
    round(case chosen.wanted when 'recomputed' then chosen.recomputed else chosen.published end, 3) as value,
    case
        when chosen.wanted = 'recomputed' and chosen.recomputed is not null then 'recomputed'
        when chosen.wanted = 'published' and chosen.published is not null
            then case
                when precision.one_decimal and chosen.measure in ('total_nurse_turnover_pct', 'rn_turnover_pct')
                    then 'published_rounded'
                else 'published'
            end
    end as value_source,
    case when chosen.wanted = 'published' then round(chosen.published_low, 3) end as value_low,
    case when chosen.wanted = 'published' then round(chosen.published_high, 3) end as value_high,
    chosen.wanted,
    case
        when chosen.wanted = 'recomputed' and chosen.recomputed is null then chosen.exclusion
        when chosen.wanted = 'published' and chosen.published is null then chosen.blank_reason
    end as exclusion
from chosen
cross join precision
order by chosen.ccn, chosen.measure
