-- Staffing levels of every home; where PBJ gives none the published ones, marked, unless a rule excludes the home.
-- Grain: ccn, measure. Rule: methodology 1.3-1.6; `inputs` says whether published values may stand in.
select
    chosen.ccn,
    chosen.measure,
    round(case chosen.wanted when 'recomputed' then chosen.reported_hprd else chosen.published_reported_hprd end, 5) as reported_hprd,
    round(chosen.case_mix_hprd, 5) as case_mix_hprd,
    round(
        case chosen.wanted
            when 'recomputed' then chosen.adjusted_hprd
            else coalesce(chosen.published_adjusted_hprd, chosen.adjusted_from_published_hprd)
        end,
        5
    ) as adjusted_hprd,
    case
        when chosen.wanted = 'recomputed' and chosen.reported_hprd is not null then 'recomputed'
        when chosen.wanted = 'published' and chosen.published_reported_hprd is not null then 'published'
    end as value_source,
    chosen.exclusion is not null and (chosen.wanted = 'recomputed' or chosen.published_reported_hprd is null) as excluded,
    chosen.exclusion,
    chosen.nation_basis,
    chosen.hours,
    chosen.resident_days,
    case when chosen.measure = 'rn' then daily.zero_days end as zero_rn_days,
    versions.release,
    versions.quarter,
    versions.ruleset,
    versions.domain_ruleset
from staffing.levels as chosen
left join staffing.daily_levels as daily on chosen.ccn = daily.ccn and chosen.measure = daily.measure
inner join audit.versions as versions on versions.domain = 'staffing'
order by chosen.ccn, chosen.measure
