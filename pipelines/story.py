"""The story of one home: from its citations, hours and quality measures to the overall star."""

from __future__ import annotations

from typing import Any

import duckdb

from pipelines.engine import rule_view
from pipelines.errors import UsageError
from pipelines.report import lines_of, open_release
from pipelines.store import Store

LONG_AGO = ("older_cycle", "too_old_survey")  # citations that are only counted, not listed
SHOWN_WORDS = 60  # characters of what a tag is about
SURVEY = {
    "both_met": "meets both published conditions of the Risk-Based Survey (necessary, not sufficient)",
    "staffing_too_low": "misses the Risk-Based Survey's conditions for staffing alone",
    "overall_too_low": "has too few stars overall for a Risk-Based Survey",
    "not_rated": "has no overall star, so no Risk-Based Survey",
}


def explain(store: Store, release: str, ccn: str) -> str:
    """The story of one home. Raises UsageError for a CCN that the release does not know."""
    con = open_release(store, release)
    for rules in ("rules.reasons", "rules.star_thresholds", "rules.quality_measures"):
        rule_view(con, rules)
    ccn = ccn.strip().upper().zfill(6)
    found = _row(con, "from ratings where ccn = ?", ccn)
    exclusions = con.execute(
        "select domain, measure, exclusion, could, effect, evidence, first_date, last_date from exclusions where ccn = ? order by all",
        [ccn],
    ).fetchall()
    if not found and not exclusions:
        raise UsageError(f'"{ccn}" is in no table of release {release}: a CCN has six characters, leading zeros included')
    told = []
    if found:
        told.append(
            f"{found['provider_name']} ({ccn}, {found['state']}), release {release}, staffing of {found['quarter']}, rules of {found['ruleset']}"
        )
        told += [_overall(con, found), _of_cms(found), f"The home {SURVEY[found['risk_based_survey']]}"]
        told += [_inspections(con, found), *_citations(con, ccn), *_quality(con, found), _staffing(con, release, found)]
    else:
        told.append(f"{ccn}: in other files, not in the provider file of release {release}")
    told += _measures(con, ccn)
    told += _turnover(con, ccn)
    if exclusions:
        header = ("domain", "measure", "reason", "could", "did", "evidence", "first", "last")
        told.append("Exclusions and flags:\n" + lines_of(exclusions, header))
    differing = con.execute(
        "select item, published::double::varchar, recomputed::double::varchar, coalesce(agrees, 'not compared'), "
        "case when recomputed is null then null when is_own then 'own' else 'on published values' end, reason from replication "
        "where ccn = ? and (published is not null or recomputed is not null) order by item",
        [ccn],
    ).fetchall()
    if differing:
        told.append(
            "Published by CMS against recomputed:\n"
            + lines_of(differing, ("item", "published", "recomputed", "agrees", "made", "reason"))
        )
    return "\n".join(told)


def _row(con: duckdb.DuckDBPyConnection, select: str, ccn: str) -> dict[str, Any]:
    result = con.execute(select, [ccn])
    names = [d[0] for d in result.description or []]
    rows = result.fetchall()
    return dict(zip(names, rows[0], strict=True)) if rows else {}


def _meaning(con: duckdb.DuckDBPyConnection, reason: str | None) -> str:
    """What a reason word says, in brackets."""
    found = con.execute("select meaning from rules.reasons where reason = ?", [reason]).fetchall()
    return f" ({found[0][0]})" if found else ""


def _short(count: int, next_stars: int) -> str:
    return f"; {count} point{'s' if count > 1 else ''} short of {next_stars} stars"


def _staffing(con: duckdb.DuckDBPyConnection, release: str, home: dict[str, Any]) -> str:
    """The staffing star, its score and how far the next star is."""
    stars, score, status, reason = (home[f"staffing_{name}"] for name in ("rating", "score", "status", "reason"))
    foot = f"; CMS's footnote {home['staffing_footnote']}" if home["staffing_footnote"] else ""
    if stars is None:
        return f"Staffing star: none, {status}{_meaning(con, status)}{foot}"
    if reason:
        return f"Staffing star: {stars}, {reason}{_meaning(con, reason)}{foot}"
    bands = con.execute(
        "select stars, lower from rules.star_thresholds where rating = 'staffing' and lower > ? "
        "and ? between effective_from and coalesce(effective_to, '9999-12') order by lower limit 1",
        [score, release],
    ).fetchall()
    full = con.execute(
        "select sum(points) from (select max(points) as points from cut_points where basis <> 'recomputed' and measure in "
        "(select measure from rating_components where domain = 'staffing') group by measure)"
    ).fetchall()[0][0]
    away = _short(bands[0][1] - score, bands[0][0]) if bands and score is not None else ""
    return f"Staffing star: {stars}, score {score} of {full}{away}{foot}"


def _measures(con: duckdb.DuckDBPyConnection, ccn: str, domain: str = "staffing") -> list[str]:
    """The measures of staffing or quality, a line each."""
    rows = con.execute(
        """
        select
            mine.measure, mine.value::double, mine.value_source,
            case
                when mine.max_points is null and (mine.measure like 'adjusted%' or mine.value is null) then 'no value'
                when mine.max_points is null then 'left out'
                else mine.points || ' of ' || mine.max_points
            end,
            case when mine.points_low <> mine.points_high then mine.points_low || '-' || mine.points_high end,
            case when mine.band_lower is not null then mine.band_lower::double || ' to ' || coalesce(mine.band_upper::double::varchar, 'any') end,
            case when mine.next_points is not null and mine.value is not null
                then mine.distance_to_next::double || ' to ' || mine.next_points || ' points' end,
            (
                select count(*) from rating_components as other
                where other.measure = mine.measure and other.points = mine.points and other.ccn <> mine.ccn and other.value is not null
            ),
            coalesce(mine.reason, titles.title)
        from rating_components as mine
        left join (select measure, any_value(title) as title from rules.quality_measures group by measure) as titles
            on mine.measure = titles.measure
        where mine.ccn = ? and mine.domain = ? and mine.measure not like '%_qm_score'
        order by mine.measure
        """,
        [ccn, domain],
    ).fetchall()
    last = "reason" if domain == "staffing" else "reason, or what it measures"
    header = ("measure", "value", "source", "points", "possible", "band", "next band", "homes in the band", last)
    return [f"{domain.capitalize()} measures:\n" + lines_of(rows, header)] if rows else []


def _overall(con: duckdb.DuckDBPyConnection, home: dict[str, Any]) -> str:
    """The overall star with each step that made it."""
    if home["overall_rating"] is None:
        return f"Overall star: none, {home['overall_status']}{_meaning(con, home['overall_status'])}"
    steps = con.execute(
        "select measure, value::integer, reason from rating_components where ccn = ? and domain = 'overall'", [home["ccn"]]
    ).fetchall()
    told = {measure: f"{value:+d}" if reason is None else f"{value:+d} ({reason})" for measure, value, reason in steps}
    cap = f", cap {told['cap']}" if told["cap"] != "+0" else ""
    return (
        f"Overall star: {home['overall_rating']} = inspections {told['health_inspection_rating'][1:]}, "
        f"staffing {told['staffing_rating']}, quality measures {told['qm_rating']}{cap}"
    )


def _of_cms(home: dict[str, Any]) -> str:
    """CMS's own stars."""
    names = {"overall": "overall", "health_inspection": "inspections", "staffing": "staffing", "qm": "quality measures",
             "long_stay_qm": "long stay", "short_stay_qm": "short stay"}  # fmt: skip
    return "CMS's stars: " + ", ".join(f"{name} {home[f'cms_{domain}_rating'] or 'none'}" for domain, name in names.items())


def _inspections(con: duckdb.DuckDBPyConnection, home: dict[str, Any]) -> str:
    """The inspection star, its score and where that stands in the state."""
    stars, reason = home["health_inspection_rating"], home["health_inspection_reason"]
    found = con.execute(
        "select measure, value::double::varchar, value_source, points, next_points, distance_to_next::double::varchar from rating_components "
        "where ccn = ? and domain = 'inspections' and value is not null order by measure",
        [home["ccn"]],
    ).fetchall()
    whose = {"published": " (CMS's)", "mixed": " (CMS's in part)"}
    cycles = ", ".join(f"{measure.replace('_', ' ')} {value}{whose.get(source, '')}" for measure, value, source, *_ in found)
    ranked = [row for row in found if row[0] == "weighted_score" and row[3]]
    among = f" among {home['health_inspection_ranked_homes']:,} homes of {home['health_inspection_scope']}" if ranked else ""
    rank = f"; its rank earns {ranked[0][3]}{among}" if ranked else ""
    away = f", {ranked[0][5]} points fewer would earn {ranked[0][4]}" if ranked and ranked[0][4] else ""
    word = reason if reason else "" if stars else home["health_inspection_status"]
    shaped = f", {word}{_meaning(con, word)}" if word else ""
    return f"Inspection star: {stars or 'none'}{shaped}; {cycles or 'no cycle points'}{rank}{away}"


def _citations(con: duckdb.DuckDBPyConnection, ccn: str) -> list[str]:
    """The citations of the surveys that count, a line each."""
    rows = con.execute(
        f"""
        select
            mine.survey_date, mine.survey_kind, mine.tag, mine.scope_severity, mine.cycle, mine.points,
            case
                when other.citation is not null
                    then mine.reason || ': with ' || other.tag || ' of the ' || other.survey_kind || ' survey of ' || other.survey_date
                when mine.is_substandard and mine.is_counted then concat_ws(', ', mine.reason, 'substandard quality of care')
                else mine.reason
            end,
            mine.tag_description[:{SHOWN_WORDS}]
        from citations as mine
        left join citations as other on mine.ccn = other.ccn and mine.counted_with = other.citation
        where mine.ccn = ? and coalesce(mine.reason, '') not in {LONG_AGO}
        order by mine.survey_date desc, mine.tag, mine.citation
        """,
        [ccn],
    ).fetchall()
    old = con.execute(f"select count(*) from citations where ccn = ? and reason in {LONG_AGO}", [ccn]).fetchall()[0][0]
    more = f"\n  and {old} of surveys that are not scored any more" if old else ""
    if not rows:
        return [f"Citations: none that is scored{more}"] if old else []
    header = ("survey", "kind", "tag", "letter", "cycle", "points", "reason", "about")
    return ["Citations:\n" + lines_of(rows, header) + more]


def _quality(con: duckdb.DuckDBPyConnection, home: dict[str, Any]) -> list[str]:
    """The quality star, the scores behind it and the measures."""
    stars, reason, status = home["qm_rating"], home["qm_reason"], home["qm_status"]
    word = reason or ("" if stars else status)
    whose = ", CMS's" if stars and home["qm_source"] == "published" else ""
    scores = con.execute(
        "select measure, value::integer, value_source, points, next_points, distance_to_next::integer, reason from rating_components "
        "where ccn = ? and domain = 'quality' and measure like '%_qm_score' and value is not null order by measure",
        [home["ccn"]],
    ).fetchall()
    told = ""
    for measure, value, source, points, next_points, distance, why in scores:
        earns = f" earns {points}" if points else f" ({why})" if why else ""
        away = _short(distance, next_points) if next_points else ""
        told += f"; {measure.replace('_', ' ')} {value}{' with means of the state' if source == 'imputed' else ''}{earns}{away}"
    line = f"Quality measure star: {stars or 'none'}{whose}{f', {word}{_meaning(con, word)}' if word else ''}{told}"
    return [line, *_measures(con, home["ccn"], "quality")]


def _turnover(con: duckdb.DuckDBPyConnection, ccn: str) -> list[str]:
    rows = con.execute(
        "select measure, departures, eligible_spells, turnover_pct, exclusion from turnover "
        "where ccn = ? and definition = 'cms' and eligible_spells is not null order by measure",
        [ccn],
    ).fetchall()
    return ["Turnover:\n" + lines_of(rows, ("staff", "departures", "eligible spells", "percent", "exclusion"))] if rows else []
