import pytest

from evomask.errors import ParameterError
from evomask.masking.enforce.requirement import Requirement, parse_requirement


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Requirement()),
        ("k=5", Requirement(k=5)),
        ("k=5, l=2", Requirement(k=5, l=2)),
        ("t=0.3", Requirement(t=0.3)),
        ("k=5,journalist<=9%", Requirement(k=5, limits=(("journalist", 0.09),))),
        ("k-map>=3, uniques=1%", Requirement(limits=(("k-map", 3), ("population_uniques", 0.01)))),
        ("population_uniques=20", Requirement(limits=(("population_uniques", 20),))),
    ],
)
def test_a_requirement_is_read_from_text(text, expected):
    assert parse_requirement(text) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("k", "written k=5, l=2 or t=0.3"),
        ("m=3", "written k=5, l=2 or t=0.3"),
        ("k=2.5", "required k must be a whole number, got 2.5"),
        ("k=0", "required k must be at least 1, got 0"),
        ("t=2", r"required t must be in \(0, 1\], got 2"),
        ("journalist=2", "limit of journalist is a share from 0 to 1 or a percentage, got 2"),
        ("journalist>=0.1", "journalist is limited by <= or =, got >="),
        ("k-map=0.5", "k-map must be a number of at least 1"),
        ("marketer=1%,marketer=2%", "marketer is required twice"),
    ],
)
def test_an_invalid_requirement_is_an_error(text, sentence):
    with pytest.raises(ParameterError, match=sentence):
        parse_requirement(text)


def test_a_requirement_as_text():
    assert str(Requirement(k=5, t=0.25)) == "k = 5, t = 0.25"
    assert str(Requirement()) == "nothing"


def test_limits_of_the_population_risk_require_no_enforcement():
    limited = parse_requirement("k-map=3,journalist=0.09")
    assert not limited.asks_anything
    assert parse_requirement(limited.as_text) == limited
