import pytest

from evomask.errors import ParameterError
from evomask.masking.catalogue import method_named
from evomask.masking.microaggregation.mdav import LastGroups, Mdav

MDAV = method_named("mdav")


def test_parameters_are_read_from_text():
    assert MDAV.build(["a"], {"k": "5", "ending": "classic"}) == Mdav(("a",), 5, LastGroups.CLASSIC)


def test_meanings_come_from_the_docstring():
    assert MDAV.parameters[0].meaning == "smallest number of records in a group."


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ({"k": "2.5"}, "k must be a whole number, got 2.5"),
        ({"k": "0"}, "k must be at least 2, got 0"),
        ({"ending": "sudden"}, "ending must be one of generic, classic"),
        ({"window": "3"}, "mdav has no option 'window'; it has -k, --ending"),
    ],
)
def test_invalid_parameters_are_errors(texts, sentence):
    with pytest.raises(ParameterError, match=sentence):
        MDAV.build(["a"], texts)


def test_an_unknown_method_is_answered_with_those_there_are():
    with pytest.raises(ParameterError, match="no method is called 'magic'; there are mdav"):
        method_named("magic")
