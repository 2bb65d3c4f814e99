"""What docs/adding-a-search.md shows is what the toy search does."""

import re
from pathlib import Path

import pytest

from evomask.evolution import schemes
from evomask.searches import base
from tests.conftest import TOY_PACKAGE

PAGE = (Path(__file__).parents[2] / "docs" / "adding-a-search.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^```python\n# not run\n(.*?)^```", PAGE, re.M | re.S)


@pytest.mark.parametrize("block", SHOWN, ids=range(len(SHOWN)))
def test_shown_code_stands_in_the_toy_search(block):
    assert block in (TOY_PACKAGE / "evomask_toy.py").read_text(encoding="utf-8")


def test_every_scheme_is_described():
    told = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.M))
    there = {name for name, it in vars(schemes).items() if hasattr(it, "propose")}
    assert there - {"Alone"} <= told  # wraps a scheme, for a study of its operators


def test_every_optional_method_is_described():
    listed = set(re.findall(r"`(\w+)\(", PAGE))
    assert listed >= {"making", "adopted", "compared", "overview", "charts", "matrices"}
    assert all(hasattr(base.MaskingProblem, name) for name in ("making", "adopted", "compared"))


def test_the_entry_point_shown_is_the_one_there():
    points = (TOY_PACKAGE / "evomask_toy-1.0.dist-info/entry_points.txt").read_text(
        encoding="utf-8"
    )
    assert "toy = evomask_toy:ToySearch" in points
    assert 'toy = "evomask_toy:ToySearch"' in PAGE
