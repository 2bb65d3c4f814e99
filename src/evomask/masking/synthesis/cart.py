"""Sequential regression trees (Reiter, 2005), as in synthpop (Nowok, Raab and Dibben, 2016)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.schema import Attribute, Kind
from evomask.data.table import Column, Table
from evomask.masking.method import About, require_count
from evomask.masking.microaggregation.aggregation import clip_to_range
from evomask.masking.synthesis.synthesizer import PROMISE, NumberBins, Synthesizer
from evomask.types import Codes, Floats, Indices

BINS = 255
"""Largest number of bins of a predictor."""


@dataclass(frozen=True)
class Cart(Synthesizer):
    """Replace values by those of records in the same leaf of a regression or classification tree.

    Args:
        attributes: names of the replaced attributes, in the order in which they are drawn.
        given: attributes that the draws depend on, besides attributes drawn earlier; by default
            all other quasi-identifiers, confidential attributes and weights.
        rare: replace only records whose combination of the quasi-identifiers (of those of any
            scenario, numbers in tenths of the file) occurs in at most so many records; 0 replaces
            all.
        noise: numbers are moved by up to so many percent of the ranks; categories are drawn from
            the whole file with this chance in percent.
        leaf: smallest number of records in a leaf.
        depth: largest number of splits on the way to a leaf.

    The first attribute is drawn from its distribution if nothing is given. Missing values are drawn
    like others. Numbers with many values are split at 254 quantiles.
    """

    leaf: int = 5
    depth: int = 30

    about: ClassVar[About] = About(
        name="cart",
        title="synthesis by regression trees",
        steward="synthesis by sequential regression trees (leaves of {leaf} or more"
        " records)[, of records in classes of {rare} or fewer]",
        public=(
            "Values were replaced by synthetic ones, drawn from regression trees that describe how "
            "attributes depend on each other." + PROMISE
        ),
        simple="synthesis",
        together=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count(self.leaf, "leaf", least=1)
        require_count(self.depth, "depth", least=0)

    def _draw(
        self, table: Table, given: Sequence[str], records: Indices, rng: np.random.Generator
    ) -> dict[str, Column]:
        from evomask.kernels.trees import draw_from_leaves

        predictors = [_Predictor(table.attribute(name), table[name]) for name in given]
        own = [one.bins(table[one.attribute.name]) for one in predictors]
        new = [bins[records] for bins in own]
        drawn: dict[str, Column] = {}
        for name in self.attributes:
            attribute, column = table.attribute(name), table[name]
            donors = draw_from_leaves(
                _rows(own, len(table)),
                np.array([one.size for one in predictors], dtype=np.int64),
                np.array([one.is_nominal for one in predictors], dtype=np.int64),
                _response(attribute, column),
                column if attribute.is_categorical else np.zeros(len(table), dtype=np.int32),
                self.leaf,
                self.depth,
                _rows(new, len(records)),
                rng.random(len(records)),
            )
            drawn[name] = self._values(attribute, column, donors, rng)
            predictors.append(_Predictor(attribute, column))
            own.append(predictors[-1].bins(column))
            new.append(predictors[-1].bins(drawn[name]))
        return drawn

    def _values(
        self, attribute: Attribute, column: Column, donors: Indices, rng: np.random.Generator
    ) -> Column:
        values: Column = column[donors]
        if not self.noise:
            return values
        if attribute.is_categorical:
            others = column[rng.integers(len(column), size=len(values))]
            return np.where(rng.random(len(values)) < self.noise / 100, others, values)
        known = np.sort(column[~np.isnan(column)])
        low, high = (np.searchsorted(known, values, side) for side in ("left", "right"))
        reach = rng.uniform(-1, 1, len(values)) * self.noise / 100 * len(known)
        ranks = low + rng.random(len(values)) * (high - low) + reach
        ranks = len(known) - np.abs(len(known) - np.abs(ranks))  # reflected at both ends
        moved = np.interp(ranks, np.arange(len(known)) + 0.5, known) if len(known) else values
        return np.where(np.isnan(values), values, clip_to_range(attribute, moved, column))


def _rows(bins: Sequence[Codes], length: int) -> Codes:
    return np.array(bins, dtype=np.int32).reshape(len(bins), length)


def _response(attribute: Attribute, column: Column) -> Floats:
    """The centred numbers, missing ones at the mean; 1 for classes."""
    if attribute.is_categorical:
        return np.ones(len(column))
    known = column[~np.isnan(column)]
    mean = known.mean() if len(known) else 0.0
    return np.nan_to_num(np.asarray(column, dtype=np.float64) - mean, nan=0.0)


class _Predictor:
    """Bins of an attribute; of many categories the rarest share one bin."""

    def __init__(self, attribute: Attribute, column: Column) -> None:
        self.attribute = attribute
        self.bins: Callable[[Column], Codes]
        self.is_nominal = attribute.kind is Kind.NOMINAL
        if not attribute.is_categorical:
            bins = NumberBins(column, BINS)
            self.bins, self.size = bins, bins.size
            return
        codes = np.arange(len(attribute.categories), dtype=np.int32)
        if len(codes) > BINS and self.is_nominal:
            counts = np.bincount(column, minlength=len(codes))
            codes[np.argsort(-counts, kind="stable")] = np.minimum(codes, BINS - 1)
        elif len(codes) > BINS:
            codes = (codes.astype(np.int64) * BINS // len(codes)).astype(np.int32)
        self.bins = codes.__getitem__
        self.size = int(codes.max(initial=-1)) + 1
