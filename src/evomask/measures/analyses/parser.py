"""Parser of analyses to preserve: ``education x sex: mean hours``, ``income ~ age``.

A column name that contains an operator is enclosed in backticks, as in formulas of R.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from evomask.errors import ParameterError

STATISTICS = ("count", "sum", "mean", "median", "share")
TABLE_EXAMPLE = 'write it like "education x sex: mean hours"'
MODEL_EXAMPLE = 'write it like "income ~ age + education"'


@dataclass(frozen=True)
class TableSpec:
    """A table to preserve: one statistic for each combination of some categories.

    Args:
        text: the table as the user wrote it.
        groups: attributes whose combinations are the cells.
        statistic: count, sum, mean, median or share.
        of: the attribute that the statistic summarises; empty for a count.
        category: the category of *of* whose share is computed; empty for other statistics.
    """

    text: str
    groups: tuple[str, ...]
    statistic: str = "count"
    of: str = ""
    category: str = ""

    @property
    def attributes(self) -> tuple[str, ...]:
        return (*self.groups, self.of) if self.of else self.groups


@dataclass(frozen=True)
class ModelSpec:
    """A regression model to preserve.

    Args:
        text: the model as the user wrote it.
        outcome: the dependent variable.
        category: category of the outcome that is modelled against all others; if empty, the
            most frequent one.
        predictors: the explanatory variables.
    """

    text: str
    outcome: str
    category: str
    predictors: tuple[str, ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.outcome, *self.predictors)


def parse_table(text: str) -> TableSpec:
    """Parse a table such as ``education x sex: mean hours``."""
    error = _error_factory("table", text, TABLE_EXAMPLE)
    parts = _split(text, ":")
    if len(parts) > 2:
        raise error("it has more than one colon")
    groups = _names(_split(parts[0], r"\s[x×]\s"), error)
    if len(parts) == 1:
        return TableSpec(text, groups)
    word, _, rest = parts[1].strip().partition(" ")
    if word not in STATISTICS:
        raise error(f"the colon is followed by one of {', '.join(STATISTICS)}, not {word!r}")
    of, category = _with_category(rest, error) if word != "count" else ("", rest)
    if word == "share" and not category:
        raise error("a share needs a category, such as share income = high")
    if word != "share" and category:
        raise error(f"{word} takes no category")
    if of in groups:
        raise error(f"{of!r} is used on both sides of the colon")
    return TableSpec(text, groups, word, of, category)


def parse_model(text: str) -> ModelSpec:
    """Parse a model such as ``income ~ age + education``."""
    error = _error_factory("model", text, MODEL_EXAMPLE)
    sides = _split(text, "~")
    if len(sides) != 2:
        raise error("it needs one ~ between the outcome and the predictors")
    outcome, category = _with_category(sides[0], error)
    predictors = _names(_split(sides[1], r"\+"), error)
    if outcome in predictors:
        raise error(f"{outcome!r} is used on both sides of the ~")
    return ModelSpec(text, outcome, category, predictors)


ErrorFactory = Callable[[str], ParameterError]


def _error_factory(kind: str, text: str, example: str) -> ErrorFactory:
    return lambda why: ParameterError(f"the {kind} {text!r} cannot be read: {why}; {example}")


def _with_category(text: str, error: ErrorFactory) -> tuple[str, str]:
    """Split a name and the category after the first equals sign."""
    first, *rest = _split(text, "=")
    if rest and not rest[0].strip():
        raise error("a category is missing after =")
    category = text[len(first) + 1 :] if rest else ""
    return _names([first], error)[0], _unquoted(category)


def _names(parts: list[str], error: ErrorFactory) -> tuple[str, ...]:
    names = tuple(_unquoted(part) for part in parts)
    if not all(names):
        raise error("a column name is missing")
    duplicates = [name for name in names if names.count(name) > 1]
    if duplicates:
        raise error(f"{duplicates[0]!r} is used twice")
    return names


def _unquoted(text: str) -> str:
    return re.sub(r"^`(.*)`$", r"\1", text.strip())


def _split(text: str, operator: str) -> list[str]:
    """Split at an operator (a regular expression), ignoring text between backticks."""
    hidden = re.sub(r"`[^`]*`", lambda found: "`" * len(found[0]), text)
    cuts = [(found.start(), found.end()) for found in re.finditer(operator, hidden)]
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]
