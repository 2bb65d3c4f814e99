"""Global recoding (Hundepool et al., 1998) and full-domain generalization."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from evomask.data.hierarchy import Hierarchy
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.masking.method import About, FileStatistics, require_attributes, require_count
from evomask.masking.randomization.pram import category_frequencies
from evomask.masking.recoding.group_values import GroupValues, merge_categories
from evomask.types import Flags, Floats


@dataclass(frozen=True, eq=False)
class GlobalRecoding:
    """Merge the least frequent categories of each attribute into one.

    Args:
        attributes: names of the ordinal or nominal attributes, masked one at a time.
        merged: number of categories that are merged; missing values are not among them.
        release: ``sets`` writes the merged categories as a set, ``value`` the most frequent
            of them.
        hierarchies: hierarchies by attribute; with one, the merged categories become their
            lowest common ancestor, including all other categories that it covers.
    """

    about: ClassVar[About] = About(
        name="global-recoding",
        title="global recoding",
        steward="global recoding (the {merged} least frequent categories of each attribute merged)",
        public=(
            "Global recoding was applied: the least frequent categories of an attribute were "
            "merged into one."
        ),
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
        for name in self.attributes:
            rare, label = self._rare(table, name)
            frequencies = np.where(rare, self._frequencies(table, name), -1.0)
            table = merge_categories(
                table, name, rare, int(frequencies.argmax()), self.release, label
            )
        return table

    def fitted(self, statistics: FileStatistics) -> "FittedGlobalRecoding":
        own = {name: statistics.frequencies[name] for name in self.attributes}
        return FittedGlobalRecoding(
            self.attributes, self.merged, self.release, self.hierarchies, own
        )

    def _frequencies(self, table: Table, name: str) -> Floats:
        return category_frequencies(table, name)

    def _rare(self, table: Table, name: str) -> tuple[Flags, str | None]:
        """Return flags of the categories to merge, and the label of their ancestor if any."""
        attribute = table.attribute(name)
        frequencies = self._frequencies(table, name)[: attribute.domain_size]
        if self.merged > len(frequencies):
            raise ParameterError(
                f"merged must not exceed the {len(frequencies)} categories of {name!r}, "
                f"got {self.merged}"
            )
        rare = np.zeros(len(attribute.categories), dtype=bool)
        rare[np.argsort(frequencies, kind="stable")[: self.merged]] = True
        if name not in self.hierarchies:
            return rare, None
        return _common_ancestor(_checked_hierarchy(table, name, self.hierarchies[name]), rare)


@dataclass(frozen=True, eq=False)
class FittedGlobalRecoding(GlobalRecoding):
    """Global recoding of a chunk by the frequencies of the whole file."""

    frequencies: Mapping[str, Floats] = field(default_factory=dict)

    def _frequencies(self, table: Table, name: str) -> Floats:
        return self.frequencies[name]


def _common_ancestor(hierarchy: Hierarchy, flags: Flags) -> tuple[Flags, str]:
    """Return the leaves and the label of the lowest common ancestor of the flagged leaves."""
    for level in range(1, hierarchy.height + 1):
        ancestors = hierarchy.ancestors(level)
        shared = np.unique(ancestors[flags])
        if len(shared) == 1:
            return ancestors == shared[0], hierarchy.labels(level)[shared[0]]
    raise ParameterError("a hierarchy must end in one label for all categories; add that level")


@dataclass(frozen=True, eq=False)
class Generalization:
    """Replace each value by its ancestor at a level of the attribute's hierarchy.

    Args:
        attributes: names of the ordinal or nominal attributes.
        levels: level of each attribute in its hierarchy, 0 for unchanged values; by default
            level 1 for all.
        hierarchies: the hierarchy of each attribute.
    """

    about: ClassVar[About] = About(
        name="generalization",
        title="generalization",
        steward="generalization ([{levels} levels|one level] up the hierarchies)",
        public=(
            "Generalization was applied: values were replaced by less detailed ones, such as an "
            "age by an age group."
        ),
    )

    attributes: tuple[str, ...]
    levels: tuple[int, ...] = ()
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "generalization")
        if self.levels and len(self.levels) != len(self.attributes):
            raise ParameterError(
                f"levels must name a level for each of the {len(self.attributes)} attributes, "
                f"got {len(self.levels)}"
            )
        for name, level in self._levels_by_name():
            require_count(level, f"the level of {name!r}", least=0)
            if name not in self.hierarchies:
                raise ParameterError(f"generalization has no hierarchy for {name!r}; give one")
            height = self.hierarchies[name].height
            if level > height:
                raise ParameterError(f"the level of {name!r} must not exceed {height}, got {level}")

    def _levels_by_name(self) -> Iterator[tuple[str, int]]:
        levels = self.levels or (1,) * len(self.attributes)
        return zip(self.attributes, levels, strict=True)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        for name, level in self._levels_by_name():
            hierarchy = _checked_hierarchy(table, name, self.hierarchies[name])
            codes = hierarchy.ancestors(level)[table.codes(name)]
            table = table.with_recoded(name, codes, hierarchy.recoding(level))
        return table

    def fitted(self, statistics: FileStatistics) -> "Generalization":
        """Return the method itself: it depends on no statistics of the file."""
        return self


def _checked_hierarchy(table: Table, name: str, hierarchy: Hierarchy) -> Hierarchy:
    if hierarchy.categories != table.attribute(name).categories:
        raise SchemaError(
            f"the hierarchy of {name!r} must have the attribute's categories as its leaves, "
            "in their order; read it for this table"
        )
    return hierarchy
