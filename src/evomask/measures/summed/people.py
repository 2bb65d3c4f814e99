"""People drawn from a large file, and what each of its parts tells of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.data.adding import added_up
from evomask.data.classes import classes_of_columns
from evomask.data.schema import Role
from evomask.data.table import Column, Table
from evomask.errors import DataError
from evomask.kernels.linking.linkage import Rows
from evomask.measures.judging.linked import n_agreeing, tolerances_of
from evomask.measures.judging.wide import whole_numbers
from evomask.measures.people import FIXED
from evomask.measures.summed.columns import WholeFile


@dataclass(frozen=True, eq=False)
class Drawn:
    """The people that are attacked, those who look alike once.

    Args:
        table: one record for each, with all that is compared.
        weights: how many people like that were drawn.
        known, confidential: what an intruder may know, and what is read.
    """

    table: Table
    weights: Indices
    known: tuple[str, ...]
    confidential: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All attributes that are compared or read."""
        return (*self.known, *self.confidential)


def drawn_from(table: Table, people: int, attributes: Sequence[str]) -> Drawn:
    """So many of a sample's people at most, always the same.

    Args:
        attributes: what is compared; confidential ones are read, unless all of them are.
    """
    roles = {name: table.attribute(name).role for name in table.schema.names}
    open_ones = tuple(n for n in attributes if roles[n] is not Role.CONFIDENTIAL)
    known = open_ones or tuple(attributes)
    secret = [n for n, role in roles.items() if role is Role.CONFIDENTIAL and n not in known]
    rng = np.random.default_rng(FIXED)
    chosen = np.sort(rng.permutation(len(table))[:people])
    table = table.take(chosen)
    classes = classes_of_columns([table[name] for name in known], len(table))
    return Drawn(table.take(classes.representatives), classes.sizes, known, tuple(secret))


@dataclass(frozen=True, eq=False)
class Met:
    """What one part tells before anybody is attacked.

    Args:
        people: rows of numbers: who it is, their original and their masked record, how often.
        agreeing: how many masked numbers agree with each person, attribute by attribute; first
            with all cells believed, then with those passed over that may be anything.
        whole: how many cells of each number may be anything.
    """

    people: Points
    agreeing: Indices
    whole: Indices


def met_in(whole: WholeFile, drawn: Drawn, original: Table, masked: Table) -> Met:
    """Look for the drawn people in one part."""
    columns = [np.concatenate([original[name], drawn.table[name]]) for name in drawn.known]
    labels = classes_of_columns(columns, len(original) + len(drawn.weights)).labels
    place = np.full(int(labels.max()) + 1, -1)
    place[labels[len(original) :]] = np.arange(len(drawn.weights))
    who = place[labels[: len(original)]]
    records = np.flatnonzero(who >= 0)
    space = whole.space(original, drawn.names)
    rows = space.masked(masked).rows
    people = np.column_stack(
        [who[records], *flat(space.originals.take(records)), *flat(rows.take(records))]
    )
    flags = whole_numbers(space, rows)
    low, high = (np.where(flags, np.nan, end) for end in (rows.low, rows.high))
    passing = Rows(low, high, rows.codes)
    targets, tolerances = whole.space(drawn.table, drawn.names), tolerances_of(space)
    agreeing = [
        [n_agreeing(column.values, own.low[:, a], own.high[:, a], float(tolerances[a]))
         for a, column in enumerate(targets.numbers)]
        for own in (rows, passing)
    ]  # fmt: skip
    shape = 2, len(targets.numbers), len(drawn.weights)
    return Met(
        counted_rows(people, np.ones(len(people))),
        np.array(agreeing, dtype=np.int64).reshape(shape),
        flags.sum(axis=0),
    )


def flat(rows: Rows) -> list[Column]:
    """Records as arrays that stand side by side in rows of numbers."""
    return [rows.low, rows.high, rows.codes]


def counted_rows(rows: Points, counts: Floats | Indices) -> Points:
    """Different rows of numbers, with how often each occurs in a last column."""
    classes = classes_of_columns([_whole(column) for column in rows.T], len(rows))
    often = np.bincount(classes.labels, counts, len(classes))
    return np.column_stack([rows[classes.representatives], often])


def _whole(column: Floats) -> Column:
    """Codes and other whole numbers as such, which need no sorting to be told apart."""
    with np.errstate(invalid="ignore"):
        codes = column.astype(np.int64)
    is_whole = np.array_equal(codes, column) and codes.min(initial=0) >= 0
    return codes if is_whole else column


def merged_rows(parts: Iterable[Points]) -> Points:
    """Counted rows of all parts, each once; the counts of equal ones are added up."""
    merged = added_up(parts, _merged)
    if merged is None:
        raise DataError("there is nothing to count")
    return merged


def _merged(parts: Sequence[Points]) -> Points:
    both = np.concatenate(parts)
    return counted_rows(both[:, :-1], both[:, -1])


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the columns of such rows stand: so many numbers, twice, then so many codes."""

    numbers: int
    codes: int

    @property
    def width(self) -> int:
        """How many columns a record takes."""
        return 2 * self.numbers + self.codes

    def rows(self, matrix: Points) -> Rows:
        """Records as intruders compare them."""
        low = np.ascontiguousarray(matrix[:, : self.numbers])
        high = np.ascontiguousarray(matrix[:, self.numbers : 2 * self.numbers])
        codes = matrix[:, 2 * self.numbers : self.width].astype(np.int32)
        return Rows(low, low if np.array_equal(low, high, equal_nan=True) else high, codes)
