"""Mutation and crossover of masked files as in the thesis: pure functions of genomes."""

import numpy as np

from evomask.arrays import Flags
from evomask.searches.files.genome import MISSING, Coding, Genome

MUTATION_RATE = 0.0075
CROSSOVER_RATE = 0.85
"""Both in the middle of what Schaffer et al. (1989) found best."""


def mutate(
    parent: Genome, coding: Coding, rng: np.random.Generator, *, own_length: bool = False
) -> Genome:
    """Another bit, or another category, in one random cell.

    Args:
        own_length: choose among the gene's own bits, as the thesis prints it; then a cell
            that is as in the original stays so.
    """
    record, a = divmod(int(rng.integers(parent.size)), parent.shape[1])
    child = parent.copy()
    child[record, a] = _mutated(int(parent[record, a]), coding, a, rng, own_length)
    return child


def _mutated(
    gene: int, coding: Coding, a: int, rng: np.random.Generator, own_length: bool
) -> int:  # fmt: skip
    scale = coding.scales[a]
    if not coding.numeric[a]:
        if scale.width < 2:
            return gene
        step = int(rng.integers(1, scale.width)) if gene < scale.width else 0
        return (gene + step) % scale.width
    bits = gene.bit_length() if own_length else scale.bits
    if gene == MISSING or bits == 0:
        return gene
    return gene ^ (1 << int(rng.integers(bits)))


def mutate_each(
    parent: Genome, coding: Coding, rng: np.random.Generator, rate: float = MUTATION_RATE
) -> Genome:
    """Every cell mutates with the given chance; a value outside its domain stays as it was."""
    child = parent.copy()
    for record, a in np.argwhere(rng.random(parent.shape) < rate):
        gene = int(child[record, a])
        child[record, a] = _mutated(gene, coding, int(a), rng, own_length=False)
        if not coding.is_possible_gene(child[record, a], int(record), int(a)):
            child[record, a] = gene
    return child


def cross(first: Genome, second: Genome, rng: np.random.Generator) -> Genome:
    """The first parent with a stretch of values, in the order of reading, from the other.

    Its first end is anywhere, its last anywhere from there on. The other child is made by
    the parents in exchanged roles and the same generator state.
    """
    chosen = stretch(first.size, rng).reshape(first.shape)
    return np.where(chosen, second, first)


def stretch(length: int, rng: np.random.Generator) -> Flags:
    """The places between two random ones, both included."""
    first = int(rng.integers(length))
    last = int(rng.integers(first, length))
    chosen = np.zeros(length, dtype=bool)
    chosen[first : last + 1] = True
    return chosen
