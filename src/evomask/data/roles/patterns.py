"""What values look like, whatever their column is called: addresses, numbers of people, places.

Numbers of people are told by their check digits where they have them, so that other numbers of
the same length are not taken for them.
"""

import re
import string
from collections.abc import Callable, Sequence

MOST_TEXTS = 1000
"""Different values that are looked at."""
NEARLY_ALL = 0.9
"""Share of them that must have a form."""

_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
_ADDRESS = re.compile(r"(https?://\S+|www\.\S+|\d{1,3}(\.\d{1,3}){3})")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_PHONE = re.compile(r"(\+|00?)[\d ()./-]{7,20}")
_POSTCODE = re.compile(
    r"\d{4} ?[A-Z]{2}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4}-\d{3}|\d{2}-\d{3}|\d{3} \d{2}"
    r"|[A-Z]{1,2}-\d{4,5}|\d{5}-\d{4}"
)
"""Dutch, British, Portuguese, Polish, Swedish, with a country's letters, American."""
_DAY = re.compile(r"\D{0,3}\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T]\d{1,2}:\d{2}.*)?")

_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"


def are_mails(texts: Sequence[str]) -> bool:
    """Whether half of the values or more are e-mail addresses."""
    mails = sum(_MAIL.fullmatch(text.strip()) is not None for text in texts)
    return bool(texts) and 2 * mails >= len(texts)


def are_days(texts: Sequence[str]) -> bool:
    """Whether values look like dates, in whatever order and with a few letters before."""
    return _nearly_all(texts, lambda text: _DAY.fullmatch(text) is not None)


def are_postcodes(texts: Sequence[str]) -> bool:
    """Whether values have a form that only codes of places have."""
    return _nearly_all(texts, lambda text: _POSTCODE.fullmatch(text) is not None)


def personal_form(texts: Sequence[str]) -> str:
    """What kind of address or number of a person the values are, in words; nothing if none."""
    forms: tuple[tuple[str, Callable[[str], bool]], ...] = (
        ("bank account numbers", _is_iban),
        ("numbers of people", is_number_of_a_person),
        ("random identifiers", lambda text: _UUID.fullmatch(text) is not None),
        ("addresses in a network", lambda text: _ADDRESS.fullmatch(text) is not None),
        ("phone numbers", _is_phone),
    )
    return next((words for words, has_form in forms if _nearly_all(texts, has_form)), "")


def _nearly_all(texts: Sequence[str], has_form: Callable[[str], bool]) -> bool:
    some = [text.strip() for text in texts[:MOST_TEXTS]]
    return bool(some) and sum(map(has_form, some)) >= NEARLY_ALL * len(some)


def _is_phone(text: str) -> bool:
    digits = sum(map(str.isdigit, text))
    return _PHONE.fullmatch(text) is not None and 7 <= digits <= 15


def _is_iban(text: str) -> bool:
    letters = text.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", letters):
        return False
    return int("".join(str(int(sign, 36)) for sign in letters[4:] + letters[:4])) % 97 == 1


def is_number_of_a_person(text: str) -> bool:
    """Whether a text is the number of a person in one of the countries known here."""
    plain = re.sub(r"[ .\-+/]", "", text).upper()
    return _american(text) or any(fits(plain) for fits in NUMBERS_OF_PEOPLE)


def _spanish(text: str) -> bool:
    found = re.fullmatch(r"([XYZ]?)(\d{7,8})([A-Z])", text)
    if found is None or len(text) != 9:
        return False
    first = {"": "", "X": "0", "Y": "1", "Z": "2"}[found[1]]
    return _DNI_LETTERS[int(first + found[2]) % 23] == found[3]


def _italian(text: str) -> bool:
    return re.fullmatch(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", text) is not None


def _british(text: str) -> bool:
    return re.fullmatch(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]", text) is not None


def _french(text: str) -> bool:
    if not re.fullmatch(r"[12]\d{2}(0[1-9]|1[0-2]|[2-9]\d)(\d{2}|2[AB])\d{6}\d{2}", text):
        return False
    return 97 - int(text[:13].replace("2A", "19").replace("2B", "18")) % 97 == int(text[13:])


def _polish(text: str) -> bool:
    return _weighted(text, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10) and int(text[4:6]) in range(1, 32)


def _dutch(text: str) -> bool:
    return _weighted(text, (9, 8, 7, 6, 5, 4, 3, 2, -1), 11) and text != "0" * 9


def _portuguese(text: str) -> bool:
    if len(text) != 9 or not _is_digits(text) or text[0] not in "12356789":
        return False
    rest = sum((9 - place) * int(digit) for place, digit in enumerate(text[:8])) % 11
    return int(text[8]) == (0 if rest < 2 else 11 - rest)


def _norwegian(text: str) -> bool:
    first, second = (3, 7, 6, 1, 8, 9, 4, 5, 2, 1), (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)
    born = _has_day(text[:6])
    return born and _weighted(text[:10], first, 11) and _weighted(text, second, 11)


def _danish(text: str) -> bool:
    return _weighted(text, (4, 3, 2, 7, 6, 5, 4, 3, 2, 1), 11) and _has_day(text[:6])


def _swedish(text: str) -> bool:
    short = text[2:] if len(text) == 12 and text[:2] in ("18", "19", "20") else text
    if len(short) != 10 or not _is_digits(short) or not 1 <= int(short[2:4]) <= 12:
        return False
    doubled = [int(digit) * (2 - place % 2) for place, digit in enumerate(short)]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _american(text: str) -> bool:
    return re.fullmatch(r"(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}", text) is not None


def _has_day(text: str) -> bool:
    if len(text) != 6 or not _is_digits(text):
        return False
    return 1 <= int(text[:2]) % 40 <= 31 and 1 <= int(text[2:4]) % 40 <= 12


def _weighted(text: str, weights: Sequence[int], modulus: int) -> bool:
    if len(text) != len(weights) or not _is_digits(text):
        return False
    return sum(w * int(digit) for w, digit in zip(weights, text, strict=True)) % modulus == 0


def _is_digits(text: str) -> bool:
    return bool(text) and all(sign in string.digits for sign in text)


NUMBERS_OF_PEOPLE: tuple[Callable[[str], bool], ...] = (
    _spanish, _italian, _british, _french, _polish, _dutch, _portuguese, _norwegian, _danish,
    _swedish,
)  # fmt: skip
"""Forms without signs between their digits."""
