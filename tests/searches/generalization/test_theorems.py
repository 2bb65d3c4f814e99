"""Theorems 1 and 2 of the paper, on random archives and on a run of PBG-EA."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.evolution.archive import BoxedFront, dominates
from evomask.evolution.individual import Individual
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.stopping import generations
from evomask.execution.local import InProcess
from evomask.searches.generalization.objectives import index_named
from evomask.searches.generalization.search import Algorithm, Conditions, build_setup
from tests.searches.generalization.lattices import small_lattice

LARGEST = 12
qualities = st.lists(
    st.tuples(*[st.integers(1, LARGEST)] * 3), min_size=1, max_size=40
)  # fmt: skip
sides = st.tuples(*[st.sampled_from([1.0, 2.0, 3.0, 5.0])] * 3)


def archive_of(generated, lengths):
    arrivals = [
        Individual(None, tuple(-float(q) for q in quality), serial, "", (), 0)
        for serial, quality in enumerate(generated)
    ]
    return [m.fitness for m in BoxedFront(lengths).updated(arrivals).members]


@given(qualities, sides)
def test_the_archive_holds_only_minimal_nodes_of_what_was_generated(generated, lengths):
    fitness = [tuple(-float(q) for q in quality) for quality in generated]
    for member in archive_of(generated, lengths):
        assert not any(dominates(other, member) for other in fitness)


@given(qualities, sides)
def test_with_any_boxes_no_generated_box_dominates_that_of_a_member(generated, lengths):
    boxes = [tuple(math.floor(-q / e) for q, e in zip(v, lengths, strict=True)) for v in generated]
    for member in archive_of(generated, lengths):
        box = tuple(math.floor(f / e) for f, e in zip(member, lengths, strict=True))
        assert not any(dominates(other, box) for other in boxes)


@given(qualities, sides)
def test_the_archive_is_no_larger_than_the_product_of_all_but_the_smallest_number_of_boxes(
    generated, lengths
):
    boxes = sorted(math.ceil(LARGEST / length) for length in lengths)
    assert len(archive_of(generated, lengths)) <= math.prod(boxes[1:])


@pytest.mark.parametrize("boxes", [(), (3.0, 20.0)])
def test_both_hold_for_what_pbg_ea_generates(boxes):
    lattice = small_lattice()
    setup = build_setup(
        lattice,
        [index_named("k"), index_named("glm")],
        Algorithm.PBG_EA,
        Conditions(limit=4, boxes=boxes),
    )
    work = InProcess(Worker(setup.problem, 5))
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    generated = []
    state = evolve(
        state, setup.scheme, work, seed=5, until=generations(15), cost=setup.cost,
        observers=[lambda *turn: generated.extend(o.fitness for o in turn[2])],
    )  # fmt: skip
    lengths = np.array(boxes or (1.0, 1.0))
    members = np.array([m.fitness for m in state.archive.members])
    for member in np.floor(members / lengths):
        assert not any(dominates(tuple(np.floor(o / lengths)), tuple(member)) for o in generated)
    largest = np.array([lattice.n_records, lattice.n_records * 3 + 1])
    assert len(members) <= np.ceil(largest / lengths).max()
    assert (members < 0).all()
    assert (-members <= largest).all()
