"""Top and bottom coding (Hundepool et al., 1998): the highest or lowest values become one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from evomask.arrays import Flags, Floats
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.checks import (
    ordered_attribute,
    require_attributes,
    require_count,
    require_percent,
)
from evomask.masking.method import About
from evomask.masking.recoding.group_values import GroupValues
from evomask.masking.recoding.merging import with_merged
from evomask.masking.statistics import Statistics


@dataclass(frozen=True)
class TopCoding:
    """The highest categories become one; the highest numbers become the smallest of them.

    Args:
        attributes: names of the ordered attributes, masked one at a time.
        merged: how many categories of an ordinal attribute become one.
        percent: share of the records whose numbers are cut, for a continuous attribute.
        release: ``sets`` writes the merged categories as a set, ``value`` the lowest of them.

    Missing values stay missing.
    """

    about: ClassVar[About] = About(
        name="top-coding",
        title="top coding",
        steward=(
            "the highest values of each attribute made one ({merged} categories, or {percent} % "
            "of the numbers)"
        ),
        public="The highest values of an attribute were made one.",
        simple="recoding",
    )

    attributes: tuple[str, ...]
    merged: int = 2
    percent: float = 5.0
    release: GroupValues = GroupValues.SETS

    def __post_init__(self) -> None:
        _check("top coding", self.attributes, self.merged, self.percent)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every attribute with its upper end cut."""
        for name in self.attributes:
            if ordered_attribute(table, name, "top coding").kind is Kind.CONTINUOUS:
                values = table.values(name)
                table = table.with_columns({name: np.minimum(values, self._limit(name, values))})
            else:
                size = table.attribute(name).domain_size
                first = size - _fitting(self.merged, size, name)
                together = _between(table, name, first, size)
                table = with_merged(table, name, together, first, self.release)
        return table

    def fitted(self, statistics: Statistics) -> "FittedTopCoding":
        """The method with the limits of the whole file."""
        limits = {n: own.highest(self.percent) for n, own in statistics.numbers.items()}
        return FittedTopCoding(self.attributes, self.merged, self.percent, self.release, limits)

    def _limit(self, name: str, values: Floats) -> float:
        return -_lower_limit(-values, self.percent)


@dataclass(frozen=True)
class BottomCoding:
    """The lowest categories become one; the lowest numbers become the greatest of them.

    Args:
        attributes: names of the ordered attributes, masked one at a time.
        merged: how many categories of an ordinal attribute become one.
        percent: share of the records whose numbers are cut, for a continuous attribute.
        release: ``sets`` writes the merged categories as a set, ``value`` the highest of them.

    Missing values stay missing.
    """

    about: ClassVar[About] = About(
        name="bottom-coding",
        title="bottom coding",
        steward=(
            "the lowest values of each attribute made one ({merged} categories, or {percent} % "
            "of the numbers)"
        ),
        public="The lowest values of an attribute were made one.",
        simple="recoding",
    )

    attributes: tuple[str, ...]
    merged: int = 2
    percent: float = 5.0
    release: GroupValues = GroupValues.SETS

    def __post_init__(self) -> None:
        _check("bottom coding", self.attributes, self.merged, self.percent)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every attribute with its lower end cut."""
        for name in self.attributes:
            if ordered_attribute(table, name, "bottom coding").kind is Kind.CONTINUOUS:
                values = table.values(name)
                table = table.with_columns({name: np.maximum(values, self._limit(name, values))})
            else:
                last = _fitting(self.merged, table.attribute(name).domain_size, name)
                together = _between(table, name, 0, last)
                table = with_merged(table, name, together, last - 1, self.release)
        return table

    def fitted(self, statistics: Statistics) -> "FittedBottomCoding":
        """The method with the limits of the whole file."""
        limits = {n: own.lowest(self.percent) for n, own in statistics.numbers.items()}
        return FittedBottomCoding(self.attributes, self.merged, self.percent, self.release, limits)

    def _limit(self, name: str, values: Floats) -> float:
        return _lower_limit(values, self.percent)


@dataclass(frozen=True)
class FittedTopCoding(TopCoding):
    """Top coding of a part, at the limits of the whole file."""

    limits: Mapping[str, float] = field(default_factory=dict)

    def _limit(self, name: str, values: Floats) -> float:
        return self.limits[name]


@dataclass(frozen=True)
class FittedBottomCoding(BottomCoding):
    """Bottom coding of a part, at the limits of the whole file."""

    limits: Mapping[str, float] = field(default_factory=dict)

    def _limit(self, name: str, values: Floats) -> float:
        return self.limits[name]


def _check(method: str, attributes: tuple[str, ...], merged: int, percent: float) -> None:
    require_attributes(attributes, method)
    require_count(merged, "merged", least=2)
    require_percent(percent, "percent")


def _fitting(merged: int, size: int, name: str) -> int:
    if merged > size:
        raise ParameterError(
            f"merged must not exceed the {size} categories of {name!r}, got {merged}"
        )
    return merged


def _between(table: Table, name: str, first: int, stop: int) -> Flags:
    codes = np.arange(len(table.attribute(name).categories))
    together: Flags = (codes >= first) & (codes < stop)
    return together


def _lower_limit(values: Floats, percent: float) -> float:
    """The value below which lie the lowest *percent* of the known values, itself among them."""
    known = np.sort(values[~np.isnan(values)])
    cut = int(np.ceil(len(known) * percent / 100))
    return float(known[max(cut, 1) - 1]) if len(known) else np.nan
