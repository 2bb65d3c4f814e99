"""Data and printed values of chapter 4 (Marés, 2013); see `housing` for Housing."""

from functools import lru_cache

import numpy as np

from evomask.data.frames import Declaration
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.io.datasets import reference_file
from evomask.io.tables import read_table
from evomask.types import Points
from evomask_papers.housing import DEGREE, PROTECTED, housing

GERMAN, FLARE, HOUSING = "German", "Flare", "Housing (ours: Adult)"

ATTRIBUTES = {
    GERMAN: ("EXISTACC", "SAVINGS", "PRESEMPLOY"),
    FLARE: ("CLASS", "LARGSPOT", "SPOTDIST"),
    HOUSING: PROTECTED,
}
MASKED, SKEWED, EVEN = "DEGREE", "SCH", "METRO"
HELD = 6
"""Categories of DEGREE in tables 4.8 to 4.11: the first ones, without "9" and "."."""


def _matrix(text: str) -> Points:
    size = len(DEGREE)
    return np.array(text.split(), dtype=np.float64).reshape(size, size)


FIRST_MATRIX = _matrix("""
0.500 0.067 0.060 0.065 0.067 0.076 0.080 0.083
0.073 0.500 0.058 0.064 0.066 0.075 0.080 0.083
0.072 0.064 0.500 0.062 0.064 0.074 0.080 0.083
0.073 0.065 0.057 0.500 0.066 0.075 0.080 0.083
0.073 0.066 0.058 0.064 0.500 0.075 0.080 0.083
0.074 0.068 0.061 0.066 0.068 0.500 0.080 0.083
0.075 0.068 0.062 0.067 0.069 0.076 0.500 0.083
0.075 0.069 0.062 0.067 0.069 0.077 0.081 0.500
""")
"""Table 4.1: the frequency matrix of DEGREE with p = 0.5."""

LAST_MATRIX = _matrix("""
0.011 0.009 0.011 0.009 0.926 0.009 0.011 0.014
0.000 0.004 0.971 0.005 0.005 0.005 0.004 0.004
0.027 0.625 0.009 0.027 0.205 0.036 0.036 0.036
0.049 0.037 0.432 0.074 0.062 0.259 0.049 0.037
0.032 0.005 0.006 0.928 0.006 0.008 0.006 0.008
0.892 0.008 0.033 0.008 0.011 0.017 0.017 0.014
0.003 0.030 0.004 0.004 0.466 0.487 0.003 0.003
0.430 0.416 0.005 0.006 0.019 0.006 0.006 0.111
""")
"""Table 4.6: the matrix of DEGREE after 1,125 generations."""

LAST_FREQUENCIES = (96, 171, 250, 181, 181, 81, 17, 23)
"""Table 4.7: number of houses in each category of DEGREE after masking."""

SCORES = {
    HOUSING: {"initial": (63.14, 31.08, 47.11), "final": (53.77, 8.61, 31.20)},
    GERMAN: {"initial": (80.36, 25.63, 52.99), "final": (38.39, 27.30, 32.84)},
    FLARE: {"initial": (81.18, 26.49, 53.83), "final": (34.91, 31.41, 33.16)},
}
"""Tables 4.3 to 4.5: IL, DR and score, on an older scale; only the decrease can be compared."""

INITIAL, ONLY_INVARIANT, BOTH, CONTROL, NEITHER = (
    "initial", "only invariance", "evolved, invariant, control",
    "evolved, not invariant, control", "evolved, not invariant, no control",
)  # fmt: skip
VARIANTS = (INITIAL, ONLY_INVARIANT, BOTH, CONTROL, NEITHER)

_FIRST_ROWS = {
    INITIAL: (0.846, 1.634, 2.629, 1.894, 1.599, 0.676),
    ONLY_INVARIANT: (0.981, 2.356, 4.838, 2.911, 2.287, 0.740),
}
RATIOS = {
    SKEWED: {
        **_FIRST_ROWS,
        BOTH: (0.926, 1.859, 4.490, 1.834, 1.813, 0.691),
        CONTROL: (1.019, 3.268, 5.198, 1.536, 1.567, 1.200),
        NEITHER: (0.586, 4.028, 4.885, 5.226, 4.244, 1.850),
    },
    EVEN: {
        **_FIRST_ROWS,
        BOTH: (0.982, 2.356, 4.837, 2.911, 2.283, 0.739),
        CONTROL: (1.596, 3.113, 2.985, 3.609, 1.213, 1.388),
        NEITHER: (0.943, 1.327, 10.205, 5.181, 1.240, 0.866),
    },
}
"""Tables 4.8 and 4.9: expectation ratios of the first six categories of DEGREE."""

SUMMARIES = {
    SKEWED: {
        INITIAL: (8.99, 1.780), ONLY_INVARIANT: (6.41, 2.827), BOTH: (5.38, 2.338),
        CONTROL: (6.10, 2.722), NEITHER: (5.84, 4.001),
    },
    EVEN: {
        INITIAL: (12.00, 1.780), ONLY_INVARIANT: (8.69, 2.827), BOTH: (8.27, 2.826),
        CONTROL: (11.74, 2.549), NEITHER: (8.01, 4.316),
    },
}  # fmt: skip
"""Tables 4.10 and 4.11: difference in bivariate counts, and weighted average risk."""

PROTECTIONS = {
    GERMAN: {
        "Freq PRAM": (37.88, 31.03), "Unif PRAM": (13.60, 46.12),
        "GP Max": (30.39, 34.33), "GP Mean": (19.11, 34.33),
    },
    FLARE: {
        "Freq PRAM": (29.26, 36.09), "Unif PRAM": (16.06, 42.68),
        "GP Max": (37.03, 28.25), "GP Mean": (0.03, 52.19),
    },
    HOUSING: {
        "Freq PRAM": (32.31, 29.18), "Unif PRAM": (11.92, 54.15),
        "GP Max": (26.03, 21.10), "GP Mean": (40.84, 0.09),
    },
}  # fmt: skip
"""Tables 4.12 to 4.14: IL and DR."""

IMPROVED = {
    "mean": {HOUSING: (23.77, 20.45), GERMAN: (30.23, 26.72), FLARE: (33.09, 26.10)},
    "worst": {HOUSING: (39.96, 26.03), GERMAN: (37.18, 34.33), FLARE: (38.57, 37.03)},
}
"""Score of the best equation, first and last, by score; the text of figure 4.16."""

DEPTHS = {
    GERMAN: {3: (34.32, 34.52), 4: (30.97, 30.17), 5: (30.39, 34.33)},
    HOUSING: {3: (25.98, 21.11), 4: (19.22, 34.57), 5: (26.03, 21.10)},
    FLARE: {3: (38.27, 27.55), 4: (38.08, 27.79), 5: (40.84, 0.09)},
}
"""Table 4.15: IL and DR by the depth that trees may have."""


@lru_cache
def original(name: str) -> Table:
    """Return the three attributes of German credit, of Solar flare, or of the stand-in for
    Housing."""
    if name == HOUSING:
        return housing().only(PROTECTED)
    kind = Kind.ORDINAL if name == GERMAN else Kind.NOMINAL
    declared = {n: Declaration(kind, Role.QUASI_IDENTIFIER) for n in ATTRIBUTES[name]}
    file = "uci/german_credit.csv" if name == GERMAN else "uci/solar_flare.csv"
    return read_table(reference_file(file), declared).only(ATTRIBUTES[name])


@lru_cache
def crossed(beside: str) -> Table:
    """Return DEGREE, restricted to its first six categories, and an unmasked attribute."""
    table = housing()
    degree = table.codes(MASKED)
    kept = table.take(np.flatnonzero(degree < HELD))
    other = kept.attribute(beside)
    masked = Attribute(
        MASKED, Kind.ORDINAL, Role.QUASI_IDENTIFIER, table.attribute(MASKED).categories[:HELD]
    )
    columns = {MASKED: kept.codes(MASKED), beside: kept.codes(beside)}
    return Table(Schema((masked, other)), columns)
