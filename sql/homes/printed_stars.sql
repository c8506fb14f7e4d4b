-- Each star of a home as CMS prints it, with its footnote and what that means.
-- Grain: ccn, rating. Rule: footnotes as in rules.footnotes.
with printed as (
    select
        ccn,
        unnest([
            {rating: 'overall_rating', stars: overall_rating, footnote: overall_footnote},
            {rating: 'health_inspection_rating', stars: health_inspection_rating, footnote: health_inspection_footnote},
            {rating: 'staffing_rating', stars: staffing_rating, footnote: staffing_footnote},
            {rating: 'qm_rating', stars: qm_rating, footnote: qm_footnote},
            {rating: 'long_stay_qm_rating', stars: long_stay_qm_rating, footnote: long_stay_qm_footnote},
            {rating: 'short_stay_qm_rating', stars: short_stay_qm_rating, footnote: short_stay_qm_footnote}
        ]) as star
    from current.provider_info
)

select
    printed.ccn,
    printed.star.rating as rating,
    printed.star.stars as stars,
    footnotes.footnote,
    footnotes.reason,
    coalesce(footnotes.forces_one_staffing_star, false) as forces_one_staffing_star
from printed
left join rules.footnotes as footnotes on trim(printed.star.footnote) = footnotes.footnote
order by printed.ccn, printed.star.rating
