"""Writes a made-up nation as the files CMS publishes, and beside them what must come out of them."""

from __future__ import annotations

import csv
import json
import multiprocessing
import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

import numpy as np

from pipelines import periods
from pipelines.sample import compare, layouts
from pipelines.sample.crew import planted_home
from pipelines.sample.expected import expected_rows, inspected_rows
from pipelines.sample.home import Home, Identity
from pipelines.sample.names import identities
from pipelines.sample.people import SMALL, ordinary_home
from pipelines.sample.plants import PEOPLE, Plant
from pipelines.sample.plants_files import FILES, LEVELS
from pipelines.sample.provider import Listing, listing_of, rank
from pipelines.sample.truth import LEVEL_COMPONENT, Truth, is_plain, truth_of
from pipelines.sample.window import Window, window_of
from pipelines.sample.written import PbjFiles

PLANTS: tuple[Plant, ...] = (*PEOPLE, *LEVELS, *FILES)
BY_KEY = {plant.key: plant for plant in PLANTS}
BLOCK = 40  # homes that are made and written together
FEW = 10  # blocks for which other processes are not worth their start


def write_nation(folder: Path, homes: int = 320, seed: int = 1, release: str = "2026-07", residents: int = SMALL) -> None:
    """Write PBJ files of six quarters, Care Compare archives, `catalogue.json`, `plants.csv` and `truth.csv` under a folder.

    `residents` is the size of the middle home. The same arguments give the same bytes, and a home is the same whatever the number of
    homes; only stars that compare homes and averages over them depend on it. Memory holds a few blocks of homes and a
    ProviderInfo row of each home.
    """
    window = window_of(release)
    for name in ("pbj", "archives"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    who = identities(homes, seed, [(plant.key, plant.name, plant.state) for plant in PLANTS])
    listings: list[Listing] = []
    files = PbjFiles(folder, window)
    with (folder / "truth.csv").open("w", newline="", encoding="utf-8") as lines:
        out = csv.writer(lines, lineterminator="\n")
        out.writerow(layouts.TRUTH)
        for block in _blocks(who, window, seed, residents):
            for home, found in block:
                plant = BY_KEY.get(home.who.plant)
                out.writerows(expected_rows(home, found, f"{plant.rule}: {plant.note}" if plant else "ordinary home", plant))
                if home.in_provider_info:
                    listings.append(listing_of(home, found, window, seed))
            files.write([home for home, _ in block])
        files.close()
        rank(listings)
        for listing in listings:
            out.writerows(inspected_rows(listing))
    archives = _care_compare(folder, window, listings)
    _catalogue(folder, files.names, archives)
    _plants(folder, who)


def make_home(who: Identity, window: Window, seed: int, residents: int = SMALL) -> tuple[Home, Truth]:
    """One home and what must hold of it, from the seed and its number alone."""
    rng = np.random.default_rng([seed, who.number])
    plant = BY_KEY.get(who.plant)
    home = (
        planted_home(who, window, rng, plant.build, plant.finish, plant.residents, plant.usual)
        if plant
        else ordinary_home(who, window, rng, residents)
    )
    home.settle(window)
    found = truth_of(home, window)
    while not home.exact and not all(is_plain(v, m, home.index) for m in LEVEL_COMPONENT if (v := found.reported[m]) is not None):
        home.index += 1  # no ordinary home stands where readings of the rounding rule differ
    return home, truth_of(home, window, found)


def _make_block(who: list[Identity], window: Window, seed: int, residents: int) -> list[tuple[Home, Truth]]:
    return [make_home(one, window, seed, residents) for one in who]


def _blocks(who: list[Identity], window: Window, seed: int, residents: int) -> Iterator[list[tuple[Home, Truth]]]:
    """Homes block by block; those of a large nation are made by other processes while this one writes, a few blocks ahead of it."""
    blocks = [who[start : start + BLOCK] for start in range(0, len(who), BLOCK)]
    if len(blocks) <= FEW:
        yield from (_make_block(block, window, seed, residents) for block in blocks)
        return
    makers = max(1, (os.cpu_count() or 2) - 1)
    with ProcessPoolExecutor(makers, mp_context=multiprocessing.get_context("spawn")) as pool:
        ahead: deque[Future[list[tuple[Home, Truth]]]] = deque()
        for block in blocks:
            ahead.append(pool.submit(_make_block, block, window, seed, residents))
            if len(ahead) > 2 * makers:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def _care_compare(folder: Path, window: Window, listings: list[Listing]) -> list[tuple[str, str]]:
    """The month's archive and a later one that posts two of its files again."""
    posted, again = compare.release_days(window.release)
    month = posted.replace(day=1)
    averages = compare.state_averages(listings, month.isoformat())
    whole = {
        "NH_ProviderInfo": compare.provider_info(listings, month.isoformat()),
        "NH_StateUSAverages": averages,
        "NH_DataCollectionIntervals": compare.intervals(window, month),
    }
    part = {"NH_ProviderInfo": compare.provider_info(listings, month.isoformat(), correct=True), "NH_StateUSAverages": averages}
    found = []
    for day, files in ((posted, whole), (again, part)):
        name = f"archives/nursing-homes_{day.isoformat()}.zip"
        compare.archive(folder / name, posted, month, files)
        found.append((name, day.isoformat()))
    return found


def _catalogue(folder: Path, pbj: list[tuple[str, str, str]], archives: list[tuple[str, str]]) -> None:
    entries = []
    for title, path, quarter in pbj:
        first, last = periods.quarter_days(quarter)
        modified = compare.release_days(_shown_in(quarter))[0].isoformat()
        entries.append({"dataset": title, "file": path, "temporal": f"{first}/{last}", "modified": modified})
    listed = {"pbj": entries, "archives": [{"file": path, "date": day} for path, day in archives]}
    (folder / "catalogue.json").write_text(json.dumps(listed, indent=2) + "\n", encoding="utf-8")


def _shown_in(quarter: str) -> str:
    """The first release that reads a quarter, for levels or (2023Q4) turnover; older ones: the first of all."""
    made = [r for r in periods.releases().values() if r.basis != "never_made"]
    return min((r.name for r in made if max(r.all_quarters) == quarter), default=min(r.name for r in made))


def _plants(folder: Path, who: list[Identity]) -> None:
    with (folder / "plants.csv").open("w", newline="", encoding="utf-8") as lines:
        out = csv.writer(lines, lineterminator="\n")
        out.writerow(["plant", "ccn", "state", "name", "rule", "note"])
        for one in sorted((w for w in who if w.plant), key=lambda w: w.number):
            plant = BY_KEY[one.plant]
            out.writerow([plant.key, one.ccn, one.state, one.name, plant.rule, plant.note])
