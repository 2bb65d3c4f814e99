"""Probabilistic record linkage (PRL): linkage by weights of agreement.

Domingo-Ferrer and Torra (2002), after Fellegi and Sunter (1969). The model of agreement is fitted
by expectation-maximisation (Jaro 1989): among all pairs of a masked and an original record some
are matches; attributes agree independently, with probability m in a match and u in any other pair.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.classes import Classes, classes_of_columns
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError, SchemaError
from evomask.kernels.linking.agreement import agreement_patterns, fit_agreement
from evomask.kernels.linking.agreement_tally import DistinctRecords, agreement_tally
from evomask.kernels.linking.linkage import Candidates, Rows, Terms
from evomask.measures.comparison_space import Space, tied_with_own
from evomask.measures.measure import About, Reading, Side, check_masked
from evomask.measures.papers.distance_linkage import classes_of_rows, expected_success
from evomask.measures.targets import fixed_records
from evomask.types import Floats, Indices, Points

FIRST_MATCHES, FIRST_M, FIRST_U = 0.1, 0.9, 0.1
SMALLEST = 1e-9
CLOSE = 1e-7
MOST_STEPS = 1000


@dataclass(frozen=True, eq=False)
class AgreementModel:
    """Fitted Fellegi-Sunter model.

    Args:
        matches: share of pairs that are matches.
        m, u: probability that each attribute agrees in a match, in any other pair.
        agreements: one row for each observed pattern, 1 where the attribute agrees.
    """

    matches: float
    m: Floats
    u: Floats
    agreements: Points

    def weights(self) -> Floats:
        """Log likelihood ratio of each observed pattern: match against no match."""
        agree, differ = self.attribute_weights()
        weights: Floats = self.agreements @ agree + (1 - self.agreements) @ differ
        return weights

    def attribute_weights(self) -> tuple[Floats, Floats]:
        """Contribution of each attribute to the weight where it agrees, and where it differs."""
        agree: Floats = np.log(self.m) - np.log(self.u)
        differ: Floats = np.log1p(-self.m) - np.log1p(-self.u)
        return agree, differ


def fit_model(patterns: Indices, pairs: Floats, n_attributes: int) -> AgreementModel:
    """Fit the model to observed patterns (bit j: attribute j agrees) and their numbers of pairs.

    Starts with one pair in ten a match, and attributes that agree with probability 0.9 in
    matches, 0.1 elsewhere. All probabilities stay inside (0, 1).
    """
    agreements = (patterns[:, None] >> np.arange(n_attributes) & 1).astype(np.float64)
    m, u = np.full(n_attributes, FIRST_M), np.full(n_attributes, FIRST_U)
    matches, m, u = fit_agreement(
        agreements, pairs, FIRST_MATCHES, m, u, SMALLEST, CLOSE, MOST_STEPS
    )
    return AgreementModel(matches, m, u, agreements)


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
        """Number of compared attributes: a pattern has a bit for each."""
        return int(self.masked.low.shape[1] + self.masked.codes.shape[1])

    def blocks(self) -> Iterator[tuple[Indices, Indices]]:
        """Iterate over blocks of masked classes, with their patterns against all originals."""
        step = max(1, BLOCK_PAIRS // len(self.originals))
        for start in range(0, len(self.masked), step):
            classes = np.arange(start, min(start + step, len(self.masked)))
            rows = self.masked.take(classes)
            yield classes, agreement_patterns(rows, self.originals, self.tolerances, self.terms)

    def model(self) -> AgreementModel:
        """Fit the agreement model over all pairs of records."""
        sizes, original_sizes = self.masked_classes.sizes, self.original_classes.sizes
        if len(self.tolerances):
            tally = np.zeros(1 << self.n_attributes)
            for classes, patterns in self.blocks():
                pairs = np.outer(sizes[classes], original_sizes)
                tally += np.bincount(patterns.ravel(), weights=pairs.ravel(), minlength=len(tally))
        else:  # much faster where all attributes are categorical
            ours = DistinctRecords(self.masked.codes, sizes)
            theirs = DistinctRecords(self.originals.codes, original_sizes)
            tally = agreement_tally(ours, theirs, self.terms)
        seen = np.flatnonzero(tally)
        return fit_model(seen, tally[seen], self.n_attributes)

    def as_distances(self, model: AgreementModel) -> Terms:
        """Turn weights into distances: the shortfall from the highest possible weight."""
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
        """Weight of every pattern that occurs; 0 for the others."""
        table = np.zeros(1 << self.n_attributes)
        bits = 1 << np.arange(self.n_attributes)
        table[(model.agreements @ bits).astype(np.int64)] = model.weights()
        return table


def compare(space: Space, masked: Table, tolerance: float, some: Indices) -> Comparison:
    """Compare all originals with some masked records.

    Numbers agree within *tolerance* standard deviations."""
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
    """PRL: share of masked records whose own original has the highest weight; ties share.

    Args:
        attributes: at most 20 names.
        tolerance: numbers agree within this share of the standard deviation.
        people: number of records to link, at most; a fixed sample. All by default.
    """

    attributes: tuple[str, ...]
    tolerance: float = 0.1
    people: int | None = None

    about: ClassVar[About] = About(
        "prl",
        "probabilistic record linkage (PRL)",
        Side.RISK,
        "the share of masked records that an intruder who holds the original file links to the "
        "right individual by Fellegi-Sunter weights of agreement",
    )

    def __post_init__(self) -> None:
        _check(self.attributes, self.tolerance)

    def against(self, original: Table) -> Reading:
        space = Space.of(original, self.attributes)
        some = fixed_records(original, self.attributes, self.people)

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            comparison = compare(space, masked, self.tolerance, some)
            model, own = comparison.model(), comparison.original_classes.labels[some]
            if not len(comparison.tolerances):
                return 100.0 * _share_of_codes(comparison, comparison.as_distances(model), own)
            ties = _ties_of_best(comparison, comparison.weights(model), own)
            return 100.0 * float(expected_success(ties).mean())

        return reading

    def model(self, original: Table, masked: Table) -> AgreementModel:
        """The fitted probabilities, for a report."""
        check_masked(original, masked, self.attributes)
        every = np.arange(len(original))
        return compare(Space.of(original, self.attributes), masked, self.tolerance, every).model()


def _check(attributes: tuple[str, ...], tolerance: float) -> None:
    if len(attributes) > MOST_ATTRIBUTES:
        raise SchemaError(
            f"probabilistic linkage compares at most {MOST_ATTRIBUTES} attributes, "
            f"got {len(attributes)}; name fewer"
        )
    if tolerance < 0:
        raise ParameterError(f"tolerance must not be negative, got {tolerance}")


def _share_of_codes(comparison: Comparison, terms: Terms, own: Indices) -> float:
    """Share of linked records where all attributes are categorical: highest weight is nearest."""
    ours, theirs = comparison.masked_classes, comparison.original_classes
    pairs = classes_of_columns([ours.labels, own], len(ours.labels))
    first = pairs.representatives
    targets = comparison.masked.take(ours.labels[first])
    nowhere = np.full(len(targets), np.nan)
    candidates = Candidates(comparison.originals, theirs.sizes, np.empty(0))
    ties = tied_with_own(targets, nowhere, own[first], candidates, terms)
    return float(np.average(expected_success(ties), weights=pairs.sizes))


def _ties_of_best(comparison: Comparison, weights: Floats, owners: Indices) -> Indices:
    """For each record, the number of originals of highest weight, its own among them; else 0."""
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

    Records of one equivalence class are interchangeable, so a link to a class counts by the
    probability of the own record. For reports: cost grows with the cube of the records.
    """

    attributes: tuple[str, ...]
    tolerance: float = 0.1

    about: ClassVar[About] = About(
        "prl-one-to-one",
        "one-to-one probabilistic record linkage",
        Side.RISK,
        "the share of right links when an intruder assigns the records of both files one to one",
    )

    def __post_init__(self) -> None:
        _check(self.attributes, self.tolerance)

    def against(self, original: Table) -> Reading:
        space = Space.of(original, self.attributes)
        if len(original) > MOST_ASSIGNED:
            raise DataError(
                f"one-to-one linkage takes at most {MOST_ASSIGNED} records, got {len(original)}; "
                "use prl"
            )

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            comparison = compare(space, masked, self.tolerance, np.arange(len(original)))
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
