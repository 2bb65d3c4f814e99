"""The order in which methods are tried: literals, since every run of a portfolio hangs on it."""

from dataclasses import replace
from functools import partial

import pytest

from evomask.data.schema import Role
from evomask.evolution.streams import draw_stream
from evomask.masking.method import Making, Step
from evomask.searches.grid.search import Grid
from tests.masking.test_grid import TABLES
from tests.tables import mixed

ORDERS = {
    "ordinal": [40, 94, 113, 69, 106, 64, 22, 33, 81, 110, 41, 90, 112, 55, 105, 50, 13, 26, 84],
    "nominal": [40, 61, 78, 45, 23, 29, 42, 70, 79, 3, 20, 26, 43, 68, 80, 49, 18, 27, 39, 74, 7],
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
        "rank swapping": 11, "top coding": 3,
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
    assert list(grid(TABLES[name]).order[: len(begins)]) == begins


@pytest.mark.parametrize(("name", "sizes"), FAMILIES.items())
def test_families_have_the_members_of_earlier_runs(name, sizes):
    families = [own.family for own in grid(TABLES[name]).methods]
    assert {family: families.count(family) for family in sorted(set(families))} == sizes


def test_a_method_is_told_with_its_parameters():
    making = grid(TABLES["ordinal"]).making(0)
    step = Step("mdav-generic", {"k": 2}, ("c0", "c1", "c2"))
    assert making == Making((step,), search="grid")


def test_strata_are_told():
    table = mixed()
    region = replace(table.attribute("region"), role=Role.STRATUM)
    table = replace(table, schema=table.schema.replacing([region]))
    assert grid(table).making(0).strata == ("region",)
