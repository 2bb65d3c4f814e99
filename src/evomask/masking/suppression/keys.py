"""Rows as numbers, so that looking at some of their attributes alone is quick."""

from dataclasses import dataclass

import numpy as np

from evomask.arrays import Codes, Indices
from evomask.data.classes import classes_of_columns

_LARGEST_KEY = 2**62


@dataclass(frozen=True, eq=False)
class Keys:
    """Distinct rows; two have the same key without some attributes if they agree on the others.

    Args:
        parts: what each attribute adds to a row's key; empty where keys would be too large.
    """

    rows: Codes
    parts: Indices
    whole: Indices

    @classmethod
    def of(cls, rows: Codes) -> "Keys":
        """Keys in a number system with one digit for each attribute, if it fits."""
        parts, radix = [], 1
        for column in rows.T.astype(np.int64):
            parts.append(column * radix)
            radix *= int(column.max(initial=0)) + 1
            if radix > _LARGEST_KEY:
                return cls(rows, np.empty((0, 0), np.int64), np.empty(0, np.int64))
        return cls(rows, np.array(parts), np.sum(parts, axis=0))

    def without(self, dropped: tuple[int, ...], places: Indices) -> Indices:
        """Keys of the rows at *places*, the *dropped* attributes not being looked at."""
        if not len(self.parts):
            kept = [c for j, c in enumerate(self.rows.T) if j not in dropped]
            return classes_of_columns(kept, len(self.rows)).labels[places]
        keys = self.whole[places]
        for attribute in dropped:
            keys = keys - self.parts[attribute][places]
        return keys
