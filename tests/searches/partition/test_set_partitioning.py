"""Choosing groups that hold every record once, against trying every choice."""

import os
from itertools import combinations

import numpy as np
import pytest
from scipy.sparse import csc_array

from evomask.searches.partition import operators
from evomask.searches.partition.operators import TooHardError, cheapest

TRIANGLE = [{0, 1}, {1, 2}, {0, 2}, {0}, {1}, {2}]
"""The relaxation takes half of each of the first three."""


def cover_of(groups):
    n_records = 1 + max(max(group) for group in groups)
    return csc_array([[float(i in group) for group in groups] for i in range(n_records)])


def drawn(seed):
    rng = np.random.default_rng(seed)
    groups = [{i} for i in range(7)]
    groups += [set(rng.choice(7, 3, replace=False).tolist()) for _ in range(6)]
    return groups, rng.uniform(0.5, 4.0, len(groups))


def slow_least(groups, costs):
    found = []
    for count in range(1, len(groups) + 1):
        for chosen in combinations(range(len(groups)), count):
            members = sorted(i for g in chosen for i in groups[g])
            if members == list(range(7)):
                found.append(sum(costs[g] for g in chosen))
    return min(found)


@pytest.mark.parametrize("seed", range(10))
def test_equals_trying_every_choice(seed):
    groups, costs = drawn(seed)
    selected = cheapest(costs, cover_of(groups), known=1000.0)
    assert costs[selected].sum() == pytest.approx(slow_least(groups, costs))


def test_where_nothing_is_cheaper_there_is_no_choice():
    groups, costs = drawn(3)
    assert cheapest(costs, cover_of(groups), known=slow_least(groups, costs)) is None


def test_a_relaxation_by_halves_is_branched_on():
    costs = np.array([1.0, 1.1, 1.2, 1.0, 1.0, 1.0])
    selected = cheapest(costs, cover_of(TRIANGLE), known=3.0)
    assert selected.tolist() == [True, False, False, False, False, True]


def test_many_halves_are_too_hard(monkeypatch):
    monkeypatch.setattr(operators, "FRACTIONS", 2)
    with pytest.raises(TooHardError):
        cheapest(np.ones(6), cover_of(TRIANGLE), known=3.0)


def test_what_the_solver_writes_is_not_seen(capfd):
    with operators._quiet():
        os.write(1, b"tmpSolver.run();\n")
    os.write(1, b"an answer\n")
    assert capfd.readouterr().out == "an answer\n"
