"""Singling out: a rare combination in the masked file describes one real person.

The intruder looks in the masked file for combinations of one to three attributes that occur
just once, and bets that exactly one person has each of them. The attack does not care which
record belongs to whom.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Codes, Flags, Floats, Indices
from evomask.data.classes import classes_of_columns
from evomask.data.table import Table
from evomask.measures.attacks.attack import FIXED, Strike, Success, sets_of_attributes
from evomask.measures.categories import CategoricalColumn
from evomask.measures.comparability import check_columns, check_original
from evomask.measures.measure import About, Side
from evomask.measures.numbers import NumberColumn

LARGEST = 3
MOST_SETS = 60
MOST_BETS = 500
PARTS = 10
"""Numbers are described by the tenth of the masked values in which they lie."""


@dataclass(frozen=True, eq=False)
class _Described:
    """One attribute in the words of the bets.

    Args:
        people: a word for each original record.
        cells: a cell for each masked record.
        covers: row c flags the words that cell c may stand for.
    """

    people: Codes
    cells: Codes
    covers: Flags

    @property
    def is_plain(self) -> bool:
        """Whether cell c is word c, for all cells."""
        size = self.covers.shape[1]
        return len(self.covers) == size and bool(np.array_equal(self.covers, np.eye(size)))

    def shuffled(self, rng: np.random.Generator) -> "_Described":
        """The same cells at other records."""
        return _Described(self.people, rng.permutation(np.sort(self.cells)), self.covers)


@dataclass(frozen=True, eq=False)
class _Bets:
    """What became of bets: the people they single out, how many were made, and how many won."""

    singled: Flags
    made: int
    won: int

    @property
    def percent(self) -> float:
        """The share of people who are singled out."""
        return 100.0 * float(self.singled.mean())

    @property
    def percent_won(self) -> float:
        """The share of bets that single somebody out; 0 where there is nothing to bet on."""
        return 100.0 * self.won / self.made if self.made else 0.0


@dataclass(frozen=True)
class SinglingOut:
    """People described by a combination that occurs once in the masked file, and only them.

    All sets of one to three attributes are tried, 60 of each size at most. Of generalized
    attributes at most 500 combinations of a set are tried. The baseline is the same attack on
    masked columns shuffled apart: what the attributes tell one by one. How many of the bets are
    won is told beside it.
    """

    attributes: tuple[str, ...]
    matches_records: bool = False

    about: ClassVar[About] = About(
        "singling-out",
        "singling out by rare combinations",
        Side.RISK,
        "the share of people whom an intruder picks out by a combination of up to three values "
        "that occurs once in the masked file and fits exactly one real person",
    )

    def against(self, original: Table) -> Strike:
        """Prepare the sets of attributes by which people may be singled out."""
        check_original(original, self.attributes)
        sizes = range(1, min(LARGEST, len(self.attributes)) + 1)
        sets = [s for size in sizes for s in sets_of_attributes(self.attributes, size, MOST_SETS)]

        def strike(masked: Table) -> Success:
            check_columns(original, masked, self.attributes)
            columns = {name: _described(original, masked, name) for name in self.attributes}
            rng = np.random.default_rng(FIXED)
            apart = {name: column.shuffled(rng) for name, column in columns.items()}
            found, blind = _found_out(columns, sets), _found_out(apart, sets)
            return Success(found.percent, blind.percent, {"bets_won": found.percent_won})

        return strike


def _described(original: Table, masked: Table, name: str) -> _Described:
    if original.attribute(name).is_categorical:
        column = CategoricalColumn.of(original, name)
        cells = column.cells(masked)
        return _Described(column.codes, cells.codes, cells.leaves)
    return _described_numbers(NumberColumn.of(original, name), masked)


def _described_numbers(column: NumberColumn, masked: Table) -> _Described:
    """Words are the parts between the masked values' quantiles, and a last one for missing."""
    cells = column.cells(masked)
    known = cells.centre[~np.isnan(cells.centre)]
    shares = np.arange(1, PARTS) / PARTS
    cuts = np.unique(np.quantile(known, shares, method="lower")) if len(known) else np.empty(0)
    first, last = _words(cuts, cells.low), _words(cuts, cells.high)
    words = np.arange(len(cuts) + 2)
    if np.array_equal(first, last):
        return _Described(_words(cuts, column.values), first, np.eye(len(words), dtype=bool))
    spans = classes_of_columns([first, last], len(first))
    low, high = first[spans.representatives, None], last[spans.representatives, None]
    covers = (words >= low) & (words <= high)
    return _Described(_words(cuts, column.values), spans.labels.astype(np.int32), covers)


def _words(cuts: Floats, numbers: Floats) -> Codes:
    missing = len(cuts) + 1
    return np.where(np.isnan(numbers), missing, np.searchsorted(cuts, numbers)).astype(np.int32)


def _found_out(columns: dict[str, _Described], sets: Sequence[tuple[str, ...]]) -> _Bets:
    """The bets on all sets together."""
    bets = [_bets([columns[name] for name in chosen]) for chosen in sets]
    anybody: Flags = np.logical_or.reduce([bet.singled for bet in bets])
    return _Bets(anybody, sum(bet.made for bet in bets), sum(bet.won for bet in bets))


def _bets(columns: list[_Described]) -> _Bets:
    if all(column.is_plain for column in columns):
        return _by_equality(columns)
    return _by_covering(columns)


def _by_equality(columns: list[_Described]) -> _Bets:
    """Both files hold the combination once: one sort of all records together."""
    n_people = len(columns[0].people)
    both = [np.concatenate([column.people, column.cells]) for column in columns]
    classes = classes_of_columns(both, len(both[0]))
    people, cells = classes.labels[:n_people], classes.labels[n_people:]
    once = [np.bincount(labels, minlength=len(classes)) == 1 for labels in (people, cells)]
    won = once[0] & once[1]
    return _Bets(won[people], int(once[1].sum()), int(won.sum()))


def _by_covering(columns: list[_Described]) -> _Bets:
    """For each combination of cells that occurs once, all distinct people it may describe."""
    n_people = len(columns[0].people)
    released = classes_of_columns([column.cells for column in columns], len(columns[0].cells))
    people = classes_of_columns([column.people for column in columns], n_people)
    bets = _some(released.representatives[released.sizes == 1])
    fits = np.ones((len(bets), len(people)), dtype=bool)
    for column in columns:
        fits &= column.covers[column.cells[bets]][:, column.people[people.representatives]]
    won = np.flatnonzero(fits @ people.sizes == 1)
    singled = np.zeros(n_people, dtype=bool)
    singled[people.representatives[(fits[won] & (people.sizes == 1)).argmax(axis=1)]] = True
    return _Bets(singled, len(bets), len(won))


def _some(bets: Indices) -> Indices:
    """All bets, or so many of them evenly chosen."""
    if len(bets) <= MOST_BETS:
        return bets
    return bets[np.linspace(0, len(bets) - 1, MOST_BETS).astype(np.int64)]
