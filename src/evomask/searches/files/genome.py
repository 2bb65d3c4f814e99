"""Genome of the files search, a masked file cell by cell, with its mutation and crossover.

Numbers are integer multiples of the smallest step of their attribute, counted from its minimum. The
gene of a cell is the exclusive or of the Gray codes of the original and the masked number
(equation 3.1 of Marés, 2013): 0 if unchanged. Categories are coded directly. Genes are in order of
rows.
"""

from dataclasses import dataclass
from functools import cached_property
from math import floor, log10

import numpy as np
from numpy.typing import NDArray

from evomask.data.schema import Attribute, Kind
from evomask.data.table import Column, Table
from evomask.errors import DataError
from evomask.evolution.variation import from_gray, gray
from evomask.types import Flags, Floats, Indices, Points

Genome = NDArray[np.int64]
"""One row per record, one column per attribute; `MISSING` for an unknown number."""

MISSING = -1
MOST_DECIMALS = 6
MOST_STEPS = 1e12
"""Largest number of steps from 0, for numbers without a clear number of decimals."""


@dataclass(frozen=True)
class Scale:
    """The domain of the cells of one attribute.

    Args:
        base: lowest value in steps; 0 for categories.
        width: number of values.
        steps: steps per unit, 100 for two decimals.
    """

    base: int
    width: int
    steps: float

    @property
    def bits(self) -> int:
        return max(1, (self.width - 1).bit_length())

    def index(self, values: Floats) -> Indices:
        steps = np.rint(np.nan_to_num(values, nan=self.base / self.steps) * self.steps)
        return np.clip(steps.astype(np.int64) - self.base, 0, self.width - 1)

    def values(self, index: Indices) -> Floats:
        values: Floats = (self.base + index) / self.steps
        return values


def scale_of(attribute: Attribute, column: Column) -> Scale:
    """Return the domain of an attribute: its categories, or its range at its precision."""
    if attribute.is_categorical:
        return Scale(0, max(1, attribute.domain_size), 1.0)
    known = column[~np.isnan(column)]
    if not len(known):
        return Scale(0, 1, 1.0)
    steps = 10.0 ** decimals_of(attribute, known)
    low, high = (int(np.rint(end * steps)) for end in (known.min(), known.max()))
    return Scale(low, high - low + 1, steps)


def decimals_of(attribute: Attribute, known: Floats) -> int:
    """Return the number of decimals as declared, or as the values show."""
    if attribute.decimals is not None:
        return attribute.decimals
    for places in range(MOST_DECIMALS + 1):
        if np.array_equal(np.round(known, places), known):
            return places
    return max(0, floor(log10(MOST_STEPS / float(np.abs(known).max()))))


@dataclass(frozen=True, eq=False)
class Coding:
    """Conversion of masked versions of one table to genomes and back.

    Args:
        names: attributes that evolve.
    """

    original: Table
    names: tuple[str, ...]

    @cached_property
    def scales(self) -> tuple[Scale, ...]:
        return tuple(scale_of(self.original.attribute(n), self.original[n]) for n in self.names)

    @cached_property
    def numeric(self) -> Flags:
        kinds = [self.original.attribute(name).kind for name in self.names]
        return np.array([kind is Kind.CONTINUOUS for kind in kinds], dtype=bool)

    @cached_property
    def _original_codes(self) -> Genome:
        columns = [
            gray(scale.index(self.original[name])) if is_number else np.zeros(len(self.original))
            for name, scale, is_number in zip(self.names, self.scales, self.numeric, strict=True)
        ]
        return np.column_stack(columns).astype(np.int64)

    def encode(self, masked: Table) -> Genome:
        """Return the genome of a masked table; numbers are rounded to possible values."""
        for name in self.names:
            if masked.is_recoded(name):
                raise DataError(f"column {name!r} is generalized; only plain values can evolve")
        return self.of_file(self.file(masked))

    def file(self, masked: Table) -> Points:
        return np.array([masked[name] for name in self.names], dtype=np.float64)

    def of_file(self, file: Points) -> Genome:
        columns = [
            np.where(np.isnan(row), MISSING, gray(scale.index(row)) ^ codes) if is_number else row
            for row, scale, codes, is_number in zip(
                file, self.scales, self._original_codes.T, self.numeric, strict=True
            )
        ]
        return np.column_stack(columns).astype(np.int64)

    def to_file(self, genome: Genome) -> Points:
        file = genome.T.astype(np.float64)
        for a in np.flatnonzero(self.numeric):
            known = genome[:, a] != MISSING
            index = from_gray(np.where(known, genome[:, a] ^ self._original_codes[:, a], 0))
            file[a] = np.where(known, self.scales[a].values(index), np.nan)
        return np.ascontiguousarray(file)

    def decode(self, genome: Genome) -> Table:
        return self.table(self.to_file(genome))

    def table(self, file: Points) -> Table:
        return self.original.with_columns(dict(zip(self.names, file, strict=True)))

    def changed(self, genome: Genome) -> dict[str, float]:
        shares = (genome != self._unchanged).mean(axis=0)
        return dict(zip(self.names, shares.tolist(), strict=True))

    def moved(self, genome: Genome) -> float:
        apart = np.abs(self.to_file(genome) - self._file)
        moves = [
            distances[~np.isnan(distances)] / spread
            for distances, spread in zip(apart, self._deviations, strict=True)
            if spread > 0
        ]
        known = np.concatenate([*moves, np.zeros(0)])
        return float(known.mean()) if len(known) else 0.0

    @cached_property
    def _deviations(self) -> Floats:
        known = [row[~np.isnan(row)] for row in self._file]
        return np.array(
            [
                float(np.std(row)) if is_number and len(row) else 0.0
                for row, is_number in zip(known, self.numeric, strict=True)
            ]
        )

    @cached_property
    def _file(self) -> Points:
        return self.file(self.original)

    @cached_property
    def _unchanged(self) -> Genome:
        return self.of_file(self._file)

    def is_possible(self, genome: Genome) -> bool:
        return all(self._are_possible(genome[:, a], a) for a in range(len(self.names)))

    def is_possible_gene(self, gene: int, record: int, a: int) -> bool:
        if gene == MISSING or not self.numeric[a]:
            return True
        return from_gray(int(gene) ^ int(self._original_codes[record, a])) < self.scales[a].width

    def _are_possible(self, genes: Indices, a: int) -> bool:
        if not self.numeric[a]:
            return True
        index = from_gray(np.where(genes != MISSING, genes ^ self._original_codes[:, a], 0))
        return bool((index < self.scales[a].width).all())


def changed_records(genome: Genome, other: Genome) -> Indices:
    """Return the records in which two genomes differ."""
    return np.flatnonzero((genome != other).any(axis=1))


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
