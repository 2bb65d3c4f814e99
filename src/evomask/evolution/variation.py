"""Building blocks of operators: Gray code, crossover, adaptive operator rates."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from evomask.errors import ParameterError
from evomask.evolution.state import Ledger

Whole = TypeVar("Whole", int, NDArray[np.int64])


def gray(value: Whole) -> Whole:
    """Return the Gray code of a non-negative integer, or of each in an array."""
    return value ^ (value >> 1)


def from_gray(code: Whole) -> Whole:
    """Return the integer (below 2^63) of a Gray code, or of each in an array."""
    value = code
    for shift in (1, 2, 4, 8, 16, 32):
        value = value ^ (value >> shift)
    return value


Genes: TypeAlias = NDArray[np.generic]
Places: TypeAlias = NDArray[np.intp]


def crossing_points(length: int, count: int, rng: np.random.Generator) -> Places:
    """Draw distinct cut points between genes, in order; fewer if the genome is short."""
    inside = max(length - 1, 0)
    return np.sort(rng.choice(inside, min(count, inside), replace=False)) + 1


def cross_at(first: Genes, second: Genes, points: Sequence[int] | Places) -> tuple[Genes, Genes]:
    """Return both children of swapping every second segment between the cut points."""
    swapped = np.zeros(len(first), dtype=bool)
    for point in points:
        swapped[point:] ^= True
    return _swap(first, second, swapped)


def cross_points(
    first: Genes, second: Genes, count: int, rng: np.random.Generator
) -> tuple[Genes, Genes]:
    """Return both children of an m-point crossover with *count* random cut points."""
    return cross_at(first, second, crossing_points(len(first), count, rng))


def cross_uniformly(
    first: Genes, second: Genes, rng: np.random.Generator, share: float = 0.5
) -> tuple[Genes, Genes]:
    """Return both children of a uniform crossover: genes swap with probability *share*."""
    return _swap(first, second, rng.random(len(first)) < share)


def _swap(first: Genes, second: Genes, swapped: NDArray[np.bool_]) -> tuple[Genes, Genes]:
    children = first.copy(), second.copy()
    children[0][swapped], children[1][swapped] = second[swapped], first[swapped]
    return children


def draw_operator(rates: Mapping[str, float], rng: np.random.Generator) -> str:
    """Draw the name of an operator in proportion to the rates."""
    names = list(rates)
    edges = np.cumsum([rates[name] for name in names])
    if not edges[-1] > 0:
        raise ParameterError("rates of operators must add up to more than 0")
    return names[int(np.searchsorted(edges, rng.random() * edges[-1], side="right"))]


def useful_operators(
    ledger: Ledger, operators: Sequence[str], patience: int = 5
) -> tuple[str, ...]:
    """Return the operators that had a surviving child in their last *patience* generations.

    The dynamic optimizer of the operator study: an excluded operator is never used again.
    """
    recent = {name: ledger.recent(name, patience) for name in operators}
    return tuple(
        name
        for name, rows in recent.items()
        if len(rows) < patience or any(row.entered for row in rows)
    )


def adaptive_rates(
    ledger: Ledger, operators: Sequence[str], window: int = 10, least: float = 0.05
) -> dict[str, float]:
    """Return operator rates by the share of their recent children that survived.

    Probability matching: no rate falls below *least*, so an operator that fails now can recover.
    Initial rates are equal.
    """
    earned: dict[str, float] = {}
    for name in operators:  # one success and one failure are added
        recent = ledger.recent(name, window)
        successes, children = sum(row.entered for row in recent), sum(r.children for r in recent)
        earned[name] = (1 + successes) / (2 + children)
    total, free = sum(earned.values()), 1.0 - least * len(operators)
    if free < 0:
        raise ParameterError(f"{len(operators)} operators cannot each have a rate of {least}")
    return {name: least + free * share / total for name, share in earned.items()}


def offspring_count(size: int, gap: float) -> int:
    """Return the number of children for a generation gap; at least one."""
    if not 0 < gap <= 1:
        raise ParameterError(f"gap must lie in (0, 1], got {gap}")
    return max(1, round(size * gap))
