-- Agreement with CMS by item.
-- Grain: item. Rule: of the homes with both values.
select
    item,
    count(*) as homes,
    count(agrees) as compared,
    count(*) filter (where agrees = 'yes') as agree,
    count(*) filter (where agrees = 'no') as contradict,
    count(*) filter (where agrees = 'open') as open,
    round((100 * count(*) filter (where agrees = 'yes') / nullif(count(agrees), 0))::decimal(18, 9), 3) as agreement_pct
from audit.replication
group by item
order by item
