"""Microaggregation by maximum distance to the average vector: MDAV, MDAV-generic, V-MDAV.

Domingo-Ferrer and Torra (2005), MDAV-generic; Domingo-Ferrer and Mateo-Sanz (2002), the
classic rule for the last records; Solanas and Martínez-Ballesté (2006), V-MDAV.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from evomask.data.distance import Standardizer, category_distances, impute_medians
from evomask.data.partition import validate_k
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError
from evomask.masking.method import About, require_attributes
from evomask.masking.microaggregation.aggregation import (
    PUBLIC_MEANS,
    GroupAggregation,
    aggregate,
    standardize,
)
from evomask.masking.microaggregation.regions import MixedRecords, group_mixed, group_numbers
from evomask.types import Floats, Labels


class LastGroups(StrEnum):
    """Rule for the last records, which are too few for another pair of groups."""

    GENERIC = "generic"
    CLASSIC = "classic"


@dataclass(frozen=True)
class Mdav(GroupAggregation):
    """Group k similar records by MDAV and replace each group by its mean.

    Args:
        attributes: names of the continuous attributes, masked together.
        k: smallest number of records in a group.
        ending: rule for the last records (see ``evomask.kernels.groups.mdav``).

    Each released combination of the attributes is shared by k or more records. Very large
    files, and large files with many attributes, are partitioned into regions first.
    """

    about: ClassVar[About] = About(
        name="mdav",
        title="microaggregation by MDAV",
        steward=(
            "microaggregation by MDAV (groups of {k} or more records, released as group means)"
        ),
        public=PUBLIC_MEANS,
        simple="MDAV",
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    ending: LastGroups = LastGroups.GENERIC

    def __post_init__(self) -> None:
        validate_k(self.k)
        require_attributes(self.attributes, "MDAV")

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        k = validate_k(self.k, len(table))
        points = standardize(table, self.attributes)
        return group_numbers(points, k, classic=self.ending == LastGroups.CLASSIC)


@dataclass(frozen=True)
class MdavGeneric(GroupAggregation):
    """Group k similar records of any kind; release each group's mean, median or mode.

    Args:
        attributes: names of the attributes of any kind, masked together.
        k: smallest number of records in a group.
        weight: name of the attribute that weights the records in the aggregates, if any.

    The squared distance between two records is the sum of squared differences over the
    attributes: of standardised numbers; of ordinal ranks divided by the size of the domain; 1
    for different nominal categories. Each released combination of the attributes is shared by
    k or more records. Files of more than 20,000 records are partitioned into regions first.
    """

    about: ClassVar[About] = About(
        name="mdav-generic",
        title="microaggregation",
        steward=(
            "microaggregation by MDAV-generic (groups of {k} or more records[, weighted by "
            "{weight}])"
        ),
        public=(
            "Microaggregation was applied: similar records were grouped, and each masked "
            "attribute was replaced by a common value of its group, the mean of numbers and the "
            "median or most frequent category."
        ),
        simple="MDAV",
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    weight: str | None = None

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "microaggregation")
        validate_k(self.k)

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        return group_mixed(mixed_records(table, self.attributes), validate_k(self.k, len(table)))

    def released(self, table: Table, labels: Labels) -> Table:
        weights = None if self.weight is None else table.values(self.weight)
        if weights is not None and not (weights > 0).all():
            raise DataError(f"the weight {self.weight!r} must be known and above 0 in every record")
        return aggregate(table, self.attributes, labels, weights)


@dataclass(frozen=True)
class VMdav(GroupAggregation):
    """Group k to about 2k similar records by V-MDAV and replace each group by its mean.

    Args:
        attributes: names of the continuous attributes, masked together.
        k: smallest number of records in a group.
        gamma: gain factor that controls how readily a group grows; about 0.2 for scattered and
            1.1 for clustered records.

    Each released combination of the attributes is shared by k or more records.
    """

    about: ClassVar[About] = About(
        name="vmdav",
        title="microaggregation by V-MDAV",
        steward=(
            "microaggregation by V-MDAV (groups of {k} or more records, larger in dense regions, "
            "released as group means)"
        ),
        public=PUBLIC_MEANS,
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    gamma: float = 0.2

    def __post_init__(self) -> None:
        validate_k(self.k)
        require_attributes(self.attributes, "V-MDAV")
        if not (math.isfinite(self.gamma) and self.gamma >= 0):
            raise ParameterError(f"gamma must be a number from 0 up, got {self.gamma}")

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        from evomask.kernels.groups.vmdav import vmdav

        k = validate_k(self.k, len(table))
        return vmdav(standardize(table, self.attributes), k, self.gamma)


def mixed_records(table: Table, names: tuple[str, ...]) -> MixedRecords:
    """Return attributes of any kind in the form that microaggregation compares."""
    numeric = [name for name in names if not table.attribute(name).is_categorical]
    categorical = [name for name in names if table.attribute(name).is_categorical]
    points = impute_medians(table.matrix(numeric))
    attributes = [table.attribute(name) for name in categorical]
    codes = [table.codes(name) for name in categorical]
    return MixedRecords(
        Standardizer.of(points)(points),
        np.column_stack(codes) if codes else np.empty((len(table), 0), dtype=np.int32),
        stack_padded([category_distances(attribute) ** 2 for attribute in attributes]),
        np.array([attribute.kind is Kind.ORDINAL for attribute in attributes], dtype=np.int64),
        np.array([attribute.domain_size for attribute in attributes], dtype=np.int64),
    )


def stack_padded(squares: Sequence[Floats]) -> Floats:
    """Stack square matrices of different sizes into one array, padded with zeros."""
    width = max((len(own) for own in squares), default=1)
    padded = np.zeros((len(squares), width, width))
    for wide, own in zip(padded, squares, strict=True):
        wide[: len(own), : len(own)] = own
    return padded
