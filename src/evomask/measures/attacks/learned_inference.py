"""Attribute inference by a learned model: vote of the nearest neighbours.

The intruder knows the quasi-identifiers of a target, learns from the masked file how the unknown
attribute depends on them, and predicts it. The model is k nearest neighbours with 1, 5 or 25
neighbours, whichever does best; it is deterministic and needs no training.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from evomask.data.classes import Classes
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.kernels.linking.linkage import TIE, Rows, Terms
from evomask.measures.attacks.attack import AttackResult, PreparedAttack, distances, target_blocks
from evomask.measures.columns import CategoricalColumn, NumberColumn
from evomask.measures.comparison_space import Space
from evomask.measures.measure import About, Side, check_columns, check_original
from evomask.measures.papers.distance_linkage import classes_of_rows
from evomask.measures.papers.inference import WINDOW, fixed_targets
from evomask.types import Flags, Floats, Indices, Points

NEIGHBOURS = (1, 5, 25)


class Near(NamedTuple):
    """For some targets, the classes of masked records that are near, and a record to leave out.

    ``left_out`` holds a record for each target, or -1.
    """

    classes: Classes
    near: Flags
    left_out: Indices


Prediction = Callable[[Indices, Near], Flags]
"""Whether the prediction from the neighbours is right for each target."""


class Predictor(Protocol):
    """Prediction of one unknown attribute."""

    def baseline(self, targets: Indices) -> Flags:
        """Whether the most usual value is right for each target."""
        ...

    def learn(self, masked: Table) -> Prediction:
        """Prepare the predictions from a masked table."""
        ...


@dataclass(frozen=True, eq=False)
class CategoryPredictor:
    """Predicts the most frequent category of the neighbours; the same category is right.

    The first category of the domain wins a tie. A generalized cell votes for all categories
    that it covers, by frequency.
    """

    column: CategoricalColumn

    def baseline(self, targets: Indices) -> Flags:
        right: Flags = self.column.codes[targets] == int(np.argmax(self.column.counts))
        return right

    def learn(self, masked: Table) -> Prediction:
        cells = self.column.cells(masked)

        def is_right(targets: Indices, near: Near) -> Flags:
            classes = near.classes
            keys = classes.labels * len(cells) + cells.codes
            counts = np.bincount(keys, minlength=len(classes) * len(cells))
            votes: Points = near.near.astype(np.float64) @ counts.reshape(len(classes), len(cells))
            out = np.flatnonzero(near.left_out >= 0)
            records = near.left_out[out]
            votes[out, cells.codes[records]] -= near.near[out, classes.labels[records]]
            predicted = np.argmax(np.round(votes @ cells.spread, 9), axis=1)
            right: Flags = self.column.codes[targets] == predicted
            return right

        return is_right


@dataclass(frozen=True, eq=False)
class NumberPredictor:
    """Predicts the lower median of the neighbours; within ten percent of the ranks is right.

    A missing value is never predicted right.
    """

    column: NumberColumn

    def baseline(self, targets: Indices) -> Flags:
        return self._are_right(targets, np.full(len(targets), _lower_median(self.column.sorted)))

    def learn(self, masked: Table) -> Prediction:
        numbers = self.column.cells(masked).centre

        def median(near: Flags, left_out: int) -> float:
            if left_out >= 0:
                near[left_out] = False
            return _lower_median(np.sort(numbers[near & ~np.isnan(numbers)]))

        def is_right(targets: Indices, near: Near) -> Flags:
            pairs = zip(near.near, near.left_out, strict=True)
            medians = [median(neighbours[near.classes.labels], out) for neighbours, out in pairs]
            return self._are_right(targets, np.array(medians))

        return is_right

    def _are_right(self, targets: Indices, predicted: Floats) -> Flags:
        apart = np.abs(self.column.places(predicted) - self.column.ranks[targets])
        right: Flags = apart <= WINDOW / 100 * len(self.column.values)
        return right


def _lower_median(ascending: Floats) -> float:
    return float(ascending[(len(ascending) - 1) // 2]) if len(ascending) else np.nan


@dataclass(frozen=True)
class LearnedInference:
    """Share of targets whose unknown value is predicted right from the masked file.

    Args:
        attributes: names of those that the intruder knows.
        unknown: name of the attribute to infer.

    The baseline guesses the most usual value. ``without_own_record`` is the success when the
    target's own masked record is left out: what the file reveals about someone who is not in
    it. Above 2,000 records a fixed sample of 1,000 targets is attacked.
    """

    attributes: tuple[str, ...]
    unknown: str
    matches_records: bool = False

    def __post_init__(self) -> None:
        if self.unknown in self.attributes:
            raise SchemaError(f"{self.unknown!r} cannot be both known and inferred")

    @property
    def about(self) -> About:
        return About(
            f"learned-{self.unknown}",
            f"attribute inference of {self.unknown} by a learned model",
            Side.RISK,
            f"the share of targets whose value of {self.unknown!r} is predicted right by a model "
            "learned from the masked file; no disclosure where the baseline guess does as well",
        )

    def against(self, original: Table) -> PreparedAttack:
        check_original(original, (*self.attributes, self.unknown))
        space = Space.of(original, self.attributes)
        predictor: Predictor
        if original.attribute(self.unknown).is_categorical:
            predictor = CategoryPredictor(CategoricalColumn.of(original, self.unknown))
        else:
            predictor = NumberPredictor(NumberColumn.of(original, self.unknown))
        targets = fixed_targets(original, self.attributes)
        baseline = 100.0 * float(predictor.baseline(targets).mean())

        def attack(masked: Table) -> AttackResult:
            check_columns(original, masked, (*self.attributes, self.unknown))
            training = _TrainingFile.of(space, masked, predictor.learn(masked))
            with_own, without = training.shares_right(targets)
            best = int(np.argmax(with_own))
            paired = len(masked) == len(original) > 1
            details = {"without_own_record": without[best]} if paired else {}
            return AttackResult(with_own[best], baseline, details)

        return attack


@dataclass(frozen=True, eq=False)
class _TrainingFile:
    """A masked file as the model uses it: distinct records and their predictions."""

    space: Space
    classes: Classes
    rows: Rows
    terms: Terms
    is_right: Prediction

    @classmethod
    def of(cls, space: Space, masked: Table, is_right: Prediction) -> "_TrainingFile":
        released = space.masked(masked)
        classes = classes_of_rows(released.rows)
        rows = released.rows.take(classes.representatives)
        return cls(space, classes, rows, space.terms(released, from_originals=True), is_right)

    def shares_right(self, targets: Indices) -> tuple[list[float], list[float]]:
        """Percent predicted right by number of neighbours, with and without own records."""
        blocks = target_blocks(targets, len(self.classes))
        right = np.concatenate([self._right(block) for block in blocks], axis=2)
        with_own, without = 100.0 * right.mean(axis=2)
        return with_own.tolist(), without.tolist()

    def _right(self, targets: Indices) -> Flags:
        """Who is predicted right: with and without the own record, by number of neighbours."""
        apart = distances(self.space.originals.take(targets), self.rows, self.terms)
        nothing = np.full(len(targets), -1)
        own_records = np.where(targets < len(self.classes.labels), targets, -1)
        right = [
            [self.is_right(targets, Near(self.classes, near, out)) for near in ways]
            for out, ways in (
                (out, _nearest(apart, self.classes, out)) for out in (nothing, own_records)
            )
        ]
        return np.array(right)


def _nearest(apart: Points, classes: Classes, left_out: Indices) -> list[Flags]:
    """For each number of neighbours, the classes that hold them, ties included.

    One class more than the largest number of neighbours is enough: at most one class is emptied
    by leaving out the own record.
    """
    count = min(max(NEIGHBOURS) + 1, len(classes))
    order = np.argpartition(apart, count - 1, axis=1)[:, :count]
    order = np.take_along_axis(
        order, np.argsort(np.take_along_axis(apart, order, axis=1), axis=1), axis=1
    )
    in_order = np.take_along_axis(apart, order, axis=1)
    own_class = np.where(left_out >= 0, classes.labels[left_out], -1)
    reached = np.cumsum(classes.sizes[order] - (order == own_class[:, None]), axis=1)
    places = [np.argmax(reached >= np.minimum(k, reached[:, -1:]), axis=1) for k in NEIGHBOURS]
    limits = [np.take_along_axis(in_order, place[:, None], axis=1) for place in places]
    return [apart <= limit * (1.0 + TIE) for limit in limits]
