"""Bayesian network of categories and binned numbers, learned greedily (as in PrivBayes).

Zhang, Cormode, Procopiuc, Srivastava and Xiao (2017), without their noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.data.table import Column, Table
from evomask.masking.method import About, require_count
from evomask.masking.synthesis.synthesizer import PROMISE, NumberBins, Synthesizer
from evomask.types import Codes, Indices

BINS = 20
"""Bins of a number, and one for missing values."""

SHOWN = 10_000
"""Records of a larger file by which parents are chosen."""


@dataclass(frozen=True)
class BayesianNetwork(Synthesizer):
    """Draw each attribute given its parents, a few attributes that are drawn before or given.

    Args:
        attributes: names of the replaced attributes.
        given: attributes that may be parents; by default all other quasi-identifiers, confidential
            attributes and weights.
        rare: replace only records whose combination of the quasi-identifiers (of those of any
            scenario, numbers in tenths of the file) occurs in at most so many records; 0 replaces
            all.
        noise: values are drawn without regard to the parents with this chance in percent.
        parents: largest number of parents of an attribute.
        leaf: smallest number of records with the same values of the parents; a record with rarer
            values is drawn without regard to the last parents.

    The attribute that shares most information with possible parents comes next. Numbers have 20
    bins, and a value is that of any record in the drawn bin.
    """

    parents: int = 2
    leaf: int = 5

    about: ClassVar[About] = About(
        name="bayesian-network",
        title="synthesis by a Bayesian network",
        steward="synthesis by a Bayesian network ({parents} parents at most)"
        "[, of records in classes of {rare} or fewer]",
        public=(
            "Values were replaced by synthetic ones, drawn from a Bayesian network: each attribute "
            "given a few others." + PROMISE
        ),
        simple="synthesis",
        together=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count(self.parents, "parents", least=0)
        require_count(self.leaf, "leaf", least=1)

    def _draw(
        self, table: Table, given: Sequence[str], records: Indices, rng: np.random.Generator
    ) -> dict[str, Column]:
        codes = {name: _codes(table, name) for name in (*given, *self.attributes)}
        new = {name: codes[name][records] for name in given}
        drawn: dict[str, Column] = {}
        for name, parents in self.structure(codes, given):
            donors = rng.integers(len(table), size=len(records))
            free = rng.random(len(records)) >= self.noise / 100
            for count in range(len(parents), 0, -1):
                found = self._donors(codes, new, parents[:count], rng)
                donors = np.where(free & (found >= 0), found, donors)
                free &= found < 0
            new[name] = codes[name][donors]
            drawn[name] = table[name][donors]
            if not table.attribute(name).is_categorical:
                drawn[name] = table[name][_same(codes[name], new[name], 1, rng)]
        return {name: drawn[name] for name in self.attributes}

    def structure(
        self, codes: dict[str, Codes], given: Sequence[str]
    ) -> list[tuple[str, tuple[str, ...]]]:
        """Return the attributes in the order in which they are drawn, each with its parents.

        The most informative parent is the first.
        """
        step = max(1, len(next(iter(codes.values()))) // SHOWN)
        shown = {name: column[::step] for name, column in codes.items()}
        done, rest = list(given), list(self.attributes)
        pairs = {(a, b): _information(shown[a], [shown[b]]) for a in rest for b in shown if a != b}
        chosen: list[tuple[str, tuple[str, ...]]] = []
        while rest:
            name = max(rest, key=lambda a: max((pairs[a, b] for b in done), default=0.0))
            near = sorted(done, key=lambda b: -pairs[name, b])[: self.parents + 2]
            sets = list(combinations(near, min(self.parents, len(near))))
            best = max(sets, key=lambda s: _information(shown[name], [shown[b] for b in s]))
            chosen.append((name, best))
            done.append(name)
            rest.remove(name)
        return chosen

    def _donors(
        self, codes: dict[str, Codes], new: dict[str, Codes], parents: Sequence[str],
        rng: np.random.Generator,
    ) -> Indices:  # fmt: skip
        """Return for each new record one with equal parents; -1 where there are too few."""
        n = len(codes[parents[0]])
        both = [np.concatenate([codes[name], new[name]]) for name in parents]
        labels = classes_of_columns(both, len(both[0])).labels
        return _same(labels[:n], labels[n:], self.leaf, rng)


def _same(
    labels: Indices | Codes, wanted: Indices | Codes, least: int, rng: np.random.Generator
) -> Indices:
    """Return for each wanted label a random record with it; -1 where fewer than *least* have it."""
    order = np.argsort(labels, kind="stable")
    ascending = labels[order]
    low, high = (np.searchsorted(ascending, wanted, side) for side in ("left", "right"))
    places = low + (rng.random(len(wanted)) * (high - low)).astype(np.int64)
    donors: Indices = np.where(high - low >= least, order[np.minimum(places, len(order) - 1)], -1)
    return donors


def _codes(table: Table, name: str) -> Codes:
    column: Column = table[name]
    if table.attribute(name).is_categorical:
        return column
    return NumberBins(column, BINS + 1)(column)


def _information(column: Codes, parents: Sequence[Codes]) -> float:
    """Mutual information of an attribute with its parents, less that expected by chance.

    The bias of independent columns is (values - 1) (combinations - 1) / (2 records) (Miller, 1955).
    """
    if not parents:
        return 0.0
    own, other = (classes_of_columns(part, len(column)).sizes for part in ([column], parents))
    joint = classes_of_columns([column, *parents], len(column)).sizes
    bias = (len(own) - 1) * (len(other) - 1) / (2 * len(column))
    return _entropy(own) + _entropy(other) - _entropy(joint) - bias


def _entropy(sizes: Indices) -> float:
    shares = sizes / sizes.sum()
    return -float((shares * np.log(shares)).sum())
