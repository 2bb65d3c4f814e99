"""Global recoding (Hundepool et al., 1998): rare categories become one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from evomask.arrays import Flags, Floats
from evomask.data.hierarchy import Hierarchy
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.checks import require_attributes, require_count
from evomask.masking.method import About
from evomask.masking.randomization.pram import category_frequencies
from evomask.masking.recoding.group_values import GroupValues
from evomask.masking.recoding.merging import fitting_hierarchy, with_merged
from evomask.masking.statistics import Statistics


@dataclass(frozen=True, eq=False)
class GlobalRecoding:
    """The least frequent categories of an attribute become one.

    Args:
        attributes: names of the ordinal or nominal attributes, masked one at a time.
        merged: how many categories become one; missing values are none of them.
        release: ``sets`` writes the merged categories as a set, ``value`` the most frequent
            of them.
        hierarchies: value trees by attribute; where given, the merged categories become
            their lowest common ancestor, with all that it covers.
    """

    about: ClassVar[About] = About(
        name="global-recoding",
        title="global recoding",
        steward="the {merged} rarest categories of each attribute made one",
        public="The least frequent categories of an attribute were made one.",
        simple="recoding",
    )

    attributes: tuple[str, ...]
    merged: int = 2
    release: GroupValues = GroupValues.SETS
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "global recoding")
        require_count(self.merged, "merged", least=2)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every attribute with its rare categories put together."""
        for name in self.attributes:
            together, label = self._rare(table, name)
            frequencies = np.where(together, self._frequencies(table, name), -1.0)
            table = with_merged(
                table, name, together, int(frequencies.argmax()), self.release, label
            )
        return table

    def fitted(self, statistics: Statistics) -> "FittedGlobalRecoding":
        """The method by the frequencies of the whole file."""
        own = {name: statistics.frequencies[name] for name in self.attributes}
        return FittedGlobalRecoding(
            self.attributes, self.merged, self.release, self.hierarchies, own
        )

    def _frequencies(self, table: Table, name: str) -> Floats:
        return category_frequencies(table, name)

    def _rare(self, table: Table, name: str) -> tuple[Flags, str | None]:
        attribute = table.attribute(name)
        frequencies = self._frequencies(table, name)[: attribute.domain_size]
        if self.merged > len(frequencies):
            raise ParameterError(
                f"merged must not exceed the {len(frequencies)} categories of {name!r}, "
                f"got {self.merged}"
            )
        together = np.zeros(len(attribute.categories), dtype=bool)
        together[np.argsort(frequencies, kind="stable")[: self.merged]] = True
        if name not in self.hierarchies:
            return together, None
        return _common_ancestor(fitting_hierarchy(table, name, self.hierarchies[name]), together)


@dataclass(frozen=True, eq=False)
class FittedGlobalRecoding(GlobalRecoding):
    """Global recoding of a part, by the frequencies of the whole file."""

    frequencies: Mapping[str, Floats] = field(default_factory=dict)

    def _frequencies(self, table: Table, name: str) -> Floats:
        return self.frequencies[name]


def _common_ancestor(hierarchy: Hierarchy, together: Flags) -> tuple[Flags, str]:
    """All leaves of the lowest ancestor that the flagged ones share, and its name."""
    for level in range(1, hierarchy.height + 1):
        ancestors = hierarchy.ancestors(level)
        shared = np.unique(ancestors[together])
        if len(shared) == 1:
            return ancestors == shared[0], hierarchy.labels(level)[shared[0]]
    raise ParameterError("a hierarchy must end in one label for all categories; add that level")
