-- Rows of a PBJ file that belong to another quarter than the file.
-- Grain: ccn. Rule: the quarter is proved from the rows: its label and its date.
select
    'row_of_another_quarter' as check_name,
    ccn,
    'quarter ' || arg_min(quarter, coalesce(line, 0)) || ', day ' || arg_min(work_date, coalesce(line, 0)) || ', '
    || count(*) || ' rows' as evidence,
    min(work_date) as first_date,
    max(work_date) as last_date,
    count(*) as found,
    min(line) as line
from checked.file_rows
where
    quarter <> getvariable('period')::varchar
    or year(work_date) || 'Q' || quarter(work_date) <> getvariable('period')::varchar
group by ccn
order by ccn
