-- Every exclusion that applies to a home's turnover, with its evidence.
-- Grain: ccn, measure, definition, exclusion. Rule: methodology 2.8; R9, R21, R22, R25.
with definitions as (
    select distinct definition from rules.turnover_definitions
),

limits as (
    select rule, value
    from rules.staffing_limits
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

by_quarters as (  -- exclusions that whole quarters of the home cause, for all three measures
    select
        ccn,
        flags.exclusion,
        string_agg(quarter, ', ' order by quarter) as evidence,
        min(first_day) as first_date,
        max(last_day) as last_date
    from (
        select
            quarters.ccn,
            quarters.quarter,
            spans.first_day,
            spans.last_day,
            unnest([
                {exclusion: 'inputs_absent', applies: not quarters.employee_supplied},
                {exclusion: 'rejected_rows', applies: quarters.rejected_rows > 0},
                {
                    exclusion: 'missing_quarter',
                    applies: (quarters.daily_supplied and not quarters.in_daily)
                    or (quarters.employee_supplied and not quarters.in_employee)
                },
                {exclusion: 'incomplete_quarter', applies: quarters.is_incomplete}
            ]) as flags
        from turnover.home_quarters as quarters
        inner join inputs.six_quarters as spans on quarters.quarter = spans.quarter
    )
    where flags.applies
    group by ccn, flags.exclusion
),

without_administrator as (
    select
        quarters.ccn,
        string_agg(quarters.quarter, ', ' order by quarters.quarter) as evidence,
        min(spans.first_day) as first_date,
        max(spans.last_day) as last_date
    from turnover.home_quarters as quarters
    inner join inputs.six_quarters as spans on quarters.quarter = spans.quarter
    where quarters.in_employee and quarters.administrator_days = 0
    group by quarters.ccn
),

crowded_spans as (
    select
        quarters.ccn,
        limits.days as limit_days,
        sum(quarters.crowded_days) as crowded_days,
        min(quarters.first_crowded_day) as first_date,
        max(quarters.last_crowded_day) as last_date
    from turnover.home_quarters as quarters
    cross join rules.administrator_limits as limits
    inner join rules.turnover_definitions as starts
        on starts.definition = 'cms'
        and getvariable('release')::varchar between starts.effective_from and coalesce(starts.effective_to, '9999-12')
    where
        getvariable('release')::varchar between limits.effective_from and coalesce(limits.effective_to, '9999-12')
        and (limits.span = 'single_quarter' or 'q' || quarters.quarter_position <= starts.starts_through)
    group by quarters.ccn, limits.days, case when limits.span = 'single_quarter' then quarters.quarter end
),

crowded as (
    select ccn, max(crowded_days) as crowded_days, min(first_date) as first_date, max(last_date) as last_date
    from crowded_spans
    where crowded_days >= limit_days
    group by ccn
),

by_counts as (
    select
        counts.ccn,
        counts.measure,
        counts.definition,
        flags.exclusion,
        flags.evidence
    from turnover.counts as counts
    inner join turnover.counts as nurses
        on counts.ccn = nurses.ccn and counts.definition = nurses.definition and nurses.measure = 'total_nurse'
    inner join limits on limits.rule = 'few_eligible_nurses'
    cross join lateral (
        select unnest([
            {
                exclusion: 'few_eligible_nurses',
                applies: counts.measure <> 'administrator' and nurses.eligible_spells < limits.value,
                evidence: nurses.eligible_spells || ' eligible nurse spells'
            },
            {
                exclusion: 'no_eligible_rns',
                applies: counts.measure = 'rn' and counts.eligible_spells = 0,
                evidence: 'no eligible RN spell'
            },
            {
                exclusion: 'no_eligible_administrator',
                applies: counts.measure = 'administrator' and counts.eligible_spells = 0,
                evidence: 'no eligible administrator spell'
            }
        ]) as flags
    ) as flagged
    where flags.applies
),

found as (
    select by_quarters.ccn, measures.measure, definitions.definition, exclusion, evidence, first_date, last_date
    from by_quarters
    cross join definitions
    cross join (select unnest(['total_nurse', 'rn', 'administrator']) as measure) as measures
    union all
    select ccn, measure, definition, exclusion, evidence, null as first_date, null as last_date
    from by_counts
    union all
    select
        ccn,
        measures.measure,
        definition,
        'full_daily_turnover' as exclusion,
        string_agg(leaving || ' of ' || leaving || ' eligible nurses left on ' || day, ', ' order by day) as evidence,
        min(day) as first_date,
        max(day) as last_date
    from turnover.full_days
    cross join (select unnest(['total_nurse', 'rn']) as measure) as measures
    group by ccn, measures.measure, definition
    union all
    select ccn, 'administrator' as measure, definition, 'no_administrator_data' as exclusion, evidence, first_date, last_date
    from without_administrator
    cross join definitions
    union all
    select
        ccn,
        'administrator' as measure,
        definition,
        'too_many_administrators' as exclusion,
        crowded_days || ' days with too many administrators' as evidence,
        first_date,
        last_date
    from crowded
    cross join definitions
)

select
    found.*,
    reasons.rank
from found
inner join rules.reasons as reasons on found.exclusion = reasons.reason
order by found.ccn, found.measure, found.definition, found.exclusion
