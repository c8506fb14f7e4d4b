-- The abuse icon as the citations give it, and its evidence.
-- Grain: ccn. Rule: methodology 4.6: harm on the latest standard survey or on another of the last year; or repeated in two cycles. Neither
-- revisits nor other tags matter.
with settings as (
    select (getvariable('release')::varchar || '-01')::date as release_day
),

rules_in_force as (
    select rule, least_letter, months
    from rules.abuse_rules
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

cited as (  -- round 1 is the latest standard survey and the last year, round 2 the standard survey and the year before
    select
        citations.ccn,
        citations.survey_date,
        citations.tag,
        citations.scope_severity,
        coalesce(reasons.published_stands_in, false) as is_doubtful,
        harm.least_letter as harm_letter,
        repeated.least_letter as repeated_letter,
        case
            when citations.survey_kind = 'standard' and citations.cms_cycle in (1, 2) then citations.cms_cycle
            when citations.survey_kind = 'standard' then null
            when citations.survey_date >= settings.release_day - to_months(harm.months) then 1
            when citations.survey_date >= settings.release_day - to_months(repeated.months) then 2
        end as round
    from inspections.citations as citations
    inner join rules.health_tags as tags
        on tags.role = 'abuse'
        and citations.tag = tags.tag
        and getvariable('release')::varchar between tags.effective_from and coalesce(tags.effective_to, '9999-12')
    cross join settings
    inner join rules_in_force as harm on harm.rule = 'harm'
    inner join rules_in_force as repeated on repeated.rule = 'repeated'
    left join rules.reasons as reasons on citations.reason = reasons.reason  -- one that cannot be scored may or may not count
    where coalesce(citations.reason, '') <> 'not_a_health_survey'
),

found as (
    select
        ccn,
        bool_or(round = 1 and scope_severity >= harm_letter)
        or (
            bool_or(round = 1 and scope_severity >= repeated_letter)
            and bool_or(round = 2 and scope_severity >= repeated_letter)
        ) as has_icon,
        string_agg(tag || ' ' || scope_severity || ' on ' || survey_date, ', ' order by survey_date desc, tag) as evidence
    from cited
    where round is not null and scope_severity >= repeated_letter and not is_doubtful
    group by ccn
),

doubtful as (
    select distinct ccn from cited
    where is_doubtful
)

select
    homes.ccn,
    coalesce(upper(trim(homes.abuse_icon)) = 'Y', false) as published_icon,
    case
        when gaps.exclusion is not null then null
        when found.has_icon then true
        when doubtful.ccn is null then false
    end as recomputed_icon,
    case when found.has_icon then found.evidence end as evidence
from current.provider_info as homes
left join inspections.citation_gaps as gaps on homes.ccn = gaps.ccn
left join found on homes.ccn = found.ccn
left join doubtful on homes.ccn = doubtful.ccn
order by homes.ccn
