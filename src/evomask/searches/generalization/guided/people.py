"""What some people's classes tell of every node of a small lattice, read or not.

Two records agree in a node exactly where each attribute has reached the level at which their
values fall together. So one pass over the file puts all others where they join a person's class,
and adding up along the lattice gives the size of that class, and its sensitive values, in every
node at once. No node can be better than the classes of these people allow: its k at most what
suppressing their classes alone leaves, its l, entropy and t no better than the worst of theirs
that must stay.

Who is looked at is learned: where a read node is worse than these bounds, somebody of the classes
that make it so joins. People cost a pass each, as a node does; a few hundred are enough for
bounds that leave few nodes open.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from evomask.arrays import Flags, Floats, Indices, Points
from evomask.kernels.lattice.classes import CountRows, Rows, membership, unpacked
from evomask.searches.generalization.genome import number_of
from evomask.searches.generalization.guided.worst import WORST, Classes
from evomask.searches.generalization.indices import Index
from evomask.searches.generalization.lattice import Levels
from evomask.searches.generalization.reader import AnyIndex, Reader

AT_ONCE = 30
"""People who join because of one read node, at most."""

MOST = 300
"""People who are looked at in all, at most."""

WORK = 100_000_000
"""Records and nodes counted for people in all, for each sensitive value: few on large files."""

SAME = 1e-9
"""Values of classes that differ by less are the same."""


@dataclass(eq=False)
class People:
    """Classes of some people in all nodes, and the bounds that follow.

    Args:
        indices: what the nodes are judged by; those that are the worst of all classes are bounded.
    """

    reader: Reader
    indices: tuple[AnyIndex, ...]
    _learned: list[Levels] = field(default_factory=list)
    _who: list[int] = field(default_factory=list)
    _sizes: list[Indices] = field(default_factory=list)
    _counted: list[Indices] = field(default_factory=list)
    _values: dict[str, list[Floats]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many people are looked at."""
        return len(self._who)

    @cached_property
    def bounded(self) -> tuple[Index, ...]:
        """The indices that are the worst of all classes; none under other rules of suppression."""
        rule = self.reader.rule
        if rule.k or rule.distinct > 1:
            return ()
        return tuple(i for i in self.indices if isinstance(i, Index) and i.name in WORST)

    def learn(self, nodes: Sequence[Levels]) -> None:
        """Let people join who are in the way of the read nodes, in the order they were read in."""
        if self._learned != list(nodes[: len(self._learned)]):
            self._forget()
        for node in nodes[len(self._learned) :]:
            self._learned.append(node)
            if self.bounded and self.count < self._most:
                self._join(self._in_the_way(node))

    def best(self, others: Rows) -> Points:
        """For each node and index the best that it can be; NaN where nothing is known of it."""
        found = np.full((len(others), len(self.indices)), np.nan)
        if not self.count:
            return found
        places = others @ self._strides
        sizes = self._at(self._sizes, places)
        least = self._least(sizes, places)
        for c, index in enumerate(self.indices):
            if index in self.bounded:
                found[:, c] = self._bound(index, sizes, least, places)
        return found

    def _bound(self, index: Index, sizes: Points, least: Floats, places: Indices) -> Floats:
        if index.name == "k":
            return np.where(np.isfinite(least), least, np.nan)
        worst = np.where(sizes >= least, self._at(self._values[index.name], places), np.inf)
        lowest: Floats = worst.min(axis=0)
        return np.where(np.isfinite(lowest), lowest if index.more else -lowest, np.nan)

    def _least(self, sizes: Points, places: Indices) -> Floats:
        """The smallest class that must stay, if no others than these people's need to go."""
        order = np.argsort(sizes, axis=0, kind="stable")
        counted = np.take_along_axis(self._at(self._counted, places), order, axis=0)
        too_many = np.cumsum(counted, axis=0) > self.reader.rule.limit
        first = np.take_along_axis(order, too_many.argmax(axis=0)[None], axis=0)
        smallest = np.take_along_axis(sizes, first, axis=0)[0]
        least: Floats = np.where(too_many[-1], smallest, np.inf)
        return least

    def _at(self, rows: list[Indices] | list[Floats], places: Indices) -> Points:
        return np.array([row[places] for row in rows], dtype=np.float64)

    def _in_the_way(self, node: Levels) -> list[int]:
        """Somebody of each class that makes a read node worse than its bounds, none twice."""
        lattice = self.reader.lattice
        classes = self.reader.equivalence(node)
        merged = self.reader.classes(node)
        belongs = membership(merged, lattice.bottom, lattice.layout, np.array(node, dtype=np.int64))
        known = np.zeros(len(classes.sizes), dtype=bool)
        known[belongs[self._who]] = True
        bounds = self.best(np.array([node]))[0]
        told = Classes(classes.sizes, classes.counts, lattice.shares, lattice.ordered)
        wanted: list[int] = []
        for index, bound in zip(self.indices, bounds.tolist(), strict=True):
            if index in self.bounded:
                wanted += _worse(index, bound, told, classes.stays, ~known)
        chosen = list(dict.fromkeys(wanted))[:AT_ONCE]
        _, firsts = np.unique(belongs, return_index=True)
        return [int(firsts[c]) for c in chosen]

    def _join(self, people: Iterable[int]) -> None:
        for person in people:
            if self.count < self._most and person not in self._who:
                self._look_at(person)

    def _look_at(self, person: int) -> None:
        bottom = self.reader.lattice.bottom
        meeting, meets = self._meetings(person, np.arange(len(self._digits)))
        sizes = self._added(meeting, bottom.sizes[meets])
        earlier, _ = self._meetings(person, np.array(self._who, dtype=np.int64))
        alone = self._added(earlier, np.ones(len(earlier))) == 0
        columns = [self._added(meeting, column) for column in self._sensitive[meets].T]
        counts = np.array(columns).reshape(len(columns), len(sizes)).T
        lattice = self.reader.lattice
        told = Classes(sizes, counts, lattice.shares, lattice.ordered)
        self._who.append(person)
        self._sizes.append(sizes.astype(np.int64))
        self._counted.append(np.where(alone, sizes, 0).astype(np.int64))
        for index in self._beside_k:
            self._values.setdefault(index.name, []).append(WORST[index.name](told))

    def _meetings(self, person: int, others: Indices) -> tuple[Indices, Indices]:
        """The number of the lowest node where others are in a person's class, and who ever is."""
        layout, shape = self.reader.lattice.layout, self.reader.lattice.shape
        places, ever = np.zeros(len(others), dtype=np.int64), np.ones(len(others), dtype=bool)
        for a, levels in enumerate(shape):
            cells = layout.lowest[a, :levels]
            same = cells == cells[:, [self._digits[person, a]]]
            digits = self._digits[others, a]
            places += same.argmax(axis=0)[digits] * self._strides[a]
            ever &= same.any(axis=0)[digits]
        return places[ever], others[ever]

    def _added(self, places: Indices, weights: Floats | Indices) -> Floats:
        """Weights added up over each node and all that are finer."""
        shape = self.reader.lattice.shape
        size = self.reader.lattice.size
        sums = np.bincount(places, weights, size).astype(np.float64).reshape(shape)
        for axis in range(len(shape)):
            np.cumsum(sums, axis=axis, out=sums)
        added: Floats = sums.ravel()
        return added

    @cached_property
    def _digits(self) -> Rows:
        return unpacked(self.reader.lattice.bottom.keys, self.reader.lattice.layout)

    @cached_property
    def _sensitive(self) -> CountRows:
        wanted = self.reader.lattice.sensitive if len(self._beside_k) else 0
        return self.reader.lattice.bottom.counts[:, :wanted]

    @cached_property
    def _beside_k(self) -> list[Index]:
        return [index for index in self.bounded if index.name != "k"]

    @cached_property
    def _strides(self) -> Indices:
        shape = self.reader.lattice.shape
        steps = [number_of(tuple(int(a == b) for b in range(len(shape))), shape)
                 for a in range(len(shape))]  # fmt: skip
        return np.array(steps, dtype=np.int64)

    @cached_property
    def _most(self) -> int:
        counted = len(self._digits) + self.reader.lattice.size
        values = 1 + int(self._sensitive.shape[1])
        return min(MOST, WORK // (counted * values))

    def _forget(self) -> None:
        for kept in (self._learned, self._who, self._sizes, self._counted):
            kept.clear()
        self._values.clear()


def _worse(index: Index, bound: float, told: Classes, stays: Flags, fresh: Flags) -> list[int]:
    """Classes that make a node worse than its bound: for k all small ones, else the worst."""
    values = WORST[index.name](told)
    worst = int(np.where(stays, values, np.inf).argmin())
    if index.name != "k":
        limit = bound if index.more else -bound
        return [] if values[worst] >= limit - SAME else [worst]
    if values[worst] >= bound:
        return []
    small = np.flatnonzero(fresh & (told.sizes <= told.sizes[worst]))
    return [int(c) for c in small[np.argsort(-told.sizes[small], kind="stable")]]
