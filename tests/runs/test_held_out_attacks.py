"""An evolved file beside the best first one, by attackers that no search has seen."""

import numpy as np
import polars as pl
import pytest

from evomask.data.frames import Declaration, table_from
from evomask.data.schema import Kind, Role
from evomask.masking.microaggregation.mdav import Mdav
from evomask.runs.search import compare_held_out_attacks

NAMES = ("age", "income")


@pytest.fixture(scope="module")
def original():
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"age": rng.integers(20, 70, 60), "income": rng.normal(size=60)})
    number = Declaration(Kind.CONTINUOUS, Role.QUASI_IDENTIFIER)
    return table_from(frame, dict.fromkeys(NAMES, number))


def test_a_file_that_attackers_like_more_is_warned_of(original):
    masked = Mdav(NAMES, 10).mask(original, np.random.default_rng(1))
    found = compare_held_out_attacks(original, masked, original)
    worse = [name for name, row in found["held_out"].items() if row["worse_by"] > 5]
    assert worse
    assert [text.split(" succeeds")[0] for text in found["warnings"]] == worse


def test_a_file_beside_itself_is_no_reason_to_warn(original):
    found = compare_held_out_attacks(original, original, original)
    assert found["held_out"]
    assert found["warnings"] == []
