"""What a person reads after a run: the summary, the comparison, and the story of one home."""

from __future__ import annotations

from typing import Any

import duckdb

from pipelines.checks import scan
from pipelines.engine import Engine, rule_view
from pipelines.errors import MissingInput, UsageError
from pipelines.publishing import inputs_of_release
from pipelines.sources import staged_name
from pipelines.store import Store, read_json

SHOWN = 5


def published_release(store: Store, asked: str | None) -> str:
    """The release asked for, or the newest that is published. Raises MissingInput where there is none."""
    there = store.releases()
    if asked and asked not in there:
        raise MissingInput(
            f"Release {asked} is not published in {store}; there are: {', '.join(there) or 'none'}. Run openstars run first"
        )
    if not there:
        raise MissingInput(f"Nothing is published in {store}. Run openstars run first")
    return asked or there[-1]


def open_release(store: Store, release: str) -> duckdb.DuckDBPyConnection:
    """A connection with the published tables of a release as views."""
    con = duckdb.connect()
    for file in store.published_tables(release):
        con.execute(f"create view {file.stem} as from read_parquet('{file}')")
    return con


def _lines(rows: list[tuple[Any, ...]], header: tuple[str, ...]) -> str:
    """Rows as a table of text."""
    told = [header, *(tuple("" if v is None else str(v) for v in row) for row in rows)]
    widths = [max(len(row[k]) for row in told) for k in range(len(header))]
    return "\n".join("  " + "  ".join(v.ljust(w) for v, w in zip(row, widths, strict=True)).rstrip() for row in told)


def summary(engine: Engine) -> str:
    """Homes, rated, excluded by reason, what was odd about the inputs, and agreement with CMS."""
    con = open_release(engine.store, engine.release.name)
    homes, rated = con.execute("select count(*), count(*) filter (where staffing_status = 'rated') from ratings").fetchall()[0]
    not_rated = con.execute(
        "select staffing_status, count(*) from ratings where staffing_status <> 'rated' group by 1 order by 2 desc, 1"
    ).fetchall()
    why = ", ".join(f"{reason} {count}" for reason, count in not_rated)
    told = [f"Homes {homes:,}, with a staffing star {rated:,}" + (f"; without: {why}" if why else "")]
    stars = con.execute(
        "select staffing_rating, count(*) from ratings where staffing_rating is not null group by 1 order by 1"
    ).fetchall()
    told.append("Staffing stars: " + ", ".join(f"{n} star{'s' if n > 1 else ''} {count:,}" for n, count in stars))
    excluded = con.execute(
        "select exclusion, effect, count(distinct ccn) as homes from exclusions group by 1, 2 order by effect, homes desc, exclusion"
    ).fetchall()
    told.append("Exclusions and flags (homes):\n" + _lines(excluded, ("reason", "effect", "homes")))
    odd = odd_inputs(engine)
    if odd:
        told.append("About the inputs:\n" + "\n".join(f"  {line}" for line in odd))
    told += moved(engine)
    told.append(compare(engine.store, engine.release.name))
    return "\n".join(told)


def moved(engine: Engine) -> list[str]:
    """What moved when the release was last made anew with other results; nothing where it never was."""
    store, release = engine.store, engine.release.name
    note = store.published_file(release, "inputs.json")
    last = read_json(note)["moved"] if note else None
    if last is None:
        return []
    told = f"Made anew on {last['when']} because {'; '.join(last['because'])}: {last['numbers']:,} numbers of {last['homes']:,} homes moved"
    if not store.is_there(store.root / last["table"]):
        return [f"{told}; {last['table']} is not in the store any more"]
    table = store.part(store.root / last["table"])
    con = duckdb.connect()
    stars = con.execute(
        f"select ccn || ' ' || coalesce(before, 'none') || ' -> ' || coalesce(after, 'none') from {scan(table)} "
        "where item = 'staffing_rating' order by ccn"
    ).fetchall()
    shown = ", ".join(star for (star,) in stars[:SHOWN]) + (f" and {len(stars) - SHOWN} more" if len(stars) > SHOWN else "")
    return [f"{told}\n  staffing stars: {shown or 'none'}; all of them: {last['table']}/{table.name}"]


def odd_inputs(engine: Engine) -> list[str]:
    """What was counted while the inputs were read."""
    found = []
    words = {
        "rejected_rows": "rows that could not be read, kept beside the table",
        "thousands_separators": "rows with thousands separators",
        "rounded_numbers": "rows with a number of more decimals than CMS gives, rounded half up",
        "ccn_repaired": "rows whose CCN got its leading zeros back",
        "repeated_rows": "rows that stood twice",
    }
    for table, period in inputs_of_release(engine):
        supplied = engine.store.supply(table, period)
        manifest = (supplied and engine.store.manifest(f"staged.{staged_name(table)}", period)) or {}
        told = [f"{manifest[key]:,} {text}" for key, text in words.items() if manifest.get(key)]
        if manifest.get("unknown_columns"):
            told.append(f"columns that nobody knows: {', '.join(manifest['unknown_columns'])}")
        if manifest.get("spellings_out_of_time"):
            told.append(f"spelled as at another time: {', '.join(manifest['spellings_out_of_time'])}")
        if manifest.get("encoding") not in (None, "utf-8"):
            told.append(f"read as {manifest['encoding']}")
        if told:
            found.append(f"{table} {period} ({manifest['file']}): {'; '.join(told)}")
    for code, given_from, given_through, first, last in (
        duckdb.connect()
        .execute(f"from {scan(*engine.store.need('audit.interval_differences', engine.release.name))} order by measure_code")
        .fetchall()
    ):
        found.append(
            f"{code}: CMS's interval file says {given_from} to {given_through}, data/rules/releases.csv {first} to {last}: "
            "correct the release's row and run again"
        )
    return found


def compare(store: Store, release: str) -> str:
    """Agreement with CMS's published values by item, and the reasons of the rest."""
    con = open_release(store, release)
    items = con.execute(
        "select item, homes, compared, agree, contradict, open, agreement_pct from replication_summary order by item"
    ).fetchall()
    told = f"Agreement with CMS, release {release}:\n" + _lines(
        items, ("item", "homes", "compared", "agree", "contradict", "open", "%")
    )
    reasons = con.execute(
        "select item, coalesce(agrees, 'not compared'), reason, count(*) from replication "
        "where coalesce(agrees, '') <> 'yes' and item in (select item from replication_summary where compared > 0) "
        "and (agrees is not null or published is not null) group by 1, 2, 3 order by 1, 2, 4 desc, 3"
    ).fetchall()
    if reasons:
        told += "\nThe rest, by reason:\n" + _lines(reasons, ("item", "agrees", "reason", "homes"))
    return told


def explain(store: Store, release: str, ccn: str) -> str:
    """The story of one home. Raises UsageError for a CCN that the release does not know."""
    con = open_release(store, release)
    ccn = ccn.strip().upper().zfill(6)
    found = con.execute(
        "select provider_name, state, staffing_rating, staffing_score, staffing_status, staffing_reason, staffing_footnote, overall_rating, "
        "quarter, ruleset from ratings where ccn = ?",
        [ccn],
    ).fetchall()
    exclusions = con.execute(
        "select measure, exclusion, effect, evidence, first_date, last_date from exclusions where ccn = ? order by all", [ccn]
    ).fetchall()
    if not found and not exclusions:
        raise UsageError(f'"{ccn}" is in no table of release {release}: a CCN has six characters, leading zeros included')
    told = []
    if found:
        name, state, stars, score, status, reason, footnote, overall, quarter, ruleset = found[0]
        told.append(f"{name} ({ccn}, {state}), release {release}, staffing of {quarter}, rules of {ruleset}")
        told.append(_star(con, release, stars, score, status, reason, footnote))
        told += _overall(con, ccn, overall)
        told += _inspections(con, ccn)
    else:
        told.append(f"{ccn}: in the PBJ files, not in the provider file of release {release}")
    told += _measures(con, ccn)
    told += _turnover(con, ccn)
    if exclusions:
        told.append("Exclusions and flags:\n" + _lines(exclusions, ("measure", "reason", "effect", "evidence", "first", "last")))
    differing = con.execute(
        "select item, published::double::varchar, recomputed::double::varchar, coalesce(agrees, 'not compared'), reason from replication "
        "where ccn = ? and (published is not null or recomputed is not null) order by item",
        [ccn],
    ).fetchall()
    if differing:
        told.append(
            "Published by CMS against recomputed:\n" + _lines(differing, ("item", "published", "recomputed", "agrees", "reason"))
        )
    return "\n".join(told)


def _star(
    con: duckdb.DuckDBPyConnection,
    release: str,
    stars: int | None,
    score: int | None,
    status: str,
    reason: str | None,
    footnote: str | None,
) -> str:
    for rules in ("rules.reasons", "rules.star_thresholds"):
        rule_view(con, rules)
    meaning = con.execute("select meaning from rules.reasons where reason = ?", [reason or status]).fetchall()
    why = f" ({meaning[0][0]})" if meaning and (reason or status != "rated") else ""
    foot = f"; CMS's footnote {footnote}" if footnote else ""
    if stars is None:
        return f"Staffing star: none, {status}{why}{foot}"
    if reason:
        return f"Staffing star: {stars}, {reason}{why}{foot}"
    bands = con.execute(
        "select stars, lower from rules.star_thresholds where rating = 'staffing' and lower > ? "
        "and ? between effective_from and coalesce(effective_to, '9999-12') order by lower limit 1",
        [score, release],
    ).fetchall()
    full = con.execute(
        "select sum(points) from (select max(points) as points from cut_points where basis <> 'recomputed' and measure in "
        "(select measure from rating_components where domain = 'staffing') group by measure)"
    ).fetchall()[0][0]
    away = ""
    if bands and score is not None:
        short = bands[0][1] - score
        away = f"; {short} point{'s' if short > 1 else ''} short of {bands[0][0]} stars"
    return f"Staffing star: {stars}, score {score} of {full}{away}{foot}"


def _measures(con: duckdb.DuckDBPyConnection, ccn: str) -> list[str]:
    rows = con.execute(
        """
        select
            mine.measure, mine.value, mine.value_source,
            case
                when mine.max_points is null and mine.measure like 'adjusted%' then 'no value'
                when mine.max_points is null then 'left out'
                else mine.points || ' of ' || mine.max_points
            end,
            case when mine.points_low <> mine.points_high then mine.points_low || '-' || mine.points_high end,
            case when mine.band_lower is not null then mine.band_lower || ' to ' || coalesce(mine.band_upper::varchar, 'any') end,
            case when mine.next_points is not null and mine.value is not null
                then mine.distance_to_next || ' to ' || mine.next_points || ' points' end,
            (
                select count(*) from rating_components as other
                where other.measure = mine.measure and other.points = mine.points and other.ccn <> mine.ccn and other.value is not null
            ),
            mine.reason
        from rating_components as mine
        where mine.ccn = ? and mine.domain = 'staffing'
        order by mine.measure
        """,
        [ccn],
    ).fetchall()
    header = ("measure", "value", "source", "points", "possible", "band", "next band", "homes in the band", "reason")
    return ["Staffing measures:\n" + _lines(rows, header)] if rows else []


def _overall(con: duckdb.DuckDBPyConnection, ccn: str, stars: int | None) -> list[str]:
    """The overall star with each step that made it."""
    if stars is None:
        status = con.execute("select overall_status from ratings where ccn = ?", [ccn]).fetchall()[0][0]
        return [f"Overall star: none, {status}"]
    steps = con.execute(
        "select measure, value::integer, reason from rating_components where ccn = ? and domain = 'overall'", [ccn]
    ).fetchall()
    told = {measure: f"{value:+d}" if reason is None else f"{value:+d} ({reason})" for measure, value, reason in steps}
    cap = f", cap {told['cap']}" if told["cap"] != "+0" else ""
    return [
        f"Overall star: {stars} = inspections {told['health_inspection_rating'][1:]}, staffing {told['staffing_rating']}, "
        f"quality measures (CMS's star) {told['qm_rating']}{cap}"
    ]


def _inspections(con: duckdb.DuckDBPyConnection, ccn: str) -> list[str]:
    """The inspection star, its score and where that stands in the state."""
    stars, status, reason, state = con.execute(
        "select health_inspection_rating, health_inspection_status, health_inspection_reason, state from ratings where ccn = ?",
        [ccn],
    ).fetchall()[0]
    found = con.execute(
        "select measure, value::double::varchar, points, next_points, distance_to_next::double::varchar from rating_components "
        "where ccn = ? and domain = 'inspections' and value is not null order by measure",
        [ccn],
    ).fetchall()
    cycles = ", ".join(f"{measure.replace('_', ' ')} {value}" for measure, value, *_ in found)
    ranked = [row for row in found if row[0] == "weighted_score" and row[2]]
    rank = f"; its rank in {state} earns {ranked[0][2]}" if ranked else ""
    away = f", {ranked[0][4]} points fewer would earn {ranked[0][3]}" if ranked and ranked[0][3] else ""
    shaped = f", {reason}" if reason else "" if stars else f", {status}"
    return [f"Inspection star: {stars or 'none'}{shaped}; {cycles or 'no cycle points'}{rank}{away}"]


def _turnover(con: duckdb.DuckDBPyConnection, ccn: str) -> list[str]:
    rows = con.execute(
        "select measure, departures, eligible_spells, turnover_pct, exclusion from turnover "
        "where ccn = ? and definition = 'cms' and eligible_spells is not null order by measure",
        [ccn],
    ).fetchall()
    return ["Turnover:\n" + _lines(rows, ("staff", "departures", "eligible spells", "percent", "exclusion"))] if rows else []
