-- Agreement with CMS by item, and apart that of homes of which no published value is among the inputs of the item.
-- Grain: item. Rule: of the homes with both values.
select
    item,
    count(*) as homes,
    count(agrees) as compared,
    count(*) filter (where agrees = 'yes') as agree,
    count(*) filter (where agrees = 'no') as contradict,
    count(*) filter (where agrees = 'open') as open,
    round((100 * count(*) filter (where agrees = 'yes') / nullif(count(agrees), 0))::decimal(18, 9), 3) as agreement_pct,
    count(agrees) filter (where is_own) as own_compared,
    count(*) filter (where is_own and agrees = 'yes') as own_agree,
    count(*) filter (where is_own and agrees = 'no') as own_contradict,
    count(*) filter (where is_own and agrees = 'open') as own_open,
    round((100 * count(*) filter (where is_own and agrees = 'yes') / nullif(count(agrees) filter (where is_own), 0))::decimal(18, 9), 3)
        as own_agreement_pct,
    count(*) filter (where recomputed is not null and published is null) as only_ours,
    count(*) filter (where recomputed is null and published is not null) as only_cms
from audit.replication
group by item
order by item
