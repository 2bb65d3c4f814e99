"""Profile of a column: properties of its name and values, and patterns of personal identifiers."""

import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.data.hierarchy_builders import parse_dates
from evomask.data.roles import vocabulary
from evomask.data.schema import MISSING, Attribute, Kind, Storage
from evomask.data.table import Table
from evomask.types import Flags, Floats

FEW = 12
"""Integers with at most this many distinct values are taken as ordered codes."""
TOO_FEW_RECORDS = 20
"""Least number of records for a conclusion from distinct values."""
NEARLY_ALL = 0.95
MANY_WORDS, LONG_TEXT = 4.0, 40.0
SHORTEST_POSTCODE = 3
"""Least mean length of postcodes."""
LARGEST = 1e15
"""Largest integer that may be a personal identity number."""

_IDENTIFIER_SUFFIX = re.compile(r".{2,}(id|nr|name|nummer|number)")
MOST_TEXTS = 1000
"""Largest number of distinct values that are examined."""
MOST_OF_FORM = 0.9
"""Share of the values that must match a pattern."""

_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
_ADDRESS = re.compile(r"(https?://\S+|www\.\S+|\d{1,3}(\.\d{1,3}){3})")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_PHONE = re.compile(r"(\+|00?)[\d ()./-]{7,20}")
_POSTCODE = re.compile(
    r"\d{4} ?[A-Z]{2}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4}-\d{3}|\d{2}-\d{3}|\d{3} \d{2}"
    r"|[A-Z]{1,2}-\d{4,5}|\d{5}-\d{4}"
)
"""Dutch, British, Portuguese, Polish, Swedish, with a country prefix, American."""
_DAY = re.compile(r"\D{0,3}\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T]\d{1,2}:\d{2}.*)?")

_AMERICAN = re.compile(r"(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}")
_BRITISH = re.compile(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]")
_ITALIAN = re.compile(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]")
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"


@dataclass(frozen=True)
class ColumnProfile:
    """Properties of one column, computed from its name and values."""

    table: Table
    attribute: Attribute

    @property
    def name(self) -> str:
        return self.attribute.name

    @cached_property
    def words(self) -> frozenset[str]:
        return vocabulary.words_of(self.name)

    def name_matches(self, vocabulary_words: frozenset[str]) -> frozenset[str]:
        """Return the words of a vocabulary that occur in the column's name."""
        return vocabulary.find_words(self.words, vocabulary_words)

    @cached_property
    def has_identifier_suffix(self) -> bool:
        """Whether its name ends like UTILITYID, kundennr or username."""
        ends = {word for word in self.words if _IDENTIFIER_SUFFIX.fullmatch(word)}
        return bool(ends - vocabulary.NO_IDENTIFIER_SUFFIX)

    @cached_property
    def is_number(self) -> bool:
        return self.attribute.storage in (Storage.INTEGER, Storage.REAL)

    @cached_property
    def numbers(self) -> Floats:
        """Known values of a numeric column."""
        if self.attribute.kind is Kind.CONTINUOUS:
            values = self.table.values(self.name)
        else:
            texts = [float(text) if text else np.nan for text in self.attribute.categories]
            values = np.array(texts)[self.table.codes(self.name)]
        return values[~np.isnan(values)]

    @cached_property
    def known(self) -> Flags:
        """Flags of the records with a value."""
        column = self.table[self.name]
        if self.attribute.kind is Kind.CONTINUOUS:
            return ~np.isnan(column)
        known: Flags = column != len(self.attribute.categories) - self.attribute.has_missing
        return known

    @cached_property
    def distinct(self) -> int:
        """Number of distinct values."""
        return len(np.unique(self.table[self.name][self.known]))

    @cached_property
    def n_known(self) -> int:
        return int(self.known.sum())

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Distinct categories without the missing one."""
        return tuple(text for text in self.attribute.categories if text != MISSING)

    @property
    def is_whole(self) -> bool:
        return self.is_number and bool(np.all(self.numbers == np.round(self.numbers)))

    @cached_property
    def is_running_number(self) -> bool:
        """Whether integers number the records without many gaps."""
        if not self.is_whole or self.distinct < max(TOO_FEW_RECORDS, self.n_known):
            return False
        return bool(np.ptp(self.numbers) < 1.5 * self.n_known)

    @cached_property
    def has_own_values(self) -> bool:
        """Whether values of any kind differ in nearly every record."""
        counts = self.n_known >= TOO_FEW_RECORDS
        return counts and self.distinct >= NEARLY_ALL * self.n_known

    @property
    def is_nearly_unique(self) -> bool:
        """Whether categories differ in nearly every record."""
        return self.attribute.kind is not Kind.CONTINUOUS and self.has_own_values

    @cached_property
    def has_small_groups(self) -> bool:
        """Whether texts occur in few records each."""
        scattered = self.n_known >= 100 and self.distinct > self.n_known / 5
        return scattered and not self.is_number

    @cached_property
    def is_group_number(self) -> bool:
        """Whether texts or integers repeat in a few records each, like household numbers."""
        enough = self.n_known >= TOO_FEW_RECORDS
        few = self.n_known / 12 < self.distinct < NEARLY_ALL * self.n_known
        return enough and few and (self.is_whole or not self.is_number)

    @cached_property
    def is_free_text(self) -> bool:
        """Whether its values are phrases, not codes."""
        if self.is_number or not self.texts:
            return False
        length = np.mean([len(text) for text in self.texts])
        n_words = np.mean([text.count(" ") + 1 for text in self.texts])
        return bool((n_words > MANY_WORDS or length > LONG_TEXT) and self.distinct > FEW)

    @cached_property
    def samples(self) -> tuple[str, ...]:
        """Up to `MOST_TEXTS` distinct values as text, if they are texts or integers."""
        if not self.is_number:
            return self.texts[:MOST_TEXTS] if self.attribute.storage is Storage.TEXT else ()
        if not self.is_whole or np.abs(self.numbers).max(initial=0.0) >= LARGEST:
            return ()
        return tuple(str(int(value)) for value in np.unique(self.numbers)[:MOST_TEXTS])

    @cached_property
    def form(self) -> str:
        """Kind of personal identifier that its values are; empty if none."""
        if are_emails(self.samples):
            return "e-mail addresses"
        return personal_form(self.samples) if self.distinct > FEW else ""

    @cached_property
    def is_date(self) -> bool:
        """Whether its values are dates, or look like dates and its name says so."""
        if self.is_number or not self.texts:
            return False
        named = self.name_matches(vocabulary.DATES) and are_dates(self.texts)
        return bool(named) or parse_dates(self.texts) is not None

    @cached_property
    def is_postcode(self) -> bool:
        """Whether it holds postcodes, by its name or by their format."""
        plain = self.is_whole or not self.is_number
        long = bool(self.samples) and np.mean([len(t) for t in self.samples]) >= SHORTEST_POSTCODE
        named = bool(self.name_matches(vocabulary.POSTCODES)) and plain and long
        return (named and self.distinct > 1) or (not self.is_number and are_postcodes(self.texts))

    @cached_property
    def is_weight(self) -> bool:
        """Whether it may be a survey weight: by its name, and no number is negative."""
        if not self.is_number or not self.n_known or self.numbers.min() < 0:
            return False
        return bool(vocabulary.weights_in(self.words)) and not self.name_matches(
            vocabulary.OF_BODIES
        )

    @cached_property
    def missing_codes(self) -> tuple[int, ...]:
        """Numbers that may be codes of missing values, by how often they lie apart from others.

        Negative codes lie apart where no other number is negative, codes of nines where they are
        at least twice the next number; and each occurs in at least two records.
        """
        if not self.is_number or self.attribute.notes.user_missing:
            return ()
        found, counts = np.unique(self.numbers, return_counts=True)
        often = dict(zip(found.tolist(), counts.tolist(), strict=True))
        codes = [code for code in vocabulary.MISSING_CODES if often.get(code, 0) >= 2]
        others = np.array([number for number in found if number not in codes])
        if not len(others):
            return ()
        return tuple(
            code
            for code in codes
            if (code < 0 <= others.min()) or (code > 2 * max(others.max(), 1.0))
        )

    @cached_property
    def missing_texts(self) -> frozenset[str]:
        """Texts among numbers that usually denote missing values."""
        if self.is_number:
            return frozenset()
        missing = frozenset(self.texts) & vocabulary.MISSING_TEXTS
        others = [text for text in self.texts if text not in missing]
        return missing if missing and others and all(map(_is_plain_number, others)) else frozenset()


def _is_plain_number(text: str) -> bool:
    try:
        float(text.replace(",", ".", 1))
    except ValueError:
        return False
    return not re.match(r"[+-]?0\d", text.strip())


def are_emails(texts: Sequence[str]) -> bool:
    """Whether at least half of the values are e-mail addresses."""
    emails = sum(_MAIL.fullmatch(text.strip()) is not None for text in texts)
    return bool(texts) and 2 * emails >= len(texts)


def are_dates(texts: Sequence[str]) -> bool:
    """Whether values look like dates, in any order of their parts and with a short prefix."""
    return _nearly_all(texts, lambda text: _DAY.fullmatch(text) is not None)


def are_postcodes(texts: Sequence[str]) -> bool:
    """Whether values have the format of postcodes and of nothing else."""
    return _nearly_all(texts, lambda text: _POSTCODE.fullmatch(text) is not None)


def personal_form(texts: Sequence[str]) -> str:
    """Name the kind of personal identifier that the values are; empty if none."""
    patterns: tuple[tuple[str, Callable[[str], bool]], ...] = (
        ("bank account numbers", _is_iban),
        ("personal identity numbers", is_personal_number),
        ("random identifiers", lambda text: _UUID.fullmatch(text) is not None),
        ("network addresses", lambda text: _ADDRESS.fullmatch(text) is not None),
        ("phone numbers", _is_phone),
    )
    return next((name for name, matches in patterns if _nearly_all(texts, matches)), "")


def _nearly_all(texts: Sequence[str], matches: Callable[[str], bool]) -> bool:
    examined = [text.strip() for text in texts[:MOST_TEXTS]]
    return bool(examined) and sum(map(matches, examined)) >= MOST_OF_FORM * len(examined)


def _is_phone(text: str) -> bool:
    digits = sum(map(str.isdigit, text))
    return _PHONE.fullmatch(text) is not None and 7 <= digits <= 15


def _is_iban(text: str) -> bool:
    letters = text.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", letters):
        return False
    return int("".join(str(int(sign, 36)) for sign in letters[4:] + letters[:4])) % 97 == 1


def is_personal_number(text: str) -> bool:
    """Whether a text is a personal identity number of a supported country.

    Check digits are verified where the number has them, so that other numbers of the same
    length do not match.
    """
    plain = re.sub(r"[ .\-+/]", "", text).upper()
    return bool(_AMERICAN.fullmatch(text)) or any(matches(plain) for matches in PERSONAL_NUMBERS)


def _spanish(text: str) -> bool:
    found = re.fullmatch(r"([XYZ]?)(\d{7,8})([A-Z])", text)
    if found is None or len(text) != 9:
        return False
    first = {"": "", "X": "0", "Y": "1", "Z": "2"}[found[1]]
    return _DNI_LETTERS[int(first + found[2]) % 23] == found[3]


def _french(text: str) -> bool:
    if not re.fullmatch(r"[12]\d{2}(0[1-9]|1[0-2]|[2-9]\d)(\d{2}|2[AB])\d{6}\d{2}", text):
        return False
    return 97 - int(text[:13].replace("2A", "19").replace("2B", "18")) % 97 == int(text[13:])


def _portuguese(text: str) -> bool:
    if len(text) != 9 or not _is_digits(text) or text[0] not in "12356789":
        return False
    rest = sum((9 - place) * int(digit) for place, digit in enumerate(text[:8])) % 11
    return int(text[8]) == (0 if rest < 2 else 11 - rest)


def _norwegian(text: str) -> bool:
    first, second = (3, 7, 6, 1, 8, 9, 4, 5, 2, 1), (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)
    return (
        _has_birthday(text[:6]) and _weighted(text[:10], first, 11) and _weighted(text, second, 11)
    )


def _swedish(text: str) -> bool:
    short = text[2:] if len(text) == 12 and text[:2] in ("18", "19", "20") else text
    if len(short) != 10 or not _is_digits(short) or not 1 <= int(short[2:4]) <= 12:
        return False
    doubled = [int(digit) * (2 - place % 2) for place, digit in enumerate(short)]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _has_birthday(text: str) -> bool:
    if len(text) != 6 or not _is_digits(text):
        return False
    return 1 <= int(text[:2]) % 40 <= 31 and 1 <= int(text[2:4]) % 40 <= 12


def _weighted(text: str, weights: Sequence[int], modulus: int) -> bool:
    if len(text) != len(weights) or not _is_digits(text):
        return False
    return sum(w * int(digit) for w, digit in zip(weights, text, strict=True)) % modulus == 0


def _is_digits(text: str) -> bool:
    return bool(text) and all(sign in string.digits for sign in text)


PERSONAL_NUMBERS: tuple[Callable[[str], bool], ...] = (
    _spanish,
    lambda text: bool(_ITALIAN.fullmatch(text) or _BRITISH.fullmatch(text)),
    _french,
    lambda text: (  # Polish
        _weighted(text, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10) and int(text[4:6]) in range(1, 32)
    ),
    lambda text: _weighted(text, (9, 8, 7, 6, 5, 4, 3, 2, -1), 11) and text != "0" * 9,  # Dutch
    _portuguese,
    _norwegian,
    lambda text: (  # Danish
        _weighted(text, (4, 3, 2, 7, 6, 5, 4, 3, 2, 1), 11) and _has_birthday(text[:6])
    ),
    _swedish,
)
"""Checks of numbers without separators."""
