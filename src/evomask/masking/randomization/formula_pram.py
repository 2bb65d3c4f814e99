"""PRAM by a formula: one equation defines the transition matrices of all attributes.

Evolved equations for PRAM matrices: Marés (2013), section 4.2. An equation refers to frequencies
and distances, not to categories, so one that was evolved on one file applies to others. Those
that ship with evomask are in `formulas.toml`, which `benchmarks/make_formulas.py` writes.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from evomask.data.distance import category_distances
from evomask.data.table import Table
from evomask.masking.method import About, require_attributes, require_share
from evomask.masking.randomization.equations import (
    Domains,
    Equation,
    RowRule,
    parse_equation,
    transitions,
)
from evomask.masking.randomization.pram import (
    PUBLIC,
    PramMethod,
    Transitions,
    category_frequencies,
    make_invariant,
)

FORMULAS_PATH = Path(__file__).with_name("formulas.toml")

FORMULA_CHANGES = (0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0)
"""Shares of randomised values for which each shipped formula is tried."""


class FormulaLibrary(NamedTuple):
    """Formulas, and the shares of randomised values for which each is tried."""

    formulas: tuple[str, ...]
    changes: tuple[float, ...] = FORMULA_CHANGES


@lru_cache(maxsize=1)
def shipped_formulas() -> FormulaLibrary:
    """Return the formulas that ship with evomask, the best single one first."""
    entries = tomllib.loads(FORMULAS_PATH.read_text(encoding="utf-8"))["formulas"]
    return FormulaLibrary(tuple(str(entry["formula"]) for entry in entries))


def hash_formulas(formulas: Sequence[str]) -> str:
    """Return the checksum that the file of formulas stores, so that manual edits are detected."""
    return sha256("\n".join(formulas).encode()).hexdigest()


@dataclass(frozen=True)
class FormulaPram(PramMethod):
    """Randomise categories (PRAM) with matrices that a formula computes from frequencies.

    Args:
        attributes: names of the ordinal or nominal attributes, masked one at a time.
        formula: unnormalised probability that category i becomes j, such as
            ``freq_j / distance``; made of N, freq_max, freq_min, freq_i, freq_j, same,
            distance, size, numbers, + - * / and brackets; by default the first of those that
            ship with evomask.
        change: share of the values that are drawn by the formula; the others are unchanged.
        rows: ``normalised``: rows are divided by their sums; ``rest``: the formula gives the
            off-diagonal probabilities, and the diagonal is the rest.
        invariant: apply the matrix and its reverse, so that expected frequencies are preserved.
    """

    about: ClassVar[About] = About(
        name="formula-pram",
        title="PRAM by a formula",
        steward=(
            "PRAM with transition matrices from the formula {formula} (share of values "
            "randomised {change}[{invariant}, invariant])"
        ),
        public=PUBLIC,
    )

    attributes: tuple[str, ...]
    formula: str = field(default_factory=lambda: shipped_formulas().formulas[0])
    change: float = 1.0
    rows: RowRule = RowRule.NORMALISED
    invariant: bool = False

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "PRAM")
        require_share(self.change, "change")
        parse_equation(self.formula)

    @cached_property
    def equation(self) -> Equation:
        return parse_equation(self.formula)

    def matrix(self, table: Table, name: str) -> Transitions:
        frequencies = category_frequencies(table, name)
        domains = Domains.of([frequencies], [category_distances(table.attribute(name))])
        (by_formula,) = domains.split(transitions(self.equation, domains, self.rows))
        identity = np.eye(len(by_formula))
        matrix: Transitions = (1 - self.change) * identity + self.change * by_formula
        return make_invariant(matrix, frequencies) if self.invariant else matrix
