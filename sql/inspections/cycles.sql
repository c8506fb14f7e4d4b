-- Points of every rating cycle of every home of the provider file: from its citations, beside CMS's.
-- Grain: ccn, cycle. Rule: methodology 4.2, 4.3, 4.5. The files do not say what revisits found, so their number is CMS's.
with in_force as (
    select cycle
    from rules.health_windows
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

revisit_points as (
    select revisits, percent, coalesce(lead(revisits) over (order by revisits) - 1, 1000) as through
    from rules.revisit_points
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

published as (
    select
        ccn,
        cycle.*,
        cycle_1_survey_date,
        count(cycle.score) over (partition by ccn) as scored_cycles
    from (
        select
            ccn,
            cycle_1_survey_date,
            unnest([
                {cycle: 1, score: cycle_1_score, citations: cycle_1_citations, revisits: cycle_1_revisits},
                {cycle: 2, score: cycle_2_score, citations: cycle_2_citations, revisits: cycle_2_revisits},
                {cycle: 3, score: cycle_3_score, citations: cycle_3_citations, revisits: cycle_3_revisits}
            ]) as cycle
        from current.provider_info
    )
    where cycle.cycle in (select in_force.cycle from in_force)
),

cited as (
    select ccn, cycle, sum(points) as points, count(*) as citations
    from inspections.citations
    where is_counted
    group by ccn, cycle
),

blocked as (  -- one citation that cannot be scored leaves the home without points of its own
    select citations.ccn, arg_min(citations.reason, reasons.rank) as reason
    from inspections.citations as citations
    inner join rules.reasons as reasons on citations.reason = reasons.reason and reasons.published_stands_in
    group by citations.ccn
),

standard_surveys as (
    select ccn, max(survey_date) as latest
    from (
        select ccn, survey_date from inspections.citations
        where survey_kind = 'standard'
        union all
        select ccn, survey_date from current.survey_dates
        where survey_kind ilike 'health standard%'
    )
    group by ccn
),

rejected as (
    select distinct ccn from current.rejects where table_name = 'provider_info'
),

known as (
    select
        published.*,
        standard_surveys.latest as latest_survey,
        coalesce(cited.citations, 0) as counted_citations,
        coalesce(cited.points, 0) as deficiency_points,
        coalesce(cited.points, 0) * revisit_points.percent as revisit_hundredths,
        case
            when rejected.ccn is not null or gaps.exclusion = 'rejected_rows' then 'rejected_rows'
            when published.score is null and published.scored_cycles > 0 then 'no_such_cycle'
            when coalesce(gaps.exclusion, blocked.reason) is not null then coalesce(gaps.exclusion, blocked.reason)
            when revisit_points.percent is null then 'revisits_unknown'
        end as exclusion
    from published
    left join cited on published.ccn = cited.ccn and published.cycle = cited.cycle
    left join blocked on published.ccn = blocked.ccn
    left join inspections.citation_gaps as gaps on published.ccn = gaps.ccn
    left join rejected on published.ccn = rejected.ccn
    left join standard_surveys on published.ccn = standard_surveys.ccn
    left join revisit_points on published.revisits between revisit_points.revisits and revisit_points.through
),

recomputed as (
    select
        *,
        case when exclusion is null then deficiency_points + (revisit_hundredths + 50) // 100 end as recomputed_score
    from known
),

compared as (
    select
        *,
        case
            when recomputed_score = score or exclusion is not null then null
            when cycle_1_survey_date > latest_survey then 'survey_since'
            when citations <> counted_citations then 'citations_differ'
            when score is not null then 'differs'
        end as parting
    from recomputed
)

select
    ccn,
    cycle,
    case when exclusion is null then deficiency_points end as deficiency_points,
    case when exclusion is null then (revisit_hundredths + 50) // 100 end as revisit_points,
    revisits,
    case when exclusion is null then counted_citations end as counted_citations,
    citations as published_citations,
    recomputed_score,
    score as published_score,
    case getvariable('inputs')::varchar
        when 'published' then score
        when 'recomputed' then recomputed_score
        -- citations that are not those that CMS scored say nothing against its points
        else case when reasons.published_stands_in then score else coalesce(recomputed_score, score) end
    end as score,
    case
        when getvariable('inputs')::varchar = 'recomputed' then case when recomputed_score is not null then 'recomputed' end
        when getvariable('inputs')::varchar <> 'published' and recomputed_score is not null and not coalesce(reasons.published_stands_in, false)
            then 'recomputed'
        when score is not null then 'published'
    end as value_source,
    exclusion,
    parting
from compared
left join rules.reasons as reasons on compared.parting = reasons.reason
order by ccn, cycle
