-- Spells by plain window functions over days: the readable reference that turnover/spells.sql is held against, and timed against.
-- Grain: ccn, employee_id, measure, first_workday. Rule: methodology 2.2-2.5, definition `cms` from July 2024; R1-R8.
-- Reads days (ccn, employee_id, day, job_code, hours), measures (measure, job_code) and one row of rule (gap_days, hours_needed,
-- window_days, window_end, last_start, first_departure, last_departure). A gap is as long as the window of hours, so that no hours
-- of another spell can lie in it.
with person_days as (
    select days.ccn, days.employee_id, measures.measure, days.day, sum(days.hours) as hours
    from days
    inner join measures on days.job_code = measures.job_code
    group by all
    having sum(days.hours) > 0
),

gaps as (
    select *, day - lag(day) over person - 1 as days_off
    from person_days
    window person as (partition by ccn, employee_id, measure order by day)
),

numbered as (
    select gaps.*, sum(case when gaps.days_off < rule.gap_days then 0 else 1 end) over person as spell
    from gaps
    cross join rule
    window person as (
        partition by gaps.ccn, gaps.employee_id, gaps.measure order by gaps.day rows between unbounded preceding and current row
    )
),

placed as (
    select *, min(day) over (partition by ccn, employee_id, measure, spell) as first_workday
    from numbered
),

spells as (
    select
        placed.ccn,
        placed.employee_id,
        placed.measure,
        placed.first_workday,
        max(placed.day) as last_workday,
        sum(placed.hours) filter (where placed.day < placed.first_workday + rule.window_days) as hours_first_90_days
    from placed
    cross join rule
    group by placed.ccn, placed.employee_id, placed.measure, placed.first_workday
),

judged as (
    select
        spells.*,
        coalesce(lead(spells.first_workday) over person, rule.window_end + 1) - spells.last_workday - 1 >= rule.gap_days as gap_follows,
        spells.first_workday <= rule.last_start and spells.hours_first_90_days >= rule.hours_needed as qualifies
    from spells
    cross join rule
    window person as (partition by spells.ccn, spells.employee_id, spells.measure order by spells.first_workday)
)

select
    judged.ccn,
    judged.employee_id,
    judged.measure,
    judged.first_workday,
    judged.last_workday,
    judged.hours_first_90_days,
    judged.qualifies and not (judged.gap_follows and judged.last_workday < rule.first_departure) as eligible,
    judged.qualifies and judged.gap_follows and judged.last_workday between rule.first_departure and rule.last_departure as departed
from judged
cross join rule
order by judged.ccn, judged.employee_id, judged.measure, judged.first_workday
