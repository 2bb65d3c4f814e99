"""Record linkage tailored to microaggregation."""

import numpy as np
import pytest

from evomask.measures.attacks.linkage_attacks import CentroidLinkage, blocks_of
from evomask.measures.papers.distance_linkage import ReverseDistanceLinkage
from tests.measures.files import categories, generalized, perturbed
from tests.tables import mixed, numbers

RNG = np.random.default_rng(4)
NAMES = tuple("abcd")
TABLE = numbers(**{name: RNG.normal(size=120) for name in NAMES})


def averaged(table, blocks, k, decimals=None):
    """Each block of attributes in groups of k by the order of its first one, averaged."""
    changes = {}
    for block in blocks:
        order = np.argsort(table[block[0]], kind="stable")
        for name in block:
            column = table[name].copy()
            for start in range(0, len(order), k):
                group = order[start : start + k]
                column[group] = table[name][group].mean()
            changes[name] = column if decimals is None else np.round(column, decimals)
    return table.with_columns(changes)


def slow(original, masked, blocks):
    """Person by person, record by record."""
    scale = {name: original[name].std() for name in NAMES}
    hits = []
    for i in range(len(original)):
        person = {name: original[name][i] for name in NAMES}
        agreeing = np.zeros(len(masked))
        for block in blocks:
            far = sum(((masked[n] - person[n]) / scale[n]) ** 2 for n in block)
            right = np.isclose(far, far.min(), rtol=1e-12, atol=0)
            if len(block) == 1:
                values = masked[block[0]]
                at_most = values[values <= person[block[0]]]
                at_least = values[values >= person[block[0]]]
                right |= np.isin(values, [at_most.max()] if len(at_most) else [])
                right |= np.isin(values, [at_least.min()] if len(at_least) else [])
            agreeing += right
        total = sum(((masked[n] - person[n]) / scale[n]) ** 2 for n in NAMES)
        total = np.where(agreeing == agreeing.max(), total, np.inf)
        nearest = np.flatnonzero(np.isclose(total, total.min(), rtol=1e-12, atol=0))
        hits.append((i in nearest) / len(nearest))
    return 100 * np.mean(hits)


PARTS = {
    "all apart": (("a",), ("b",), ("c",), ("d",)),
    "in pairs": (("a", "c"), ("b", "d")),
    "all together": (NAMES,),
    "one and three": (("a",), ("b", "c", "d")),
}


@pytest.fixture(params=PARTS.values(), ids=PARTS.keys())
def parts(request):
    return request.param


def test_the_blocks_show_in_the_masked_file(parts):
    found = blocks_of(averaged(TABLE, parts, 6), NAMES)
    assert {frozenset(block) for block in found} == {frozenset(block) for block in parts}


def test_rounding_does_not_hide_a_block():
    masked = averaged(TABLE, (NAMES,), 6, decimals=1)
    masked = masked.with_columns({"a": averaged(TABLE, (NAMES,), 6)["a"]})
    assert [set(block) for block in blocks_of(masked, NAMES)] == [set(NAMES)]


def test_every_person_is_compared_with_the_centroids_of_every_block(parts):
    masked = averaged(TABLE, parts, 6)
    found = CentroidLinkage(NAMES).against(TABLE)(masked)
    assert found == pytest.approx(slow(TABLE, masked, parts))


def test_knowing_that_attributes_were_averaged_apart_helps_the_intruder():
    rng = np.random.default_rng(1)
    skewed = numbers(**{f"n{i}": rng.lognormal(size=120) for i in range(8)})
    names = skewed.schema.names
    masked = averaged(skewed, tuple((name,) for name in names), 30)
    knowing = CentroidLinkage(names).against(skewed)(masked)
    assert knowing > 1.2 * ReverseDistanceLinkage(names).against(skewed)(masked)


def test_one_block_is_linkage_by_distance():
    masked = averaged(TABLE, (NAMES,), 6)
    nearest = ReverseDistanceLinkage(NAMES).against(TABLE)(masked)
    assert CentroidLinkage(NAMES).against(TABLE)(masked) == pytest.approx(nearest)


def test_groups_of_k_cannot_be_taken_apart():
    masked = averaged(TABLE, (NAMES,), 6)
    assert CentroidLinkage(NAMES).against(TABLE)(masked) <= 100 / 6 + 1e-9


def test_categories_have_blocks_too():
    table = categories(x=RNG.integers(0, 4, 60), y=RNG.integers(0, 5, 60))
    found = CentroidLinkage(("x", "y")).against(table)(perturbed(table, ("x", "y")))
    assert 0 < found < 100


def test_generalized_and_missing_cells_can_be_compared():
    table = mixed(60)
    names = table.schema.quasi_identifiers
    assert 0 < CentroidLinkage(names).against(table)(generalized(table, names)) < 100
