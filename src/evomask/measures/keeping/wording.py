"""Tables and models as a user writes them: ``education x sex: mean hours``, ``income ~ age``.

A name that holds a sign of the grammar stands between backticks, as in formulas of R.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from evomask.errors import ParameterError

STATISTICS = ("count", "sum", "mean", "median", "share")
TABLE_LIKE = 'write it like "education x sex: mean hours"'
MODEL_LIKE = 'write it like "income ~ age + education"'


@dataclass(frozen=True)
class TableWish:
    """A table that must survive: one statistic for every combination of some categories.

    Args:
        text: as the user wrote it.
        groups: attributes whose combinations are the cells.
        of: the attribute whose numbers, or whose category, the statistic is about.
        category: whose share is told.
    """

    text: str
    groups: tuple[str, ...]
    statistic: str = "count"
    of: str = ""
    category: str = ""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of all attributes that it needs."""
        return (*self.groups, self.of) if self.of else self.groups


@dataclass(frozen=True)
class ModelWish:
    """A regression that must survive.

    Args:
        text: as the user wrote it.
        outcome: what is explained.
        category: of the outcome, against all others; the most frequent one where it is empty.
        predictors: what explains it.
    """

    text: str
    outcome: str
    category: str
    predictors: tuple[str, ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of all attributes that it needs."""
        return (self.outcome, *self.predictors)


def table_in(text: str) -> TableWish:
    """The table that a text asks for."""
    refuse = _refusing("table", text, TABLE_LIKE)
    parts = _split(text, ":")
    if len(parts) > 2:
        raise refuse("it has more than one colon")
    groups = _names(_split(parts[0], r"\s[x×]\s"), refuse)
    if len(parts) == 1:
        return TableWish(text, groups)
    word, _, rest = parts[1].strip().partition(" ")
    if word not in STATISTICS:
        raise refuse(f"after the colon stands one of {', '.join(STATISTICS)}, not {word!r}")
    of, category = _with_category(rest, refuse) if word != "count" else ("", rest)
    if word == "share" and not category:
        raise refuse("a share is of a category, such as share income = high")
    if word != "share" and category:
        raise refuse(f"{word} takes no category")
    if of in groups:
        raise refuse(f"{of!r} stands on both sides of the colon")
    return TableWish(text, groups, word, of, category)


def model_in(text: str) -> ModelWish:
    """The model that a text asks for."""
    refuse = _refusing("model", text, MODEL_LIKE)
    sides = _split(text, "~")
    if len(sides) != 2:
        raise refuse("it needs one ~ between what is explained and what explains it")
    outcome, category = _with_category(sides[0], refuse)
    predictors = _names(_split(sides[1], r"\+"), refuse)
    if outcome in predictors:
        raise refuse(f"{outcome!r} stands on both sides of the ~")
    return ModelWish(text, outcome, category, predictors)


Refusal = Callable[[str], ParameterError]


def _refusing(kind: str, text: str, example: str) -> Refusal:
    return lambda why: ParameterError(f"the {kind} {text!r} cannot be read: {why}; {example}")


def _with_category(text: str, refuse: Refusal) -> tuple[str, str]:
    """A name, and the category after the first equals sign."""
    first, *rest = _split(text, "=")
    if rest and not rest[0].strip():
        raise refuse("a category is missing after =")
    category = text[len(first) + 1 :] if rest else ""
    return _names([first], refuse)[0], _unquoted(category)


def _names(parts: list[str], refuse: Refusal) -> tuple[str, ...]:
    names = tuple(_unquoted(part) for part in parts)
    if not all(names):
        raise refuse("a column's name is missing")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise refuse(f"{twice[0]!r} stands twice")
    return names


def _unquoted(text: str) -> str:
    return re.sub(r"^`(.*)`$", r"\1", text.strip())


def _split(text: str, sign: str) -> list[str]:
    """The parts between signs, those between backticks left alone."""
    hidden = re.sub(r"`[^`]*`", lambda found: "`" * len(found[0]), text)
    cuts = [(found.start(), found.end()) for found in re.finditer(sign, hidden)]
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]
