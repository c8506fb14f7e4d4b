-- What warning checks found, and days that no sum could use.
-- Grain: ccn, domain, measure, reason. Rule: methodology 1.3, 8.1; "What a bad row gets" in the design.
with found as (
    select ccn, 'total_nurse' as measure, reason, evidence, first_date, last_date
    from six_quarters.flags
    union all
    select
        ccn,
        case
            when table_name in ('qm_mds', 'qm_claims', 'snf_qrp') then 'overall_qm_score'
            when table_name in ('health_citations', 'survey_summary', 'survey_dates', 'penalties') then 'weighted_score'
            else 'total_nurse'
        end as measure,
        reason,
        evidence,
        first_date,
        last_date
    from current.flags
    union all
    select
        ccn,
        'total_nurse' as measure,
        'daily_sums_differ' as reason,
        quarter || ': ' || differing_days || ' days differ, by ' || difference_hours || ' hours in all' as evidence,
        first_date,
        last_date
    from six_quarters.daily_differences
    union all
    select
        quarters.ccn,
        'total_nurse' as measure,
        'not_in_provider_file' as reason,
        'in PBJ files of ' || string_agg(quarters.quarter, ', ' order by quarters.quarter) as evidence,
        min(spans.first_day) as first_date,
        max(spans.last_day) as last_date
    from turnover.home_quarters as quarters
    inner join inputs.six_quarters as spans on quarters.quarter = spans.quarter
    left join current.provider_info as homes on quarters.ccn = homes.ccn
    where homes.ccn is null and (quarters.in_daily or quarters.in_employee)
    group by quarters.ccn
    union all
    select
        levels.ccn,
        levels.measure,
        'no_residents_on_day' as reason,
        levels.no_resident_days || ' days without residents' as evidence,
        spans.first_day as first_date,
        spans.last_day as last_date
    from staffing.daily_levels as levels
    cross join inputs.staffing_quarter as spans
    where levels.measure = 'total_nurse' and levels.no_resident_days > 0
)

select
    ccn,
    case measure when 'overall_qm_score' then 'quality' when 'weighted_score' then 'inspections' else 'staffing' end as domain,
    measure,
    reason,
    string_agg(distinct evidence, '; ' order by evidence) as evidence,
    min(first_date) as first_date,
    max(last_date) as last_date
from found
group by ccn, measure, reason
order by ccn, domain, measure, reason
