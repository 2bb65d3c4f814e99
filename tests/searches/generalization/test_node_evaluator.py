"""Nodes read one by one and all at once, against records grouped one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evomask.errors import ParameterError, SchemaError
from evomask.searches.generalization.lattice import lattice_of
from evomask.searches.generalization.objectives import Reader, index_named
from tests.searches.generalization.lattices import (
    TREES,
    all_nodes,
    classes_slowly,
    figures_slowly,
    kept_slowly,
    small_lattice,
    small_table,
)

RULES = [{"limit": 0}, {"limit": 7}, {"limit": 30}, {"k": 3}, {"k": 4, "distinct": 3}]


def by_name(figures):
    names = ("k", "l", "entropy", "t", "sk", "sl", "agreement", "cm")
    read = {name: index_named(name).read(figures) for name in names}
    return {**read, "suppressed": figures.suppressed, "classes": figures.classes}


def assert_agrees(figures, row, expected):
    for name, values in by_name(figures).items():
        assert values[row] == pytest.approx(expected[name], abs=1e-12), name
    assert figures.losses[row] == pytest.approx(expected["losses"], abs=1e-12)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_sweep_reads_every_node_as_its_records_say(rule):
    lattice = small_lattice()
    figures = lattice.sweep(lattice.rule(**rule, shares=True))
    for row, node in enumerate(all_nodes(lattice)):
        assert tuple(figures.levels[row]) == node
        assert_agrees(figures, row, figures_slowly(lattice, node, **rule))


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_single_nodes_in_any_order_agree_with_the_sweep(rule):
    lattice = small_lattice(seed=3)
    how = lattice.rule(**rule, shares=True)
    figures = lattice.sweep(how)
    reader = Reader(lattice, how)
    for row in np.random.default_rng(1).permutation(lattice.size):
        one = reader.figures(tuple(int(level) for level in figures.levels[row]))
        assert np.array_equal(one.whole[0], figures.whole[row])
        assert one.real[0] == pytest.approx(figures.real[row], abs=1e-12)


def test_a_reader_with_no_memory_reads_the_same():
    lattice = small_lattice()
    rule = lattice.rule(limit=5)
    plenty, none = Reader(lattice, rule), Reader(lattice, rule, memory=0)
    for node in all_nodes(lattice):
        assert np.array_equal(plenty.figures(node).whole, none.figures(node).whole)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(0, 59))
def test_k_follows_the_papers_wording_of_the_suppression_limit(seed, n_records, limit):
    lattice = small_lattice(n_records, seed)
    limit = min(limit, n_records - 1)
    reader = Reader(lattice, lattice.rule(limit=limit))
    for node in all_nodes(lattice)[::5]:
        assert reader.figures(node).k[0] == figures_slowly(lattice, node, limit=limit)["k"]


def test_suppressed_records_are_those_of_classes_that_do_not_stay():
    lattice = small_lattice()
    reader = Reader(lattice, lattice.rule(limit=12))
    for node in all_nodes(lattice):
        kept = kept_slowly(classes_slowly(lattice, node), limit=12)
        stay = {record for records in kept.values() for record in records}
        expected = [record not in stay for record in range(lattice.n_records)]
        assert reader.suppressed(node).tolist() == expected


def test_a_node_applied_to_the_table_makes_its_classes():
    lattice = small_lattice()
    table = lattice.applied((2, 0, 1))
    assert table.recodings["age"].labels == ("1-4", "5-6")
    assert table.recodings["town"].labels == ("a", "b")
    assert table.recodings["town"].leaves.tolist() == [[True, True, False, False],
                                                       [False, False, True, True]]  # fmt: skip
    found = {tuple(int(table[name][r]) for name in TREES) for r in range(len(table))}
    assert len(found) == len(classes_slowly(lattice, (2, 0, 1)))


def test_a_value_that_the_hierarchy_lacks_is_refused_without_showing_it():
    with pytest.raises(SchemaError, match="'illness' lacks") as caught:
        lattice_of(small_table(), {"illness": TREES["sex"]})
    assert "'a'" not in str(caught.value)


@pytest.mark.parametrize(
    ("levels", "message"), [((0, 0), "level for each"), ((0, 2, 0), "'sex'"), ((-1, 0, 0), "'age'")]
)
def test_levels_outside_the_hierarchies_are_refused(levels, message):
    with pytest.raises(ParameterError, match=message):
        small_lattice().applied(levels)


def test_a_limit_that_may_suppress_everything_is_refused():
    lattice = small_lattice()
    with pytest.raises(ParameterError, match="leave at least one"):
        lattice.rule(limit=lattice.n_records)


def test_diversity_without_a_sensitive_attribute_is_refused():
    with pytest.raises(ParameterError, match="sensitive attribute"):
        lattice_of(small_table(), TREES).rule(k=2, distinct=2)
