import numpy as np
import pytest

from evomask.measures.profiles import RiskProfile
from evomask.searches.files.fitness import (
    FileMeasures,
)
from evomask.searches.files.genome import Coding, cross, mutate
from tests.measures.files import perturbed
from tests.tables import mixed

TABLE = mixed(80)
KINDS = {
    "numbers": ("age", "income"),
    "categories": ("school", "region"),
    "both": TABLE.schema.quasi_identifiers,
}


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def judge(request):
    return FileMeasures(Coding(TABLE, request.param), RiskProfile.PAPERS)


def family(judge, count):
    """Files, each made of one before it by mutation or crossover, with that one."""
    coding, rng = judge.coding, np.random.default_rng(1)
    first = coding.encode(perturbed(TABLE, coding.names))
    original, parent = coding.encode(TABLE), first
    for turn in range(count):
        child = cross(parent, original, rng) if turn % 3 == 2 else mutate(parent, coding, rng)
        if coding.is_possible(child):
            yield child, parent
            parent = child


def test_a_child_read_beside_its_parent_costs_what_a_full_reading_says(judge):
    for child, parent in family(judge, 30):
        masked = judge.coding.decode(child)
        found = judge.like_parent(child, masked, parent)
        assert found == pytest.approx(judge.full(masked), abs=1e-9)


def test_what_is_remembered_changes_no_bit(judge):
    fresh = [FileMeasures(judge.coding, RiskProfile.PAPERS) for _ in range(20)]
    for (child, parent), forgetful in zip(family(judge, 20), fresh, strict=False):
        masked = judge.coding.decode(child)
        found = judge.like_parent(child, masked, parent)
        assert forgetful.like_parent(child, masked, parent) == found
