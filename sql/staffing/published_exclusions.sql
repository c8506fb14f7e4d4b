-- What a blank turnover in the published file means for the points.
-- Grain: ccn, measure. Rule: R17, R18: footnote 26 or 27 first; without them which cells are blank together.
with rejected as (
    select distinct ccn from current.rejects where table_name = 'provider_info'
),

blanks as (
    select
        ccn,
        unnest([
            {
                measure: 'total_nurse_turnover_pct',
                is_blank: total_nurse_turnover_pct is null,
                footnote: total_nurse_turnover_footnote,
                without_footnote: case when rn_turnover_pct is null then 'both_turnovers_blank' else 'one_turnover_blank' end
            },
            {
                measure: 'rn_turnover_pct',
                is_blank: rn_turnover_pct is null,
                footnote: rn_turnover_footnote,
                without_footnote: case when total_nurse_turnover_pct is null then 'both_turnovers_blank' else 'one_turnover_blank' end
            },
            {
                measure: 'administrator_departures',
                is_blank: administrator_departures is null,
                footnote: administrator_footnote,
                without_footnote: 'administrator_blank'
            }
        ]) as cell
    from current.provider_info
)

select
    blanks.ccn,
    blanks.cell.measure as measure,
    case
        when rejected.ccn is not null then 'rejected_rows'  -- the blank may be a cell that could not be read
        when footnotes.reason in ('minimum_points_footnote', 'left_out_footnote') then footnotes.reason
        else blanks.cell.without_footnote
    end as exclusion
from blanks
left join rules.footnotes as footnotes on trim(blanks.cell.footnote) = footnotes.footnote
left join rejected on blanks.ccn = rejected.ccn
where blanks.cell.is_blank
order by blanks.ccn, blanks.cell.measure
