"""Which baselines there are, and what loss and risk they would have."""

from collections.abc import Callable, Mapping

import numpy as np

from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.evolution.streams import baseline_stream
from evomask.masking.making import Making
from evomask.portfolio.front import ORIGINAL, Candidate
from evomask.portfolio.worker import Maker
from evomask.runs.baseline.copula import synthetic
from evomask.runs.baseline.matching import matched

SYNTHETIC = "synthetic"
WORDS = {SYNTHETIC: "synthetic records (Gaussian copula)"}
"""What each baseline is, in words."""


def check_baseline(name: str) -> None:
    """Refuse a baseline that there is not; an empty name asks for none."""
    if name and name not in WORDS:
        raise ParameterError(f"no baseline {name!r}; there is {', '.join(WORDS)}")


def synthetic_file(table: Table, rng: np.random.Generator) -> Table:
    """A synthetic file whose records stand beside the original ones they are most like.

    Quasi-identifiers and confidential attributes are drawn; nothing else is judged.
    """
    names = table.schema.with_role(Role.QUASI_IDENTIFIER, Role.CONFIDENTIAL)
    drawn = synthetic(table, names, rng)
    return drawn.take(matched(table, drawn, names))


MADE: Mapping[str, Callable[[Table, np.random.Generator], Table]] = {SYNTHETIC: synthetic_file}


def baselines(name: str, maker: Maker) -> dict[str, Candidate]:
    """Loss and risk of a baseline by the judges of a protection, under its name in words.

    Its file is thrown away: nobody can choose it.
    """
    file = MADE[name](maker.table, baseline_stream(maker.seed))
    read = maker.measured(file)
    judged = maker.judged(file) or read.judged
    risk = judged.risk if judged else read.risk
    return {WORDS[name]: Candidate(ORIGINAL, Making(), read.loss, risk, "", "", "", judged=judged)}
