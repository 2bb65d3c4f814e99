"""Enforcement of requirements against several intruders, each of whom knows some attributes.

Single cells of records in small classes are changed, those first that help against several
intruders at once. A cell gets a value of the file that other records have: near ones of ordered
attributes, frequent ones of nominal attributes, and in recoded columns also a suppressed cell.
Costs are those of the accuracy of `evomask.measures.loss`. Where that does not suffice, a record
gets several values of the nearest record in large classes; at last, classes of all known attributes
are merged by `Repair`, which satisfies every requirement.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from evomask.data.classes import Classes, classes_of, classes_of_columns
from evomask.data.recoding import SUPPRESSED, is_uninformative
from evomask.data.schema import Kind, Role, Schema
from evomask.data.table import Column, Table
from evomask.data.units import unit_labels, units_in
from evomask.errors import DataError, SchemaError
from evomask.masking.enforce.repair import Repair
from evomask.masking.missing import missing_cells
from evomask.types import Flags, Floats, Indices

MOST_ROUNDS = 8
"""Rounds in which classes that violate l or t are dissolved."""

CELLS_AT_ONCE = 4_000_000
"""Classes times confidential values whose distributions are compared at once."""

MANY_AT_RISK = 0.2
"""Share of records at risk above which attributes are also made coarser before cells change."""

LEVELS = (3, 6, 12, 24, 48, 0)
"""Numbers of values that coarser attributes have, 0 for all; they are tried until a result is
dearer than the one before."""

MOST_AT_RISK, MOST_AT_RISK_QUICKLY = 0.8, 0.5
"""Share of records at risk above which a level, and every finer one, is too fine; of a sample and
of a large table, for which levels are costly."""

LARGE = 5_000
"""Records of a large table: levels are tried from fine to coarse, as those that are too fine cost
little."""

MOST_SUPPRESSED = 0.02
"""Largest share of records that are suppressed because of a missing value that few have."""

LARGEST_UNIT = 4.0
"""Highest cost of replacing a nominal value; of a suppressed cell it is 1."""


@dataclass(frozen=True)
class KnownAttributes:
    """Attributes that an intruder knows exactly, and the requirement that holds for them.

    Args:
        unit: number of the persons or households that k counts; empty for records.
    """

    names: tuple[str, ...]
    k: int = 1
    l: int = 1  # noqa: E741
    t: float = 1.0
    unit: str = ""


def without_implied(known: Sequence[KnownAttributes]) -> tuple[KnownAttributes, ...]:
    """Return the requirements that no other one implies.

    Classes of fewer attributes are unions of classes, so they have no fewer records and values,
    and their distributions are no farther from the file's.
    """
    left: list[tuple[frozenset[str], KnownAttributes]] = []
    for one in sorted(dict.fromkeys(known), key=lambda own: (-len(own.names), -own.k, -own.l)):
        names = frozenset(one.names)
        if not any(
            names <= others
            and other.k >= one.k
            and other.l >= one.l
            and other.t <= one.t
            and one.unit in ("", other.unit)
            for others, other in left
        ):
            left.append((names, one))
    return tuple(one for _, one in left)


def maskable(schema: Schema, names: Sequence[str]) -> tuple[str, ...]:
    """Return the attributes whose classes are enforced, in place of *names*.

    A derived column is replaced by its source, whose classes are finer. Strata are left out:
    each is enforced by itself.
    """
    found = dict.fromkeys(schema[name].linked or name for name in names)
    for name in found:
        if schema[name].role is Role.WEIGHT:
            raise SchemaError(
                f"{name!r} is a weight, which is never masked, and a scenario knows it exactly; "
                "leave it out of the scenario"
            )
    return tuple(sorted(name for name in found if schema[name].role is not Role.STRATUM))


@dataclass(frozen=True)
class ScenarioRepair:
    """Change few cells so that every requirement holds for the attributes that intruders know.

    Args:
        known: the requirements; none implies another.
        frozen: attributes whose cells may not be changed.
        is_sample: whether the table is a sample of a file, where speed counts more than cells.
    """

    known: tuple[KnownAttributes, ...]
    frozen: tuple[str, ...] = ()
    is_sample: bool = False

    @property
    def attributes(self) -> tuple[str, ...]:
        """Every attribute that some intruder knows exactly."""
        return tuple(sorted({name for one in self.known for name in one.names}))

    @property
    def t(self) -> float:
        """The smallest required t."""
        return min(one.t for one in self.known)

    @property
    def strictest(self) -> KnownAttributes:
        """A requirement on all known attributes together that implies every other one."""
        k, l = max(one.k for one in self.known), max(one.l for one in self.known)  # noqa: E741
        return KnownAttributes(self.attributes, k, l, self.t)

    def checked(self, table: Table) -> None:
        """Raise if a requirement certainly cannot be satisfied."""
        for one in self.known:
            repair_of(one, table).checked(table)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with all requirements satisfied; no random number is drawn.

        Few records that remain at risk because of a missing value are suppressed.
        """
        kept = np.flatnonzero(~table.suppressed)
        masked = change_released(table, self.attributes, self._changed)
        rare = self._with_rare_missing(masked.take(kept)) if len(kept) else np.zeros(0, dtype=bool)
        if not rare.any():
            return masked
        flags = np.zeros(len(table), dtype=bool)
        flags[kept[rare]] = True
        return self.mask(table.suppressing(flags), rng)

    def _with_rare_missing(self, table: Table) -> Flags:
        """Flag the records at risk if they are few and each has a missing value; else none."""
        missing = np.any([missing_cells(table, name) for name in self.attributes], axis=0)
        none = np.zeros(len(table), dtype=bool)
        if not missing.any():
            return none
        wrong = np.any([insufficient(table, one) for one in self.known], axis=0)
        return none if wrong.mean() > MOST_SUPPRESSED or (wrong & ~missing).any() else wrong

    def change_cells(self, table: Table) -> tuple[Table, bool]:
        """Change cells, and return whether all requirements are satisfied then."""
        for _ in range(MOST_ROUNDS):
            wrong = [insufficient(table, one) for one in self.known]
            if not any(flags.any() for flags in wrong):
                return table, True
            before = table
            table = self._change_cells(table, wrong)
            if table is before:
                break
        return table, False

    def _changed(self, table: Table) -> Table:
        self.checked(table)
        table, holds = self.change_cells(table)
        if holds or self._with_rare_missing(table).any():
            return table
        merged = repair_of(self.strictest, table).mask(table, np.random.default_rng(0))
        if any(insufficient(merged, one).any() for one in self.known):
            raise DataError(
                "no enforcement satisfies what every scenario requires; require less, or let "
                "scenarios know fewer confidential attributes"
            )
        return merged

    def _change_cells(self, table: Table, wrong: Sequence[Flags]) -> Table:
        """Change cells so that all classes are large enough and those that violate l or t empty."""
        from evomask.kernels.groups.class_sizes import change_cells

        names = self.attributes
        values = [_Values.of(table, name) for name in names]
        starts = np.cumsum([0, *(len(own) for own in values)])
        rows = np.column_stack(
            [own.rows + first for own, first in zip(values, starts, strict=False)]
        )
        inside = np.array([[name in one.names for name in names] for one in self.known])
        stars = [
            first + own.suppressed if own.suppressed >= 0 else -1
            for own, first in zip(values, starts, strict=False)
        ]
        has_l_or_t = any(one.l > 1 or one.t < 1 for one in self.known)
        before, best, lowest = rows, rows, np.inf
        many = np.any(wrong, axis=0).mean() > MANY_AT_RISK
        is_large, levels = len(table) > LARGE, LEVELS if many else (0,)
        most = MOST_AT_RISK_QUICKLY if self.is_sample or is_large else MOST_AT_RISK
        for level in reversed(levels) if is_large else levels:
            is_coarsest = level == levels[0]
            rows = np.column_stack(
                [
                    c if name in self.frozen else own.coarsened(c, f, level)
                    for name, own, c, f in zip(names, values, before.T, starts, strict=False)
                ]
            )
            left = change_cells(
                rows,
                before,
                inside.astype(np.int64),
                np.array([one.k for one in self.known]),
                starts,
                np.random.default_rng(0).integers(-(2**62), 2**62, starts[-1]),
                np.concatenate([own.places for own in values]),
                np.array([own.unit for own in values]),
                np.array([own.is_ordered for own in values], dtype=np.int64),
                np.concatenate([own.special for own in values]).astype(np.int64),
                np.array(stars),
                np.array([name in self.frozen for name in names], dtype=np.int64),
                np.array(wrong if has_l_or_t else np.empty((0, 0)), dtype=np.int64),
                _slots(values, inside, len(table)),
                len(table) if is_coarsest else int(most * len(table)),
            )
            if left.any() and not is_coarsest:
                if is_large:
                    continue
                break
            cost = sum(
                own.cost(old - first, new - first)
                for own, old, new, first in zip(values, before.T, rows.T, starts, strict=False)
            )
            if cost >= lowest:
                break
            best, lowest = rows, cost
        for name, own, old, new, first in zip(
            names, values, before.T, best.T, starts, strict=False
        ):
            if not np.array_equal(old, new):
                table = own.with_cells(table, name, new - first)
        return table


def repair_of(one: KnownAttributes, table: Table) -> Repair:
    """The repair that merges classes of the attributes that one intruder knows."""
    return Repair(one.names, one.k, one.l, one.t, _confidential(one, table))


def _confidential(one: KnownAttributes, table: Table) -> tuple[str, ...]:
    """Confidential attributes that an intruder does not know; none where l and t are neutral."""
    if one.l == 1 and one.t == 1:
        return ()
    names = table.schema.with_role(Role.CONFIDENTIAL)
    return tuple(name for name in names if name not in one.names)


def _slots(values: Sequence["_Values"], inside: Flags, n_records: int) -> int:
    """Size of a table of all classes; a quarter is enough for them, a half with new ones."""
    sizes = [len(own) for own in values]
    classes = sum(
        min(n_records, prod(size for size, is_in in zip(sizes, row, strict=True) if is_in))
        for row in inside
    )
    return 1 << int(4 * classes).bit_length()


def insufficient(table: Table, one: KnownAttributes) -> Flags:
    """Flag the records whose class violates the requirement."""
    classes = classes_of(table, one.names)
    violates = classes.sizes < one.k
    if one.unit:
        violates |= units_in(classes.labels, unit_labels(table, one.unit)) < one.k
    for name in _confidential(one, table):
        is_ordered = table.attribute(name).kind is not Kind.NOMINAL
        codes = classes_of(table, [name])
        for part, fewest, distance in _distributions(classes, codes, ordered=is_ordered):
            violates[part] |= (fewest < one.l) | (distance > one.t + 1e-12)
    flags: Flags = violates[classes.labels]
    return flags


def _distributions(
    classes: Classes, values: Classes, *, ordered: bool
) -> Iterator[tuple[slice, Indices, Floats]]:
    """Yield classes with their numbers of distinct values and distances from the file."""
    whole = values.sizes / values.sizes.sum()
    size, order = len(values), np.argsort(classes.labels, kind="stable")
    ends = np.append(0, np.cumsum(classes.sizes))
    step = max(1, CELLS_AT_ONCE // size)
    for start in range(0, len(classes), step):
        part = slice(start, min(start + step, len(classes)))
        records = order[ends[part.start] : ends[part.stop]]
        places = (classes.labels[records] - part.start) * size + values.labels[records]
        counts = np.bincount(places, minlength=(part.stop - part.start) * size).reshape(-1, size)
        apart = counts / classes.sizes[part, None] - whole
        if ordered:
            distance = np.abs(np.cumsum(apart, axis=1)).sum(axis=1) / max(1, size - 1)
        else:
            distance = np.abs(apart).sum(axis=1) / 2
        yield part, (counts > 0).sum(axis=1), distance


@dataclass(frozen=True, eq=False)
class _Values:
    """The distinct cells of a column, and what it costs to replace them.

    Args:
        rows: cell of each record.
        records: a record with each cell; -1 for a suppressed cell that no record has.
        places: mean rank of each cell, as a share of the records.
        unit: cost of a step between places, or of any replacement where nominal.
        special: whether each cell is missing or suppressed.
        suppressed: number of the suppressed cell; -1 where the column has none.
    """

    rows: Indices
    records: Indices
    places: Floats
    unit: float
    is_ordered: bool
    special: Flags
    suppressed: int

    def __len__(self) -> int:
        return len(self.records)

    @classmethod
    def of(cls, table: Table, name: str) -> "_Values":
        """Number the cells of a column: by their order, or where nominal by their frequency."""
        classes = classes_of_columns([table[name]], len(table))
        attribute, is_recoded = table.attribute(name), table.is_recoded(name)
        is_ordered = attribute.kind is not Kind.NOMINAL
        first = table[name][classes.representatives]
        special = _is_special(table, name, first)
        middles = np.zeros(len(classes))
        if is_ordered:
            middles = table.middles(name)[classes.representatives]
            special |= np.isnan(middles)
        keys = np.where(special, 0.0, middles if is_ordered else -classes.sizes)
        order = np.lexsort((keys, special))
        number = np.argsort(order)
        sizes, special = classes.sizes[order], special[order]
        shares = np.where(special, 0.0, sizes) / len(table)
        places = np.cumsum(shares) - shares / 2
        records, suppressed = classes.representatives[order], -1
        if is_recoded:
            labels = np.array(table.recoding(name).labels)[first[order]]
            found = np.flatnonzero(labels == SUPPRESSED)
            suppressed = int(found[0]) if len(found) else len(records)
            if not len(found):
                records, places = np.append(records, -1), np.append(places, 1.0)
                special = np.append(special, True)
        unit = _unit_of(places[: len(shares)], shares, is_ordered=is_ordered)
        return cls(number[classes.labels], records, places, unit, is_ordered, special, suppressed)

    def coarsened(self, column: Indices, first: int, level: int) -> Indices:
        """Return the column with at most *level* values, or as it is where level is 0.

        An ordered value becomes the middle one of its share of the records; a nominal one that is
        not among the most frequent becomes the most frequent.
        """
        numbers = np.arange(len(self))
        if level and self.is_ordered:
            bins = np.minimum((self.places * level).astype(np.int64), level - 1)
            off = np.abs(self.places * level - bins - 0.5)
            nearest = np.lexsort((off, bins, self.special))
            known = nearest[: len(self) - int(self.special.sum())]
            middles = known[np.unique(bins[known], return_index=True)[1]]
            numbers = numbers.copy()
            numbers[known] = middles[np.searchsorted(bins[middles], bins[known])]
        elif level:
            numbers = np.where(self.special | (numbers < level), numbers, 0)
        return numbers[column - first] + first

    def cost(self, before: Indices, after: Indices) -> float:
        """Cost of all replaced cells."""
        if self.is_ordered:
            costs = np.abs(self.places[before] - self.places[after]) * self.unit
        else:
            costs = np.where(before == after, 0.0, self.unit)
        is_special = (self.special[before] | self.special[after]) & (before != after)
        return float(np.where(is_special, 1.0, costs).sum())

    def with_cells(self, table: Table, name: str, rows: Indices) -> Table:
        """Return the table with other cells in a column."""
        column: Column = table[name][self.records[rows]]
        if not table.is_recoded(name):
            return table.with_columns({name: column})
        recoding = table.recoding(name)
        if self.records[self.suppressed] < 0:
            column = np.where(rows == self.suppressed, len(recoding.labels), column)
            recoding = recoding.with_suppressed_cell()
        return table.with_recoded(name, column.astype(np.int32), recoding)


def _is_special(table: Table, name: str, cells: Column) -> Flags:
    """Flag missing and suppressed cells."""
    if table.is_recoded(name) or table.attribute(name).is_categorical:
        flags: Flags = is_uninformative(table.recoding(name))[cells]
        return flags
    return np.isnan(cells)


def _unit_of(places: Floats, shares: Floats, *, is_ordered: bool) -> float:
    """Cost of a step: a column in random order costs 1 a cell."""
    if not is_ordered:
        differing = 1.0 - float(np.sum((shares / max(shares.sum(), 1e-12)) ** 2))
        return min(LARGEST_UNIT, 1.0 / max(differing, 1e-12))
    mean = 2.0 * float(np.sum(shares * (places * np.cumsum(shares) - np.cumsum(shares * places))))
    return 1.0 / max(mean, 1e-12)


def change_released(table: Table, names: Sequence[str], change: Callable[[Table], Table]) -> Table:
    """Return the table with the columns *names* of its released records changed."""
    records = np.flatnonzero(~table.suppressed)
    if not len(records):
        return table
    released = table if len(records) == len(table) else table.take(records)
    part = change(released)
    if part is released:
        return table
    if released is table:
        return part
    for name in names:
        column: Column = np.resize(part[name], len(table))
        column[records] = part[name]
        if part.is_recoded(name):
            table = table.with_recoded(name, column, part.recoding(name))
        else:
            table = table.with_columns({name: column})
    return table
