"""Local recoding: the guarantee, the loss it tells, and the table it makes."""

from dataclasses import replace

import numpy as np
import pytest

from evomask.data.schema import Role
from evomask.errors import ParameterError
from evomask.searches.generalization import local_recoding
from evomask.searches.generalization.local_recoding import (
    LocalRecodings,
    _classes_to_group,
    recode_locally,
)
from evomask.searches.generalization.optimum import mean_cell_loss, optimum
from tests.searches.generalization.lattices import small_lattice


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [2, 3, 7, 40, 80])
def test_every_combination_is_shared_by_k_records(seed, k):
    lattice = small_lattice(seed=seed)
    table = recode_locally(lattice, k).applied()
    columns = np.column_stack([table[name] for name in lattice.names])
    _, sizes = np.unique(columns, axis=0, return_counts=True)
    assert sizes.min() >= k
    assert not table.suppressed.any()


@pytest.mark.parametrize("seed", range(5))
def test_every_cell_stands_for_the_records_own_value_among_others(seed):
    lattice = small_lattice(seed=seed)
    table = recode_locally(lattice, 4).applied()
    for name in lattice.names:
        own = lattice.table.codes(name)
        assert table.recodings[name].leaves[table[name], own].all()


def test_the_loss_told_is_that_of_the_cells():
    lattice = small_lattice()
    recoding = recode_locally(lattice, 4)
    table = recoding.applied()
    for a, name in enumerate(("age", "sex")):
        leaves = table.recodings[name].leaves.sum(axis=1)[table[name]]
        every = len(lattice.trees[name].categories)
        assert recoding.losses[a] == pytest.approx(np.mean((leaves - 1) / (every - 1)))


@pytest.mark.parametrize("seed", range(5))
def test_local_recoding_loses_no_more_than_the_best_node(seed):
    lattice = small_lattice(seed=seed)
    best = optimum(lattice, k=4, loss=mean_cell_loss)
    assert 1.0 - recode_locally(lattice, 4).granularity <= best.loss


def test_k_above_the_number_of_records_is_refused():
    with pytest.raises(ParameterError, match="k must not exceed"):
        recode_locally(small_lattice(n_records=10), 11)


def test_a_genome_is_its_k():
    problem = LocalRecodings(small_lattice(), (2, 5))
    assert problem.unpack(problem.pack(5)) == 5
    assert problem.read(5, 0)["k"] >= 5


def with_strata(lattice, strata):
    """The same lattice over a table whose class is the stratum of each record."""
    roles = {"class": Role.STRATUM}
    attributes = [replace(a, role=roles.get(a.name, a.role)) for a in lattice.table.schema]
    table = lattice.table.with_schema(lattice.table.schema.replacing(attributes))
    return replace(lattice, table=table.with_columns({"class": np.asarray(strata)}))


@pytest.mark.parametrize("k", [2, 5, 20])
def test_no_group_reaches_over_two_strata(k):
    strata = np.arange(80) % 2
    recoding = recode_locally(with_strata(small_lattice(), strata), k)
    sizes = np.bincount(recoding.labels)
    assert sizes.min() >= k
    assert all(len(set(strata[recoding.labels == g])) == 1 for g in range(len(sizes)))


def test_a_few_records_that_stand_alone_join_the_smallest_of_the_others():
    assert _classes_to_group(np.array([9, 1, 6, 1]), np.arange(4), 5).tolist() == [1, 2, 3]
    assert _classes_to_group(np.array([9, 3, 6, 2]), np.arange(4), 5).tolist() == [1, 3]
    assert _classes_to_group(np.array([9, 6]), np.arange(2), 5).tolist() == []


def test_k_above_the_size_of_a_stratum_is_refused():
    strata = (np.arange(80) == 0).astype(int)
    with pytest.raises(ParameterError, match="k must not exceed"):
        recode_locally(with_strata(small_lattice(), strata), 3)


@pytest.mark.parametrize("k", [2, 3])
def test_by_regions_k_holds_and_little_more_is_lost(k, monkeypatch):
    lattice = small_lattice()
    whole = recode_locally(lattice, k)
    monkeypatch.setattr(local_recoding, "AT_ONCE", 10)
    monkeypatch.setattr(local_recoding, "TOGETHER", 10)
    monkeypatch.setattr(local_recoding, "MANY_GROUPS", 4)
    found = recode_locally(lattice, k)
    assert np.bincount(found.labels).min() >= k
    assert found.labels.tolist() != whole.labels.tolist()
    assert abs(found.granularity - whole.granularity) < 0.15
