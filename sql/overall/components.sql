-- The steps to the overall star of every home: where it begins and what each domain and the cap change.
-- Grain: ccn, measure. Rule: methodology 6.
select
    ccn,
    step.measure as measure,
    step.change as value,
    case when step.change is not null then step.source end as value_source,
    step.reason as reason
from (
    select
        ccn,
        unnest([
            {
                measure: 'health_inspection_rating',
                change: health_stars::integer,
                source: health_source,
                reason: case when stars is null then status end
            },
            {
                measure: 'staffing_rating',
                change: staffing_change,
                source: staffing_source,
                reason: case when stars is null then status when staffing_stars is null then 'step_skipped' end
            },
            {
                measure: 'qm_rating',
                change: quality_change,
                source: quality_source,
                reason: case when stars is null then status when quality_stars is null then 'step_skipped' end
            },
            {measure: 'cap', change: cap_change, source: source, reason: case when stars is null then status else reason end}
        ]) as step
    from overall.stars
)
order by ccn, measure
