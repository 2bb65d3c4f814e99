"""Searches that break a law."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from evomask.errors import SchemaError
from evomask.evolution.individual import FIRST, Outcome
from evomask.evolution.loop import Setup
from evomask.evolution.schemes import OneAgainstChild
from evomask.evolution.stopping import Budget


@dataclass(frozen=True)
class Parameters:
    """No parameters."""


@dataclass
class Rounding:
    """Rounds ages; the genome is the width."""

    table: object

    def work(self, task, rng):
        width = rng.integers(1, 20, size=1) if task.operator == FIRST else task.parents[0].genome
        genome = np.maximum(width + rng.integers(-1, 2, size=1), 1)
        return Outcome(genome, self.fitness(genome))

    def fitness(self, genome):
        return (float(genome[0]),)

    def decode(self, genome, draw):
        ages = np.round(self.table["age"] / genome[0]) * genome[0]
        return self.table.with_columns({"age": ages})

    def read(self, genome, draw):
        return {"loss": float(genome[0]), "risk": 50.0}

    def pack(self, genome):
        return {"width": genome}

    def unpack(self, arrays):
        return arrays["width"]


class Whole:
    """Round ages to an evolved width."""

    name = "whole"
    parameters = Parameters
    budget = Budget(generations=5)
    problem: Callable = Rounding
    first = 3

    def setup(self, table, parameters, around):
        return Setup(self.problem(table), OneAgainstChild({"mutate": 1.0}), self.first)


class NotANumber(Rounding):
    def fitness(self, genome):
        return (float("nan"),)


class ByChance(Rounding):
    def work(self, task, rng):
        return super().work(task, np.random.default_rng())


class OfObjects(Rounding):
    def pack(self, genome):
        return {"width": np.array([object()])}


class PackedWrongly(Rounding):
    def unpack(self, arrays):
        return arrays["width"] + 1


class LosingRecords(Rounding):
    def decode(self, genome, draw):
        return super().decode(genome, draw).take(np.arange(9))


class Weighing(Rounding):
    def decode(self, genome, draw):
        return self.table.with_columns({"weight": np.ones(len(self.table))})


class DecodedByChance(Rounding):
    def decode(self, genome, draw):
        return self.table.with_columns({"age": np.random.default_rng().random(len(self.table))})


class BeyondPercent(Rounding):
    def read(self, genome, draw):
        return {"loss": 101.0}


@dataclass
class Remembering(Rounding):
    calls: list = field(default_factory=list)

    def fitness(self, genome):
        self.calls.append(genome)
        return (float(len(self.calls)),)


class Overwriting(Rounding):
    def fitness(self, genome):
        columns = {**self.table.columns, "age": np.zeros(len(self.table))}
        object.__setattr__(self.table, "columns", columns)
        return (0.0,)


def of(kind):
    search = Whole()
    search.problem = kind
    return search


class WithoutBudget(Whole):
    """Round ages without an end."""

    budget = None


class WithoutFirst(Whole):
    """Round ages without a beginning."""

    first = 0


class Picky(Whole):
    """Accept no file at all."""

    name = "picky"

    def setup(self, table, parameters, around):
        raise SchemaError("never")


BROKEN = {
    "has_a_complete_description": WithoutBudget(),
    "has_initial_genomes": WithoutFirst(),
    "returns_a_valid_fitness": of(NotANumber),
    "depends_on_its_random_stream_only": of(ByChance),
    "packs_genomes_into_plain_arrays": of(OfObjects),
    "unpacks_packed_genomes": of(PackedWrongly),
    "decodes_to_files_of_the_same_records": of(LosingRecords),
    "changes_quasi_identifiers_only": of(Weighing),
    "decodes_reproducibly": of(DecodedByChance),
    "reports_loss_and_risk_in_percent": of(BeyondPercent),
    "resumes_identically_from_a_checkpoint": of(Remembering),
    "does_not_modify_the_original": of(Overwriting),
}
