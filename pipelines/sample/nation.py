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
from pipelines.sample import averages, compare, form, layouts
from pipelines.sample.crew import planted_home
from pipelines.sample.expected import expected_rows
from pipelines.sample.expected_stars import rated_rows
from pipelines.sample.home import Home, Identity
from pipelines.sample.names import identities
from pipelines.sample.people import SMALL, ordinary_home
from pipelines.sample.plants import PEOPLE, Plant
from pipelines.sample.plants_files import FILES, LEVELS
from pipelines.sample.plants_inspections import INSPECTIONS
from pipelines.sample.plants_quality import QUALITY
from pipelines.sample.provider import Listing, listing_of
from pipelines.sample.quality import means_of
from pipelines.sample.ranking import rank
from pipelines.sample.truth import LEVEL_COMPONENT, Truth, is_plain, truth_of
from pipelines.sample.window import NEWEST, Window, window_of
from pipelines.sample.written import PbjFiles

PLANTS: tuple[Plant, ...] = (*PEOPLE, *LEVELS, *FILES, *INSPECTIONS, *QUALITY)
BY_KEY = {plant.key: plant for plant in PLANTS}
BLOCK = 40  # homes that are made and written together
FEW = 10  # blocks for which other processes are not worth their start


INCOMPLETE = "2021Q4"  # a payroll vendor's outage: CMS marks 1.1 percent of the home-days of this quarter
OUTAGE = (90, 7)  # every ninetieth home, first that of this number


def write_nation(folder: Path, homes: int = 320, seed: int = 1, release: str = NEWEST, residents: int = SMALL) -> None:
    """Write PBJ files of six quarters, Care Compare archives, `catalogue.json`, `plants.csv` and `truth.csv` under a folder.

    All as CMS ships the month of a release, and right by the rules of its day: a run for that release finds what truth.csv says.
    `residents` is the size of the middle home. The same arguments give the same bytes, and a home is the same whatever the number of
    homes; only stars that compare homes and averages over them depend on it. Memory holds a few blocks of homes and what Care
    Compare shows of each home.
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
                out.writerows(expected_rows(home, found, window.release, _why(plant), plant))
                listings.append(listing_of(home, found, window, seed, plant))
            files.write([home for home, _ in block])
        files.close()
        rank(listings)
        means = means_of((one.state, one.quality) for one in listings if one.listed)
        for listing in listings:
            plant = BY_KEY.get(listing.plant)
            out.writerows(rated_rows(listing, means, window.release_day, _why(plant), plant))
    archives = _care_compare(folder, window, listings)
    _catalogue(folder, files.names, archives)
    _plants(folder, who)


def _why(plant: Plant | None) -> str:
    return f"{plant.rule}: {plant.note}" if plant else "ordinary home"


def make_home(who: Identity, window: Window, seed: int, residents: int = SMALL) -> tuple[Home, Truth]:
    """One home and what must hold of it, from the seed and its number alone."""
    rng = np.random.default_rng([seed, who.number])
    plant = BY_KEY.get(who.plant)
    home = (
        planted_home(who, window, rng, plant.build, plant.finish, plant.residents, plant.usual)
        if plant
        else ordinary_home(who, window, rng, residents)
    )
    if INCOMPLETE in window.quarters and who.number % OUTAGE[0] == OUTAGE[1]:
        home.incomplete.add(window.quarters.index(INCOMPLETE))
    home.settle(window)
    found = truth_of(home, window)
    levels = [(value, measure) for measure in LEVEL_COMPONENT if (value := found.reported[measure]) is not None]
    while not home.exact and not all(is_plain(value, measure, home.index, window.release) for value, measure in levels):
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
    """The month's archive and, since the archives have their new form, a later one that posts two of its files again."""
    release = window.release
    posted, again = form.release_days(release)
    tables = compare.files(listings, window)
    found = [(f"archives/{form.archive_name(release, posted)}", posted.isoformat())]
    compare.archive(folder / found[0][0], release, posted, tables)
    if release >= form.PREFIX_SINCE:
        listed, month = [home for home in listings if home.listed], window.release_day.isoformat()
        part = {
            "provider_info": compare.provider_info(listed, month, correct=True),
            "state_averages": averages.state_averages(listed, release, month),
        }
        found.append((f"archives/{form.archive_name(release, again)}", again.isoformat()))
        compare.archive(folder / found[1][0], release, again, part, modified=posted)
    return found


def _catalogue(folder: Path, pbj: list[tuple[str, str, str]], archives: list[tuple[str, str]]) -> None:
    entries = []
    for title, path, quarter in pbj:
        first, last = periods.quarter_days(quarter)
        posted = form.quarter_posted(quarter).isoformat()
        entries.append({"dataset": title, "file": path, "temporal": f"{first}/{last}", "modified": posted})
    listed = {"pbj": entries, "archives": [{"file": path, "date": day} for path, day in archives]}
    (folder / "catalogue.json").write_text(json.dumps(listed, indent=2) + "\n", encoding="utf-8")


def _plants(folder: Path, who: list[Identity]) -> None:
    with (folder / "plants.csv").open("w", newline="", encoding="utf-8") as lines:
        out = csv.writer(lines, lineterminator="\n")
        out.writerow(["plant", "ccn", "state", "name", "rule", "note"])
        for one in sorted((w for w in who if w.plant), key=lambda w: w.number):
            plant = BY_KEY[one.plant]
            out.writerow([plant.key, one.ccn, one.state, one.name, plant.rule, plant.note])
