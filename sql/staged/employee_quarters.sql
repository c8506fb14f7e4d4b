-- One person's quarter at a home: the rows of nurse and administrator codes, and the hours in all other codes.
-- Grain: ccn, employee_id, quarter. Rule: methodology 1.1, 2.7 for the codes that turnover reads.
-- CMS's files are in the order of days: a list whose days only rise is sorted already, any other is sorted by its fields in their order.
with sorted_codes as (
    select
        employee_rows.*,
        codes.in_total_nurse or codes.in_administrator as is_kept_apart
    from raw.pbj_employee as employee_rows
    inner join rules.job_codes as codes on employee_rows.job_code = codes.job_code
),

collected as (
    select
        ccn,
        employee_id,
        quarter,
        coalesce(
            list({day: work_date, job_code: job_code, is_contract: is_contract, hours: hours}) filter (where is_kept_apart), []
        ) as days,
        coalesce(list({day: work_date, hours: hours}) filter (where not is_kept_apart), []) as other_days,
        coalesce(
            list({day: work_date, job_code: job_code, footnote: footnote}) filter (where footnote is not null), []
        ) as footnotes,
        coalesce(bit_or(1::bigint << job_code::bigint) filter (where is_kept_apart), 0) as job_code_bits,
        min(hours) as least_hours,
        max(hours) as most_hours
    from sorted_codes
    group by ccn, employee_id, quarter
),

compared as (  -- how many rows do not stand after the day of the row before
    select
        *,
        len(list_filter(days, lambda item, k: item.day <= days[k - 1].day)) as steps,
        len(list_filter(other_days, lambda item, k: item.day <= other_days[k - 1].day)) as other_steps
    from collected
),

in_order as (
    select
        * replace (
            case when steps = 0 then days else list_sort(days) end as days,
            case when other_steps = 0 then other_days else list_sort(other_days) end as other_days
        )
    from compared
)

select
    ccn,
    employee_id,
    quarter,
    days,
    other_days,
    list_sort(footnotes) as footnotes,
    job_code_bits,
    case when steps = 0 then 0 else len(list_filter(days, lambda item, k: item.day = days[k - 1].day)) end as repeated_days,
    case
        when other_steps = 0 then 0 else len(list_filter(other_days, lambda item, k: item.day = other_days[k - 1].day))
    end as other_repeated_days,
    least_hours,
    most_hours
from in_order
order by ccn, employee_id, quarter
