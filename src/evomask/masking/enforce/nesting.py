"""Nested releases: masked files whose classes, intersected with those of others, stay large.

Small classes of a masked file are merged within the classes of releases that others hold. As these
have k records, merging always succeeds, in the worst case with classes as coarse as theirs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evomask.data.classes import classes_of, classes_of_columns
from evomask.data.schema import Attribute, Kind
from evomask.data.table import Table
from evomask.errors import DataError
from evomask.masking.enforce.repair import Repair
from evomask.masking.enforce.scenarios import KnownAttributes, insufficient
from evomask.types import Indices

MOST_ROUNDS = 8
HELD = "classes of the releases that others hold"
"""Name of the attribute that numbers these classes while a file is enforced."""


@dataclass(frozen=True, eq=False)
class Nesting:
    """Make the classes that a masked file has in common with other releases large enough.

    Args:
        held: other masked versions of the same records, in the same order.
        known: what intruders know, with the k that holds; l and t are not considered.

    Records that another release suppresses are suppressed too.
    """

    held: tuple[Table, ...]
    known: tuple[KnownAttributes, ...]

    def __call__(self, masked: Table) -> Table:
        """Return the masked file with k records, or units, in every common class."""
        masked = masked.suppressing(np.any([one.suppressed for one in self.held], axis=0))
        known = [one for one in self.known if one.k > 1]
        names = sorted({name for one in known for name in one.names})
        rng = np.random.default_rng(0)
        for _ in range(MOST_ROUNDS):
            if not any(self._is_short(masked, one) for one in known):
                return masked
            for one in known:
                table = self._with_held(masked, one.names)
                repair = Repair(one.names, one.k, within=(HELD,), unit=one.unit)
                masked = repair.mask(table, rng).only(masked.schema.names)
        largest = max(known, key=lambda one: one.k)
        table = self._with_held(masked, names)
        if np.unique(table[HELD], return_counts=True)[1].min() >= largest.k:
            repair = Repair(tuple(names), largest.k, within=(HELD,), unit=largest.unit)
            masked = repair.mask(table, rng).only(masked.schema.names)
        if any(self._is_short(masked, one) for one in known):
            raise DataError(
                "no enforcement nests this file in the earlier release in every scenario; choose "
                "another point, or withdraw the earlier release"
            )
        return masked

    def _classes(self, names: Sequence[str], n_records: int) -> Indices:
        labels = [classes_of(one, names).labels for one in self.held]
        return classes_of_columns(labels, n_records).labels

    def _with_held(self, masked: Table, names: Sequence[str]) -> Table:
        """The masked file with a further attribute: the classes of the other releases."""
        labels = self._classes(names, len(masked))
        categories = tuple(map(str, range(int(labels.max(initial=0)) + 1)))
        schema = masked.schema
        attribute = Attribute(HELD, Kind.NOMINAL, categories=categories)
        wider = replace(schema, attributes=(*schema.attributes, attribute))
        return replace(masked, schema=wider, columns={**masked.columns, HELD: labels})

    def _is_short(self, masked: Table, one: KnownAttributes) -> bool:
        released = self._with_held(masked, one.names).take(np.flatnonzero(~masked.suppressed))
        both = replace(one, names=(*one.names, HELD), l=1, t=1.0)
        return bool(insufficient(released, both).any())
