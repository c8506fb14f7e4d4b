-- The job codes of each turnover measure as bits: bit 7 is set where code 7 belongs to it.
-- Grain: measure. Rule: methodology 1.1, 2.6, 2.7.
select measure, bit_or(1::bigint << job_code::bigint) as bits
from (
    select job_code, 'total_nurse' as measure from rules.job_codes where in_total_nurse
    union all
    select job_code, 'rn' as measure from rules.job_codes where in_rn
    union all
    select job_code, 'administrator' as measure from rules.job_codes where in_administrator
)
group by measure
order by measure
