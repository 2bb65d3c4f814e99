"""Edit rules: what must hold between the numbers of every released record.

A rule compares two sums, such as ``start <= end`` or ``total = a + 2 * b - 1``; comparisons may
be chained, as in ``0 <= a <= b``. It speaks of continuous attributes, and of ordinal ones whose
categories are numbers. Where a value is missing, suppressed or recoded a rule says nothing.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from evomask.arrays import Flags, Floats, Points
from evomask.data.schema import MISSING, Attribute, Kind, Schema
from evomask.data.table import Table
from evomask.errors import SchemaError

COMPARISONS = ("<=", ">=", "==", "=", "<", ">")
LARGEST = 1e75
"""The largest number that a rule may name, or arrive at."""
ROUNDING = 1e-9
"""Share of its terms by which a sum of numbers without a smallest step may miss its limit."""

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
        text: the rule as it was written.
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
        attributes: those that any rule names, in the order of the schema.
        texts: for each row of *weights* the rule it is part of.
        steps: for each row the smallest step of its sum, 0 where there is none.
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
        """The attributes that any rule names."""
        return tuple(attribute.name for attribute in self.attributes)

    def only(self, rows: Flags) -> "EditRules":
        """The same attributes, some of the rules."""
        return EditRules(
            self.attributes,
            tuple(text for text, kept in zip(self.texts, rows, strict=True) if kept),
            self.weights[rows],
            self.low[rows],
            self.high[rows],
            self.steps[rows],
        )

    @cached_property
    def involved(self) -> Flags:
        """Which rows speak of which attributes."""
        speaks: Flags = self.weights != 0
        return speaks

    def values(self, table: Table) -> Points:
        """The numbers of each record, NaN where a rule has nothing to say."""
        columns = [_numbers(table, attribute) for attribute in self.attributes]
        return np.column_stack(columns) if columns else np.empty((len(table), 0))

    def applies(self, values: Points) -> Flags:
        """For each record and row whether all its values are known."""
        return ~(np.isnan(values) @ self.involved.T)

    def broken(self, values: Points) -> Flags:
        """For each record and row whether it does not hold."""
        known = np.where(np.isnan(values), 0.0, values)
        sums = known @ self.weights.T
        reach = np.abs(known) @ np.abs(self.weights).T
        slack = np.where(self.steps > 0, self.steps / 2, ROUNDING * reach)
        wrong = (sums > self.high + slack) | (sums < self.low - slack)
        failed: Flags = wrong & self.applies(values)
        return failed

    def broken_by(self, table: Table) -> Flags:
        """Which records that are released break a rule."""
        flags: Flags = self.broken(self.values(table)).any(axis=1) & ~table.suppressed
        return flags

    def violations(self, table: Table) -> dict[str, int]:
        """How many released records break each rule; rules that all obey are not named."""
        broken = self.broken(self.values(table)) & ~table.suppressed[:, None]
        counts: dict[str, int] = {}
        for text in dict.fromkeys(self.texts):
            rows = [row for row, rule in enumerate(self.texts) if rule == text]
            counts[text] = int(broken[:, rows].any(axis=1).sum())
        return {text: count for text, count in counts.items() if count}


def rules_of(schema: Schema) -> EditRules:
    """The edit rules of a schema; what cannot be understood is an error that names the rule."""
    parsed = [rule for text in schema.edits for rule in parse(text)]
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


def parse(text: str) -> tuple[Rule, ...]:
    """A written rule as sums with a limit, one for each comparison in it."""
    tokens = list(_tokens(text))
    places = [i for i, token in enumerate(tokens) if _is_sign(token, COMPARISONS)]
    if not places:
        raise _unreadable(text, "it compares nothing; write it like start <= end")
    ends = [-1, *places, len(tokens)]
    sides = [_side(tokens[a + 1 : b], text) for a, b in pairwise(ends)]
    return tuple(
        _rule(text, left, tokens[place].text, right)
        for (left, right), place in zip(pairwise(sides), places, strict=True)
    )


def written(name: str) -> str:
    """An attribute's name as a rule must write it, in backticks where it has other signs."""
    return name if _PLAIN.fullmatch(name) else f"`{name}`"


def _rule(text: str, left: dict[str, float], sign: str, right: dict[str, float]) -> Rule:
    names = [name for name in dict.fromkeys([*left, *right]) if name != _CONSTANT]
    weights = {name: left.get(name, 0.0) - right.get(name, 0.0) for name in names}
    kept = tuple((name, weight) for name, weight in weights.items() if weight != 0)
    if not kept:
        raise _unreadable(text, "no column is left in it; compare a column with something else")
    limit = right.get(_CONSTANT, 0.0) - left.get(_CONSTANT, 0.0)
    if not all(abs(number) <= LARGEST for number in (limit, *weights.values())):
        raise _unreadable(text, f"a number in it lies beyond {LARGEST:g}")
    return Rule(text, kept, "=" if sign == "==" else sign, limit)


def _tokens(text: str) -> Iterator[_Token]:
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise _unreadable(text, f"{text[place:].strip()[:1]!r} is strange in it")
        kind = str(match.lastgroup)
        yield _Token("name" if kind == "quoted" else kind, match[kind])
        place = match.end()


def _is_sign(token: _Token, among: Sequence[str]) -> bool:
    return token.kind == "sign" and token.text in among


def _side(tokens: Sequence[_Token], text: str) -> dict[str, float]:
    """A sum as the weight of each name, the constant under an empty one."""
    if not (tokens and _is_sign(tokens[0], "+-")):
        tokens = [_Token("sign", "+"), *tokens]
    starts = [i for i, token in enumerate(tokens) if _is_sign(token, "+-")]
    total: dict[str, float] = {}
    for a, b in pairwise([*starts, len(tokens)]):
        name, weight = _term(tokens[a + 1 : b], text)
        total[name] = total.get(name, 0.0) + (weight if tokens[a].text == "+" else -weight)
    return total


def _term(tokens: Sequence[_Token], text: str) -> tuple[str, float]:
    """A name with its weight: a number, a name, or their product."""
    factors, signs = tokens[::2], tokens[1::2]
    if not all(_is_sign(token, "*") for token in signs):
        raise _unreadable(text, "a sign is missing in it between two parts")
    if len(factors) != len(signs) + 1 or any(token.kind == "sign" for token in factors):
        raise _unreadable(text, "a number or a column is missing in it")
    names = [token.text for token in factors if token.kind == "name"]
    if len(names) > 1:
        raise _unreadable(text, "columns are multiplied; only sums and multiples are possible")
    numbers = [float(token.text) for token in factors if token.kind == "number"]
    return (names[0] if names else _CONSTANT), math.prod(numbers)


def _unreadable(text: str, why: str) -> SchemaError:
    return SchemaError(
        f"the rule {text!r} is not understood: {why} "
        "(names with other signs than letters, digits and _ go in backticks)"
    )


def _check_numbers(rule: Rule, schema: Schema) -> None:
    for name, _ in rule.weights:
        if name not in schema:
            raise SchemaError(
                f"the rule {rule.text!r} names {name!r}, and there is no such column; "
                "names with other signs than letters, digits and _ go in backticks"
            )
        if not _is_numeric(schema[name]):
            raise SchemaError(
                f"the rule {rule.text!r} needs numbers, and {name!r} is {schema[name].kind}; "
                "declare it continuous or take it out of the rule"
            )


def _is_numeric(attribute: Attribute) -> bool:
    if attribute.kind is Kind.NOMINAL:
        return False
    return attribute.kind is Kind.CONTINUOUS or not np.isnan(category_numbers(attribute)).all()


def category_numbers(attribute: Attribute) -> Floats:
    """The number that each category stands for, NaN for missing; all NaN if one has none."""
    try:
        numbers = [float(c) if c != MISSING else np.nan for c in attribute.categories]
    except ValueError:
        numbers = [np.nan] * len(attribute.categories)
    return np.array(numbers)


def step_of(attribute: Attribute) -> float:
    """Smallest difference between two released values of an attribute, 0 where there is none."""
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
    """A rule's limits and the smallest step of its sum; limits lie on whole steps."""
    whole = all(weight == round(weight) for _, weight in rule.weights)
    step = min(steps[name] for name, _ in rule.weights) if whole else 0.0
    if step == 0:
        return _without_steps(rule, steps)
    places = rule.limit / step
    nearest = round(places)
    exact = abs(places - nearest) < _SAME_STEP
    if rule.sign == "=":
        if not exact:
            raise SchemaError(f"the rule {rule.text!r} can never hold at the released decimals")
        return _Limits(nearest * step, nearest * step, step)
    strict = exact and rule.sign in "<>"
    if rule.sign.startswith("<"):
        return _Limits(-np.inf, (nearest - strict if exact else math.floor(places)) * step, step)
    return _Limits((nearest + strict if exact else math.ceil(places)) * step, np.inf, step)


def _without_steps(rule: Rule, steps: Mapping[str, float]) -> _Limits:
    if rule.sign in "<>":
        fine = next((name for name, _ in rule.weights if steps[name] == 0), rule.weights[0][0])
        raise SchemaError(
            f"the rule {rule.text!r} is strict, and {fine!r} has no smallest step in it; "
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
