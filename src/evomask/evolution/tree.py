"""Expression trees as flat tuples in prefix order: `+ a * 2 b` is a + (2 · b).

Levels are counted from the root: a single terminal has one level.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from evomask.errors import ParameterError

Tree: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Symbols:
    """Functions and terminals of expression trees.

    Args:
        functions: number of operands of each function.
        terminals: names of values.
    """

    functions: Mapping[str, int]
    terminals: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.functions or not self.terminals:
            raise ParameterError("expression trees need at least one function and one terminal")
        if min(self.functions.values()) < 1:
            raise ParameterError("a function of expression trees needs at least one operand")

    def operands(self, symbol: str) -> int:
        return self.functions.get(symbol, 0)

    def function(self, rng: np.random.Generator) -> str:
        return _choose(tuple(self.functions), rng)

    def terminal(self, rng: np.random.Generator) -> str:
        return _choose(self.terminals, rng)

    def either(self, rng: np.random.Generator) -> str:
        return _choose((*self.functions, *self.terminals), rng)


def _choose(choices: Sequence[str], rng: np.random.Generator) -> str:
    return choices[int(rng.integers(len(choices)))]


def full(symbols: Symbols, levels: int, rng: np.random.Generator) -> Tree:
    """Return a random tree all of whose branches have exactly *levels* levels."""
    if levels <= 1:
        return (symbols.terminal(rng),)
    root = symbols.function(rng)
    return (root, *_branches(full, symbols, root, levels, rng))


def grow(symbols: Symbols, levels: int, rng: np.random.Generator) -> Tree:
    """Return a random irregular tree, at most *levels* deep, with a function at its root."""
    if levels <= 1:
        return (symbols.terminal(rng),)
    root = symbols.function(rng)
    return (root, *_branches(grow_any, symbols, root, levels, rng))


def grow_any(symbols: Symbols, levels: int, rng: np.random.Generator) -> Tree:
    """Return a random tree of irregular shape that may be a single terminal."""
    root = symbols.either(rng) if levels > 1 else symbols.terminal(rng)
    return (root, *_branches(grow_any, symbols, root, levels, rng))


def _branches(
    make: Callable[[Symbols, int, np.random.Generator], Tree],
    symbols: Symbols,
    root: str,
    levels: int,
    rng: np.random.Generator,
) -> list[str]:
    return [
        symbol for _ in range(symbols.operands(root)) for symbol in make(symbols, levels - 1, rng)
    ]


def half_and_half(symbols: Symbols, levels: int, number: int, rng: np.random.Generator) -> Tree:
    """Return initial tree *number* (ramped half-and-half): depths 1 to *levels* in turn.

    At each depth, and in the population as a whole, every other tree is full and the rest grown.
    """
    make = full if (number % levels + number // levels) % 2 == 0 else grow
    return make(symbols, 1 + number % levels, rng)


def span(tree: Tree, start: int, symbols: Symbols) -> int:
    """Return the end of the subtree that begins at *start* (one past its last symbol)."""
    open_operands, end = 1, start
    while open_operands:
        open_operands += symbols.operands(tree[end]) - 1
        end += 1
    return end


def levels_of(tree: Tree, symbols: Symbols) -> list[int]:
    """Return the level of every symbol; that of the root is 1."""
    levels, waiting = [], [1]
    for symbol in tree:
        level = waiting.pop()
        levels.append(level)
        waiting.extend([level + 1] * symbols.operands(symbol))
    return levels


def depth(tree: Tree, symbols: Symbols) -> int:
    """Return the number of levels of a tree."""
    return max(levels_of(tree, symbols))


def graft(tree: Tree, place: int, branch: Tree, symbols: Symbols) -> Tree:
    """Return the tree with its subtree at *place* replaced by *branch*."""
    return (*tree[:place], *branch, *tree[span(tree, place, symbols) :])


def cross(
    first: Tree, second: Tree, symbols: Symbols, levels: int, rng: np.random.Generator
) -> tuple[Tree, Tree]:
    """Swap two random subtrees, chosen so that neither child exceeds *levels*; return both."""
    place = int(rng.integers(len(first)))
    above = levels_of(first, symbols)
    fitting = [
        at
        for at, level in enumerate(levels_of(second, symbols))
        if above[place] - 1 + _height(second, at, symbols) <= levels
        and level - 1 + _height(first, place, symbols) <= levels
    ]
    if not fitting:
        return first, second
    at = fitting[int(rng.integers(len(fitting)))]
    branches = first[place : span(first, place, symbols)], second[at : span(second, at, symbols)]
    return graft(first, place, branches[1], symbols), graft(second, at, branches[0], symbols)


def _height(tree: Tree, place: int, symbols: Symbols) -> int:
    return depth(tree[place : span(tree, place, symbols)], symbols)


def mutate_subtree(tree: Tree, symbols: Symbols, levels: int, rng: np.random.Generator) -> Tree:
    """Replace a random subtree by a random new one, within *levels*."""
    return _regrow(tree, list(range(len(tree))), symbols, levels, rng)


def mutate_point(tree: Tree, symbols: Symbols, rng: np.random.Generator) -> Tree:
    """Replace a random symbol by another with as many operands, if there is one."""
    place = int(rng.integers(len(tree)))
    operands = symbols.operands(tree[place])
    others = [
        symbol
        for symbol in (*symbols.functions, *symbols.terminals)
        if symbols.operands(symbol) == operands and symbol != tree[place]
    ]
    if not others:
        return tree
    return (*tree[:place], _choose(others, rng), *tree[place + 1 :])


def hoist(tree: Tree, symbols: Symbols, rng: np.random.Generator) -> Tree:
    """Return a random proper subtree; a single terminal is returned unchanged."""
    if len(tree) == 1:
        return tree
    place = int(rng.integers(1, len(tree)))
    return tree[place : span(tree, place, symbols)]


def collapse(tree: Tree, symbols: Symbols, rng: np.random.Generator) -> Tree:
    """Replace a random proper subtree by a random terminal."""
    if len(tree) == 1:
        return tree
    place = int(rng.integers(1, len(tree)))
    return graft(tree, place, (symbols.terminal(rng),), symbols)


def expand(tree: Tree, symbols: Symbols, levels: int, rng: np.random.Generator) -> Tree:
    """Replace a random terminal by a random new subtree, within *levels*."""
    leaves = [place for place, symbol in enumerate(tree) if not symbols.operands(symbol)]
    return _regrow(tree, leaves, symbols, levels, rng)


def _regrow(
    tree: Tree, places: list[int], symbols: Symbols, levels: int, rng: np.random.Generator
) -> Tree:
    place = places[int(rng.integers(len(places)))]
    left = levels - levels_of(tree, symbols)[place] + 1
    return graft(tree, place, grow_any(symbols, left, rng), symbols)
