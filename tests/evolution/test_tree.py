import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.errors import ParameterError
from evomask.evolution.tree import (
    Symbols,
    collapse,
    cross,
    depth,
    expand,
    full,
    graft,
    grow,
    grow_any,
    half_and_half,
    hoist,
    levels_of,
    mutate_point,
    mutate_subtree,
    span,
)

SYMBOLS = Symbols({"+": 2, "*": 2, "neg": 1}, ("a", "b", "two"))
FIGURE_4_14 = ("+", "a", "*", "two", "b")
LEVELS = 5


def rng_of(seed):
    return np.random.default_rng(seed)


def seeds():
    return st.integers(0, 2**32)


def trees():
    return st.builds(
        lambda seed, levels: grow_any(SYMBOLS, levels, rng_of(seed)),
        seeds(),
        st.integers(1, LEVELS),
    )


def is_whole(tree):
    return span(tree, 0, SYMBOLS) == len(tree)


def nested(tree):
    """The slow obvious twin: a tree as nested tuples, by recursion."""

    def read(at):
        branches, end = [], at + 1
        for _ in range(SYMBOLS.operands(tree[at])):
            branch, end = read(end)
            branches.append(branch)
        return (tree[at], *branches), end

    return read(0)[0]


def height(node):
    return 1 + max(map(height, node[1:]), default=0)


@given(trees())
def test_depth_is_that_of_the_nested_tree(tree):
    assert depth(tree, SYMBOLS) == height(nested(tree))


def test_levels_of_figure_4_14():
    assert levels_of(FIGURE_4_14, SYMBOLS) == [1, 2, 2, 3, 3]


@given(st.integers(1, LEVELS), seeds())
def test_full_trees_end_all_branches_at_the_same_level(levels, seed):
    tree = full(SYMBOLS, levels, rng_of(seed))
    ends = [
        level
        for symbol, level in zip(tree, levels_of(tree, SYMBOLS), strict=True)
        if not SYMBOLS.operands(symbol)
    ]
    assert set(ends) == {levels}


@given(st.integers(2, LEVELS), seeds())
def test_grown_trees_stay_within_the_levels_and_have_a_function_on_top(levels, seed):
    tree = grow(SYMBOLS, levels, rng_of(seed))
    assert is_whole(tree)
    assert 2 <= depth(tree, SYMBOLS) <= levels


def is_full(tree):
    levels = levels_of(tree, SYMBOLS)
    ends = {level for s, level in zip(tree, levels, strict=True) if not SYMBOLS.operands(s)}
    return len(ends) == 1


def test_half_and_half_goes_through_all_depths():
    for number in range(8):
        tried = [half_and_half(SYMBOLS, 4, number, rng_of(i)) for i in range(40)]
        assert max(depth(tree, SYMBOLS) for tree in tried) == 1 + number % 4


@pytest.mark.parametrize("first", range(0, 20, 5))
def test_half_and_half_makes_half_of_the_trees_of_each_depth_full(first):
    """Of two trees in turn of one depth one is always full; below three levels all are."""
    for number in range(first + 2, first + 5):
        always = [
            all(is_full(half_and_half(SYMBOLS, 5, n, rng_of(i))) for i in range(40))
            for n in (number, number + 5)
        ]
        assert sorted(always) == [False, True]


def test_half_and_half_grows_some_trees_of_a_small_population():
    """Five trees of five depths: those of even depths are grown, which shows from the fourth on."""
    always = [
        all(is_full(half_and_half(SYMBOLS, 5, n, rng_of(i))) for i in range(40)) for n in range(5)
    ]
    assert always == [True, True, True, False, True]


@given(trees(), trees(), seeds())
def test_crossover_keeps_both_children_whole_and_within_the_levels(one, other, seed):
    children = cross(one, other, SYMBOLS, LEVELS, rng_of(seed))
    assert all(is_whole(child) and depth(child, SYMBOLS) <= LEVELS for child in children)


@given(trees(), trees(), seeds())
def test_crossover_loses_no_symbol(one, other, seed):
    children = cross(one, other, SYMBOLS, LEVELS, rng_of(seed))
    assert sorted((*children[0], *children[1])) == sorted((*one, *other))


@given(trees(), seeds())
def test_subtree_mutation_stays_within_the_levels(tree, seed):
    child = mutate_subtree(tree, SYMBOLS, LEVELS, rng_of(seed))
    assert is_whole(child)
    assert depth(child, SYMBOLS) <= LEVELS


@given(trees(), seeds())
def test_expansion_replaces_one_leaf_within_the_levels(tree, seed):
    child = expand(tree, SYMBOLS, LEVELS, rng_of(seed))
    assert is_whole(child)
    assert depth(child, SYMBOLS) <= LEVELS
    assert len(child) >= len(tree)


@given(trees(), seeds())
def test_point_mutation_changes_one_symbol_and_no_shape(tree, seed):
    child = mutate_point(tree, SYMBOLS, rng_of(seed))
    assert levels_of(child, SYMBOLS) == levels_of(tree, SYMBOLS)
    assert sum(a != b for a, b in zip(tree, child, strict=True)) <= 1


def test_point_mutation_leaves_a_symbol_without_an_equal_alone():
    only = Symbols({"neg": 1}, ("a",))
    assert mutate_point(("neg", "a"), only, rng_of(1)) == ("neg", "a")


@given(trees(), seeds())
def test_hoisting_returns_a_proper_subtree(tree, seed):
    child = hoist(tree, SYMBOLS, rng_of(seed))
    assert is_whole(child)
    assert len(child) < len(tree) or len(tree) == 1


@given(trees(), seeds())
def test_collapsing_never_grows_a_tree(tree, seed):
    child = collapse(tree, SYMBOLS, rng_of(seed))
    assert is_whole(child)
    assert len(child) <= len(tree)


def test_grafting_replaces_one_subtree():
    assert graft(FIGURE_4_14, 2, ("neg", "b"), SYMBOLS) == ("+", "a", "neg", "b")


def test_symbols_without_terminals_are_refused():
    with pytest.raises(ParameterError, match="one terminal"):
        Symbols({"+": 2}, ())


def test_a_function_without_operands_is_refused():
    with pytest.raises(ParameterError, match="one operand"):
        Symbols({"pi": 0}, ("a",))
