"""Special uniques (SUDA2): records that are unique on few attributes already."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb, inf, prod

import numpy as np

from evomask.arrays import Flags, Floats, Indices
from evomask.data.classes import classes_of_columns
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.measure import About, Side
from evomask.measures.risk.privacy_models import released, released_classes

SPECIAL_UNIQUES = About(
    "suda", "records that are unique on few attributes (SUDA2)", Side.PROPERTY,
    "the number of released records that stand out, and how few attributes it takes",
    low=0, high=inf,
)  # fmt: skip

MOST_SETS = 20_000

MOST_SETS_AUDITED = 5_000
MOST_SET_ROWS = 200_000_000
"""Sets, and sets times distinct rows, up to which an audit looks at sets of a size."""

_Set = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class SpecialUniques:
    """Scores of each released record by its minimal sample uniques.

    Args:
        sizes: column s holds how many sets of s attributes make the record unique while no
            smaller set inside does.
        score: the sum over those sets; fewer attributes weigh more.
        risk: the score turned into a probability of a right match (DIS-SUDA).
        contributions: for each attribute the percentage of all scores that comes from sets in
            which it takes part; as sets have several attributes, they add up to more than 100.
    """

    sizes: Indices
    score: Floats
    risk: Floats
    contributions: Floats


def special_uniques(
    table: Table, names: Sequence[str], *, largest: int | None = None, fraction: float = 0.01
) -> SpecialUniques:
    """Minimal sample uniques of up to *largest* attributes (Elliot et al. 2002, SUDA2).

    A set of s among m attributes scores (m - s)(m - s - 1) … down to the factor m - largest,
    at least 1. The risk is scaled so that it fits the data intrusion simulation: with U
    uniques, P records with exactly one twin and *fraction* the
    sampling fraction, U fraction / (U fraction + P (1 - fraction)).
    """
    if not 0 < fraction < 1:
        raise ParameterError(f"the sampling fraction must lie in (0, 1), got {fraction}")
    most = _checked_largest(len(names), largest)
    classes = released_classes(table, names)
    found = _minimal_sets(released(table), names, most)
    points = [prod(range(max(1, len(names) - most), len(names) - s + 1)) for s in range(most + 1)]
    minimal = np.zeros((len(classes.labels), most + 1), dtype=np.int64)
    minimal[found.records] = found.sizes
    score = (minimal @ np.array(points)).astype(np.float64)
    doubles = 2 * int(np.sum(classes.sizes == 2))
    uniques = int(np.sum(classes.sizes == 1))
    risk = _match_risk(score, uniques, doubles, fraction, len(names))
    shares = 100.0 * (found.of_attributes @ np.array(points)) / max(score.sum(), 1.0)
    return SpecialUniques(minimal, score, risk, shares)


def _checked_largest(n_attributes: int, largest: int | None) -> int:
    most = n_attributes if largest is None else largest
    if not 1 <= most <= n_attributes:
        raise ParameterError(f"largest must lie in 1 to {n_attributes}, got {most}")
    if max(comb(n_attributes, size) for size in range(1, most + 1)) > MOST_SETS:
        raise ParameterError(
            f"{n_attributes} attributes have too many sets of up to {most}; give a smaller largest"
        )
    return most


def largest_audited(n_attributes: int, n_rows: int) -> int:
    """The largest size of sets of attributes for which an audit looks at all of them."""
    most, looked_at = 0, 0
    for size in range(1, n_attributes + 1):
        looked_at += comb(n_attributes, size)
        if looked_at <= MOST_SETS_AUDITED and looked_at * n_rows <= MOST_SET_ROWS:
            most = size
    return max(most, 1)


@dataclass(frozen=True, eq=False)
class _Found:
    """Minimal sets of the records that are unique on all attributes.

    Args:
        records: which records these are.
        sizes: by record and size how many minimal sets there are.
        of_attributes: by attribute and size how many minimal sets it takes part in.
    """

    records: Indices
    sizes: Indices
    of_attributes: Indices


@dataclass(frozen=True, eq=False)
class _Rows:
    """Distinct rows with their numbers of records; only those of one record can be unique."""

    columns: list[Indices]
    counts: Indices
    alone: Indices
    bases: list[int] = field(default_factory=list)

    def unique(self, chosen: _Set) -> Flags:
        """Which of the rows of one record are unique on the chosen attributes."""
        span = prod(self.bases[j] for j in chosen)
        if span > 4 * len(self.counts) + 1024:
            classes = classes_of_columns([self.columns[j] for j in chosen], len(self.counts))
            keys = classes.labels
        else:
            keys = np.zeros(len(self.counts), dtype=np.int64)
            for j in chosen:
                keys = keys * self.bases[j] + self.columns[j]
        alone: Flags = np.bincount(keys, weights=self.counts)[keys[self.alone]] == 1
        return alone


def _rows(table: Table, names: Sequence[str]) -> tuple[_Rows, Indices]:
    """The distinct rows, and the records that are unique on all attributes."""
    classes = classes_of_columns([table[name] for name in names], len(table))
    places = classes.representatives
    columns = [np.unique(table[name][places], return_inverse=True)[1] for name in names]
    alone = np.flatnonzero(classes.sizes == 1)
    bases = [int(column.max()) + 1 for column in columns]
    return _Rows(columns, classes.sizes, alone, bases), places[alone]


def _minimal_sets(table: Table, names: Sequence[str], most: int) -> _Found:
    """For each record that is unique and each size, how many minimal sets make it so."""
    rows, records = _rows(table, names)
    sizes = np.zeros((len(records), most + 1), dtype=np.int64)
    of_attributes = np.zeros((len(names), most + 1), dtype=np.int64)
    for chosen, minimal in _minimal(rows, len(names), most) if len(records) else ():
        sizes[:, len(chosen)] += minimal
        of_attributes[list(chosen), len(chosen)] += int(minimal.sum())
    return _Found(records, sizes, of_attributes)


def _minimal(rows: _Rows, n_attributes: int, most: int) -> Iterator[tuple[_Set, Flags]]:
    """Every set that is minimal for some row, with the rows; the smallest sets first.

    Where all rows are unique on smaller sets inside, a set need not be looked at.
    """
    below: dict[_Set, Flags] = {(): np.full(len(rows.alone), rows.counts.sum() == 1)}
    for size in range(1, most + 1):
        unique: dict[_Set, Flags] = {}
        for chosen in combinations(range(n_attributes), size):
            inside = [below[chosen[:j] + chosen[j + 1 :]] for j in range(size)]
            before: Flags = np.logical_or.reduce(inside)
            unique[chosen] = before if before.all() else rows.unique(chosen)
            minimal = unique[chosen] & ~before
            if minimal.any():
                yield chosen, minimal
        below = unique


def _match_risk(
    score: Floats, uniques: int, doubles: int, fraction: float, n_attributes: int
) -> Floats:
    """Probabilities whose average odds against a match fit the simulated ones.

    The odds against fall with the score to the power 1 + (8 - attributes) / 20.
    """
    matched = score > 0
    power = 1.0 + (8.0 - n_attributes) / 20.0
    against = np.where(matched, np.maximum(score, 1.0), 1.0) ** -power
    if not matched.any() or doubles == 0:
        return matched.astype(np.float64)
    simulated = uniques * fraction / (uniques * fraction + doubles * (1 - fraction))
    scale = uniques * (1 / simulated - 1) / against[matched].sum()
    return np.where(matched, 1.0 / (1.0 + scale * against), 0.0)
