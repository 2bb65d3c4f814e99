import pytest

from evomask.data.scenario import parse_scenario
from evomask.engine.front import Bounds
from evomask.errors import ParameterError
from evomask.runs.options import risk_limits
from evomask.runs.store.preserved_analyses import build_bounds, check_risk_limits
from tests.tables import numbers


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("10", Bounds(risk=10.0)),
        ("register=5, colleague=10", Bounds(risk_in={"register": 5.0, "colleague": 10.0})),
        ("credit bureau=5,12.5", Bounds(risk=12.5, risk_in={"credit bureau": 5.0})),
        (None, Bounds()),
    ],
)
def test_limits_are_given_for_all_scenarios_or_for_each(text, bounds):
    assert build_bounds(text) == bounds


@pytest.mark.parametrize("text", ["low", "register=", "register:5", "5,6", "a=1,a=2"])
def test_other_texts_are_refused(text):
    with pytest.raises(ParameterError, match="max-risk"):
        build_bounds(text)


def test_a_limit_lies_between_0_and_100():
    with pytest.raises(ParameterError, match="max-risk in scenario register must lie in 0 to 100"):
        build_bounds("register=120")


@pytest.mark.parametrize(
    "limits", [10.0, {"register": 5.0, "colleague": 10.0}, {"a": 1.0, "": 2.0}]
)
def test_limits_are_written_as_they_are_parsed(limits):
    text = risk_limits(limits)
    again = build_bounds(text)
    assert (
        risk_limits({**again.risk_in, **({} if again.risk is None else {"": again.risk})}) == text
    )


def test_a_scenario_that_the_file_does_not_have_is_named():
    table = numbers(age=[1, 2], sex=[1, 1])
    check_risk_limits(build_bounds("all quasi-identifiers=5"), table)
    schema = table.schema.__class__(
        table.schema.attributes, scenarios=(parse_scenario("club: age"), parse_scenario("x: sex"))
    )
    with pytest.raises(ParameterError, match=r"'register', .* there is club, x"):
        check_risk_limits(build_bounds("club=3,register=5"), table.with_schema(schema))
