"""A lattice over combinations of values, each there so many times, instead of over records."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evomask.arrays import Codes, Indices
from evomask.data.hierarchy import Hierarchy
from evomask.data.table import Table
from evomask.kernels.lattice.classes import Merged, unpacked
from evomask.searches.generalization.lattice import Lattice, Levels, lattice_of
from evomask.searches.generalization.reader import Reader


@dataclass(frozen=True, eq=False)
class CountedLattice(Lattice):
    """A lattice whose records are combinations; every figure is that of the records behind them."""

    @property
    def n_records(self) -> int:
        """How many records the combinations stand for."""
        return int(self.bottom.sizes.sum())

    def too_few(self, levels: Levels, k: int) -> tuple[dict[str, Codes], int]:
        """The generalized combinations of fewer than k records, and how many records those are.

        Combinations are codes of the trees' labels at the levels, by attribute.
        """
        rule = self.rule(k=k, limit=self.n_records - 1)
        classes = Reader(self, rule).classes(levels)
        few = classes.sizes < k
        digits = unpacked(np.ascontiguousarray(classes.keys[:, few]), self.layout)
        codes = {
            name: self.trees[name].ancestors(level)[digits[:, a]].astype(np.int32)
            for a, (name, level) in enumerate(zip(self.names, levels, strict=True))
        }
        return codes, int(classes.sizes[few].sum())


def counted_lattice(
    combinations: Table, counts: Indices, trees: Mapping[str, Hierarchy]
) -> CountedLattice:
    """The lattice of a file of which only its different combinations are at hand.

    Args:
        counts: how many records have each.
    """
    plain = lattice_of(combinations, trees)
    sizes = np.zeros(len(plain.bottom.sizes), dtype=np.int64)
    np.add.at(sizes, plain.labels, counts)
    bottom = Merged(plain.bottom.keys, sizes, plain.bottom.counts)
    return CountedLattice(
        plain.table, plain.trees, plain.layout, bottom, plain.labels, plain.sensitive,
        plain.ordered, plain.source,
    )  # fmt: skip
