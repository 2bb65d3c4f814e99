"""A file looked at column by column: what each is, and how far people stand out by some of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.hierarchy import fitted
from evomask.data.roles.proposal import Proposal, propose
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import EvomaskError, SchemaError
from evomask.io.hierarchies import read_lines
from evomask.record.spreads import spread
from evomask.runs.inputs import Input, load

SIZES = (("1", 1, 1), ("2", 2, 2), ("3 to 4", 3, 4), ("5 to 9", 5, 9), ("10 or more", 10, None))
"""Groups of look-alikes by their size, as they are counted."""

MOST_SINGLED = 24
"""Quasi-identifiers up to which it is counted what each of them adds."""


@dataclass(frozen=True)
class Column:
    """What can be told of a column without a record's values.

    Args:
        why: the reasons for what is proposed for it.
        cells: shares of the records in percent, over groups of its values that are large enough.
        levels: how many groups each level of its value tree has.
        trouble: why its value tree cannot be used, where it cannot.
    """

    name: str
    label: str
    kind: str
    role: str
    proposed: str
    why: tuple[str, ...]
    distinct: int
    missing: int
    storage: str
    cells: tuple[tuple[str, float], ...] = ()
    levels: tuple[int, ...] = ()
    trouble: str = ""


@dataclass(frozen=True)
class Uniqueness:
    """How many records stand out by some columns.

    Args:
        k: the size of the smallest group of look-alikes.
        sizes: how many records are in groups of each size.
        adds: for each column, how many records stand out only because of it.
    """

    records: int
    uniques: int
    k: int
    sizes: dict[str, int]
    adds: dict[str, int]


@dataclass(frozen=True, eq=False)
class LookedAt:
    """A file under its schema, with what is proposed for its columns."""

    table: Table = field(repr=False)
    columns: tuple[Column, ...]
    edits: tuple[str, ...]
    notes: tuple[str, ...]

    def uniqueness(self, names: Sequence[str]) -> Uniqueness:
        """How many records stand out by the columns named."""
        unknown = [name for name in names if name not in self.table.schema]
        if unknown:
            raise SchemaError(f"the file has no column {unknown[0]!r}; check the name")
        sizes = classes_of(self.table, names).sizes_of_records
        uniques = int((sizes == 1).sum())
        rest = names if len(names) <= MOST_SINGLED else ()
        adds = {name: uniques - self._uniques([n for n in names if n != name]) for name in rest}
        counted = {
            called: int(((sizes >= low) & (sizes <= (high or len(sizes)))).sum())
            for called, low, high in SIZES
        }
        return Uniqueness(
            len(self.table), uniques, int(sizes.min()) if len(sizes) else 0, counted, adds
        )

    def _uniques(self, names: Sequence[str]) -> int:
        return int((classes_of(self.table, names).sizes == 1).sum()) if names else 0


def look_at(path: Path, schema: Path) -> LookedAt:
    """The file under its schema, column by column, with the reasons of a proposal."""
    loaded = load(Input(path, schema))
    table = loaded.table
    proposed = {proposal.name: proposal for proposal in propose(table).attributes}
    columns = tuple(_column(table, name, proposed[name]) for name in table.schema.names)
    return LookedAt(table, columns, table.schema.edits, loaded.notes)


def _column(table: Table, name: str, proposal: Proposal) -> Column:
    attribute, shown = table.attribute(name), spread(table, table, name)
    distinct, missing = _counted(table, name)
    levels, trouble = _tree(table, name)
    return Column(
        name,
        attribute.label,
        attribute.kind.value,
        attribute.role.value,
        proposal.role.value,
        (proposal.why_role, proposal.why_kind, *proposal.remarks),
        distinct,
        missing,
        attribute.storage.value,
        tuple(zip(shown.cells, shown.before, strict=True)) if shown else (),
        levels,
        trouble,
    )


def _counted(table: Table, name: str) -> tuple[int, int]:
    """How many different values a column has, and how many records have none."""
    attribute, cells = table.attribute(name), table[name]
    if attribute.kind is Kind.CONTINUOUS:
        missing = np.isnan(cells)
    else:
        missing = cells == (len(attribute.categories) - 1 if attribute.has_missing else -1)
    return len(np.unique(cells[~missing])), int(missing.sum())


def _tree(table: Table, name: str) -> tuple[tuple[int, ...], str]:
    """How many groups each level of a column's value tree has, or why it cannot be used."""
    path = table.attribute(name).hierarchy
    if not path or not table.attribute(name).is_categorical:
        return (), ""
    try:
        tree = fitted(name, read_lines(Path(path)), table)
    except EvomaskError as error:
        return (), str(error)
    return tuple(len(tree.labels(level)) for level in range(tree.height + 1)), ""
