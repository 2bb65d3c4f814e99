"""Parser of analyses: ``education x sex: mean hours``, ``income ~ age``, ``gini(income)``.

A column name that contains an operator is enclosed in backticks, as in formulas of R. A limit of
the error may follow: ``gini(income) by region <= 5 %``.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from evomask.errors import ParameterError

STATISTICS = ("count", "sum", "mean", "median", "share")
TABLE_EXAMPLE = 'write it like "education x sex: mean hours"'
MODEL_EXAMPLE = 'write it like "income ~ age + education"'
INDICATOR_EXAMPLE = 'write it like "gini(income) by region"'
OF_ONE = ("gini", "arpr", "s80s20", "median", "mean", "sum", "categories")
OF_TWO = ("ratio", "correlation")


@dataclass(frozen=True)
class TableSpec:
    """A table to preserve: one statistic for each combination of some categories.

    Args:
        text: the table as the user wrote it.
        groups: attributes whose combinations are the cells.
        statistic: count, sum, mean, median or share.
        of: the attribute that the statistic summarises; empty for a count.
        category: the category of *of* whose share is computed; empty for other statistics.
        limit: largest error in percent.
    """

    text: str
    groups: tuple[str, ...]
    statistic: str = "count"
    of: str = ""
    category: str = ""
    limit: float | None = None

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
        limit: largest error in percent.
    """

    text: str
    outcome: str
    category: str
    predictors: tuple[str, ...]
    limit: float | None = None

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.outcome, *self.predictors)


@dataclass(frozen=True)
class IndicatorSpec:
    """An indicator to preserve, by groups or of all records.

    Args:
        text: the indicator as the user wrote it.
        function: gini, arpr, s80s20, quantile, quantile_ratio, mean, sum, share, categories,
            ratio or correlation.
        of, other: the attributes that it summarises; the second of a ratio or a correlation.
        category: the category of *of* whose share is computed.
        level, lower: level of a quantile; of the upper and lower one of a ratio.
        groups: attributes whose combinations have an indicator each.
        limit: largest error in percent.
    """

    text: str
    function: str
    of: str
    other: str = ""
    category: str = ""
    level: float = 0.5
    lower: float = 0.5
    groups: tuple[str, ...] = ()
    limit: float | None = None

    @property
    def attributes(self) -> tuple[str, ...]:
        return (*self.groups, self.of, self.other) if self.other else (*self.groups, self.of)


def split_limit(text: str) -> tuple[str, float | None]:
    """Split an analysis and the limit of its error: ``gini(income) <= 5 %``."""
    hidden = re.sub(r"`[^`]*`", lambda found: "`" * len(found[0]), text)
    found = re.search(r"\s*(<=|≤)\s*(\d+(\.\d+)?)\s*%\s*$", hidden)
    if found is None:
        return text, None
    limit = float(found[2])
    if limit > 100:
        raise ParameterError(f"the limit in {text!r} must lie in 0 to 100 percent")
    return text[: found.start()], limit


def parse_table(text: str) -> TableSpec:
    """Parse a table such as ``education x sex: mean hours``."""
    text, limit = split_limit(text)
    error = _error_factory("table", text, TABLE_EXAMPLE)
    parts = _split(text, ":")
    if len(parts) > 2:
        raise error("it has more than one colon")
    groups = _names(_split(parts[0], r"\s[x×]\s"), error)
    if len(parts) == 1:
        return TableSpec(text, groups, limit=limit)
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
    return TableSpec(text, groups, word, of, category, limit)


def parse_model(text: str) -> ModelSpec:
    """Parse a model such as ``income ~ age + education``."""
    text, limit = split_limit(text)
    error = _error_factory("model", text, MODEL_EXAMPLE)
    sides = _split(text, "~")
    if len(sides) != 2:
        raise error("it needs one ~ between the outcome and the predictors")
    outcome, category = _with_category(sides[0], error)
    predictors = _names(_split(sides[1], r"\+"), error)
    if outcome in predictors:
        raise error(f"{outcome!r} is used on both sides of the ~")
    return ModelSpec(text, outcome, category, predictors, limit)


def parse_indicator(text: str) -> IndicatorSpec:
    """Parse an indicator such as ``gini(income) by region``."""
    text, limit = split_limit(text)
    error = _error_factory("indicator", text, INDICATOR_EXAMPLE)
    opening = _split(text, r"\(")
    closing = _split("(".join(opening[1:]), r"\)")
    if len(opening) != 2 or len(closing) != 2:
        raise error("a column in parentheses follows the name of the indicator")
    word, rest = opening[0].strip(), closing[1].strip()
    function, level, lower = _function(word, error)
    if rest and not re.match(r"by\s", rest):
        raise error("the parenthesis is followed by nothing, or by `by` and groups")
    groups = _names(_split(rest[2:], r"\s[x×]\s"), error) if rest else ()
    arguments, category = _split(closing[0], ","), ""
    if function == "share":
        of, category = _with_category(closing[0], error)
        arguments = [f"`{of}`"]
        if not category:
            raise error("a share needs a category, such as share(health = good)")
    if len(arguments) != 1 + (word in OF_TWO):
        raise error(f"{word} takes {'two columns' if word in OF_TWO else 'one column'}")
    names = _names(arguments, error)
    if set(names) & set(groups):
        raise error(f"{next(name for name in names if name in groups)!r} is used twice")
    of, other = (*names, "")[:2]
    return IndicatorSpec(text, function, of, other, category, level, lower, groups, limit)


def _function(word: str, error: "ErrorFactory") -> tuple[str, float, float]:
    """Name of an indicator, and the levels of its quantiles."""
    found = re.fullmatch(r"p(\d{1,2}(?:\.\d+)?)(?:p(\d{1,2}(?:\.\d+)?))?", word)
    if found is None:
        if word not in (*OF_ONE, *OF_TWO, "share"):
            known = ", ".join((*OF_ONE, "share", *OF_TWO))
            raise error(f"it begins with one of {known}, p90 or p90p10, not {word!r}")
        return ("quantile" if word == "median" else word), 0.5, 0.5
    level, lower = (float(part or 50) / 100 for part in found.groups())
    if not 0 < level < 1 or not 0 < lower < 1:
        raise error("a quantile lies between p1 and p99")
    if found[2] and level <= lower:
        raise error("the first quantile of a ratio is the larger one, such as p90p10")
    return ("quantile_ratio" if found[2] else "quantile"), level, lower


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
