"""Fines and payment denials of a home."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

AGAIN = 0.2  # share of second fines that repeat the first to the cent, which CMS's file holds as two equal rows


@dataclass(frozen=True, slots=True)
class Penalty:
    """A fine in dollars, or a denial that starts a month later and lasts so many days."""

    day: date
    dollars: int = 0
    denied_days: int = 0


def draw(release_day: date, rng: np.random.Generator) -> tuple[Penalty, ...]:
    """Penalties of the last three years, by day."""

    def day() -> date:
        return release_day - timedelta(days=int(rng.integers(20, 1090)))

    found = [Penalty(day(), dollars=int(rng.integers(650, 40_000))) for _ in range(rng.poisson(0.9))]
    if len(found) > 1 and rng.random() < AGAIN:
        found[1] = found[0]
    found += [Penalty(day(), denied_days=int(rng.integers(1, 60))) for _ in range(rng.poisson(0.15))]
    return tuple(sorted(found, key=lambda one: (one.day, one.dollars)))
