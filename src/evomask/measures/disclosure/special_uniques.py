"""Special uniques (SUDA2): records that are unique on few attributes already."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb, inf, prod

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.disclosure.privacy_models import released, released_classes
from evomask.measures.disclosure.record_risk import EDGES, MINIMUM, Cell, histogram, weight_of
from evomask.measures.measure import About, Side
from evomask.types import Flags, Floats, Indices

SPECIAL_UNIQUES = About(
    "suda", "special uniques (SUDA2)", Side.PROPERTY,
    "the number of released records that are unique on few attributes already",
    low=0, high=inf,
)  # fmt: skip

MOST_SETS = 20_000

MOST_SETS_AUDITED = 5_000
MOST_SET_ROWS = 200_000_000
"""Sets, and sets times distinct rows, that an audit enumerates, at most."""

_Set = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class SpecialUniques:
    """Scores of each released record by its minimal sample uniques.

    Args:
        sizes: column s holds the number of minimal sets of s attributes on which the record is
            unique.
        score: sum over those sets; fewer attributes weigh more.
        risk: the score turned into a probability of a right match (DIS-SUDA).
        contributions: for each attribute, the percentage of all scores from sets that contain
            it; as sets have several attributes, these add up to more than 100.
    """

    sizes: Indices
    score: Floats
    risk: Floats
    contributions: Floats


def special_uniques(
    table: Table, names: Sequence[str], *, largest: int | None = None, fraction: float = 0.01
) -> SpecialUniques:
    """Find minimal sample uniques of up to *largest* attributes (Elliot et al. 2002, SUDA2).

    A set of s among m attributes scores (m - s)(m - s - 1) … down to the factor m - largest,
    at least 1. The risk is scaled to fit the data intrusion simulation: with U uniques, P
    records in classes of two and *fraction* the sampling fraction,
    U fraction / (U fraction + P (1 - fraction)).
    """
    if not 0 < fraction < 1:
        raise ParameterError(f"the sampling fraction must lie in (0, 1), got {fraction}")
    most = _checked_largest(len(names), largest)
    classes = released_classes(table, names)
    minimal, by_attribute = _count_minimal_sets(released(table), names, most)
    points = [prod(range(max(1, len(names) - most), len(names) - s + 1)) for s in range(most + 1)]
    score = (minimal @ np.array(points)).astype(np.float64)
    doubles = 2 * int(np.sum(classes.sizes == 2))
    uniques = int(np.sum(classes.sizes == 1))
    risk = _match_risk(score, uniques, doubles, fraction, len(names))
    shares = 100.0 * (by_attribute @ np.array(points)) / max(score.sum(), 1.0)
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
    """Largest size of sets of attributes that an audit enumerates."""
    most, sets = 0, 0
    for size in range(1, n_attributes + 1):
        sets += comb(n_attributes, size)
        if sets <= MOST_SETS_AUDITED and sets * n_rows <= MOST_SET_ROWS:
            most = size
    return max(most, 1)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Distinct rows with their numbers of records; only rows of one record can be unique."""

    columns: list[Indices]
    counts: Indices
    alone: Indices
    bases: list[int] = field(default_factory=list)

    def unique(self, chosen: _Set) -> Flags:
        """Whether each row of one record is unique on the chosen attributes."""
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


def _count_minimal_sets(table: Table, names: Sequence[str], most: int) -> tuple[Indices, Indices]:
    """Number of minimal sets of each size: of each record, and with each attribute."""
    classes = classes_of_columns([table[name] for name in names], len(table))
    places = classes.representatives
    columns = [np.unique(table[name][places], return_inverse=True)[1] for name in names]
    alone = np.flatnonzero(classes.sizes == 1)
    bases = [int(column.max()) + 1 for column in columns]
    rows, records = _Rows(columns, classes.sizes, alone, bases), places[alone]
    by_record = np.zeros((len(table), most + 1), dtype=np.int64)
    by_attribute = np.zeros((len(names), most + 1), dtype=np.int64)
    for chosen, minimal in _minimal(rows, len(names), most) if len(records) else ():
        by_record[records, len(chosen)] += minimal
        by_attribute[list(chosen), len(chosen)] += int(minimal.sum())
    return by_record, by_attribute


def _minimal(rows: _Rows, n_attributes: int, most: int) -> Iterator[tuple[_Set, Flags]]:
    """Iterate over the sets that are minimal for some rows, with the rows; smallest sets first.

    A set is skipped where all rows are unique on smaller sets inside.
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

    The odds against a match fall with the score to the power 1 + (8 - attributes) / 20.
    """
    matched = score > 0
    power = 1.0 + (8.0 - n_attributes) / 20.0
    against = np.where(matched, np.maximum(score, 1.0), 1.0) ** -power
    if not matched.any() or doubles == 0:
        return matched.astype(np.float64)
    simulated = uniques * fraction / (uniques * fraction + doubles * (1 - fraction))
    scale = uniques * (1 / simulated - 1) / against[matched].sum()
    return np.where(matched, 1.0 / (1.0 + scale * against), 0.0)


DEFAULT_FRACTION = 0.01
"""Sampling fraction where there are no weights, as is customary."""

NEARLY_ALL = 0.99


@dataclass(frozen=True)
class SpecialRisk:
    """Counts and histograms of special uniques, without values of any record.

    Args:
        records: number of records that are unique on some set of attributes.
        sets: at position s - 1, the number of minimal sets of s attributes over all records.
        contributions: by attribute, the percentage of all scores from sets that contain it, the
            largest first.
        scores: histogram of the positive scores.
        cells: histogram of the probability of a right match in percent (DIS).
        average: mean of that probability in percent.
        expected: its sum, the expected number of right matches.
        fraction: assumed sampling fraction.
        largest: size of the largest sets that were enumerated.
    """

    records: int
    sets: tuple[int, ...]
    contributions: Mapping[str, float]
    scores: tuple[Cell, ...]
    cells: tuple[Cell, ...]
    average: float
    expected: float
    fraction: float
    largest: int
    minimum: int


def special_risk(table: Table, names: Sequence[str], minimum: int = MINIMUM) -> SpecialRisk:
    """Find the special uniques of the released records, for sets as large as is affordable."""
    records = released(table)
    weight, fraction = weight_of(records), DEFAULT_FRACTION
    if weight is not None:
        fraction = float(min(len(records) / records.values(weight).sum(), NEARLY_ALL))
    largest = largest_audited(len(names), len(released_classes(records, names)))
    found = special_uniques(records, names, largest=largest, fraction=fraction)
    shares = dict(zip(names, found.contributions.tolist(), strict=True))
    scores = found.score[found.score > 0]
    return SpecialRisk(
        len(scores),
        tuple(found.sizes[:, 1:].sum(axis=0).tolist()),
        dict(sorted(shares.items(), key=lambda item: -item[1])),
        histogram(scores, _edges(scores), minimum) if len(scores) else (),
        histogram(100.0 * found.risk, EDGES, minimum),
        float(100.0 * found.risk.mean()),
        float(found.risk.sum()),
        fraction,
        largest,
        minimum,
    )


def _edges(scores: Floats) -> list[float]:
    """Edges 0, 1, 2, 5, 10, 20, 50, … up to the largest score."""
    edges = [0.0]
    while edges[-1] < scores.max():
        power, digit = divmod(len(edges) - 1, 3)
        edges.append(float((1, 2, 5)[digit] * 10**power))
    return edges
