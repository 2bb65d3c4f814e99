"""The files of chapter 4 (Marés, 2013) and what it prints; Adult stands in for the housing survey.

The survey of 1993 is not to be had. Its three attributes are long-term degree days, the year a
house was built and its grade; ours are education, occupation and marital status of 1,000 people,
as many as the survey has. DEGREE becomes education; SCH, which is skewed, race; METRO, which is
even, occupation.
"""

from functools import lru_cache

import numpy as np

from evomask.data.frames import Declaration
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.io.datasets import reference_file
from evomask.io.dialects import Dialect
from evomask.io.tables import read_table

GERMAN, FLARE, ADULT = "German", "Flare", "Adult"

ATTRIBUTES = {
    GERMAN: ("EXISTACC", "SAVINGS", "PRESEMPLOY"),
    FLARE: ("CLASS", "LARGSPOT", "SPOTDIST"),
    ADULT: ("education", "occupation", "marital-status"),
}
EDUCATION = (
    "Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad",
    "Some-college", "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate",
)  # fmt: skip
MASKED, SKEWED, EVEN = "education", "race", "occupation"
"""What stands for DEGREE, SCH and METRO."""

RECORDS = 1_000

DEGREE = np.array([98.0, 173.0, 251.0, 195.0, 170.0, 80.0, 33.0, 0.0])
"""Table 4.2: how many houses have each category of DEGREE."""

SCORES = {
    ADULT: {"initial": (63.14, 31.08, 47.11), "final": (53.77, 8.61, 31.20)},
    GERMAN: {"initial": (80.36, 25.63, 52.99), "final": (38.39, 27.30, 32.84)},
    FLARE: {"initial": (81.18, 26.49, 53.83), "final": (34.91, 31.41, 33.16)},
}
"""Tables 4.3 to 4.5: IL, DR and score, on an older scale; what compares is the fall."""

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
    ADULT: {
        "Freq PRAM": (32.31, 29.18), "Unif PRAM": (11.92, 54.15),
        "GP Max": (26.03, 21.10), "GP Mean": (40.84, 0.09),
    },
}  # fmt: skip
"""Tables 4.12 to 4.14: IL and DR."""

DEPTHS = {
    GERMAN: {3: (34.32, 34.52), 4: (30.97, 30.17), 5: (30.39, 34.33)},
    ADULT: {3: (25.98, 21.11), 4: (19.22, 34.57), 5: (26.03, 21.10)},
    FLARE: {3: (38.27, 27.55), 4: (38.08, 27.79), 5: (40.84, 0.09)},
}
"""Table 4.15: IL and DR by the depth that trees may have."""


@lru_cache
def original(name: str) -> Table:
    """The three attributes of German credit, of Solar flare, or of a thousand of Adult."""
    if name == ADULT:
        return _adult().only(ATTRIBUTES[ADULT])
    kind = Kind.ORDINAL if name == GERMAN else Kind.NOMINAL
    declared = {n: Declaration(kind, Role.QUASI_IDENTIFIER) for n in ATTRIBUTES[name]}
    file = "uci/german_credit.csv" if name == GERMAN else "uci/solar_flare.csv"
    return read_table(reference_file(file), declared).only(ATTRIBUTES[name])


@lru_cache
def crossed(beside: str) -> Table:
    """Education of the same people, and an attribute that is not masked."""
    table = _adult(beside)
    return table.only((MASKED, beside))


def _adult(beside: str = "") -> Table:
    names = dict.fromkeys((*ATTRIBUTES[ADULT], SKEWED, EVEN))
    declared = {
        n: Declaration(Kind.NOMINAL, Role.OTHER if n == beside else Role.QUASI_IDENTIFIER)
        for n in names
    }
    declared[MASKED] = Declaration(Kind.ORDINAL, Role.QUASI_IDENTIFIER, categories=EDUCATION)
    whole = read_table(reference_file("uci/adult.csv"), declared, Dialect(missing=("?",)))
    table = whole.only(names)
    known = [table[name] < table.attribute(name).domain_size for name in names]
    return table.take(np.flatnonzero(np.all(known, axis=0))[:RECORDS])
