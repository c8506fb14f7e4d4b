-- What keeps quality measures and stars of a home from counting as they stand, with its evidence, what it can do and what it did.
-- Grain: ccn, measure, exclusion. Rule: methodology 5.2, 5.3.
with measures as (
    select measure, source_table, code_like
    from rules.quality_measures
    where getvariable('release')::varchar between effective_from and coalesce(effective_to, '9999-12')
),

missing as (
    select
        components.ccn,
        components.measure,
        components.reason as exclusion,
        case when components.value_source = 'imputed' then 'imputed' when components.max_points is null then 'left_out' else 'no_value' end
            as effect,
        case
            when components.reason = 'not_in_file' then 'no row of the home in ' || measures.source_table
            when components.reason = 'not_used' then 'not marked as used in ' || measures.source_table
            when components.reason = 'no_point_ranges' then 'value ' || components.value
            else 'no value in ' || measures.source_table
        end as evidence
    from quality.components as components
    inner join measures on components.measure = measures.measure
    where components.reason is not null and components.reason not in ('inputs_absent', 'few_measures')
),

few as (
    select
        ccn,
        score_name as measure,
        status as exclusion,
        'left_out' as effect,
        shown_measures || ' measures of the stay with a value' as evidence
    from quality.scores
    where status = 'few_measures' and score_name <> 'overall_qm_score'
),

listed as (
    select ccn, 'qm_mds' as source_table, measure_code, upper(trim(is_used)) = 'Y' as is_used from latest.qm_mds
    union all
    select ccn, 'qm_claims' as source_table, measure_code, upper(trim(is_used)) = 'Y' as is_used from latest.qm_claims
    union all
    select ccn, 'snf_qrp' as source_table, measure_code, false as is_used from latest.snf_qrp
),

unknown_measures as (
    select distinct
        listed.ccn,
        listed.measure_code as measure,
        'unknown_measure' as exclusion,
        'flag' as effect,
        'marked as used in ' || listed.source_table as evidence
    from listed
    left join measures on listed.source_table = measures.source_table and listed.measure_code like measures.code_like
    where listed.is_used and measures.measure is null
),

unknown_homes as (
    select
        listed.ccn,
        'overall_qm_score' as measure,
        'not_in_provider_file' as exclusion,
        'no_value' as effect,
        'in ' || string_agg(distinct listed.source_table, ', ' order by listed.source_table) as evidence
    from listed
    left join current.provider_info as homes on listed.ccn = homes.ccn
    where homes.ccn is null
    group by listed.ccn
),

quartered as (
    select
        qm_mds.ccn,
        qm_mds.measure_code,
        qm_mds.measure_period,
        qm_mds.four_quarter_average as average,
        list_min([quarter_1, quarter_2, quarter_3, quarter_4]) as lowest,
        list_max([quarter_1, quarter_2, quarter_3, quarter_4]) as highest
    from latest.qm_mds
    inner join measures on measures.source_table = 'qm_mds' and qm_mds.measure_code like measures.code_like
    where quarter_1 + quarter_2 + quarter_3 + quarter_4 is not null
),

averages as (
    select
        ccn,
        measure_code as measure,
        'average_outside_quarters' as exclusion,
        'flag' as effect,
        'average ' || average || ', quarters ' || lowest || ' to ' || highest as evidence
    from quartered
    where average not between lowest - 0.000001 and highest + 0.000001
    qualify row_number() over (partition by ccn, measure_code order by measure_period desc) = 1
),

stars as (
    select
        ccn,
        rating as measure,
        status as exclusion,
        'no_star' as effect,
        'from ' || coalesce(stars_low || ' to ' || stars_high || ' stars by the measures', 'no score') as evidence
    from quality.stars
    where rating = 'qm_rating' and status <> 'rated'
),

every as (
    select * from missing
    union all
    select * from few
    union all
    select * from unknown_measures
    union all
    select * from unknown_homes
    union all
    select * from averages
    union all
    select * from stars
),

told as (
    select *
    from every
    union all by name
    select ccn, measure, reason as exclusion, 'flag' as effect, evidence, first_date, last_date
    from audit.flags
    where domain = 'quality'
)

select
    told.ccn,
    told.measure,
    told.exclusion,
    case when told.measure = 'qm_rating' then 'overall_qm_score' when told.exclusion <> 'unknown_measure' then told.measure end
        as rating_measure,
    told.effect as could,  -- a measure, a stay and a star each have one reason, which acts
    told.effect,
    told.effect <> 'flag' as counted,
    told.evidence,
    told.first_date,
    told.last_date
from told
order by told.ccn, told.measure, told.exclusion
