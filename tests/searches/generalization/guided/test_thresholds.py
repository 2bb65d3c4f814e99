"""How far nodes are from a value: against all nodes of a small lattice, read record by record."""

from collections import Counter

import numpy as np
import pytest

from evomask.searches.generalization.guided.thresholds import Thresholds, past_all
from evomask.searches.generalization.guided.worst import WORST, Classes
from evomask.searches.generalization.indices import index_named
from evomask.searches.generalization.reader import Objectives, Reader
from tests.searches.generalization.lattices import all_nodes, small_lattice

LATTICE = small_lattice()
NODES = all_nodes(LATTICE)


def read(name, limit):
    """A reader, and the values of an index for all nodes."""
    objectives = Objectives(LATTICE, (index_named(name),))
    reader = Reader(LATTICE, LATTICE.rule(limit=limit, shares=objectives.shares))
    values = np.array([objectives.values(reader, node)[0] for node in NODES])
    return Thresholds(reader), values


@pytest.mark.parametrize("limit", [0, 5])
@pytest.mark.parametrize("name", WORST)
def test_slack_is_positive_exactly_where_a_node_is_better(name, limit):
    index, (thresholds, values) = index_named(name), read(name, limit)
    than = np.unique(values)
    for node, value in zip(NODES, values, strict=True):
        slack = thresholds.slack(index, node, value, than)
        better = value > than if index.more else value < than
        assert np.array_equal(slack > 0, better), node


@pytest.mark.parametrize("limit", [0, 5])
@pytest.mark.parametrize("name", WORST)
def test_the_worst_class_that_stays_has_the_value_of_the_index(name, limit):
    thresholds, values = read(name, limit)
    for node, value in zip(NODES, values, strict=True):
        classes = thresholds.reader.equivalence(node)
        told = Classes(classes.sizes, classes.counts, LATTICE.shares, LATTICE.ordered)
        worst = WORST[name](told)[classes.stays].min()
        assert abs(worst) == pytest.approx(value)


def test_slack_behind_a_k_tells_how_many_records_are_too_many():
    thresholds, values = read("k", 5)
    than = np.arange(1.0, 30.0)
    for node, k in zip(NODES, values, strict=True):
        labels = LATTICE.membership(node, thresholds.reader.classes(node))
        sizes = Counter(labels.tolist())
        slack = thresholds.slack(index_named("k"), node, k, than)
        for value, told in zip(than, slack, strict=True):
            small = sum(1 for label in labels.tolist() if sizes[label] <= value)
            expected = np.log(k / value) if small <= 5 else np.log(6 / (small + 1))
            assert told == pytest.approx(expected), (node, value)


@pytest.mark.parametrize("name", ["k", "t"])
def test_forecasts_from_half_of_the_nodes_are_mostly_right_on_the_others(name):
    index, (thresholds, values) = index_named(name), read(name, 5)
    nodes = np.array(NODES)
    front = np.unique(values)[1:-1]
    told, places = thresholds.forecast(index, nodes[::2], values[::2], front, nodes[1::2])
    unread = values[1::2, None]
    better = unread > front if index.more else unread < front
    assert np.mean((told[:, places] > 0) == better) > 0.8


def test_a_large_front_is_taken_at_some_of_its_values():
    thresholds, values = read("t", 5)
    front = np.linspace(0.0, 1.0, 1_000)
    nodes = np.array(NODES)
    told, places = thresholds.forecast(index_named("t"), nodes[:10], values[:10], front, nodes[10:])
    assert told.shape == (len(nodes) - 10, 100)
    assert np.all(np.diff(places) >= 0)
    assert (places[0], places[-1]) == (0, 99)


def test_how_far_nodes_are_past_a_front_is_the_least_over_it_of_the_most_over_objectives():
    gains = np.random.default_rng(0).normal(size=(3, 4, 6))
    found = past_all([lambda other, own=own: own[other] for own in gains], 4)
    assert np.array_equal(found, gains.max(axis=0).min(axis=0))
