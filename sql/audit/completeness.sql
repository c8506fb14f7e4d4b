-- How many homes each file has of the nation and of every state, beside how many are known, and whether that is far too few.
-- Grain: table_name, scope, basis. Rule: the limits are rules.completeness_limits.
with listed as (
    select 'provider_info' as table_name, ccn, upper(trim(state)) as state
    from current.provider_info
    union all
    select 'previous' as table_name, ccn, upper(trim(state)) as state
    from previous.provider_info
    union all
    select 'pbj_daily' as table_name, ccn, max(upper(trim(state))) as state
    from current.pbj_daily
    group by ccn
),

counts as (
    select table_name, coalesce(state, 'nation') as scope, count(*) as homes
    from listed
    group by grouping sets ((table_name, state), (table_name))
    having grouping(state) = 1 or state is not null
),

known as (  -- the count of the nation that was seen nearest before the release, or else the first
    select release, homes
    from rules.nation_counts
    order by
        case when release <= getvariable('release')::varchar then release else '' end desc,
        release
    limit 1
),

compared as (
    select
        'provider_info' as table_name,
        'nation' as scope,
        'nation_count' as basis,
        known.homes as expected,
        'of the nation in ' || known.release as expected_of
    from known
    union all
    select
        'provider_info' as table_name,
        scope,
        'previous_release' as basis,
        homes as expected,
        'in the provider file of ' || (select strftime(max(processing_date), '%Y-%m') from previous.provider_info) as expected_of
    from counts
    where table_name = 'previous'
    union all
    select 'provider_info' as table_name, scope, 'daily_file' as basis, homes as expected, 'in the daily file' as expected_of
    from counts
    where table_name = 'pbj_daily'
    union all
    select 'pbj_daily' as table_name, scope, 'provider_file' as basis, homes as expected, 'in the provider file' as expected_of
    from counts
    where table_name = 'provider_info' and exists (from counts as daily where daily.table_name = 'pbj_daily')
)

select
    compared.table_name,
    compared.scope,
    compared.basis,
    coalesce(counts.homes, 0) as homes,
    compared.expected,
    compared.expected_of,
    100 * coalesce(counts.homes, 0) < limits.least_pct * compared.expected
    and compared.expected - coalesce(counts.homes, 0) > limits.unnoticed_homes as looks_incomplete
from compared
inner join rules.completeness_limits as limits
    on compared.basis = limits.basis
    and getvariable('release')::varchar between limits.effective_from and coalesce(limits.effective_to, '9999-12')
left join counts on compared.table_name = counts.table_name and compared.scope = counts.scope
order by compared.table_name, compared.scope, compared.basis
