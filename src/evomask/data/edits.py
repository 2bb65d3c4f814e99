"""Edit rules: linear constraints between the numbers of every released record, and their repair.

A rule compares two sums, such as ``start <= end`` or ``total = a + 2 * b - 1``; comparisons may
be chained, as in ``0 <= a <= b``. Rules apply to continuous attributes and to ordinal ones whose
categories are numbers. A rule does not apply where a value is missing, suppressed or recoded.
Rules with conditions are in `conditions`; dates are numbers of days, written as ``2024-05-31``.

The repair of violations is the smallest change that satisfies the rules, as the sum of squares in
standard deviations of the original. Values stay in the range of the original, at the released
decimals, and categories stay categories. The repair of a record depends on its values alone, so
equal records stay equal. Quasi-identifiers are repaired first, by rules among themselves; rules
that involve other attributes change those. So equivalence classes stay intact. Only violations
that remain change all attributes of a record together, unless equivalence classes must stay intact.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.data.classes import classes_of_columns
from evomask.data.conditions import (
    MOST_ROUNDS,
    ConditionalRule,
    check_conditions,
    is_conditional,
    mend,
    parse_conditions,
    violated,
)
from evomask.data.dates import parse_day
from evomask.data.schema import MISSING, Attribute, Kind, Role, Schema
from evomask.data.table import Column, Table
from evomask.errors import DataError, SchemaError
from evomask.types import Flags, Floats, Points

COMPARISONS = ("<=", ">=", "==", "=", "<", ">")
LARGEST = 1e75
"""Largest absolute value of a coefficient or limit."""
ROUNDING = 1e-9
"""Relative tolerance of sums of numbers without a smallest step."""

_TOKEN = re.compile(
    r"\s*(?:(?P<date>\d{4}-\d{2}-\d{2})(?!\d)|(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|`(?P<quoted>[^`]+)`"
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
        conditions: rules that are no sums.
    """

    attributes: tuple[Attribute, ...] = ()
    texts: tuple[str, ...] = ()
    weights: Points = field(default_factory=lambda: np.empty((0, 0)))
    low: Floats = field(default_factory=lambda: np.empty(0))
    high: Floats = field(default_factory=lambda: np.empty(0))
    steps: Floats = field(default_factory=lambda: np.empty(0))
    conditions: tuple[ConditionalRule, ...] = ()

    def __len__(self) -> int:
        return len(self.texts) + len(self.conditions)

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
        for rule in self.conditions:
            flags |= violated(rule, table)
        return flags

    def violations(self, table: Table) -> dict[str, int]:
        """Return the number of released records that violate each rule, if positive."""
        broken = self.broken(self.values(table)) & ~table.suppressed[:, None]
        counts: dict[str, int] = {}
        for text in dict.fromkeys(self.texts):
            rows = [row for row, rule in enumerate(self.texts) if rule == text]
            counts[text] = int(broken[:, rows].any(axis=1).sum())
        counts |= {rule.text: int(violated(rule, table).sum()) for rule in self.conditions}
        return {text: count for text, count in counts.items() if count}


def rules_of(schema: Schema) -> EditRules:
    """Parse the edit rules of a schema; an error quotes the invalid rule."""
    conditions = tuple(_conditional_rules(schema))
    sums = [text for text in schema.edits if text not in {rule.text for rule in conditions}]
    parsed = [rule for text in sums for rule in parse_rule(text)]
    named = {name for rule in parsed for name, _ in rule.weights}
    for rule in parsed:
        _check_numbers(rule, schema)
    attributes = tuple(attribute for attribute in schema if attribute.name in named)
    if not parsed:
        return EditRules(conditions=conditions)
    steps = {attribute.name: step_of(attribute) for attribute in attributes}
    limits = [_limits(rule, steps) for rule in parsed]
    low, high, step = (np.array(column) for column in zip(*limits, strict=True))
    rows = [[dict(r.weights).get(a.name, 0.0) for a in attributes] for r in parsed]
    return EditRules(
        attributes,
        tuple(rule.text for rule in parsed),
        np.array(rows),
        low,
        high,
        step,
        conditions,
    )


def _conditional_rules(schema: Schema) -> Iterator[ConditionalRule]:
    """Rules with conditions, and comparisons of two columns of categories."""
    for text in schema.edits:
        if not is_conditional(text) and not _compares_categories(text, schema):
            continue
        rule = parse_conditions(text)
        check_conditions(rule, schema)
        yield rule


def _compares_categories(text: str, schema: Schema) -> bool:
    rules = parse_rule(text)
    names = [name for rule in rules for name, _ in rule.weights if name in schema]
    texts = [
        n for n in names if schema[n].is_categorical and np.isnan(category_numbers(schema[n])).all()
    ]
    return len(rules) == 1 and len(names) == 2 and texts == names


def rule_columns(text: str, schema: Schema) -> tuple[str, ...]:
    """Columns that a rule of a schema names."""
    if is_conditional(text) or _compares_categories(text, schema):
        return parse_conditions(text).columns(schema)
    return tuple(name for rule in parse_rule(text) for name, _ in rule.weights)


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
        if kind == "date":
            day = parse_day(match[kind], "%Y-%m-%d")
            if day is None:
                raise _invalid(text, f"{match[kind]} is no date")
            yield _Token("number", str(day))
        else:
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
        is_continuous = schema[name].kind is Kind.CONTINUOUS
        is_number = (
            schema[name].kind is Kind.ORDINAL and not np.isnan(category_numbers(schema[name])).all()
        )
        if not (is_continuous or is_number):
            raise SchemaError(
                f"the rule {rule.text!r} needs numbers, and {name!r} is {schema[name].kind}; "
                "declare it continuous or remove it from the rule"
            )


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


MOST_SWEEPS = 300
MOST_ROUNDED = 8
"""Largest number of attributes whose 2^n combinations of roundings are all tried."""
FIXED = (Role.IDENTIFIER, Role.HOUSEHOLD, Role.PERSON, Role.WEIGHT, Role.STRATUM)
"""Roles of attributes that repair never changes."""
_CONVERGED = 1e-10
_MARGIN = 1e-6
_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Domain:
    """Values that an attribute may be released with: a range, a grid or a list of numbers.

    Args:
        step: distance of neighbouring values, 0 if all numbers of the range are valid.
        listed: the numbers in ascending order, where they are categories.
    """

    low: float
    high: float
    step: float = 0.0
    decimals: int | None = None
    listed: Floats | None = None

    def rounded(self, values: Floats) -> Floats:
        """Round to the released decimals; the range is not enforced."""
        return values if self.decimals is None else np.round(values, self.decimals)

    def nearest(self, values: Floats) -> Floats:
        """Return the valid value closest to each number; missing stays missing."""
        if self.listed is None:
            return np.clip(self.rounded(values), self.low, self.high)
        below, above = self.below(values), self.above(values)
        return np.where(values - below <= above - values, below, above)

    def below(self, values: Floats) -> Floats:
        """Return the largest valid value not above each number; where there is none, the lowest."""
        if self.listed is not None:
            positions = np.searchsorted(self.listed, values + _TOLERANCE, side="right") - 1
            return self._listed_at(self.listed, positions, values)
        if self.step > 0:
            values = self.rounded(np.floor(values / self.step + _TOLERANCE) * self.step)
        return np.clip(values, self.low, self.high)

    def above(self, values: Floats) -> Floats:
        """Return the smallest valid value not below each number, or the highest."""
        if self.listed is not None:
            positions = np.searchsorted(self.listed, values - _TOLERANCE, side="left")
            return self._listed_at(self.listed, positions, values)
        if self.step > 0:
            values = self.rounded(np.ceil(values / self.step - _TOLERANCE) * self.step)
        return np.clip(values, self.low, self.high)

    def holds(self, values: Floats) -> Flags:
        """Return which numbers are valid values, or missing."""
        slack = _TOLERANCE * max(1.0, self.high - self.low) if np.isfinite(self.high) else 0.0
        inside = (values >= self.low - slack) & (values <= self.high + slack)
        if self.listed is not None:
            inside &= np.isin(values, self.listed)
        flags: Flags = inside | np.isnan(values)
        return flags

    @staticmethod
    def _listed_at(listed: Floats, positions: np.ndarray, values: Floats) -> Floats:
        nearest = listed[np.clip(positions, 0, len(listed) - 1)]
        return np.where(np.isnan(values), values, nearest)


def domain_of(attribute: Attribute, values: Floats) -> Domain:
    """Domain of an attribute: its categories, or the range of its original *values*."""
    step = step_of(attribute)
    if attribute.kind is not Kind.CONTINUOUS:
        listed = np.sort(category_numbers(attribute)[: attribute.domain_size])
        return Domain(float(listed[0]), float(listed[-1]), step, None, listed)
    known = values[~np.isnan(values)]
    if not len(known):
        return Domain(-np.inf, np.inf, step, attribute.decimals)
    low, high = float(known.min()), float(known.max())
    if attribute.decimals is not None:
        low, high = round(low, attribute.decimals), round(high, attribute.decimals)
    return Domain(low, high, step, attribute.decimals)


@dataclass(frozen=True, eq=False)
class NearestValid:
    """Search for the nearest record that satisfies rules by changing some attributes.

    Without rounding the nearest record is a projection, found by Dykstra's algorithm for many
    records at once. Then free attributes are rounded and one attribute of each equation takes
    the remainder. If that violates another rule, all combinations of rounding up and down are
    tried. The records left are solved one by one as mixed-integer programs.

    Args:
        spreads: unit in which a change of each attribute is measured.
        movable: flags of the attributes that may change.
    """

    rules: EditRules
    domains: tuple[Domain, ...]
    spreads: Floats
    movable: Flags

    def repair(self, values: Points) -> Points:
        """Return records that satisfy all rules; one that cannot is unchanged."""
        if not self.rules.texts:
            return values
        todo = np.flatnonzero(self.rules.broken(values).any(axis=1))
        if not len(todo):
            return values
        after = values.copy()
        after[todo] = self._solve(values[todo])
        return after

    def _solve(self, values: Points) -> Points:
        relaxed = self.project(values)
        rounded = self._round(values, relaxed, {})
        valid = self._is_valid(rounded)
        left = np.flatnonzero(~valid)
        if len(left):
            rounded[left], valid[left] = self._best_rounding(values[left], relaxed[left])
        for record in np.flatnonzero(~valid):
            rounded[record] = self._integer_program(values[record])
        return rounded

    def project(self, values: Points) -> Points:
        """Return the nearest unrounded records that satisfy the rules and ranges (Dykstra).

        A record has converged when a sweep over all rules does not move it.
        """
        nearest = values.copy()
        todo, current = np.arange(len(values)), values
        corrections = np.zeros((len(self.rules.texts) + 1, *values.shape))
        for _ in range(MOST_SWEEPS):
            after = self._sweep(current, corrections)
            change = np.nanmax(np.abs(after - current) / self.spreads, axis=1, initial=0.0)
            moved = change > _CONVERGED
            nearest[todo] = after
            todo, current, corrections = todo[moved], after[moved], corrections[:, moved]
            if not len(todo):
                break
        return nearest

    def _sweep(self, current: Points, corrections: NDArray[np.float64]) -> Points:
        """Run one iteration of Dykstra's algorithm; *corrections* are updated in place."""
        applies = self.rules.applies(current)
        for row in range(len(self.rules.texts)):
            before = current + corrections[row]
            current = self._project_on_rule(before, row, applies[:, row])
            corrections[row] = before - current
        before = current + corrections[-1]
        current = np.clip(before, *self._ranges)
        corrections[-1] = before - current
        return current

    @cached_property
    def _ranges(self) -> tuple[Floats, Floats]:
        low = np.where(self.movable, [d.low for d in self.domains], -np.inf)
        return low, np.where(self.movable, [d.high for d in self.domains], np.inf)

    def _project_on_rule(self, values: Points, row: int, applies: Flags) -> Points:
        weights = self.rules.weights[row]
        columns = np.flatnonzero(weights)
        sums = (values[:, columns] * weights[columns]).sum(axis=1)
        excess = sums - np.clip(sums, self.rules.low[row], self.rules.high[row])
        step = np.where(self.movable, self.spreads**2, 0.0)[columns] * weights[columns]
        after = values.copy()
        share = np.where(applies, excess, 0.0) / (weights[columns] @ step)
        after[:, columns] -= share[:, None] * step
        return after

    @cached_property
    def pivots(self) -> tuple[tuple[int, int], ...]:
        """Row and remainder attribute of each equation, in the order of computation.

        The attribute occurs in no earlier equation, so that earlier equations remain fulfilled.
        """
        pivots: list[tuple[int, int]] = []
        touched = np.zeros(len(self.movable), dtype=bool)
        for row in np.flatnonzero(self.rules.low == self.rules.high):
            unit = np.abs(self.rules.weights[row]) == 1
            free = np.flatnonzero(unit & self.movable & ~touched).tolist()
            if free:
                n_rules = self.rules.involved.sum(axis=0)
                listed = [domain.listed is not None for domain in self.domains]
                best = min(free, key=lambda j: (listed[j], self.domains[j].step, int(n_rules[j])))
                pivots.append((int(row), best))
            touched |= self.rules.involved[row]
        return tuple(pivots)

    def _round(self, values: Points, relaxed: Points, up: dict[int, bool]) -> Points:
        """Round relaxed values to their domains: to the nearest value, or as *up* states."""
        rounded = values.copy()
        for j in np.flatnonzero(self.movable):
            domain = self.domains[j]
            rounding = {None: domain.nearest, False: domain.below, True: domain.above}
            rounded[:, j] = rounding[up.get(int(j))](relaxed[:, j])
        for row, column in self.pivots:
            rounded[:, column] = self._remainder(rounded, row, column)
        return rounded

    def _remainder(self, values: Points, row: int, column: int) -> Floats:
        weights = self.rules.weights[row].copy()
        weight, weights[column] = weights[column], 0.0
        others = np.flatnonzero(weights)
        sums = (values[:, others] * weights[others]).sum(axis=1)
        rest = self.domains[column].rounded((self.rules.low[row] - sums) / weight)
        return np.where(np.isnan(rest) | np.isnan(values[:, column]), values[:, column], rest)

    def _is_valid(self, values: Points) -> Flags:
        columns = np.flatnonzero(self.movable)
        inside = np.column_stack([self.domains[j].holds(values[:, j]) for j in columns])
        satisfied = ~self.rules.broken(values)
        return np.asarray(np.hstack([inside, satisfied]).all(axis=1))

    def _best_rounding(self, values: Points, relaxed: Points) -> tuple[Points, Flags]:
        """Return the nearest valid combination of roundings, and which records have one."""
        best = values.copy()
        least = np.full(len(values), np.inf)
        for up in self._roundings():
            rounded = self._round(values, relaxed, up)
            cost = np.nansum(((rounded - values) / self.spreads) ** 2, axis=1)
            better = self._is_valid(rounded) & (cost < least)
            best[better], least[better] = rounded[better], cost[better]
        return best, np.isfinite(least)

    def _roundings(self) -> Iterator[dict[int, bool]]:
        pivots = {column for _, column in self.pivots}
        involved = self.movable & self.rules.involved.any(axis=0)
        free = [j for j in np.flatnonzero(involved).tolist() if j not in pivots]
        free = [j for j in free if self.domains[j].step > 0 or self.domains[j].listed is not None]
        if len(free) <= MOST_ROUNDED:
            for directions in product((False, True), repeat=len(free)):
                yield dict(zip(free, directions, strict=True))

    def _integer_program(self, values: Floats) -> Floats:
        """Solve one record as a mixed-integer program; unchanged if there is no solution."""
        known = np.flatnonzero(self.movable & ~np.isnan(values))
        rows = np.flatnonzero(self.rules.applies(values[None, :])[0])
        constant = np.where(np.isnan(values) | self.movable, 0.0, values)
        fixed = self.rules.weights[rows] @ constant
        solution = _least_change(
            values[known] / self.spreads[known],
            self.rules.weights[np.ix_(rows, known)] * self.spreads[known],
            self.rules.low[rows] - fixed,
            self.rules.high[rows] - fixed,
            [
                Domain(d.low / unit, d.high / unit, d.step / unit)
                for d, unit in ((self.domains[j], self.spreads[j]) for j in known)
            ],
        )
        if solution is None:
            return values
        relaxed = values.copy()
        relaxed[known] = solution * self.spreads[known]
        rounded = self._round(values[None, :], relaxed[None, :], {})
        return rounded[0] if self._is_valid(rounded)[0] else values


def _least_change(
    start: Floats, weights: Points, low: Floats, high: Floats, domains: Sequence[Domain]
) -> Floats | None:
    """Minimize the sum of absolute changes from *start* within the limits; None if infeasible.

    The variables are the numbers, as multiples of their steps if they have one, and their
    absolute changes.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    n = len(start)
    stepped = np.array([domain.step > 0 for domain in domains])
    units = np.array([domain.step or 1.0 for domain in domains])
    ends = np.array([(domain.low, domain.high) for domain in domains]).T / units
    ends += np.array([[-_MARGIN], [_MARGIN]]) * stepped
    steps, change = np.diag(units), np.eye(n)
    solved: Any = milp(
        np.repeat([0.0, 1.0], n),
        integrality=np.concatenate([stepped, np.zeros(n)]),
        bounds=Bounds(np.append(ends[0], np.zeros(n)), np.append(ends[1], np.full(n, np.inf))),
        constraints=[
            LinearConstraint(np.hstack([weights * units, np.zeros_like(weights)]), low, high),
            LinearConstraint(np.hstack([-steps, change]), -start, np.inf),
            LinearConstraint(np.hstack([steps, change]), start, np.inf),
        ],
    )
    if solved.x is None:
        return None
    numbers: Floats = solved.x[:n] * units
    return numbers


def _is_feasible(rules: EditRules, domains: Sequence[Domain]) -> bool:
    """Whether any numbers inside the ranges of their domains satisfy all rules."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    solved: Any = milp(
        np.zeros(len(domains)),
        bounds=Bounds([d.low for d in domains], [d.high for d in domains]),
        constraints=LinearConstraint(rules.weights, rules.low, rules.high),
    )
    return solved.x is not None


@dataclass(frozen=True, eq=False)
class EditRepair:
    """Repairs masked versions of one table so that they satisfy its edit rules.

    Args:
        domains: values that each attribute of the rules may be released with.
        spreads: unit in which a change of each attribute is measured.
    """

    rules: EditRules
    domains: tuple[Domain, ...]
    spreads: Floats

    @classmethod
    def of(cls, original: Table) -> "EditRepair":
        """Prepare the repair of masked versions of *original*; infeasible rules are an error."""
        rules = rules_of(original.schema)
        values = rules.values(original)
        domains = tuple(domain_of(a, values[:, j]) for j, a in enumerate(rules.attributes))
        if rules.texts and not _is_feasible(rules, domains):
            texts = "; ".join(dict.fromkeys(rules.texts))
            raise DataError(
                f"the rules {texts} contradict each other or the ranges of their columns; "
                "correct the rules or the data"
            )
        return cls(rules, domains, _spreads(values))

    def mended(self, masked: Table, *, whole_classes: bool = False) -> Table:
        """Return the masked table with rule violations repaired where that is possible.

        Args:
            whole_classes: never split an equivalence class of the quasi-identifiers; a record
                that would need it is left unrepaired.
        """
        for _ in range(MOST_ROUNDS):
            masked = self._mended_sums(masked, whole_classes=whole_classes)
            if not self.rules.conditions:
                return masked
            before, rules = masked, self.rules.conditions
            masked = mend(rules, masked, fixed=FIXED, whole_classes=whole_classes)
            if masked is before or not self.rules.broken_by(masked).any():
                break
        return masked

    def _mended_sums(self, masked: Table, *, whole_classes: bool) -> Table:
        """Repair the rules that are sums."""
        if not self.rules.texts:
            return masked
        before = self.rules.values(masked)
        classes = classes_of_columns(list(before.T), len(before))
        rows = self.rows(before[classes.representatives], whole_classes=whole_classes)
        after = rows[classes.labels]
        return _with_values(masked, self.rules, before, after)

    def record(self, values: Floats) -> Floats:
        """Repair the numbers of one record, in the order of ``rules.names``."""
        repaired: Floats = self.rows(values[None, :])[0]
        return repaired

    def rows(self, values: Points, *, whole_classes: bool = False) -> Points:
        """Repair the numbers of records, one column for each of ``rules.names``."""
        if not self.rules.texts:
            return values
        values = np.column_stack([d.rounded(values[:, j]) for j, d in enumerate(self.domains)])
        for step in self._steps[:2] if whole_classes else self._steps:
            values = step.repair(values)
        return values

    @cached_property
    def _steps(self) -> tuple[NearestValid, ...]:
        """Repair quasi-identifiers alone, then other attributes, then all together."""
        steps = []
        roles = [attribute.role for attribute in self.rules.attributes]
        quasi = np.array([role is Role.QUASI_IDENTIFIER for role in roles])
        free = np.array([role not in FIXED for role in roles])
        for among, movable in ((quasi, quasi), (True, free & ~quasi), (True, free)):
            rows = ~(self.rules.involved & ~among).any(axis=1)
            rows &= (self.rules.involved & movable).any(axis=1)
            steps.append(NearestValid(self.rules.only(rows), self.domains, self.spreads, movable))
        return tuple(steps)


def _spreads(values: Points) -> Floats:
    """Return standard deviations, 1 where they are 0."""
    known = ~np.isnan(values)
    counts = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, values, 0.0).sum(axis=0) / counts
    squares = np.where(known, values - means, 0.0) ** 2
    deviations = np.sqrt(squares.sum(axis=0) / counts)
    return np.where(deviations > 0, deviations, 1.0)


def _with_values(masked: Table, rules: EditRules, before: Points, after: Points) -> Table:
    changed = (before != after) & ~np.isnan(before) & ~masked.suppressed[:, None]
    columns = {
        attribute.name: _column(masked, attribute.name, changed[:, j], after[:, j])
        for j, attribute in enumerate(rules.attributes)
        if changed[:, j].any()
    }
    return masked.with_columns(columns) if columns else masked


def _column(masked: Table, name: str, changed: Flags, after: Floats) -> Column:
    attribute = masked.attribute(name)
    if attribute.kind is Kind.CONTINUOUS:
        return np.where(changed, after, masked.values(name))
    numbers = category_numbers(attribute)[: attribute.domain_size]
    order = np.argsort(numbers, kind="stable")
    positions = np.clip(np.searchsorted(numbers[order], after), 0, len(order) - 1)
    return np.where(changed, order[positions], masked.codes(name))
