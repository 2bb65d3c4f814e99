"""The reference of the Python interface is made from docstrings, and is whole."""

from pathlib import Path

import evomask
from evomask.api.reference import SECTIONS, docstring_of, reference

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def test_the_page_is_what_the_docstrings_say():
    assert PAGE.read_text(encoding="utf-8") == reference()


def test_every_public_name_is_on_the_page():
    told = {name for names in SECTIONS.values() for name in names}
    assert set(evomask.__all__) - told == {"EvomaskError", "Hierarchy"}


def test_every_public_name_can_be_had():
    assert [name for name in evomask.__all__ if getattr(evomask, name, None) is None] == []


def test_arguments_and_examples_are_found_in_a_docstring():
    told = docstring_of(evomask.mask)
    assert told.arguments["seed"] == "random seed; drawn from the system by default."
    assert told.example.startswith("import evomask\n")
    assert "Args" not in told.paragraphs
