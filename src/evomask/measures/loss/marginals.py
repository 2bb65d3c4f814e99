"""k-marginals: how far tables of two and three columns are from those of the original.

The score is that of NIST's challenges on synthetic data: 1000 for equal tables, 0 for tables
without a common cell; 1000 times one less the mean total variation distance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from evomask.data.table import Table
from evomask.measures.analyses.records import AnalysedFile, OriginalFile, is_number
from evomask.types import Floats, Indices

SHARES = np.linspace(0.05, 0.95, 19)
"""Levels of the quantiles of the original that divide numbers into bins."""

MOST_PAIRS, MOST_TRIPLES = 300, 60
"""Tables of two and of three columns; of more, evenly spaced ones are taken."""

MOST_RECORDS = 20_000
"""Records that are compared; of more, evenly spaced ones are taken."""


@dataclass(frozen=True)
class PairDifference:
    """Total variation distance of the table of two columns from the original, in percent."""

    first: str
    second: str
    difference: float


@dataclass(frozen=True)
class Marginals:
    """k-marginal scores, 0 to 1000, higher is better.

    Args:
        two, three: score of the tables of two and of three columns; None with too few columns.
        pairs: every table of two columns, the most different first.
    """

    two: float | None
    three: float | None
    pairs: tuple[PairDifference, ...]


def marginals(original: Table, masked: Table, names: Sequence[str]) -> Marginals:
    """Compare the tables of two and of three columns of both files."""
    if len(original) > MOST_RECORDS:
        rows = np.linspace(0, len(original) - 1, MOST_RECORDS).astype(np.int64)
        original, masked = original.take(rows), masked.take(rows)
    file = OriginalFile(original)
    both = file.against(original), file.against(masked)
    cuts = {name: _cuts(both[0], name) for name in names if is_number(original.attribute(name))}
    two, three = (
        {key: _distance(both, key, cuts) for key in _spread(names, size, most)}
        for size, most in ((2, MOST_PAIRS), (3, MOST_TRIPLES))
    )
    pairs = (PairDifference(key[0], key[1], 100.0 * far) for key, far in two.items())
    return Marginals(
        _score(list(two.values())),
        _score(list(three.values())),
        tuple(sorted(pairs, key=lambda pair: -pair.difference)),
    )


def _spread(names: Sequence[str], size: int, most: int) -> list[tuple[str, ...]]:
    keys, count = list(combinations(names, size)), comb(len(names), size)
    if count <= most:
        return keys
    return [keys[place] for place in np.linspace(0, count - 1, most).astype(int)]


def _cuts(file: AnalysedFile, name: str) -> Floats:
    records = file.records((name,))
    values = records.numbers(file.original.table.attribute(name))
    known = np.repeat(values, records.count.astype(np.int64))
    known = known[~np.isnan(known)]
    return np.unique(np.quantile(known, SHARES)) if len(known) else np.zeros(0)


def _distance(
    both: tuple[AnalysedFile, AnalysedFile], key: tuple[str, ...], cuts: dict[str, Floats]
) -> float:
    """Total variation distance of the tables of some columns, 0 to 1."""
    if not both[1].has_changed(key):
        return 0.0
    (first, before), (second, after) = (_cells(file, key, cuts) for file in both)
    _, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    change = np.bincount(places, np.concatenate([before, -after]))
    return 0.5 * float(np.abs(change).sum())


def _cells(
    file: AnalysedFile, key: tuple[str, ...], cuts: dict[str, Floats]
) -> tuple[Indices, Floats]:
    """Cell of each record, or piece of one, in the table of some columns, and its share."""
    records, codes, sizes = file.records(key), [], []
    for name in key:
        attribute = file.original.table.attribute(name)
        if name in cuts:
            values = records.numbers(attribute)
            bins = np.searchsorted(cuts[name], values, "right")
            codes.append(np.where(np.isnan(values), len(cuts[name]) + 1, bins))
            sizes.append(len(cuts[name]) + 2)
        else:
            codes.append(records.columns[name])
            sizes.append(len(attribute.categories))
    cells = np.ravel_multi_index(tuple(codes), sizes)
    return cells, records.count / float(records.count.sum())


def _score(distances: Sequence[float]) -> float | None:
    return 1000.0 * (1.0 - float(np.mean(distances))) if distances else None
