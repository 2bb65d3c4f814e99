"""Edit rules with conditions: if-then rules, allowed combinations, comparisons of categories.

Such a rule is written ``if age < 16 then occupation is missing``, ``sex = m implies pregnant =
no``, ``town != birthplace`` or ``(region, town) in {(north, a), (south, b)}``. Conditions are
joined by ``and`` before ``then``, and by ``or`` after it. A condition on a missing, suppressed or
recoded cell is unknown unless all values that the cell may stand for agree; a rule is violated
only where everything in it is known. ``is missing`` is known of every cell that is not suppressed.

A violation is repaired by one changed cell: a condition after ``then`` is made true, or one before
it false, whichever leaves the fewest rules violated; among these, cells of attributes that are no
quasi-identifiers come first. The repair of a record depends on its values alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.data.dates import parse_day
from evomask.data.recoding import SUPPRESSED
from evomask.data.schema import MISSING, Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.types import Flags, Floats

TRUE, FALSE, UNKNOWN = 1, 0, -1
MOST_ROUNDS = 4
ORDERS = ("<", "<=", ">", ">=")
WORDS = ("if", "then", "implies", "and", "or", "is", "not", "in", "missing")

_TOKEN = re.compile(
    r"\s*(?:(?P<date>\d{4}-\d{2}-\d{2})(?!\d)|(?P<number>-?\d+\.?\d*(?:[eE][+-]?\d+)?(?![\w.]))"
    r"|\"(?P<text>[^\"]*)\"|`(?P<name>[^`]+)`|(?P<sign><=|>=|==|!=|=>|[<>={}(),])"
    r"|(?P<word>[^\s<>=!{}(),\"`]+))\s*"
)
_CONDITIONAL = re.compile(r"(?<![\w`])(?:if|implies|in|is)(?![\w`])|=>|!=|[{\"]")
_Verdicts = NDArray[np.int8]


@dataclass(frozen=True)
class Operand:
    """A value of a rule: a number, a text, or a column.

    Args:
        kind: ``number``, ``date``, ``text``, ``name`` or ``word``; a word is a column if there is
            one of that name, else a category.
    """

    kind: str
    text: str


@dataclass(frozen=True)
class Condition:
    """A comparison of columns with values, or of two columns.

    Args:
        names: the compared columns; several only for combinations.
        sign: ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in``, ``missing``, or ``not missing``.
        values: one value, or the allowed ones; of combinations, one for each column.
    """

    names: tuple[str, ...]
    sign: str
    values: tuple[tuple[Operand, ...], ...] = ()


@dataclass(frozen=True)
class ConditionalRule:
    """Where all conditions of *given* are true, one of *then* must be.

    Args:
        text: the rule as the user wrote it.
    """

    text: str
    given: tuple[Condition, ...]
    then: tuple[Condition, ...]

    def columns(self, schema: Schema) -> tuple[str, ...]:
        """Every column that the rule names."""
        found = [n for one in (*self.given, *self.then) for n in one.names]
        for one in (*self.given, *self.then):
            found += [v.text for row in one.values for v in row if _is_column(v, one, schema)]
        return tuple(dict.fromkeys(found))


def is_conditional(text: str) -> bool:
    """Whether a rule has words or signs that sums of numbers do not have."""
    return bool(_CONDITIONAL.search(re.sub(r"`[^`]*`", "x", text)))


def parse_conditions(text: str) -> ConditionalRule:
    """Parse a rule with conditions; an error quotes it."""
    tokens = list(_tokens(text))
    words = [t.text if t.kind == "word" else "" for t in tokens]
    if words[:1] == ["if"]:
        if "then" not in words:
            raise _invalid(text, "there is no then; write if … then …")
        place = words.index("then")
        given, then = tokens[1:place], tokens[place + 1 :]
    else:
        arrows = [i for i, t in enumerate(tokens) if words[i] == "implies" or t == _ARROW]
        place = arrows[0] if arrows else -1
        given, then = tokens[: max(place, 0)], tokens[place + 1 :]
    before = tuple(_condition(part, text) for part in _split(given, "and")) if given else ()
    return ConditionalRule(text, before, tuple(_condition(p, text) for p in _split(then, "or")))


_ARROW = Operand("sign", "=>")


def _tokens(text: str) -> Iterator[Operand]:
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise _invalid(text, f"unexpected character {text[place:].strip()[:1]!r}")
        yield Operand(str(match.lastgroup), match[str(match.lastgroup)])
        place = match.end()


def _split(tokens: Sequence[Operand], word: str) -> Iterator[list[Operand]]:
    part: list[Operand] = []
    for token in tokens:
        if token == Operand("word", word):
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _condition(tokens: Sequence[Operand], text: str) -> Condition:
    names, rest = _names(tokens, text)
    words = [token.text for token in rest]
    if [w for w in words if w != "is"] in (["missing"], ["not", "missing"]):
        return Condition(names, "not missing" if "not" in words else "missing")
    if words[:1] == ["in"] and words[1:2] == ["{"] and words[-1:] == ["}"]:
        rows = list(_rows(rest[2:-1]))
        if rows and all(len(row) == len(names) for row in rows):
            return Condition(names, "in", tuple(rows))
        raise _invalid(text, f"each value in {{}} must have {len(names)} parts")
    if len(names) == 1 and len(rest) == 2 and rest[0].kind == "sign":
        sign = {"==": "="}.get(rest[0].text, rest[0].text)
        if sign in ("=", "!=", *ORDERS):
            return Condition(names, sign, ((rest[1],),))
    raise _invalid(text, "a condition is written age < 16, sex = m, job is missing or a in {b, c}")


def _names(tokens: Sequence[Operand], text: str) -> tuple[tuple[str, ...], Sequence[Operand]]:
    if not tokens:
        raise _invalid(text, "a condition is missing")
    if tokens[0] != Operand("sign", "("):
        if tokens[0].kind not in ("word", "name"):
            raise _invalid(text, "a condition begins with a column")
        return (tokens[0].text,), tokens[1:]
    end = tokens.index(Operand("sign", ")")) if Operand("sign", ")") in tokens else 0
    names = tuple(token.text for token in tokens[1:end] if token.text != ",")
    if not names:
        raise _invalid(text, "columns are listed like (region, town)")
    return names, tokens[end + 1 :]


def _rows(tokens: Sequence[Operand]) -> Iterator[tuple[Operand, ...]]:
    """Yield the values of a list, each in brackets if it has several parts."""
    row: list[Operand] | None = None
    for token in tokens:
        if token.kind == "sign":
            if token.text == "(":
                row = []
            elif token.text == ")" and row is not None:
                yield tuple(row)
                row = None
        elif row is None:
            yield (token,)
        else:
            row.append(token)


def _invalid(text: str, reason: str) -> SchemaError:
    return SchemaError(f"the rule {text!r} is not understood: {reason}")


def _is_column(value: Operand, condition: Condition, schema: Schema) -> bool:
    if value.kind == "name":
        return True
    own = condition.names[0]
    is_category = own in schema and value.text in schema[own].categories
    return value.kind == "word" and value.text in schema and not is_category


def check_conditions(rule: ConditionalRule, schema: Schema) -> None:
    """Raise where a rule names no column, or compares what cannot be compared."""
    for name in rule.columns(schema):
        if name not in schema:
            raise SchemaError(
                f"the rule {rule.text!r} names {name!r}, and there is no such column; put texts in "
                "double quotes, and names with special characters in backticks"
            )
    for one in (*rule.given, *rule.then):
        for values in one.values:
            for name, value in zip(one.names, values, strict=True):
                _check_value(rule, schema[name], one, value, schema)


def _check_value(
    rule: ConditionalRule, attribute: Attribute, condition: Condition, value: Operand,
    schema: Schema,
) -> None:  # fmt: skip
    if _is_column(value, condition, schema):
        other = schema[value.text]
        if attribute.is_categorical != other.is_categorical or (
            condition.sign in ORDERS and attribute.kind is not other.kind
        ):
            raise SchemaError(
                f"the rule {rule.text!r} compares {attribute.name!r} with {other.name!r}, and they "
                "are of different kinds; declare both alike"
            )
        return
    if attribute.kind is Kind.CONTINUOUS:
        if np.isnan(_number(attribute, value)):
            raise SchemaError(
                f"the rule {rule.text!r} compares {attribute.name!r} with a text, and it holds "
                f"{'dates' if attribute.is_date else 'numbers'}; write one"
            )
    elif condition.sign in ORDERS and attribute.kind is Kind.NOMINAL:
        raise SchemaError(
            f"the rule {rule.text!r} needs an order, and {attribute.name!r} is nominal; declare it "
            "ordinal, or list the categories in {}"
        )
    elif condition.sign in ORDERS and not _position(attribute, value).size:
        raise SchemaError(
            f"the rule {rule.text!r} compares {attribute.name!r} with a category that it does not "
            "have; name one of its categories"
        )


def _number(attribute: Attribute, value: Operand) -> float:
    if attribute.is_date or value.kind == "date":
        day = parse_day(value.text, "%Y-%m-%d")
        return np.nan if day is None else day
    try:
        return float(value.text)
    except ValueError:
        return np.nan


def _position(attribute: Attribute, value: Operand) -> NDArray[Any]:
    """Place of each category relative to a value, by number or by order; empty if unknown."""
    known = attribute.categories[: attribute.domain_size]
    try:
        limit = float(value.text)
        return np.array([float(category) for category in known]) - limit
    except ValueError:
        pass
    if value.text not in known:
        return np.empty(0)
    return np.arange(len(known)) - known.index(value.text)


_COMPARE: dict[str, Any] = {
    "=": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater,
    ">=": np.greater_equal,
}  # fmt: skip


def _matches(attribute: Attribute, sign: str, value: Operand) -> Flags:
    """Which categories, without the missing one, satisfy a comparison."""
    known = attribute.categories[: attribute.domain_size]
    if sign in ORDERS:
        return np.asarray(_COMPARE[sign](_position(attribute, value), 0))
    same = np.array([category == value.text for category in known], dtype=bool)
    return same if sign == "=" else ~same


def holds(condition: Condition, table: Table) -> _Verdicts:
    """Whether a condition is true, false or unknown for each record."""
    if condition.sign.endswith("missing"):
        found = _all_of([_is_missing(table, name) for name in condition.names])
        return np.where(found == UNKNOWN, UNKNOWN, found ^ 1).astype(np.int8) if (
            condition.sign == "not missing"
        ) else found  # fmt: skip
    if condition.sign == "in":
        rows = [
            _all_of([_compared(table, n, "=", v, condition) for n, v in zip(
                condition.names, values, strict=True)])
            for values in condition.values
        ]  # fmt: skip
        return _any_of(rows)
    return _compared(table, condition.names[0], condition.sign, condition.values[0][0], condition)


def _all_of(verdicts: Sequence[_Verdicts]) -> _Verdicts:
    stacked = np.array(verdicts)
    some = np.where((stacked == UNKNOWN).any(axis=0), UNKNOWN, TRUE)
    return np.where((stacked == FALSE).any(axis=0), FALSE, some).astype(np.int8)


def _any_of(verdicts: Sequence[_Verdicts]) -> _Verdicts:
    stacked = np.array(verdicts)
    some = np.where((stacked == UNKNOWN).any(axis=0), UNKNOWN, FALSE)
    return np.where((stacked == TRUE).any(axis=0), TRUE, some).astype(np.int8)


def _is_missing(table: Table, name: str) -> _Verdicts:
    column = table[name]
    if table.is_recoded(name) or table.attribute(name).is_categorical:
        kinds = [
            TRUE if label == MISSING else UNKNOWN if label == SUPPRESSED else FALSE
            for label in table.labels(name)
        ]
        return np.array(kinds, dtype=np.int8)[column]
    return np.isnan(column).astype(np.int8)


def _compared(
    table: Table, name: str, sign: str, value: Operand, condition: Condition
) -> _Verdicts:
    attribute = table.attribute(name)
    if _is_column(value, condition, table.schema):
        return _compared_columns(table, name, sign, value.text)
    if attribute.is_categorical:
        recoding = table.recoding(name)
        leaves = recoding.leaves
        size = attribute.domain_size
        match = _matches(attribute, sign, value)
        inside = leaves[:, :size]
        has_missing = leaves[:, size:].any(axis=1)
        all_of = (inside <= match).all(axis=1) & ~has_missing
        none_of = ~(inside & match).any(axis=1) & ~has_missing
        cells = np.where(all_of, TRUE, np.where(none_of, FALSE, UNKNOWN)).astype(np.int8)
        return cells[table[name]]
    low, high = table.ends(name)
    return _compared_numbers(low, high, sign, _number(attribute, value))


def _compared_numbers(low: Floats, high: Floats, sign: str, limit: float | Floats) -> _Verdicts:
    if sign in ORDERS:
        first, last = _COMPARE[sign](low, limit), _COMPARE[sign](high, limit)
        found = np.where(first == last, first, UNKNOWN)
    else:
        is_equal = (low == limit) & (high == limit)
        is_outside = (low > limit) | (high < limit)
        found = np.where(is_equal, TRUE, np.where(is_outside, FALSE, UNKNOWN))
        found = found if sign == "=" else np.where(found == UNKNOWN, UNKNOWN, 1 - found)
    unknown = np.isnan(low) | np.isnan(limit)
    return np.where(unknown, UNKNOWN, found).astype(np.int8)


def _compared_columns(table: Table, one: str, sign: str, other: str) -> _Verdicts:
    n = len(table)
    if table.is_recoded(one) or table.is_recoded(other):
        return np.full(n, UNKNOWN, dtype=np.int8)
    if not table.attribute(one).is_categorical:
        first = table.values(one)
        return _compared_numbers(first, first, sign, table.values(other))
    names = dict.fromkeys(
        label
        for name in (other, one)
        for label in table.attribute(name).categories
        if label != MISSING
    )
    places = {label: float(place) for place, label in enumerate(names)} | {MISSING: np.nan}
    numbers = [
        np.array([places[c] for c in table.attribute(name).categories])[table.codes(name)]
        for name in (one, other)
    ]
    return _compared_numbers(numbers[0], numbers[0], sign, numbers[1])


def violated(rule: ConditionalRule, table: Table) -> Flags:
    """Which records violate a rule; suppressed ones never do."""
    wrong = ~table.suppressed
    for one in rule.given:
        wrong &= holds(one, table) == TRUE
    for one in rule.then:
        wrong &= holds(one, table) == FALSE
    return wrong


def mend(
    rules: Sequence[ConditionalRule], table: Table, *, fixed: Sequence[Role], whole_classes: bool
) -> Table:
    """Return the table with violated rules repaired where one changed cell can do it.

    Args:
        fixed: roles of attributes that are never changed.
        whole_classes: whether quasi-identifiers are not changed either.
    """
    frozen = (*fixed, Role.QUASI_IDENTIFIER) if whole_classes else fixed
    for _ in range(MOST_ROUNDS):
        before = table
        for rule in rules:
            wrong = violated(rule, table)
            if wrong.any():
                table = _mend_rule(rule, rules, table, wrong, frozen)
        if table is before:
            break
    return table


def _mend_rule(
    rule: ConditionalRule,
    rules: Sequence[ConditionalRule],
    table: Table,
    wrong: Flags,
    frozen: Sequence[Role],
) -> Table:
    """Change one cell of each violating record, so that the fewest rules are violated."""
    records = np.flatnonzero(wrong)
    part = table.take(records)
    least = np.sum([violated(one, part) for one in rules], axis=0)
    best = np.full(len(records), -1)
    tried: list[tuple[str, Table]] = []
    wishes = [(one, True) for one in rule.then] + [(one, False) for one in rule.given]
    movable = [
        (condition, wanted, name)
        for condition, wanted in wishes
        for name in _changeable(condition, table.schema)
        if table.attribute(name).role not in frozen
    ]
    movable.sort(key=lambda own: table.attribute(own[2]).role is Role.QUASI_IDENTIFIER)
    for condition, wanted, name in movable:
        for changed in _changes(table, part, condition, name, wanted=wanted):
            count = np.sum([violated(one, changed) for one in rules], axis=0)
            better = count < least
            best[better], least = len(tried), np.minimum(least, count)
            tried.append((name, changed))
    for number, (name, changed) in enumerate(tried):
        rows = records[best == number]
        if len(rows):
            column = table[name].copy()
            column[rows] = changed[name][best == number]
            recoded = table.is_recoded(name)
            table = (
                table.with_recoded(name, column, table.recoding(name))
                if recoded
                else table.with_columns({name: column})
            )
    return table


def _changeable(condition: Condition, schema: Schema) -> list[str]:
    others = [v.text for row in condition.values for v in row if _is_column(v, condition, schema)]
    return [*condition.names, *others]


def _changes(
    table: Table, part: Table, condition: Condition, name: str, *, wanted: bool
) -> Iterator[Table]:
    """Yield versions of the records in which a cell of one column has another value.

    Values are tried from the most frequent one; of numbers, those next to the limit.
    """
    for value in _candidate_values(table, condition, name):
        column = np.full(len(part), value, dtype=part[name].dtype)
        changed = (
            part.with_recoded(name, column, part.recoding(name))
            if part.is_recoded(name)
            else part.with_columns({name: column})
        )
        verdict = holds(condition, changed)
        if (verdict == (TRUE if wanted else FALSE)).any() or not wanted:
            yield changed


MOST_VALUES = 8
"""Values of a category that are tried for a repair, the most frequent ones."""


def _candidate_values(table: Table, condition: Condition, name: str) -> list[float]:
    attribute, column = table.attribute(name), table[name]
    if table.is_recoded(name) or attribute.is_categorical:
        counts = np.bincount(column, minlength=len(table.labels(name)))
        order = np.argsort(-counts, kind="stable")
        named = {value.text for row in condition.values for value in row} | {MISSING}
        first = [c for c in order.tolist() if table.labels(name)[c] in named]
        rest = [c for c in order.tolist() if counts[c] and c not in first]
        return [*first, *rest[:MOST_VALUES]]
    known = column[~np.isnan(column)]
    if not len(known):
        return [np.nan]
    low, high = float(known.min()), float(known.max())
    step = 1.0 if attribute.decimals is None else 10.0**-attribute.decimals
    limits = [_number(attribute, value) for row in condition.values for value in row]
    near = [limit + move * step for limit in limits for move in (0, -1, 1)]
    has_missing = [np.nan] if np.isnan(column).any() or condition.sign.endswith("missing") else []
    middle = float(np.median(known)) if attribute.decimals is None else float(
        np.round(np.median(known), attribute.decimals)
    )  # fmt: skip
    return [*(v for v in near if low <= v <= high), *has_missing, middle, low, high]
