import pytest

from evomask.errors import ParameterError
from evomask.masking.guarantees.requirement import Requirement, requirement_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Requirement()),
        ("k=5", Requirement(k=5)),
        ("k=5, l=2", Requirement(k=5, l=2)),
        ("t=0.3", Requirement(t=0.3)),
    ],
)
def test_a_requirement_is_read_from_text(text, expected):
    assert requirement_of(text) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("k", "written k=5, l=2 or t=0.3"),
        ("m=3", "written k=5, l=2 or t=0.3"),
        ("k=2.5", "required k must be a whole number, got 2.5"),
        ("k=0", "required k must be at least 1, got 0"),
        ("t=2", r"required t must be in \(0, 1\], got 2"),
    ],
)
def test_what_cannot_be_required_is_explained(text, sentence):
    with pytest.raises(ParameterError, match=sentence):
        requirement_of(text)


def test_it_says_what_it_asks():
    assert str(Requirement(k=5, t=0.25)) == "k = 5, t = 0.25"
    assert str(Requirement()) == "nothing"
