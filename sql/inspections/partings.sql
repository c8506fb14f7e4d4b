-- Where the citations of a home give a cycle other points than CMS, and which one citation, scored otherwise, would explain it.
-- Grain: ccn, cycle. Rule: methodology 4.1, 4.4: the file does not mark substandard care, waivers or disputes that were won.
with parted as (
    select ccn, cycle, published_score - recomputed_score as difference, parting
    from inspections.cycles
    where parting is not null
),

scored as (
    select
        citations.ccn,
        citations.cycle,
        citations.citation,
        citations.tag || ' ' || citations.scope_severity || ' of ' || citations.survey_date as cited,
        citations.is_counted,
        citations.points,
        citations.own_points,
        citations.reason,
        case when citations.is_substandard then points.points else points.points_substandard end as other_points,
        citations.is_substandard
    from inspections.citations as citations
    inner join rules.health_points as points
        on citations.scope_severity = points.scope_severity
        and getvariable('release')::varchar between points.effective_from and coalesce(points.effective_to, '9999-12')
    where citations.cycle is not null
),

readings as (
    select ccn, cycle, citation, cited || ' not counted' as reading, -points as change
    from scored
    where is_counted
    union all
    select ccn, cycle, citation, cited || ' counted' as reading, own_points as change
    from scored
    where not is_counted
    union all
    select
        ccn,
        cycle,
        citation,
        cited || case when is_substandard then ' not substandard' else ' substandard' end as reading,
        other_points - points as change
    from scored
    where is_counted and reason is null
)

select
    parted.ccn,
    parted.cycle,
    parted.difference,
    parted.parting,
    string_agg(readings.reading, ', or ' order by readings.citation, readings.reading) as explained_by
from parted
left join readings on parted.ccn = readings.ccn and parted.cycle = readings.cycle and parted.difference = readings.change
group by all
order by parted.ccn, parted.cycle
