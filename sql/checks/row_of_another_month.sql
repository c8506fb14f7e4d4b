-- Rows of a Care Compare file that belong to another month than its release, told with the rows of each month.
-- Grain: the file. Rule: the month is proved from the Processing Date of every row, never from a name.
with months as (
    select
        strftime(processing_date, '%Y-%m') as month,
        count(*) as rows_of_month,
        min(line) as line,
        min(processing_date) as first_date,
        max(processing_date) as last_date
    from checked.file_rows
    group by strftime(processing_date, '%Y-%m')
)

select
    'row_of_another_month' as check_name,
    null::varchar as ccn,
    'rows by month of Processing Date: ' || string_agg(month || ' ' || rows_of_month, ', ' order by month) as evidence,
    min(first_date) as first_date,
    max(last_date) as last_date,
    sum(rows_of_month) filter (where month <> getvariable('period')::varchar) as found,
    min(line) filter (where month <> getvariable('period')::varchar) as line
from months
having bool_or(month <> getvariable('period')::varchar)
