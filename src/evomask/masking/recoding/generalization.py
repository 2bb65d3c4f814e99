"""Full-domain generalization: every value of an attribute goes up its hierarchy alike."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from evomask.data.hierarchy import Hierarchy
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.checks import require_attributes, require_count
from evomask.masking.method import About
from evomask.masking.recoding.merging import fitting_hierarchy
from evomask.masking.statistics import Statistics


@dataclass(frozen=True, eq=False)
class Generalization:
    """Replace each value by its ancestor at a level of the attribute's hierarchy.

    Args:
        attributes: names of the ordinal or nominal attributes.
        levels: for each attribute how far up its values go, 0 leaves them as they are; by
            default one level each.
        hierarchies: the value tree of each attribute.
    """

    about: ClassVar[About] = About(
        name="generalization",
        title="generalization",
        steward="values replaced by broader ones, [{levels} levels|one level] up their hierarchies",
        public="Values were replaced by less detailed ones, as an age by an age group.",
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
        for name, level in self._steps():
            self._check_level(name, level)

    def _steps(self) -> Iterator[tuple[str, int]]:
        levels = self.levels or (1,) * len(self.attributes)
        return zip(self.attributes, levels, strict=True)

    def _check_level(self, name: str, level: int) -> None:
        require_count(level, f"the level of {name!r}", least=0)
        if name not in self.hierarchies:
            raise ParameterError(f"generalization has no hierarchy for {name!r}; give one")
        height = self.hierarchies[name].height
        if level > height:
            raise ParameterError(f"the level of {name!r} must not exceed {height}, got {level}")

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every value replaced by its ancestor so many levels up its hierarchy."""
        for name, level in self._steps():
            tree = fitting_hierarchy(table, name, self.hierarchies[name])
            codes = tree.ancestors(level)[table.codes(name)]
            table = table.with_recoded(name, codes, tree.recoding(level))
        return table

    def fitted(self, statistics: Statistics) -> "Generalization":
        """The same: it takes nothing from the file but its values."""
        return self
