"""Missing numbers that remember why they are missing.

Statistical packages tell "refused" from "does not apply" by user-missing codes. In a column
of numbers all of them are NaN, so that nothing takes -99 for an income; the code travels in
the bits of the NaN that arithmetic does not look at, and is written back where the cell is
still missing.
"""

import numpy as np

from evomask.arrays import Flags, Floats, Indices

_QUIET_NAN = np.int64(0x7FF8 << 48)
_TAGGED = np.int64(1 << 40)
_CODE_BITS = np.int64((1 << 32) - 1)
_OFFSET = 1 << 31


def tagged(values: Floats, missing: Flags) -> Floats:
    """The same numbers with those flagged *missing* turned into NaN that keep their code.

    A code that is not a whole number of at most 31 bits becomes a plain NaN.
    """
    keeps = missing & (values == np.round(values)) & (np.abs(values) < _OFFSET)
    codes = np.where(keeps, values, 0).astype(np.int64) + _OFFSET
    bits = np.where(keeps, _QUIET_NAN | _TAGGED | codes, _QUIET_NAN)
    return np.where(missing, bits.view(np.float64), values)


def tags(values: Floats) -> tuple[Flags, Indices]:
    """Which cells are missing with a code, and the code of each (0 elsewhere)."""
    bits = np.ascontiguousarray(values).view(np.int64)
    known = np.isnan(values) & ((bits & _TAGGED) != 0)
    return known, np.where(known, (bits & _CODE_BITS) - _OFFSET, 0)
