-- What keeps citations, cycles and stars of a home from counting as they stand, with its evidence, what it can do and what it did.
-- Grain: ccn, measure, exclusion. Rule: methodology 4.5-4.7; R27, R28; a citation that scores nothing by rule is told in the table of citations.
with spans as (
    select ccn, count(*) as citations, min(survey_date) as first_date, max(survey_date) as last_date
    from inspections.citations
    group by ccn
),

blocking as (
    select
        citations.ccn,
        citations.reason,
        string_agg(
            citations.tag || ' ' || coalesce(citations.scope_severity, '(no letter)') || ' of ' || citations.survey_date, ', '
            order by citations.citation
        ) as evidence,
        min(citations.survey_date) as first_date,
        max(citations.survey_date) as last_date
    from inspections.citations as citations
    inner join rules.reasons as reasons on citations.reason = reasons.reason and reasons.published_stands_in
    group by citations.ccn, citations.reason
),

cycles as (
    select
        cycles.ccn,
        'cycle_' || cycles.cycle || '_score' as measure,
        cycles.exclusion,
        'no_value' as could,
        case when cycles.value_source = 'published' then 'published_value' else 'no_value' end as effect,
        coalesce(
            blocking.evidence,
            'CMS counts ' || coalesce(cycles.published_citations::varchar, 'no') || ' citations and '
            || coalesce(cycles.revisits::varchar, 'no') || ' revisits in the cycle'
        ) as evidence,
        blocking.first_date,
        blocking.last_date
    from inspections.cycles as cycles
    left join blocking on cycles.ccn = blocking.ccn and cycles.exclusion = blocking.reason
    inner join rules.reasons as reasons on cycles.exclusion = reasons.reason and reasons.published_stands_in
    where cycles.exclusion <> 'inputs_absent'
),

parted as (
    select
        partings.ccn,
        'cycle_' || partings.cycle || '_score' as measure,
        partings.parting as exclusion,
        case when reasons.published_stands_in then 'published_value' else 'flag' end as could,
        case when not coalesce(reasons.published_stands_in, false) then 'flag' when cycles.value_source = 'published' then 'published_value' else 'none' end
            as effect,
        'CMS has ' || cycles.published_score::double || ' points of ' || coalesce(cycles.published_citations::varchar, 'unknown') || ' citations, '
        || 'the file ' || cycles.recomputed_score::double || ' of ' || cycles.counted_citations
        || coalesce('; would fit: ' || partings.explained_by, '') as evidence,
        null::date as first_date,
        null::date as last_date
    from inspections.partings as partings
    inner join inspections.cycles as cycles on partings.ccn = cycles.ccn and partings.cycle = cycles.cycle
    inner join rules.reasons as reasons on partings.parting = reasons.reason
),

unknown_homes as (
    select
        spans.ccn,
        'weighted_score' as measure,
        'not_in_provider_file' as exclusion,
        'no_value' as could,
        'no_value' as effect,
        spans.citations || ' citations' as evidence,
        spans.first_date,
        spans.last_date
    from spans
    left join current.provider_info as homes on spans.ccn = homes.ccn
    where homes.ccn is null
),

stars as (
    select
        stars.ccn,
        'health_inspection_rating' as measure,
        coalesce(stars.reason, stars.status) as exclusion,
        case stars.reason when 'abuse_icon' then 'capped' when 'kept_star' then 'published_value' when 'hidden_by_icon' then 'published_value' else 'no_star' end
            as could,
        case
            when stars.reason = 'abuse_icon'
                then 'rank of ' || stars.fresh_stars || ' stars' || coalesce('; ' || abuse.evidence, '')
            when stars.reason is not null then stars.kept_stars || ' stars before, rank of ' || stars.fresh_stars || ' now'
            else coalesce(
                standing.evidence,
                'footnote ' || trim(homes.health_inspection_footnote),
                'CMS gives ' || homes.health_inspection_rating || ' stars',
                'no star in the provider file'
            )
        end as evidence
    from inspections.stars as stars
    inner join current.provider_info as homes on stars.ccn = homes.ccn
    inner join homes.standing as standing on stars.ccn = standing.ccn
    inner join inspections.abuse as abuse on stars.ccn = abuse.ccn
    where stars.status <> 'rated' or stars.reason in ('abuse_icon', 'kept_star', 'hidden_by_icon')
),

told as (  -- stands beside whatever else is said of the home
    select ccn, 'health_inspection_rating' as measure, 'unknown_special_focus' as exclusion, evidence
    from homes.standing
    where has_unknown_focus and withheld is distinct from 'unknown_special_focus'
),

every as (
    select * from cycles
    union all
    select * from parted
    union all
    select * from unknown_homes
    union all by name
    select *, could as effect from stars
    union all by name
    select *, 'no_star' as could, 'flag' as effect from told
    union all by name
    select ccn, measure, reason as exclusion, 'flag' as could, 'flag' as effect, evidence, first_date, last_date
    from audit.flags
    where domain = 'inspections'
)

select
    ccn,
    measure,
    exclusion,
    case when measure = 'health_inspection_rating' then 'weighted_score' else measure end as rating_measure,
    could,
    effect,
    effect not in ('none', 'flag') as counted,
    evidence,
    first_date,
    last_date
from every
order by ccn, measure, exclusion
