"""Who the homes are: certification numbers, names and places, from the seed and the home's number only."""

from __future__ import annotations

from collections import Counter

import numpy as np

from pipelines.sample.home import Identity

# State, first two digits of its certification numbers, share of the nation's homes in thousandths
STATES = (
    ("AL", "01", 15), ("AK", "02", 2), ("AZ", "03", 10), ("AR", "04", 15), ("CA", "05", 78), ("CO", "06", 14), ("CT", "07", 13),
    ("DE", "08", 3), ("DC", "09", 1), ("FL", "10", 47), ("GA", "11", 24), ("HI", "12", 3), ("ID", "13", 5), ("IL", "14", 46),
    ("IN", "15", 35), ("IA", "16", 27), ("KS", "17", 20), ("KY", "18", 18), ("LA", "19", 18), ("ME", "20", 5), ("MD", "21", 15),
    ("MA", "22", 23), ("MI", "23", 29), ("MN", "24", 23), ("MS", "25", 14), ("MO", "26", 33), ("MT", "27", 4), ("NE", "28", 12),
    ("NV", "29", 4), ("NH", "30", 5), ("NJ", "31", 23), ("NM", "32", 5), ("NY", "33", 41), ("NC", "34", 28), ("ND", "35", 5),
    ("OH", "36", 62), ("OK", "37", 19), ("OR", "38", 8), ("PA", "39", 45), ("PR", "40", 1), ("RI", "41", 5), ("SC", "42", 12),
    ("SD", "43", 6), ("TN", "44", 20), ("TX", "45", 79), ("UT", "46", 6), ("VT", "47", 2), ("VA", "49", 19), ("WA", "50", 13),
    ("WV", "51", 8), ("WI", "52", 22), ("WY", "53", 2), ("GU", "65", 1),
)  # fmt: skip
CODE_OF = {state: code for state, code, _ in STATES}
PLACES = ("MAPLE", "CEDAR", "WILLOW", "RIVER", "PRAIRIE", "HARBOR", "GRANITE", "SUMMIT", "MEADOW", "ORCHARD", "LAUREL", "JUNIPER",
          "SYCAMORE", "HICKORY", "LAKESIDE", "FOOTHILL", "COTTONWOOD", "MAGNOLIA", "BIRCH", "CLOVER")  # fmt: skip
FEATURES = ("GROVE", "CREEK", "RIDGE", "VIEW", "HAVEN", "TERRACE", "POINT", "VALLEY", "PARK", "SPRINGS")
KINDS = (
    "CARE CENTER",
    "NURSING AND REHABILITATION",
    "HEALTH CARE, LLC",
    "REHABILITATION & NURSING CENTER",
    "MANOR",
    "NURSING HOME",
)
TOWNS = ("FAIRVIEW", "SPRINGFIELD", "CLINTON", "GREENVILLE", "MADISON", "FRANKLIN", "SALEM", "ASHLAND", "Dover", "NEWPORT")
COUNTIES = ("Jefferson", "Washington", "Lincoln", "Adams", "Clay", "Monroe", "St. Clair", "Marion", "Union", "Lake")


def identities(homes: int, seed: int, planted: list[tuple[str, str, str]]) -> list[Identity]:
    """The homes in order of their certification numbers. `planted` (key, name, state) come first in number."""
    weights = np.array([w for _, _, w in STATES]) / sum(w for _, _, w in STATES)
    used: Counter[str] = Counter()
    found = []
    for number in range(homes):
        rng = np.random.default_rng([seed, 7, number])
        key, name, state = planted[number] if number < len(planted) else ("", "", "")
        if not key:
            state = STATES[int(rng.choice(len(STATES), p=weights))][0]
            words = (PLACES[rng.integers(len(PLACES))], FEATURES[rng.integers(len(FEATURES))], KINDS[rng.integers(len(KINDS))])
            name = " ".join(words)
        used[state] += 1
        lettered = key.startswith("lettered") or (not key and rng.random() < 0.015)
        code = CODE_OF[state]
        ccn = f"{code}{'AEF'[used[state] // 1000]}{used[state] % 1000:03d}" if lettered else f"{code}{5000 + used[state]:04d}"
        found.append(
            Identity(
                number=number,
                ccn=ccn,
                name=name,
                state=state,
                city=TOWNS[rng.integers(len(TOWNS))],
                county=COUNTIES[rng.integers(len(COUNTIES))],
                fips=int(rng.integers(1, 200)) * 2 - 1,
                zip_code=f"{int(code) * 1000 + int(rng.integers(1000)):05d}",
                plant=key,
            )
        )
    return sorted(found, key=lambda who: who.ccn)
