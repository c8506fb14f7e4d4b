"""Stars that compare homes: inspections within the state, the overall star, and CMS's file of the cut points (methodology 4.5, 6)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from pipelines.sample.names import CODE_OF
from pipelines.sample.provider import Listing, printed

SHARES = (Fraction(1, 10), Fraction(1, 3), Fraction(17, 30), Fraction(4, 5))  # of the homes with 5 stars, with 4 or more, ...
FEWEST = 5  # homes of a state that is ranked by itself
STEP = Fraction(1, 1000)

Uppers = list[Fraction]  # highest scores of 5, 4, 3 and 2 stars


def rank(listings: list[Listing]) -> None:
    """Health and overall stars, once every home of the nation is known (R14, R23)."""
    uppers = _uppers(listings)
    for found in listings:
        if not found.ranked:
            continue
        earned = 1 + sum(found.score <= upper for upper in uppers.get(found.state, uppers["NATION"]))
        found.health = min(earned, 2) if found.abuse_icon else earned
        found.held = found.health < earned
        found.overall = _overall_star(found.health, found.true_staffing, found.qm)
        found.row["Health Inspection Rating"] = str(found.health)
        found.row["Overall Rating"] = str(_overall_star(found.health, found.staffing, found.qm))


def cut_points(listings: list[Listing]) -> Iterator[dict[str, str]]:
    """Rows of NH_HlthInspecCutpointsState: the range of scores of each star, one number, or blank where equal scores leave none."""
    uppers = _uppers(listings)
    for state in sorted(CODE_OF):
        ends = uppers.get(state, uppers["NATION"])
        if ends:
            lowers = [Fraction(0), *(upper + STEP for upper in ends[:-1])]
            ranges = zip((5, 4, 3, 2), lowers, ends, strict=True)
            yield {"State": state, "1 Star": f"> {printed(ends[-1], 3)}"} | {f"{n} Stars": _range(a, b) for n, a, b in ranges}


def _range(lower: Fraction, upper: Fraction) -> str:
    if lower >= upper:
        return printed(lower, 3) if lower == upper else ""
    return f"{printed(lower, 3)}-{printed(upper, 3)}"


def _uppers(listings: list[Listing]) -> dict[str, Uppers]:
    """Of the nation and of each state with enough ranked homes."""
    scores: dict[str, list[Fraction]] = {"NATION": []}
    for found in listings:
        if found.ranked:
            scores["NATION"].append(found.score)
            scores.setdefault(found.state, []).append(found.score)
    return {scope: _nearest_ranks(sorted(s)) for scope, s in scores.items() if scope == "NATION" or len(s) >= FEWEST}


def _nearest_ranks(scores: list[Fraction]) -> Uppers:
    """The score at position ceil(share x homes), so that equal scores are never split."""
    places = [-((-share.numerator * len(scores)) // share.denominator) for share in SHARES]
    return [scores[place - 1] for place in places] if scores else []


def _overall_star(health: int, staffing: int | None, qm: int | None) -> int:
    overall = min(5, max(1, health + (staffing == 5) - (staffing == 1)))
    overall = min(5, max(1, overall + (qm == 5) - (qm == 1)))
    return min(overall, 2) if health == 1 else overall
