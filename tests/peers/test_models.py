"""k, l and t of 500 random files, equal to what pycanon and anjana say of them."""

import polars as pl
import pytest

from evomask.data.frames import Declaration, table_from
from evomask.data.schema import Kind, Role
from evomask.measures.disclosure.privacy_models import distinct_l, k_anonymity, t_closeness
from tests.contracts.test_pycanon import question, random_table
from tests.oracles import ROOT, answers

FILES = 500
ANJANA = ROOT / ".venv-peers-anjana" / "bin" / "python"

pytestmark = pytest.mark.slow


def ours(table, names):
    return (
        k_anonymity(table, names),
        distinct_l(table, names, "s"),
        pytest.approx(t_closeness(table, names, "s"), abs=1e-9),
    )


def test_pycanon_says_the_same_of_500_files(tmp_path):
    tables = [random_table(seed) for seed in range(FILES)]
    found = answers("ask_pycanon.py", [question(table) for table in tables], tmp_path)
    for table, theirs in zip(tables, found, strict=True):
        assert (theirs["k"], theirs["l"], theirs["t"]) == ours(
            table, table.schema.quasi_identifiers
        )


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """What anjana was asked for, and what it released: k, or l, or t of each file in turn."""
    if not ANJANA.exists():
        pytest.skip("anjana is not here; `make bench-peers` installs it")
    asked = [
        {
            **question(random_table(seed)),
            "k": 2 + seed % 3,
            "l": 2 if seed % 3 == 1 else 0,
            "t": 0.4 if seed % 3 == 2 else 0,
        }
        for seed in range(FILES)
    ]
    found = answers("ask_anjana.py", asked, tmp_path_factory.mktemp("anjana"), ANJANA)
    return list(zip(asked, found, strict=True))


def as_table(asked, columns):
    quasi = {name: Declaration(Kind.NOMINAL, Role.QUASI_IDENTIFIER) for name in asked["quasi"]}
    is_number = not isinstance(columns["s"][0], str)
    secret = Declaration(Kind.CONTINUOUS if is_number else Kind.NOMINAL, Role.CONFIDENTIAL)
    return table_from(pl.DataFrame(columns), {**quasi, "s": secret})


def test_anjana_counts_the_same_in_what_it_releases(released):
    compared = 0
    for asked, theirs in released:
        if "columns" in theirs:
            table = as_table(asked, theirs["columns"])
            assert (theirs["k"], theirs["l"], theirs["t"]) == ours(table, tuple(asked["quasi"]))
            compared += 1
    assert compared >= FILES / 2


def test_what_anjana_calls_k_anonymous_is_so(released):
    for asked, theirs in released:
        if "columns" in theirs and not asked["l"] and not asked["t"]:
            table = as_table(asked, theirs["columns"])
            assert k_anonymity(table, tuple(asked["quasi"])) >= asked["k"]
