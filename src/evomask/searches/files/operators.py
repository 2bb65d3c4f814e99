"""Mutation and crossover of masked files, as in the thesis."""

import numpy as np

from evomask.searches.files.genome import MISSING, Coding, Genome
from evomask.types import Flags

MUTATION_RATE = 0.0075
CROSSOVER_RATE = 0.85
"""Both are in the middle of the ranges recommended by Schaffer et al. (1989)."""


def mutate(
    parent: Genome, coding: Coding, rng: np.random.Generator, *, own_length: bool = False
) -> Genome:
    """Flip a bit, or change the category, of one random cell.

    Args:
        own_length: choose among the significant bits of the gene, as the thesis prints it; then an
            unchanged cell stays unchanged.
    """
    record, a = divmod(int(rng.integers(parent.size)), parent.shape[1])
    child = parent.copy()
    child[record, a] = _mutate_gene(int(parent[record, a]), coding, a, rng, own_length)
    return child


def _mutate_gene(
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
    """Mutate every cell with the given probability; values outside the domain are rejected."""
    child = parent.copy()
    for record, a in np.argwhere(rng.random(parent.shape) < rate):
        gene = int(child[record, a])
        child[record, a] = _mutate_gene(gene, coding, int(a), rng, own_length=False)
        if not coding.is_possible_gene(child[record, a], int(record), int(a)):
            child[record, a] = gene
    return child


def cross(first: Genome, second: Genome, rng: np.random.Generator) -> Genome:
    """Return the first parent with a segment, in row-major order, of the second.

    The segment begins anywhere and ends anywhere after. The other child results from exchanged
    parents and the same generator state.
    """
    chosen = random_segment(first.size, rng).reshape(first.shape)
    return np.where(chosen, second, first)


def random_segment(length: int, rng: np.random.Generator) -> Flags:
    """Flag a random segment."""
    first = int(rng.integers(length))
    last = int(rng.integers(first, length))
    chosen = np.zeros(length, dtype=bool)
    chosen[first : last + 1] = True
    return chosen
