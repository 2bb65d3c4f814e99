"""Attribute inference by a learned model: gradient boosting, or a vote of the nearest neighbours.

The intruder knows the quasi-identifiers of a target, learns from the masked file how the unknown
attribute depends on them, and predicts it. What the model predicts right of a control group, which
is not in the file, is what the statistics of the file tell about anybody. Gradient boosting needs
scikit-learn (the extra ``learning``); without it 1, 5 or 25 neighbours vote, whichever do best.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Protocol

import numpy as np

from evomask.data.classes import Classes
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.kernels.linking.linkage import TIE, Rows, Terms
from evomask.measures.attacks.attack import (
    AttackResult,
    PreparedAttack,
    distances,
    people_rows,
    result_of,
    target_blocks,
)
from evomask.measures.columns import CategoricalColumn, NumberColumn
from evomask.measures.comparison_space import Space
from evomask.measures.measure import About, Side, check_columns, check_original
from evomask.measures.papers.distance_linkage import classes_of_rows
from evomask.measures.papers.inference import WINDOW, fixed_targets
from evomask.measures.targets import FIXED_SEED
from evomask.types import Flags, Floats, Points

NEIGHBOURS = (1, 5, 25)

MOST_TRAINED = 5_000
"""Masked records from which trees are grown, at most."""

MOST_CLASSES = 20
"""Categories that trees predict, at most; the most frequent ones."""

MOST_FEATURES = 20
"""Categories of a known attribute with a feature each; of more there is one of their frequency."""

ITERATIONS, LEAVES = 40, 15

CAN_BOOST = find_spec("sklearn") is not None
"""Whether scikit-learn is installed."""

Vote = Callable[[Flags], Floats]
"""Prediction from the classes of masked records (columns) that are near each person (rows)."""


class Unknown(Protocol):
    """One unknown attribute; predictions are codes of categories, or ranks of numbers."""

    @property
    def guess(self) -> float:
        """The prediction without any records: the most usual value."""
        ...

    def are_right(self, predicted: Floats, people: Table) -> Flags:
        """Whether the prediction for each of the people is right."""
        ...

    def vote(self, masked: Table, classes: Classes) -> Vote:
        """Prepare the vote of masked records."""
        ...

    def labels(self, masked: Table) -> Floats:
        """The value that each masked record teaches; NaN for none."""
        ...


@dataclass(frozen=True, eq=False)
class UnknownCategory:
    """A category; only the same category is right.

    The first category of the domain wins a tie. A generalized cell votes for all categories that
    it covers, by frequency.
    """

    column: CategoricalColumn

    @property
    def guess(self) -> float:
        return float(np.argmax(self.column.counts))

    def are_right(self, predicted: Floats, people: Table) -> Flags:
        right: Flags = people.codes(self.column.attribute.name) == predicted
        return right

    def vote(self, masked: Table, classes: Classes) -> Vote:
        cells = self.column.cells(masked)
        keys = classes.labels * len(cells) + cells.codes
        counts = np.bincount(keys, minlength=len(classes) * len(cells))
        shares = counts.reshape(len(classes), len(cells)) @ cells.spread

        def predict(near: Flags) -> Floats:
            votes = near.astype(np.float64) @ shares
            chosen: Floats = np.argmax(np.round(votes, 9), axis=1).astype(np.float64)
            return chosen

        return predict

    def labels(self, masked: Table) -> Floats:
        cells = self.column.cells(masked)
        usual = np.argmax(np.round(cells.spread, 9), axis=1).astype(np.float64)
        return np.where(masked.suppressed, np.nan, usual[cells.codes])


@dataclass(frozen=True, eq=False)
class UnknownNumber:
    """A number by its rank; within ten percent of the ranks is right.

    Neighbours agree on their lower median. A missing value is never predicted right.
    """

    column: NumberColumn

    @property
    def guess(self) -> float:
        return float(self.column.places(np.array([_lower_median(self.column.sorted)]))[0])

    def are_right(self, predicted: Floats, people: Table) -> Flags:
        ranks = self.column.places(people.values(self.column.name))
        right: Flags = np.abs(predicted - ranks) <= WINDOW / 100 * len(self.column.values)
        return right

    def vote(self, masked: Table, classes: Classes) -> Vote:
        numbers = self.column.cells(masked).centre

        def predict(near: Flags) -> Floats:
            chosen = [numbers[own[classes.labels]] for own in near]
            medians = [_lower_median(np.sort(one[~np.isnan(one)])) for one in chosen]
            return self.column.places(np.array(medians))

        return predict

    def labels(self, masked: Table) -> Floats:
        return self.column.places(self.column.cells(masked).centre)


def _lower_median(ascending: Floats) -> float:
    return float(ascending[(len(ascending) - 1) // 2]) if len(ascending) else np.nan


@dataclass(frozen=True)
class LearnedInference:
    """Share of targets whose unknown value is predicted right from the masked file.

    Args:
        attributes: names of those that the intruder knows.
        unknown: name of the attribute to infer.
        boosts: whether trees are grown by gradient boosting; otherwise neighbours vote.

    Without a control group the attack is compared with guessing the most usual value. Above 2,000
    records a fixed sample of 1,000 people is attacked.
    """

    attributes: tuple[str, ...]
    unknown: str
    boosts: bool = CAN_BOOST
    matches_records: bool = False

    def __post_init__(self) -> None:
        if self.unknown in self.attributes:
            raise SchemaError(f"{self.unknown!r} cannot be both known and inferred")

    @property
    def about(self) -> About:
        model = "gradient boosting" if self.boosts else "a vote of the nearest records"
        return About(
            f"learned-{self.unknown}",
            f"attribute inference of {self.unknown} by {model}",
            Side.RISK,
            f"the share of targets whose value of {self.unknown!r} is predicted right by {model} "
            "learned from the masked file; no disclosure where it does as well on people who are "
            "not in the file, or as a guess",
        )

    def against(self, original: Table, control: Table | None = None) -> PreparedAttack:
        check_original(original, (*self.attributes, self.unknown))
        space = Space.of(original, self.attributes)
        unknown: Unknown
        if original.attribute(self.unknown).is_categorical:
            unknown = UnknownCategory(CategoricalColumn.of(original, self.unknown))
        else:
            unknown = UnknownNumber(NumberColumn.of(original, self.unknown))
        people = [original.take(fixed_targets(original, self.attributes))]
        if control is not None and len(control):
            people.append(control.take(fixed_targets(control, self.attributes)))
        learner = _Boosting(space, unknown) if self.boosts else _Neighbours(space, unknown)

        def attack(masked: Table) -> AttackResult:
            check_columns(original, masked, (*self.attributes, self.unknown))
            shares = [
                [100.0 * float(np.mean(unknown.are_right(p, who))) for p in predictions]
                for who, predictions in zip(people, learner.predict(masked, people), strict=True)
            ]
            best = int(np.argmax(shares[0]))
            guess = np.full(len(people[0]), unknown.guess)
            expected = 100.0 * float(np.mean(unknown.are_right(guess, people[0])))
            return result_of(
                self.about,
                success=shares[0][best],
                targets=len(people[0]),
                control=shares[1][best] if len(people) > 1 else expected,
                control_people=len(people[1]) if len(people) > 1 else 0,
            )

        return attack


@dataclass(frozen=True, eq=False)
class _Boosting:
    """Trees grown by gradient boosting."""

    space: Space
    unknown: Unknown

    def predict(self, masked: Table, people: Sequence[Table]) -> list[list[Floats]]:
        labels = self.unknown.labels(masked)
        rows = np.flatnonzero(~np.isnan(labels))
        if len(rows) > MOST_TRAINED:
            rows = rows[np.linspace(0, len(rows) - 1, MOST_TRAINED).astype(np.int64)]
        if len(np.unique(labels[rows])) < 2:
            only = labels[rows[0]] if len(rows) else self.unknown.guess
            return [[np.full(len(group), only)] for group in people]
        from threadpoolctl import threadpool_limits

        features = self._features(masked)[rows]
        known = ~np.isnan(features).all(axis=0)
        with threadpool_limits(limits=1, user_api="openmp"):
            model = self._fitted(np.where(known, features, 0.0), labels[rows])
            return [
                [model.predict(np.where(known, self._features(group), 0.0))] for group in people
            ]

    def _fitted(self, features: Points, labels: Floats) -> "_Model":
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        settings = {
            "max_iter": ITERATIONS,
            "max_leaf_nodes": LEAVES,
            "early_stopping": False,
            "random_state": FIXED_SEED,
        }
        model: _Model
        if isinstance(self.unknown, UnknownNumber):
            model = HistGradientBoostingRegressor(**settings).fit(features, labels)
            return model
        values, counts = np.unique(labels, return_counts=True)
        rare = values[np.argsort(-counts, kind="stable")[MOST_CLASSES:]]
        labels = np.where(np.isin(labels, rare), -1.0, labels)
        model = HistGradientBoostingClassifier(**settings).fit(features, labels)
        return model

    def _features(self, table: Table) -> Points:
        """Middles of numbers; of categories the share of each, or the mean frequency."""
        columns: list[Points] = []
        for number in self.space.numbers:
            low, high = number.ends(table)
            columns.append(((low + high) / 2)[:, None])
        for category in self.space.categories:
            cells = category.cells(table)
            if category.size <= MOST_FEATURES:
                columns.append(cells.spread[cells.codes])
            else:
                columns.append((cells.spread @ category.counts)[cells.codes][:, None])
        return np.hstack(columns)


class _Model(Protocol):
    """A fitted model of scikit-learn."""

    def predict(self, features: Points) -> Floats: ...


@dataclass(frozen=True, eq=False)
class _Neighbours:
    """Votes of the nearest masked records, of several numbers of neighbours."""

    space: Space
    unknown: Unknown

    def predict(self, masked: Table, people: Sequence[Table]) -> list[list[Floats]]:
        released = self.space.masked(masked)
        classes = classes_of_rows(released.rows)
        rows = released.rows.take(classes.representatives)
        terms = self.space.terms(released, from_originals=True)
        vote = self.unknown.vote(masked, classes)
        return [
            self._votes(people_rows(self.space, group), classes, rows, terms, vote)
            for group in people
        ]

    def _votes(
        self, people: Rows, classes: Classes, rows: Rows, terms: Terms, vote: Vote
    ) -> list[Floats]:
        found: list[list[Floats]] = [[] for _ in NEIGHBOURS]
        for block in target_blocks(np.arange(len(people)), len(classes)):
            apart = distances(people.take(block), rows, terms)
            for votes, near in zip(found, _nearest(apart, classes), strict=True):
                votes.append(vote(near))
        return [np.concatenate(votes) for votes in found]


def _nearest(apart: Points, classes: Classes) -> list[Flags]:
    """For each number of neighbours, the classes that hold them, ties included."""
    count = min(max(NEIGHBOURS), len(classes))
    order = np.argpartition(apart, count - 1, axis=1)[:, :count]
    order = np.take_along_axis(
        order, np.argsort(np.take_along_axis(apart, order, axis=1), axis=1), axis=1
    )
    in_order = np.take_along_axis(apart, order, axis=1)
    reached = np.cumsum(classes.sizes[order], axis=1)
    places = [np.argmax(reached >= np.minimum(k, reached[:, -1:]), axis=1) for k in NEIGHBOURS]
    limits = [np.take_along_axis(in_order, place[:, None], axis=1) for place in places]
    return [apart <= limit * (1.0 + TIE) for limit in limits]
