"""The staff of an ordinary home: positions, who holds them when, and on which days they work."""

from __future__ import annotations

import numpy as np

from pipelines.sample.home import Home, Identity, Rows
from pipelines.sample.window import Window

SHIFT = 800
SMALL, REAL = 22, 80  # residents of the middle home: of the quick default, and of a nation with as many rows as the real one
# job code: share of its group's hours, hours on a weekend day as a share of a weekday's
MIX = {
    "rn": {5: (0.20, 0.10), 6: (0.16, 0.15), 7: (0.64, 0.90)},
    "lpn": {8: (0.12, 0.15), 9: (0.88, 0.93)},
    "nurse_aide": {10: (0.95, 0.95), 11: (0.02, 0.60), 12: (0.03, 0.90)},
}
NATIONAL_HPRD = {"rn": 0.42, "lpn": 0.86, "nurse_aide": 2.39}  # before what is added to cover days without an RN
SPREAD = {"rn": 0.42, "lpn": 0.30, "nurse_aide": 0.16}
OTHERS = (2, 16, 18, 19, 21, 22, 26, 28, 29, 29, 30, 39, 39, 39, 40, 15, 24, 17, 13, 3)
ALTERNATIVE = {7: 6, 6: 7, 9: 8, 10: 12, 12: 10, 5: 6}


def ordinary_home(who: Identity, window: Window, rng: np.random.Generator, residents: int = SMALL) -> Home:
    """A home with the turnover and hours that real homes have; `residents` is the size of the middle one."""
    size = float(np.clip(np.exp(rng.normal(np.log(22), 0.42)), 9, 75)) * residents / SMALL
    index = int(np.clip(rng.normal(141000, 13000), 100000, 200000))
    drift = np.cumsum(rng.normal(0, 0.02, window.days)) * size * 0.05
    census = np.maximum(1, np.rint(size + np.clip(drift, -0.2 * size, 0.2 * size) + rng.normal(0, 0.6, window.days))).astype(
        np.int64
    )
    rows = staff(size, index, window, rng)
    if rng.random() < 0.985:
        rows = _cover_days_without_rn(rows, window)
    return Home(who, census, rows, index)


def staff(size: float, index: int, window: Window, rng: np.random.Generator) -> Rows:
    """Employee rows of a home of `size` residents over the window."""
    level = np.exp(rng.normal(-0.01, 0.17)) * (index / 141000) ** 0.5
    restless = float(np.clip(rng.gamma(4.0, 0.24), 0.25, 2.4))  # how quickly people leave this home
    agency = 0.0 if rng.random() < 0.3 else float(rng.beta(1.2, 4.5))
    slots: list[tuple[int, float]] = []  # job code, weekend factor
    for group, mix in MIX.items():
        target = NATIONAL_HPRD[group] * level * np.exp(rng.normal(0, SPREAD[group])) * size
        for code, (share, weekend) in mix.items():
            wanted = target * share / 5.2
            count = int(wanted) + int(rng.random() < wanted % 1)
            if code == 7:
                count = max(count, 2)
            slots += [(code, weekend)] * count
    others = max(5, round(size * 0.26))
    slots += [(code, 0.3) for code in rng.permutation(np.array(OTHERS))[: min(others, len(OTHERS))].tolist()]
    slots.append((1, 0.05))
    return _work(_holders(slots, restless, agency, window, rng), window, rng)


def _holders(
    slots: list[tuple[int, float]], restless: float, agency: float, window: Window, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """The people who hold the positions one after another."""
    found: list[tuple[int, float, bool, int, int, float, int]] = []
    for code, weekend in slots:
        day = -int(rng.integers(0, 30))
        lasting = rng.random() < 0.57
        while day < window.days:
            contract = bool(rng.random() < agency) and 5 < code <= 12
            mean = 150 if contract else (1700 if lasting else 212)
            if code == 1:
                mean = 640
            elif code == 5:
                mean = 900
            stay = int(rng.exponential(mean / (restless if code != 1 else 1.0))) + 1
            full = code in (1, 5, 6, 8) or rng.random() < 0.78
            share = 0.71 if full else (0.33 if rng.random() < 0.7 else 0.12)
            found.append((code, weekend, contract, day, day + stay, share, SHIFT if rng.random() < 0.85 else 1150))
            day += stay + 1 + int(rng.integers(0, 12 if code != 1 else 20))
    columns = list(zip(*found, strict=True))
    kinds = (np.int8, float, bool, np.int64, np.int64, float, np.int64)
    names = ("code", "weekend", "contract", "first", "last", "share", "shift")
    return {name: np.array(values, dtype=kind) for name, kind, values in zip(names, kinds, columns, strict=True)}


def _work(people: dict[str, np.ndarray], window: Window, rng: np.random.Generator) -> Rows:
    count = len(people["code"])
    days = np.arange(window.days)
    active = (days >= people["first"][:, None]) & (days <= people["last"][:, None])
    for person in np.nonzero(rng.random(count) < 0.06)[0]:  # a long leave; some reach ninety days
        start = int(rng.integers(0, window.days))
        active[person, start : start + int(rng.integers(25, 125))] = False
    weekend = (window.first.weekday() + days) % 7 >= 5
    share = people["share"] * np.where(people["shift"] > SHIFT, 0.7, 1.0)
    weekday_share = np.minimum(0.97, share * 7 / (5 + 2 * people["weekend"]))
    chance = np.where(weekend, weekday_share[:, None] * people["weekend"][:, None], weekday_share[:, None])
    who, day = np.nonzero(active & (rng.random((count, window.days), dtype=np.float32) < chance))
    n = len(who)
    cents = people["shift"][who] + np.where(rng.random(n) < 0.45, 0, rng.integers(-75, 76, n))
    code = people["code"][who]
    other = np.array([ALTERNATIVE.get(c, c) for c in range(41)], dtype=np.int8)
    flexible = (rng.random(count) < 0.08)[who]
    code = np.where(flexible & (rng.random(n) < 0.25), other[code], code).astype(np.int8)
    ids = rng.permutation(rng.choice(31_000_000, size=count, replace=False) + 10_921)
    rows = Rows(day.astype(np.int32), ids[who], code, people["contract"][who], cents)
    both = flexible & (rng.random(n) < 0.1)  # a second code on the same day
    second = rows.where(both)
    second = Rows(second.day, second.person, other[second.code], second.contract, np.full(len(second), 200, dtype=np.int64))
    return rows.plus(second.where(second.code != rows.where(both).code))


def _cover_days_without_rn(rows: Rows, window: Window) -> Rows:
    """Let a nurse who works that week come in on days that have no RN hours."""
    rn = rows.where((rows.code >= 5) & (rows.code <= 7))
    covered = np.zeros(window.days, dtype=bool)
    covered[rn.day] = True
    missing = np.nonzero(~covered)[0]
    if len(rn) == 0 or len(missing) == 0:
        return rows
    rn = rn.sorted()
    nearest = np.minimum(np.searchsorted(rn.day, missing), len(rn) - 1)
    extra = rn.where(nearest)
    return rows.plus(Rows(missing.astype(np.int32), extra.person, np.full(len(missing), 7, np.int8), extra.contract, extra.cents))
