"""Limits of PRAM: transitions that are forbidden, and bands along an order or a hierarchy.

A forbidden transition has probability exactly 0. What a design gives to it goes to the permitted
categories of the row, so that the probability of change is the same; a category that may go
nowhere is unchanged.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from evomask.data.hierarchy import Hierarchy
from evomask.data.schema import Attribute, Kind
from evomask.errors import ParameterError, SchemaError
from evomask.types import Codes, Flags, Points

ANY = "*"


@dataclass(frozen=True)
class TransitionLimits:
    """Which category may be replaced by which.

    Args:
        forbidden: transitions as ``ATTRIBUTE:FROM->TO``; ``*`` stands for any other category.
        band: number of positions that an ordinal category may move; 0 for any number. Missing
            values have no position.
        level: level of the hierarchy at which a category and its replacement must have the same
            ancestor; 0 for no such limit.
        hierarchies: hierarchies by attribute.
    """

    forbidden: tuple[str, ...] = ()
    band: int = 0
    level: int = 0
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for parameter, value in (("band", self.band), ("level", self.level)):
            if value < 0:
                raise ParameterError(f"{parameter} must be 0 (no limit) or more, got {value}")
        for text in self.forbidden:
            if ":" not in text or "->" not in text:
                raise ParameterError(
                    f"forbidden must be written ATTRIBUTE:FROM->TO, got {text!r}; * is any category"
                )

    def check_attributes(self, attributes: tuple[str, ...]) -> None:
        """Raise if a forbidden transition names none of the attributes that are masked."""
        for text in self.forbidden:
            if not any(text.startswith(f"{name}:") for name in attributes):
                raise ParameterError(
                    f"the forbidden transition {text!r} is of none of the masked attributes "
                    f"{', '.join(attributes)}; name one before the colon"
                )

    def permitted(self, attribute: Attribute) -> Flags:
        """Flags of the permitted transitions, from rows to columns; the diagonal always is."""
        size = len(attribute.categories)
        flags: Flags = np.ones((size, size), dtype=bool)
        for row, column in self._pairs(attribute):
            flags[row, column] = False
        if self.band and attribute.kind is Kind.ORDINAL:
            places = np.arange(size)
            near = np.abs(places[:, None] - places) <= self.band
            if attribute.has_missing:
                near[-1, :] = near[:, -1] = True
            flags &= near
        if self.level:
            ancestors = self._ancestors(attribute)
            flags &= ancestors[:, None] == ancestors
        np.fill_diagonal(flags, val=True)
        return flags

    def _pairs(self, attribute: Attribute) -> Iterator[tuple[slice | int, slice | int]]:
        prefix = f"{attribute.name}:"
        for text in self.forbidden:
            if text.startswith(prefix):
                yield _parse_transition(text.removeprefix(prefix), attribute)

    def _ancestors(self, attribute: Attribute) -> Codes:
        tree = self.hierarchies.get(attribute.name)
        if tree is None:
            raise SchemaError(
                f"level {self.level} needs a hierarchy of {attribute.name!r}; name one in the "
                "schema, or leave level out"
            )
        if tree.categories != attribute.categories:
            raise SchemaError(
                f"the hierarchy of {attribute.name!r} must have its {len(attribute.categories)} "
                f"categories in the same order, got {len(tree.categories)}"
            )
        if self.level > tree.height:
            raise ParameterError(
                f"level must lie between 0 and {tree.height} for {attribute.name!r}, "
                f"got {self.level}"
            )
        return tree.ancestors(self.level)


def _parse_transition(text: str, attribute: Attribute) -> tuple[slice | int, slice | int]:
    """Positions of both categories; a label may contain the arrow itself."""
    parts = text.split("->")
    for cut in range(1, len(parts)):
        labels = "->".join(parts[:cut]).strip(), "->".join(parts[cut:]).strip()
        if all(label == ANY or label in attribute.categories for label in labels):
            first, second = (_position(label, attribute) for label in labels)
            return first, second
    raise ParameterError(
        f"a forbidden transition of {attribute.name!r} must name two of its categories as "
        f"FROM->TO, got {text!r}"
    )


def _position(label: str, attribute: Attribute) -> slice | int:
    return slice(None) if label == ANY else attribute.categories.index(label)


def restrict_transitions(matrix: Points, permitted: Flags) -> Points:
    """Set forbidden transitions to 0 and give their probability to the permitted ones of the row.

    A row without a permitted change becomes an identity row; if all its probability was on
    forbidden transitions, the permitted changes share it equally.
    """
    if permitted.all():
        return matrix
    others = permitted & ~np.eye(len(matrix), dtype=bool)
    change = 1.0 - np.diagonal(matrix)
    weights = np.where(others, matrix, 0.0)
    alike = (weights.sum(axis=1) <= 0) & (change > 0)
    weights[alike] = others[alike]
    totals = weights.sum(axis=1)
    scale = np.divide(change, totals, out=np.zeros(len(matrix)), where=totals > 0)
    limited: Points = weights * scale[:, None]
    np.fill_diagonal(limited, np.where(totals > 0, np.diagonal(matrix), 1.0))
    return limited


def restrict_flows(matrix: Points, permitted: Flags) -> Points:
    """Set transitions of an invariant matrix to 0 where one of both directions is forbidden.

    R = P Q moves as many records from i to j as from j to i, and reaches by two steps what P
    forbids. Records of both flows stay, so frequencies are still preserved.
    """
    if permitted.all():
        return matrix
    both = permitted & permitted.T
    limited: Points = np.where(both, matrix, 0.0)
    lost = np.where(both, 0.0, matrix).sum(axis=1)
    np.fill_diagonal(limited, np.diagonal(matrix) + lost)
    return limited
