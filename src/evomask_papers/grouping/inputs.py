"""Data and printed values of the grouping thesis (Balasch, 2010).

Attributes are numbered from 1 as in its appendix A. The thesis does not say how it scaled its data
and which distance its MDAV has; the fitness `thesis` of the search, inferred from the printed
numbers, gives all those of one group and of all hand-made groupings of Census.
"""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from evomask.data.table import Table
from evomask.io.datasets import reference_file
from evomask.runs.inputs import Input, load
from evomask.searches.grouping.genome import Grouping, grouping_of

SIZES = (5, 10, 25, 50, 100)
"""The thesis' values of k."""

CENSUS, WATER = "Census", "Water-treatment"

HAND_MADE: Mapping[str, Mapping[str, str]] = {
    CENSUS: {
        "G_c^4": "2 4 6 7 | 5 10 11 12 | 1 3 8 9",
        "G_nc^4": "1 2 4 5 | 3 6 10 11 | 7 8 9 12",
        "G_c^3": "2 4 7 | 3 11 12 | 5 6 10 | 1 8 9",
        "G_nc^3": "2 3 5 | 8 10 11 | 7 9 12 | 1 4 6",
    },
    WATER: {
        "G_c^10": (
            "1 4 5 6 7 11 13 17 20 36 | 3 9 10 15 16 18 21 22 23 29 | "
            "2 8 12 14 19 26 28 31 33 37 | 24 25 27 30 32 34 35 38"
        ),
        "G_nc^10": (
            "1 2 3 24 4 9 8 25 5 10 | 12 27 6 15 14 30 7 16 19 32 | "
            "11 18 26 34 13 21 28 35 17 22 | 20 36 29 23 31 33 37 38"
        ),
        "G_c^5": (
            "1 4 5 6 7 | 11 13 17 20 36 | 3 9 10 15 16 | 18 21 22 23 29 | 2 8 12 14 19 | "
            "26 28 31 33 37 | 24 25 27 30 | 32 34 35 38"
        ),
        "G_nc^5": (
            "1 2 3 24 4 | 9 8 25 5 10 | 12 27 6 15 14 30 | 7 16 19 32 | 11 18 26 34 13 21 | "
            "28 35 17 22 | 20 36 29 23 | 31 33 37 38"
        ),
        "G_c^3": (
            "1 4 5 | 6 7 11 | 13 17 20 | 3 9 10 | 15 16 18 | 21 22 23 | 2 8 12 | 14 19 26 | "
            "28 31 33 | 29 36 37 | 24 25 27 | 30 32 34 | 35 38"
        ),
        "G_nc^3": (
            "1 2 3 | 24 4 9 | 8 25 5 | 12 27 6 | 15 14 30 | 7 16 19 | 11 18 26 | 34 13 21 | "
            "28 35 17 | 10 32 22 | 20 36 29 | 23 31 33 | 37 38"
        ),
    },
}

BEST: Mapping[str, Mapping[int, tuple[float, float, float, float, int]]] = {
    WATER: {
        5: (35.74, 27.93, 0.00, 24.85, 1),
        10: (48.05, 25.07, 0.00, 30.29, 1),
        25: (49.52, 24.14, 6.05, 32.31, 2),
        50: (52.78, 23.85, 7.89, 34.32, 3),
        100: (58.33, 22.92, 5.79, 36.34, 5),
    },
    CENSUS: {
        5: (8.01, 32.01, 0.00, 12.01, 1),
        10: (11.97, 25.90, 0.00, 12.46, 1),
        25: (13.67, 22.12, 2.87, 13.08, 2),
        50: (15.64, 20.31, 1.30, 13.22, 2),
        100: (16.28, 18.60, 3.80, 13.74, 3),
    },
}
"""Tables 5.1 and 5.2: IL, ID, DLD, score and number of groups by k."""

SCORES: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    WATER: {
        "one group": (24.8, 30.2, 36.2, 41.7, 50.4),
        "all single": (49.3, 48.9, 47.2, 45.0, 46.1),
        "G_c^10": (43.8, 45.3, 44.0, 40.9, 40.4),
        "G_nc^10": (43.4, 45.9, 44.0, 41.1, 44.7),
        "G_c^5": (42.1, 43.9, 47.0, 49.5, 45.5),
        "G_nc^5": (42.7, 45.3, 48.7, 49.8, 49.7),
        "G_c^3": (42.4, 43.2, 46.6, 50.1, 52.3),
        "G_nc^3": (42.2, 43.3, 46.1, 49.7, 52.2),
        "GOMM": (24.8, 30.2, 32.3, 34.3, 36.3),
    },
    CENSUS: {
        "one group": (12.0, 12.4, 14.2, 15.5, 17.9),
        "all single": (48.9, 48.1, 45.3, 41.8, 37.6),
        "G_c^4": (39.7, 37.3, 31.4, 24.4, 16.6),
        "G_nc^4": (34.5, 27.8, 19.6, 14.9, 15.1),
        "G_c^3": (40.4, 38.0, 33.1, 27.0, 20.1),
        "G_nc^3": (38.0, 34.3, 27.5, 20.9, 16.2),
        "GOMM": (12.0, 12.4, 13.0, 13.2, 13.7),
    },
}
"""Tables 5.3 and 5.4: the score of every grouping, a number for each k."""

PROFILE: Mapping[str, tuple[float, float, int]] = {
    "MDAV": (66.86, 580.36, 10_200),
    "euclideanDistance": (27.33, 237.21, 714_112_812),
    "computeSingleID": (4.94, 42.89, 102_000),
    "score": (0.85, 7.36, 10_200),
    "initOriginalData": (0.02, 0.19, 1),
    "add2Child1": (0.0, 0.04, 171_000),
    "groupCreate": (0.0, 0.01, 1_000),
    "add2Child2": (0.0, 0.0, 95_000),
    "cost": (0.0, 0.0, 10_200),
    "addChild2": (0.0, 0.0, 5_351),
    "addChild1": (0.0, 0.0, 5_257),
    "crossover": (0.0, 0.0, 2_500),
    "elementMove": (0.0, 0.0, 1_000),
    "elementSwap": (0.0, 0.0, 1_000),
    "groupEliminate": (0.0, 0.0, 1_000),
    "groupSplit": (0.0, 0.0, 1_000),
    "generateNewPopulation": (0.0, 0.0, 100),
    "populate": (0.0, 0.0, 1),
    "sort": (0.0, 0.0, 1),
}
"""Table 3.1: percent of time, seconds and calls of each function; all took 868 s."""

PER_CALL: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(PROFILE, (0.0, 0.0)),
    "MDAV": (0.06, 0.06),
    "score": (0.0, 0.03),
    "initOriginalData": (0.19, 0.19),
    "cost": (0.0, 0.09),
    "generateNewPopulation": (0.0, 8.51),
    "populate": (0.0, 17.02),
}
"""Table 3.1: seconds per call, in the function itself and with all that it calls."""


@lru_cache
def original(name: str) -> Table:
    """The first 12 columns of Census, or the 380 complete records of Water-treatment."""
    if name == CENSUS:
        whole = load(Input(reference_file("casc/census.csv"))).table
        return whole.only(whole.schema.names[:12])
    source = Input(reference_file("uci/water_treatment.csv"), missing=("?",))
    whole = load(source).table
    numbers = whole.only(whole.schema.quasi_identifiers)
    complete = ~np.isnan(numbers.matrix(numbers.schema.names)).any(axis=1)
    return numbers.take(np.flatnonzero(complete))


def hand_made(name: str) -> dict[str, Grouping]:
    """The groupings of appendix A, preceded by one group and by all single attributes."""
    n = len(original(name).schema.names)
    return {
        "one group": np.zeros(n, dtype=np.int64),
        "all single": np.arange(n),
        **{label: _read(text, n) for label, text in HAND_MADE[name].items()},
    }


def _read(text: str, n_attributes: int) -> Grouping:
    groups = [[int(word) - 1 for word in part.split()] for part in text.split("|")]
    return grouping_of(groups, n_attributes)
