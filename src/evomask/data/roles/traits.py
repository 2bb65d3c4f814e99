"""What can be seen of a column without knowing what it means."""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.arrays import Flags, Floats
from evomask.data.roles import vocabulary
from evomask.data.roles.patterns import (
    MOST_TEXTS,
    are_days,
    are_mails,
    are_postcodes,
    personal_form,
)
from evomask.data.schema import MISSING, Attribute, Kind, Storage
from evomask.data.table import Table
from evomask.data.trees.dates import days_of

FEW = 12
"""Whole numbers with at most this many different values look like ordered codes."""
TOO_FEW_RECORDS = 20
"""Below this, values that differ in every record say nothing."""
NEARLY_ALL = 0.95
MANY_WORDS, LONG_TEXT = 4.0, 40.0
SHORTEST_POSTCODE = 3
"""Characters of codes of places, on average: shorter ones under such a name are something else."""
LARGEST = 1e15
"""Whole numbers up to this may be numbers of people."""

_NUMBERED = re.compile(r".{2,}(id|nr|name|nummer|number)")


@dataclass(frozen=True)
class Traits:
    """What can be seen of one column without knowing what it means."""

    table: Table
    attribute: Attribute

    @property
    def name(self) -> str:
        """The name in the file, which often tells what a column means."""
        return self.attribute.name

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that the column's name is made of, in lower case."""
        return vocabulary.words_of(self.name)

    def called(self, meaning: frozenset[str]) -> frozenset[str]:
        """The words of a meaning that the column's name has."""
        return vocabulary.known_among(self.words, meaning)

    @cached_property
    def is_called_a_number(self) -> bool:
        """Whether its name ends as those of numbers and names do: UTILITYID, kundennr, username."""
        ends = {word for word in self.words if _NUMBERED.fullmatch(word)}
        return bool(ends - vocabulary.NOT_NUMBERED)

    @cached_property
    def is_number(self) -> bool:
        """Whether the file stores its values as numbers."""
        return self.attribute.storage in (Storage.INTEGER, Storage.REAL)

    @cached_property
    def numbers(self) -> Floats:
        """Its known values, when they are numbers."""
        if self.attribute.kind is Kind.CONTINUOUS:
            values = self.table.values(self.name)
        else:
            texts = [float(text) if text else np.nan for text in self.attribute.categories]
            values = np.array(texts)[self.table.codes(self.name)]
        return values[~np.isnan(values)]

    @cached_property
    def known(self) -> Flags:
        """Which records have a value in this column."""
        column = self.table[self.name]
        if self.attribute.kind is Kind.CONTINUOUS:
            return ~np.isnan(column)
        known: Flags = column != len(self.attribute.categories) - self.attribute.has_missing
        return known

    @cached_property
    def distinct(self) -> int:
        """How many different values there are."""
        return len(np.unique(self.table[self.name][self.known]))

    @cached_property
    def n_known(self) -> int:
        """How many records have a value."""
        return int(self.known.sum())

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The different values of a column that holds no numbers."""
        return tuple(text for text in self.attribute.categories if text != MISSING)

    @property
    def is_whole(self) -> bool:
        """Whether all its numbers are whole."""
        return self.is_number and bool(np.all(self.numbers == np.round(self.numbers)))

    @cached_property
    def is_running_number(self) -> bool:
        """Whether whole numbers count the records, without many gaps."""
        if not self.is_whole or self.distinct < max(TOO_FEW_RECORDS, self.n_known):
            return False
        return bool(np.ptp(self.numbers) < 1.5 * self.n_known)

    @cached_property
    def is_own_value(self) -> bool:
        """Whether text, or codes, differ in nearly every record."""
        counts = self.n_known >= TOO_FEW_RECORDS and self.attribute.kind is not Kind.CONTINUOUS
        return counts and self.distinct >= NEARLY_ALL * self.n_known

    @cached_property
    def is_shared_by_few(self) -> bool:
        """Whether codes tell small groups apart, such as households."""
        scattered = self.n_known >= 100 and self.distinct > self.n_known / 5
        return scattered and not self.is_number

    @cached_property
    def tells_small_groups(self) -> bool:
        """Whether codes or whole numbers repeat, each in a few records."""
        enough = self.n_known >= TOO_FEW_RECORDS
        few = self.n_known / 12 < self.distinct < NEARLY_ALL * self.n_known
        return enough and few and (self.is_whole or not self.is_number)

    @cached_property
    def is_free_text(self) -> bool:
        """Whether its values are whole phrases that people wrote, not codes."""
        if self.is_number or not self.texts:
            return False
        length = np.mean([len(text) for text in self.texts])
        n_words = np.mean([text.count(" ") + 1 for text in self.texts])
        return bool((n_words > MANY_WORDS or length > LONG_TEXT) and self.distinct > FEW)

    @cached_property
    def written(self) -> tuple[str, ...]:
        """Its different values as texts where they are texts or whole numbers, not too many."""
        if not self.is_number:
            return self.texts[:MOST_TEXTS] if self.attribute.storage is Storage.TEXT else ()
        if not self.is_whole or np.abs(self.numbers).max(initial=0.0) >= LARGEST:
            return ()
        return tuple(str(int(value)) for value in np.unique(self.numbers)[:MOST_TEXTS])

    @cached_property
    def form(self) -> str:
        """What kind of address or number of a person it holds, in words; nothing if none."""
        if are_mails(self.written):
            return "e-mail addresses"
        return personal_form(self.written) if self.distinct > FEW else ""

    @cached_property
    def is_date(self) -> bool:
        """Whether its values are days, or look like them under a name that says so."""
        if self.is_number or not self.texts:
            return False
        named = self.called(vocabulary.DATES) and are_days(self.texts)
        return bool(named) or days_of(self.texts) is not None

    @cached_property
    def is_postcode(self) -> bool:
        """Whether it holds codes of places, by its name or by their form."""
        plain = self.is_whole or not self.is_number
        long = bool(self.written) and np.mean([len(t) for t in self.written]) >= SHORTEST_POSTCODE
        named = bool(self.called(vocabulary.POSTCODES)) and plain and long
        return (named and self.distinct > 1) or (not self.is_number and are_postcodes(self.texts))

    @cached_property
    def is_weight(self) -> bool:
        """Whether it may be a weight of the survey: by its name, and no number is negative."""
        if not self.is_number or not self.n_known or self.numbers.min() < 0:
            return False
        return bool(vocabulary.weights_in(self.words)) and not self.called(vocabulary.OF_BODIES)

    @cached_property
    def missing_texts(self) -> frozenset[str]:
        """Texts among numbers that usually stand for a missing value."""
        if self.is_number:
            return frozenset()
        missing = frozenset(self.texts) & vocabulary.MISSING_TEXTS
        others = [text for text in self.texts if text not in missing]
        return missing if missing and others and all(map(_is_number, others)) else frozenset()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return not re.match(r"[+-]?0\d", text.strip())
