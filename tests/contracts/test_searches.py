"""Laws of searches, checked on example files."""

import importlib
from dataclasses import replace
from pathlib import Path

import pytest

from evomask.searches.catalogue import OURS, search_named
from evomask.testing import check_search
from evomask.testing.examples import CATEGORIES, example_of_numbers
from evomask.testing.searches import AROUND

TOY_PACKAGE = Path(__file__).parents[1] / "toy_package"

QUICK = {
    "partition": {"burst": 500},
    "grouping": {"k": 5, "population": 6, "crossovers": 2, "mutations": 1},
    "equations": {"population": 8, "climb": 20},
    "pram": {"population": 4, "steps": 50},
    "clustered": {"population": 6},
    "files": {"burst": 200, "held_out": False},
    "recipes": {},
}
"""Parameters with which a generation takes little time."""

SEARCHES = {**{name: search_named(name) for name in OURS}, "recipes": search_named("recipes")}


@pytest.mark.parametrize("name", QUICK)
def test_every_search_obeys_the_laws(name):
    search = SEARCHES[name]
    check_search(search, replace(search.parameters(), **QUICK[name]))


def test_the_search_for_generalizations_obeys_the_laws():
    trees = {
        "school": [("none", "low"), ("basic", "low"), ("middle", "more"), ("high", "more")],
        "region": [("north", "any"), ("south", "any"), ("west", "any")],
    }
    search = SEARCHES["generalization"]
    check_search(
        search, search.parameters(attributes=CATEGORIES), replace(AROUND, hierarchies=trees)
    )


def test_the_search_of_the_toy_package_obeys_the_laws(monkeypatch):
    monkeypatch.syspath_prepend(TOY_PACKAGE)
    search = importlib.import_module("evomask_toy").ToySearch()
    check_search(search, makes=[example_of_numbers])


def test_no_search_of_the_catalogue_is_left_out():
    assert QUICK.keys() | {"generalization"} == SEARCHES.keys()
