-- One person's quarter at a home: the rows of nurse and administrator codes, and the hours in all other codes.
-- Grain: ccn, employee_id, quarter. Rule: methodology 1.1, 2.7 for the codes that turnover reads.
with sorted_codes as (
    select
        employee_rows.*,
        codes.in_total_nurse or codes.in_administrator as is_kept_apart
    from raw.pbj_employee as employee_rows
    inner join rules.job_codes as codes on employee_rows.job_code = codes.job_code
)

select
    ccn,
    employee_id,
    quarter,
    coalesce(
        list({day: work_date, job_code: job_code, is_contract: is_contract, hours: hours}
            order by work_date, job_code, is_contract, hours) filter (where is_kept_apart),
        []
    ) as days,
    coalesce(list({day: work_date, hours: hours} order by work_date, hours) filter (where not is_kept_apart), []) as other_days,
    coalesce(
        list({day: work_date, job_code: job_code, footnote: footnote} order by work_date, job_code, footnote)
            filter (where footnote is not null),
        []
    ) as footnotes
from sorted_codes
group by ccn, employee_id, quarter
order by ccn, employee_id, quarter
