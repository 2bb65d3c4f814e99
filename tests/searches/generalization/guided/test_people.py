"""Bounds from some people's classes against all nodes of a small lattice."""

from itertools import product

import numpy as np
import pytest

from evomask.searches.generalization.guided.people import People
from evomask.searches.generalization.guided.worst import WORST
from evomask.searches.generalization.indices import index_named
from evomask.searches.generalization.reader import Objectives, Reader
from tests.searches.generalization.lattices import all_nodes, classes_slowly, small_lattice

LATTICE = small_lattice()
NODES = all_nodes(LATTICE)
NAMES = tuple(WORST)


def made(limit, **rule):
    """People who know nobody yet, and the values of all nodes."""
    objectives = Objectives(LATTICE, tuple(map(index_named, NAMES)))
    reader = Reader(LATTICE, LATTICE.rule(limit=limit, shares=True, **rule))
    values = np.array([objectives.values(reader, node) for node in NODES])
    return People(reader, objectives.indices), values


def is_as_good(bounds, values):
    """Where bounds are unknown, or no worse than values, each in its direction."""
    signs = np.array([1.0 if index_named(name).more else -1.0 for name in NAMES])
    return np.isnan(bounds) | (signs * bounds >= signs * values - 1e-9)


@pytest.mark.parametrize("limit", [0, 3, 12])
@pytest.mark.parametrize("nodes", [[0], [5, 11], [23, 2, 17, 9]])
def test_no_node_is_better_than_its_bounds(limit, nodes):
    people, values = made(limit)
    people.learn([NODES[i] for i in nodes])
    assert people.count
    assert is_as_good(people.best(np.array(NODES)), values).all()


@pytest.mark.parametrize("limit", [0, 3, 12])
def test_bounds_of_nodes_that_were_learned_from_are_their_values(limit):
    people, values = made(limit)
    people.learn(NODES)
    assert people.best(np.array(NODES)) == pytest.approx(values)


def test_sizes_of_a_persons_class_are_counted_in_every_node():
    people, _ = made(0)
    people.learn([LATTICE.top])
    record = int(np.flatnonzero(LATTICE.labels == people._who[0])[0])
    for number, node in enumerate(NODES):
        own = [group for group in classes_slowly(LATTICE, node).values() if record in group]
        assert people._sizes[0][number] == len(own[0])


def test_people_depend_on_the_nodes_read_and_not_on_when_they_were_learned():
    at_once, _ = made(3)
    by_and_by, _ = made(3)
    at_once.learn(NODES[:9])
    for read, repeat in product(range(1, 10), range(2)):
        by_and_by.learn(NODES[: read - repeat * (read == 5)])
    by_and_by.learn(NODES[:9])
    assert by_and_by._who == at_once._who


def test_nobody_is_asked_where_records_go_by_another_rule():
    people, _ = made(0, k=3)
    people.learn(NODES)
    assert people.count == 0
    assert np.isnan(people.best(np.array(NODES))).all()
