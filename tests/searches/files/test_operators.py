import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.searches.files.genome import Coding, cross, mutate, mutate_each
from tests.tables import mixed, numbers

TABLE = mixed(20)
CODING = Coding(TABLE, TABLE.schema.quasi_identifiers)
PARENT = CODING.encode(TABLE)
seeds = st.integers(0, 2**32)


@given(seeds)
def test_a_mutation_changes_one_cell_at_most(seed):
    child = mutate(PARENT, CODING, np.random.default_rng(seed))
    assert np.count_nonzero(child != PARENT) <= 1


@given(seeds)
def test_a_mutation_of_a_number_flips_one_bit(seed):
    table = numbers(a=[3.0, 9.0, 200.0])
    coding = Coding(table, ("a",))
    child = mutate(coding.encode(table), coding, np.random.default_rng(seed))
    assert sum(int(gene).bit_count() for gene in child.ravel()) == 1


@given(seeds)
def test_by_its_own_bits_an_unperturbed_number_never_changes(seed):
    table = numbers(a=[3.0, 9.0, 200.0])
    coding = Coding(table, ("a",))
    child = mutate(coding.encode(table), coding, np.random.default_rng(seed), own_length=True)
    assert not child.any()


@given(seeds)
def test_a_mutated_category_is_another_one_of_the_domain(seed):
    coding = Coding(TABLE, ("school",))
    parent = coding.encode(TABLE)
    child = mutate(parent, coding, np.random.default_rng(seed))
    assert np.count_nonzero(child != parent) == 1
    assert set(child.ravel()) <= {0, 1, 2, 3}


@given(seeds)
def test_where_each_value_may_mutate_all_stay_possible(seed):
    child = mutate_each(PARENT, CODING, np.random.default_rng(seed), rate=0.5)
    assert CODING.is_possible(child)


@given(seeds)
def test_both_children_of_a_crossover_share_its_points(seed):
    one, other = np.zeros((6, 3), dtype=np.int64), np.ones((6, 3), dtype=np.int64)
    children = [
        cross(*pair, np.random.default_rng(seed)) for pair in ((one, other), (other, one))
    ]  # fmt: skip
    assert np.array_equal(children[0], 1 - children[1])


@given(seeds)
def test_a_crossover_takes_one_stretch_in_the_order_of_reading(seed):
    one, other = np.zeros((6, 3), dtype=np.int64), np.ones((6, 3), dtype=np.int64)
    child = cross(one, other, np.random.default_rng(seed)).ravel()
    assert np.count_nonzero(np.diff(np.r_[0, child, 0])) == 2


@pytest.mark.parametrize("operator", [mutate, mutate_each])
def test_operators_leave_their_parent_alone(operator):
    parent = PARENT.copy()
    operator(parent, CODING, np.random.default_rng(1))
    assert np.array_equal(parent, PARENT)
