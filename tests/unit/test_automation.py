"""What the sensor and the schedule ask for."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from pipelines import automation
from pipelines.definitions import build_defs
from pipelines.periods import release
from pipelines.resources import Run
from pipelines.sources import Offer
from pipelines.sources.cms import ARCHIVE
from tests.cases import fill


class Shelf:
    """A source that offers what a test puts on it."""

    name = "shelf"
    warnings: tuple[str, ...] = ()

    def __init__(self, modified: dict[str, str], archives: tuple[str, ...] = ()):
        self.modified, self.archives = modified, archives

    def offers(self) -> list[Offer]:
        return [
            Offer(t, q, f"http://example.invalid/{t}/{q}", m, 1)
            for q, m in self.modified.items()
            for t in ("pbj_daily", "pbj_employee")
        ] + [Offer(ARCHIVE, "", f"http://example.invalid/{day}.zip", day, 1) for day in self.archives]


def tick(
    monkeypatch: pytest.MonkeyPatch, modified: dict[str, str], cursor: str | None, archives: tuple[str, ...] = ()
) -> dg.SensorResult:
    """One look at a catalogue."""
    monkeypatch.setattr(Run, "fresh", lambda self: Shelf(modified, archives))
    context = dg.build_sensor_context(cursor=cursor, definitions=build_defs(), resources={"run": Run()})
    result = automation.catalogue_sensor(context)
    assert isinstance(result, dg.SensorResult)
    return result


def asked(result: dg.SensorResult) -> list[str | None]:
    return [request.partition_key for request in result.run_requests or []]


def test_the_sensor_asks_again_for_what_a_republished_quarter_touches(monkeypatch: pytest.MonkeyPatch) -> None:
    """First the newest release, then nothing, then every release that reads the re-published quarter, under another run key."""
    shelf = {q: "2026-07-29" for name in ("2026-04", "2026-07") for q in release(name).quarters}
    first = tick(monkeypatch, shelf, None)
    assert asked(first) == ["2026-07"]
    assert asked(tick(monkeypatch, shelf, first.cursor)) == []
    again = tick(monkeypatch, {**shelf, "2025Q1": "2026-09-01"}, first.cursor)
    assert asked(again) == ["2026-04", "2026-07"]
    assert {r.run_key for r in again.run_requests or []}.isdisjoint({r.run_key for r in first.run_requests or []})


def test_the_sensor_sees_a_care_compare_archive_that_is_posted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second posting of July's files in August touches July, and not the release of April."""
    shelf = {q: "2026-07-29" for name in ("2026-01", "2026-07") for q in release(name).quarters}
    first = tick(monkeypatch, shelf, None, ("2026-01-28", "2026-07-29"))
    again = tick(monkeypatch, shelf, first.cursor, ("2026-01-28", "2026-07-29", "2026-08-06"))
    assert asked(again) == ["2026-07"]


def test_a_source_is_looked_at_anew(tmp_path: Path) -> None:
    """A process that lives for weeks sees a file that was added since; within a run the source is read once."""
    fill.write(tmp_path / "files" / "one.csv", "pbj_daily", [{}])
    run = Run(data=str(tmp_path / "store"), source=str(tmp_path / "files"))
    assert len(run.fresh().offers()) == len(run.opened().offers()) == 1
    fill.write(tmp_path / "files" / "two.csv", "provider_info", [{}])
    assert (len(run.fresh().offers()), len(run.opened().offers())) == (2, 1)


def test_the_schedule_asks_for_the_newest_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release is ready when its six quarters are offered in both PBJ files."""
    monkeypatch.setattr(Run, "fresh", lambda self: Shelf(dict.fromkeys(release("2026-07").quarters, "")))
    assert automation.newest_release(Run()) == "2026-07"
    monkeypatch.setattr(Run, "fresh", lambda self: Shelf({}))
    with pytest.raises(Exception, match="openstars sources"):
        automation.newest_release(Run())
