"""Privacy models against loops over records."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.recoding import identity_recoding
from evomask.data.schema import Attribute, Kind, Schema
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError, SchemaError
from evomask.measures.disclosure.privacy_models import (
    distinct_l,
    entropy_l,
    k_anonymity,
    nominal_t,
    ordered_t,
    records_below,
    recursive_ratio,
    sample_uniques,
    t_closeness,
    wildcard_sizes,
)
from tests.measures.files import categories, confidential
from tests.tables import mixed, numbers

ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=40
)


def released(rows, kind=Kind.ORDINAL):
    schema = Schema(
        (
            Attribute("a", Kind.NOMINAL, categories=("p", "q", "r")),
            Attribute("b", Kind.NOMINAL, categories=("p", "q")),
            Attribute("s", kind, categories=tuple("wxyz")),
        )
    )
    columns = np.array(rows).reshape(-1, 3).T
    return Table(schema, dict(zip("abs", columns, strict=True)))


def groups(rows):
    found = defaultdict(list)
    for a, b, s in rows:
        found[a, b].append(s)
    return list(found.values())


@given(ROWS)
def test_k_and_uniques_count_look_alikes(rows):
    sizes = [len(group) for group in groups(rows)]
    table = released(rows)
    assert k_anonymity(table, "ab") == min(sizes)
    assert sample_uniques(table, "ab") == sizes.count(1)
    assert records_below(table, "ab", 3) == sum(size for size in sizes if size < 3)


@given(ROWS)
def test_distinct_and_entropy_l_look_at_the_poorest_class(rows):
    table = released(rows)
    counts = [list(Counter(group).values()) for group in groups(rows)]
    entropies = [-sum(c / sum(cs) * math.log(c / sum(cs)) for c in cs) for cs in counts]
    assert distinct_l(table, "ab", "s") == min(len(cs) for cs in counts)
    assert entropy_l(table, "ab", "s") == pytest.approx(math.exp(min(entropies)))


@given(ROWS, st.integers(1, 4))
def test_recursive_l_compares_the_top_count_with_the_tail(rows, l):  # noqa: E741
    worst = 0.0
    for group in groups(rows):
        counts = sorted(Counter(group).values(), reverse=True)
        tail = sum(counts[l - 1 :])
        worst = max(worst, counts[0] / tail if tail else math.inf)
    assert recursive_ratio(released(rows), "ab", "s", l) == pytest.approx(worst)


@given(ROWS)
def test_t_is_the_largest_distance_of_a_class(rows):
    values = sorted({s for *_, s in rows})
    whole = [sum(s == v for *_, s in rows) / len(rows) for v in values]
    nominal, ordered = [], []
    for group in groups(rows):
        apart = [group.count(v) / len(group) - w for v, w in zip(values, whole, strict=True)]
        nominal.append(sum(map(abs, apart)) / 2)
        moved = [abs(sum(apart[: i + 1])) for i in range(len(apart))]
        ordered.append(sum(moved) / max(1, len(values) - 1))
    table = released(rows)
    assert nominal_t(table, "ab", "s") == pytest.approx(max(nominal), abs=1e-12)
    assert ordered_t(table, "ab", "s") == pytest.approx(max(ordered), abs=1e-12)


def test_t_goes_by_the_kind_of_the_confidential_attribute():
    rows = [(0, 0, 0), (0, 0, 3), (1, 0, 1), (1, 1, 2)]
    assert t_closeness(released(rows), "ab", "s") == ordered_t(released(rows), "ab", "s")
    nominal = released(rows, Kind.NOMINAL)
    assert t_closeness(nominal, "ab", "s") == nominal_t(nominal, "ab", "s")


def test_an_order_that_is_needed_and_not_given_is_asked_for():
    with pytest.raises(SchemaError, match="needs an order, and 's' is nominal"):
        ordered_t(released([(0, 0, 0)], Kind.NOMINAL), "ab", "s")


def test_records_left_out_of_the_release_do_not_count():
    table = categories(x=[0, 0, 1])
    assert k_anonymity(table, ["x"]) == 1
    assert k_anonymity(table.suppressing(np.array([False, False, True])), ["x"]) == 2


def test_a_release_without_records_has_no_properties():
    table = categories(x=[0, 0])
    with pytest.raises(DataError, match="no record is released"):
        k_anonymity(table.suppressing(np.ones(2, dtype=bool)), ["x"])


def test_a_suppressed_cell_is_a_category_of_its_own():
    table = categories(x=[0, 0, 1, 1])
    cells = identity_recoding(table.attribute("x")).with_suppressed_cell()
    assert k_anonymity(table.with_recoded("x", np.array([0, 2, 1, 1]), cells), ["x"]) == 1


def test_as_a_wildcard_a_suppressed_cell_matches_any_value():
    table = categories(x=[0, 0, 1, 1], y=[0, 0, 0, 1])
    cells = identity_recoding(table.attribute("x")).with_suppressed_cell()
    masked = table.with_recoded("x", np.array([0, 2, 1, 1]), cells)
    assert wildcard_sizes(masked, ["x", "y"]).tolist() == [2, 3, 2, 1]


def test_as_a_wildcard_a_missing_number_matches_any_number():
    assert wildcard_sizes(numbers(a=[1, np.nan, 2]), ["a"]).tolist() == [2, 3, 2]


def test_missing_numbers_look_alike():
    assert sample_uniques(numbers(a=[1, np.nan, np.nan]), ["a"]) == 1


@pytest.mark.parametrize(
    ("ask", "error", "sentence"),
    [
        (lambda t: k_anonymity(t, []), SchemaError, "at least one quasi-identifier"),
        (lambda t: k_anonymity(t, ["shoe"]), SchemaError, "no attribute 'shoe'"),
        (
            lambda t: distinct_l(t, ["age"], "age"),
            SchemaError,
            "'age' cannot be both quasi-identifier",
        ),
        (
            lambda t: recursive_ratio(t, ["age"], "illness", 0),
            ParameterError,
            "l must be at least 1",
        ),
    ],
)
def test_questions_that_mean_nothing_are_refused(ask, error, sentence):
    with pytest.raises(error, match=sentence):
        ask(mixed())


def test_every_kind_can_be_confidential():
    table = mixed()
    for name in ("income", "school", "illness"):
        assert 0 <= t_closeness(confidential(table, name), ["region"], name) <= 1
