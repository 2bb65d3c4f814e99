"""Source files: a file as read, and the original beside a masked table."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl

from evomask.data.classes import classes_of
from evomask.data.frames import (
    Declaration,
    Declarations,
    is_same_column,
    released_names,
    table_from,
)
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.io.dialects import Dialect
from evomask.types import Indices

COUNTED = (Role.QUASI_IDENTIFIER, Role.CONFIDENTIAL)
"""Roles whose values enter k, l and t."""


@dataclass(frozen=True)
class Source:
    """A file as read: its columns, its metadata and the dialect of its text.

    Args:
        from_file: labels, measure levels, missing codes and decimals, by column.
        dialect: delimiter, decimal mark and encoding of a text file; None for others.
        texts: columns of a text file as text, before conversion; None for others.
        notes: what the user should know of the file.
    """

    frame: pl.DataFrame
    from_file: Declarations = field(default_factory=dict)
    dialect: Dialect | None = None
    texts: pl.DataFrame | None = None
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> pl.DataFrame:
        """Columns as in the file: unconverted texts of a text file."""
        return self.frame if self.texts is None else self.texts

    def stack(self, others: Sequence["Source"]) -> "Source":
        """Return a source with the records of others of the same columns below its own."""
        frames = [self.frame, *(other.frame for other in others)]
        return replace(self, frame=pl.concat(frames, how="vertical_relaxed"), texts=None)

    def origin(self, table: Table, path: Path) -> "Origin":
        """Return the file together with the table that was read from it."""
        return Origin(table, self.columns, path)

    def table(self, declarations: Declarations | None = None) -> Table:
        """Convert to a table; declarations take precedence over the file's metadata."""
        declared = {**dict.fromkeys(self.frame.columns, Declaration()), **(declarations or {})}
        return table_from(
            self.frame,
            {name: d.over(self.from_file.get(name, Declaration())) for name, d in declared.items()},
        )


@dataclass(frozen=True, eq=False, repr=False)
class Origin:
    """The original as a table and as its file; unchanged columns are written as in the file.

    Args:
        columns: columns of the file; of a text file as text.
        order: index of the original record of each masked record, if they were shuffled.
    """

    table: Table
    columns: pl.DataFrame
    path: Path
    order: Indices | None = None

    def shuffled(self, order: Indices) -> "Origin":
        """Return the same file for a masked table whose records are in another order."""
        return replace(self, order=order)

    def untouched(self, masked: Table) -> dict[str, pl.Series]:
        """Return the columns that masking did not change, for released records, by name.

        A quasi-identifier or confidential column is only included if the file distinguishes no
        more values than the table, because k, l and t are computed on the table.
        """
        order = np.arange(len(masked)) if self.order is None else self.order
        before = self.table.take(order)
        return {
            name: _of_records(self.columns[name], order[~masked.suppressed])
            for name in released_names(masked)
            if not self.table.attribute(name).is_replaced
            and is_same_column(before, masked, name)
            and self._is_equally_fine(name)
        }

    def _is_equally_fine(self, name: str) -> bool:
        if self.table.attribute(name).role not in COUNTED:
            return True
        return self.columns[name].cast(pl.String).n_unique() == len(classes_of(self.table, [name]))


def _of_records(column: pl.Series, records: Indices) -> pl.Series:
    """Return the values of some records, without categories that none of them has."""
    values = column.gather(records)
    if isinstance(values.dtype, pl.Enum):
        used = set(values.unique().cast(pl.String).to_list())
        return values if used >= set(values.dtype.categories) else values.cast(pl.String)
    return values.cast(pl.String) if values.dtype == pl.Categorical else values
