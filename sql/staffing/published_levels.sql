-- The staffing levels as CMS published them, one row a level.
-- Grain: ccn, measure. Rule: methodology 1.7; the last printed digit bounds what the value can be.
with printed as (
    select
        ccn,
        unnest([
            {
                measure: 'rn',
                reported: reported_rn_hprd,
                case_mix: case_mix_rn_hprd,
                adjusted: adjusted_rn_hprd
            },
            {
                measure: 'lpn',
                reported: reported_lpn_hprd,
                case_mix: case_mix_lpn_hprd,
                adjusted: adjusted_lpn_hprd
            },
            {
                measure: 'nurse_aide',
                reported: reported_nurse_aide_hprd,
                case_mix: case_mix_nurse_aide_hprd,
                adjusted: adjusted_nurse_aide_hprd
            },
            {
                measure: 'total_nurse',
                reported: reported_total_nurse_hprd,
                case_mix: case_mix_total_nurse_hprd,
                adjusted: adjusted_total_nurse_hprd
            },
            {
                measure: 'weekend_total_nurse',
                reported: reported_weekend_total_nurse_hprd,
                case_mix: case_mix_weekend_total_nurse_hprd,
                adjusted: adjusted_weekend_total_nurse_hprd
            },
            {
                measure: 'weekend_rn',
                reported: reported_weekend_rn_hprd,
                case_mix: null,
                adjusted: null
            }
        ]) as level
    from current.provider_info
),

levels as (
    select ccn, level.measure, level.reported, level.case_mix, level.adjusted
    from printed
),

precision as (  -- half a unit of the last decimal that the file prints for the level
    select
        measure,
        case when bool_and(coalesce(reported = round(reported, 3), true)) then 0.0005 else 0.000005 end as half_unit
    from levels
    group by measure
)

select
    levels.ccn,
    levels.measure,
    levels.reported as reported_hprd,
    levels.case_mix as case_mix_hprd,
    levels.adjusted as adjusted_hprd,
    precision.half_unit
from levels
inner join precision on levels.measure = precision.measure
order by levels.ccn, levels.measure
