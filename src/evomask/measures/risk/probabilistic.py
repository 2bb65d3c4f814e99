"""Probabilistic record linkage (PRL): matching by which attributes agree.

Domingo-Ferrer and Torra (2002), after Fellegi and Sunter (1969).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.data.classes import Classes, classes_of_columns
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError, SchemaError
from evomask.kernels.linking.agreement import agreement_patterns
from evomask.kernels.linking.agreement_tally import Counted, agreement_tally
from evomask.kernels.linking.linkage import Candidates, Rows, Terms
from evomask.measures.comparability import check_masked
from evomask.measures.measure import About, Reading, Side
from evomask.measures.people import fixed_records
from evomask.measures.risk.fellegi_sunter import AgreementModel, fitted
from evomask.measures.risk.linkage import classes_of_rows, expected
from evomask.measures.risk.nearest import tied_with_own
from evomask.measures.risk.space import Space

MOST_ATTRIBUTES = 20
MOST_ASSIGNED = 5_000
BLOCK_PAIRS = 1 << 20


@dataclass(frozen=True, eq=False)
class Comparison:
    """Distinct masked records against distinct original ones, attribute by attribute."""

    masked: Rows
    originals: Rows
    masked_classes: Classes
    original_classes: Classes
    tolerances: Floats
    terms: Terms

    @property
    def n_attributes(self) -> int:
        """How many attributes are compared: a pattern has a bit for each."""
        return int(self.masked.low.shape[1] + self.masked.codes.shape[1])

    def blocks(self) -> Iterator[tuple[Indices, Indices]]:
        """Some masked classes at a time, with their patterns against all original classes."""
        step = max(1, BLOCK_PAIRS // len(self.originals))
        for start in range(0, len(self.masked), step):
            classes = np.arange(start, min(start + step, len(self.masked)))
            yield (
                classes,
                agreement_patterns(
                    self.masked.take(classes), self.originals, self.tolerances, self.terms
                ),
            )

    def model(self) -> AgreementModel:
        """The agreement model over all pairs of records."""
        tally = self._tally_of_pairs() if len(self.tolerances) else self._tally_of_codes()
        seen = np.flatnonzero(tally)
        return fitted(seen, tally[seen], self.n_attributes)

    def _tally_of_pairs(self) -> Floats:
        """How many pairs of records show each pattern."""
        tally = np.zeros(1 << self.n_attributes)
        for classes, patterns in self.blocks():
            pairs = np.outer(self.masked_classes.sizes[classes], self.original_classes.sizes)
            tally += np.bincount(patterns.ravel(), weights=pairs.ravel(), minlength=len(tally))
        return tally

    def _tally_of_codes(self) -> Floats:
        """The same where all attributes are categorical, which is much faster."""
        ours = Counted(self.masked.codes, self.masked_classes.sizes)
        theirs = Counted(self.originals.codes, self.original_classes.sizes)
        return agreement_tally(ours, theirs, self.terms)

    def as_distances(self, model: AgreementModel) -> Terms:
        """Tables of how far the weight of a pair falls short of the highest there can be."""
        agree, differ = model.attribute_weights()
        highest = np.maximum(agree, differ)
        sizes = np.diff(np.append(self.terms.starts, self.terms.tables.size))
        short = np.where(
            self.terms.tables == 0.0,
            np.repeat(highest - agree, sizes),
            np.repeat(highest - differ, sizes),
        )
        return self.terms._replace(tables=short)

    def weights(self, model: AgreementModel) -> Floats:
        """Weight of every pattern that occurs; the others are never asked for."""
        table = np.zeros(1 << self.n_attributes)
        bits = 1 << np.arange(self.n_attributes)
        table[(model.agreements @ bits).astype(np.int64)] = model.weights()
        return table


def compared(space: Space, masked: Table, tolerance: float, some: Indices) -> Comparison:
    """All originals and some masked records; numbers agree within *tolerance* deviations."""
    released = space.masked(masked)
    rows = released.rows.take(some)
    classes = classes_of_rows(rows)
    return Comparison(
        rows.take(classes.representatives),
        space.originals.take(space.classes.representatives),
        classes,
        space.classes,
        np.array([tolerance * column.deviation for column in space.numbers]),
        space.terms(released),
    )


@dataclass(frozen=True)
class ProbabilisticLinkage:
    """PRL: masked records whose own original has the highest weight; ties share.

    Args:
        attributes: at most 20 names.
        tolerance: numbers agree within this share of the standard deviation.
    """

    attributes: tuple[str, ...]
    tolerance: float = 0.1
    people: int | None = None
    """How many records are linked at most, a fixed sample; all of them by default."""

    about: ClassVar[About] = About(
        "prl",
        "probabilistic record linkage (PRL)",
        Side.RISK,
        "the share of masked records that an intruder who holds the original file matches to "
        "the right person by weighing which values agree",
    )

    def __post_init__(self) -> None:
        _check(self.attributes, self.tolerance)

    def against(self, original: Table) -> Reading:
        """Prepare the distinct original records."""
        space = Space.of(original, self.attributes)
        some = fixed_records(original, self.attributes, self.people)

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            comparison = compared(space, masked, self.tolerance, some)
            return 100.0 * _linked_share(comparison, some)

        return reading

    def model(self, original: Table, masked: Table) -> AgreementModel:
        """The fitted probabilities, for a report."""
        check_masked(original, masked, self.attributes)
        every = np.arange(len(original))
        return compared(Space.of(original, self.attributes), masked, self.tolerance, every).model()


def _check(attributes: tuple[str, ...], tolerance: float) -> None:
    if len(attributes) > MOST_ATTRIBUTES:
        raise SchemaError(
            f"probabilistic linkage compares at most {MOST_ATTRIBUTES} attributes, "
            f"got {len(attributes)}; name fewer"
        )
    if tolerance < 0:
        raise ParameterError(f"tolerance must not be negative, got {tolerance}")


def _linked_share(comparison: Comparison, some: Indices) -> float:
    model = comparison.model()
    own = comparison.original_classes.labels[some]
    if len(comparison.tolerances):
        ties = _ties_of_best(comparison, comparison.weights(model), own)
        return float(expected(ties).mean())
    return _share_of_codes(comparison, comparison.as_distances(model), own)


def _share_of_codes(comparison: Comparison, terms: Terms, own: Indices) -> float:
    """Where all attributes are categorical: records of greatest weight are nearest ones."""
    ours, theirs = comparison.masked_classes, comparison.original_classes
    pairs = classes_of_columns([ours.labels, own], len(ours.labels))
    first = pairs.representatives
    targets = comparison.masked.take(ours.labels[first])
    nowhere = np.full(len(targets), np.nan)
    candidates = Candidates(comparison.originals, theirs.sizes, np.empty(0))
    ties = tied_with_own(targets, nowhere, own[first], candidates, terms)
    return float(np.average(expected(ties), weights=pairs.sizes))


def _ties_of_best(comparison: Comparison, weights: Floats, owners: Indices) -> Indices:
    """For each record, how many originals share the best weight, its own among them; or 0."""
    labels = comparison.masked_classes.labels
    by_class = np.argsort(labels, kind="stable")
    ends = np.concatenate([[0], np.cumsum(comparison.masked_classes.sizes)])
    ties = np.zeros(len(labels), dtype=np.int64)
    for classes, patterns in comparison.blocks():
        scores = weights[patterns]
        best = scores == scores.max(axis=1, keepdims=True)
        shared = best @ comparison.original_classes.sizes
        records = by_class[ends[classes[0]] : ends[classes[-1] + 1]]
        rows = labels[records] - classes[0]
        ties[records] = np.where(best[rows, owners[records]], shared[rows], 0)
    return ties


@dataclass(frozen=True)
class OneToOneLinkage:
    """PRL with every record used once: the assignment of greatest total weight.

    Records that look alike are interchangeable, so a link to a class of them counts by the
    chance of hitting the own one. For reports: cost grows with the cube of the records.
    """

    attributes: tuple[str, ...]
    tolerance: float = 0.1

    about: ClassVar[About] = About(
        "prl-one-to-one",
        "probabilistic record linkage, one to one",
        Side.RISK,
        "the share of right matches when an intruder pairs off both whole files at once",
    )

    def __post_init__(self) -> None:
        _check(self.attributes, self.tolerance)

    def against(self, original: Table) -> Reading:
        """Prepare the distinct original records."""
        space = Space.of(original, self.attributes)
        if len(original) > MOST_ASSIGNED:
            raise DataError(
                f"one-to-one linkage takes at most {MOST_ASSIGNED} records, got {len(original)}; "
                "use prl"
            )

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            comparison = compared(space, masked, self.tolerance, np.arange(len(original)))
            return 100.0 * _assigned_share(comparison, comparison.weights(comparison.model()))

        return reading


def _assigned_share(comparison: Comparison, weights: Floats) -> float:
    """Expected share of own links; records are taken in the order of their classes."""
    from scipy.optimize import linear_sum_assignment

    ours, theirs = comparison.masked_classes, comparison.original_classes
    of_classes: Points = np.vstack([weights[patterns] for _, patterns in comparison.blocks()])
    rows = np.repeat(np.arange(len(ours)), ours.sizes)
    columns = np.repeat(np.arange(len(theirs)), theirs.sizes)
    left, right = linear_sum_assignment(of_classes[np.ix_(rows, columns)], maximize=True)
    moved = np.zeros(of_classes.shape)
    np.add.at(moved, (rows[left], columns[right]), 1.0)
    chance = moved / ours.sizes[:, None] / theirs.sizes[None, :]
    return float(chance[ours.labels, theirs.labels].mean())
