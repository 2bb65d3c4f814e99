import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.searches.grouping.genome import compact, groups_of, identity
from evomask.searches.grouping.operators import (
    MUTATIONS,
    create_group,
    cross,
    crossing_site,
    eliminate_group,
    first_grouping,
    inject_groups,
    move_element,
    split_group,
    swap_elements,
)

seeds = st.integers(0, 2**32)


@st.composite
def groupings(draw, least=1):
    labels = draw(st.lists(st.integers(0, 8), min_size=least, max_size=12))
    return compact(np.array(labels))


def made(operator, parent, seed):
    return operator(parent, np.random.default_rng(seed))


def as_sets(grouping):
    return {frozenset(group) for group in groups_of(grouping)}


@pytest.mark.parametrize("operator", MUTATIONS.values(), ids=list(MUTATIONS))
@given(parent=groupings(), seed=seeds)
def test_a_mutant_is_a_grouping_of_the_same_attributes_and_its_parent_stays(operator, parent, seed):
    before = parent.copy()
    child = made(operator, parent, seed)
    assert np.array_equal(parent, before)
    assert len(child) == len(parent)
    assert np.array_equal(np.unique(child), np.arange(child.max() + 1))


@pytest.mark.parametrize("operator", MUTATIONS.values(), ids=list(MUTATIONS))
@given(parent=groupings(), seed=seeds)
def test_the_same_generator_makes_the_same_mutant(operator, parent, seed):
    assert np.array_equal(made(operator, parent, seed), made(operator, parent, seed))


@given(groupings(), seeds)
def test_creating_adds_one_group_and_leaves_the_rest_as_it_was(parent, seed):
    child = made(create_group, parent, seed)
    rest = child > 0
    assert len(set(zip(parent[rest], child[rest], strict=True))) == len(set(child[rest]))


@given(groupings(), seeds)
def test_eliminating_leaves_one_group_less(parent, seed):
    child = made(eliminate_group, parent, seed)
    assert child.max() == max(0, parent.max() - 1)


@given(groupings(), seeds)
def test_eliminating_keeps_the_other_groups_together(parent, seed):
    child = made(eliminate_group, parent, seed)
    broken = [group for group in groups_of(parent) if len(set(child[list(group)])) > 1]
    assert len(broken) <= 1


@given(groupings(), seeds)
def test_splitting_never_mixes_two_groups(parent, seed):
    child = made(split_group, parent, seed)
    assert all(len(set(parent[list(group)])) == 1 for group in groups_of(child))


@given(groupings(), seeds)
def test_splitting_makes_two_halves(parent, seed):
    new = as_sets(made(split_group, parent, seed)) - as_sets(parent)
    assert [*new] == [] or abs(len(min(new, key=len)) - len(max(new, key=len))) <= 1


def test_splitting_a_single_attribute_makes_a_clone():
    assert identity(made(split_group, np.array([0]), 1)) == (0,)


@given(groupings(), seeds)
def test_swapping_keeps_the_sizes_of_all_groups(parent, seed):
    child = made(swap_elements, parent, seed)
    assert np.array_equal(np.bincount(child), np.bincount(parent))
    assert np.sum(child != parent) in (0, 2)


@given(groupings(), seeds)
def test_moving_changes_the_place_of_one_attribute(parent, seed):
    child = made(move_element, parent, seed)
    touched = as_sets(child) ^ as_sets(parent)
    assert len(touched) == 0 if parent.max() == 0 else len(touched) in (2, 3, 4)
    assert child.max() in (parent.max(), parent.max() - 1)


def test_moving_in_a_single_group_makes_a_clone():
    assert identity(made(move_element, np.zeros(4, dtype=np.int64), 1)) == (0, 0, 0, 0)


@given(groupings(least=6), seeds)
def test_a_child_has_whole_groups_of_one_parent_and_the_rest_as_in_the_other(one, seed):
    rng = np.random.default_rng(seed)
    other = first_grouping(len(one), rng)
    low, high = crossing_site(int(one.max()) + 1, np.random.default_rng(seed))
    child = made(lambda a, r: cross(a, other, r), one, seed)
    site = (low <= one) & (one < high)
    assert np.array_equal(child[site], one[site] - low)
    rest = {frozenset(g) - set(np.flatnonzero(site)) for g in as_sets(other)} - {frozenset()}
    assert {g for g in as_sets(child) if not site[list(g)].any()} == rest


@given(st.integers(1, 20), seeds)
def test_a_crossing_site_is_never_empty(n_groups, seed):
    low, high = crossing_site(n_groups, np.random.default_rng(seed))
    assert 0 <= low < high <= n_groups


def test_injected_groups_are_renamed_and_come_first():
    one, other = np.array([0, 1, 1, 2, 0]), np.array([0, 0, 1, 1, 0])
    assert inject_groups(one == 1, one, other).tolist() == [1, 0, 0, 2, 1]


@given(st.integers(1, 30), seeds)
def test_first_groupings_are_groupings(n_attributes, seed):
    genome = first_grouping(n_attributes, np.random.default_rng(seed))
    assert np.array_equal(np.unique(genome), np.arange(genome.max() + 1))


def test_two_genomes_of_one_grouping_have_one_identity():
    assert identity(np.array([1, 0, 1, 2])) == identity(np.array([0, 2, 0, 1])) == (0, 1, 0, 2)
