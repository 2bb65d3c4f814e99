"""Loss and risk of masked files: as they are searched for, and as they are reported."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.arrays import Floats
from evomask.data.table import Table
from evomask.evolution.individual import Fitness, Joined
from evomask.measures.measure import Reading
from evomask.measures.profiles import PROFILES, RiskProfile
from evomask.searches.files.genome import Coding, Genome
from evomask.searches.files.incremental_risk import IncrementalRisk

SIDE = 0.05
"""Weight, beside the larger of loss and risk, of their sum: of two moves that leave the larger
one alone, that which lowers the other is the better one."""


AIMS: dict[Joined, tuple[float, float, float, float]] = {
    Joined.WORST: (1.0, 1.0, SIDE, SIDE),
    Joined.MEAN: (0.0, 0.0, 0.5, 0.5),
}


def towards_origin(fitness: Fitness) -> Floats:
    """The aim of a point of a front: smaller loss and risk in the proportion it has them."""
    loss, risk = (1.0 / max(value, 1.0) for value in fitness)
    return np.array([loss, risk, SIDE * loss, SIDE * risk])


@dataclass(frozen=True, eq=False)
class Judge:
    """Measures masked versions of one original; what bursts cannot follow is for reports alone."""

    coding: Coding
    profile: RiskProfile

    @cached_property
    def loss(self) -> Reading:
        """The loss of the profile, bound to the original."""
        return PROFILES[self.profile].loss(self.coding.names).against(self.coding.original)

    @cached_property
    def risk(self) -> Reading:
        """The risk that is searched for: what bursts follow of the profile's."""
        measure = PROFILES[self.profile].followable(self.coding.names)
        return measure.against(self.coding.original)

    @cached_property
    def reported(self) -> Reading:
        """The whole risk of the profile."""
        return PROFILES[self.profile].risk(self.coding.names).against(self.coding.original)

    @property
    def followed(self) -> str:
        """The name of the risk that is searched for, as bursts follow it."""
        return PROFILES[self.profile].followed

    @cached_property
    def _by_record(self) -> IncrementalRisk:
        return IncrementalRisk(self.coding)

    def full(self, masked: Table) -> Fitness:
        """Loss and risk, read in full."""
        return self.loss(masked), self.risk(masked)

    def like_parent(self, genome: Genome, masked: Table, parent: Genome) -> Fitness:
        """Loss and risk; the papers' risk is read only where the child is unlike its parent."""
        if self.profile is not RiskProfile.PAPERS:
            return self.full(masked)
        return self.loss(masked), self._by_record.risk(genome, masked, parent)
