"""Record linkage that links only the records that have changed.

How many originals tie with a masked record depends on that record alone, so the ties of a
parent hold for its child wherever the two agree. Ties are whole numbers: a child's risk is the
same to the last bit whether it was linked anew or not.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

import numpy as np

from evomask.data.table import Table
from evomask.kernels.arrays import Indices
from evomask.kernels.linkage import tied_with_own
from evomask.measures.risk.linkage import expected
from evomask.measures.risk.space import Space
from evomask.searches.files.genome import Coding, Genome, changed_records

REMEMBERED = 256
"""Files whose ties are kept; it saves time and changes nothing."""


@dataclass(frozen=True, eq=False)
class Links:
    """DBRL of masked versions of one original, with a memory for their ties."""

    coding: Coding
    remembered: OrderedDict[bytes, Indices] = field(default_factory=OrderedDict)

    @cached_property
    def space(self) -> Space:
        """Where records are compared."""
        return Space.of(self.coding.original, self.coding.names)

    def share(self, genome: Genome, masked: Table, parent: Genome) -> float:
        """DBRL in percent of a child that resembles its parent."""
        ties = self._known(parent)
        if ties is None:
            ties = self._ties(masked, np.arange(len(masked)))
        else:
            changed = changed_records(genome, parent)
            ties = ties.copy()
            ties[changed] = self._ties(masked.take(changed), changed)
        self._remember(genome, ties)
        return 100.0 * float(expected(ties).mean())

    def _ties(self, masked: Table, records: Indices) -> Indices:
        """Ties of some records, of which *masked* holds just these."""
        if not len(records):
            return np.empty(0, dtype=np.int64)
        candidates, own = self.space.candidates
        released = self.space.masked(masked)
        places = self.space.places(released.rows)
        terms = self.space.terms(released)
        return tied_with_own(released.rows, places, own[records], candidates, terms)

    def _known(self, genome: Genome) -> Indices | None:
        name = _name(genome)
        if name in self.remembered:
            self.remembered.move_to_end(name)
        return self.remembered.get(name)

    def _remember(self, genome: Genome, ties: Indices) -> None:
        self.remembered[_name(genome)] = ties
        while len(self.remembered) > REMEMBERED:
            self.remembered.popitem(last=False)


def _name(genome: Genome) -> bytes:
    return blake2b(genome.tobytes(), digest_size=16).digest()
