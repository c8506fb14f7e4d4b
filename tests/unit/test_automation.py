"""What the sensor and the schedule ask for."""

from __future__ import annotations

import dagster as dg
import pytest

from pipelines import automation
from pipelines.definitions import build_defs
from pipelines.periods import release
from pipelines.resources import Run
from pipelines.sources import Offer


class Shelf:
    """A source that offers what a test puts on it."""

    name = "shelf"
    warnings: tuple[str, ...] = ()

    def __init__(self, modified: dict[str, str]):
        self.modified = modified

    def offers(self) -> list[Offer]:
        return [
            Offer(t, q, f"http://example.invalid/{t}/{q}", m, 1)
            for q, m in self.modified.items()
            for t in ("pbj_daily", "pbj_employee")
        ]


def tick(monkeypatch: pytest.MonkeyPatch, modified: dict[str, str], cursor: str | None) -> dg.SensorResult:
    """One look at a catalogue."""
    monkeypatch.setattr(Run, "opened", lambda self: Shelf(modified))
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


def test_the_schedule_asks_for_the_newest_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release is ready when its six quarters are offered in both PBJ files."""
    monkeypatch.setattr(Run, "opened", lambda self: Shelf(dict.fromkeys(release("2026-07").quarters, "")))
    assert automation.newest_release(Run()) == "2026-07"
    monkeypatch.setattr(Run, "opened", lambda self: Shelf({}))
    with pytest.raises(Exception, match="openstars sources"):
        automation.newest_release(Run())
