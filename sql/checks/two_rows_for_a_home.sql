-- Homes for which the provider file holds two different rows.
-- Grain: ccn. Rule: one row per home (methodology 8.4); identical rows were folded before.
select
    'two_rows_for_a_home' as check_name,
    ccn,
    count(*) || ' different rows' || coalesce(', lines ' || string_agg(line, ', ' order by line), '') as evidence,
    null::date as first_date,
    null::date as last_date,
    count(*) as found,
    list_sort(list(line))[2] as line
from checked.file_rows
group by ccn
having count(*) > 1
order by ccn
