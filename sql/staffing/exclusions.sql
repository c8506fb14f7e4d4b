-- Every exclusion and flag of the staffing rating of every home, its evidence, what it can do to the points and what it did.
-- Grain: ccn, measure, exclusion. Rule: methodology 1.4, 2.8, 2.9, 3.4; R28. Of several exclusions of a measure the first by rank acts.
with effects as (
    select exclusion, measure, effect
    from rules.exclusion_effects
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

scored as (  -- the measures of the rating under the names of the tables `turnover` and `staffing_levels`
    select
        *,
        measure like 'adjusted%' as is_level,
        replace(replace(replace(replace(measure, '_turnover_pct', ''), '_departures', ''), 'adjusted_', ''), '_hprd', '') as short
    from staffing.components
),

one_star as (
    select
        scores.ccn,
        scores.reason,
        case
            when printed.reason = scores.reason then 'footnote ' || printed.footnote || ' in the provider file'
            else scores.no_rn_days || ' days with residents and without RN hours'
        end as evidence,
        case when printed.reason = scores.reason then null else daily.first_zero_day end as first_date,
        case when printed.reason = scores.reason then null else daily.last_zero_day end as last_date
    from staffing.scores as scores
    inner join homes.printed_stars as printed on scores.ccn = printed.ccn and printed.rating = 'staffing_rating'
    left join staffing.daily_levels as daily on scores.ccn = daily.ccn and daily.measure = 'rn'
    where scores.reason is not null
),

found as (  -- `acts`: it is the first; `gives_way`: CMS's value, or its blank, was used instead
    select
        1 as kind,
        exclusions.ccn,
        exclusions.measure,
        exclusions.exclusion,
        scored.measure as rating_measure,
        coalesce(effects.effect, 'no_value') as could,
        exclusions.exclusion = turnover.exclusion as acts,
        coalesce(scored.wanted = 'published', false) as gives_way,
        exclusions.evidence,
        exclusions.first_date,
        exclusions.last_date
    from turnover.exclusions as exclusions
    inner join turnover.home_turnover as turnover
        on exclusions.ccn = turnover.ccn and exclusions.measure = turnover.measure and exclusions.definition = turnover.definition
    left join scored on exclusions.ccn = scored.ccn and exclusions.measure = scored.short and not scored.is_level
    left join effects on exclusions.exclusion = effects.exclusion and scored.measure = effects.measure
    where exclusions.definition = 'cms'
    union all
    select
        2 as kind,
        exclusions.ccn,
        exclusions.measure,
        exclusions.exclusion,
        scored.measure as rating_measure,
        'no_value' as could,
        exclusions.exclusion = levels.exclusion as acts,
        levels.wanted = 'published' as gives_way,
        exclusions.evidence,
        exclusions.first_date,
        exclusions.last_date
    from staffing.level_exclusions as exclusions
    inner join staffing.levels as levels on exclusions.ccn = levels.ccn and exclusions.measure = levels.measure
    left join scored on exclusions.ccn = scored.ccn and exclusions.measure = scored.short and scored.is_level
    union all
    select
        3 as kind,
        ccn,
        short as measure,
        reason as exclusion,
        measure as rating_measure,
        coalesce(effect, 'no_value') as could,
        true as acts,
        false as gives_way,
        case reason when 'zero_case_mix' then 'case mix of 0 in the provider file' else 'blank in the provider file' end as evidence,
        null as first_date,
        null as last_date
    from scored
    where value is null and (wanted = 'published' or reason in ('no_case_mix', 'zero_case_mix'))
    union all
    select
        4 as kind,
        ccn,
        'rn' as measure,
        reason as exclusion,
        null as rating_measure,
        'one_star' as could,
        true as acts,
        false as gives_way,
        evidence,
        first_date,
        last_date
    from one_star
    union all
    select
        5 as kind,
        ccn,
        'staffing_rating' as measure,
        withheld as exclusion,
        null as rating_measure,
        'no_star' as could,
        true as acts,
        false as gives_way,
        evidence,
        null as first_date,
        null as last_date
    from homes.standing
    where withheld is not null
    union all
    select
        6 as kind,
        ccn,
        measure,
        reason as exclusion,
        null as rating_measure,
        'flag' as could,
        false as acts,
        false as gives_way,
        evidence,
        first_date,
        last_date
    from audit.flags
    where domain = 'staffing'
)

select
    ccn,
    measure,
    exclusion,
    rating_measure,
    could,
    case
        when could = 'flag' then 'flag'
        when not acts then 'none'
        when gives_way then 'published_value'
        else could
    end as effect,
    acts as counted,
    evidence,
    first_date,
    last_date
from found
-- one word may stand for the turnover and for the level of one staff group: the row tells of the one that acts, else of the turnover
qualify row_number() over (partition by ccn, measure, exclusion order by acts desc, kind, evidence) = 1
order by ccn, measure, exclusion
