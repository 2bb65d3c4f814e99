"""Information loss in its parts, in words: accuracy, distributions, relations."""

from collections.abc import Sequence
from itertools import islice
from typing import Protocol

from evomask.report.describe import join_names
from evomask.report.record import LossNote, PairNote

LOSS_PARTS = {
    "accuracy": "accuracy of single values: 100 where a column is permuted at random",
    "distributions": "distributions of masked attributes: the share of records that would have "
    "to change to restore them",
    "relations": "relations between attributes: the share of their dependence that is lost",
}
"""Meaning of each part of the loss."""

MOST_PAIRS = 12
"""Pairs of attributes that a table shows."""

MOST_NAMED = 3
"""Pairs of attributes that the sentence names."""

LEAST = 0.1
"""Loss of a pair relative to the largest one below which it is not shown."""

NOTICEABLE = 10.0
"""Percentage of dependence from which on an analysis will notice its loss."""


def largest_pairs(parts: LossNote) -> tuple[PairNote, ...]:
    """Pairs of attributes that lose most dependence, largest first; without negligible ones."""
    largest = max((pair.association * pair.lost for pair in parts.pairs), default=0.0)
    pairs = (p for p in parts.pairs if p.lost > 0 and p.association * p.lost >= LEAST * largest)
    return tuple(islice(pairs, MOST_PAIRS))


class LostPair(Protocol):
    """Two attributes, and the percentage of their dependence that is lost."""

    @property
    def first(self) -> str: ...

    @property
    def second(self) -> str: ...

    @property
    def lost(self) -> float: ...


def relations_sentence(pairs: Sequence[LostPair]) -> str:
    """State which analyses will notice the masking most."""
    named = [pair for pair in pairs if pair.lost >= NOTICEABLE][:MOST_NAMED]
    if not named:
        return f"No table of two attributes loses {NOTICEABLE:g} % of the dependence in it."
    texts = [f"{pair.first} with {pair.second} ({pair.lost:.0f} %)" for pair in named]
    return (
        "Analyses of two attributes together will notice the masking most in tables of "
        f"{join_names(texts)}, and in models that use them; the percentage is the part of the "
        "dependence that is lost."
    )
