from importlib.metadata import EntryPoint
from importlib.util import find_spec

import pytest

from evomask.data.parameters import parameters_of, summary_of
from evomask.errors import ParameterError
from evomask.searches import catalogue
from evomask.searches.catalogue import (
    IN_PROTECT,
    OURS,
    names_in_protect,
    search_named,
    search_names,
)


def test_a_package_brings_a_search_along(toy):
    assert "toy" in search_names()
    assert summary_of(toy) == "Round numbers; how coarsely evolves."


def test_its_parameters_have_meanings_and_defaults(toy):
    levels = parameters_of(toy.parameters)[0]
    assert (levels.option, levels.default) == ("--levels", 12)
    assert levels.meaning.startswith("how many widths")


def test_a_name_that_no_search_has_is_refused(toy):
    with pytest.raises(ParameterError, match=r"no search is called 'tyo'; there are .*toy"):
        search_named("tyo")


def test_the_grid_is_no_search_to_be_run_alone():
    assert "recipes" not in search_names()
    assert names_in_protect()[0] == search_named("recipes").name == "recipes"


def test_every_search_of_ours_may_take_part():
    assert {*OURS, "recipes"} == set(IN_PROTECT)


def test_a_name_of_ours_stays_ours(monkeypatch):
    other = EntryPoint("partition", "another_package:Search", catalogue.GROUP)
    monkeypatch.setattr(catalogue, "entry_points", lambda group: [other])
    assert search_names() == tuple(OURS)


@pytest.mark.parametrize("name", IN_PROTECT)
def test_the_kernels_that_a_search_names_exist(name):
    for kernel in search_named(name).kernels:
        assert find_spec(f"evomask.kernels.{kernel}")
