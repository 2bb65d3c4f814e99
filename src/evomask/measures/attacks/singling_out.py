"""Singling out: a rare combination in the masked file that describes one real individual.

The intruder looks in the masked file for combinations of one to three attributes that occur once,
and claims that exactly one individual has each of them. The attack does not depend on which
record belongs to whom.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from evomask.data.classes import Classes, classes_of_columns
from evomask.data.table import Table
from evomask.measures.attacks.attack import (
    AttackResult,
    PreparedAttack,
    result_of,
    sets_of_attributes,
)
from evomask.measures.columns import CategoricalColumn, NumberColumn
from evomask.measures.measure import About, Side, check_columns, check_original
from evomask.measures.targets import FIXED_SEED
from evomask.types import Codes, Flags, Floats, Indices

LARGEST = 3
MOST_SETS = 60
MOST_CLAIMS = 500
INTERVALS = 10
"""Numbers are described by the decile of the masked values."""


@dataclass(frozen=True, eq=False)
class _Vocabulary:
    """One attribute in the vocabulary of the claims.

    Args:
        people: word of each original record.
        others: word of each record of the control group.
        cells: cell of each masked record.
        covers: row c flags the words that cell c may stand for.
    """

    people: Codes
    others: Codes
    cells: Codes
    covers: Flags

    @property
    def is_plain(self) -> bool:
        """Whether cell c is word c, for all cells."""
        size = self.covers.shape[1]
        return len(self.covers) == size and bool(np.array_equal(self.covers, np.eye(size)))

    def shuffled(self, rng: np.random.Generator) -> "_Vocabulary":
        return replace(self, cells=rng.permutation(np.sort(self.cells)))


@dataclass(frozen=True, eq=False)
class _Claims:
    """Individuals singled out by claims, the number of claims and of correct ones.

    Args:
        singled: people who alone fit a claim.
        others: people of the control group who fit a claim that nobody in the release fits.
    """

    singled: Flags
    others: Flags
    made: int
    correct: int

    @property
    def percent(self) -> float:
        """Share of individuals who are singled out."""
        return 100.0 * float(self.singled.mean())

    @property
    def percent_correct(self) -> float:
        """Share of claims that are correct; 0 without any."""
        return 100.0 * self.correct / self.made if self.made else 0.0


@dataclass(frozen=True)
class SinglingOut:
    """Share of individuals singled out by a combination that occurs once in the masked file.

    All sets of one to three attributes are tried, 60 of each size at most. Of generalized
    attributes at most 500 combinations of a set are tried. ``bets_won`` is the share of correct
    claims. A person of the control group is singled out by a claim that they would fit alone if
    they took the place of somebody in the file. Without a control group the same attack is
    compared on masked columns shuffled independently: what single attributes reveal.
    """

    attributes: tuple[str, ...]
    matches_records: bool = False

    about: ClassVar[About] = About(
        "singling-out",
        "singling out by rare combinations",
        Side.RISK,
        "the share of individuals described by a combination of up to three values that occurs "
        "once in the masked file and fits exactly one real individual",
    )

    def against(self, original: Table, control: Table | None = None) -> PreparedAttack:
        check_original(original, self.attributes)
        others = original.take(np.empty(0, dtype=np.int64)) if control is None else control
        sizes = range(1, min(LARGEST, len(self.attributes)) + 1)
        sets = [s for size in sizes for s in sets_of_attributes(self.attributes, size, MOST_SETS)]

        def attack(masked: Table) -> AttackResult:
            check_columns(original, masked, self.attributes)
            columns = {
                name: _vocabulary(original, others, masked, name) for name in self.attributes
            }
            found = _claims(columns, sets)
            if len(others):
                expected = 100.0 * float(found.others.mean())
            else:
                rng = np.random.default_rng(FIXED_SEED)
                apart = {name: column.shuffled(rng) for name, column in columns.items()}
                expected = _claims(apart, sets).percent
            return result_of(
                self.about,
                success=found.percent,
                targets=len(original),
                control=expected,
                control_people=len(others),
                details={"bets_won": found.percent_correct},
            )

        return attack


def _vocabulary(original: Table, others: Table, masked: Table, name: str) -> _Vocabulary:
    if original.attribute(name).is_categorical:
        column = CategoricalColumn.of(original, name)
        cells = column.cells(masked)
        return _Vocabulary(column.codes, others.codes(name), cells.codes, cells.leaves)
    return _number_vocabulary(NumberColumn.of(original, name), others.values(name), masked)


def _number_vocabulary(column: NumberColumn, others: Floats, masked: Table) -> _Vocabulary:
    """Words are the intervals between quantiles of the masked values, and one for missing."""
    cells = column.cells(masked)
    known = cells.centre[~np.isnan(cells.centre)]
    shares = np.arange(1, INTERVALS) / INTERVALS
    cuts = np.unique(np.quantile(known, shares, method="lower")) if len(known) else np.empty(0)
    first, last = _words(cuts, cells.low), _words(cuts, cells.high)
    words, people = np.arange(len(cuts) + 2), _words(cuts, column.values)
    if np.array_equal(first, last):
        plain = np.eye(len(words), dtype=bool)
        return _Vocabulary(people, _words(cuts, others), first, plain)
    spans = classes_of_columns([first, last], len(first))
    low, high = first[spans.representatives, None], last[spans.representatives, None]
    covers = (words >= low) & (words <= high)
    return _Vocabulary(people, _words(cuts, others), spans.labels.astype(np.int32), covers)


def _words(cuts: Floats, numbers: Floats) -> Codes:
    missing = len(cuts) + 1
    return np.where(np.isnan(numbers), missing, np.searchsorted(cuts, numbers)).astype(np.int32)


def _claims(columns: dict[str, _Vocabulary], sets: Sequence[tuple[str, ...]]) -> _Claims:
    """Claims on all sets of attributes together."""
    claims = []
    for names in sets:
        chosen = [columns[name] for name in names]
        plain = all(column.is_plain for column in chosen)
        claims.append(_by_equality(chosen) if plain else _by_covering(chosen))
    singled: Flags = np.logical_or.reduce([claim.singled for claim in claims])
    others: Flags = np.logical_or.reduce([claim.others for claim in claims])
    return _Claims(singled, others, sum(c.made for c in claims), sum(c.correct for c in claims))


def _by_equality(columns: list[_Vocabulary]) -> _Claims:
    """Claims on plain cells: both files hold the combination once, by one sort."""
    every = [np.concatenate([c.people, c.cells, c.others]) for c in columns]
    classes = classes_of_columns(every, len(every[0]))
    ends = np.cumsum([len(columns[0].people), len(columns[0].cells)])
    individuals, cells, others = np.split(classes.labels, ends)
    people, released = (np.bincount(part, minlength=len(classes)) for part in (individuals, cells))
    correct = (people == 1) & (released == 1)
    fits_other = (people == 0) & (released == 1)
    made = int(np.count_nonzero(released == 1))
    return _Claims(correct[individuals], fits_other[others], made, int(correct.sum()))


def _by_covering(columns: list[_Vocabulary]) -> _Claims:
    """Claims on generalized cells: all distinct individuals that a combination may describe."""
    released = classes_of_columns([column.cells for column in columns], len(columns[0].cells))
    claims = released.representatives[released.sizes == 1]
    if len(claims) > MOST_CLAIMS:
        claims = claims[np.linspace(0, len(claims) - 1, MOST_CLAIMS).astype(np.int64)]
    people, fits = _fits(columns, claims, [column.people for column in columns])
    others, fits_other = _fits(columns, claims, [column.others for column in columns])
    count = fits @ people.sizes
    won = np.flatnonzero(count == 1)
    found: Flags = np.logical_or.reduce(fits[won], axis=0)
    missed: Flags = np.logical_or.reduce(fits_other[np.flatnonzero(count == 0)], axis=0)
    return _Claims(
        found[people.labels],
        missed[others.labels],
        len(claims),
        len(won),
    )


def _fits(
    columns: list[_Vocabulary], claims: Indices, words: Sequence[Codes]
) -> tuple[Classes, Flags]:
    """Distinct individuals, and for each claim (rows) those whom it may describe."""
    classes = classes_of_columns(words, len(words[0]))
    fits = np.ones((len(claims), len(classes)), dtype=bool)
    for column, own in zip(columns, words, strict=True):
        fits &= column.covers[column.cells[claims]][:, own[classes.representatives]]
    return classes, fits
