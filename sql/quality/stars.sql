-- Quality measure stars of every home of the provider file: from the measures where they determine them, else CMS's.
-- Grain: ccn, rating. Rule: methodology 5.3, 5.4; R28: with one stay alone the star is that stay's. CMS counts values that it does not show, so a
-- stay that it rates is not missing although we cannot score it.
with scored as (
    select
        ccn,
        max(struct_pack(stars, stars_low, stars_high, status)) filter (where score_name = 'long_stay_qm_score') as long_stay,
        max(struct_pack(stars, stars_low, stars_high, status)) filter (where score_name = 'short_stay_qm_score') as short_stay,
        max(struct_pack(stars, stars_low, stars_high, status)) filter (where score_name = 'overall_qm_score') as both_stays
    from quality.scores
    group by ccn
),

found as (
    select ccn, 'long_stay_qm_rating' as rating, long_stay as score from scored
    union all
    select ccn, 'short_stay_qm_rating' as rating, short_stay as score from scored
    union all
    select
        scored.ccn,
        'qm_rating' as rating,
        case
            when both_stays.status <> 'few_measures' or long_stay.status = short_stay.status then both_stays
            when long_stay.status = 'few_measures' and homes.long_stay_qm_rating is null then short_stay
            when short_stay.status = 'few_measures' and homes.short_stay_qm_rating is null then long_stay
            else both_stays
        end as score
    from scored
    inner join current.provider_info as homes on scored.ccn = homes.ccn
),

compared as (
    select
        printed.ccn,
        printed.rating,
        printed.stars as published_stars,
        found.score.stars as recomputed_stars,
        found.score.stars_low as stars_low,
        found.score.stars_high as stars_high,
        found.score.status as score_status,
        found.score.stars_low = found.score.stars_high as is_certain,
        printed.reason as footnote_reason,
        case
            when standing.withheld is not null then standing.withheld
            when printed.reason = 'too_new' then printed.reason
            when printed.stars is null and printed.reason = 'suppressed' then printed.reason
        end as not_shown
    from homes.printed_stars as printed
    inner join homes.standing as standing on printed.ccn = standing.ccn
    inner join found on printed.ccn = found.ccn and printed.rating = found.rating
),

chosen as (
    select
        *,
        case getvariable('inputs')::varchar
            when 'published' then true
            when 'recomputed' then false
            else not coalesce(is_certain, false)
        end as takes_published
    from compared
),

starred as (  -- what we cannot tell CMS's blank does: inputs are absent, or the measures leave the star open
    select
        chosen.*,
        case when not_shown is null then case when takes_published then published_stars else recomputed_stars end end as stars,
        takes_published and (published_stars is not null or score_status = 'rated' or coalesce(unknown.published_stands_in, false)) as is_published,
        coalesce(unknown.published_stands_in, false) as is_unknown
    from chosen
    left join rules.reasons as unknown on chosen.score_status = unknown.reason
)

select
    ccn,
    rating,
    recomputed_stars,
    stars_low,
    stars_high,
    published_stars,
    stars,
    case when getvariable('inputs')::varchar = 'published' or is_published then 'published' else 'recomputed' end as source,
    case
        when not_shown is not null then not_shown
        when stars is not null then 'rated'
        when getvariable('inputs')::varchar = 'published' then coalesce(footnote_reason, 'not_published')
        when is_unknown and getvariable('inputs')::varchar = 'recomputed' then score_status
        when is_unknown or score_status = 'rated' then coalesce(footnote_reason, 'not_published')
        else coalesce(footnote_reason, score_status)
    end as status,
    case
        when not_shown is not null or getvariable('inputs')::varchar = 'published' then null
        when not coalesce(is_certain, true) then 'imputed_values'
        when takes_published and stars is not null then score_status
    end as reason
from starred
order by ccn, rating
