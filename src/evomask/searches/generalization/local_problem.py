"""Local recodings as individuals: the genome is k alone, the groups follow from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.data.table import Table
from evomask.evolution.brood import Outcome, Task
from evomask.masking.making import Making, Step
from evomask.searches.generalization.coarseness import NAME
from evomask.searches.generalization.lattice import Lattice
from evomask.searches.generalization.local_recoding import LocalRecoding, recode_locally


@dataclass(frozen=True, eq=False)
class LocalRecodings:
    """Local recodings of one table, a first genome for each k wanted."""

    lattice: Lattice
    wanted: tuple[int, ...]
    _known: dict[int, LocalRecoding] = field(default_factory=dict)

    def work(self, task: Task[int], rng: np.random.Generator) -> Outcome[int]:
        """The recoding for one k; its fitness is minus k, and the loss."""
        k = self.wanted[int(task.rival or 0)]
        readings = self.read(k, 0)
        return Outcome(k, (-readings["k"], readings["glm"]))

    def _recoding(self, k: int) -> LocalRecoding:
        if k not in self._known:
            self._known[k] = recode_locally(self.lattice, k)
        return self._known[k]

    def pack(self, k: int) -> Mapping[str, NDArray[Any]]:
        """The genome, which is k alone, as a named array."""
        return {"k": np.array([k])}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> int:
        """The k whose array was packed."""
        return int(arrays["k"][0])

    def making(self, k: int) -> Making:
        """How many records are recoded together at least, each group as far as it needs."""
        return Making((Step(NAME, {"k": k}, tuple(self.lattice.names)),), search=NAME)

    def decode(self, k: int, draw: int) -> Table:
        """The locally recoded table; no record is suppressed."""
        return self._recoding(k).applied()

    def read(self, k: int, draw: int) -> Mapping[str, float]:
        """Size of the smallest group, GLM, granularity and the number of groups."""
        recoding = self._recoding(k)
        sizes = np.bincount(recoding.labels)
        cells = self.lattice.n_records * len(self.lattice.names)
        return {
            "k": float(sizes.min()),
            "glm": (1.0 - recoding.granularity) * cells,
            "granularity": recoding.granularity,
            "groups": float(len(sizes)),
            "suppressed": 0.0,
        }

    def answer(self, k: int) -> Mapping[str, object]:
        """The lattice, of which local recoding reads no node."""
        return {"lattice": self.lattice.size, "nodes_evaluated": 0}
