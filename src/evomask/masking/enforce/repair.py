"""Repair: enforcement of k-anonymity, l-diversity and t-closeness on any table.

Equivalence classes that violate the requirement are merged with their nearest class, or their
records are microaggregated. Distances between records add up squared distances by attribute:
of standardised numbers, of ordinal ranks divided by the size of the domain, and 1 for nominal
cells without a common category.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from evomask.data.classes import Classes, classes_of
from evomask.data.distance import Standardizer
from evomask.data.partition import canonical
from evomask.data.schema import Kind, Role
from evomask.data.table import Column, Table
from evomask.data.units import unit_labels
from evomask.errors import DataError, ParameterError, SchemaError
from evomask.masking.method import About, require_attributes, require_count, require_share
from evomask.masking.microaggregation.aggregation import aggregate
from evomask.masking.microaggregation.mdav import (
    MixedRecords,
    group_mixed,
    mixed_regions,
    stack_padded,
)
from evomask.masking.missing import imputed_with_flags, missing_cells, with_missing
from evomask.masking.recoding.group_values import span_groups
from evomask.types import Flags, Floats, Indices, Labels, Points

if TYPE_CHECKING:
    from evomask.kernels.groups.merging import FileDistribution

MANY_RECORDS = 20_000
"""Above this many records in small classes, if they are the majority, they are grouped."""

CLASSES_AT_ONCE = 20_000
"""Up to this many classes are merged at once; more are merged by region."""

REGION_CLASSES = 1_500
"""Maximum number of classes in a region of a large file."""

MAX_DISTINCT_CELLS = 2_000
"""Maximum number of distinct cells of an attribute for a matrix of all their distances."""


FAR = 1000.0
"""Distance of classes that are not mixed; that of other records is far below it."""


class RepairBy(StrEnum):
    """Method by which small classes are brought to k records.

    Merging joins each with the nearest class of any size, so classes become larger than k.
    Groups are k similar records of small classes: less information loss, higher risk.
    """

    MERGING = "merging"
    GROUPS = "groups"


@dataclass(frozen=True)
class Repair:
    """Merge each equivalence class that violates a requirement with its nearest, and aggregate.

    Args:
        attributes: names of the quasi-identifiers, of any kind, recoded or not.
        k: number of records that must share each released combination; 1 for no requirement.
        l: number of distinct values of each confidential attribute that each class must have.
        t: largest distance, in [0, 1], between the distribution of a confidential attribute
            in a class and in the file: earth mover's distance over ranks, total variation if
            nominal.
        confidential: names of the attributes to which *l* and *t* apply; by default those
            whose role is confidential.
        by: ``merging`` merges each class with the nearest class; ``groups`` microaggregates the
            records of small classes among themselves, for a requirement of *k* only. By default
            groups if more than 20,000 records, and more than half of all, are in small
            classes (decisions/0016).
        within: attributes whose classes are not mixed, and which are not changed; with them, a
            class is one of both. It must have k records, or units.
        unit: number of persons or households; each class also needs k of them.

    A merged class gets its mean, median and most frequent values; of recoded cells the
    smallest set or interval that contains them all; an attribute that is missing in one record
    becomes missing in its class. Other classes are unchanged, and suppressed records do not count.
    Suppressed cells and missing values are values of their own.
    """

    about: ClassVar[About] = About(
        name="repair",
        title="repair",
        steward=(
            "equivalence classes merged with the nearest to at least {k} records"
            "[, {l:several} distinct confidential values]"
            "[, distributions within {t:several} of the file's]"
        ),
        public=(
            "Records in small equivalence classes were merged with the nearest records and given "
            "common values or common sets of values, until the guarantee was satisfied."
        ),
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 5
    l: int = 1  # noqa: E741
    t: float = 1.0
    confidential: tuple[str, ...] = ()
    by: RepairBy | None = None
    within: tuple[str, ...] = ()
    unit: str = ""

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "repair")
        require_count(self.k, "k", least=1)
        require_count(self.l, "l", least=1)
        require_share(self.t, "t")

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with the requirement satisfied; no random number is drawn."""
        kept = np.flatnonzero(~table.suppressed)
        if not len(kept):
            return table
        released = table if len(kept) == len(table) else table.take(kept)
        names, codes = self.checked(released)
        classes = classes_of(released, (*self.within, *self.attributes))
        if not names and not self.unit and classes.sizes.min() >= self.k:
            return table
        groups = self._groups(released, classes, names, codes)
        if released is not table:
            classes = classes_of(table, (*self.within, *self.attributes))
        return _aggregate_groups(table, self.attributes, classes, kept, groups)

    def checked(self, table: Table) -> tuple[tuple[str, ...], Indices]:
        """Return the attributes of *l* and *t* and their codes; raise if it is infeasible."""
        names = self._confidential(table)
        rows = [classes_of(table, [name]).labels for name in names]
        codes = np.array(rows, dtype=np.int64).reshape(len(names), len(table))
        if self.k > len(table):
            raise ParameterError(
                f"k must not exceed the number of records, got k = {self.k} for {len(table)}; "
                "choose a smaller k"
            )
        for name, row in zip(names, codes, strict=True):
            if row.max() + 1 < self.l:
                raise DataError(
                    f"{name!r} has {row.max() + 1} distinct values, fewer than l = {self.l}; "
                    "choose a smaller l"
                )
        return names, codes

    def _confidential(self, table: Table) -> tuple[str, ...]:
        """Return the attributes of *l* and *t*; none if both are without effect."""
        if self.l == 1 and self.t == 1:
            return ()
        names = self.confidential or table.schema.with_role(Role.CONFIDENTIAL)
        if not names:
            raise SchemaError("l and t need a confidential attribute; name one")
        both = sorted(set(self.attributes) & set(names))
        if both:
            raise SchemaError(f"{both[0]!r} is confidential and a quasi-identifier; choose one")
        return names

    @property
    def _share(self) -> float:
        """Fraction of its file that the table is."""
        return 1.0

    def _groups(
        self, table: Table, classes: Classes, names: tuple[str, ...], codes: Indices
    ) -> Labels:
        """Return a partition of the records that satisfies the requirement."""
        from evomask.kernels.groups.merging import file_distribution

        space = FeatureSpace.of(table, self.attributes, self.within)
        short = int(classes.sizes[classes.sizes < self.k].sum())
        many = short > MANY_RECORDS * self._share and 2 * short > len(classes.labels)
        many = many and not (self.within or self.unit)
        if not names and (self.by is RepairBy.GROUPS or (self.by is None and many)):
            groups = _group_short_classes(space, classes, self.k, self._share)
            if groups is not None:
                return groups
        ordered = [table.attribute(name).kind is not Kind.NOMINAL for name in names]
        secrets = ConfidentialValues(
            codes, np.array(ordered), self.l, self.t, file_distribution(codes)
        )
        many_classes = len(classes) > max(REGION_CLASSES, CLASSES_AT_ONCE * self._share)
        if many_classes and space.has_few_cells and not (self.within or self.unit):
            return _merge_by_region(space, classes, self.k, secrets)
        merged = _merge_at_once(space, classes, self.k, secrets)[classes.labels]
        return self._with_units(table, space, classes, merged) if self.unit else merged

    def _with_units(
        self, table: Table, space: "FeatureSpace", classes: Classes, merged: Labels
    ) -> Labels:
        """Merge groups further until each has records of k units: k distinct numbers of units."""
        from evomask.kernels.groups.merging import file_distribution

        kept, labels, sizes = np.unique(merged, return_inverse=True, return_counts=True)
        groups = Classes(labels.astype(np.int64), sizes, classes.representatives[kept])
        numbers = unit_labels(table, self.unit)[None]
        units = ConfidentialValues(
            numbers, np.zeros(1, dtype=bool), self.k, 1.0, file_distribution(numbers)
        )
        return _merge_at_once(space, groups, self.k, units)[groups.labels]


@dataclass(frozen=True)
class SampleRepair(Repair):
    """Repair of a sample by the rules that apply to its whole file.

    Args:
        share: fraction of the file that the sample is.
    """

    share: float = 1.0

    @property
    def _share(self) -> float:
        return self.share


def _aggregate_groups(
    table: Table, names: tuple[str, ...], classes: Classes, kept: Indices, groups: Labels
) -> Table:
    """Give the records of each group common values; a group that is one class is unchanged.

    An attribute that is missing in one record of a group is missing or suppressed in all of it.
    """
    labels = classes.labels + groups.max() + 1
    labels[kept] = groups
    labels = canonical(labels)
    some_class = np.empty(labels.max() + 1, dtype=np.int64)
    some_class[labels] = classes.labels
    joined = some_class[labels] != classes.labels
    changed = np.bincount(labels, weights=joined)[labels] > 0
    if not changed.any():
        return table
    for name in names:
        missing = missing_cells(table, name)
        if table.is_recoded(name):
            table = span_groups(table, name, labels)
        else:
            column = aggregate(table, [name], labels)[name]
            table = table.with_columns({name: np.where(changed, column, table[name])})
        if missing.any():
            some = np.bincount(labels, weights=missing)[labels] > 0
            table = _without_value(table, name, some & changed)
    return table


def _without_value(table: Table, name: str, cells: Flags) -> Table:
    """Make the flagged cells of an attribute missing, or suppressed where it is recoded."""
    if not table.is_recoded(name):
        return with_missing(table, name, cells)
    cells = cells & ~missing_cells(table, name)
    if not cells.any():
        return table
    recoding = table.recoding(name).with_suppressed_cell()
    codes = np.where(cells, len(recoding.labels) - 1, table[name]).astype(np.int32)
    return table.with_recoded(name, codes, recoding)


@dataclass(frozen=True, eq=False)
class ConfidentialValues:
    """Confidential attributes of some records, and the requirement on each class.

    Args:
        codes: a row for each attribute, in order and without gaps.
        ordered: whether each attribute is ordered.
        diversity: number of distinct values that each class needs (l).
        closeness: largest distance of a class's distribution from the file's (t).
        whole: number of values of each attribute in the file, and their shares.
    """

    codes: Indices
    ordered: Indices
    diversity: int
    closeness: float
    whole: "FileDistribution"

    def of(self, records: Indices) -> "ConfidentialValues":
        """Return the values of some of the records, with the same whole file."""
        return replace(self, codes=self.codes[:, records])


def _group_short_classes(
    space: "FeatureSpace", classes: Classes, k: int, share: float
) -> Labels | None:
    """Microaggregate the records of classes below k; None if they are too few."""
    short = np.flatnonzero(classes.sizes_of_records < k)
    if len(short) < k or not space.has_few_cells:
        return None
    groups = classes.labels.copy()
    groups[short] = len(classes) + group_mixed(space.mixed_records(short), k, share)
    return groups


def _merge_by_region(
    space: "FeatureSpace", classes: Classes, k: int, secrets: ConfidentialValues
) -> Labels:
    """Merge classes within regions, then merge what still violates the requirement.

    A region violates it after the first step only if all its classes became one; its first class
    then represents it.
    """
    target = np.arange(len(classes))
    by_class = np.argsort(classes.labels, kind="stable")
    ends = np.cumsum(classes.sizes)
    has_single = False
    for region in mixed_regions(space.mixed_records(classes.representatives), REGION_CLASSES):
        records = [by_class[ends[c] - classes.sizes[c] : ends[c]] for c in region]
        sizes = classes.sizes[region]
        labels = np.repeat(np.arange(len(region)), sizes)
        inside = Classes(labels, sizes, classes.representatives[region])
        merged = _merge_at_once(space, inside, k, secrets.of(np.concatenate(records)))
        target[region] = region[merged]
        has_single = has_single or len(np.unique(merged)) == 1
    labels = target[classes.labels]
    if not has_single:
        return labels
    left, inverse, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    rest = Classes(inverse.astype(np.int64), sizes, classes.representatives[left])
    return _merge_at_once(space, rest, k, secrets)[rest.labels]


def _merge_at_once(
    space: "FeatureSpace", classes: Classes, k: int, secrets: ConfidentialValues
) -> Labels:
    """Return the class that each class was merged into."""
    from evomask.kernels.groups.merging import merge_classes

    return merge_classes(
        space.points(classes.representatives),
        classes.labels,
        secrets.codes,
        secrets.ordered,
        k,
        secrets.diversity,
        secrets.closeness,
        secrets.whole,
    )


@dataclass(frozen=True, eq=False)
class FeatureSpace:
    """Records as points, whether their cells are numbers, categories, sets or intervals.

    Args:
        numbers: standardised numbers, one column per attribute.
        columns: the cell of each record, for each categorical attribute.
        cells: the coordinates of each cell, for each categorical attribute.
        ordered: 1 for each attribute with plain ordinal categories, else 0.
        domains: number of cells of each categorical attribute without missing.
        order: whether each attribute is a number, in the order of the attributes; then the
            numbers that set missing values apart.
        apart: coordinate that keeps classes that are not mixed far from each other, if any.
    """

    numbers: Points
    columns: tuple[Column, ...]
    cells: tuple[Points, ...]
    ordered: Indices
    domains: Indices
    order: tuple[bool, ...]
    apart: Floats | None = None

    @classmethod
    def of(
        cls, table: Table, names: tuple[str, ...], within: tuple[str, ...] = ()
    ) -> "FeatureSpace":
        """Return the space of a table's records; numbers are scaled by the whole table.

        Args:
            within: attributes whose classes are far from each other.
        """
        categorical = [name for name in names if table.attribute(name).is_categorical]
        middles = [
            imputed_with_flags(table.middles(name)[:, None])
            for name in names
            if name not in categorical
        ]
        numbers = [Standardizer.of(column)(column) for column, _ in middles]
        flags = [column for _, column in middles if column.size]
        cells = tuple(_coordinates(table, name) for name in categorical)
        ordered, domains = [], []
        for name, own in zip(categorical, cells, strict=True):
            attribute, is_plain = table.attribute(name), not table.is_recoded(name)
            ordered.append(is_plain and attribute.kind is Kind.ORDINAL)
            domains.append(attribute.domain_size if is_plain else len(own))
        return cls(
            np.column_stack([*numbers, *flags]) if numbers else np.empty((len(table), 0)),
            tuple(table[name] for name in categorical),
            cells,
            np.array(ordered, dtype=np.int64),
            np.array(domains, dtype=np.int64),
            (*(name not in categorical for name in names), *(True for _ in flags)),
            (classes_of(table, within).labels * FAR).astype(np.float64) if within else None,
        )

    def points(self, records: Indices) -> Points:
        """Return some records as points, with the coordinates attribute by attribute."""
        numbers = iter(self.numbers[records].T[:, :, None])
        cells = iter(
            [cells[column[records]] for cells, column in zip(self.cells, self.columns, strict=True)]
        )
        points = [next(numbers if number else cells) for number in self.order]
        if self.apart is not None:
            points.append(self.apart[records, None])
        return np.column_stack(points)

    @property
    def has_few_cells(self) -> bool:
        """Whether the distances of all pairs of cells fit in memory."""
        return all(len(cells) <= MAX_DISTINCT_CELLS for cells in self.cells)

    def mixed_records(self, records: Indices) -> MixedRecords:
        """Return some records as numbers and codes, with the distances between cells."""
        codes = [column[records] for column in self.columns]
        none = np.empty((len(records), 0), dtype=np.int32)
        return MixedRecords(
            np.ascontiguousarray(self.numbers[records]),
            np.column_stack(codes) if codes else none,
            stack_padded([_squared_distances(cells) for cells in self.cells]),
            self.ordered,
            self.domains,
        )


def _coordinates(table: Table, name: str) -> Points:
    """Coordinates of each cell of a categorical attribute.

    Nominal cells are directions: at distance 1 without a common category, else nearer.
    """
    attribute = table.attribute(name)
    shares = table.recoding(name).spread(np.ones(len(attribute.categories)))
    if attribute.kind is not Kind.NOMINAL:  # mean ranks; missing is an axis of its own
        size = attribute.domain_size
        missing = shares[:, size:]
        ranks = shares[:, :size] @ np.arange(size) / max(1, size) + missing.sum(axis=1) / 2
        return np.column_stack([ranks, missing])
    directions: Points = shares / np.sqrt(2 * np.sum(shares**2, axis=1, keepdims=True))
    return directions


def _squared_distances(cells: Points) -> Floats:
    """Squared distance of each pair of cells; exactly 0 from a cell to itself."""
    lengths = np.sum(cells**2, axis=1)
    squares: Floats = np.maximum(lengths[:, None] + lengths - 2 * cells @ cells.T, 0.0)
    np.fill_diagonal(squares, 0.0)
    return squares
