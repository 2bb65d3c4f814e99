"""The genome: one equation that gives every cell of every attribute's transition matrix.

Cell (i, j) is how likely category i becomes category j, up to the row's total. The terminals
of the thesis (4.2.1) are the number of records and frequencies; ours also know the diagonal,
the distance between categories, their number, and constants.
"""

from collections.abc import Mapping
from enum import StrEnum

import numpy as np

from evomask.evolution.tree import Symbols
from evomask.masking.randomization.equations import (
    FREQUENCIES,
    OTHERS,
    Domains,
    Equation,
    cells,
)

CONSTANT = "?"
"""A terminal that becomes a random number as soon as it is drawn."""

FUNCTIONS: Mapping[str, int] = {"+": 2, "-": 2, "*": 2, "/": 2}


class Terminals(StrEnum):
    """The values that equations are made of: those of the thesis, or more and constants."""

    THESIS = "thesis"
    MORE = "more"


SYMBOLS: Mapping[Terminals, Symbols] = {
    Terminals.THESIS: Symbols(FUNCTIONS, FREQUENCIES),
    Terminals.MORE: Symbols(FUNCTIONS, (*FREQUENCIES, *OTHERS, CONSTANT, CONSTANT)),
}


def departure(equation: Equation, domains: Domains) -> float:
    """How far the equation's own rows are from summing to one on average, 1 at most.

    All attributes count the same; rows of categories that no record holds do not count.
    """
    held = domains.terms["freq_i"][:, :, 0] > 0
    with np.errstate(over="ignore", invalid="ignore"):
        sums = cells(equation, domains).sum(axis=-1)
    gaps = np.abs(np.where(np.isfinite(sums), sums, 2.0) - 1.0)
    lacking = np.where(held, np.minimum(gaps, 1.0), 0.0).sum(axis=1)
    return float(np.mean(lacking / held.sum(axis=1)))
