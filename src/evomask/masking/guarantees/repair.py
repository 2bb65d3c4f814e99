"""Repair: k-anonymity, l-diversity and t-closeness as guarantees, for any table."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from evomask.arrays import Flags, Indices, Labels
from evomask.data.classes import Classes, classes_of
from evomask.data.partition import canonical
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError, SchemaError
from evomask.masking.checks import require_attributes, require_count, require_share
from evomask.masking.guarantees.merging import Secrets, grouped_to_size, merged_to_fulfil
from evomask.masking.guarantees.places import Places
from evomask.masking.method import About
from evomask.masking.microaggregation.aggregation import aggregated
from evomask.masking.recoding.group_values import spanned

MANY = 20_000
"""Records of small classes from which on groups are made of them, where they are most."""


class RepairBy(StrEnum):
    """How classes that are too small are brought to k records.

    Merging joins each with the nearest class, whatever its size, so classes become larger than
    k. Groups are k similar records of small classes: less is lost, and more can be linked.
    """

    MERGING = "merging"
    GROUPS = "groups"


@dataclass(frozen=True)
class Repair:
    """Merge every class of records that falls short with its nearest, and aggregate.

    Args:
        attributes: names of the quasi-identifiers, of any kind, recoded or not.
        k: how many records must share every released combination; 1 asks nothing.
        l: how many distinct values of each confidential attribute every class must hold.
        t: how far, in [0, 1], a class's distribution of a confidential attribute may be from
            the file's: earth mover's distance over ranks, total variation if nominal.
        confidential: names of the attributes that *l* and *t* speak of; by default those
            whose role is confidential.
        by: ``merging`` joins every class that falls short with the nearest class; ``groups``
            microaggregates the records of small classes among themselves, where *k* alone is
            asked for. By default groups where more than 20,000 records, and more than half of
            all, are in small classes (decisions/0016).

    A merged class gets its mean, median and most frequent values; of recoded cells the
    smallest set or interval that holds them all. Other classes stay as they are, and records
    that are suppressed do not count. Suppressed cells and missing values are values of their
    own.
    """

    about: ClassVar[About] = About(
        name="repair",
        title="repair",
        steward=(
            "records put together with their nearest until every class held {k} or more records"
            "[, {l:several} or more distinct confidential values]"
            "[, distributions within {t:several} of the file's]"
        ),
        public=(
            "Where records stood out, they were put together with the nearest ones and given "
            "common values or common sets of values, until the guarantee held."
        ),
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 5
    l: int = 1  # noqa: E741
    t: float = 1.0
    confidential: tuple[str, ...] = ()
    by: RepairBy | None = None

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "repair")
        require_count(self.k, "k", least=1)
        require_count(self.l, "l", least=1)
        require_share(self.t, "t")

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """The table with every requirement met; no random number is drawn."""
        kept = np.flatnonzero(~table.suppressed)
        if not len(kept):
            return table
        released = table if len(kept) == len(table) else table.take(kept)
        names, codes = self.checked(released)
        classes = classes_of(released, self.attributes)
        if not names and classes.sizes.min() >= self.k:
            return table
        merged = self._merged(released, classes, names, codes)
        if released is not table:
            classes = classes_of(table, self.attributes)
        return _with_groups(table, self.attributes, classes, kept, merged)

    def checked(self, table: Table) -> tuple[tuple[str, ...], Indices]:
        """The attributes that *l* and *t* speak of and their codes; what cannot be is refused."""
        names = self._confidential(table)
        codes = _confidential_codes(table, names)
        self._check_possible(len(table), names, codes)
        return names, codes

    def _confidential(self, table: Table) -> tuple[str, ...]:
        """The attributes that *l* and *t* speak of, none where they ask nothing."""
        if self.l == 1 and self.t == 1:
            return ()
        names = self.confidential or table.schema.with_role(Role.CONFIDENTIAL)
        if not names:
            raise SchemaError("l and t need a confidential attribute; name one")
        both = sorted(set(self.attributes) & set(names))
        if both:
            raise SchemaError(f"{both[0]!r} is confidential and a quasi-identifier; choose one")
        return names

    def _check_possible(self, n_records: int, names: tuple[str, ...], rows: Indices) -> None:
        if self.k > n_records:
            raise ParameterError(
                f"k must not exceed the number of records, got k = {self.k} for {n_records}; "
                "choose a smaller k"
            )
        for name, codes in zip(names, rows, strict=True):
            if codes.max() + 1 < self.l:
                raise DataError(
                    f"{name!r} has {codes.max() + 1} distinct values and l = {self.l} needs more; "
                    "choose a smaller l"
                )

    def _by(self, classes: Classes) -> RepairBy:
        """How small classes are brought to k: as asked for, or by how many records they hold."""
        short = int(classes.sizes[classes.sizes < self.k].sum())
        many = short > MANY * self._share and 2 * short > len(classes.labels)
        return self.by or (RepairBy.GROUPS if many else RepairBy.MERGING)

    @property
    def _share(self) -> float:
        """What part of its file the table is."""
        return 1.0

    def _merged(
        self, table: Table, classes: Classes, names: tuple[str, ...], codes: Indices
    ) -> Labels:
        """The group that each record is in when all requirements are met."""
        from evomask.kernels.groups.merging import whole_file

        places = Places.of(table, self.attributes)
        if self._by(classes) is RepairBy.GROUPS and not names:
            groups = grouped_to_size(places, classes, self.k, self._share)
            if groups is not None:
                return groups
        ordered = [table.attribute(name).kind is not Kind.NOMINAL for name in names]
        secrets = Secrets(codes, np.array(ordered), self.l, self.t, whole_file(codes))
        return merged_to_fulfil(places, classes, self.k, secrets, self._share)


@dataclass(frozen=True)
class RepairOfSample(Repair):
    """The same for a sample, which is repaired as the whole file would be.

    Args:
        share: of the file that the sample is.
    """

    share: float = 1.0

    @property
    def _share(self) -> float:
        """What part of its file the sample is."""
        return self.share


def _confidential_codes(table: Table, names: tuple[str, ...]) -> Indices:
    """A row of codes for each confidential attribute, in order and without gaps."""
    rows = [classes_of(table, [name]).labels for name in names]
    return np.array(rows, dtype=np.int64).reshape(len(names), len(table))


def _with_groups(
    table: Table, names: tuple[str, ...], classes: Classes, kept: Indices, merged: Labels
) -> Table:
    """Every group's records alike; a group that is one old class is not touched."""
    labels = classes.labels + merged.max() + 1
    labels[kept] = merged
    labels = canonical(labels)
    some_class = np.empty(labels.max() + 1, dtype=np.int64)
    some_class[labels] = classes.labels
    joined = some_class[labels] != classes.labels
    changed = np.bincount(labels, weights=joined)[labels] > 0
    for name in names:
        table = _with_group(table, name, labels, changed)
    return table


def _with_group(table: Table, name: str, labels: Labels, changed: Flags) -> Table:
    if not changed.any():
        return table
    if table.is_recoded(name):
        return spanned(table, name, labels)
    column = aggregated(table, [name], labels)[name]
    return table.with_columns({name: np.where(changed, column, table[name])})
