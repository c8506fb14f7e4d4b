-- Every measure of the quality rating as CMS shows it of every home of the provider file.
-- Grain: ccn, measure. Rule: methodology 5.1, 5.2: proportions, or events per 1,000 days, rounded half up to four decimals. What CMS does not
-- mark as used in the rating is no value of it; SNF QRP data have no such mark.
-- A month without files of its own goes by those of an earlier month of the quarter: CMS renews the measures quarterly.
with measures as (
    select measure, stay, source_table, code_like, divide_by
    from rules.quality_measures
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

shown as (
    select 'qm_mds' as source_table, ccn, measure_code, measure_period, four_quarter_average as printed, footnote, is_used
    from latest.qm_mds
    union all
    select 'qm_claims' as source_table, ccn, measure_code, measure_period, adjusted_score as printed, footnote, is_used
    from latest.qm_claims
    union all
    select
        'snf_qrp' as source_table,
        ccn,
        measure_code,
        '' as measure_period,
        try_cast(score as decimal(12, 6)) as printed,
        nullif(footnote, '-') as footnote,
        'Y' as is_used
    from latest.snf_qrp
),

supplied as (
    select distinct source_table from shown
),

found as (
    select
        homes.ccn,
        homes.state,
        measures.measure,
        measures.stay,
        coalesce(upper(trim(shown.is_used)) = 'Y', false) as is_used,
        (shown.printed / measures.divide_by)::decimal(18, 9) as printed_value,
        supplied.source_table is not null as is_supplied,
        shown.ccn is not null as is_listed,
        footnotes.reason
    from current.provider_info as homes
    cross join measures
    left join supplied on measures.source_table = supplied.source_table
    left join shown
        on homes.ccn = shown.ccn and measures.source_table = shown.source_table and shown.measure_code like measures.code_like
    left join rules.footnotes as footnotes on trim(shown.footnote) = footnotes.footnote
    qualify
        row_number() over (
            partition by homes.ccn, measures.measure
            order by is_used desc, shown.measure_period desc, shown.measure_code desc nulls last
        ) = 1
),

used as (
    select *, case when is_used then printed_value end as exact_value
    from found
)

select
    ccn,
    measure,
    stay,
    state,
    round(exact_value, 4) as value,
    exact_value,
    is_supplied,
    is_listed,
    case
        when exact_value is not null then null
        when not is_supplied then 'inputs_absent'
        when not is_listed then 'not_in_file'
        when not is_used then 'not_used'
        else coalesce(reason, 'value_blank')
    end as reason
from used
order by ccn, measure
