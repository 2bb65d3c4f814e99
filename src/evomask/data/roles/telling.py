"""What columns that are released as they are tell: of a masked one, or who somebody is.

A copy of a masked column undoes its masking, and so do two columns that settle it together. What
is unique in a file finds its record again for whoever knows it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from evomask.arrays import Floats, Indices
from evomask.data.roles.links import ALIKE, MOST_RECORDS, sampled
from evomask.data.schema import Role
from evomask.data.table import Table

SETTLED = 0.95
"""Share of wrong guesses at a masked value that other columns must take away to tell it."""
ENOUGH = 0.5
"""Share of the records that must share what they have in other columns for that to be seen."""
FEWEST = 20
"""Below so many records nothing can be said."""
IN_A_BAND = 10
"""Records that are taken together where every record has its own number."""
SINGLED_OUT = 5.0
"""Percent of the people that columns must single out to be named."""
MOST_COLUMNS = 25
"""Pairs are looked at among at most this many columns."""
MOST_TOGETHER = 4
"""Columns that are named as singling people out."""
FIT = 0.9999
"""Share of the variance of a masked number that two others must explain to tell it."""


@dataclass(frozen=True)
class Telling:
    """Columns that are released as they are, and the masked one they tell; none where it is who.

    Args:
        share: percent of the people that they single out, where they tell who somebody is.
    """

    columns: tuple[str, ...]
    about: str = ""
    share: float = 0.0

    @property
    def text(self) -> str:
        """What they tell and what can be done, in a sentence."""
        names = " and ".join(map(repr, self.columns))
        alone = len(self.columns) == 1
        if not self.about:
            who = "singles" if alone else "together single"
            return (
                f"{names} {who} out {self.share:.0f} % of the people and would be released as "
                f"{'it is' if alone else 'they are'}; mask {'it' if alone else 'one'} if others "
                "may know it"
            )
        link = f", link it (linked = {self.about!r})" if alone else ""
        tell = "tells" if alone else "together tell"
        return (
            f"{names} {tell} {self.about!r}, which is masked, and would be released as "
            f"{'it is' if alone else 'they are'}; mask {'it' if alone else 'one'} too{link} or "
            "drop it"
        )


def tellings(table: Table) -> tuple[Telling, ...]:
    """What the untouched columns of a table tell of masked ones, and of who somebody is."""
    sample = sampled(table, MOST_RECORDS)
    if len(sample) < FEWEST:
        return ()
    masked = [Column(sample, name) for name in table.schema.quasi_identifiers]
    free = [Column(sample, name) for name in untouched(table)]
    free = [column for column in free if column.distinct > 1]
    return (*_of_columns(free, [m for m in masked if m.distinct > 1]), *_of_people(table, free))


def untouched(table: Table) -> tuple[str, ...]:
    """Columns that a release holds as they are."""
    return tuple(
        a.name
        for a in table.schema
        if a.role.is_released and a.role is not Role.QUASI_IDENTIFIER and not a.linked
    )


@dataclass(frozen=True)
class Column:
    """One column, its values numbered from 0."""

    table: Table
    name: str

    @cached_property
    def codes(self) -> Indices:
        """The number of each record's value."""
        return np.unique(self.table[self.name], return_inverse=True)[1]

    @cached_property
    def distinct(self) -> int:
        """How many different values there are."""
        return int(self.codes.max()) + 1

    @cached_property
    def repeats(self) -> bool:
        """Whether most values stand in several records."""
        return self.distinct <= len(self.codes) / 3

    @cached_property
    def numbers(self) -> Floats | None:
        """Its numbers, or the places of ordered categories; none where there is no order."""
        attribute = self.table.attribute(self.name)
        if attribute.kind == "nominal" or self.distinct <= IN_A_BAND:
            return None
        return self.table.middles(self.name)

    @cached_property
    def bands(self) -> Indices:
        """Numbers in bands of a few records each; values that repeat as they are."""
        if self.repeats or self.numbers is None:
            return self.codes
        order = np.argsort(self.numbers, kind="stable")
        places = np.empty(len(order), dtype=np.intp)
        places[order] = np.arange(len(order)) // IN_A_BAND
        return places


def _of_columns(free: Sequence[Column], masked: Sequence[Column]) -> Iterator[Telling]:
    alone = {(f.name, m.name) for f in free for m in masked if _tells(f, m)}
    yield from (Telling((name,), about) for name, about in sorted(alone))
    for a, b in combinations(free[:MOST_COLUMNS], 2):
        for about in masked:
            one_does = (a.name, about.name) in alone or (b.name, about.name) in alone
            if not one_does and _tell_together(a, b, about):
                yield Telling((a.name, b.name), about.name)


def _tells(free: Column, masked: Column) -> bool:
    if free.numbers is not None and masked.numbers is not None and _rise_together(free, masked):
        return True
    return _settle(free.bands, masked.codes)


def _rise_together(free: Column, masked: Column) -> bool:
    a, b = _known(free.numbers, masked.numbers)
    if len(a) < FEWEST or np.ptp(a) == 0 or np.ptp(b) == 0:
        return False
    if np.mean(a == b) >= SETTLED:
        return True
    straight, ranked = np.corrcoef(a, b)[0, 1], np.corrcoef(_ranks(a), _ranks(b))[0, 1]
    return bool(max(abs(straight), abs(ranked)) > ALIKE)


def _ranks(values: Floats) -> Indices:
    """The place of each value among the different ones."""
    return np.unique(values, return_inverse=True)[1]


def _tell_together(a: Column, b: Column, masked: Column) -> bool:
    if a.repeats and b.repeats and _settle(a.codes * b.distinct + b.codes, masked.codes):
        return True
    if a.numbers is None or b.numbers is None or masked.numbers is None:
        return False
    return _fits(masked.numbers, a.numbers, b.numbers)


def _settle(given: Indices, asked: Indices) -> bool:
    """Whether the most frequent value among those who share what is given is nearly always it."""
    pairs, counts = np.unique(given * (int(asked.max()) + 1) + asked, return_counts=True)
    classes = np.unique(pairs // (int(asked.max()) + 1), return_inverse=True)[1]
    sizes, most = np.bincount(classes, counts), np.zeros(int(classes.max()) + 1)
    np.maximum.at(most, classes, counts)
    shared = sizes > 1
    n_shared = sizes[shared].sum()
    if n_shared < max(FEWEST, ENOUGH * len(asked)):
        return False
    usual = np.bincount(asked).max() / len(asked)
    wrong = 1.0 - most[shared].sum() / n_shared
    return bool(usual < 1.0 and wrong <= (1.0 - SETTLED) * (1.0 - usual))


def _fits(asked: Floats, a: Floats, b: Floats) -> bool:
    """Whether a number is a weighted sum, or a product, of two others, and not of one alone."""
    y, *others = _known(asked, a, b)
    if len(y) < FEWEST or np.ptp(y) == 0:
        return False
    if _explained(y, *others) > FIT:
        return True
    positive = all((values > 0).all() for values in (y, *others))
    return positive and _explained(np.log(y), *map(np.log, others)) > FIT


def _explained(y: Floats, *others: Floats) -> float:
    """The share of the variance that others explain."""
    design = np.column_stack([np.ones(len(y)), *others])
    design /= np.maximum(np.abs(design).max(axis=0), 1e-300)
    left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return float(1.0 - left.var() / max(y.var(), 1e-300))


def _known(*columns: Floats | None) -> list[Floats]:
    given = [column for column in columns if column is not None]
    known = ~np.isnan(np.sum(given, axis=0))
    return [column[known] for column in given]


def _of_people(table: Table, free: Sequence[Column]) -> Iterator[Telling]:
    """The fewest columns that single people out: each that does alone, else some together."""
    whole = {column.name: Column(table, column.name).codes for column in free}
    alone = {name: _singled_out(codes) for name, codes in whole.items()}
    found = {name: share for name, share in alone.items() if share >= SINGLED_OUT}
    yield from (Telling((name,), share=share) for name, share in found.items())
    rest = {name: codes for name, codes in whole.items() if name not in found}
    names: tuple[str, ...] = ()
    together = np.zeros(len(table), dtype=np.intp)
    while rest and len(names) < MOST_TOGETHER:
        tried = {name: together * (int(codes.max()) + 1) + codes for name, codes in rest.items()}
        best = max(tried, key=lambda name: len(np.unique(tried[name])))
        together, names = np.unique(tried[best], return_inverse=True)[1], (*names, best)
        del rest[best]
        if len(names) > 1 and _singled_out(together) >= SINGLED_OUT:
            yield Telling(names, share=_singled_out(together))
            return


def _singled_out(codes: Indices) -> float:
    """Percent of the records that nobody shares their value with."""
    return 100.0 * float((np.bincount(codes) == 1).sum()) / len(codes)
