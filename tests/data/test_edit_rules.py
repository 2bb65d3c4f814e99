"""Edit rules: how they are read, and who breaks them."""

import numpy as np
import pytest

from evomask.data.edits import parse_rule, rules_of
from evomask.data.recoding import Intervals
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import SchemaError


def whole(*names, edits=()):
    """A schema of whole numbers."""
    return Schema(tuple(Attribute(n, Kind.CONTINUOUS, decimals=0) for n in names), tuple(edits))


def table(schema, **columns):
    return Table(schema, {name: np.array(values, float) for name, values in columns.items()})


class TestReading:
    def test_terms_move_to_one_side(self):
        (rule,) = parse_rule("2 * a + 3 <= b - 1.5*c")
        assert dict(rule.weights) == {"a": 2.0, "b": -1.0, "c": 1.5}
        assert (rule.sign, rule.limit) == ("<=", -3.0)

    def test_a_chain_is_several_rules(self):
        assert [(dict(r.weights), r.sign, r.limit) for r in parse_rule("0 <= a <= b")] == [
            ({"a": -1.0}, "<=", 0.0),
            ({"a": 1.0, "b": -1.0}, "<=", 0.0),
        ]

    def test_two_equal_signs_are_one(self):
        assert parse_rule("a == b")[0].sign == "="

    def test_names_with_other_signs_stand_in_backticks(self):
        assert dict(parse_rule("`capital-gain` >= -5")[0].weights) == {"capital-gain": 1.0}

    def test_a_leading_minus_belongs_to_the_first_term(self):
        assert dict(parse_rule("-a + b >= 0")[0].weights) == {"a": -1.0, "b": 1.0}

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("a + b", "compares nothing"),
            ("a <= ", "missing"),
            ("a + <= b", "missing"),
            ("a - - b <= 1", "missing"),
            ("2 * <= b", "missing"),
            ("a b <= 1", "operator is missing"),
            ("a * b <= 1", "multiplied"),
            ("a / 2 <= b", "unexpected character '/'"),
            ("a <= a", "all columns cancel out"),
            ("1 <= 2", "all columns cancel out"),
        ],
    )
    def test_what_is_wrong_is_said(self, text, why):
        with pytest.raises(SchemaError, match=why):
            parse_rule(text)

    def test_an_unknown_column_is_named(self):
        with pytest.raises(SchemaError, match="names 'end', and there is no such column"):
            rules_of(whole("start", edits=["start <= end"]))

    def test_a_nominal_column_is_refused(self):
        schema = Schema((Attribute("sex", Kind.NOMINAL, categories=("1", "2")),), ("sex <= 1",))
        with pytest.raises(SchemaError, match="needs numbers, and 'sex' is nominal"):
            rules_of(schema)

    def test_words_in_order_are_not_numbers(self):
        schema = Schema((Attribute("size", Kind.ORDINAL, categories=("s", "m")),), ("size <= 1",))
        with pytest.raises(SchemaError, match="needs numbers, and 'size' is ordinal"):
            rules_of(schema)

    def test_a_strict_rule_needs_a_smallest_step(self):
        schema = Schema((Attribute("x", Kind.CONTINUOUS),), ("x > 0",))
        with pytest.raises(SchemaError, match="'x' has no smallest step"):
            rules_of(schema)

    def test_an_equation_between_two_steps_can_never_hold(self):
        with pytest.raises(SchemaError, match="can never hold"):
            rules_of(whole("a", edits=["a = 0.5"]))


class TestLimits:
    @pytest.mark.parametrize(
        ("text", "decimals", "low", "high"),
        [
            ("a <= 2.5", 0, -np.inf, 2),
            ("a < 3", 0, -np.inf, 2),
            ("a > 3", 0, 4, np.inf),
            ("a >= 2.5", 0, 3, np.inf),
            ("a > 0.3", 1, 0.4, np.inf),
            ("a < 0.3", 1, -np.inf, 0.2),
            ("a = 0.3", 1, 0.3, 0.3),
            ("a <= 2.5", None, -np.inf, 2.5),
        ],
    )
    def test_limits_lie_on_released_values(self, text, decimals, low, high):
        rules = rules_of(Schema((Attribute("a", Kind.CONTINUOUS, decimals=decimals),), (text,)))
        assert (rules.low[0], rules.high[0]) == (pytest.approx(low), pytest.approx(high))


class TestWhoBreaksThem:
    def test_records_are_counted_by_rule(self):
        schema = whole("a", "b", "total", edits=["total = a + b", "a <= b", "b <= 9"])
        records = table(schema, a=[1, 5, 2], b=[2, 4, 3], total=[3, 9, 6])
        assert rules_of(schema).violations(records) == {"total = a + b": 1, "a <= b": 1}

    def test_a_chain_counts_a_record_once(self):
        schema = whole("a", "b", edits=["5 <= a <= b"])
        assert rules_of(schema).violations(table(schema, a=[3], b=[1])) == {"5 <= a <= b": 1}

    def test_a_missing_value_breaks_nothing(self):
        schema = whole("a", "b", edits=["a <= b"])
        assert rules_of(schema).violations(table(schema, a=[5], b=[np.nan])) == {}

    def test_a_suppressed_record_breaks_nothing(self):
        schema = whole("a", "b", edits=["a <= b"])
        records = table(schema, a=[5, 6], b=[1, 1]).suppressing(np.array([True, False]))
        assert rules_of(schema).violations(records) == {"a <= b": 1}

    def test_a_recoded_column_breaks_nothing(self):
        schema = whole("a", "b", edits=["a <= b"])
        recoding = Intervals(("[5,6]",), np.array([5.0]), np.array([6.0]))
        records = table(schema, a=[5], b=[1]).with_recoded("a", np.zeros(1, int), recoding)
        assert rules_of(schema).violations(records) == {}

    def test_sums_of_decimals_are_not_broken_by_rounding_errors(self):
        attributes = tuple(Attribute(n, Kind.CONTINUOUS, decimals=1) for n in "abc")
        schema = Schema(attributes, ("c = a + b",))
        assert rules_of(schema).violations(table(schema, a=[0.1], b=[0.2], c=[0.3])) == {}

    def test_categories_that_are_numbers_are_compared_as_numbers(self):
        age = Attribute("age", Kind.ORDINAL, Role.OTHER, ("9", "16", "40", ""))
        schema = Schema((age,), ("age >= 16",))
        records = Table(schema, {"age": np.array([0, 1, 2, 3])})
        assert rules_of(schema).violations(records) == {"age >= 16": 1}

    def test_without_rules_nobody_breaks_one(self):
        schema = whole("a")
        assert rules_of(schema).violations(table(schema, a=[1])) == {}
