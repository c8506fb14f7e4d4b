-- Every exclusion and flag of every home, its evidence, and what it did to the points.
-- Grain: ccn, domain, measure, exclusion. Rule: methodology 1.4, 2.8, 2.9, 3.4.
with effects as (
    select exclusion, replace(replace(measure, '_turnover_pct', ''), '_departures', '') as measure, effect
    from rules.exclusion_effects
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

found as (
    select
        exclusions.ccn,
        exclusions.measure,
        exclusions.exclusion,
        coalesce(effects.effect, 'no_value') as effect,
        exclusions.evidence,
        exclusions.first_date,
        exclusions.last_date
    from turnover.exclusions as exclusions
    left join effects on exclusions.exclusion = effects.exclusion and exclusions.measure = effects.measure
    where exclusions.definition = 'cms'
    union all
    select ccn, measure, exclusion, 'no_value' as effect, evidence, first_date, last_date
    from staffing.level_exclusions
    where measure not in ('total_nurse', 'rn')
    union all
    select
        levels.ccn,
        levels.measure,
        levels.exclusion,
        'no_value' as effect,
        levels.evidence,
        levels.first_date,
        levels.last_date
    from staffing.level_exclusions as levels
    left join turnover.exclusions as turnover
        on levels.ccn = turnover.ccn
        and levels.measure = turnover.measure
        and levels.exclusion = turnover.exclusion
        and turnover.definition = 'cms'
    where levels.measure in ('total_nurse', 'rn') and turnover.ccn is null
    union all
    select ccn, measure, reason as exclusion, 'flag' as effect, evidence, first_date, last_date
    from audit.flags
    union all
    select
        scores.ccn,
        'rn' as measure,
        scores.reason as exclusion,
        'flag' as effect,
        coalesce(scores.no_rn_days || ' days with residents and without RN hours', 'footnote in the provider file') as evidence,
        daily.first_zero_day as first_date,
        daily.last_zero_day as last_date
    from staffing.scores as scores
    left join staffing.daily_levels as daily on scores.ccn = daily.ccn and daily.measure = 'rn'
    where scores.reason is not null
)

select
    found.*,
    versions.domain,
    versions.release,
    versions.quarter,
    versions.ruleset
from found
inner join audit.versions as versions on versions.domain = 'staffing'
order by found.ccn, versions.domain, found.measure, found.exclusion
