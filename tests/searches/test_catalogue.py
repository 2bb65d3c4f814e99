import pytest

from evomask.data.parameters import parameters_of, summary_of
from evomask.errors import ParameterError
from evomask.searches.catalogue import search_named, search_names


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
