-- Staffing periods that CMS's interval file gives and the release table does not: then rules.releases needs a new row.
-- Grain: measure_code. Rule: methodology 2.1: STAFFING_LEVELS (STAFFING in older files) is the staffing quarter, STAFFING_TURNOVER Q1-Q4.
with expected as (
    select 'STAFFING_LEVELS' as measure_code, first_day, last_day
    from inputs.staffing_quarter
    union all
    select
        'STAFFING_TURNOVER' as measure_code,
        min(first_day) as first_day,
        max(last_day) as last_day
    from inputs.six_quarters
    where quarter_position between 1 and 4
),

given as (
    select
        case measure_code when 'STAFFING' then 'STAFFING_LEVELS' else measure_code end as measure_code,
        min(from_date) as from_date,
        max(through_date) as through_date
    from current.collection_intervals
    where from_date is not null and through_date is not null
    group by all
)

select
    expected.measure_code,
    given.from_date,
    given.through_date,
    expected.first_day,
    expected.last_day
from expected
inner join given on expected.measure_code = given.measure_code
where given.from_date <> expected.first_day or given.through_date <> expected.last_day
order by expected.measure_code
