-- Every exclusion and flag of the staffing rating of every home, its evidence, and what it did to the points.
-- Grain: ccn, measure, exclusion. Rule: methodology 1.4, 2.8, 2.9, 3.4.
with effects as (
    select exclusion, measure, effect
    from rules.exclusion_effects
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

scored as (  -- the turnover measures under the names of the table `turnover`
    select
        *,
        replace(replace(measure, '_turnover_pct', ''), '_departures', '') as short
    from staffing.components
    where measure not like 'adjusted%'
),

one_star as (
    select
        scores.ccn,
        scores.reason,
        case
            when footnotes.reason = scores.reason then 'footnote ' || footnotes.footnote || ' in the provider file'
            else scores.no_rn_days || ' days with residents and without RN hours'
        end as evidence,
        case when footnotes.reason = scores.reason then null else daily.first_zero_day end as first_date,
        case when footnotes.reason = scores.reason then null else daily.last_zero_day end as last_date
    from staffing.scores as scores
    inner join current.provider_info as homes on scores.ccn = homes.ccn
    left join rules.footnotes as footnotes on trim(homes.staffing_footnote) = footnotes.footnote
    left join staffing.daily_levels as daily on scores.ccn = daily.ccn and daily.measure = 'rn'
    where scores.reason is not null
),

found as (  -- of two rows with one key the first kind stands
    select
        1 as kind,
        exclusions.ccn,
        exclusions.measure,
        exclusions.exclusion,
        case when scored.wanted = 'published' then 'published_value' else coalesce(effects.effect, 'no_value') end as effect,
        exclusions.evidence,
        exclusions.first_date,
        exclusions.last_date
    from turnover.exclusions as exclusions
    left join scored on exclusions.ccn = scored.ccn and exclusions.measure = scored.short
    left join effects on exclusions.exclusion = effects.exclusion and scored.measure = effects.measure
    where exclusions.definition = 'cms'
    union all
    select
        2 as kind,
        exclusions.ccn,
        exclusions.measure,
        exclusions.exclusion,
        case when levels.wanted = 'published' then 'published_value' else 'no_value' end as effect,
        exclusions.evidence,
        exclusions.first_date,
        exclusions.last_date
    from staffing.level_exclusions as exclusions
    inner join staffing.levels as levels on exclusions.ccn = levels.ccn and exclusions.measure = levels.measure
    union all
    select
        3 as kind,
        ccn,
        short as measure,
        reason as exclusion,
        coalesce(effect, 'no_value') as effect,
        'blank in the provider file' as evidence,
        null as first_date,
        null as last_date
    from scored
    where wanted = 'published' and value is null
    union all
    select
        4 as kind,
        ccn,
        replace(replace(measure, 'adjusted_', ''), '_hprd', '') as measure,
        reason as exclusion,
        'no_value' as effect,
        'blank in the provider file' as evidence,
        null as first_date,
        null as last_date
    from staffing.components
    where wanted = 'published' and value is null and measure like 'adjusted%'
    union all
    select 5 as kind, ccn, 'rn' as measure, reason as exclusion, 'one_star' as effect, evidence, first_date, last_date
    from one_star
    union all
    select 6 as kind, ccn, measure, reason as exclusion, 'flag' as effect, evidence, first_date, last_date
    from audit.flags
    where domain = 'staffing'
)

select * exclude (kind)
from found
qualify row_number() over (partition by ccn, measure, exclusion order by kind, evidence) = 1
order by ccn, measure, exclusion
