"""Mending: the smallest change after which every released record obeys the edit rules.

Change is measured by squares, each attribute in standard deviations of the original. Values stay
in the original's range, at the released decimals, and categories stay categories. What is done to
a record depends on its values alone, so records that are alike stay alike. Quasi-identifiers are
mended among themselves first; where a rule ties them to other attributes, these give way: so
classes of records alike on the quasi-identifiers never fall apart. Only what cannot be mended like
that moves all attributes of a record together, unless classes must stay whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.arrays import Flags, Floats, Points
from evomask.data.classes import classes_of_columns
from evomask.data.rules.domains import Domain, domain_of
from evomask.data.rules.edits import EditRules, category_numbers, rules_of
from evomask.data.rules.nearby import Nearby, can_hold
from evomask.data.schema import Kind, Role
from evomask.data.table import Column, Table
from evomask.errors import DataError

FIXED = (Role.IDENTIFIER, Role.HOUSEHOLD, Role.WEIGHT, Role.STRATUM)
"""Roles of attributes that nothing changes."""


@dataclass(frozen=True, eq=False)
class Mender:
    """Brings masked versions of one table to obey its rules.

    Args:
        domains: the values that each attribute of the rules may be released with.
        spreads: the unit in which a change of each is measured.
    """

    rules: EditRules
    domains: tuple[Domain, ...]
    spreads: Floats

    @classmethod
    def of(cls, original: Table) -> "Mender":
        """The mender of all masked versions of *original*; rules nothing can obey are refused."""
        rules = rules_of(original.schema)
        values = rules.values(original)
        domains = tuple(domain_of(a, values[:, j]) for j, a in enumerate(rules.attributes))
        if len(rules) and not can_hold(rules, domains):
            texts = "; ".join(dict.fromkeys(rules.texts))
            raise DataError(
                f"no values inside their domains obey the rules {texts}; "
                "correct the rules or the domains"
            )
        return cls(rules, domains, _spreads(values))

    def mended(self, masked: Table, *, whole_classes: bool = False) -> Table:
        """The masked table with every rule obeyed by every released record, where that is possible.

        Args:
            whole_classes: never tell apart records that are alike on the quasi-identifiers;
                a record that would need that is left as it is.
        """
        if not len(self.rules):
            return masked
        before = self.rules.values(masked)
        classes = classes_of_columns(list(before.T), len(before))
        rows = self.rows(before[classes.representatives], whole_classes=whole_classes)
        after = rows[classes.labels]
        return _with_values(masked, self.rules, before, after)

    def record(self, values: Floats) -> Floats:
        """One record's numbers, in the order of ``rules.names``, obeying all rules if possible."""
        mended: Floats = self.rows(values[None, :])[0]
        return mended

    def rows(self, values: Points, *, whole_classes: bool = False) -> Points:
        """Records' numbers, a column for each of ``rules.names``, obeying all rules if possible."""
        if not len(self.rules):
            return values
        values = np.column_stack([d.rounded(values[:, j]) for j, d in enumerate(self.domains)])
        for part in self._whole if whole_classes else self._parts:
            values = part.mended(values)
        return values

    @cached_property
    def _parts(self) -> tuple[Nearby, ...]:
        return tuple(self._steps())

    @property
    def _whole(self) -> tuple[Nearby, ...]:
        return self._parts[:2]

    def _steps(self) -> Iterator[Nearby]:
        """Quasi-identifiers among themselves, other attributes after them, all together."""
        roles = [attribute.role for attribute in self.rules.attributes]
        quasi = np.array([role is Role.QUASI_IDENTIFIER for role in roles])
        free = np.array([role not in FIXED for role in roles])
        for among, movable in ((quasi, quasi), (True, free & ~quasi), (True, free)):
            rows = ~(self.rules.involved & ~among).any(axis=1)
            rows &= (self.rules.involved & movable).any(axis=1)
            yield Nearby(self.rules.only(rows), self.domains, self.spreads, movable)


def _spreads(values: Points) -> Floats:
    """Standard deviations, 1 where there is none."""
    known = ~np.isnan(values)
    counts = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, values, 0.0).sum(axis=0) / counts
    squares = np.where(known, values - means, 0.0) ** 2
    deviations = np.sqrt(squares.sum(axis=0) / counts)
    return np.where(deviations > 0, deviations, 1.0)


def _with_values(masked: Table, rules: EditRules, before: Points, after: Points) -> Table:
    changed = (before != after) & ~np.isnan(before) & ~masked.suppressed[:, None]
    columns = {
        attribute.name: _column(masked, attribute.name, changed[:, j], after[:, j])
        for j, attribute in enumerate(rules.attributes)
        if changed[:, j].any()
    }
    return masked.with_columns(columns) if columns else masked


def _column(masked: Table, name: str, changed: Flags, after: Floats) -> Column:
    attribute = masked.attribute(name)
    if attribute.kind is Kind.CONTINUOUS:
        return np.where(changed, after, masked.values(name))
    numbers = category_numbers(attribute)[: attribute.domain_size]
    order = np.argsort(numbers, kind="stable")
    places = np.clip(np.searchsorted(numbers[order], after), 0, len(order) - 1)
    return np.where(changed, order[places], masked.codes(name))
