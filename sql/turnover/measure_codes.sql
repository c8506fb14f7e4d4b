-- The job codes of each turnover measure.
-- Grain: measure, job_code. Rule: methodology 1.1, 2.6, 2.7.
select 'total_nurse' as measure, job_code from rules.job_codes where in_total_nurse
union all
select 'rn' as measure, job_code from rules.job_codes where in_rn
union all
select 'administrator' as measure, job_code from rules.job_codes where in_administrator
order by measure, job_code
