"""Microaggregation of any mix of kinds: MDAV-generic (Domingo-Ferrer and Torra, 2005)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Floats, Labels, Points
from evomask.data.distance import Standardizer, category_distances, with_medians
from evomask.data.partition import checked_k
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import DataError
from evomask.masking.checks import require_attributes
from evomask.masking.method import About
from evomask.masking.microaggregation.aggregation import aggregated


@dataclass(frozen=True)
class MdavGeneric:
    """Groups of k similar records, each replaced by its group's mean, median or mode.

    Args:
        attributes: names of the attributes of any kind, masked together.
        k: smallest number of records in a group.
        weight: name of the attribute that weighs the records in the aggregates, if any.

    The squared distance of two records is the sum over the attributes of squared
    differences: of standardised numbers; of ordinal ranks over the size of the domain; of
    nominal categories 1 where they differ. Every released combination of the attributes is
    shared by k or more records.
    """

    about: ClassVar[About] = About(
        name="mdav-generic",
        title="microaggregation",
        steward=(
            "records put into groups of {k} or more similar ones (MDAV) and given common "
            "values[, weighed by {weight}]"
        ),
        public=(
            "Records were put into groups of similar ones. In every group each masked "
            "attribute has one value for all: the mean of numbers, the middle or most "
            "frequent category."
        ),
        simple="MDAV",
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    weight: str | None = None

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "microaggregation")
        checked_k(self.k)

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        """Group label of each record; no random number is drawn."""
        k = checked_k(self.k, len(table))
        numeric = [a for a in self.attributes if not table.attribute(a).is_categorical]
        categorical = [a for a in self.attributes if table.attribute(a).is_categorical]
        numbers = _standardised(table, numeric)
        if categorical:
            return _grouped_mixed(table, numbers, categorical, k)
        from evomask.kernels.groups.mdav import mdav

        return mdav(numbers, k)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every record with its group's aggregates."""
        weights = None if self.weight is None else record_weights(table, self.weight)
        return aggregated(table, self.attributes, self.partition(table, rng), weights)


def record_weights(table: Table, name: str) -> Floats:
    """The weight of each record, all known and above 0."""
    weights = table.values(name)
    if not (weights > 0).all():
        raise DataError(f"the weight {name!r} must be known and above 0 in every record")
    return weights


def _standardised(table: Table, names: list[str]) -> Points:
    points = with_medians(table.matrix(names))
    return Standardizer.of(points)(points)


def _grouped_mixed(table: Table, numbers: Points, names: list[str], k: int) -> Labels:
    from evomask.kernels.groups.mixed_mdav import mixed_mdav

    attributes = [table.attribute(name) for name in names]
    width = max(len(attribute.categories) for attribute in attributes)
    squares = np.zeros((len(names), width, width))
    for j, attribute in enumerate(attributes):
        size = len(attribute.categories)
        squares[j, :size, :size] = category_distances(attribute) ** 2
    return mixed_mdav(
        numbers,
        np.column_stack([table.codes(name) for name in names]),
        squares,
        np.array([attribute.kind is Kind.ORDINAL for attribute in attributes]),
        np.array([attribute.domain_size for attribute in attributes]),
        k,
    )
