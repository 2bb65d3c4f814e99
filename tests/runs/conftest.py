"""A file to search on, and plans for the toy search."""

import pytest

from evomask.evolution.stopping import Budget
from evomask.runs.inputs import Input
from evomask.runs.plan import make_plan


@pytest.fixture
def people(tmp_path):
    """A small file of people."""
    rows = [f"{20 + i % 7},{1000 + 37 * i * i % 977},{'nsw'[i % 3]}" for i in range(40)]
    path = tmp_path / "people.csv"
    path.write_text("age,income,region\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def plan_of(toy, people):
    """A plan for the toy search on the people."""

    def make(budget=None, out=None, seed=7, **texts):
        return make_plan(
            toy, Input(people), texts, seed=seed, budget=budget or Budget(generations=12), out=out
        )

    return make
