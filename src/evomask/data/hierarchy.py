"""Hierarchies: generalization of categories level by level, and bands of numbers."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from evomask.data.dates import format_day
from evomask.data.recoding import SUPPRESSED, CategorySets
from evomask.data.schema import MISSING
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.types import Codes, Floats

Line = Sequence[str]
"""A value and its ancestors, from the most specific to the most general."""

Ancestors = Callable[[str], Sequence[str]]
"""Function that returns the ancestors of a value, without the common top."""

Cuts: TypeAlias = tuple[float, ...]

UNKNOWN = frozenset({MISSING, "?", "NA", "N/A", "n/a", "-", "."})
"""Labels of unknown values, which need no line in a hierarchy file."""

HierarchyLines: TypeAlias = Mapping[str, Sequence[Line]]
"""Lines of hierarchy files by attribute, not yet fitted to a table."""


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy:
    """Generalization hierarchy of one attribute; level 0 is the categories themselves.

    Args:
        categories: the leaves, in the order of the attribute's categories.
        levels: for each level the label of every leaf's ancestor; ``levels[0]`` is
            *categories*, the last level usually one label for all.

    Leaves that share an ancestor share all higher ancestors too.
    """

    categories: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if not self.levels or self.levels[0] != self.categories:
            raise SchemaError("level 0 of a hierarchy must be the categories themselves")
        if any(len(level) != len(self.categories) for level in self.levels):
            raise SchemaError("every level of a hierarchy must name an ancestor for every leaf")

    def __repr__(self) -> str:
        # sizes of the levels, never values
        groups = ", ".join(str(len(self.labels(level))) for level in range(1, self.height + 1))
        return f"<Hierarchy of {len(self.categories)} values in groups: {groups or 'none'}>"

    @property
    def height(self) -> int:
        """The highest level; 0 means that nothing can be generalized."""
        return len(self.levels) - 1

    @cached_property
    def _coded(self) -> tuple[tuple[tuple[str, ...], Codes], ...]:
        coded = []
        for level in self.levels:
            code_of = {label: code for code, label in enumerate(dict.fromkeys(level))}
            codes = np.array([code_of[label] for label in level], dtype=np.int32)
            coded.append((tuple(code_of), codes))
        return tuple(coded)

    def labels(self, level: int) -> tuple[str, ...]:
        """Return the distinct ancestors at *level*, in the order of their first leaf."""
        return self._coded[level][0]

    def ancestors(self, level: int) -> Codes:
        """Return for each leaf code the code of its ancestor among ``labels(level)``."""
        return self._coded[level][1]

    def recoding(self, level: int) -> CategorySets:
        """Return the recoding of the categories to the labels of *level*."""
        flags = np.zeros((len(self.labels(level)), len(self.categories)), dtype=bool)
        flags[self.ancestors(level), np.arange(len(self.categories))] = True
        return CategorySets(self.labels(level), flags)


def fit_hierarchy(name: str, lines: Sequence[Line], table: Table) -> Hierarchy:
    """Build the hierarchy of attribute *name* from the *lines* of a file.

    Every category needs a line, each line a label at every level, and values that share an
    ancestor must share all higher ones; an error lists all problems. Missing values and labels
    of unknown ones, such as ``?``, need no line: they stay unchanged at all levels.
    """
    attribute = table.attribute(name)
    problems = [*_problems(lines), *_values_without_line(lines, table, name)]
    if problems:
        raise SchemaError(f"the hierarchy of {name!r} cannot be used: {'; '.join(problems)}")
    ancestors = {label: _line_of_unknown(label, lines) for label in UNKNOWN}
    ancestors |= {line[0]: tuple(line) for line in lines}
    return hierarchy_from_lines([ancestors[category] for category in attribute.categories])


def with_unknown_values(lines: Sequence[Line], categories: Iterable[str]) -> list[Line]:
    """Add lines for categories that a hierarchy does not have: above level 0 they are suppressed.

    The top remains what it is for all other values, if they have one in common.
    """
    known = {line[0] for line in lines} | UNKNOWN
    tops = {line[-1] for line in lines}
    height = len(lines[0]) - 1 if lines else 0
    above = [SUPPRESSED] * height
    if height and len(tops) == 1:
        above[-1] = next(iter(tops))
    return [*lines, *((category, *above) for category in categories if category not in known)]


def fit_hierarchies(hierarchies: HierarchyLines, table: Table) -> dict[str, Hierarchy]:
    """Build the hierarchies of a table's attributes, each from its lines."""
    return {name: fit_hierarchy(name, lines, table) for name, lines in hierarchies.items()}


def hierarchy_from_lines(lines: Sequence[Line]) -> Hierarchy:
    """Build a hierarchy whose leaves are the first fields of the lines, in that order."""
    levels = tuple(tuple(level) for level in zip(*lines, strict=True))
    return Hierarchy(levels[0], levels)


def hierarchy_with_top(categories: Sequence[str], height: int, ancestors: Ancestors) -> Hierarchy:
    """Build a hierarchy with a common top; missing values stay missing below the top.

    Args:
        height: number of levels between the categories and the top.
    """
    return hierarchy_from_lines(
        [
            (
                category,
                *([MISSING] * height if category == MISSING else ancestors(category)),
                SUPPRESSED,
            )
            for category in categories
        ]
    )


def flat_hierarchy(categories: Sequence[str]) -> Hierarchy:
    """Build a hierarchy of the values and one label for all."""
    return hierarchy_from_lines([(category, SUPPRESSED) for category in categories])


def _line_of_unknown(label: str, lines: Sequence[Line]) -> tuple[str, ...]:
    tops = {line[-1] for line in lines}
    height = len(lines[0]) - 1
    return (*[label] * height, tops.pop() if len(tops) == 1 and height else label)


def _problems(lines: Sequence[Line]) -> Iterator[str]:
    """Yield one message per kind of problem, with the numbers of all its lines."""
    if not lines:
        yield "it has no lines"
        return
    width = len(lines[0])
    ragged = [n for n, line in enumerate(lines, 1) if len(line) != width]
    unlabelled = [n for n, line in enumerate(lines, 1) if not all(line[1:])]
    if ragged:
        yield f"{_numbered(ragged)} not {width} fields as line 1 has"
    if unlabelled:
        yield f"{_numbered(unlabelled)} an empty label"
    lines_of_value = defaultdict(list)
    for number, line in enumerate(lines, 1):
        lines_of_value[line[0]].append(number)
    for numbers in lines_of_value.values():
        if len(numbers) > 1:
            yield f"{_numbered(numbers)} the same value"
    yield from _conflicting_ancestors(lines)
    yield from _misleading_labels(lines)


def _numbered(lines: Sequence[int]) -> str:
    numbers = ", ".join(map(str, lines))
    return f"line {numbers} has" if len(lines) == 1 else f"lines {numbers} have"


def _conflicting_ancestors(lines: Sequence[Line]) -> Iterator[str]:
    """Yield pairs of lines with the same label at one level and different labels at the next."""
    for level in range(1, max(map(len, lines)) - 1):
        first: dict[str, tuple[int, str]] = {}
        for number, line in enumerate(lines, 1):
            if len(line) <= level + 1:
                continue
            earlier, above = first.setdefault(line[level], (number, line[level + 1]))
            if above != line[level + 1]:
                yield (
                    f"lines {earlier} and {number} have the same label at level {level} and "
                    f"different labels at level {level + 1}"
                )


def _misleading_labels(lines: Sequence[Line]) -> Iterator[str]:
    """Yield lines whose group is called like a value that belongs to another group."""
    number_of = {line[0]: number for number, line in enumerate(lines, 1)}
    for number, line in enumerate(lines, 1):
        for level, label in enumerate(line[1:], 1):
            other = number_of.get(label, number)
            if level < len(lines[other - 1]) and lines[other - 1][level] != label:
                yield (
                    f"line {number} has at level {level} the label of the value in line {other}, "
                    "which is in another group"
                )
                return


def _values_without_line(lines: Sequence[Line], table: Table, name: str) -> Iterator[str]:
    """Yield a message on values without a line, identified by their first records."""
    known = {line[0] for line in lines} | UNKNOWN
    codes = table.codes(name)
    missing = [c for c, label in enumerate(table.attribute(name).categories) if label not in known]
    if missing:
        records = _first_records(codes, missing)
        yield f"no line for {len(missing)} of the values{records} (add lines for them)"


def _first_records(codes: Codes, selected: Iterable[int]) -> str:
    first = {int(c): int(r) + 1 for r, c in reversed(list(enumerate(codes.tolist())))}
    records = sorted(first[code] for code in selected if code in first)
    if not records:
        return ""
    plural = "s" * (len(records) > 1)
    return f", which first occur in record{plural} {', '.join(map(str, records))}"


@dataclass(frozen=True)
class Bands:
    """Hierarchy of a numeric attribute with many values; its leaves are the finest bands.

    Args:
        cuts: for each level, from the finest, the lower ends of the bands in ascending order;
            the cuts of every level are a subset of those of the level before.
        whole: whether all numbers are integers, so that labels are ranges of integers.
        dates: format of the dates that the numbers are; None where they are none.
    """

    cuts: tuple[Cuts, ...]
    whole: bool
    dates: str | None = None

    @cached_property
    def lowest(self) -> Floats:
        """Cuts of the finest level as an array."""
        return np.array(self.cuts[0], dtype=np.float64)

    def hierarchy(self, *, missing: bool) -> Hierarchy:
        """Return the hierarchy of the bands, with a leaf for missing values if *missing*."""
        lines = [(*self.labels(low), SUPPRESSED) for low in (-np.inf, *self.cuts[0])]
        if missing:
            lines.append((*[MISSING] * len(self.cuts), SUPPRESSED))
        return hierarchy_from_lines(lines)

    def labels(self, number: float) -> list[str]:
        """Return the label of the band of a number at each level."""
        if self.dates is not None:
            return [_period_label(level, number, self.dates) for level in self.cuts]
        return [_band_label(level, number, whole=self.whole) for level in self.cuts]

    def codes(self, numbers: Floats) -> Codes:
        """Return the index of the finest band of each number; one more for missing values."""
        codes = np.searchsorted(self.lowest, numbers, "right")
        return np.where(np.isnan(numbers), len(self.lowest) + 1, codes).astype(np.int32)


HierarchyDefinitions: TypeAlias = Mapping[str, Sequence[Line] | Bands]
"""Hierarchies by attribute: lines of a file, or bands of a numeric attribute."""


def _band_label(cuts: Cuts, number: float, *, whole: bool) -> str:
    index = int(np.searchsorted(cuts, number, "right"))
    low = cuts[index - 1] if index else None
    high = cuts[index] if index < len(cuts) else None
    if low is None:
        return SUPPRESSED if high is None else f"below {high:.12g}"
    if high is None:
        return f"{low:.12g} or more"
    return interval_label(low, high, whole=whole)


def _period_label(cuts: Cuts, number: float, form: str) -> str:
    """Label of a band of dates."""
    index = int(np.searchsorted(cuts, number, "right"))
    if not cuts:
        return SUPPRESSED
    if not index:
        return f"before {format_day(cuts[0], form)}"
    low = format_day(cuts[index - 1], form)
    if index == len(cuts):
        return f"{low} or later"
    return f"[{low},{format_day(cuts[index] - 1, form)}]"


def interval_label(low: float, high: float, *, whole: bool) -> str:
    """Label of the interval [low, high): a range of integers if *whole*."""
    if not whole:
        return f"[{low:.12g},{high:.12g}["
    return f"{low:.0f}-{high - 1:.0f}" if high - low > 1 else f"{low:.0f}"
