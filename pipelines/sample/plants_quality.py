"""The planted homes of the quality measures; points and scores are by hand, by the bands of July 2026."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pipelines.sample.measures import LONG, SHORT, Wanted, measures_of, stay_of
from pipelines.sample.plants import USUAL, Plant
from pipelines.sample.plants_inspections import CLEAN
from pipelines.sample.window import NEWEST

_MEASURES = measures_of(NEWEST)
_LONG, _SHORT = (stay_of(_MEASURES, stay) for stay in (LONG, SHORT))
_BEST = {code: one.most for code, one in _MEASURES.items()}
# Long 510 + 280 = 790; short 390 + 100 = 490, adjusted 704.375, so 704: together 1494.
_LONG_790 = {"401": 105, "451": 105, "481": 105, "551": 105, "552": 90, "479": 80, "406": 80, "407": 60, "410": 60}
_SHORT_490 = {"S_005": 105, "S_042": 105, "521": 90, "522": 90, "434": 60, "S_038": 40}
# Long 480 + 280 = 760; short 390 + 120 = 510, adjusted 733.125, so 733: together 1493.
_LONG_760 = {**_LONG_790, "481": 90, "551": 90}
_SHORT_510 = {**_SHORT_490, "S_038": 60}


# Stars of a domain alone: 790 long points are five, 704 short ones four.


def _plant(key: str, state: str, rule: str, note: str, measured: Wanted, earned: Mapping[str, int | None]) -> Plant:
    name = f"PLANT {key.replace('_', ' ').upper()} HOME"
    return Plant(key, name, state, rule, note, counts=USUAL, measured=measured, earned=dict(earned))


QUALITY = (
    _plant("band_edge", "CA", "5.2, 5.5", "401 printed 6.625000: 0.06625 rounds up to 0.0663, the worse band",
           Wanted(printed={"401": "6.625000"}), {"401": 135}),
    _plant("zero_values", "TX", "5.1", "434 and S_038 at zero: 100 points each",
           Wanted(printed={"434": "0.000000", "S_038": "0.00"}), {"434": 100, "S_038": 100}),
    _plant("qm_1494", "OH", "5.4", "790 long and 490 short points, adjusted 704: 1494, five stars", Wanted(_LONG_790 | _SHORT_490),
           {**_LONG_790, **_SHORT_490, "long_stay_qm_score": 790, "short_stay_qm_score": 704, "overall_qm_score": 1494, "qm_rating": 5}),
    _plant("qm_1493", "FL", "5.4", "760 long and 510 short points, adjusted 733: 1493, four stars", Wanted(_LONG_760 | _SHORT_510),
           {**_LONG_760, **_SHORT_510, "long_stay_qm_score": 760, "short_stay_qm_score": 733, "overall_qm_score": 1493, "qm_rating": 4}),
    _plant("footnote_9", "IL", "5.3", "One long measure is not shown: the mean of the state stands in",
           Wanted(_LONG_790 | _SHORT_490, blank=("479",)),
           {code: points for code, points in (_LONG_790 | _SHORT_490).items() if code != "479"}
           | {"short_stay_qm_score": 704, "qm_rating": 5}),
    _plant("few_long", "PA", "5.3", "Four of nine long measures are shown: no long-stay star, the short one is the whole",
           Wanted(_LONG_790 | _SHORT_490, blank=("451", "479", "406", "407", "410")),
           {**dict.fromkeys(_LONG), **_SHORT_490,
            "long_stay_qm_score": None, "short_stay_qm_score": 704, "overall_qm_score": None, "qm_rating": 4}),
    _plant("few_short", "NY", "5.3", "Three of six short measures are shown: no short-stay star, the long one is the whole",
           Wanted(_LONG_790 | _SHORT_490, blank=("434", "521", "S_042")),
           {**_LONG_790, **dict.fromkeys(_SHORT),
            "long_stay_qm_score": 790, "short_stay_qm_score": None, "overall_qm_score": None, "qm_rating": 5}),
    _plant("no_measures", "CA", "5.3, footnote 2", "In none of the three files: no star for quality measures", Wanted(only=()),
           {**dict.fromkeys((*_LONG, *_SHORT)),
            "long_stay_qm_score": None, "short_stay_qm_score": None, "overall_qm_score": None, "qm_rating": None}),
    _plant("unknown_measure", "TX", "design: what others rely on", "A row of a code that nobody knows, said to be in the rating",
           Wanted(unknown=True), {}),
    replace(
        _plant("risk_based", "NY", "4.8", "No citation, the best measures: five stars overall, three or more for staffing",
               Wanted(_BEST),
               {**_BEST, "long_stay_qm_score": 1150, "short_stay_qm_score": 1150, "overall_qm_score": 2300, "qm_rating": 5}),
        inspected=CLEAN, cycles=(0, 0)),
)  # fmt: skip
