"""Ratios measured in one run: `make bench SCALE=0.1` writes bench.json and a table. 1 is the nation, 14,700 homes of real size.

Every step runs in a process of its own, one after another, so that its time and its peak memory are its own. A ratio that the scale
does not measure is null; one that misses its bar makes the run fail.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
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


def digests(store: Path) -> str:
    """One hash over every table of the release."""
    files = sorted((store / "published" / RELEASE).glob("*.parquet"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def main() -> int:
    """Run everything, write bench.json, print the table; 1 where a bar is missed."""
    scale = float(os.environ.get("SCALE", "0.01"))
    times = 3 if scale <= TENTH else 1
    rows: list[tuple[str, str, str]] = []
    figures: dict[str, Any] = dict.fromkeys((*BARS, "identical"))
    peaks: dict[str, float] = {}

    def note(name: str, seconds: float, peak: float) -> None:
        peaks[name] = peak
        rows.append((name, f"{seconds:.2f} s", f"{peak:.2f} GB"))
        print(f"{name}: {seconds:.2f} s, {peak:.2f} GB", flush=True)

    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as root:
        folder, store = Path(root) / "nation", Path(root) / "store"
        _, seconds, peak = alone(ways.sample, folder, round(NATION * scale))
        note("sample", seconds, peak)
        _, first, peak = alone(ways.run, folder, store)
        note("six quarters from nothing", first, peak)
        _, second, peak = alone(ways.run, folder, store)
        note("second run with nothing new", second, peak)
        figures["second_run_seconds"] = round(second, 1)
        ways.forget(store, QUARTER)
        _, fresh, peak = alone(ways.run, folder, store)
        note("a new quarter", fresh, peak)
        figures["new_quarter_over_six"] = round(fresh / first, 3)

        counted, peak = best(ways.bare_count, store, QUARTER, times=times)
        note("bare count of a quarter", counted, peak)
        staged, peak = best(ways.stage_quarter, store, QUARTER, times=times)
        note("stage a quarter, unpacking apart", staged, peak)
        figures["stage_over_count"] = round(staged / counted, 2)

        engine, peak = best(ways.engine, store, times=times)
        note("turnover engine, definition cms", engine, peak)
        if scale <= TENTH:
            alone(ways.write_days, store, Path(root))
            window, peak = best(ways.window_sql, Path(root), times=times)
            note("plain window SQL", window, peak)
            polars, peak = best(ways.polars, Path(root), times=times)
            note("polars", polars, peak)
            figures["engine_over_window_sql"] = round(engine / window, 4)
            figures["engine_over_polars"] = round(engine / polars, 4)
        figures["peak_gb"] = round(max(peaks[n] for n in peaks if n not in ("plain window SQL", "polars")), 2)
        if scale < TENTH:
            one = digests(store)
            same = []
            for ranges, threads in ((1, 1), (7, 2), (32, 2)):
                other = Path(root) / f"store{ranges}"
                alone(ways.run, folder, other, ranges, threads)
                same.append(digests(other) == one)
                shutil.rmtree(other)
            figures["identical"] = all(same)

    missed = [key for key, (bar, least) in BARS.items() if figures[key] is not None and scale >= least and figures[key] > bar]
    missed += ["identical"] if figures["identical"] is False else []
    Path("bench.json").write_text(json.dumps({**figures, "scale": scale, "missed": missed}, indent=1) + "\n")
    print(f"\nScale {scale}, DuckDB {duckdb.__version__}, {os.cpu_count()} cores")
    for name, took, held in rows:
        print(f"  {name:36} {took:>12} {held:>10}")
    for key, (bar, least) in BARS.items():
        counts = "" if scale >= least else f", which counts from SCALE={least:g} on"
        print(f"  {key:36} {figures[key]!s:>12}   at most {bar:.4g}{counts}{'   MISSED' if key in missed else ''}")
    print(f"  {'identical':36} {figures['identical']!s:>12}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
