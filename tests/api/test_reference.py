"""The reference of the Python interface is made from docstrings, and is whole."""

import inspect
import runpy
from pathlib import Path

import pytest

import evomask

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_what_the_docstrings_say():
    made = runpy.run_path(str(DOCS / "reference.py"))["api_page"]()
    assert (DOCS / "api.md").read_text(encoding="utf-8") == made, "run `make docs`"


@pytest.mark.parametrize("name", evomask.__all__)
def test_every_public_name_is_on_the_page_with_its_first_sentence(name):
    _, _, section = (DOCS / "api.md").read_text(encoding="utf-8").partition(f"\n### {name}\n")
    sentence = inspect.getdoc(getattr(evomask, name)).splitlines()[0].replace("``", "`")
    assert sentence in section.partition("\n### ")[0]


def test_arguments_and_examples_are_shown():
    section = (DOCS / "api.md").read_text(encoding="utf-8").partition("\n### mask\n")[2]
    assert "\n- `seed`: random seed; drawn from the system by default.\n" in section
    assert "\n```python\nimport evomask\n" in section
    assert "Args:" not in section
