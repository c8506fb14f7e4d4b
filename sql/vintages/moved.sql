-- Homes' numbers that differ between two makings of one release.
-- Grain: ccn, table_name, measure, item. Rule: CMS re-publishes files; who reads a release anew must see what moved.
-- Reads `vintages`: each published table of the earlier making (vintage `before`) and the later (`after`) under one another.
with cells as (
    select
        vintage,
        ccn,
        'ratings' as table_name,
        'home' as measure,
        unnest([
            {item: 'overall_rating', found: overall_rating::varchar},
            {item: 'health_inspection_rating', found: health_inspection_rating::varchar},
            {item: 'staffing_rating', found: staffing_rating::varchar},
            {item: 'qm_rating', found: qm_rating::varchar},
            {item: 'long_stay_qm_rating', found: long_stay_qm_rating::varchar},
            {item: 'short_stay_qm_rating', found: short_stay_qm_rating::varchar},
            {item: 'staffing_score', found: staffing_score::varchar}
        ]) as cell
    from vintages.ratings
    union all
    select
        vintage,
        ccn,
        'rating_components' as table_name,
        domain || '/' || measure as measure,
        unnest([{item: 'value', found: value::varchar}, {item: 'points', found: points::varchar}]) as cell
    from vintages.rating_components
    union all
    select
        vintage,
        ccn,
        'turnover' as table_name,
        measure,
        unnest([
            {item: 'eligible_spells', found: eligible_spells::varchar},
            {item: 'departures', found: departures::varchar},
            {item: 'turnover_pct', found: turnover_pct::varchar},
            {item: 'exclusion', found: exclusion}
        ]) as cell
    from vintages.turnover
    where definition = 'cms'
    union all
    select
        vintage,
        ccn,
        'staffing_levels' as table_name,
        measure,
        unnest([
            {item: 'reported_hprd', found: reported_hprd::varchar},
            {item: 'case_mix_hprd', found: case_mix_hprd::varchar},
            {item: 'adjusted_hprd', found: adjusted_hprd::varchar},
            {item: 'exclusion', found: exclusion}
        ]) as cell
    from vintages.staffing_levels
)

select
    ccn,
    table_name,
    measure,
    cell.item as item,
    max(cell.found) filter (where vintage = 'before') as before,
    max(cell.found) filter (where vintage = 'after') as after
from cells
group by ccn, table_name, measure, cell.item
having max(cell.found) filter (where vintage = 'before') is distinct from max(cell.found) filter (where vintage = 'after')
order by ccn, table_name, measure, item
