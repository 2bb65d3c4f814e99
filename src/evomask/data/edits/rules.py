"""Edit rules: linear constraints between the numbers of every released record.

A rule compares two sums, such as ``start <= end`` or ``total = a + 2 * b - 1``; comparisons may
be chained, as in ``0 <= a <= b``. Rules apply to continuous attributes and to ordinal ones whose
categories are numbers. A rule does not apply where a value is missing, suppressed or recoded.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from evomask.data.schema import MISSING, Attribute, Kind, Schema
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.types import Flags, Floats, Points

COMPARISONS = ("<=", ">=", "==", "=", "<", ">")
LARGEST = 1e75
"""Largest absolute value of a coefficient or limit."""
ROUNDING = 1e-9
"""Relative tolerance of sums of numbers without a smallest step."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|`(?P<quoted>[^`]+)`"
    r"|(?P<name>[^\W\d][\w.]*)|(?P<sign><=|>=|==|[<>=+*-]))\s*"
)
_PLAIN = re.compile(r"[^\W\d][\w.]*")
_CONSTANT = ""
_SAME_STEP = 1e-6


class _Token(NamedTuple):
    kind: str
    text: str


@dataclass(frozen=True)
class Rule:
    """A weighted sum of a record's numbers, compared with a limit.

    Args:
        text: the rule as the user wrote it.
        weights: pairs of an attribute's name and its weight in the sum.
        sign: one of ``<=``, ``<``, ``>=``, ``>`` and ``=``.
    """

    text: str
    weights: tuple[tuple[str, float], ...]
    sign: str
    limit: float


@dataclass(frozen=True, eq=False)
class EditRules:
    """The rules of a schema as arrays: ``low <= weights @ record <= high``.

    Args:
        attributes: attributes that occur in a rule, in the order of the schema.
        texts: text of the rule of each row of *weights*.
        steps: smallest step of the sum of each row, 0 if there is none.
    """

    attributes: tuple[Attribute, ...] = ()
    texts: tuple[str, ...] = ()
    weights: Points = field(default_factory=lambda: np.empty((0, 0)))
    low: Floats = field(default_factory=lambda: np.empty(0))
    high: Floats = field(default_factory=lambda: np.empty(0))
    steps: Floats = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    def only(self, rows: Flags) -> "EditRules":
        """Return a copy with some of the rows."""
        return EditRules(
            self.attributes,
            tuple(text for text, selected in zip(self.texts, rows, strict=True) if selected),
            self.weights[rows],
            self.low[rows],
            self.high[rows],
            self.steps[rows],
        )

    @cached_property
    def involved(self) -> Flags:
        """Flags of the attributes (columns) that occur in each row."""
        flags: Flags = self.weights != 0
        return flags

    def values(self, table: Table) -> Points:
        """Return the numbers of each record, NaN where no rule applies."""
        columns = [_numbers(table, attribute) for attribute in self.attributes]
        return np.column_stack(columns) if columns else np.empty((len(table), 0))

    def applies(self, values: Points) -> Flags:
        """Return for each record and row whether all its values are known."""
        return ~(np.isnan(values) @ self.involved.T)

    def broken(self, values: Points) -> Flags:
        """Return for each record and row whether the record violates it."""
        known = np.where(np.isnan(values), 0.0, values)
        sums = known @ self.weights.T
        magnitude = np.abs(known) @ np.abs(self.weights).T
        slack = np.where(self.steps > 0, self.steps / 2, ROUNDING * magnitude)
        wrong = (sums > self.high + slack) | (sums < self.low - slack)
        failed: Flags = wrong & self.applies(values)
        return failed

    def broken_by(self, table: Table) -> Flags:
        """Return which released records violate a rule."""
        flags: Flags = self.broken(self.values(table)).any(axis=1) & ~table.suppressed
        return flags

    def violations(self, table: Table) -> dict[str, int]:
        """Return the number of released records that violate each rule, if positive."""
        broken = self.broken(self.values(table)) & ~table.suppressed[:, None]
        counts: dict[str, int] = {}
        for text in dict.fromkeys(self.texts):
            rows = [row for row, rule in enumerate(self.texts) if rule == text]
            counts[text] = int(broken[:, rows].any(axis=1).sum())
        return {text: count for text, count in counts.items() if count}


def rules_of(schema: Schema) -> EditRules:
    """Parse the edit rules of a schema; an error quotes the invalid rule."""
    parsed = [rule for text in schema.edits for rule in parse_rule(text)]
    named = {name for rule in parsed for name, _ in rule.weights}
    for rule in parsed:
        _check_numbers(rule, schema)
    attributes = tuple(attribute for attribute in schema if attribute.name in named)
    if not parsed:
        return EditRules()
    steps = {attribute.name: step_of(attribute) for attribute in attributes}
    limits = [_limits(rule, steps) for rule in parsed]
    rows = [[dict(r.weights).get(a.name, 0.0) for a in attributes] for r in parsed]
    return EditRules(
        attributes,
        tuple(rule.text for rule in parsed),
        np.array(rows),
        *(np.array(column) for column in zip(*limits, strict=True)),
    )


def parse_rule(text: str) -> tuple[Rule, ...]:
    """Parse the text of a rule into one `Rule` per comparison."""
    tokens = list(_tokens(text))
    places = [i for i, token in enumerate(tokens) if _is_sign(token, COMPARISONS)]
    if not places:
        raise _invalid(text, "it compares nothing; write it like start <= end")
    ends = [-1, *places, len(tokens)]
    sides = [_side(tokens[a + 1 : b], text) for a, b in pairwise(ends)]
    return tuple(
        _rule(text, left, tokens[place].text, right)
        for (left, right), place in zip(pairwise(sides), places, strict=True)
    )


def quote_name(name: str) -> str:
    """Return a name as a rule must write it: in backticks if it has special characters."""
    return name if _PLAIN.fullmatch(name) else f"`{name}`"


def _rule(text: str, left: dict[str, float], sign: str, right: dict[str, float]) -> Rule:
    names = [name for name in dict.fromkeys([*left, *right]) if name != _CONSTANT]
    weights = {name: left.get(name, 0.0) - right.get(name, 0.0) for name in names}
    terms = tuple((name, weight) for name, weight in weights.items() if weight != 0)
    if not terms:
        raise _invalid(text, "all columns cancel out; compare a column with something else")
    limit = right.get(_CONSTANT, 0.0) - left.get(_CONSTANT, 0.0)
    if not all(abs(number) <= LARGEST for number in (limit, *weights.values())):
        raise _invalid(text, f"a number in it lies beyond {LARGEST:g}")
    return Rule(text, terms, "=" if sign == "==" else sign, limit)


def _tokens(text: str) -> Iterator[_Token]:
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise _invalid(text, f"unexpected character {text[place:].strip()[:1]!r}")
        kind = str(match.lastgroup)
        yield _Token("name" if kind == "quoted" else kind, match[kind])
        place = match.end()


def _is_sign(token: _Token, among: Sequence[str]) -> bool:
    return token.kind == "sign" and token.text in among


def _side(tokens: Sequence[_Token], text: str) -> dict[str, float]:
    """Return the weight of each name in a sum; the constant has an empty name."""
    if not (tokens and _is_sign(tokens[0], "+-")):
        tokens = [_Token("sign", "+"), *tokens]
    starts = [i for i, token in enumerate(tokens) if _is_sign(token, "+-")]
    total: dict[str, float] = {}
    for a, b in pairwise([*starts, len(tokens)]):
        name, weight = _term(tokens[a + 1 : b], text)
        total[name] = total.get(name, 0.0) + (weight if tokens[a].text == "+" else -weight)
    return total


def _term(tokens: Sequence[_Token], text: str) -> tuple[str, float]:
    """Return name and weight of a term: a number, a name, or their product."""
    factors, signs = tokens[::2], tokens[1::2]
    if not all(_is_sign(token, "*") for token in signs):
        raise _invalid(text, "an operator is missing between two terms")
    if len(factors) != len(signs) + 1 or any(token.kind == "sign" for token in factors):
        raise _invalid(text, "a number or a column name is missing")
    names = [token.text for token in factors if token.kind == "name"]
    if len(names) > 1:
        raise _invalid(text, "columns are multiplied; only sums and multiples are possible")
    numbers = [float(token.text) for token in factors if token.kind == "number"]
    return (names[0] if names else _CONSTANT), math.prod(numbers)


def _invalid(text: str, reason: str) -> SchemaError:
    return SchemaError(
        f"the rule {text!r} is not understood: {reason} "
        "(put names with other characters than letters, digits and _ in backticks)"
    )


def _check_numbers(rule: Rule, schema: Schema) -> None:
    for name, _ in rule.weights:
        if name not in schema:
            raise SchemaError(
                f"the rule {rule.text!r} names {name!r}, and there is no such column; "
                "put names with other characters than letters, digits and _ in backticks"
            )
        if not _is_numeric(schema[name]):
            raise SchemaError(
                f"the rule {rule.text!r} needs numbers, and {name!r} is {schema[name].kind}; "
                "declare it continuous or remove it from the rule"
            )


def _is_numeric(attribute: Attribute) -> bool:
    if attribute.kind is Kind.NOMINAL:
        return False
    return attribute.kind is Kind.CONTINUOUS or not np.isnan(category_numbers(attribute)).all()


def category_numbers(attribute: Attribute) -> Floats:
    """Numeric value of each category, NaN for missing; all NaN if a category is no number."""
    try:
        numbers = [float(c) if c != MISSING else np.nan for c in attribute.categories]
    except ValueError:
        numbers = [np.nan] * len(attribute.categories)
    return np.array(numbers)


def step_of(attribute: Attribute) -> float:
    """Smallest difference between two released values of an attribute, 0 if there is none."""
    if attribute.kind is Kind.CONTINUOUS:
        return 0.0 if attribute.decimals is None else float(10.0**-attribute.decimals)
    numbers = category_numbers(attribute)
    known = numbers[~np.isnan(numbers)]
    return 1.0 if bool((known == np.round(known)).all()) else 0.0


class _Limits(NamedTuple):
    low: float
    high: float
    step: float


def _limits(rule: Rule, steps: Mapping[str, float]) -> _Limits:
    """Return a rule's limits, rounded to whole steps, and the smallest step of its sum."""
    whole = all(weight == round(weight) for _, weight in rule.weights)
    step = min(steps[name] for name, _ in rule.weights) if whole else 0.0
    if step == 0:
        return _without_steps(rule, steps)
    steps_to_limit = rule.limit / step
    nearest = round(steps_to_limit)
    exact = abs(steps_to_limit - nearest) < _SAME_STEP
    if rule.sign == "=":
        if not exact:
            raise SchemaError(
                f"the rule {rule.text!r} can never hold at the released decimals; "
                "change its constant or the decimals of its columns"
            )
        return _Limits(nearest * step, nearest * step, step)
    strict = exact and rule.sign in "<>"
    if rule.sign.startswith("<"):
        high = nearest - strict if exact else math.floor(steps_to_limit)
        return _Limits(-np.inf, high * step, step)
    low = nearest + strict if exact else math.ceil(steps_to_limit)
    return _Limits(low * step, np.inf, step)


def _without_steps(rule: Rule, steps: Mapping[str, float]) -> _Limits:
    if rule.sign in "<>":
        fine = next((name for name, _ in rule.weights if steps[name] == 0), rule.weights[0][0])
        raise SchemaError(
            f"the rule {rule.text!r} is strict, and {fine!r} has no smallest step; "
            "write <= or >=, or declare its decimals"
        )
    low = -np.inf if rule.sign == "<=" else rule.limit
    high = np.inf if rule.sign == ">=" else rule.limit
    return _Limits(low, high, 0.0)


def _numbers(table: Table, attribute: Attribute) -> Floats:
    if table.is_recoded(attribute.name):
        return np.full(len(table), np.nan)
    if attribute.kind is Kind.CONTINUOUS:
        return table.values(attribute.name)
    numbers: Floats = category_numbers(attribute)[table.codes(attribute.name)]
    return numbers
