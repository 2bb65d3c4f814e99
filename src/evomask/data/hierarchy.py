"""Value trees: how a category becomes more general, level by level."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.data.recoding import CategorySets
from evomask.errors import SchemaError
from evomask.kernels.arrays import Codes


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The value tree of one attribute; level 0 is the categories themselves.

    Args:
        categories: the leaves, in the order of the attribute's categories.
        levels: for each level the label of every leaf's ancestor; ``levels[0]`` is
            *categories*, the last level usually one label for all.

    Leaves that share an ancestor share it at all higher levels too.
    """

    categories: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if not self.levels or self.levels[0] != self.categories:
            raise SchemaError("level 0 of a hierarchy must be the categories themselves")
        if any(len(level) != len(self.categories) for level in self.levels):
            raise SchemaError("every level of a hierarchy must name an ancestor for every leaf")

    @property
    def height(self) -> int:
        """The highest level; 0 means that nothing can be generalized."""
        return len(self.levels) - 1

    @cached_property
    def _coded(self) -> tuple[tuple[tuple[str, ...], Codes], ...]:
        return tuple(_labels_and_codes(level) for level in self.levels)

    def labels(self, level: int) -> tuple[str, ...]:
        """The distinct ancestors at *level*, in the order of their first leaf."""
        return self._coded[level][0]

    def ancestors(self, level: int) -> Codes:
        """For each leaf code, the code of its ancestor among ``labels(level)``."""
        return self._coded[level][1]

    def recoding(self, level: int) -> CategorySets:
        """What each label of *level* stands for."""
        flags = np.zeros((len(self.labels(level)), len(self.categories)), dtype=bool)
        flags[self.ancestors(level), np.arange(len(self.categories))] = True
        return CategorySets(self.labels(level), flags)


def _labels_and_codes(level: Sequence[str]) -> tuple[tuple[str, ...], Codes]:
    labels = tuple(dict.fromkeys(level))
    place = {label: code for code, label in enumerate(labels)}
    return labels, np.array([place[label] for label in level], dtype=np.int32)
