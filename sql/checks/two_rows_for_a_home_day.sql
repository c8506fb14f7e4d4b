-- Home-days for which the daily file holds two different rows.
-- Grain: ccn. Rule: one row per home and day (methodology 8.1); identical rows were folded before.
with doubled as (
    select ccn, work_date, count(*) as copies, list_sort(list(line))[2] as line
    from checked.file_rows
    group by ccn, work_date
    having count(*) > 1
)

select
    'two_rows_for_a_home_day' as check_name,
    ccn,
    count(*) || ' days, the first ' || min(work_date) as evidence,
    min(work_date) as first_date,
    max(work_date) as last_date,
    sum(copies) as found,
    min(line) as line
from doubled
group by ccn
order by ccn
