"""Texts that have an order everybody knows: words of a scale, classes of numbers."""

import re
from collections.abc import Sequence

MOST_CLASSES = 48
"""Texts that begin with a number are classes of it where there are at most so many."""

SCALES = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "moderate", "high"),
    ("very bad", "bad", "fair", "good", "very good", "excellent"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("never", "rarely", "seldom", "sometimes", "often", "usually", "always"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("extra small", "very small", "small", "medium", "large", "very large", "extra large"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("none", "mild", "moderate", "severe"),
    ("none", "primary", "lower secondary", "secondary", "upper secondary", "post-secondary",
     "tertiary", "bachelor", "master", "doctorate"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("january", "february", "march", "april", "may", "june", "july", "august", "september",
     "october", "november", "december"),
)  # fmt: skip

_LEADING_NUMBER = re.compile(r"\s*[<>=\[(]*\s*(-?\d+(?:\.\d+)?)")


def known_order(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts in the order of a scale that everybody knows; nothing if there is none."""
    lower = {text.strip().lower().replace("_", " "): text for text in texts}
    for scale in SCALES:
        if len(lower) == len(texts) > 2 and lower.keys() <= set(scale):
            return tuple(lower[word] for word in scale if word in lower)
    return ()


def numbered_order(texts: Sequence[str]) -> tuple[str, ...]:
    """Texts such as ``18-24`` or ``3. often`` by their first number; nothing if one has none."""
    starts = [_LEADING_NUMBER.match(text) for text in texts]
    plain = all(_is_code(text) for text in texts)
    if not 2 < len(texts) <= MOST_CLASSES or plain or not all(starts):
        return ()
    numbers = [float(start.group(1)) for start in starts if start]
    if len(set(numbers)) < len(numbers) - 1:
        return ()
    ends = [{"<": 0, ">": 2}.get(text.strip()[0], 1) for text in texts]
    return tuple(text for _, _, text in sorted(zip(numbers, ends, texts, strict=True)))


def _is_code(text: str) -> bool:
    return not re.search(r"[\s\-–.<>+\[\](]", text.strip())
