"""The optimal search against trying every node."""

import numpy as np
import pytest

from evomask.errors import ParameterError
from evomask.searches.generalization.lattice import lattice_of
from evomask.searches.generalization.objectives import geometric_loss
from evomask.searches.generalization.optimum import mean_cell_loss, optimum
from tests.searches.generalization.lattices import TREES, small_lattice, small_table


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("loss", [geometric_loss, mean_cell_loss])
@pytest.mark.parametrize(("k", "distinct", "limit"), [(2, 0, 0), (4, 0, 9), (3, 3, 20), (5, 2, 80)])
def test_no_safe_node_loses_less(seed, loss, k, distinct, limit):
    lattice = small_lattice(seed=seed)
    found = optimum(lattice, k=k, distinct=distinct, limit=limit, loss=loss)
    figures = lattice.sweep(lattice.rule(limit=limit, k=k, distinct=distinct))
    losses = np.where(figures.suppressed <= limit, loss(figures.losses), np.inf)
    assert found.loss == pytest.approx(losses.min(), abs=1e-12)
    assert figures.suppressed[losses.argmin()] == found.suppressed
    assert tuple(figures.levels[losses.argmin()]) == found.levels


def test_the_proof_accounts_for_every_node():
    lattice = small_lattice()
    found = optimum(lattice, k=4, limit=5)
    assert found.checked + found.unsafe + found.costly == lattice.size
    assert found.checked < lattice.size


def test_a_requirement_that_no_node_meets_gives_nothing():
    assert optimum(small_lattice(), k=2, distinct=4) is None


def test_k_must_be_a_number_of_records():
    with pytest.raises(ParameterError, match="k must"):
        optimum(lattice_of(small_table(), TREES), k=1)
