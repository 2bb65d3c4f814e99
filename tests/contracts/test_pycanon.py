"""k, l and t of 200 random masked tables, against an independent program."""

import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.measures.disclosure.privacy_models import (
    distinct_l,
    entropy_l,
    k_anonymity,
    t_closeness,
)
from tests.oracles import answers

TABLES = 200


def random_table(seed):
    """Two to four quasi-identifiers and a confidential attribute of either kind, in few classes."""
    rng = np.random.default_rng(seed)
    n, width, sizes = rng.integers(4, 80), rng.integers(2, 5), rng.integers(1, 4, 4)
    kind = Kind.NOMINAL if seed % 2 else Kind.CONTINUOUS
    attributes = [
        Attribute(f"q{j}", Kind.NOMINAL, Role.QUASI_IDENTIFIER, tuple("abcd"[: sizes[j]]))
        for j in range(width)
    ]
    values = rng.integers(0, rng.integers(2, 7), n)
    values[:2] = 0, 1
    secret = Attribute("s", kind, Role.CONFIDENTIAL, tuple("tuvwxyz") if seed % 2 else ())
    columns = {f"q{j}": rng.integers(0, sizes[j], n) for j in range(width)}
    return Table(Schema((*attributes, secret)), {**columns, "s": values})


def question(table):
    quasi = list(table.schema.quasi_identifiers)
    columns = {name: [f"c{code}" for code in table[name]] for name in quasi}
    secret = table["s"].tolist()
    if table.attribute("s").kind is Kind.NOMINAL:
        secret = [f"s{code}" for code in secret]
    return {"columns": {**columns, "s": secret}, "quasi": quasi, "confidential": "s"}


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    tables = [random_table(seed) for seed in range(TABLES)]
    found = answers(
        "ask_pycanon.py", [question(t) for t in tables], tmp_path_factory.mktemp("canon")
    )
    return list(zip(tables, found, strict=True))


def quasi(table):
    return table.schema.quasi_identifiers


def test_k_is_that_of_pycanon(answered):
    ours = [k_anonymity(table, quasi(table)) for table, _ in answered]
    assert ours == [found["k"] for _, found in answered]


def test_distinct_l_is_that_of_pycanon(answered):
    ours = [distinct_l(table, quasi(table), "s") for table, _ in answered]
    assert ours == [found["l"] for _, found in answered]


def test_entropy_l_is_that_of_pycanon_which_rounds_down(answered):
    """If a value is an integer up to rounding, pycanon may be one below it."""
    for table, found in answered:
        ours = entropy_l(table, quasi(table), "s")
        assert found["entropy"] in (int(ours - 1e-9), int(ours + 1e-9))


def test_t_is_that_of_pycanon(answered):
    ours = [t_closeness(table, quasi(table), "s") for table, _ in answered]
    assert ours == pytest.approx([found["t"] for _, found in answered], abs=1e-9)
