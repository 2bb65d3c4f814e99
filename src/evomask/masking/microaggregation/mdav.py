"""Microaggregation by maximum distance to the average vector: MDAV, MDAV-generic, V-MDAV.

Domingo-Ferrer and Torra (2005), MDAV-generic; Domingo-Ferrer and Mateo-Sanz (2002), the
classic rule for the last records; Solanas and Martínez-Ballesté (2006), V-MDAV.

Large files are cut into regions, within which MDAV groups the records: the cost falls from n² to n
times the size of a region. Each region holds k or more records, so groups of k within regions are
groups of k in the file; the price is that no group crosses a border between regions.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evomask.data.classes import Classes, classes_of_columns
from evomask.data.distance import Standardizer, category_distances
from evomask.data.partition import canonical, join_groups, validate_k
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError
from evomask.masking.method import About, require_attributes
from evomask.masking.microaggregation.aggregation import (
    PUBLIC_AGGREGATES,
    PUBLIC_MEANS,
    GroupAggregation,
    aggregate,
    standardize,
)
from evomask.masking.missing import imputed_with_flags
from evomask.types import Codes, Flags, Floats, Indices, Labels, Points

Keys = NDArray[Any]
"""Positions of records along an attribute, as numbers of any type."""

UNCUT_RECORDS = 20_000
"""Files of at most this many records are never cut."""

UNCUT_PAIRS = 100_000_000
"""Nor are files of mixed kinds with n² / k up to this number: about half a second."""

REGION_RECORDS, REGION_GROUPS = 2_000, 400
"""A region of mixed kinds holds this many records, or this many groups if that is more."""

FREQUENT_ROW = 20
"""Above this mean frequency of a row of categories, equal rows form groups."""

FEW_NUMBERS, FEW_NUMBERS_RECORDS = 4, 1_200_000
"""With at most this many attributes, a tree makes MDAV fast up to this many records."""

NUMBER_REGION_RECORDS, NUMBER_REGION_PAIRS = 5_000, 130_000
"""A region of numbers holds this many records, or this times k over the number of attributes."""

NOMINAL_WEIGHT = 16.0
"""Weight of nominal attributes in the choice of a cut: groups rarely mix nominal categories."""


@dataclass(frozen=True, eq=False)
class MixedRecords:
    """Records in the form that microaggregation compares.

    Args:
        numbers: standardised numbers, one row per record.
        codes: categories, one row per record.
        squares: squared distances between categories, by column of *codes*.
        ordered: 1 for each ordinal column of *codes*, else 0.
        domains: number of categories of each column without missing.
    """

    numbers: Points
    codes: Codes
    squares: Floats
    ordered: Indices
    domains: Indices

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, records: Indices) -> "MixedRecords":
        numbers, codes = self.numbers.take(records, axis=0), self.codes.take(records, axis=0)
        return MixedRecords(numbers, codes, self.squares, self.ordered, self.domains)


def largest_number_region(k: int, n_numbers: int) -> int:
    """Return the maximum size of a region of numbers, at about 25 microseconds per record."""
    if n_numbers <= FEW_NUMBERS:
        return FEW_NUMBERS_RECORDS
    return max(NUMBER_REGION_RECORDS, NUMBER_REGION_PAIRS * k // n_numbers)


def group_numbers(points: Points, k: int, *, classic: bool = False) -> Labels:
    """Group numeric records by MDAV: in the whole file if that is fast, else within regions.

    A single attribute of a large file is split optimally along its order (Hansen and Mukherjee,
    2003), which does not slow down with ties.
    """
    from evomask.kernels.groups.mdav import mdav
    from evomask.kernels.groups.splits import split_order

    if len(points) > UNCUT_RECORDS and points.shape[1] == 1:
        return split_order(points, np.argsort(points[:, 0], kind="stable"), k)
    most = largest_number_region(k, points.shape[1])
    if len(points) <= max(UNCUT_RECORDS, most):
        return mdav(points, k, classic=classic)
    regions = number_regions(points, most)
    return join_groups(len(points), ((r, mdav(points[r], k, classic=classic)) for r in regions))


def group_mixed(records: MixedRecords, k: int, share: float = 1.0) -> Labels:
    """Group records of mixed kinds by MDAV: in the whole file if that is fast, else in regions.

    Args:
        share: fraction of the file that the records are, if they are a sample; a sample is cut
            under the same conditions as its file.
    """
    if not records.codes.shape[1]:
        return group_numbers(records.numbers, k)
    file_size = len(records) / share
    if file_size <= UNCUT_RECORDS or file_size**2 <= UNCUT_PAIRS * k:
        return _mixed_mdav(records, k)
    if not records.numbers.shape[1]:
        classes = classes_of_columns(list(records.codes.T), len(records))
        if len(classes) * FREQUENT_ROW <= len(records):
            return _group_classes(records, classes, k)
    return _group_by_region(records, k)


def _group_by_region(records: MixedRecords, k: int) -> Labels:
    regions = _cut_mixed(records, max(REGION_RECORDS, REGION_GROUPS * k))
    return join_groups(len(records), ((region, _mixed_mdav(own, k)) for region, own in regions))


def _group_classes(records: MixedRecords, classes: Classes, k: int) -> Labels:
    """Make each equivalence class of k or more records a group; group the others by MDAV."""
    short = classes.sizes < k
    if 0 < classes.sizes[short].sum() < k:
        short[np.argmin(np.where(short, len(records), classes.sizes))] = True
    rest = np.flatnonzero(short[classes.labels])
    labels = classes.labels.copy()
    if len(rest):
        labels[rest] = len(classes) + _group_by_region(records.take(rest), k)
    return canonical(labels)


def _mixed_mdav(own: MixedRecords, k: int) -> Labels:
    from evomask.kernels.groups.mixed_mdav import mixed_mdav

    return mixed_mdav(own.numbers, own.codes, own.squares, own.ordered, own.domains, k)


def number_regions(points: Points, most: int) -> list[Indices]:
    """Halve regions across their axis of largest variance until none has more than *most*."""
    pending, done = [np.arange(len(points))], []
    while pending:
        region = pending.pop()
        if len(region) <= most:
            done.append(region)
            continue
        widths = [_variance(points[region, axis]) for axis in range(points.shape[1])]
        lower = _lowest(points[region, np.argmax(widths)], len(region) // 2)
        pending += [region[lower], region[~lower]]
    return done


def mixed_regions(records: MixedRecords, most: int) -> list[Indices]:
    """Cut regions across their widest attribute, nominal ones first, to at most *most* records."""
    return [region for region, _ in _cut_mixed(records, most)]


def _cut_mixed(records: MixedRecords, most: int) -> Iterator[tuple[Indices, MixedRecords]]:
    """Yield regions with copies of their records, so that these are adjacent in memory."""
    pending = [(np.arange(len(records)), records)]
    while pending:
        region, own = pending.pop()
        if len(region) <= most:
            yield region, own
            continue
        keys = _widest(own)
        lower = _lowest(keys, _cut_size(keys))
        parts = np.flatnonzero(lower), np.flatnonzero(~lower)
        pending += [(region[part], own.take(part)) for part in parts]


def _lowest(keys: Keys, cut: int) -> Flags:
    """Flag the *cut* lowest keys; among equal keys, the first ones."""
    value = np.partition(keys, cut)[cut]
    lower: Flags = keys < value
    equal = np.flatnonzero(keys == value)
    lower[equal[: cut - np.count_nonzero(lower)]] = True
    return lower


def _widest(records: MixedRecords) -> Keys:
    """Positions of the records along the attribute with the largest variance.

    Nominal categories are ordered by frequency, so that frequent ones are not cut.
    """
    n_numbers = records.numbers.shape[1]
    widths = [_variance(column) for column in records.numbers.T]
    counts = [np.bincount(column, minlength=records.squares.shape[1]) for column in records.codes.T]
    for squares, count, ordered in zip(records.squares, counts, records.ordered, strict=True):
        shares = count / len(records)
        widths.append(shares @ squares @ shares / 2 * (1.0 if ordered else NOMINAL_WEIGHT))
    axis = int(np.argmax(widths)) - n_numbers
    if axis < 0:
        return records.numbers[:, axis + n_numbers]
    places = np.arange(len(counts[axis]), dtype=np.min_scalar_type(len(counts[axis])))
    if not records.ordered[axis]:
        places[np.argsort(-counts[axis], kind="stable")] = places.copy()
    return np.asarray(places[records.codes[:, axis]])


def _variance(column: Floats) -> float:
    """Variance by sequential sums: faster than along an axis, and independent of the layout."""
    mean = np.cumsum(column)[-1] / len(column)
    return float(np.cumsum((column - mean) ** 2)[-1] / len(column))


def _cut_size(keys: Keys) -> int:
    """Return the size of the lower part: a border next to the median key if it is near the
    middle."""
    half = len(keys) // 2
    value = np.partition(keys, half)[half]
    low, high = int(np.count_nonzero(keys < value)), int(np.count_nonzero(keys <= value))
    cut = low if half - low <= high - half else high
    return cut if min(cut, len(keys) - cut) >= len(keys) // 10 else half


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
        require_attributes(self.attributes, "MDAV")
        validate_k(self.k)

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
        public=PUBLIC_AGGREGATES,
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
            raise ParameterError(f"gamma must be a number of 0 or more, got {self.gamma}")

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        from evomask.kernels.groups.vmdav import vmdav

        k = validate_k(self.k, len(table))
        return vmdav(standardize(table, self.attributes), k, self.gamma)


def mixed_records(table: Table, names: tuple[str, ...]) -> MixedRecords:
    """Return attributes of any kind in the form that microaggregation compares."""
    numeric = [name for name in names if not table.attribute(name).is_categorical]
    categorical = [name for name in names if table.attribute(name).is_categorical]
    points, flags = imputed_with_flags(table.matrix(numeric))
    attributes = [table.attribute(name) for name in categorical]
    codes = [table.codes(name) for name in categorical]
    return MixedRecords(
        np.ascontiguousarray(np.hstack([Standardizer.of(points)(points), flags])),
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
