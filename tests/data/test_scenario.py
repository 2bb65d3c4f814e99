import pytest

from evomask.data.scenario import (
    MOST_COMBINATIONS,
    Scenario,
    Tolerance,
    default_scenario,
    parse_scenario,
    parse_tolerance,
)
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.errors import ParameterError, SchemaError


def attribute(name, kind=Kind.NOMINAL, role=Role.QUASI_IDENTIFIER):
    return Attribute(name, kind, role)


def schema(*scenarios):
    attributes = (
        attribute("sex"),
        attribute("age", Kind.ORDINAL),
        attribute("wage", Kind.CONTINUOUS),
        attribute("person", role=Role.IDENTIFIER),
    )
    return Schema(attributes, scenarios=scenarios)


class TestScenariosAreParsed:
    def test_names_are_known_exactly(self):
        found = parse_scenario("register: age, sex")
        assert (found.name, found.knows) == ("register", ("age", "sex"))

    def test_a_tilde_gives_a_tolerance(self):
        found = parse_scenario("bank: age, wage ~ 20 %")
        assert found.knows_about == {"wage": Tolerance(0.2, is_relative=True)}
        assert found.attributes == ("age", "wage")

    def test_what_is_required_follows_a_semicolon(self):
        found = parse_scenario("register: age, sex; k=5, l=2")
        assert (found.knows, found.require) == (("age", "sex"), "k=5, l=2")

    def test_some_of_several_names_are_known(self):
        found = parse_scenario("anybody: sex, any 2 of age, place, wage ~ 5 %, job; k=3")
        assert (found.knows, found.any, found.of) == (("sex",), 2, ("age", "place", "job"))
        assert (list(found.knows_about), found.require) == (["wage"], "k=3")

    @pytest.mark.parametrize("text", ["a: any 0 of x, y", "a: any 3 of x, y"])
    def test_more_or_fewer_than_there_are_cannot_be_known(self, text):
        with pytest.raises(SchemaError, match=r"any"):
            parse_scenario(text)

    @pytest.mark.parametrize("text", ["age, sex", "register:", ": age"])
    def test_other_texts_are_refused(self, text):
        with pytest.raises(ParameterError, match="NAME: ATTRIBUTE"):
            parse_scenario(text)

    @pytest.mark.parametrize("text", ["0", "-3", "100 %", "much"])
    def test_a_tolerance_is_positive_and_below_everything(self, text):
        with pytest.raises(ParameterError, match="tolerance"):
            parse_tolerance(text)

    def test_a_tolerance_is_written_as_it_is_parsed(self):
        for text in ("20 %", "15"):
            assert str(parse_tolerance(text)) == text


class TestWhatASchemaRefuses:
    def test_a_column_that_is_not_there(self):
        with pytest.raises(SchemaError, match="'height', which is no column"):
            schema(Scenario(name="a", knows=("height",)))

    def test_a_column_that_is_never_released(self):
        with pytest.raises(SchemaError, match="never released"):
            schema(Scenario(name="a", knows=("person",)))

    def test_a_tolerance_of_categories(self):
        with pytest.raises(SchemaError, match="within a tolerance"):
            schema(Scenario(name="a", knows_about={"age": Tolerance(3)}))

    def test_two_scenarios_of_one_name(self):
        with pytest.raises(SchemaError, match="same name"):
            schema(Scenario(name="a", knows=("sex",)), Scenario(name="a", knows=("age",)))

    def test_more_attributes_than_there_are(self):
        with pytest.raises(SchemaError, match="any 3 of 2"):
            Scenario(name="a", any=3, of=("sex", "age"))

    def test_nothing_known(self):
        with pytest.raises(SchemaError, match="no attribute"):
            Scenario(name="a")


def test_a_part_of_a_schema_keeps_the_scenarios_that_fit():
    whole = schema(Scenario(name="a", knows=("sex",)), Scenario(name="b", knows=("age",)))
    assert [one.name for one in whole.only(["sex", "wage"]).scenarios] == ["a"]


class TestVariants:
    def test_any_two_of_three_are_three_variants(self):
        found = Scenario(name="a", knows=("wage",), any=2, of=("sex", "age", "job")).variants()
        assert [one.knows for one in found] == [
            ("wage", "sex", "age"),
            ("wage", "sex", "job"),
            ("wage", "age", "job"),
        ]

    def test_many_combinations_are_a_fixed_choice(self):
        many = Scenario(name="a", any=4, of=tuple("abcdefghij"))
        first, second = many.variants(), many.variants()
        assert first == second
        assert len({one.knows for one in first}) == MOST_COMBINATIONS

    def test_the_default_knows_everything(self):
        found = default_scenario(("sex", "age"))
        assert found.knows == ("sex", "age")
        assert found.has_all
