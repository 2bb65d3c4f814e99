"""The file that a masked table came from: what masking left alone is written as it stood there."""

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from evomask.arrays import Indices
from evomask.data.classes import classes_of
from evomask.data.frames import released_names, same_column
from evomask.data.schema import Role
from evomask.data.table import Table

TELLING = (Role.QUASI_IDENTIFIER, Role.CONFIDENTIAL)
"""Roles whose values are counted by k, l and t."""


@dataclass(frozen=True, eq=False, repr=False)
class Origin:
    """The original as a table and as its file holds it.

    Args:
        columns: the file's columns; of a text file their very texts.
        ending: of the file, which tells its format.
        order: the original's record at each place of the masked table, where it was shuffled.
    """

    table: Table
    columns: pl.DataFrame
    ending: str
    order: Indices | None = None

    def shuffled(self, order: Indices) -> "Origin":
        """The same file beside a masked table whose records are in another order."""
        return replace(self, order=order)

    def untouched(self, masked: Table) -> dict[str, pl.Series]:
        """By name the columns that nothing was done to, of the records to release."""
        order = np.arange(len(masked)) if self.order is None else self.order
        before = self.table.take(order)
        return {
            name: _of_records(self.columns[name], order[~masked.suppressed])
            for name in released_names(masked)
            if same_column(before, masked, name) and self._says_no_more(name)
        }

    def _says_no_more(self, name: str) -> bool:
        """Whether the file tells no values apart that are one to whoever counts look-alikes."""
        if self.table.attribute(name).role not in TELLING:
            return True
        return self.columns[name].cast(pl.String).n_unique() == len(classes_of(self.table, [name]))


def _of_records(column: pl.Series, records: Indices) -> pl.Series:
    """The values of some records; categories that none of them has are not handed on."""
    values = column.gather(records)
    if isinstance(values.dtype, pl.Enum):
        used = set(values.unique().cast(pl.String).to_list())
        return values if used >= set(values.dtype.categories) else values.cast(pl.String)
    return values.cast(pl.String) if values.dtype == pl.Categorical else values
