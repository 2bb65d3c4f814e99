"""Microaggregation of any mix of kinds: MDAV-generic (Domingo-Ferrer and Torra, 2005)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Floats, Labels
from evomask.data.distance import Standardizer, category_distances, with_medians
from evomask.data.partition import checked_k
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import DataError
from evomask.masking.checks import require_attributes
from evomask.masking.method import About
from evomask.masking.microaggregation.aggregation import aggregated
from evomask.masking.microaggregation.regions import Coded, grouped_mixed


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
    shared by k or more records. Files of more than 20,000 records are grouped region by region.
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
        return grouped_mixed(coded(table, self.attributes), checked_k(self.k, len(table)))

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every record with its group's aggregates."""
        return self.released(table, self.partition(table, rng))

    def released(self, table: Table, labels: Labels) -> Table:
        """The table with every record of a group given the group's aggregates."""
        weights = None if self.weight is None else record_weights(table, self.weight)
        return aggregated(table, self.attributes, labels, weights)


def record_weights(table: Table, name: str) -> Floats:
    """The weight of each record, all known and above 0."""
    weights = table.values(name)
    if not (weights > 0).all():
        raise DataError(f"the weight {name!r} must be known and above 0 in every record")
    return weights


def coded(table: Table, names: tuple[str, ...]) -> Coded:
    """Plain attributes of any kind as microaggregation compares them."""
    numeric = [name for name in names if not table.attribute(name).is_categorical]
    categorical = [name for name in names if table.attribute(name).is_categorical]
    points = with_medians(table.matrix(numeric))
    attributes = [table.attribute(name) for name in categorical]
    codes = [table.codes(name) for name in categorical]
    return Coded(
        Standardizer.of(points)(points),
        np.column_stack(codes) if codes else np.empty((len(table), 0), dtype=np.int32),
        side_by_side([category_distances(attribute) ** 2 for attribute in attributes]),
        np.array([attribute.kind is Kind.ORDINAL for attribute in attributes], dtype=np.int64),
        np.array([attribute.domain_size for attribute in attributes], dtype=np.int64),
    )


def side_by_side(squares: Sequence[Floats]) -> Floats:
    """Square matrices of several sizes as one array, each filled up with zeros."""
    width = max((len(own) for own in squares), default=1)
    filled = np.zeros((len(squares), width, width))
    for wide, own in zip(filled, squares, strict=True):
        wide[: len(own), : len(own)] = own
    return filled
