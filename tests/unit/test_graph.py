"""The asset graph is the committed one, and the rules that the code leans on hold."""

from __future__ import annotations

import csv
import re
import tomllib
from pathlib import Path

import dagster as dg

from pipelines.definitions import defs
from pipelines.engine import SQL
from pipelines.partitions import QUARTERS, RELEASES
from pipelines.periods import RULES

SNAPSHOT = Path(__file__).parent / "asset_graph.txt"
EFFECTS = {"minimum_points", "left_out", "no_value", "one_star", "published_value", "flag"}
LITERAL = r"'([a-z][a-z0-9_]+)'"
WORD = (  # where a literal is a reason: named as one, compared with one, or a value that a column named so takes
    re.compile(r"\b(?:exclusion|reason)\s*:\s*" + LITERAL),
    re.compile(LITERAL + r"\s+as\s+(?:exclusion|reason)\b"),
    re.compile(r"\b\w*(?:exclusion|reason)\s*(?:=|<>)\s*" + LITERAL),
)
LISTED = re.compile(r"\b\w*(?:exclusion|reason)\s+in\s*\(([^)]*)\)")
CASE = re.compile(r"\bcase\b(?:(?!\bcase\b|\bend\b).)*\bend\s+as\s+(?:\w*reason|exclusion|status|\w+_why)\b", re.DOTALL)
TAKEN = re.compile(r"\b(?:then|else)\s+(?:coalesce\([^()]*,\s*)?" + LITERAL)
FALLBACK = re.compile(r"coalesce\([\w.]*(?:reason|exclusion|missing_level)\s*,\s*" + LITERAL)


def graph_text() -> str:
    """Assets with partitions and dependencies, jobs with what they make, schedules, sensors: one line each."""
    assets = defs.resolve_asset_graph()
    sets = {tuple(QUARTERS.get_partition_keys()): "quarters", tuple(RELEASES.get_partition_keys()): "releases"}
    lines = []
    for name, keys in (("quarters", QUARTERS.get_partition_keys()), ("releases", RELEASES.get_partition_keys())):
        lines.append(f"partitions {name}: {len(keys)} from {keys[0]} to {keys[-1]}")
    for key in sorted(assets.get_all_asset_keys()):
        node = assets.get(key)
        clock = sets[tuple(node.partitions_def.get_partition_keys())] if node.partitions_def else "none"
        mapped = node.partition_mappings or {}
        parents = [f"{p.to_user_string()}{' (mapped)' if p in mapped else ''}" for p in sorted(node.parent_keys)]
        lines.append(f"asset {key.to_user_string()} [{clock}] <- {', '.join(parents) or 'nothing'}")
    lines += [f"check {check.to_user_string()}" for check in sorted(assets.asset_check_keys)]
    for job in sorted(defs.jobs or [], key=lambda job: job.name):
        made = sorted(key.to_user_string() for key in defs.resolve_job_def(job.name).asset_layer.selected_asset_keys)
        lines.append(f"job {job.name}: {', '.join(made) or 'ops only'}")
    for schedule in defs.schedules or []:
        assert isinstance(schedule, dg.ScheduleDefinition)
        lines.append(f"schedule {schedule.name}: {schedule.cron_schedule} -> {schedule.job_name}")
    for sensor in defs.sensors or []:
        assert isinstance(sensor, dg.SensorDefinition)
        lines.append(
            f"sensor {sensor.name}: every {sensor.minimum_interval_seconds} s -> {', '.join(t.job_name for t in sensor.targets)}"
        )
    return "\n".join(lines) + "\n"


def reason_words(select: str) -> set[str]:
    """Literals of a SELECT that it gives or compares as exclusion, reason or status words."""
    text = re.sub(r"--[^\n]*", "", select)
    found = {word for pattern in (*WORD, FALLBACK) for word in pattern.findall(text)}
    for listed in LISTED.findall(text):
        found |= set(re.findall(LITERAL, listed))
    for case in CASE.findall(text):
        found |= set(TAKEN.findall(case))
    return found


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a rule table."""
    with (RULES / f"{name}.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_the_asset_graph_is_the_committed_one() -> None:
    assert SNAPSHOT.read_text() == graph_text(), (
        "The asset graph changed. Where that was meant, rewrite the snapshot with .venv/bin/python -m tests.unit.test_graph"
    )


def test_every_reason_word_in_sql_stands_in_reasons_csv() -> None:
    known = {row["reason"] for row in rows("reasons")}
    unknown = {
        f"{path.relative_to(SQL)}: {word}"
        for path in sorted(SQL.glob("*/*.sql"))
        for word in reason_words(path.read_text()) - known
    }
    assert unknown == set()


def test_reason_words_are_seen_where_sql_gives_them() -> None:
    """The pattern must see the ways in which our SQL writes a reason, or the test above passes on anything."""
    assert reason_words("select 'a_word' as exclusion, {exclusion: 'b_word', applies: true}") == {"a_word", "b_word"}
    assert reason_words("select case when x then 'c_word' else coalesce(y.reason, 'd_word') end as reason") == {
        "c_word",
        "d_word",
    }
    assert reason_words("select 1 where t.exclusion in ('e_word', 'f_word') -- reason = 'not_this'") == {"e_word", "f_word"}
    found = set().union(*(reason_words(path.read_text()) for path in SQL.glob("*/*.sql")))
    assert {"missing_quarter", "full_daily_turnover", "value_blank", "no_rn_days", "differs", "rejected_rows"} <= found


def test_words_of_other_rule_tables_stand_in_reasons_csv() -> None:
    known = {row["reason"] for row in rows("reasons")}
    assert {row["exclusion"] for row in rows("exclusion_effects")} <= known
    assert {row["reason"] for row in rows("footnotes") if row["reason"]} <= known


def test_definitions_by_their_own_hours_have_the_smallest_gap() -> None:
    """sql/turnover/spells.sql takes the hours of the first stretch as those of the spell: true only for the smallest gap."""
    definitions = rows("turnover_definitions")
    smallest = min(int(row["gap_days"]) for row in definitions)
    assert {int(row["gap_days"]) for row in definitions if row["hours_scope"] == "spell"} == {smallest}


def test_every_gap_is_longer_than_the_pauses_that_staging_notes() -> None:
    """sql/turnover/stretches.sql sees no gap inside a quarter that sql/staged/employee_quarters.sql did not note as a pause."""
    noted = {int(days) for days in re.findall(r"> (\d+)", (SQL / "staged" / "employee_quarters.sql").read_text())}
    assert len(noted - {0}) == 1
    assert min(int(row["gap_days"]) for row in rows("turnover_definitions")) >= max(noted)


def test_every_definition_is_one_that_the_engine_computes() -> None:
    """stretch_hours.sql counts one window of hours, any 90 days only of own days and hours."""
    found = rows("turnover_definitions")
    assert len({row["hours_window_days"] for row in found}) == 1
    for row in found:
        own = (row["day_basis"], row["hours_basis"], row["hours_scope"]) == ("own", "own", "all")
        assert row["eligibility_period"] == "first_workday" or own, row


def test_a_wheel_holds_every_sql_file_and_rule_table() -> None:
    """A worker needs the package alone: what is read at run time lies under a package that the build takes."""
    build = tomllib.loads((SQL.parent / "pyproject.toml").read_text())["tool"]["setuptools"]
    taken = {
        file
        for package, patterns in build["package-data"].items()
        if package in build["packages"]
        for pattern in patterns
        for file in (SQL.parent / package).glob(pattern)
    }
    assert taken >= {*SQL.glob("**/*.sql"), *RULES.glob("*")}


if __name__ == "__main__":
    SNAPSHOT.write_text(graph_text())
