"""Ratios measured in one run: `make bench SCALE=0.1` writes bench.json and a table. 1 is the nation, 14,700 homes of real size.

Every step runs in a process of its own, one after another, so that its time and its peak memory are its own. A ratio that the scale
does not measure is null; one that misses its bar makes the run fail.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import duckdb

from tests.bench import ways
from tests.bench.alone import alone, best

NATION = 14_700  # homes
TENTH, WHOLE = 0.1, 1.0
RELEASE, QUARTER = "2026-07", "2026Q1"
BARS = {  # key: what the figure must not pass, and the scale from which it counts
    "stage_over_count": (4.0, TENTH),
    "engine_over_window_sql": (1 / 12, TENTH),
    "engine_over_polars": (1 / 8, TENTH),
    "peak_gb": (3.0, 0.0),
    "nation_over_tenth": (11.0, WHOLE),
    "second_run_seconds": (10.0, 0.0),
    "new_quarter_over_six": (1 / 3, TENTH),
}


OTHER_WAYS = ((1, 1, 0), (7, 2, 0), (32, 2, 0), (7, 1, 2))  # ranges of homes, threads, workers of a Dask cluster


def digests(store: Path) -> str:
    """One hash over every table of the release."""
    files = sorted((store / "published" / RELEASE).glob("*.parquet"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in [*files, files[0].with_name("datapackage.json")])).hexdigest()


class Bench:
    """One run: its figures, and what every step took."""

    def __init__(self, root: Path, scale: float):
        self.root, self.scale = root, scale
        self.times = 3 if scale <= TENTH else 1
        self.figures: dict[str, Any] = dict.fromkeys((*BARS, "identical"))
        self.quarter = 0.0
        self.steps: list[tuple[str, float, float]] = []

    def note(self, name: str, seconds: float, peak: float) -> float:
        """Keep and tell what a step took; its seconds."""
        self.steps.append((name, seconds, peak))
        print(f"{name}: {seconds:.2f} s, {peak:.2f} GB", flush=True)
        return seconds

    def alone(self, name: str, work: Callable[..., Any], *arguments: Any) -> float:
        """Time a piece of work as a whole process."""
        _, seconds, peak = alone(work, *arguments)
        return self.note(name, seconds, peak)

    def best(self, name: str, work: Callable[..., float], *arguments: Any) -> float:
        """Time a piece of work that measures itself."""
        return self.note(name, *best(work, *arguments, times=self.times))

    def nation(self, scale: float, told: str = "") -> tuple[Path, Path, float]:
        """Make a nation and rate it from nothing: its folder, its store, and the seconds of the whole job."""
        folder, store = self.root / f"nation{scale}", self.root / f"store{scale}"
        self.alone(f"sample{told}", ways.sample, folder, round(NATION * scale))
        return folder, store, self.alone(f"six quarters from nothing{told}", ways.run, folder, store)

    def whole_job(self) -> None:
        """The main job: from nothing, with nothing new, with a new quarter, and how it grows with the nation."""
        folder, store, first = self.nation(self.scale)
        self.figures["second_run_seconds"] = round(self.alone("second run with nothing new", ways.run, folder, store), 1)
        ways.forget(store, QUARTER)
        fresh = self.alone("a new quarter", ways.run, folder, store)
        self.figures["new_quarter_over_six"] = round(fresh / first, 3)
        self.quarter = (first - fresh) / 5  # fetch, unpack, stage and check both PBJ files of a quarter
        self.figures["peak_gb"] = round(max(peak for _, _, peak in self.steps), 2)
        if self.scale >= WHOLE:
            small, small_store, tenth = self.nation(TENTH, ", a tenth")
            self.figures["nation_over_tenth"] = round(first / tenth, 2)
            self.figures["identical"] = self.same(small, small_store, OTHER_WAYS, ", a tenth") and self.same(
                folder, store, OTHER_WAYS[-1:]
            )
        else:
            self.figures["identical"] = self.same(folder, store, OTHER_WAYS)

    def same(self, folder: Path, store: Path, others: Iterable[tuple[int, int, int]], told: str = "") -> bool:
        """Whether the release has the same bytes when it is computed in other ways."""
        one, same = digests(store), True
        for ranges, threads, workers in others:
            ways.forget_release(store) if workers or ranges > 1 else ways.forget_all_but_raw(store)
            by = f"{workers} Dask workers" if workers else f"{threads} threads"
            self.alone(
                f"computed in {ranges} ranges, {by}{told}",
                ways.run_on_cluster if workers else ways.run,
                folder,
                store,
                ranges,
                workers or threads,
            )
            same = same and digests(store) == one
        return same

    def parts(self) -> None:
        """Staging against a bare count, the turnover engine against what people would write."""
        store = self.root / f"store{self.scale}"
        counted = self.best("bare count of a quarter", ways.bare_count, store, QUARTER)
        self.best("unpack a quarter: unzip, transcode, cut", ways.unpack_quarter, store, QUARTER)
        staged = self.best("stage a quarter, unpacking apart", ways.stage_quarter, store, QUARTER)
        self.figures["stage_over_count"] = round(staged / counted, 2)
        self.figures["whole_quarter_over_count"] = round(self.quarter / counted, 2)
        store = self.root / f"store{min(self.scale, TENTH)}"  # window SQL and polars do not fit at the size of the nation
        engine = self.best("turnover engine, definition cms", ways.engine, store)
        alone(ways.write_days, store, self.root)
        window = self.best("plain window SQL", ways.window_sql, self.root)
        polars = self.best("polars", ways.polars, self.root)
        self.figures["engine_over_window_sql"] = round(engine / window, 4)
        self.figures["engine_over_polars"] = round(engine / polars, 4)

    def missed(self) -> list[str]:
        """The figures that count at this scale and pass their bars."""
        known = {key: value for key, value in self.figures.items() if key in BARS and value is not None}
        missed = [key for key, value in known.items() if self.scale >= BARS[key][1] and value > BARS[key][0]]
        return missed + (["identical"] if self.figures["identical"] is False else [])

    def table(self) -> str:
        """Everything as a person reads it."""
        lines = [f"Scale {self.scale}, DuckDB {duckdb.__version__}, {os.cpu_count()} cores"]
        lines += [f"  {name:42} {seconds:>10.2f} s {peak:>7.2f} GB" for name, seconds, peak in self.steps]
        for key, (bar, least) in BARS.items():
            counts = "" if self.scale >= least else f", which counts from SCALE={least:g} on"
            mark = "   MISSED" if key in self.missed() else ""
            lines.append(f"  {key:42} {self.figures[key]!s:>12}   at most {bar:.4g}{counts}{mark}")
        lines += [f"  {key:42} {self.figures[key]!s:>12}" for key in ("whole_quarter_over_count", "identical")]
        return "\n".join(lines)


def main() -> int:
    """Run everything, write bench.json, print the table; 1 where a bar is missed."""
    scale = float(os.environ.get("SCALE", "0.01"))
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as root:
        bench = Bench(Path(root), scale)
        bench.whole_job()
        bench.parts()
    steps = {name: [round(seconds, 2), round(peak, 2)] for name, seconds, peak in bench.steps}
    figures = {**bench.figures, "scale": scale, "missed": bench.missed(), "steps_seconds_and_gb": steps}
    Path("bench.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(f"\n{bench.table()}")
    return 1 if bench.missed() else 0


if __name__ == "__main__":
    sys.exit(main())
