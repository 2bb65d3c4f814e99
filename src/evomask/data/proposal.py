"""What the columns of an unknown file are likely to be, and why: for a person to confirm."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from evomask.arrays import Flags, Floats
from evomask.data import vocabulary
from evomask.data.links import linked, sums
from evomask.data.schema import MISSING, Attribute, Kind, Role, Storage
from evomask.data.table import Table

FEW = 12
"""Whole numbers with at most this many different values look like ordered codes."""
TOO_FEW_RECORDS = 20
"""Below this, values that differ in every record say nothing."""
NEARLY_ALL = 0.95
MANY_WORDS, LONG_TEXT = 4.0, 40.0
JUST_A_NUMBER = "a number; make it a quasi-identifier if others may know it"
NOTHING_ELSE = "a number, and no column looks better known to others"

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}.*)?")
_LEADING_NUMBER = re.compile(r"\s*[<>=\[(]*\s*(-?\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Proposal:
    """Kind and role proposed for one column, with a reason for each.

    Args:
        categories: the order proposed for an ordinal text column.
        hierarchy: the file with its value tree, where one was made.
    """

    name: str
    kind: Kind
    role: Role
    why_kind: str
    why_role: str
    remarks: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    decimals: int | None = None
    hierarchy: str = ""


@dataclass(frozen=True)
class ProposedSchema:
    """A proposal for every column, rules that all records obey, and texts for missing values."""

    attributes: tuple[Proposal, ...]
    edits: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def propose(table: Table) -> ProposedSchema:
    """Look at names and values of all columns; nothing of a record is told."""
    traits = [Traits(table, attribute) for attribute in table.schema]
    links = linked(table)
    proposals = [_proposal(trait, links.get(trait.name, ())) for trait in traits]
    if not any(proposal.role is Role.QUASI_IDENTIFIER for proposal in proposals):
        proposals = [_as_last_resort(proposal) for proposal in proposals]
    missing = sorted(set().union(*(trait.missing_texts for trait in traits)))
    return ProposedSchema(tuple(proposals), sums(table), tuple(missing))


def _as_last_resort(proposal: Proposal) -> Proposal:
    """A number that nothing was known of, as quasi-identifier: some column must be one."""
    if proposal.why_role != JUST_A_NUMBER:
        return proposal
    return replace(proposal, role=Role.QUASI_IDENTIFIER, why_role=NOTHING_ELSE)


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
        few = self.n_known >= 100 and self.n_known / 12 < self.distinct < NEARLY_ALL * self.n_known
        return few and (self.is_whole or not self.is_number)

    @cached_property
    def is_free_text(self) -> bool:
        """Whether its values are whole phrases that people wrote, not codes."""
        if self.is_number or not self.texts:
            return False
        length = np.mean([len(text) for text in self.texts])
        n_words = np.mean([text.count(" ") + 1 for text in self.texts])
        return bool((n_words > MANY_WORDS or length > LONG_TEXT) and self.distinct > FEW)

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


def _proposal(trait: Traits, links: Sequence[str]) -> Proposal:
    kind, why_kind, order = _kind(trait)
    role, why_role = _role(trait, kind)
    return Proposal(
        trait.name, kind, role, why_kind, why_role, (*_remarks(trait), *links),
        categories=order if kind is Kind.ORDINAL else (),
        decimals=trait.attribute.decimals if kind is Kind.CONTINUOUS else None,
    )  # fmt: skip


def _remarks(trait: Traits) -> list[str]:
    remarks = []
    missing = 100 * (1 - trait.n_known / len(trait.known))
    if missing:
        remarks.append(f"missing in {missing:.1f} % of the records")
    if trait.distinct == 1:
        remarks.append("constant: it tells nothing about anybody")
    if trait.missing_texts:
        remarks.append("numbers beside texts that look like missing values; see [file]")
    return remarks


def _kind(trait: Traits) -> tuple[Kind, str, tuple[str, ...]]:
    attribute = trait.attribute
    if attribute.notes.measure in ("nominal", "ordinal", "scale") or (
        attribute.kind is Kind.ORDINAL and not trait.is_number
    ):
        return attribute.kind, f"the file says {attribute.kind}", ()
    if attribute.value_labels and attribute.is_categorical:
        return Kind.NOMINAL, "codes with labels", ()
    return _kind_of_numbers(trait) if trait.is_number else _kind_of_texts(trait)


def _kind_of_numbers(trait: Traits) -> tuple[Kind, str, tuple[str, ...]]:
    if trait.attribute.kind is not Kind.CONTINUOUS:
        return trait.attribute.kind, "whole numbers too large to calculate with: codes", ()
    if trait.distinct <= 2:
        return Kind.NOMINAL, f"few values: {trait.distinct} different numbers", ()
    if trait.is_whole and trait.distinct <= FEW:
        return Kind.ORDINAL, f"looks ordinal: {trait.distinct} different whole numbers", ()
    if trait.is_running_number:
        return Kind.NOMINAL, "numbers that only tell records apart", ()
    form = "whole numbers" if trait.is_whole else "numbers with decimals"
    return Kind.CONTINUOUS, f"{form}, {trait.distinct} different ones", ()


def _kind_of_texts(trait: Traits) -> tuple[Kind, str, tuple[str, ...]]:
    if trait.texts and all(map(_DATE.fullmatch, trait.texts)):
        return Kind.ORDINAL, "dates, which have an order", ()
    order = known_order(trait.texts)
    if order:
        return Kind.ORDINAL, "looks ordinal: words that have an order", order
    order = numbered_order(trait.texts)
    if order:
        return Kind.ORDINAL, "looks ordinal: every value starts with a number", order
    return Kind.NOMINAL, f"text or codes, {trait.distinct} different values", ()


def known_order(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts in the order of a scale that everybody knows; nothing if there is none."""
    lower = {text.strip().lower().replace("_", " "): text for text in texts}
    for order in vocabulary.ORDERS:
        if len(lower) == len(texts) > 2 and lower.keys() <= set(order):
            return tuple(lower[word] for word in order if word in lower)
    return ()


def numbered_order(texts: Sequence[str]) -> tuple[str, ...]:
    """Texts such as ``18-24`` or ``3. often`` by their first number; nothing if one has none."""
    starts = [_LEADING_NUMBER.match(text) for text in texts]
    plain = all(_is_code(text) for text in texts)
    if not 2 < len(texts) <= 4 * FEW or plain or not all(starts):
        return ()
    numbers = [float(start.group(1)) for start in starts if start]
    if len(set(numbers)) < len(numbers) - 1:
        return ()
    ends = [{"<": 0, ">": 2}.get(text.strip()[0], 1) for text in texts]
    return tuple(text for _, _, text in sorted(zip(numbers, ends, texts, strict=True)))


def _is_code(text: str) -> bool:
    return not re.search(r"[\s\-–.<>+\[\](]", text.strip())


def _role(trait: Traits, kind: Kind) -> tuple[Role, str]:
    return (
        _of_a_home(trait)
        or _identifying(trait)
        or _for_the_survey(trait)
        or _by_name(trait)
        or _by_kind(trait, kind)
    )


def _of_a_home(trait: Traits) -> tuple[Role, str] | None:
    home = trait.words & vocabulary.HOUSEHOLDS
    if not home or not trait.tells_small_groups:
        return None
    return Role.HOUSEHOLD, f"looks like a household's number: {_called(home)}, few records each"


def _identifying(trait: Traits) -> tuple[Role, str] | None:
    if trait.is_free_text or (trait.words & vocabulary.FREE_TEXTS and trait.texts):
        return Role.IDENTIFIER, "free text: it may name people, so it is left out"
    if trait.is_running_number:
        return Role.IDENTIFIER, "identifier-like: a running number"
    if trait.is_own_value and not _has_order(trait):
        return Role.IDENTIFIER, "identifier-like: nearly every record has its own value"
    if trait.is_shared_by_few and not _has_order(trait):
        return Role.IDENTIFIER, "identifier-like: many values, each for a few records"
    named = trait.words & vocabulary.IDENTIFIERS
    if named and trait.distinct > FEW and (trait.is_whole or not trait.is_number):
        return Role.IDENTIFIER, f"identifier-like: {_called(named)}, with many values"
    return None


def _has_order(trait: Traits) -> bool:
    return trait.attribute.kind is Kind.ORDINAL or all(map(_DATE.fullmatch, trait.texts))


def _for_the_survey(trait: Traits) -> tuple[Role, str] | None:
    weight = frozenset(word for word in vocabulary.WEIGHTS if word in trait.name.lower())
    if weight and trait.is_number and trait.n_known and trait.numbers.min() >= 0:
        return Role.WEIGHT, f"looks like a weight: {_called(weight)}, and nothing is negative"
    stratum = trait.words & vocabulary.STRATA
    return (Role.STRATUM, f"{_called(stratum)}") if stratum else None


def _by_name(trait: Traits) -> tuple[Role, str] | None:
    private = trait.words & vocabulary.CONFIDENTIAL
    if private:
        return Role.CONFIDENTIAL, f"{_called(private)}: what people do not tell"
    public = trait.words & vocabulary.QUASI_IDENTIFIERS
    if public:
        return Role.QUASI_IDENTIFIER, f"{_called(public)}: what others may know"
    return None


def _called(hits: frozenset[str]) -> str:
    return f"its name says {min(hits)!r}"


def _by_kind(trait: Traits, kind: Kind) -> tuple[Role, str]:
    if trait.distinct <= 1:
        return Role.OTHER, "the same for everybody"
    if kind is Kind.CONTINUOUS:
        return Role.CONFIDENTIAL, JUST_A_NUMBER
    if _has_order(trait) and trait.texts and all(map(_DATE.fullmatch, trait.texts)):
        return Role.QUASI_IDENTIFIER, "a date; make it other if nobody could know it"
    return Role.QUASI_IDENTIFIER, "few values; make it other if nobody could know it"
