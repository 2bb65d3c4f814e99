import pytest

from evomask.data.roles.scenarios import known_to_nobody, propose_scenarios
from evomask.data.schema import Attribute, Kind, Role
from evomask.errors import ParameterError
from evomask.io.scenario_library import scenario_library

QUASI = Role.QUASI_IDENTIFIER


def quasi(*names, kind=Kind.NOMINAL):
    return [Attribute(name, kind, QUASI) for name in names]


def proposed(*columns):
    return {one.scenario.name: one for one in propose_scenarios(columns, scenario_library())}


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("Nettoeinkommen", "income"),
        ("income", "income"),
        ("household_income", "income"),
        ("household_size", "household"),
        ("Geburtsjahr", "birth"),
        ("edad", "age"),
        ("plec", "sex"),
        ("gemeente", "place"),
        ("zipCode", "place"),
        ("profession", "work"),
        ("profissão", "work"),
        ("Wohnfläche", "dwelling"),
        ("roof", "dwelling"),
        ("household_weights", "design"),
        ("favourite", ""),
    ],
)
def test_the_name_of_a_column_tells_what_it_is_about(name, topic):
    assert scenario_library().topic_of(name) == topic


def test_an_intruder_knows_the_columns_of_their_topics():
    found = proposed(*quasi("town", "age", "sex", "occupation"))
    assert found["register"].scenario.knows == ("town", "age", "sex")
    assert found["colleague"].scenario.knows == ("age", "sex", "occupation")
    assert found["register"].scenario.require == "k=5"
    assert "register of residents" in found["register"].reason


def test_numbers_are_known_within_a_precision_and_categories_exactly():
    number = proposed(*quasi("job", "sex"), *quasi("wage", kind=Kind.CONTINUOUS))
    assert {n: str(t) for n, t in number["colleague"].scenario.knows_about.items()} == {
        "wage": "20 %"
    }
    classes = proposed(*quasi("job", "sex", "wage"))
    assert classes["colleague"].scenario.knows == ("job", "sex", "wage")
    assert not classes["colleague"].scenario.knows_about


def test_columns_that_are_never_masked_are_named_but_not_known():
    columns = [*quasi("job", "sex"), Attribute("wage", Kind.CONTINUOUS, Role.CONFIDENTIAL)]
    found = proposed(*columns)["colleague"]
    assert "wage" not in found.scenario.attributes
    assert found.beyond == ("wage",)


def test_a_choice_needs_more_columns_than_are_chosen():
    few, many = quasi("town", "age", "sex"), quasi("town", "age", "sex", "job")
    assert proposed(*few)["journalist"].scenario.knows == ("town", "age", "sex")
    chooses = proposed(*many)["journalist"].scenario
    assert (chooses.any, chooses.of) == (3, ("town", "age", "sex", "job"))
    assert not chooses.takes_part


def test_a_file_without_suitable_columns_has_no_scenario():
    assert not proposed(*quasi("x1", "x2", "x3"))
    assert "colleague" not in proposed(*quasi("town", "age", "sex"))
    assert "register" not in proposed(Attribute("town", Kind.NOMINAL, Role.IDENTIFIER))


def test_quasi_identifiers_that_nobody_knows_are_listed():
    columns = quasi("town", "age", "sex", "x1")
    known = [one.scenario for one in proposed(*columns).values()]
    assert known_to_nobody(columns, known) == ("x1",)


def test_an_unknown_name_lists_the_library():
    with pytest.raises(ParameterError, match="no scenario 'spy'; it has register, neighbour"):
        scenario_library().named(["register", "spy"])
