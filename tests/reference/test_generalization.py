"""ARX's optima on Adult with its own hierarchies: nodes, losses, suppressed records."""

import pytest

from evomask.searches.generalization.lattice import lattice_of
from evomask.searches.generalization.optimum import optimum
from tests.reference.adult import NINE, arx_tree, complete_adult

EIGHT = tuple(name for name in NINE if name != "occupation")


@pytest.fixture(scope="module")
def adult(reference):
    return complete_adult(reference)


@pytest.fixture(scope="module")
def nine(adult, reference):
    return lattice_of(adult, {name: arx_tree(reference, name) for name in NINE})


@pytest.fixture(scope="module")
def eight(adult, reference):
    trees = {name: arx_tree(reference, name) for name in EIGHT}
    return lattice_of(adult, trees, sensitive="occupation")


def test_the_lattices_have_the_published_sizes(nine, eight):
    assert (nine.n_records, nine.size, eight.size) == (30162, 12960, 4320)


@pytest.mark.parametrize(
    ("limit", "levels", "loss", "suppressed"),
    [
        (0, (0, 4, 1, 1, 3, 2, 2, 1, 0), 0.57315, 0),
        (301, (0, 3, 1, 1, 2, 2, 1, 1, 0), 0.362407, 294),
        (603, (0, 3, 0, 2, 2, 1, 1, 2, 0), 0.313713, 506),
        (30162, (0, 3, 0, 0, 2, 1, 1, 1, 0), 0.220412, 2553),
    ],
)
def test_optimum_on_nine_attributes_is_that_of_arx(nine, limit, levels, loss, suppressed):
    found = optimum(nine, k=5, limit=limit)
    assert (found.levels, found.suppressed) == (levels, suppressed)
    assert found.loss == pytest.approx(loss, abs=1e-6)


@pytest.mark.parametrize("distinct", [0, 2])
@pytest.mark.parametrize(
    ("limit", "levels", "loss", "suppressed"),
    [
        (301, (0, 3, 0, 2, 3, 1, 1, 0), 0.298833, 233),
        (603, (0, 3, 0, 2, 2, 1, 1, 0), 0.246477, 506),
    ],
)
def test_optimum_on_eight_attributes_is_that_of_arx(
    eight, distinct, limit, levels, loss, suppressed
):
    found = optimum(eight, k=5, distinct=distinct, limit=limit)
    assert (found.levels, found.suppressed) == (levels, suppressed)
    assert found.loss == pytest.approx(loss, abs=1e-6)


def test_optimum_with_no_suppression_and_two_diversity_is_that_of_arx(eight):
    found = optimum(eight, k=5, distinct=2)
    assert (found.levels, found.suppressed) == ((0, 4, 1, 2, 3, 2, 0, 0), 0)
    assert found.loss == pytest.approx(0.542211, abs=1e-6)


def test_as_many_nodes_are_safe_as_arx_counts(nine, eight):
    safe = nine.sweep(nine.rule(k=5)).suppressed <= 301
    fewer = eight.sweep(eight.rule(k=5)).suppressed <= 301
    assert (safe.sum(), fewer.sum()) == (1816, 1066)
