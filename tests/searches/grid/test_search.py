"""The order in which methods are tried: literals, since every run of a portfolio hangs on it."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from evomask.data.schema import Role
from evomask.evolution.streams import draw_stream
from evomask.masking.provenance import Provenance, Step
from evomask.searches.grid.search import SUPPRESSED, ColumnCache, Grid, steps_of
from tests.masking.test_grid import TABLES
from tests.tables import mixed

ORDERS = {
    "ordinal": [39, 97, 121, 113, 59, 106, 4, 22, 27, 82, 110, 42, 88, 120, 112, 53, 107, 52, 25],
    "nominal": [41, 60, 88, 80, 54, 18, 33, 40, 74, 97, 79, 59, 23, 27, 39, 70, 95, 78, 10, 22],
    "numbers": [1, 8, 22, 24, 45, 32, 2, 9, 19, 26, 46, 38, 3, 13, 20, 27, 49, 39, 0, 15, 18, 31],
    "mixed": [
        10, 5, 18, 36, 24, 11, 13, 21, 40, 27, 9, 0, 20, 37, 31, 16, 19, 35, 30, 6, 22, 41, 28, 7,
        23, 42, 25, 12, 43, 33, 1, 39, 29, 15, 38, 26, 8, 34, 32, 3, 17, 14, 4, 2,
    ],
    "small": [0, 1, 20, 9, 17, 7, 19, 8, 13, 6, 12, 2, 15, 10, 16, 5, 21, 11, 18, 3, 14, 4],
}  # fmt: skip
FAMILIES = {
    "ordinal": {
        "Mondrian": 5, "PRAM": 18, "bottom coding": 3, "global median": 16, "global recoding": 3,
        "microaggregation": 29, "microaggregation by 1": 13, "microaggregation by 2": 13,
        "rank swapping": 11, "top coding": 3, "PRAM by a formula": 32,
    },
    "mixed": {
        "Mondrian": 3, "microaggregation": 15, "microaggregation by 1": 6, "noise": 10,
        "rank swapping": 10,
    },
}  # fmt: skip


def grid(table):
    return Grid(table, partial(draw_stream, 7))


@pytest.mark.parametrize(("name", "begins"), ORDERS.items())
def test_methods_are_tried_in_the_order_of_earlier_runs(name, begins):
    methods = grid(TABLES[name])
    others = [n for n in methods.order if methods.methods[n].family != SUPPRESSED]
    assert others[: len(begins)] == begins


@pytest.mark.parametrize("name", ["ordinal", "nominal", "mixed"])
def test_cells_are_left_out_once_in_a_round_for_larger_k_each_time(name):
    methods = grid(TABLES[name])
    families = [methods.methods[number].family for number in methods.order]
    places = [place for place, family in enumerate(families) if family == SUPPRESSED]
    assert places[0] == len(set(families)) - 1
    steps = [steps_of(methods.methods[methods.order[place]].method)[-1] for place in places]
    assert [step.k for step in steps] == sorted(step.k for step in steps)
    assert all(step.attributes == steps[0].attributes for step in steps)


@pytest.mark.parametrize(("name", "sizes"), FAMILIES.items())
def test_families_have_the_members_of_earlier_runs(name, sizes):
    methods = grid(TABLES[name]).methods
    families = [own.family for own in methods if own.family != SUPPRESSED]
    assert {family: families.count(family) for family in sorted(set(families))} == sizes


def test_a_method_is_told_with_its_parameters():
    making = grid(TABLES["ordinal"]).making(0)
    step = Step("mdav-generic", {"k": 2}, ("c0", "c1", "c2"))
    assert making == Provenance((step,), search="grid")


def test_strata_are_told():
    table = mixed()
    region = replace(table.attribute("region"), role=Role.STRATUM)
    table = replace(table, schema=table.schema.replacing([region]))
    assert grid(table).making(0).strata == ("region",)


def pairs(table):
    return Grid(table, partial(draw_stream, 7), pairs=True)


def columns(table):
    return {name: table[name].tobytes() for name in table.schema.quasi_identifiers}


def genome_of(problem, *families):
    return [own.family for own in problem.methods].index(" and ".join(families))


def test_pairs_that_share_a_step_share_what_it_made():
    problem = pairs(TABLES["mixed"])
    noise = [i for i, own in enumerate(problem.methods) if own.family == "noise and PRAM"]
    first, second = problem.decode(noise[0], 0), problem.decode(noise[1], 0)
    numbers = [n for n in first.schema.quasi_identifiers if not first.attribute(n).is_categorical]
    assert (
        steps_of(problem.methods[noise[0]].method)[0]
        == steps_of(problem.methods[noise[1]].method)[0]
    )
    assert all(columns(first)[name] == columns(second)[name] for name in numbers)
    assert columns(first) != columns(second)


def test_a_pair_is_the_same_whatever_was_made_before():
    problem = pairs(TABLES["mixed"])
    genome = genome_of(problem, "noise", "PRAM")
    before = columns(problem.decode(genome, 0))
    problem.decode(genome_of(problem, "rank swapping", "PRAM"), 0)
    assert columns(problem.decode(genome, 0)) == before
    assert columns(pairs(TABLES["mixed"]).decode(genome, 0)) == before


def test_a_sample_has_what_a_pair_made_of_the_whole_file():
    problem, records = pairs(TABLES["mixed"]), np.arange(0, len(TABLES["mixed"]), 3)
    decode = problem.sampled(records)
    for families in (("noise", "PRAM"), ("microaggregation", "PRAM")):
        genome = genome_of(problem, *families)
        assert columns(decode(genome, 0)) == columns(problem.decode(genome, 0).take(records))


def test_a_step_for_all_attributes_is_made_on_the_sample_alone():
    problem, records = pairs(TABLES["mixed"]), np.arange(0, len(TABLES["mixed"]), 3)
    sample = TABLES["mixed"].take(records)
    method = problem.methods[0].method
    assert set(method.attributes) == set(sample.schema.quasi_identifiers)
    alone = method.mask(sample, np.random.default_rng(1))
    assert columns(problem.sampled(records)(0, 0)) == columns(alone)


def test_what_was_not_used_for_longest_is_forgotten_where_there_is_no_room():
    recent, made = ColumnCache(capacity=100), []

    def columns_of(name):
        made.append(name)
        return {"a": np.zeros(5)}

    for name in ("p", "q", "p", "r", "p", "q"):
        recent.of(name, partial(columns_of, name))
    assert made == ["p", "q", "r", "q"]
