-- What the provider file says of a home as a whole: Special Focus, and whether it has no star in any domain.
-- Grain: ccn. Rule: methodology 4.3, 4.7, 6; R28: Special Focus by text or footnote, one standard survey, or no star of CMS's at all.
with texts as (
    select lower(text) as text, meaning
    from rules.special_focus
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

shown as (
    select
        ccn,
        count(stars) as stars,
        bool_or(coalesce(reason = 'special_focus', false)) as has_focus_footnote,
        bool_or(coalesce(reason = 'too_new', false) and rating in ('overall_rating', 'health_inspection_rating')) as has_new_footnote,
        string_agg(distinct footnote, ', ' order by footnote) filter (where reason in ('special_focus', 'too_new')) as footnotes
    from homes.printed_stars
    group by ccn
),

rejected as (  -- a blank of these homes may be a cell that could not be read
    select distinct ccn from current.rejects where table_name = 'provider_info'
),

found as (
    select
        homes.ccn,
        homes.state,
        nullif(trim(homes.special_focus_status), '') as focus_text,
        texts.meaning,
        shown.has_focus_footnote,
        shown.has_new_footnote,
        shown.footnotes,
        shown.stars = 0 and max(shown.stars) over () > 0 as has_no_star,  -- a file without any star says nothing of a home
        homes.health_inspection_rating is null
        and rejected.ccn is null
        and (
            len(list_filter([homes.cycle_1_score, homes.cycle_2_score, homes.cycle_3_score], lambda score: score is not null)) = 1
            or (homes.cycle_1_survey_date is not null and homes.cycle_2_survey_date is null)
        ) as has_one_survey
    from current.provider_info as homes
    inner join shown on homes.ccn = shown.ccn
    left join texts on lower(trim(homes.special_focus_status)) = texts.text
    left join rejected on homes.ccn = rejected.ccn
),

judged as (
    select
        *,
        focus_text is not null and meaning is null as has_unknown_focus,
        case
            when meaning = 'facility' or has_focus_footnote then 'special_focus'
            when has_new_footnote or has_one_survey then 'too_new'
            when has_no_star and focus_text is not null and meaning is null then 'unknown_special_focus'
            when has_no_star then 'no_cms_star'
        end as withheld
    from found
)

select
    ccn,
    state,
    focus_text,
    coalesce(withheld = 'special_focus', false) as is_sff,
    coalesce(meaning = 'candidate' and withheld is distinct from 'special_focus', false) as is_sff_candidate,
    has_unknown_focus,
    withheld,
    case
        when withheld is not null or has_unknown_focus
            then concat_ws(
                '; ',
                'Special Focus text "' || focus_text || '"',
                'footnote ' || footnotes,
                case when withheld = 'too_new' and has_one_survey then 'one standard survey' end,
                case when has_no_star then 'no star in the provider file' end
            )
    end as evidence
from judged
order by ccn
