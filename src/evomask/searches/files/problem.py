"""The files search as an evolutionary problem."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf

import numpy as np

from evomask.data.table import Table
from evomask.evolution.individual import FIRST, Cost, Fitness, Outcome, Task
from evomask.evolution.loop import Draws
from evomask.evolution.schemes import CROSS, MUTATE
from evomask.evolution.streams import litter_stream
from evomask.kernels.incremental.bursts import MOVES
from evomask.masking.grid import GridMethod
from evomask.masking.provenance import Provenance, Step
from evomask.searches.base import MaskingProblem
from evomask.searches.files.fitness import FileMeasures
from evomask.searches.files.genome import (
    CROSSOVER_RATE,
    MUTATION_RATE,
    Coding,
    Genome,
    cross,
    mutate,
    mutate_each,
)
from evomask.searches.files.schemes import BOTH, MIX
from evomask.searches.files.steps import Steps
from evomask.types import Floats

NAME = "files"
MOVE_NAMES = ("flip", "draw", "near", "swap", "join", "exchange", "give")
WARM = (0.02, 0.3)
"""Range of the initial temperature of a warm burst, in typical worsenings; drawn for each burst."""

Aim = Callable[[Fitness], Floats]


@dataclass(frozen=True)
class VariationSettings:
    """How children are made.

    Args:
        burst: steps of a burst.
        own_length: mutate among the significant bits of a gene.
        each: where crossover and mutation are combined, mutate every value with a probability.
    """

    burst: int
    own_length: bool = False
    each: bool = False


@dataclass(frozen=True, eq=False)
class MaskedFiles(MaskingProblem):
    """Masked versions of one table.

    Args:
        methods: masking methods of the initial files.
        draws: random generator of initial file number r.
        release: enforces the requirements on a file; None if there are none.
        aim: weights of loss and risk that a burst minimises, given the fitness of its parent.
        held_out: whether to compare the best file with the best initial one after the search.
    """

    packed_as = "genes"

    coding: Coding
    judge: FileMeasures
    steps: Steps
    methods: tuple[GridMethod, ...]
    draws: Draws
    release: Callable[[Table], Table] | None
    cost: Cost
    aim: Aim
    habits: VariationSettings
    held_out: bool

    def work(self, task: Task[Genome], rng: np.random.Generator) -> Outcome[Genome]:
        if task.operator == FIRST:
            return self._evaluate(self.first(task.rival or 0))
        if task.operator in (MUTATE, CROSS, BOTH):
            return self._vary(task, rng)
        return self._polish(task, rng)

    def first(self, number: int) -> Genome:
        method = self.methods[number].method
        return self.enforce(
            self.coding.encode(method.mask(self.coding.original, self.draws(number)))
        )

    def adopted(self, masked: Table) -> Outcome[Genome]:
        return self._evaluate(self.enforce(self.coding.encode(masked)))

    def enforce(self, genome: Genome) -> Genome:
        """Return the genome after enforcement of the requirements."""
        if self.release is None:
            return genome
        return self.coding.encode(self.release(self.decode(genome, 0)))

    def _evaluate(
        self, genome: Genome, steps: int = 0, counts: Mapping[str, int] | None = None
    ) -> Outcome[Genome]:
        fitness = self.judge.full(self.decode(genome, 0))
        return Outcome(genome, fitness, steps, counts or {})

    def _vary(self, task: Task[Genome], rng: np.random.Generator) -> Outcome[Genome]:
        """Return a child as in the thesis; values outside the domain are not allowed."""
        child, parent = self._make_child(task, rng), task.parents[0].genome
        if task.operator != CROSS and not self.coding.is_possible(child):
            return Outcome(child, (inf, inf))
        child = self.enforce(child)
        return Outcome(child, self.judge.like_parent(child, self.decode(child, 0), parent))

    def _make_child(self, task: Task[Genome], rng: np.random.Generator) -> Genome:
        parents = [parent.genome for parent in task.parents]
        if task.operator == MUTATE:
            return mutate(parents[0], self.coding, rng, own_length=self.habits.own_length)
        shared = litter_stream(task.litter)
        if task.operator == CROSS:
            return cross(parents[0], parents[1], shared)
        crossed = shared.random() < CROSSOVER_RATE
        child = cross(parents[0], parents[1], shared) if crossed else parents[0]
        if self.habits.each:
            return mutate_each(child, self.coding, rng)
        return mutate(child, self.coding, rng) if rng.random() < MUTATION_RATE else child

    def _polish(self, task: Task[Genome], rng: np.random.Generator) -> Outcome[Genome]:
        """Run a burst on the first parent; it may copy values of the second."""
        files = [self.coding.to_file(parent.genome) for parent in task.parents]
        heat = float(np.exp(rng.uniform(*np.log(WARM)))) if rng.random() < 0.5 else 0.0
        file, counts = self.steps.run(
            files[0], self.aim(task.parents[0].fitness), self.habits.burst, rng,
            heat=heat, donor=files[1] if task.operator == MIX else None,
        )  # fmt: skip
        accepted = dict(zip(MOVE_NAMES, counts[MOVES:].tolist(), strict=False))
        return self._evaluate(self.enforce(self.coding.of_file(file)), int(counts[-1]), accepted)

    def decode(self, genome: Genome, draw: int) -> Table:
        return self.coding.decode(genome)

    def making(self, genome: Genome) -> Provenance:
        changed = {name: 100.0 * share for name, share in self.coding.changed(genome).items()}
        far = {"moved": self.coding.moved(genome)} if self.coding.numeric.any() else {}
        step = Step(NAME, {"changed": changed, **far}, tuple(changed))
        return Provenance((step,), search=NAME)

    def read(self, genome: Genome, draw: int) -> Mapping[str, float]:
        masked = self.decode(genome, draw)
        loss, searched = self.judge.full(masked)
        risk = self.judge.reported(masked)
        return {
            "loss": loss,
            "risk": risk,
            "score": self.cost((loss, risk)),
            "risk_searched": searched,
            "score_searched": self.cost((loss, searched)),
        }

    def answer(self, genome: Genome) -> Mapping[str, object]:
        return {"profile": self.judge.profile.value, "first_files": len(self.methods)}

    def compared(self, first: int, genome: Genome) -> tuple[Table, Table] | None:
        if not self.held_out:
            return None
        return self.decode(self.first(first), 0), self.decode(genome, 0)
