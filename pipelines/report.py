"""What a person reads after a run: the summary and the comparison with CMS."""

from __future__ import annotations

from typing import Any

import duckdb

from pipelines.checks import scan
from pipelines.engine import Engine
from pipelines.errors import MissingInput
from pipelines.publishing import inputs_of_release
from pipelines.sources import RELEASE_TABLES, staged_name
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
        con.execute(f"create view {file.stem} as from {scan(file)}")
    return con


def lines_of(rows: list[tuple[Any, ...]], header: tuple[str, ...]) -> str:
    """Rows as a table of text."""
    told = [header, *(tuple("" if v is None else str(v) for v in row) for row in rows)]
    widths = [max(len(row[k]) for row in told) for k in range(len(header))]
    return "\n".join("  " + "  ".join(v.ljust(w) for v, w in zip(row, widths, strict=True)).rstrip() for row in told)


DOMAINS = {"overall": "Overall", "health_inspection": "Inspection", "staffing": "Staffing", "qm": "Quality measure"}


def summary(engine: Engine) -> str:
    """What to know first, then homes, rated, excluded by reason, what was odd about the inputs, and agreement with CMS."""
    con = open_release(engine.store, engine.release.name)
    homes, both, staffing = con.execute(
        "select count(*), count(*) filter (where risk_based_survey = 'both_met'), "
        "count(*) filter (where risk_based_survey = 'staffing_too_low') from ratings"
    ).fetchall()[0]
    told = [f"Homes {homes:,}"]
    first = known_first(engine, con)
    if first:
        told.append("To know first:\n" + "\n".join(f"  {line}" for line in first))
    for domain, name in DOMAINS.items():
        stars = con.execute(
            f"select {domain}_rating, count(*) from ratings where {domain}_rating is not null group by 1 order by 1"
        ).fetchall()
        without = con.execute(
            f"select {domain}_status, count(*) from ratings where {domain}_status <> 'rated' group by 1 order by 2 desc, 1"
        ).fetchall()
        why = ", ".join(f"{reason} {count:,}" for reason, count in without)
        listed = ", ".join(f"{n} star{'s' if n > 1 else ''} {count:,}" for n, count in stars)
        told.append(f"{name} stars: {listed or 'none'}" + (f"; without: {why}" if why else ""))
    told.append(
        f"Risk-Based Survey (five stars overall, three for staffing; necessary, not sufficient): {both:,} homes meet both, "
        f"{staffing:,} miss it only for staffing"
    )
    excluded = con.execute(
        "select exclusion, effect, count(distinct ccn) as homes from exclusions where effect <> 'none' group by 1, 2 "
        "order by effect, homes desc, exclusion"
    ).fetchall()
    told.append("Exclusions and flags (homes):\n" + lines_of(excluded, ("reason", "effect", "homes")))
    odd = odd_inputs(engine)
    if odd:
        told.append("About the inputs:\n" + "\n".join(f"  {line}" for line in odd))
    told += moved(engine)
    told.append(compare(engine.store, engine.release.name))
    return "\n".join(told)


def known_first(engine: Engine, con: duckdb.DuckDBPyConnection) -> list[str]:
    """What limits every number below: how many stars rest on what is not ours or not there, and which files look incomplete."""
    told = []
    (ranked,) = con.execute("select count(*) from ratings where health_inspection_reason = 'no_previous_release'").fetchall()[0]
    if ranked:
        told.append(
            f"{ranked:,} inspection stars are the rank of this month alone, for want of the release before (no_previous_release)"
        )
    counts = {
        name: con.execute(f"select count(*) from ratings where {domain}_source <> 'recomputed'").fetchall()[0][0]
        for domain, name in DOMAINS.items()
    }
    if any(counts.values()):
        listed = ", ".join(f"{name.lower()} {count:,}" for name, count in counts.items())
        told.append(f"Homes whose star rests on published values, wholly or in part: {listed}")
    blank = " and ".join(f"cms_{domain}_rating is null" for domain in (*DOMAINS, "long_stay_qm", "short_stay_qm"))
    for what, where in (
        ("Homes of which CMS shows no star in any domain", blank),
        (
            "Homes without a star here of which CMS shows some",
            f"overall_status in ('special_focus', 'too_new') and not ({blank})",
        ),
    ):
        without = con.execute(
            f"select overall_status, count(*) from ratings where {where} group by 1 order by 2 desc, 1"
        ).fetchall()
        if without:
            listed = ", ".join(f"{reason} {count:,}" for reason, count in without)
            told.append(f"{what}: {sum(count for _, count in without):,} ({listed})")
    texts = con.execute(
        "select evidence, count(*) from exclusions where exclusion = 'unknown_special_focus' group by 1 order by 2 desc, 1"
    ).fetchall()
    told += [
        f"A Special Focus text that no rule knows (data/rules/special_focus.csv): {text}, {count:,} homes"
        for text, count in texts
    ]
    return told + incomplete(engine)


def incomplete(engine: Engine) -> list[str]:
    """Files that have far fewer homes of the nation or of a state than are known, the nation first."""
    rows = duckdb.connect().execute(
        "select table_name, expected_of, scope = 'nation', list((scope, homes, expected) order by expected - homes desc, scope) "
        f"from {scan(*engine.store.need('audit.completeness', engine.release.name))} where looks_incomplete group by all order by all desc"
    )
    told = []
    for table, where, is_nation, found in rows.fetchall():
        if is_nation:
            told += [f"{table} looks incomplete: {homes:,} homes, {known:,} {where}" for _, homes, known in found]
            continue
        listed = ", ".join(f"{scope} {homes:,} of {known:,}" for scope, homes, known in found[:SHOWN])
        more = f" and {len(found) - SHOWN} more states" if len(found) > SHOWN else ""
        told.append(f"{table} looks incomplete, homes of those {where}: {listed}{more} (audit.completeness)")
    return told


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
    for item, name in (("overall_rating", "overall"), ("staffing_rating", "staffing")):
        stars = con.execute(
            f"select ccn || ' ' || coalesce(before, 'none') || ' -> ' || coalesce(after, 'none') from {scan(table)} "
            "where item = ? order by ccn",
            [item],
        ).fetchall()
        shown = ", ".join(star for (star,) in stars[:SHOWN]) + (f" and {len(stars) - SHOWN} more" if len(stars) > SHOWN else "")
        told += f"\n  {name} stars: {shown or 'none'}"
    return [f"{told}; all of them: {last['table']}/{table.name}"]


def odd_inputs(engine: Engine) -> list[str]:
    """What was counted while the inputs were read."""
    found = []
    words = {
        "rejected_rows": "rows that could not be read, kept beside the table",
        "thousands_separators": "rows with thousands separators",
        "rounded_numbers": "rows with a number of more decimals than CMS gives, rounded half up",
        "ccn_repaired": "rows whose CCN got its leading zeros back",
        "blank_words": "rows with a word for blank (NA, nan, Not Available and the like), read as blank",
        "empty_rows": "rows without a value, passed over",
        "repeated_rows": "rows that stood twice",
    }
    for table, period in inputs_of_release(engine):
        supplied = engine.store.supply(table, period)
        manifest = (supplied and engine.store.manifest(f"staged.{staged_name(table)}", period)) or {}
        told = [f"{manifest[key]:,} {text}" for key, text in words.items() if manifest.get(key)]
        for column, codes in manifest.get("unknown_codes", {}).items():
            listed = ", ".join(f'"{code}" in {rows:,} rows' for code, rows in codes.items())
            told.append(f"codes of {column} that no rule table knows: {listed}")
        if manifest.get("unknown_columns"):
            told.append(f"columns that nobody knows: {', '.join(manifest['unknown_columns'])}")
        if manifest.get("spellings_out_of_time"):
            told.append(f"spelled as at another time: {', '.join(manifest['spellings_out_of_time'])}")
        if manifest.get("encoding") not in (None, "utf-8"):
            told.append(f"read as {manifest['encoding']}")
        if told:
            found.append(f"{table} {period} ({manifest['file']}): {'; '.join(told)}")
    found += not_renewed(engine)
    intervals, cut_points = (
        duckdb.connect()
        .execute(f"from {scan(*engine.store.need(f'audit.{table}', engine.release.name))} order by all")
        .fetchall()
        for table in ("interval_differences", "cut_point_differences")
    )
    for code, given_from, given_through, first, last in intervals:
        found.append(
            f"{code}: CMS's interval file says {given_from} to {given_through}, data/rules/releases.csv {first} to {last}: "
            "correct the release's row and run again"
        )
    if cut_points:
        shown = "; ".join(
            f'{scope} {stars} stars "{printed}", here up to {"none" if upper is None else upper}'
            for scope, stars, printed, _, upper, _ in cut_points[:SHOWN]
        )
        more = f" and {len(cut_points) - SHOWN} more" if len(cut_points) > SHOWN else ""
        found.append(f"State cut points that CMS's file gives otherwise: {shown}{more} (audit.cut_point_differences)")
    return found


def not_renewed(engine: Engine) -> list[str]:
    """Files with the rows of the month before, as far as the store has it, and another date: not everything is renewed each month."""
    again: dict[str, list[str]] = {}
    for table, month in inputs_of_release(engine):
        if table not in RELEASE_TABLES:
            continue
        name = f"staged.{staged_name(table)}"
        earlier = max((period for period in engine.store.periods(name) if period < month), default=None)
        now, then = (engine.store.manifest(name, period) if period else None for period in (month, earlier))
        if now and then and engine.store.supply(table, month) and now["undated"] == then.get("undated"):
            again.setdefault(f"{month} as in {earlier}", []).append(table)
    return [
        f"The same rows but for the date, nothing of them was renewed, {months}: {', '.join(tables)}"
        for months, tables in again.items()
    ]


def compare(store: Store, release: str) -> str:
    """Agreement with CMS's published values by item, and the reasons of the rest."""
    con = open_release(store, release)
    items = con.execute(
        "select item, homes, compared, agree, contradict, open, agreement_pct from replication_summary order by item"
    ).fetchall()
    told = f"Agreement with CMS, release {release}:\n" + lines_of(
        items, ("item", "homes", "compared", "agree", "contradict", "open", "%")
    )
    own = con.execute(
        "select item, own_compared, own_agree, own_contradict, own_open, coalesce(own_agreement_pct::varchar, '-'), only_ours, only_cms "
        "from replication_summary order by item"
    ).fetchall()
    told += (
        "\nOf these our own, without a published value among the inputs of the item, and values of one side only:\n"
        + lines_of(own, ("item", "own", "agree", "contradict", "open", "%", "only ours", "only CMS"))
    )
    reasons = con.execute(
        "select item, coalesce(agrees, 'not compared'), reason, count(*) from replication "
        "where coalesce(agrees, '') <> 'yes' and item in (select item from replication_summary where compared > 0) "
        "and (agrees is not null or published is not null) group by 1, 2, 3 order by 1, 2, 4 desc, 3"
    ).fetchall()
    if reasons:
        told += "\nThe rest, by reason:\n" + lines_of(reasons, ("item", "agrees", "reason", "homes"))
    return told
