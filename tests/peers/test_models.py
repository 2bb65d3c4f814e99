"""k, l and t of 500 random files, equal to what pycanon says of them."""

import pytest

from evomask.measures.risk.privacy_models import distinct_l, k_anonymity, t_closeness
from tests.contracts.test_pycanon import question, random_table
from tests.oracles import answers

FILES = 500

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
