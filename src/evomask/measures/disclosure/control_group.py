"""Control group: people held out of what is masked, to see what a release tells about anybody.

What is inferred of a person counts as disclosure beyond what is inferred of people who are not in
the file. A small share of the records is held out, and what masked the file masks the others once
more: the *twin* of the release. The twin is attacked; the release itself holds everybody. Whole
persons and households are held out, so that nobody of a control group has records in the twin.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from evomask.data.table import Table
from evomask.data.units import whole_units
from evomask.measures.disclosure.risk import DisclosureRisk, RiskAssessment, RiskReading
from evomask.measures.targets import FIXED_SEED
from evomask.types import Indices

SHARE, FEWEST, MOST = 0.05, 200, 1_000
"""Share of the individuals who are held out, and the least and largest number of them."""

MOST_SHARE = 0.1
"""Largest share of the individuals of a small file who are held out."""

TOO_FEW = 20
"""A control group of fewer people shows nothing; such a file has none."""


def control_size(individuals: int) -> int:
    """Size of the control group of a file; 0 if it is too small for one."""
    size = min(MOST, max(FEWEST, round(SHARE * individuals)), int(MOST_SHARE * individuals))
    return 0 if size < TOO_FEW else size


def held_out(table: Table) -> Indices:
    """Return the records of the control group of a file, a fixed random choice; none if too few.

    Of a file of persons or households with several records, all records of some of them.
    """
    units = whole_units(table)
    n = len(table) if units is None else int(units.max(initial=-1)) + 1
    size = control_size(n)
    if not size:
        return np.arange(0)
    drawn = np.sort(np.random.default_rng([FIXED_SEED, 1]).permutation(n)[:size])
    return drawn if units is None else np.flatnonzero(np.isin(units, drawn))


@dataclass(frozen=True, eq=False)
class ControlledRisk:
    """Disclosure risk of a file with a control group that is held out of it.

    Re-identification is assessed on the release, attribute disclosure on its twin.
    """

    original: Table
    measure: DisclosureRisk

    @cached_property
    def control(self) -> Indices:
        """Records of the control group."""
        return held_out(self.original)

    @cached_property
    def others(self) -> Indices:
        """All other records."""
        return np.setdiff1d(np.arange(len(self.original)), self.control)

    @cached_property
    def by_guessing(self) -> RiskReading:
        """The risk of a file without a twin: attribute disclosure counts beyond guessing."""
        return self.measure.against(self.original)

    @cached_property
    def of_release(self) -> RiskReading:
        """Re-identification in the release."""
        return replace(self.measure, infers=False).against(self.original)

    @cached_property
    def of_twin(self) -> RiskReading:
        """Attribute disclosure of the twin, beyond the control group."""
        members, control = (self.original.take(records) for records in (self.others, self.control))
        return replace(self.measure, links=False).against(members, control)

    def assess(self, masked: Table, twin: Table | None) -> RiskAssessment:
        """Assess the risk of a release by its own records and by its twin.

        Args:
            twin: masked records of `others`; where there is none, attribute disclosure counts
                beyond guessing.
        """
        if twin is None or not len(self.control):
            return self.by_guessing.assess(masked)
        return combine(self.of_release.assess(masked), self.of_twin.assess(twin))


def combine(release: RiskAssessment, twin: RiskAssessment) -> RiskAssessment:
    """Re-identification of a release with the attribute disclosure of its twin."""
    scenarios = tuple(
        replace(
            own, attribute_disclosure=other.attribute_disclosure, confidential=other.confidential
        )
        for own, other in zip(release.scenarios, twin.scenarios, strict=True)
    )
    return replace(
        release,
        attribute_disclosure=twin.attribute_disclosure,
        confidential=twin.confidential,
        control=twin.control,
        scenarios=scenarios,
    )
