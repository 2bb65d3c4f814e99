"""Properties of the user's own, and what the paper says of binary and unary spread."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evomask.errors import ParameterError
from evomask.searches.generalization.lattice import lattice_of
from evomask.searches.generalization.objectives import (
    ClassIndex,
    Objectives,
    Reader,
    RelativeIndex,
    class_sizes,
    covered,
    index_named,
    own_value_counts,
    spread,
    spread_over,
    worst,
)
from tests.searches.generalization.lattices import (
    TREES,
    all_nodes,
    classes_slowly,
    kept_slowly,
    small_lattice,
    small_table,
)


def both(lattice, own, built_in, limit=6):
    reader = Reader(lattice, lattice.rule(limit=limit))
    objectives = Objectives(lattice, (own, index_named(built_in)))
    return np.array([objectives.values(reader, node) for node in all_nodes(lattice)]).T


def test_k_is_the_worst_class_size():
    ours, theirs = both(small_lattice(), worst("mine", class_sizes), "k")
    assert np.array_equal(ours, theirs)


def test_s_k_is_the_spread_of_class_sizes():
    lattice = small_lattice()
    own = spread("mine", class_sizes, if_suppressed=lattice.n_records)
    ours, theirs = both(lattice, own, "sk")
    assert np.array_equal(ours, theirs)


def test_s_l_is_the_spread_of_own_value_counts():
    ours, theirs = both(small_lattice(), spread("mine", own_value_counts), "sl")
    assert np.array_equal(ours, theirs)


def test_any_function_of_the_classes_is_an_index():
    own = ClassIndex("classes", more=False, read=lambda node: float(node.stays.sum()))
    lattice = small_lattice()
    ours, _ = both(lattice, own, "k")
    assert np.array_equal(ours, lattice.sweep(lattice.rule(limit=6)).classes)


numbers = st.lists(st.integers(0, 50), min_size=5, max_size=5).map(np.array)


@given(numbers, numbers)
def test_binary_spread_prefers_the_table_of_the_larger_sum(one, other):
    preferred = spread_over(one, other) > spread_over(other, one)
    assert preferred == (one.sum() > other.sum())


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000))
def test_binary_spread_of_two_nodes_agrees_with_their_sums(seed):
    lattice = small_lattice(seed=seed)
    reader = Reader(lattice, lattice.rule())
    vectors = [
        reader.property_vector(node, class_sizes(reader.equivalence(node)))
        for node in all_nodes(lattice)[::6]
    ]
    for one in vectors:
        for other in vectors:
            preferred = spread_over(one, other) > spread_over(other, one)
            assert preferred == (one.sum() > other.sum())


@pytest.mark.parametrize("name", ["l", "t", "entropy", "sl", "cm"])
def test_an_objective_without_what_it_needs_is_refused(name):
    lattice = lattice_of(small_table(), TREES)
    with pytest.raises(ParameterError, match=f"objective {name} needs"):
        Objectives(lattice, (index_named(name),))


def test_an_unknown_objective_is_told_the_known_ones():
    with pytest.raises(ParameterError, match=r"'z'.*glm"):
        index_named("z")


def test_natural_values_come_back_from_fitness():
    lattice = small_lattice()
    objectives = Objectives(lattice, (index_named("k"), index_named("glm")))
    values = np.array([[3.0, 17.0], [80.0, 0.0]])
    assert np.array_equal(objectives.natural(objectives.fitness(values)), values)


class TestBinaryIndices:
    """Class sizes of records against those of one node."""

    def by_hand(self, lattice, node):
        """How large each record's class is, from the records themselves; none are suppressed."""
        reader = Reader(lattice, lattice.rule())
        labels = lattice.membership(node, reader.classes(node))
        return np.bincount(labels)[labels].astype(float)

    @pytest.mark.parametrize(("name", "compare"), [("gain", spread_over), ("cover", covered)])
    def test_every_node_is_compared_with_one_record_by_record(self, name, compare):
        lattice = small_lattice()
        against = (1,) * len(lattice.names)
        index = RelativeIndex.of(name, lattice, against)
        reader = Reader(lattice, lattice.rule())
        objectives = Objectives(lattice, (index,))
        second = self.by_hand(lattice, against)
        for node in all_nodes(lattice):
            expected = compare(self.by_hand(lattice, node), second)
            assert objectives.values(reader, node) == pytest.approx([expected])

    @pytest.mark.parametrize("limit", [0, 7])
    def test_own_sensitive_values_are_counted_record_by_record(self, limit):
        lattice = small_lattice()
        reader = Reader(lattice, lattice.rule(limit=limit))
        illness = lattice.table.codes("illness")
        order = np.lexsort((illness, lattice.labels))
        for node in all_nodes(lattice):
            groups = classes_slowly(lattice, node)
            kept = kept_slowly(groups, limit=limit)
            own = np.zeros(lattice.n_records)
            for records in kept.values():
                for r in records:
                    own[r] = sum(illness[other] == illness[r] for other in records)
            assert np.array_equal(reader.own_counts(node), own[order])

    def test_a_table_is_preferred_by_gains_of_own_values_as_by_their_sum(self):
        lattice = small_lattice()
        reader = Reader(lattice, lattice.rule(limit=3))
        for first, second in product(all_nodes(lattice)[::3], repeat=2):
            gain, back = (
                RelativeIndex.of("gain-sl", lattice, other).read(reader, node)
                for node, other in ((first, second), (second, first))
            )
            sums = [reader.own_counts(node).sum() for node in (first, second)]
            assert (gain > back) == (sums[0] > sums[1])

    def test_own_values_need_a_sensitive_attribute(self):
        lattice = lattice_of(small_table(), TREES)
        with pytest.raises(ParameterError, match="cover-sl needs a sensitive attribute"):
            RelativeIndex.of("cover-sl", lattice, (0, 0, 0))

    def test_a_node_gains_nothing_over_itself_and_covers_all_its_records(self):
        lattice = small_lattice()
        node = (1,) * len(lattice.names)
        reader = Reader(lattice, lattice.rule())
        gain, cover = (RelativeIndex.of(name, lattice, node) for name in ("gain", "cover"))
        assert gain.read(reader, node) == 0
        assert cover.read(reader, node) == lattice.n_records

    def test_the_node_must_be_one_of_the_lattice(self):
        with pytest.raises(ParameterError, match="gain needs against: a level for each of"):
            RelativeIndex.of("gain", small_lattice(), (99,))
