"""PRAM by a formula: one equation makes the transition matrices of all attributes.

Equations that make PRAM matrices: Marés (2013), 4.2. What was found on one file can be used on
another, because an equation knows frequencies and distances, not categories.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from evomask.data.distance import category_distances
from evomask.data.table import Table
from evomask.masking.checks import require_attributes, require_share
from evomask.masking.method import About
from evomask.masking.randomization.equations import (
    Domains,
    Equation,
    RowRule,
    parsed,
    transitions,
)
from evomask.masking.randomization.library import best_formula
from evomask.masking.randomization.pram import (
    PUBLIC,
    Transitions,
    category_frequencies,
    made_invariant,
    randomized,
)


@dataclass(frozen=True)
class FormulaPram:
    """Change categories by chance, with matrices that a formula makes of their frequencies.

    Args:
        attributes: names of the ordinal or nominal attributes, masked one at a time.
        formula: how likely category i becomes j, up to the row's total, such as
            ``freq_j / distance``; made of N, freq_max, freq_min, freq_i, freq_j, same,
            distance, size, numbers, + - * / and brackets; by default the first of those that
            ship with evomask.
        change: share of the values that are drawn by the formula; the others stay.
        rows: ``normalised``: rows are divided by their sums; ``rest``: the formula gives what
            leaves the diagonal, the rest stays there.
        invariant: apply the matrix and its reverse, so that expected frequencies stay.
    """

    about: ClassVar[About] = About(
        name="formula-pram",
        title="PRAM by a formula",
        steward=(
            "categories changed by chance (PRAM by the formula {formula}, change "
            "{change}[{invariant}, frequencies kept in expectation])"
        ),
        public=PUBLIC,
    )

    attributes: tuple[str, ...]
    formula: str = field(default_factory=best_formula)
    change: float = 1.0
    rows: RowRule = RowRule.NORMALISED
    invariant: bool = False

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "PRAM")
        require_share(self.change, "change")
        parsed(self.formula)

    @cached_property
    def equation(self) -> Equation:
        """What the formula says."""
        return parsed(self.formula)

    def matrix(self, table: Table, name: str) -> Transitions:
        """The transition matrix of one attribute."""
        frequencies = category_frequencies(table, name)
        domains = Domains.of([frequencies], [category_distances(table.attribute(name))])
        (made,) = domains.split(transitions(self.equation, domains, self.rows))
        matrix: Transitions = (1 - self.change) * np.eye(len(made)) + self.change * made
        return made_invariant(matrix, frequencies) if self.invariant else matrix

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every value drawn anew from its category's row."""
        return randomized(self, table, rng)
