"""Information loss: 0 is the original, 100 a file with nothing in it.

The mean of three parts. *Accuracy*: distance of masked cells from their true values; a column
permuted at random loses 100. *Distributions*: total variation distance of each masked column from
its original. *Relations*: the share of the dependence between released columns that is lost. None
depends on the number of records beyond its sampling error.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.columns import CategoricalColumn, ColumnOf, NumberColumn, column_of
from evomask.measures.incremental.readings import Request, Tracked
from evomask.measures.loss.accuracy import CategoryAccuracy, NumberAccuracy
from evomask.measures.loss.bins import BinnedCells, BinnedColumn
from evomask.measures.loss.relations import Relations, Tables
from evomask.measures.measure import About, Side, check_masked, check_original
from evomask.types import Floats, Points

if TYPE_CHECKING:
    from evomask.measures.incremental.tracker import Tracker

PAIRS_SHARE = 0.5
"""Weight of tables of two columns in the relations; the rest is that of tables of three."""


class LossWeights(NamedTuple):
    """Weights of the three parts of the loss."""

    accuracy: float = 1.0
    distributions: float = 1.0
    relations: float = 1.0

    def checked(self) -> "LossWeights":
        """Return the weights, or raise an error for negative ones or a sum of 0."""
        if min(self) < 0 or sum(self) <= 0:
            raise ParameterError(
                "weights of the loss must be 0 or more and not all 0, got "
                f"{', '.join(f'{weight:g}' for weight in self)}"
            )
        return self


EQUAL_WEIGHTS = LossWeights()


def parse_loss_weights(text: str) -> LossWeights:
    """Parse weights such as ``accuracy=1,distributions=1,relations=2``; others stay 1."""
    weights = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, number = part.partition("=")
        if name.strip() not in LossWeights._fields:
            raise ParameterError(
                f"no part of the loss is called {name.strip()!r}; there are "
                f"{', '.join(LossWeights._fields)}"
            )
        try:
            weights[name.strip()] = float(number)
        except ValueError:
            raise ParameterError(
                f"the weight of {name.strip()} must be a number, got {number.strip()!r}"
            ) from None
    return LossWeights(**weights).checked()


@dataclass(frozen=True, kw_only=True)
class AttributeLoss:
    """Loss of one masked attribute, in percent: the mean of the three parts, and the parts."""

    loss: float
    accuracy: float
    distributions: float
    relations: float


@dataclass(frozen=True, kw_only=True)
class PairLoss:
    """Dependence of two attributes in the original (0 to 1), and the percentage that is lost."""

    first: str
    second: str
    association: float
    lost: float


@dataclass(frozen=True, kw_only=True)
class LossAssessment:
    """Information loss of a file in its parts, in percent.

    Args:
        attributes: loss of each masked attribute.
        pairs: every pair of released attributes of which at least one is masked.
    """

    loss: float
    accuracy: float
    distributions: float
    relations: float
    attributes: Mapping[str, AttributeLoss] = field(default_factory=dict)
    pairs: tuple[PairLoss, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the parts under the keys of the JSON output."""
        parts = {name: getattr(self, name) for name in LossWeights._fields}
        by_attribute = {
            name: {part: getattr(one, part) for part in LossWeights._fields}
            for name, one in self.attributes.items()
        }
        return {**parts, "attributes": by_attribute}


@dataclass(frozen=True, eq=False)
class LossStatistics:
    """Sums over records from which the loss follows; those of several chunks add up.

    Args:
        distances: sum of the distances of the cells of each masked attribute.
        bins: weighted count of each bin of each masked attribute; the last is that of hidden cells.
        tables: weighted counts of all tables.
        moved: weight of the records in another bin, in tables of two and of three, by column.
        records, weight: number of records, and their total weight.
    """

    distances: Floats
    bins: tuple[Floats, ...]
    tables: Tables
    moved: Points
    records: int
    weight: float

    def __add__(self, other: "LossStatistics") -> "LossStatistics":
        return LossStatistics(
            self.distances + other.distances,
            tuple(a + b for a, b in zip(self.bins, other.bins, strict=True)),
            Tables(*(a + b for a, b in zip(self.tables, other.tables, strict=True))),
            self.moved + other.moved,
            self.records + other.records,
            self.weight + other.weight,
        )


@dataclass(frozen=True)
class InformationLoss:
    """Mean of the loss in accuracy, distributions and relations of the masked attributes."""

    attributes: tuple[str, ...]
    weights: LossWeights = EQUAL_WEIGHTS

    about: ClassVar[About] = About(
        "loss",
        "information loss",
        Side.LOSS,
        "the mean of three shares that are lost: the accuracy of single values, the distribution "
        "of each masked attribute, and the dependence between attributes; 0 is the original, 100 "
        "a file in which every cell is suppressed",
    )

    def against(self, original: Table) -> "LossReading":
        check_original(original, self.attributes)
        return LossReading(original, self)


@dataclass(frozen=True, eq=False)
class LossReading:
    """The information loss, prepared for one original.

    Args:
        column_of: returns a column of the original.
        reference: sums over the records of the original, if not all of them are in *original*.
    """

    original: Table
    measure: InformationLoss
    column_of: ColumnOf = column_of
    reference: LossStatistics | None = None

    @cached_property
    def released(self) -> tuple[str, ...]:
        """Released attributes, survey weights aside, and the masked ones in any case."""
        return tuple(
            attribute.name
            for attribute in self.original.schema
            if attribute.name in self.measure.attributes
            or (attribute.role.is_released and attribute.role is not Role.WEIGHT)
        )

    @cached_property
    def weights(self) -> Floats:
        """Survey weight of each record with a mean of 1; 1 where there is none."""
        names = self.original.schema.with_role(Role.WEIGHT)
        if len(names) != 1 or self.original.attribute(names[0]).is_categorical:
            return np.ones(len(self.original))
        column = self.column_of(self.original, names[0])
        assert isinstance(column, NumberColumn)  # noqa: S101
        total = column.mean * column.n_known
        if not total > 0 or column.range[0] < 0:
            return np.ones(len(self.original))
        return np.nan_to_num(column.values, nan=0.0) * (column.n_records / total)

    @cached_property
    def columns(self) -> tuple[BinnedColumn, ...]:
        """The released columns, in bins."""
        return tuple(BinnedColumn.of(self.column_of(self.original, n)) for n in self.released)

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Positions of the masked attributes among the released ones."""
        return tuple(self.released.index(name) for name in self.measure.attributes)

    @cached_property
    def relations(self) -> Relations:
        masked = np.isin(np.arange(len(self.released)), self.places)
        if self.reference is None:
            return Relations(self.columns, masked, self.weights)
        shares = Tables(*(part / self.reference.weight for part in self.reference.tables))
        return Relations(self.columns, masked, self.weights, shares)

    @cached_property
    def accuracies(self) -> tuple[CategoryAccuracy | NumberAccuracy, ...]:
        """Accuracy of each masked attribute."""
        columns = (self.columns[place].column for place in self.places)
        return tuple(
            CategoryAccuracy(column)
            if isinstance(column, CategoricalColumn)
            else NumberAccuracy(column)
            for column in columns
        )

    def __call__(self, masked: Table) -> float:
        return self.of_statistics(self.statistics(masked)).loss

    def track(self, masked: Table) -> Tracked:
        """Start tracking changes of *masked*, which itself is not changed."""
        return self._tracker.begin(masked)

    @cached_property
    def _tracker(self) -> "Tracker":
        from evomask.measures.incremental.tracker import Tracker

        measure = self.measure
        request = Request(measure.about.name, measure.attributes, weights=measure.weights)
        return Tracker(self.original, request)

    def assess(self, masked: Table) -> LossAssessment:
        """Information loss of a masked table in its parts."""
        return self.of_statistics(self.statistics(masked))

    has_expectation: ClassVar[bool] = True

    def expected(self, matrices: Mapping[str, Points]) -> float:
        """Expected value when PRAM masks the original with these matrices, by attribute."""
        return self._expected(matrices)

    @cached_property
    def _expected(self) -> Callable[[Mapping[str, Points]], float]:
        from evomask.measures.expected.loss import ExpectedLoss

        return ExpectedLoss(self)

    def statistics(self, masked: Table) -> LossStatistics:
        """Sums over the records of a masked table."""
        check_masked(self.original, masked, self.measure.attributes)
        cells = self._changed_cells(masked)
        return LossStatistics(
            np.array([accuracy.total(masked) for accuracy in self.accuracies]),
            tuple(self._bin_counts(place, cells.get(place)) for place in self.places),
            self.relations.counts(cells, self.weights),
            self.relations.moved(cells, self.weights),
            len(masked),
            float(self.weights.sum()),
        )

    def _changed_cells(self, masked: Table) -> dict[int, BinnedCells]:
        """Cells of the columns that differ from the original, by position."""
        changed = {}
        hides = bool(masked.suppressed.any())
        for place, name in enumerate(self.released):
            column = self.columns[place]
            if name not in masked.schema:
                changed[place] = column.hidden_cells(len(masked))
            elif hides or masked.is_recoded(name) or masked[name] is not self.original[name]:
                changed[place] = column.cells(masked)
        return changed

    def _bin_counts(self, place: int, cells: BinnedCells | None) -> Floats:
        """Weighted counts of the bins of a masked column; the last is that of hidden cells."""
        column = self.columns[place]
        n_bins = int(column.fine.max(initial=0)) + 1
        if cells is None:
            of_bins = np.bincount(column.fine[column.codes], self.weights, n_bins)
            return np.append(of_bins, 0.0)
        of_cells = np.bincount(cells.codes, self.weights, len(cells.hidden))
        seen = np.where(cells.hidden, 0.0, of_cells)
        return np.append(seen @ cells.shares(column.fine), of_cells.sum() - seen.sum())

    @cached_property
    def _shares(self) -> tuple[Floats, ...]:
        """Share of each bin of each masked column in the original."""
        if self.reference is not None:
            return tuple(counts / self.reference.weight for counts in self.reference.bins)
        total = float(self.weights.sum())
        return tuple(self._bin_counts(place, None) / total for place in self.places)

    def of_statistics(self, statistics: LossStatistics) -> LossAssessment:
        """Information loss from sums over records."""
        n, weight = statistics.records, statistics.weight
        accuracy: Floats = 100.0 * np.minimum(1.0, statistics.distances / n)
        distributions: Floats = 100.0 * np.array(
            [
                0.5 * np.abs(counts / weight - share).sum()
                for counts, share in zip(statistics.bins, self._shares, strict=True)
            ]
        )
        tables = Tables(*(part / weight for part in statistics.tables))
        hidden = np.zeros(len(self.released))
        hidden[list(self.places)] = [counts[-1] / weight for counts in statistics.bins]
        lost = self.relations.lost(tables, hidden, statistics.moved / weight)
        return self._combine(accuracy, distributions, lost)

    def combine(
        self, accuracy: Floats, distributions: Floats, lost: Tables
    ) -> tuple[float, tuple[float, float, float]]:
        """Return the loss and its three parts, in percent."""
        relations = _relations_share(lost, self.relations.there)
        parts = float(accuracy.mean()), float(distributions.mean()), relations
        return self._weighted_mean(parts), parts

    def _weighted_mean(self, parts: tuple[float, float, float]) -> float:
        weights = list(self.measure.weights.checked())
        if not self.relations.there.pairs.any():
            weights[2] = 0.0
        total = sum(weights)
        products = [weight * part for weight, part in zip(weights, parts, strict=True)]
        return sum(products) / total if total > 0 else 0.0

    def _attribute_loss(
        self, accuracy: float, distributions: float, relations: float
    ) -> AttributeLoss:
        return AttributeLoss(
            loss=self._weighted_mean((accuracy, distributions, relations)),
            accuracy=accuracy,
            distributions=distributions,
            relations=relations,
        )

    def _combine(self, accuracy: Floats, distributions: Floats, lost: Tables) -> LossAssessment:
        there = self.relations.there
        loss, parts = self.combine(accuracy, distributions, lost)
        names = self.measure.attributes
        pairs = self._pairs(lost, there)
        return LossAssessment(
            loss=loss,
            accuracy=parts[0],
            distributions=parts[1],
            relations=parts[2],
            attributes={
                name: self._attribute_loss(
                    float(accuracy[a]),
                    float(distributions[a]),
                    self._of_attribute(place, lost, there),
                )
                for a, (name, place) in enumerate(zip(names, self.places, strict=True))
            },
            pairs=pairs,
        )

    def _of_attribute(self, place: int, lost: Tables, there: Tables) -> float:
        """Share of the dependence of one attribute with all others that is lost."""
        own = np.array([place in pair for pair in self.relations.pairs], dtype=bool)
        size = float(there.pairs[own].sum())
        return 100.0 * min(1.0, float(lost.pairs[own].sum()) / size) if size > 0 else 0.0

    def _pairs(self, lost: Tables, there: Tables) -> tuple[PairLoss, ...]:
        triples = zip(self.relations.pairs, lost.pairs.tolist(), there.pairs.tolist(), strict=True)
        return tuple(
            PairLoss(
                first=self.released[a],
                second=self.released[b],
                association=size,
                lost=100.0 * min(1.0, gone / size) if size > 0 else 0.0,
            )
            for (a, b), gone, size in triples
        )


def _relations_share(lost: Tables, there: Tables) -> float:
    """Percentage of the dependence that is lost, in tables of two and of three columns."""
    shares = [
        100.0 * min(1.0, float(part.sum() / size.sum())) if size.sum() > 0 else 0.0
        for part, size in zip(lost, there, strict=True)
    ]
    if not len(lost.triples):
        return shares[0]
    return PAIRS_SHARE * shares[0] + (1.0 - PAIRS_SHARE) * shares[1]
