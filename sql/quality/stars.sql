-- Quality measure stars of every home of the provider file: from the measures where they determine them, else CMS's.
-- Grain: ccn, rating. Rule: methodology 5.3, 5.4: with one stay alone the star is that stay's. CMS counts values that it does not show, so a
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

printed as (
    select ccn, printed.*
    from (
        select
            ccn,
            unnest([
                {rating: 'qm_rating', stars: qm_rating, footnote: trim(qm_footnote)},
                {rating: 'long_stay_qm_rating', stars: long_stay_qm_rating, footnote: trim(long_stay_qm_footnote)},
                {rating: 'short_stay_qm_rating', stars: short_stay_qm_rating, footnote: trim(short_stay_qm_footnote)}
            ]) as printed
        from current.provider_info
    )
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
        footnotes.reason as footnote_reason,
        case
            when inspections.is_sff then 'special_focus'
            when footnotes.reason in ('special_focus', 'too_new') then footnotes.reason
            when printed.stars is null and footnotes.reason = 'suppressed' then footnotes.reason
        end as not_shown
    from printed
    inner join inspections.scores as inspections on printed.ccn = inspections.ccn
    inner join found on printed.ccn = found.ccn and printed.rating = found.rating
    left join rules.footnotes as footnotes on printed.footnote = footnotes.footnote
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

starred as (
    select
        *,
        case when not_shown is null then case when takes_published then published_stars else recomputed_stars end end as stars
    from chosen
)

select
    ccn,
    rating,
    recomputed_stars,
    stars_low,
    stars_high,
    published_stars,
    stars,
    case
        when getvariable('inputs')::varchar = 'published' or (takes_published and published_stars is not null) then 'published'
        else 'recomputed'
    end as source,
    case
        when not_shown is not null then not_shown
        when stars is not null then 'rated'
        when getvariable('inputs')::varchar = 'published' then coalesce(footnote_reason, 'not_published')
        when not coalesce(unknown.published_stands_in, false) then coalesce(footnote_reason, score_status)
        when getvariable('inputs')::varchar = 'recomputed' then score_status
        else coalesce(footnote_reason, 'not_published')  -- what we cannot tell CMS's blank does
    end as status,
    case
        when not_shown is not null or getvariable('inputs')::varchar = 'published' then null
        when not coalesce(is_certain, true) then 'imputed_values'
        when takes_published and stars is not null then score_status
    end as reason
from starred
left join rules.reasons as unknown on starred.score_status = unknown.reason
order by ccn, rating
