"""Building blocks of operators: crossover, rates that adapt."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evomask.errors import ParameterError
from evomask.evolution.ledger import Ledger

Genes: TypeAlias = NDArray[np.generic]
Places: TypeAlias = NDArray[np.intp]


def crossing_points(length: int, count: int, rng: np.random.Generator) -> Places:
    """Different places to cut between two genes, in order; fewer when the genome is short."""
    inside = max(length - 1, 0)
    return np.sort(rng.choice(inside, min(count, inside), replace=False)) + 1


def cross_at(first: Genes, second: Genes, points: Sequence[int] | Places) -> tuple[Genes, Genes]:
    """Both children of cutting two genomes at the same points and swapping every second piece."""
    swapped = np.zeros(len(first), dtype=bool)
    for point in points:
        swapped[point:] ^= True
    return _swap(first, second, swapped)


def cross_points(
    first: Genes, second: Genes, count: int, rng: np.random.Generator
) -> tuple[Genes, Genes]:
    """The m-point crossover: both children, cut at *count* random points."""
    return cross_at(first, second, crossing_points(len(first), count, rng))


def cross_uniformly(
    first: Genes, second: Genes, rng: np.random.Generator, share: float = 0.5
) -> tuple[Genes, Genes]:
    """The uniform crossover: each gene changes sides with probability *share*."""
    return _swap(first, second, rng.random(len(first)) < share)


def _swap(first: Genes, second: Genes, swapped: NDArray[np.bool_]) -> tuple[Genes, Genes]:
    children = first.copy(), second.copy()
    children[0][swapped], children[1][swapped] = second[swapped], first[swapped]
    return children


def pick(rates: Mapping[str, float], rng: np.random.Generator) -> str:
    """One operator's name, drawn in proportion to the rates."""
    names = list(rates)
    edges = np.cumsum([rates[name] for name in names])
    if not edges[-1] > 0:
        raise ParameterError("rates of operators must add up to more than 0")
    return names[int(np.searchsorted(edges, rng.random() * edges[-1], side="right"))]


def still_useful(ledger: Ledger, operators: Sequence[str], patience: int = 5) -> tuple[str, ...]:
    """The operators without those whose children were all discarded *patience* times running.

    The dynamic optimizer of the operator study: an operator set aside is never tried again,
    since its last generations stay as they are. Were none left, all are.
    """
    useful = tuple(name for name in operators if not _in_vain(ledger, name, patience))
    return useful or tuple(operators)


def _in_vain(ledger: Ledger, operator: str, patience: int) -> bool:
    recent = ledger.recent(operator, patience)
    return len(recent) == patience and not any(row.entered for row in recent)


def earned_rates(
    ledger: Ledger, operators: Sequence[str], window: int = 10, least: float = 0.05
) -> dict[str, float]:
    """A rate for each operator, by the share of its latest children that were let in.

    Probability matching: unlike an operator that was set aside, one that fails now can come
    back later, for none falls below *least*. All begin alike.
    """
    earned = {name: _share_let_in(ledger, name, window) for name in operators}
    total, free = sum(earned.values()), 1.0 - least * len(operators)
    if free < 0:
        raise ParameterError(f"{len(operators)} operators cannot each have a rate of {least}")
    return {name: least + free * share / total for name, share in earned.items()}


def _share_let_in(ledger: Ledger, operator: str, window: int) -> float:
    """As if one more child had been let in and one more not, so that nothing is 0 or 1."""
    recent = ledger.recent(operator, window)
    return (1 + sum(row.entered for row in recent)) / (2 + sum(row.children for row in recent))


def offspring_count(size: int, gap: float) -> int:
    """How many of a population a generation gap replaces; at least one."""
    if not 0 < gap <= 1:
        raise ParameterError(f"gap must lie in (0, 1], got {gap}")
    return max(1, round(size * gap))
