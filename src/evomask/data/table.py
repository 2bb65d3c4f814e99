"""A file of records: immutable columns under a schema."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Codes, Flags, Floats, Indices, Points
from evomask.data.recoding import SUPPRESSED, Recoding, single_categories
from evomask.data.schema import Attribute, Schema
from evomask.errors import SchemaError

Column = NDArray[Any]
"""Float64 values of a continuous attribute, or int32 codes of any other or recoded one."""


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Records under a schema; nothing in it can be changed.

    A continuous attribute is a column of float64, NaN where missing. An ordinal or nominal
    one is a column of int32 codes, positions in its categories. A column that a masking
    method recoded holds codes into the labels of its entry in ``recodings``.

    Args:
        suppressed: flags the records that a release leaves out.
    """

    schema: Schema
    columns: Mapping[str, Column]
    recodings: Mapping[str, Recoding] = field(default_factory=dict)
    suppressed: Flags = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def __post_init__(self) -> None:
        if set(self.columns) != set(self.schema.names):
            raise SchemaError("the columns of a table must be those its schema names")
        frozen = {
            name: _frozen(self.columns[name], self._codes_expected(name))
            for name in self.schema.names
        }
        lengths = {len(column) for column in frozen.values()}
        if len(lengths) > 1:
            raise SchemaError("the columns of a table must have equal lengths")
        object.__setattr__(self, "columns", MappingProxyType(frozen))
        object.__setattr__(self, "recodings", MappingProxyType(dict(self.recodings)))
        object.__setattr__(self, "suppressed", _flags(self.suppressed, max(lengths, default=0)))

    def _codes_expected(self, name: str) -> bool:
        return name in self.recodings or self.schema[name].is_categorical

    def __len__(self) -> int:
        return len(self.suppressed)

    def __reduce__(self) -> tuple[type["Table"], tuple[Any, ...]]:
        """How a table is sent to another process."""
        return Table, (self.schema, dict(self.columns), dict(self.recodings), self.suppressed)

    def __repr__(self) -> str:
        """Sizes and names, never a record's values."""
        return f"<Table of {len(self)} records: {', '.join(self.schema.names)}>"

    def __getitem__(self, name: str) -> Column:
        self.schema[name]
        return self.columns[name]

    def attribute(self, name: str) -> Attribute:
        """The description of the column of that name, or an error that lists all."""
        return self.schema[name]

    def is_recoded(self, name: str) -> bool:
        """Whether the column's codes point into a recoding, not into the categories."""
        return name in self.recodings

    def values(self, name: str) -> Floats:
        """The numbers of a continuous attribute."""
        if self.schema[name].is_categorical:
            raise SchemaError(
                f"numbers are needed, and {name!r} is {self.schema[name].kind}; "
                "declare it continuous or leave it out"
            )
        if name in self.recodings:
            raise SchemaError(f"numbers are needed, and {name!r} holds intervals; leave it out")
        return self.columns[name]

    def codes(self, name: str) -> Codes:
        """The category codes of an ordinal or nominal attribute that is not recoded."""
        if not self.schema[name].is_categorical:
            raise SchemaError(
                f"categories are needed, and {name!r} is continuous; "
                "declare it ordinal or nominal, or leave it out"
            )
        if name in self.recodings:
            raise SchemaError(f"single categories are needed, and {name!r} is generalized")
        return self.columns[name]

    def labels(self, name: str) -> tuple[str, ...]:
        """How the codes of a column are written: cells of its recoding, or its categories."""
        if name in self.recodings:
            return self.recodings[name].labels
        return self.schema[name].categories

    def recoding(self, name: str) -> Recoding:
        """What the codes of a column stand for; category c is cell c where nothing is recoded."""
        if name in self.recodings:
            return self.recodings[name]
        if self.schema[name].is_categorical:
            return single_categories(self.schema[name])
        raise SchemaError(
            f"cells are needed, and {name!r} holds numbers; recode it or leave it out"
        )

    def ends(self, name: str) -> tuple[Floats, Floats]:
        """Least and greatest number that each cell of a continuous attribute may stand for."""
        if name not in self.recodings:
            return self.values(name), self.values(name)
        recoding, codes = self.recodings[name], self.columns[name]
        return recoding.low[codes], recoding.high[codes]

    def middles(self, name: str) -> Floats:
        """A number for each cell of an ordered attribute, NaN where it is missing.

        Of an ordinal attribute the mean place of the known categories that it may stand for.
        """
        if name in self.recodings or self.schema[name].is_categorical:
            return self.recoding(name).middles(self.schema[name])[self.columns[name]]
        return self.values(name)

    def matrix(self, names: Iterable[str]) -> Points:
        """The numbers of several continuous attributes side by side, as a new array."""
        columns = [self.values(name) for name in names]
        return np.column_stack(columns) if columns else np.empty((len(self), 0))

    def with_columns(self, changes: Mapping[str, Column]) -> "Table":
        """The same table with some columns replaced, no longer recoded."""
        for name in changes:
            self.schema[name]
        kept = {name: r for name, r in self.recodings.items() if name not in changes}
        return replace(self, columns={**self.columns, **changes}, recodings=kept)

    def with_recoded(self, name: str, codes: Codes, recoding: Recoding) -> "Table":
        """The same table with one column replaced by codes into *recoding*."""
        if recoding.is_categorical != self.schema[name].is_categorical:
            raise SchemaError(f"{name!r} is {self.schema[name].kind}: that recoding does not fit")
        recodings = {**self.recodings, name: recoding}
        return replace(self, columns={**self.columns, name: codes}, recodings=recodings)

    def with_schema(self, schema: Schema) -> "Table":
        """The same columns under another schema of the same names."""
        return replace(self, schema=schema)

    def suppressing(self, records: Flags) -> "Table":
        """The same table with more records marked as left out of a release."""
        return replace(self, suppressed=self.suppressed | records)

    def suppressed_cells(self) -> dict[str, int]:
        """By attribute how many cells of released records are suppressed, where some are."""
        kept = ~self.suppressed
        counts = {name: self._suppressed_cells(name, kept) for name in self.schema.names}
        return {name: count for name, count in counts.items() if count}

    def _suppressed_cells(self, name: str, kept: Flags) -> int:
        codes = [code for code, label in enumerate(self.labels(name)) if label == SUPPRESSED]
        return int(np.isin(self.columns[name][kept], codes).sum()) if codes else 0

    def take(self, records: Indices) -> "Table":
        """The records at the given positions, in that order."""
        columns = {name: column[records] for name, column in self.columns.items()}
        return replace(self, columns=columns, suppressed=self.suppressed[records])

    def only(self, names: Iterable[str]) -> "Table":
        """The attributes called *names*, in that order."""
        schema = self.schema.only(names)
        return Table(
            schema,
            {name: self.columns[name] for name in schema.names},
            {name: r for name, r in self.recodings.items() if name in schema},
            self.suppressed,
        )


def _frozen(column: Column, as_codes: bool) -> Column:
    """A read-only array of the expected type; what is one already is shared, not copied."""
    dtype = np.dtype(np.int32 if as_codes else np.float64)
    if column.dtype == dtype and not column.flags.writeable:
        return column
    return _read_only(np.array(column, dtype=dtype))


def _flags(suppressed: Flags, n_records: int) -> Flags:
    flags = suppressed if len(suppressed) else np.zeros(n_records, dtype=bool)
    if len(flags) != n_records:
        raise SchemaError("a table needs one suppression flag for each record")
    return _read_only(flags.copy()) if flags.flags.writeable else flags


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
