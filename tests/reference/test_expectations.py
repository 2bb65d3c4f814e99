"""Expectations under PRAM against the mean of 200 draws, on German credit and Solar flare."""

import numpy as np
import pytest

from evomask.data.frames import Declaration
from evomask.data.schema import Kind, Role
from evomask.io.tables import read_table
from evomask.masking.randomization.pram import Design, MatrixPram, Pram
from evomask.measures.papers.categorical_loss import ContingencyLoss, DistanceLoss, EntropyLoss
from evomask.measures.papers.distance_linkage import DistanceLinkage
from evomask.measures.papers.interval_disclosure import RankInterval

DRAWS = 200
FILES = {
    "german": ("uci/german_credit.csv", ("EXISTACC", "SAVINGS", "PRESEMPLOY"), Kind.ORDINAL),
    "flare": ("uci/solar_flare.csv", ("CLASS", "LARGSPOT", "SPOTDIST"), Kind.NOMINAL),
}
DESIGNS = [(Design.DIAGONAL, 0.5), (Design.ENTROPY, 0.3)]


@pytest.fixture(scope="module", params=FILES.values(), ids=FILES.keys())
def table(request, reference):
    path, names, kind = request.param
    declared = {name: Declaration(kind, Role.QUASI_IDENTIFIER) for name in names}
    return read_table(reference(path), declared).only(names)


@pytest.fixture(scope="module", params=DESIGNS, ids=lambda design: design[0].value)
def matrices(request, table):
    names = table.schema.names
    method = Pram(names, *request.param)
    return {name: method.matrix(table, name) for name in names}


@pytest.fixture(scope="module")
def draws(table, matrices):
    method = MatrixPram(table.schema.names, matrices)
    return [method.mask(table, np.random.default_rng(seed)) for seed in range(DRAWS)]


@pytest.mark.parametrize("kind", [DistanceLoss, RankInterval, DistanceLinkage, ContingencyLoss])
def test_the_expectation_is_the_mean_of_draws(kind, table, matrices, draws):
    reading = kind(table.schema.names).against(table)
    values = [reading(masked) for masked in draws]
    error = np.std(values, ddof=1) / np.sqrt(DRAWS)
    assert reading.expected(matrices) == pytest.approx(np.mean(values), abs=4 * error)


def test_the_expected_entropy_is_almost_the_mean_of_draws(table, matrices, draws):
    reading = EntropyLoss(table.schema.names).against(table)
    drawn = np.mean([reading(masked) for masked in draws])
    assert reading.expected(matrices) == pytest.approx(drawn, rel=0.01)
