"""Masked files as an evolutionary problem: first files, children, what they cost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Floats
from evomask.data.table import Table
from evomask.evolution.brood import FIRST, Outcome, Task
from evomask.evolution.individual import Cost, Fitness
from evomask.evolution.schemes import CROSS, MUTATE
from evomask.evolution.setup import Draws
from evomask.evolution.streams import litter_stream
from evomask.kernels.tracked.moves import MOVES
from evomask.masking.grid import GridMethod
from evomask.masking.making import Making, Step
from evomask.searches.files.fitness import Judge
from evomask.searches.files.genome import Coding, Genome
from evomask.searches.files.operators import (
    CROSSOVER_RATE,
    MUTATION_RATE,
    cross,
    mutate,
    mutate_each,
)
from evomask.searches.files.schemes import BOTH, MIX
from evomask.searches.files.steps import Steps

NAME = "files"
MOVE_NAMES = ("flip", "draw", "near", "swap", "join", "exchange", "give")
WARM = (0.02, 0.3)
"""How readily a warm burst accepts a worse file, in typical worsenings; drawn anew each time."""

Aim = Callable[[Fitness], Floats]


@dataclass(frozen=True)
class Habits:
    """How children are made.

    Args:
        burst: steps of a burst.
        own_length: mutate among a gene's own bits.
        each: where crossover and mutation come together, mutate every value by chance, not one.
    """

    burst: int
    own_length: bool = False
    each: bool = False


@dataclass(frozen=True, eq=False)
class MaskedFiles:
    """Masked versions of one table.

    Args:
        methods: what makes the first files.
        draws: the random numbers of first file number r.
        release: brings a file to keep what is guaranteed; None where nothing is.
        aim: what a burst lowers, given its parent's fitness.
        held_out: whether the best file is to be compared with the best first one.
    """

    coding: Coding
    judge: Judge
    steps: Steps
    methods: tuple[GridMethod, ...]
    draws: Draws
    release: Callable[[Table], Table] | None
    cost: Cost
    aim: Aim
    habits: Habits
    held_out: bool

    def work(self, task: Task[Genome], rng: np.random.Generator) -> Outcome[Genome]:
        """One child by the task's operator."""
        if task.operator == FIRST:
            return self._measured(self.first(task.rival or 0))
        if task.operator in (MUTATE, CROSS, BOTH):
            return self._varied(task, rng)
        return self._polished(task, rng)

    def first(self, number: int) -> Genome:
        """The first file of that number: the original as its masking method leaves it."""
        method = self.methods[number].method
        return self.kept(self.coding.encode(method.mask(self.coding.original, self.draws(number))))

    def adopted(self, masked: Table) -> Outcome[Genome]:
        """A file that others made, as one to go on from; cells that are sets are refused."""
        return self._measured(self.kept(self.coding.encode(masked)))

    def kept(self, genome: Genome) -> Genome:
        """The genome of the file that keeps what is guaranteed."""
        if self.release is None:
            return genome
        return self.coding.encode(self.release(self.decode(genome, 0)))

    def _measured(
        self, genome: Genome, steps: int = 0, counts: Mapping[str, int] | None = None
    ) -> Outcome[Genome]:
        fitness = self.judge.full(self.decode(genome, 0))
        return Outcome(genome, fitness, steps, counts or {})

    def _varied(self, task: Task[Genome], rng: np.random.Generator) -> Outcome[Genome]:
        """A child as in the thesis; it must not live with a value outside its domain."""
        child, parent = self._child(task, rng), task.parents[0].genome
        if task.operator != CROSS and not self.coding.is_possible(child):
            return Outcome(child, (inf, inf))
        child = self.kept(child)
        return Outcome(child, self.judge.like_parent(child, self.decode(child, 0), parent))

    def _child(self, task: Task[Genome], rng: np.random.Generator) -> Genome:
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

    def _polished(self, task: Task[Genome], rng: np.random.Generator) -> Outcome[Genome]:
        """A burst on the first parent; the second one's values may be taken over."""
        files = [self.coding.to_file(parent.genome) for parent in task.parents]
        heat = float(np.exp(rng.uniform(*np.log(WARM)))) if rng.random() < 0.5 else 0.0
        file, counts = self.steps.run(
            files[0], self.aim(task.parents[0].fitness), self.habits.burst, rng,
            heat=heat, donor=files[1] if task.operator == MIX else None,
        )  # fmt: skip
        kept = dict(zip(MOVE_NAMES, counts[MOVES:].tolist(), strict=False))
        return self._measured(self.kept(self.coding.of_file(file)), int(counts[-1]), kept)

    def decode(self, genome: Genome, draw: int) -> Table:
        """The masked file; nothing is random."""
        return self.coding.decode(genome)

    def making(self, genome: Genome) -> Making:
        """How many cells of each attribute differ from the original's, and how far numbers do."""
        changed = {name: 100.0 * share for name, share in self.coding.changed(genome).items()}
        far = {"moved": self.coding.moved(genome)} if self.coding.numeric.any() else {}
        step = Step(NAME, {"changed": changed, **far}, tuple(changed))
        return Making((step,), search=NAME)

    def read(self, genome: Genome, draw: int) -> Mapping[str, float]:
        """Loss, risk and score of the profile, probabilistic linkage included."""
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
        """By which profile it was judged, and how many first files there were."""
        return {"profile": self.judge.profile.value, "first_files": len(self.methods)}

    def compared(self, first: int, genome: Genome) -> tuple[Table, Table] | None:
        """A first file and the genome's, for attackers that no search looked at."""
        if not self.held_out:
            return None
        return self.decode(self.first(first), 0), self.decode(genome, 0)

    def pack(self, genome: Genome) -> Mapping[str, NDArray[Any]]:
        """The genes of all cells, one row a record."""
        return {"genes": genome}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Genome:
        """The genome whose genes were packed."""
        return arrays["genes"]
