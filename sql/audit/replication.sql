-- Published against recomputed, item by item.
-- Grain: ccn, item. Rule: tolerances are rules.replication_items; R19, R27: `open` where printed values do not determine the star. A value is our
-- own where none that CMS published stood in for it, or for an input that files let us count; case mix, the row NATION, quality measures, revisits
-- and Special Focus are in no file but CMS's.
with blanks as (  -- what stands behind imputed points: the other reading of a blank may be CMS's
    select ccn, min(reason) as reason
    from staffing.components
    where value_source = 'imputed'
    group by ccn
),

stars as (
    select
        published.ccn,
        'staffing_rating' as item,
        published.staffing_rating::decimal(18, 9) as published,
        scores.stars::decimal(18, 9) as recomputed,
        published.staffing_rating between scores.stars_low and scores.stars_high as is_possible,
        scores.source = 'recomputed' as is_own,
        case
            when scores.stars is null then scores.status
            when printed.reason is not null then 'published_footnote'
            when blanks.reason is not null and published.staffing_rating = scores.stars_of_values then 'blank_left_out'
            else blanks.reason
        end as reason
    from current.provider_info as published
    inner join staffing.scores as scores on published.ccn = scores.ccn
    inner join homes.printed_stars as printed on published.ccn = printed.ccn and printed.rating = 'staffing_rating'
    left join blanks on published.ccn = blanks.ccn
),

levels as (
    select
        ccn,
        unnest([
            {
                item: 'reported_' || measure || '_hprd',
                published: published_reported_hprd,
                recomputed: reported_hprd,
                is_own: true,
                reason: exclusion
            },
            {
                item: 'adjusted_' || measure || '_hprd',
                published: published_adjusted_hprd,
                recomputed: coalesce(adjusted_hprd, adjusted_from_published_hprd),
                is_own: adjusted_hprd is not null,
                reason: case
                    when coalesce(adjusted_hprd, adjusted_from_published_hprd) is null then exclusion
                    when nation_basis <> 'state_averages' then 'national_mean'
                end
            }
        ]) as compared
    from staffing.levels
),

turnovers as (
    select
        turnover.ccn,
        case turnover.measure
            when 'administrator' then 'administrator_departures'
            else turnover.measure || '_turnover_pct'
        end as item,
        case turnover.measure
            when 'total_nurse' then published.total_nurse_turnover_pct
            when 'rn' then published.rn_turnover_pct
            else published.administrator_departures
        end as published,
        case
            when turnover.excluded then null
            when turnover.measure = 'administrator' then turnover.departures
            else turnover.turnover_pct
        end as recomputed,
        turnover.exclusion
    from turnover.home_turnover as turnover
    inner join current.provider_info as published on turnover.ccn = published.ccn
    where turnover.definition = 'cms'
),

no_rn as (
    select
        scores.ccn,
        'no_rn_days' as item,
        coalesce(printed.reason = 'no_rn_days', false)::int as published,
        case when scores.no_rn_days is not null then (scores.no_rn_days >= limits.value)::int end as recomputed,
        case when printed.reason = 'no_rn_days' then 'published_footnote' end as reason
    from staffing.scores as scores
    inner join homes.printed_stars as printed on scores.ccn = printed.ccn and printed.rating = 'staffing_rating'
    inner join rules.staffing_limits as limits
        on limits.rule = 'no_rn_days'
        and getvariable('release')::varchar between limits.effective_from and coalesce(limits.effective_to, '9999-12')
),

inspections as (
    select
        scores.ccn,
        unnest([
            {
                item: 'weighted_score',
                published: scores.published_weighted_score,
                recomputed: scores.weighted_score,
                is_possible: false,
                is_own: scores.value_source = 'recomputed',
                reason: null
            },
            {
                item: 'health_inspection_rating',
                published: scores.published_stars::decimal(12, 3),
                recomputed: case when stars.fresh_stars is not null then stars.stars::decimal(12, 3) end,
                is_possible: scores.published_stars between stars.stars_low and stars.stars_high,
                is_own: stars.source = 'recomputed' and stars.has_own_ranks,
                reason: coalesce(stars.reason, nullif(stars.status, 'rated'))
            }
        ]) as compared
    from inspections.scores as scores
    inner join inspections.stars as stars on scores.ccn = stars.ccn
),

cycles as (
    select
        ccn,
        'cycle_' || cycle || '_score' as item,
        published_score as published,
        recomputed_score as recomputed,
        coalesce(exclusion, parting) as reason
    from inspections.cycles
),

abuse as (
    select ccn, 'abuse_icon' as item, published_icon::int as published, recomputed_icon::int as recomputed, null as reason
    from inspections.abuse
),

quality as (
    select
        stars.ccn,
        stars.rating as item,
        stars.published_stars as published,
        stars.recomputed_stars as recomputed,
        coalesce(stars.published_stars between stars.stars_low and stars.stars_high, false) as is_possible,
        case
            when stars.status <> 'rated' then stars.status
            when stars.stars_low < stars.stars_high then 'imputed_values'
            else stars.reason
        end as reason
    from quality.stars as stars
),

overall as (
    select
        published.ccn,
        'overall_rating' as item,
        published.overall_rating as published,
        overall.stars as recomputed,
        overall.source = 'recomputed' and overall.has_own_ranks as is_own,
        case
            when overall.stars is null then overall.status
            when
                overall.health_stars <> published.health_inspection_rating
                or overall.staffing_stars is distinct from published.staffing_rating
                or overall.quality_stars is distinct from published.qm_rating
                then 'input_differs'
        end as reason
    from current.provider_info as published
    inner join overall.stars as overall on published.ccn = overall.ccn
),

every as (
    select ccn, item, published, recomputed, is_possible, is_own, reason
    from stars
    union all
    select ccn, compared.item, compared.published, compared.recomputed, compared.is_possible, compared.is_own, compared.reason
    from inspections
    union all
    select ccn, item, published, recomputed, false as is_possible, true as is_own, reason
    from cycles
    union all
    select ccn, item, published, recomputed, false as is_possible, true as is_own, reason
    from abuse
    union all
    select ccn, item, published, recomputed, is_possible, true as is_own, reason
    from quality
    union all
    select ccn, item, published, recomputed, false as is_possible, is_own, reason
    from overall
    union all
    select
        levels.ccn,
        levels.compared.item,
        levels.compared.published,
        levels.compared.recomputed,
        false as is_possible,
        levels.compared.is_own,
        levels.compared.reason
    from levels
    inner join current.provider_info as homes on levels.ccn = homes.ccn
    union all
    select ccn, item, published, recomputed, false as is_possible, true as is_own, exclusion as reason
    from turnovers
    union all
    select ccn, item, published, recomputed, false as is_possible, true as is_own, reason
    from no_rn
),

rounded as (
    select
        every.ccn,
        every.item,
        every.published::decimal(18, 9) as published,
        case items.decimals
            when 0 then round(every.recomputed::decimal(18, 9), 0)
            when 3 then round(every.recomputed::decimal(18, 9), 3)
            when 1
                then case
                    when every.published = round(every.published, 1) or every.published is null
                        then round(every.recomputed::decimal(18, 9), 1)
                    else round(every.recomputed::decimal(18, 9), 3)  -- September 2025 printed three decimals
                end
            else round(every.recomputed::decimal(18, 9), 5)
        end as recomputed,
        every.is_possible,
        coalesce(every.recomputed is not null and every.is_own and getvariable('inputs')::varchar <> 'published', false) as is_own,
        every.reason,
        items.tolerance
    from every
    inner join rules.replication_items as items on every.item = items.item
),

judged as (
    select
        *,
        case
            when published is null or recomputed is null then null
            when abs(recomputed - published) <= tolerance then 'yes'
            when is_possible then 'open'
            else 'no'
        end as agrees
    from rounded
),

parted as (  -- homes of which an input of the star already parts from CMS, by domain
    select judged.ccn, items.input_of
    from judged
    inner join rules.replication_items as items on judged.item = items.item and items.input_of is not null
    where judged.agrees = 'no'
    group by all
)

select
    judged.ccn,
    judged.item,
    judged.published,
    judged.recomputed,
    judged.recomputed - judged.published as difference,
    judged.agrees,
    judged.is_own,
    case
        when judged.agrees = 'yes' then null
        when judged.agrees = 'open' and judged.reason in ('imputed_values', 'hidden_by_icon') then judged.reason
        when judged.agrees = 'open' then 'one_point_band'
        when judged.agrees = 'no' and judged.reason is not null then judged.reason
        when judged.agrees = 'no' and parted.ccn is not null then 'input_differs'
        when judged.agrees = 'no' and judged.item = 'staffing_rating' and judged.published = 1 then 'one_star_unexplained'
        when judged.agrees = 'no' then 'differs'
        when judged.recomputed is null then coalesce(judged.reason, 'recomputed_no_value')
        else coalesce(judged.reason, 'not_published')
    end as reason
from judged
left join parted on judged.ccn = parted.ccn and judged.item = parted.input_of
order by judged.ccn, judged.item
