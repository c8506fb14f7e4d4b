-- Every citation of a health survey: where it counts, what it adds, and why not.
-- Grain: ccn, citation. Rule: methodology 4.1, 4.3, 4.4; R13. A standard survey counts by CMS's cycle, any other by its age on the first
-- of the month. A tag cited on a standard survey and a complaint near it counts once, in the standard survey's cycle, with the higher letter
-- and of equal letters with more points (R26).
with settings as (
    select
        (getvariable('release')::varchar || '-01')::date as release_day,
        value as same_tag_days
    from rules.rating_limits
    where rule = 'same_tag_days' and getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

tags as (
    select tag, bool_or(role = 'substandard') as is_substandard, bool_or(role = 'unscored') as is_unscored
    from rules.health_tags
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
    group by tag
),

points as (
    select scope_severity, points, points_substandard, points_past
    from rules.health_points
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

windows as (
    select
        windows.cycle,
        settings.release_day - to_months(windows.to_months) as first_day,
        case when windows.from_months > 0 then settings.release_day - to_months(windows.from_months) end as day_after
    from rules.health_windows as windows
    cross join settings
    where getvariable('release')::varchar between windows.effective_from and coalesce(windows.effective_to, '9999-12')
),

cited as (
    select
        ccn,
        survey_date,
        upper(trim(deficiency_prefix)) || right('000' || trim(tag_number), 3) as tag,
        upper(trim(scope_severity)) as scope_severity,
        case when is_standard then 'standard' when is_infection_control then 'infection_control' else 'complaint' end as survey_kind,
        is_standard or is_infection_control or is_complaint as has_kind,
        inspection_cycle as cms_cycle,
        coalesce(corrected ilike 'past non-compliance%', false) as is_past,
        coalesce(survey_type, 'Health') ilike 'health%' and upper(trim(deficiency_prefix)) = 'F' as is_health,
        row_number() over (
            partition by ccn
            order by
                survey_date, deficiency_prefix, tag_number, scope_severity, is_standard, is_infection_control, is_complaint,
                inspection_cycle, corrected, correction_date
        ) as citation
    from current.health_citations
),

placed as (
    select
        cited.* exclude (is_past, has_kind),
        coalesce(
            tags.is_substandard
            and points.points_substandard > points.points
            and not (cited.is_past and points.points_past is not null), false
        ) as is_substandard,
        case
            when cited.is_past and points.points_past is not null then points.points_past
            when tags.is_substandard then points.points_substandard
            else points.points
        end as own_points,
        coalesce(cited.is_past and points.points_past is not null, false) as is_past,
        case
            when not cited.is_health then 'not_a_health_survey'
            when points.points is null then 'unknown_scope_severity'
            when not coalesce(cited.has_kind, false) then 'unknown_survey_kind'
            when cited.survey_date > settings.release_day then 'future_survey_date'
            when tags.is_unscored then 'unscored_tag'
            when cited.survey_kind <> 'standard' and windows.cycle is null then 'too_old_survey'
            when cited.survey_kind = 'standard' and coalesce(cited.cms_cycle, 0) < 1 then 'unknown_cycle'
            when cited.survey_kind = 'standard' and windows.cycle is null then 'older_cycle'
        end as reason,
        windows.cycle
    from cited
    cross join settings
    left join tags on cited.tag = tags.tag
    left join points on cited.scope_severity = points.scope_severity
    left join windows
        on case
            when cited.survey_kind = 'standard' then cited.cms_cycle = windows.cycle
            else cited.survey_date >= windows.first_day and (windows.day_after is null or cited.survey_date < windows.day_after)
        end
),

pairs as (  -- the same tag on two surveys so near each other that one may count for both
    select one.ccn, one.citation, other.citation as other_citation, other.survey_kind as other_kind, other.survey_date as other_date
    from placed as one
    inner join placed as other on one.ccn = other.ccn and one.tag = other.tag
    cross join settings
    where
        one.reason is null
        and other.reason is null
        and one.survey_kind <> other.survey_kind
        and abs(one.survey_date - other.survey_date) <= settings.same_tag_days
),

behind_infection_control as (
    select distinct ccn, citation
    from pairs
    where other_kind = 'infection_control'
),

joined as (  -- a complaint and the nearest standard survey that has its tag
    select
        placed.ccn,
        placed.citation,
        placed.scope_severity,
        placed.own_points,
        arg_min(pairs.other_citation, (abs(placed.survey_date - pairs.other_date), pairs.other_citation)) as counted_with
    from placed
    inner join pairs on placed.ccn = pairs.ccn and placed.citation = pairs.citation and pairs.other_kind = 'standard'
    where
        placed.survey_kind = 'complaint'
        and (placed.ccn, placed.citation) not in (select (ccn, citation) from behind_infection_control)
        and (pairs.ccn, pairs.other_citation) not in (select (ccn, citation) from behind_infection_control)
    group by all
),

raised as (  -- standard citations that a complaint outranks
    select joined.ccn, joined.counted_with as citation, arg_max(joined.own_points, (joined.scope_severity, joined.own_points)) as points
    from joined
    inner join placed on joined.ccn = placed.ccn and joined.counted_with = placed.citation
    where (joined.scope_severity, joined.own_points) > (placed.scope_severity, placed.own_points)
    group by joined.ccn, joined.counted_with
)

select
    placed.ccn,
    placed.citation,
    placed.survey_date,
    placed.tag,
    placed.scope_severity,
    placed.survey_kind,
    placed.cms_cycle,
    placed.cycle,
    placed.is_substandard,
    placed.own_points,
    case
        when placed.reason is null and behind_infection_control.ccn is null and joined.ccn is null
            then coalesce(raised.points, placed.own_points)
        else 0
    end as points,
    placed.reason is null and behind_infection_control.ccn is null and joined.ccn is null as is_counted,
    joined.counted_with,
    case
        when placed.reason is not null then placed.reason
        when behind_infection_control.ccn is not null then 'infection_control_counts'
        when joined.ccn is not null then 'counted_once'
        when raised.citation is not null then 'raised_by_complaint'
        when placed.is_past then 'past_noncompliance'
    end as reason
from placed
left join behind_infection_control
    on placed.ccn = behind_infection_control.ccn
    and placed.citation = behind_infection_control.citation
    and placed.survey_kind <> 'infection_control'
left join joined on placed.ccn = joined.ccn and placed.citation = joined.citation
left join raised on placed.ccn = raised.ccn and placed.citation = raised.citation
order by placed.ccn, placed.citation
