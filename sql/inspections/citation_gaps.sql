-- Homes whose citations in the file are none or not all, and why.
-- Grain: ccn. Rule: methodology 4.2: a home without citations is clean only where CMS counts none, or lists a survey of it.
with counted as (  -- citations as CMS counts them, over its cycles
    select ccn, list_sum([cycle_1_citations, cycle_2_citations, cycle_3_citations]) as citations
    from current.provider_info
),

surveyed as (
    select distinct ccn from current.survey_dates
    where survey_kind ilike 'health standard%'
),

cited as (
    select distinct ccn from inspections.citations
),

rejected as (
    select distinct ccn from current.rejects where table_name = 'health_citations'
),

supplied as (
    select count(*) > 0 as citations from inputs.supplied
    where table_name = 'health_citations'
),

found as (
    select
        counted.ccn,
        case
            when rejected.ccn is not null then 'rejected_rows'
            when not supplied.citations then 'inputs_absent'
            when cited.ccn is null and coalesce(counted.citations > 0, surveyed.ccn is null) then 'not_in_citations'
        end as exclusion
    from counted
    cross join supplied
    left join rejected on counted.ccn = rejected.ccn
    left join cited on counted.ccn = cited.ccn
    left join surveyed on counted.ccn = surveyed.ccn
)

select ccn, exclusion
from found
where exclusion is not null
order by ccn
