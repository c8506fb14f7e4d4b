-- Inspection score of every home of the provider file, from its points of each rating cycle.
-- Grain: ccn. Rule: methodology 4.3, 4.5, 4.7; R13, R28. Special Focus homes have a score and no star.
with weights as (
    select cycles, cycle, sixtieths
    from rules.health_weights
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

cycles as (
    select ccn, cycle, score, value_source, count(*) over (partition by ccn) as cycles
    from inspections.cycles
    where exclusion is distinct from 'no_such_cycle'
),

weighted as (
    select
        cycles.ccn,
        case
            when count(weights.cycle) = any_value(cycles.cycles) and count(cycles.score) = any_value(cycles.cycles)
                then round((sum(cycles.score * weights.sixtieths) / 60)::decimal(18, 9), 3)
        end as weighted_score,
        case
            when bool_and(cycles.value_source = 'recomputed') then 'recomputed'
            when bool_and(cycles.value_source = 'published') then 'published'
            else 'mixed'
        end as value_source
    from cycles
    left join weights on cycles.cycles = weights.cycles and cycles.cycle = weights.cycle
    group by cycles.ccn
),

excluded as (
    select cycles.ccn, arg_min(cycles.exclusion, reasons.rank) as exclusion
    from inspections.cycles as cycles
    inner join rules.reasons as reasons on cycles.exclusion = reasons.reason
    where cycles.exclusion <> 'no_such_cycle'
    group by cycles.ccn
),

scored as (
    select
        homes.ccn,
        homes.state,
        weighted.weighted_score,
        homes.weighted_health_score as published_weighted_score,
        homes.health_inspection_rating as published_stars,
        case getvariable('inputs')::varchar
            when 'published' then homes.weighted_health_score
            when 'recomputed' then weighted.weighted_score
            else coalesce(weighted.weighted_score, homes.weighted_health_score)
        end as score,
        case
            when getvariable('inputs')::varchar = 'published' or weighted.weighted_score is null then 'published'
            else weighted.value_source
        end as value_source,
        case
            when getvariable('inputs')::varchar = 'recomputed' then coalesce(abuse.recomputed_icon, abuse.published_icon)
            else abuse.published_icon
        end as has_abuse_icon,
        abuse.recomputed_icon,
        standing.withheld,
        printed.reason,
        excluded.exclusion
    from current.provider_info as homes
    inner join homes.standing as standing on homes.ccn = standing.ccn
    inner join homes.printed_stars as printed on homes.ccn = printed.ccn and printed.rating = 'health_inspection_rating'
    inner join inspections.abuse as abuse on homes.ccn = abuse.ccn
    left join weighted on homes.ccn = weighted.ccn
    left join excluded on homes.ccn = excluded.ccn
)

select
    * exclude (value_source, recomputed_icon, withheld, reason, exclusion),
    case when score is not null then value_source end as value_source,
    coalesce(has_abuse_icon = recomputed_icon, false) as has_own_icon,
    case
        when withheld is not null then withheld
        when reason is not null then reason
        when score is null and getvariable('inputs')::varchar = 'recomputed' then coalesce(exclusion, 'not_published')
        when score is null and published_stars is null then 'not_published'
        else 'rated'
    end as status
from scored
order by ccn
