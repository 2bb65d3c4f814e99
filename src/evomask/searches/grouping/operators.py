"""One crossover and five mutations of groupings (chapter 3.4 of the thesis).

Each leaves its parents alone; where it cannot change anything it returns a clone.
"""

from collections.abc import Callable, Mapping

import numpy as np

from evomask.searches.grouping.genome import Grouping, compact

Mutation = Callable[[Grouping, np.random.Generator], Grouping]


def first_grouping(n_attributes: int, rng: np.random.Generator) -> Grouping:
    """Every attribute draws one of as many groups as there are attributes."""
    return compact(rng.integers(n_attributes, size=n_attributes))


def crossing_site(n_groups: int, rng: np.random.Generator) -> tuple[int, int]:
    """A section of the group part, never empty: its first group, and the first one behind it."""
    low, high = np.sort(rng.choice(n_groups + 1, 2, replace=False))
    return int(low), int(high)


def cross(first: Grouping, second: Grouping, rng: np.random.Generator) -> Grouping:
    """The groups in a crossing site of *first* as they are, the rest grouped as in *second*.

    The injected groups come first; the second child of a crossover swaps the parents.
    """
    low, high = crossing_site(int(first.max()) + 1, rng)
    return injected((low <= first) & (first < high), first, second)


def injected(chosen: np.ndarray, first: Grouping, second: Grouping) -> Grouping:
    """*chosen* attributes in their groups of *first*, in front; the rest as in *second*."""
    return compact(np.where(chosen, first, first.max() + 1 + second))


def create_group(parent: Grouping, rng: np.random.Generator) -> Grouping:
    """A random subset of attributes, any size equally likely, becomes a group of its own."""
    n = len(parent)
    chosen = np.zeros(n, dtype=bool)
    chosen[rng.choice(n, int(rng.integers(1, n + 1)), replace=False)] = True
    return injected(chosen, np.zeros_like(parent), parent)


def eliminate_group(parent: Grouping, rng: np.random.Generator) -> Grouping:
    """A random group's attributes go to random remaining groups; an only group stays."""
    n_groups = int(parent.max()) + 1
    if n_groups == 1:
        return parent.copy()
    gone = rng.integers(n_groups)
    child = parent - (parent > gone)
    scattered = parent == gone
    child[scattered] = rng.integers(n_groups - 1, size=int(scattered.sum()))
    return child


def split_group(parent: Grouping, rng: np.random.Generator) -> Grouping:
    """A random group is cut into two random halves; a single attribute stays as it is."""
    attributes = rng.permutation(np.flatnonzero(parent == rng.integers(parent.max() + 1)))
    child = parent.copy()
    child[attributes[: len(attributes) // 2]] = parent.max() + 1
    return child


def swap_elements(parent: Grouping, rng: np.random.Generator) -> Grouping:
    """Two random attributes exchange their groups."""
    child = parent.copy()
    if len(parent) > 1:
        pair = rng.choice(len(parent), 2, replace=False)
        child[pair] = parent[pair[::-1]]
    return child


def move_element(parent: Grouping, rng: np.random.Generator) -> Grouping:
    """A random attribute moves to another group; its old one may vanish."""
    n_groups = int(parent.max()) + 1
    if n_groups == 1:
        return parent.copy()
    mover = rng.integers(len(parent))
    child = parent.copy()
    child[mover] = (parent[mover] + rng.integers(1, n_groups)) % n_groups
    return compact(child)


MUTATIONS: Mapping[str, Mutation] = {
    "create": create_group,
    "eliminate": eliminate_group,
    "split": split_group,
    "swap": swap_elements,
    "move": move_element,
}
