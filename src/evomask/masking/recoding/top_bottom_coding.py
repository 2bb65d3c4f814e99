"""Top and bottom coding (Hundepool et al., 1998)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.method import (
    About,
    FileStatistics,
    ordered_attribute,
    require_attributes,
    require_count,
    require_percent,
)
from evomask.masking.recoding.group_values import GroupValues, merge_categories
from evomask.types import Floats


@dataclass(frozen=True)
class _EndCoding:
    """Base: merge the outermost categories, and cut numbers at a limit."""

    about: ClassVar[About]

    attributes: tuple[str, ...]
    merged: int = 2
    percent: float = 5.0
    release: GroupValues = GroupValues.SETS

    def __post_init__(self) -> None:
        require_attributes(self.attributes, self.about.title)
        require_count(self.merged, "merged", least=2)
        require_percent(self.percent, "percent")

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        for name in self.attributes:
            attribute = ordered_attribute(table, name, self.about.title)
            if attribute.kind is Kind.CONTINUOUS:
                table = table.with_columns({name: self._cut(name, table.values(name))})
                continue
            size = attribute.domain_size
            if self.merged > size:
                raise ParameterError(
                    f"merged must not exceed the {size} categories of {name!r}, got {self.merged}"
                )
            first, stop, representative = self._range(size)
            codes = np.arange(len(attribute.categories))
            flags = (codes >= first) & (codes < stop)
            table = merge_categories(table, name, flags, representative, self.release)
        return table

    def _cut(self, name: str, values: Floats) -> Floats:
        """Cut the numbers of an attribute at its limit."""
        raise NotImplementedError

    def _range(self, size: int) -> tuple[int, int, int]:
        """Return first, stop and representative of the merged categories."""
        raise NotImplementedError


@dataclass(frozen=True)
class TopCoding(_EndCoding):
    """Merge the highest categories; cut the highest numbers at the smallest of them.

    Args:
        attributes: names of the ordered attributes, masked one at a time.
        merged: number of categories of an ordinal attribute that are merged.
        percent: percentage of the records whose numbers are cut, for a continuous attribute.
        release: ``sets`` writes the merged categories as a set, ``value`` the lowest of them.

    Missing values stay missing.
    """

    about: ClassVar[About] = About(
        name="top-coding",
        title="top coding",
        steward=(
            "top coding (the {merged} highest categories or the highest {percent} % of the "
            "numbers of each attribute)"
        ),
        public="Top coding was applied: the highest values of an attribute were merged into one.",
        simple="recoding",
    )

    def fitted(self, statistics: FileStatistics) -> "FittedTopCoding":
        limits = {n: own.highest(self.percent) for n, own in statistics.numbers.items()}
        return FittedTopCoding(self.attributes, self.merged, self.percent, self.release, limits)

    def _range(self, size: int) -> tuple[int, int, int]:
        return size - self.merged, size, size - self.merged

    def _cut(self, name: str, values: Floats) -> Floats:
        return np.minimum(values, -_lower_limit(-values, self.percent))


@dataclass(frozen=True)
class BottomCoding(_EndCoding):
    """Merge the lowest categories; cut the lowest numbers at the largest of them.

    Args:
        attributes: names of the ordered attributes, masked one at a time.
        merged: number of categories of an ordinal attribute that are merged.
        percent: percentage of the records whose numbers are cut, for a continuous attribute.
        release: ``sets`` writes the merged categories as a set, ``value`` the highest of them.

    Missing values stay missing.
    """

    about: ClassVar[About] = About(
        name="bottom-coding",
        title="bottom coding",
        steward=(
            "bottom coding (the {merged} lowest categories or the lowest {percent} % of the "
            "numbers of each attribute)"
        ),
        public="Bottom coding was applied: the lowest values of an attribute were merged into one.",
        simple="recoding",
    )

    def fitted(self, statistics: FileStatistics) -> "FittedBottomCoding":
        limits = {n: own.lowest(self.percent) for n, own in statistics.numbers.items()}
        return FittedBottomCoding(self.attributes, self.merged, self.percent, self.release, limits)

    def _range(self, size: int) -> tuple[int, int, int]:
        return 0, self.merged, self.merged - 1

    def _cut(self, name: str, values: Floats) -> Floats:
        return np.maximum(values, _lower_limit(values, self.percent))


@dataclass(frozen=True)
class FittedTopCoding(TopCoding):
    """Top coding of a chunk at the limits of the whole file."""

    limits: Mapping[str, float] = field(default_factory=dict)

    def _cut(self, name: str, values: Floats) -> Floats:
        return np.minimum(values, self.limits[name])


@dataclass(frozen=True)
class FittedBottomCoding(BottomCoding):
    """Bottom coding of a chunk at the limits of the whole file."""

    limits: Mapping[str, float] = field(default_factory=dict)

    def _cut(self, name: str, values: Floats) -> Floats:
        return np.maximum(values, self.limits[name])


def _lower_limit(values: Floats, percent: float) -> float:
    """Upper end of the lowest *percent* of the known values; NaN if there are none."""
    known = np.sort(values[~np.isnan(values)])
    cut = int(np.ceil(len(known) * percent / 100))
    return float(known[max(cut, 1) - 1]) if len(known) else np.nan
