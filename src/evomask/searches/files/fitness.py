"""Loss and risk of masked files: as optimised during the search, and as reported.

The papers' risk is updated incrementally. Whether a masked record is re-identified, and which of
its cells lie close to the original, depends on that record alone; so the results of a parent hold
for its child wherever the two agree. They are integers, so the risk is identical to a full
evaluation.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

import numpy as np

from evomask.data.table import Table
from evomask.evolution.individual import Fitness, ScoreRule
from evomask.kernels.linking.linkage import tied_with_own
from evomask.measures.columns import CategoricalColumn, NumberColumn
from evomask.measures.comparison_space import Space
from evomask.measures.measure import Reading
from evomask.measures.papers.distance_linkage import expected_success
from evomask.measures.papers.interval_disclosure import CATEGORICAL_WINDOW, CONTINUOUS_WINDOWS
from evomask.measures.profiles import PROFILES, RiskProfile
from evomask.searches.files.genome import Coding, Genome, changed_records
from evomask.types import Floats, Indices

CACHE_SIZE = 256
"""Number of files in the cache."""

Marks = Indices
"""For each record (row): number of tied nearest records, close numbers summed over windows, close
categories."""


@dataclass(frozen=True, eq=False)
class IncrementalRisk:
    """Published risk measures (profile `papers`) but probabilistic linkage, updated by record."""

    coding: Coding
    cache: OrderedDict[bytes, Marks] = field(default_factory=OrderedDict)

    @cached_property
    def space(self) -> Space:
        return Space.of(self.coding.original, self.coding.names)

    def risk(self, genome: Genome, masked: Table, parent: Genome) -> float:
        marks = self._marks(genome, masked, parent)
        self._store(genome, marks)
        cells = marks[:, 1].sum() / len(CONTINUOUS_WINDOWS) + marks[:, 2].sum()
        return 50.0 * float(expected_success(marks[:, 0]).mean() + cells / genome.size)

    def _marks(self, genome: Genome, masked: Table, parent: Genome) -> Marks:
        known = self._cached(parent)
        if known is None:
            return self._compute(masked, np.arange(len(masked)))
        changed, marks = changed_records(genome, parent), known.copy()
        if len(changed):
            marks[changed] = self._compute(masked.take(changed), changed)
        return marks

    def _compute(self, masked: Table, records: Indices) -> Marks:
        nothing = np.zeros(len(records), dtype=np.int64)
        numbers = [_close_numbers(c, masked, records) for c in self.space.numbers]
        codes = [_close_codes(c, masked, records) for c in self.space.categories]
        ties = self._ties(masked, records)
        return np.column_stack([ties, sum(numbers, start=nothing), sum(codes, start=nothing)])

    def _ties(self, masked: Table, records: Indices) -> Indices:
        candidates, own = self.space.candidates
        released = self.space.masked(masked)
        places = self.space.places(released.rows)
        terms = self.space.terms(released)
        return tied_with_own(released.rows, places, own[records], candidates, terms)

    def _cached(self, genome: Genome) -> Marks | None:
        name = _name(genome)
        if name in self.cache:
            self.cache.move_to_end(name)
        return self.cache.get(name)

    def _store(self, genome: Genome, marks: Marks) -> None:
        self.cache[_name(genome)] = marks
        while len(self.cache) > CACHE_SIZE:
            self.cache.popitem(last=False)


def _close_numbers(column: NumberColumn, masked: Table, records: Indices) -> Indices:
    values, ranks = masked.values(column.name), column.ranks[records]
    windows = np.array(CONTINUOUS_WINDOWS) / 100 * len(column.ranks)
    apart = np.abs(column.places(values) - ranks)
    inside = len(windows) - np.searchsorted(windows, apart, side="left")
    both_missing = np.isnan(values) & np.isnan(ranks)
    return np.where(both_missing, len(windows), np.where(np.isnan(apart), 0, inside))


def _close_codes(column: CategoricalColumn, masked: Table, records: Indices) -> Indices:
    near = column.nearness(CATEGORICAL_WINDOW / 100 * len(column.codes))
    return near[column.codes[records], masked.codes(column.attribute.name)].astype(np.int64)


def _name(genome: Genome) -> bytes:
    return blake2b(genome.tobytes(), digest_size=16).digest()


SUM_WEIGHT = 0.05
"""Weight of the sum of loss and risk besides their maximum.

It makes a move better that lowers the smaller one and leaves the larger one unchanged.
"""


AIMS: dict[ScoreRule, tuple[float, float, float, float]] = {
    ScoreRule.WORST: (1.0, 1.0, SUM_WEIGHT, SUM_WEIGHT),
    ScoreRule.MEAN: (0.0, 0.0, 0.5, 0.5),
}


def towards_origin(fitness: Fitness) -> Floats:
    """Return the weights of a burst that lowers loss and risk in their current proportion."""
    loss, risk = (1.0 / max(value, 1.0) for value in fitness)
    return np.array([loss, risk, SUM_WEIGHT * loss, SUM_WEIGHT * risk])


@dataclass(frozen=True, eq=False)
class FileMeasures:
    """Loss and risk of masked versions of one table, as optimised and as reported."""

    coding: Coding
    profile: RiskProfile

    @cached_property
    def loss(self) -> Reading:
        return PROFILES[self.profile].loss(self.coding.names).against(self.coding.original)

    @cached_property
    def risk(self) -> Reading:
        measure = PROFILES[self.profile].followable(self.coding.names)
        return measure.against(self.coding.original)

    @cached_property
    def reported(self) -> Reading:
        return PROFILES[self.profile].risk(self.coding.names).against(self.coding.original)

    @property
    def followed(self) -> str:
        return PROFILES[self.profile].followed

    @cached_property
    def _incremental(self) -> IncrementalRisk:
        return IncrementalRisk(self.coding)

    def full(self, masked: Table) -> Fitness:
        return self.loss(masked), self.risk(masked)

    def like_parent(self, genome: Genome, masked: Table, parent: Genome) -> Fitness:
        if self.profile is not RiskProfile.PAPERS:
            return self.full(masked)
        return self.loss(masked), self._incremental.risk(genome, masked, parent)
