-- Every exclusion that applies to a home's staffing levels, with its evidence.
-- Grain: ccn, measure, exclusion. Rule: methodology 1.4, on quarter aggregates; any one removes all levels. R21 for absent inputs.
with limits as (
    select rule, value
    from rules.staffing_limits
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

spans as (
    select *
    from inputs.staffing_quarter
),

homes as (
    select ccn from current.provider_info
    union
    select ccn from current.pbj_daily
),

present as (
    select ccn, bool_or(coalesce(is_incomplete, false)) as is_incomplete
    from current.pbj_daily
    group by ccn
),

rejected as (
    select ccn, count(distinct line) || ' rows could not be read' as evidence
    from current.rejects
    where table_name = 'pbj_daily' and ccn is not null
    group by ccn
),

strays as (  -- rows whose CCN could not be read belong to some home that lacks days
    select count(distinct rejects.line) as stray_rows
    from current.rejects as rejects
    left join homes on rejects.ccn = homes.ccn
    where rejects.table_name = 'pbj_daily' and homes.ccn is null
),

short as (
    select
        daily.ccn,
        count(*) || ' days, while the CCNs of ' || max(strays.stray_rows) || ' rows could not be read' as evidence
    from current.pbj_daily as daily
    cross join strays
    cross join spans
    where strays.stray_rows > 0
    group by daily.ccn
    having count(*) < date_diff('day', max(spans.first_day), max(spans.last_day)) + 1
),

unread as (
    select ccn, string_agg(evidence, '; ' order by evidence) as evidence
    from (
        select * from rejected
        union all
        select * from short
    )
    group by ccn
),

of_the_quarter as (
    select
        homes.ccn,
        flags.exclusion,
        flags.evidence
    from homes
    cross join spans
    left join present on homes.ccn = present.ccn
    left join unread on homes.ccn = unread.ccn
    cross join lateral (
        select unnest([
            {exclusion: 'inputs_absent', applies: not spans.daily_supplied, evidence: spans.quarter},
            {
                exclusion: 'rejected_rows',
                applies: unread.ccn is not null,
                evidence: unread.evidence
            },
            {
                exclusion: 'missing_quarter',
                applies: spans.daily_supplied and present.ccn is null and unread.ccn is null,
                evidence: spans.quarter
            },
            {exclusion: 'incomplete_quarter', applies: coalesce(present.is_incomplete, false), evidence: spans.quarter}
        ]) as flags
    ) as flagged
    where flags.applies
),

of_levels as (
    select
        levels.ccn,
        levels.measure,
        flags.exclusion,
        flags.evidence
    from staffing.daily_levels as levels
    cross join lateral (
        select unnest([
            {
                exclusion: 'missing_hours',
                applies: levels.missing_hours_days > 0,
                evidence: levels.missing_hours_days || ' days with blank hours'
            },
            {
                exclusion: 'missing_census',
                applies: levels.missing_census_days > 0,
                evidence: levels.missing_census_days || ' days without a census'
            },
            {
                exclusion: 'no_resident_days',
                applies: levels.missing_census_days = 0 and coalesce(levels.resident_days, 0) = 0,
                evidence: 'no residents on any day'
            }
        ]) as flags
    ) as flagged
    where flags.applies
),

over_limits as (
    select
        levels.ccn,
        limits.rule as exclusion,
        string_agg(
            levels.measure || ' ' || round(levels.reported_hprd, 3) || ' hours per resident day', ', ' order by levels.measure
        ) as evidence
    from staffing.daily_levels as levels
    inner join limits
        on (
            (
                levels.measure in ('total_nurse', 'weekend_total_nurse')
                and (
                    (limits.rule = 'zero_hours' and levels.reported_hprd = limits.value)
                    or (limits.rule = 'over_12_hprd' and levels.reported_hprd > limits.value)
                )
            )
            or (levels.measure = 'total_nurse' and limits.rule = 'under_1_5_hprd' and levels.reported_hprd < limits.value)
            or (
                levels.measure in ('nurse_aide', 'weekend_nurse_aide')
                and limits.rule = 'aide_over_5_25_hprd'
                and levels.reported_hprd > limits.value
            )
        )
    group by levels.ccn, limits.rule
),

measures as (
    select unnest(['rn', 'lpn', 'nurse_aide', 'total_nurse', 'weekend_total_nurse', 'weekend_rn']) as measure
),

found as (
    select ccn, measure, exclusion, evidence
    from of_the_quarter
    cross join measures
    union all
    select ccn, measures.measure, exclusion, evidence
    from over_limits
    cross join measures
    union all
    select ccn, of_levels.measure, exclusion, evidence
    from of_levels
    inner join measures on of_levels.measure = measures.measure
)

select
    found.ccn,
    found.measure,
    found.exclusion,
    found.evidence,
    spans.first_day as first_date,
    spans.last_day as last_date,
    reasons.rank
from found
cross join spans
inner join rules.reasons as reasons on found.exclusion = reasons.reason
order by found.ccn, found.measure, found.exclusion
