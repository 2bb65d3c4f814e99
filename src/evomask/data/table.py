"""Table: immutable columns of records under a schema; codes of missing numbers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.data.recoding import SUPPRESSED, Recoding, identity_recoding
from evomask.data.schema import Attribute, Schema
from evomask.errors import SchemaError
from evomask.types import Codes, Flags, Floats, Indices, Points

Column = NDArray[Any]
"""Float64 values of a continuous attribute, or int32 codes of a categorical or recoded one."""

_QUIET_NAN = np.int64(0x7FF8 << 48)
_TAGGED = np.int64(1 << 40)
_CODE_BITS = np.int64((1 << 32) - 1)
_OFFSET = 1 << 31
CODES, NUMBERS = np.dtype(np.int32), np.dtype(np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Immutable records under a schema.

    A continuous attribute is a column of float64, NaN where missing. An ordinal or nominal
    one is a column of int32 codes, positions in its categories. A column that a masking
    method recoded holds codes into the labels of its entry in ``recodings``.

    Args:
        suppressed: flags of the records that are left out of a release.
    """

    schema: Schema
    columns: Mapping[str, Column]
    recodings: Mapping[str, Recoding] = field(default_factory=dict)
    suppressed: Flags = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def __post_init__(self) -> None:
        if set(self.columns) != set(self.schema.names):
            raise SchemaError("the columns of a table must be exactly those of its schema")
        frozen = {
            a.name: _frozen(self.columns[a.name], a.name in self.recodings or a.is_categorical)
            for a in self.schema
        }
        lengths = {len(column) for column in frozen.values()}
        if len(lengths) > 1:
            raise SchemaError("the columns of a table must have equal lengths")
        object.__setattr__(self, "columns", MappingProxyType(frozen))
        object.__setattr__(self, "recodings", MappingProxyType(dict(self.recodings)))
        object.__setattr__(self, "suppressed", _flags(self.suppressed, max(lengths, default=0)))

    def __len__(self) -> int:
        return len(self.suppressed)

    def __reduce__(self) -> tuple[type["Table"], tuple[Any, ...]]:
        return Table, (self.schema, dict(self.columns), dict(self.recodings), self.suppressed)

    def __repr__(self) -> str:
        # never a record's values
        return f"<Table of {len(self)} records: {', '.join(self.schema.names)}>"

    def __getitem__(self, name: str) -> Column:
        self.schema[name]
        return self.columns[name]

    def attribute(self, name: str) -> Attribute:
        return self.schema[name]

    def is_recoded(self, name: str) -> bool:
        return name in self.recodings

    def values(self, name: str) -> Floats:
        """Return the numbers of a continuous attribute."""
        if self.schema[name].is_categorical:
            raise SchemaError(
                f"numbers are needed, and {name!r} is {self.schema[name].kind}; "
                "declare it continuous or leave it out"
            )
        if name in self.recodings:
            raise SchemaError(f"numbers are needed, and {name!r} holds intervals; leave it out")
        return self.columns[name]

    def codes(self, name: str) -> Codes:
        """Return the category codes of an ordinal or nominal attribute that is not recoded."""
        if not self.schema[name].is_categorical:
            raise SchemaError(
                f"categories are needed, and {name!r} is continuous; "
                "declare it ordinal or nominal, or leave it out"
            )
        if name in self.recodings:
            raise SchemaError(
                f"single categories are needed, and {name!r} is generalized; leave it out"
            )
        return self.columns[name]

    def labels(self, name: str) -> tuple[str, ...]:
        """Return the label of each code: of its recoding, or else its category."""
        if name in self.recodings:
            return self.recodings[name].labels
        return self.schema[name].categories

    def recoding(self, name: str) -> Recoding:
        """Return the recoding of a categorical column; the identity where nothing is recoded."""
        if name in self.recodings:
            return self.recodings[name]
        if self.schema[name].is_categorical:
            return identity_recoding(self.schema[name])
        raise SchemaError(
            f"recoded cells are needed, and {name!r} holds numbers; recode it or leave it out"
        )

    def ends(self, name: str) -> tuple[Floats, Floats]:
        """Return the lower and upper end of each cell of a continuous attribute."""
        if name not in self.recodings:
            return self.values(name), self.values(name)
        recoding, codes = self.recodings[name], self.columns[name]
        return recoding.low[codes], recoding.high[codes]

    def middles(self, name: str) -> Floats:
        """Return the midpoint of each cell of an ordered attribute, NaN where it is missing.

        For an ordinal attribute: the mean rank of the categories that the cell covers.
        """
        if name in self.recodings or self.schema[name].is_categorical:
            return self.recoding(name).middles(self.schema[name])[self.columns[name]]
        return self.values(name)

    def matrix(self, names: Iterable[str]) -> Points:
        """Return several continuous attributes as the columns of a new array."""
        columns = [self.values(name) for name in names]
        return np.column_stack(columns) if columns else np.empty((len(self), 0))

    def with_columns(self, changes: Mapping[str, Column]) -> "Table":
        """Return a copy with some columns replaced; these are no longer recoded."""
        for name in changes:
            self.schema[name]
        recodings = {name: r for name, r in self.recodings.items() if name not in changes}
        return self._changed(changes, recodings)

    def with_recoded(self, name: str, codes: Codes, recoding: Recoding) -> "Table":
        """Return a copy with one column replaced by codes into *recoding*."""
        if recoding.is_categorical != self.schema[name].is_categorical:
            raise SchemaError(
                f"the recoding does not fit {name!r}, which is {self.schema[name].kind}"
            )
        return self._changed({name: codes}, {**self.recodings, name: recoding})

    def _changed(self, changes: Mapping[str, Column], recodings: Mapping[str, Recoding]) -> "Table":
        """Return a copy with other columns; those that stay are not checked again."""
        columns = dict(self.columns)
        for name, column in changes.items():
            if len(column) != len(self):
                raise SchemaError("the columns of a table must have equal lengths")
            as_codes = name in recodings or self.schema[name].is_categorical
            columns[name] = _frozen(column, as_codes)
        made = object.__new__(Table)
        vars(made).update(
            schema=self.schema,
            columns=MappingProxyType(columns),
            recodings=MappingProxyType(dict(recodings)),
            suppressed=self.suppressed,
        )
        return made

    def with_schema(self, schema: Schema) -> "Table":
        return replace(self, schema=schema)

    def suppressing(self, records: Flags) -> "Table":
        """Return a copy in which *records* are suppressed too."""
        return replace(self, suppressed=self.suppressed | records)

    def suppressed_cells(self) -> dict[str, int]:
        """Return the number of suppressed cells in released records, by attribute if positive."""
        counts: dict[str, int] = {}
        for name in self.schema.names:
            codes = [code for code, label in enumerate(self.labels(name)) if label == SUPPRESSED]
            count = np.isin(self.columns[name][~self.suppressed], codes).sum() if codes else 0
            counts |= {name: int(count)} if count else {}
        return counts

    def take(self, records: Indices) -> "Table":
        """Return the records at the given positions, in that order."""
        made = object.__new__(Table)
        columns = {name: _read_only(column[records]) for name, column in self.columns.items()}
        vars(made).update(
            schema=self.schema,
            columns=MappingProxyType(columns),
            recodings=self.recodings,
            suppressed=_read_only(self.suppressed[records]),
        )
        return made

    def only(self, names: Iterable[str]) -> "Table":
        """Return a table of the attributes *names*, in that order."""
        schema = self.schema.only(names)
        return Table(
            schema,
            {name: self.columns[name] for name in schema.names},
            {name: r for name, r in self.recodings.items() if name in schema},
            self.suppressed,
        )


def _frozen(column: Column, as_codes: bool) -> Column:
    """Return a read-only array of the expected type; share the input if it is one already."""
    dtype = CODES if as_codes else NUMBERS
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


def tag_missing(values: Floats, missing: Flags) -> Floats:
    """Replace the numbers flagged *missing* by NaN whose payload bits store the number.

    Statistical packages distinguish reasons for missing values, such as "refused", by
    user-missing codes. As NaN they never enter arithmetic; the payload restores the code when
    the file is written. A code that is no integer of at most 31 bits becomes a plain NaN.
    """
    storable = missing & (values == np.round(values)) & (np.abs(values) < _OFFSET)
    codes = np.where(storable, values, 0).astype(np.int64) + _OFFSET
    bits = np.where(storable, _QUIET_NAN | _TAGGED | codes, _QUIET_NAN)
    return np.where(missing, bits.view(np.float64), values)


def missing_codes(values: Floats) -> tuple[Flags, Indices]:
    """Return which cells are missing with a code, and the code of each (0 elsewhere)."""
    bits = np.ascontiguousarray(values).view(np.int64)
    known = np.isnan(values) & ((bits & _TAGGED) != 0)
    return known, np.where(known, (bits & _CODE_BITS) - _OFFSET, 0)
