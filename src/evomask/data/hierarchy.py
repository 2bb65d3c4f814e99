"""Value trees: how a category becomes more general, level by level."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from evomask.arrays import Codes
from evomask.data.recoding import SUPPRESSED, CategorySets
from evomask.data.schema import MISSING
from evomask.data.table import Table
from evomask.errors import SchemaError

Line = Sequence[str]
"""A value and its ancestors, from the nearest to the most general."""

Ancestors = Callable[[str], Sequence[str]]
"""What a value becomes, level by level, without the common top."""

UNKNOWN = frozenset({MISSING, "?", "NA", "N/A", "n/a", "-", "."})
"""Texts for a value that is not known, which need no line in a tree."""

TreeLines: TypeAlias = Mapping[str, Sequence[Line]]
"""Value trees by attribute as their files hold them: lines, not yet fitted to a table."""


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy:
    """The value tree of one attribute; level 0 is the categories themselves.

    Args:
        categories: the leaves, in the order of the attribute's categories.
        levels: for each level the label of every leaf's ancestor; ``levels[0]`` is
            *categories*, the last level usually one label for all.

    Leaves that share an ancestor share it at all higher levels too.
    """

    categories: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if not self.levels or self.levels[0] != self.categories:
            raise SchemaError("level 0 of a hierarchy must be the categories themselves")
        if any(len(level) != len(self.categories) for level in self.levels):
            raise SchemaError("every level of a hierarchy must name an ancestor for every leaf")

    def __repr__(self) -> str:
        """How many values and groups there are, level by level; never the values."""
        groups = ", ".join(str(len(self.labels(level))) for level in range(1, self.height + 1))
        return f"<Hierarchy of {len(self.categories)} values in groups: {groups or 'none'}>"

    @property
    def height(self) -> int:
        """The highest level; 0 means that nothing can be generalized."""
        return len(self.levels) - 1

    @cached_property
    def _coded(self) -> tuple[tuple[tuple[str, ...], Codes], ...]:
        return tuple(_labels_and_codes(level) for level in self.levels)

    def labels(self, level: int) -> tuple[str, ...]:
        """The distinct ancestors at *level*, in the order of their first leaf."""
        return self._coded[level][0]

    def ancestors(self, level: int) -> Codes:
        """For each leaf code, the code of its ancestor among ``labels(level)``."""
        return self._coded[level][1]

    def recoding(self, level: int) -> CategorySets:
        """What each label of *level* stands for."""
        flags = np.zeros((len(self.labels(level)), len(self.categories)), dtype=bool)
        flags[self.ancestors(level), np.arange(len(self.categories))] = True
        return CategorySets(self.labels(level), flags)


def _labels_and_codes(level: Sequence[str]) -> tuple[tuple[str, ...], Codes]:
    labels = tuple(dict.fromkeys(level))
    place = {label: code for code, label in enumerate(labels)}
    return labels, np.array([place[label] for label in level], dtype=np.int32)


def fitted(name: str, lines: Sequence[Line], table: Table) -> Hierarchy:
    """The value tree of attribute *name* from the *lines* of a file.

    Every category needs a line, each line a label at every level, and values that share an
    ancestor must share it from there up; all that is wrong is told at once. Missing values and
    marks of unknown ones, such as ``?``, need no line: they stay as they are up to the top.
    """
    attribute = table.attribute(name)
    problems = [*_problems(lines), *_values_without_line(lines, table, name)]
    if problems:
        raise SchemaError(f"the hierarchy of {name!r} cannot be used: {'; '.join(problems)}")
    ancestors = {mark: _line_of_unknown(mark, lines) for mark in UNKNOWN}
    ancestors |= {line[0]: tuple(line) for line in lines}
    return of_lines([ancestors[category] for category in attribute.categories])


def all_fitted(trees: TreeLines, table: Table) -> dict[str, Hierarchy]:
    """The value trees of a table's attributes, each from its lines."""
    return {name: fitted(name, lines, table) for name, lines in trees.items()}


def of_lines(lines: Sequence[Line]) -> Hierarchy:
    """The value tree whose leaves are the first of each line, in that order."""
    levels = tuple(tuple(level) for level in zip(*lines, strict=True))
    return Hierarchy(levels[0], levels)


def with_top(categories: Sequence[str], height: int, ancestors: Ancestors) -> Hierarchy:
    """The tree of all categories; a missing value stays missing up to the common top."""
    return of_lines(
        [
            (category, *([MISSING] * height if category == MISSING else ancestors(category)),
             SUPPRESSED)
            for category in categories
        ]
    )  # fmt: skip


def _line_of_unknown(mark: str, lines: Sequence[Line]) -> tuple[str, ...]:
    tops = {line[-1] for line in lines}
    height = len(lines[0]) - 1
    return (*[mark] * height, tops.pop() if len(tops) == 1 and height else mark)


def _problems(lines: Sequence[Line]) -> Iterator[str]:
    """What is wrong with the lines themselves, each kind of problem with all its lines."""
    if not lines:
        yield "it has no lines"
        return
    width = len(lines[0])
    ragged = [n for n, line in enumerate(lines, 1) if len(line) != width]
    unlabelled = [n for n, line in enumerate(lines, 1) if not all(line[1:])]
    if ragged:
        yield f"{_named(ragged)} not {width} fields as line 1 has"
    if unlabelled:
        yield f"{_named(unlabelled)} an empty label"
    yield from _twice(lines)
    yield from _partings(lines)


def _named(lines: Sequence[int]) -> str:
    numbers = ", ".join(map(str, lines))
    return f"line {numbers} has" if len(lines) == 1 else f"lines {numbers} have"


def _twice(lines: Sequence[Line]) -> Iterator[str]:
    places = defaultdict(list)
    for number, line in enumerate(lines, 1):
        places[line[0]].append(number)
    for numbers in places.values():
        if len(numbers) > 1:
            yield f"{_named(numbers)} the same value"


def _partings(lines: Sequence[Line]) -> Iterator[str]:
    """Lines that share a label at one level and not at the next: no tree."""
    for level in range(1, max(map(len, lines)) - 1):
        first: dict[str, tuple[int, str]] = {}
        for number, line in enumerate(lines, 1):
            if len(line) <= level + 1:
                continue
            earlier, above = first.setdefault(line[level], (number, line[level + 1]))
            if above != line[level + 1]:
                yield f"lines {earlier} and {number} share level {level} and part at {level + 1}"


def _values_without_line(lines: Sequence[Line], table: Table, name: str) -> Iterator[str]:
    """Values without a line, each by the first record that has it: values are not told."""
    known = {line[0] for line in lines} | UNKNOWN
    codes = table.codes(name)
    missing = [c for c, label in enumerate(table.attribute(name).categories) if label not in known]
    if missing:
        records = _first_records(codes, missing)
        yield f"no line for {len(missing)} of the values{records} (add lines for them)"


def _first_records(codes: Codes, wanted: Iterable[int]) -> str:
    first = {int(c): int(r) + 1 for r, c in reversed(list(enumerate(codes.tolist())))}
    records = sorted(first[code] for code in wanted if code in first)
    if not records:
        return ""
    return f", which stand first in record{'s' * (len(records) > 1)} {', '.join(map(str, records))}"


def flat(categories: Sequence[str]) -> Hierarchy:
    """Every value, and above them all one label."""
    return of_lines([(category, SUPPRESSED) for category in categories])
