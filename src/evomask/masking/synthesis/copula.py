"""Gaussian copula: normal scores with the correlations of the file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.schema import Attribute
from evomask.data.table import Column, Table
from evomask.masking.method import About
from evomask.masking.microaggregation.aggregation import clip_to_range
from evomask.masking.synthesis.synthesizer import PROMISE, Synthesizer
from evomask.types import Floats, Indices, Points

NEARLY_SINGULAR = 1e-9
"""Least eigenvalue of a correlation matrix."""


@dataclass(frozen=True)
class Copula(Synthesizer):
    """Draw values from a Gaussian copula: the distribution of each attribute, and correlations.

    Args:
        attributes: names of the replaced attributes.
        given: attributes that the draws depend on; by default all other quasi-identifiers,
            confidential attributes and weights.
        rare: replace only records whose combination of the quasi-identifiers (of those of any
            scenario, numbers in tenths of the file) occurs in at most so many records; 0 replaces
            all.
        noise: percent by which correlations are reduced.

    Normal scores are those of the ranks, ties broken at random; of categories without order too.
    Numbers are interpolated between neighbouring values and rounded to the decimals of the
    attribute. Values are missing as often as in the file, independently of everything else.
    """

    about: ClassVar[About] = About(
        name="copula",
        title="synthesis by a Gaussian copula",
        steward="values drawn from a Gaussian copula[, of records in classes of {rare} or fewer]",
        public=(
            "Values were replaced by synthetic ones, drawn from the distribution of each attribute "
            "and the correlations of all." + PROMISE
        ),
        simple="synthesis",
        together=True,
    )

    def _draw(
        self, table: Table, given: Sequence[str], records: Indices, rng: np.random.Generator
    ) -> dict[str, Column]:
        from scipy.special import ndtr

        names = (*self.attributes, *given)
        scores = np.column_stack([_normal_scores(table[name], rng) for name in names])
        own, correlations = len(self.attributes), self._correlations(scores)
        weights = correlations[:own, own:] @ np.linalg.pinv(correlations[own:, own:])
        covariance = correlations[:own, :own] - weights @ correlations[own:, :own]
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, NEARLY_SINGULAR))
        drawn = scores[records, own:] @ weights.T
        drawn += rng.standard_normal((len(records), own)) @ root.T
        return {
            name: _quantiles(table.attribute(name), table[name], ndtr(drawn[:, place]), rng)
            for place, name in enumerate(self.attributes)
        }

    def _correlations(self, scores: Points) -> Points:
        found = np.nan_to_num(np.atleast_2d(np.corrcoef(scores, rowvar=False)))
        found *= 1.0 - self.noise / 100
        np.fill_diagonal(found, 1.0)
        return found


def _normal_scores(values: Column, rng: np.random.Generator) -> Floats:
    """Normal scores of a column; ties and missing values are ordered at random."""
    from scipy.special import ndtri

    column = np.asarray(values, dtype=np.float64)
    filled = np.where(np.isnan(column), rng.permutation(_known(column)), column)
    order = np.lexsort((rng.random(len(filled)), filled))
    ranks = np.empty(len(filled))
    ranks[order] = (np.arange(len(filled)) + 0.5) / len(filled)
    scores: Floats = ndtri(ranks)
    return scores


def _known(column: Floats) -> Floats:
    """Known values, repeated to the length of the column; zeros where none is known."""
    known = column[~np.isnan(column)]
    return np.resize(known, len(column)) if len(known) else np.zeros(len(column))


def _quantiles(
    attribute: Attribute, before: Column, shares: Floats, rng: np.random.Generator
) -> Column:
    """Quantiles of the column's distribution at the given shares."""
    if attribute.is_categorical:
        places = np.minimum((shares * len(before)).astype(np.int64), len(before) - 1)
        codes: Column = np.sort(before)[places]
        return codes
    values = np.sort(_known(before))
    drawn = np.interp(shares * (len(values) - 1), np.arange(len(values)), values)
    missing = np.isnan(before)[rng.permutation(len(before))[: len(shares)]]
    return np.where(missing, np.nan, clip_to_range(attribute, drawn, before))
