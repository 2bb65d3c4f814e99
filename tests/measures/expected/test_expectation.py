"""Expectations under PRAM against enumeration of all files, on small files."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import foldnorm

from evomask.errors import ParameterError, SchemaError
from evomask.measures.expected.expectation import folded_normal_means
from evomask.measures.loss.loss import InformationLoss
from evomask.measures.papers.categorical_loss import DistanceLoss, EntropyLoss
from evomask.measures.papers.distance_linkage import DistanceLinkage, unique
from evomask.measures.papers.interval_disclosure import RankInterval
from evomask.measures.profiles import IncrementalRisk, PapersRisk
from tests.measures.files import categories
from tests.tables import mixed, numbers

TABLE = categories(ordinal=True, a=[0, 1, 2, 0], b=[0, 1, 1, 0])
NAMES = ("a", "b")
MATRICES = {
    "a": np.array([[0.7, 0.2, 0.1], [0.3, 0.7, 0.0], [0.1, 0.4, 0.5]]),
    "b": np.array([[0.9, 0.1], [0.4, 0.6]]),
}


def mean_of_all_files(reading):
    """Every file that PRAM can draw, weighed by its probability."""
    total = 0.0
    for a in product(range(3), repeat=4):
        for b in product(range(2), repeat=4):
            chance = np.prod(MATRICES["a"][TABLE["a"], a]) * np.prod(MATRICES["b"][TABLE["b"], b])
            if chance > 0:
                total += chance * reading(TABLE.with_columns({"a": np.array(a), "b": np.array(b)}))
    return total


@pytest.mark.parametrize(
    "measure",
    [
        DistanceLoss(NAMES), RankInterval(NAMES), RankInterval(NAMES, categorical=40.0),
        DistanceLinkage(NAMES), DistanceLinkage(NAMES, unique),
        PapersRisk(NAMES, probabilistic=False),
    ],
    ids=["dbil", "id", "wide id", "dbrl", "unique dbrl", "risk-papers"],
)  # fmt: skip
def test_exact_expectations_are_means_of_all_files(measure):
    reading = measure.against(TABLE)
    assert reading.expected(MATRICES) == pytest.approx(mean_of_all_files(reading), abs=1e-9)


@pytest.mark.parametrize("mean", [-2.0, 0.0, 0.5])
def test_the_folded_normal_has_its_mean(mean):
    found = folded_normal_means(np.array([mean]), np.array([4.0]))
    assert found[0] == pytest.approx(foldnorm.mean(abs(mean) / 2, scale=2))


def test_what_cannot_vary_is_apart_by_its_mean():
    assert folded_normal_means(np.array([-3.0]), np.array([0.0])).tolist() == [3.0]


def test_nothing_is_lost_without_matrices():
    assert InformationLoss(mixed().schema.quasi_identifiers).against(mixed()).expected({}) == 0.0


def test_a_matrix_that_sends_all_to_one_category_loses_the_entropy_of_the_original():
    shares = np.bincount(TABLE["a"]) / 4
    entropy = -np.sum(shares * np.log(shares)) / np.log(3)
    one = np.tile([1.0, 0.0, 0.0], (3, 1))
    reading = EntropyLoss(("a",)).against(TABLE)
    assert reading.expected({"a": one}) == pytest.approx(100 * entropy)


def test_a_maximum_has_no_expectation():
    reading = IncrementalRisk(NAMES).against(TABLE)
    with pytest.raises(ParameterError, match="draws"):
        reading.expected(MATRICES)


def test_a_matrix_of_another_size_is_refused():
    with pytest.raises(ParameterError, match="'a'"):
        DistanceLoss(NAMES).against(TABLE).expected({"a": np.eye(2)})


def test_a_matrix_for_numbers_is_refused():
    table = numbers(x=[1.0, 2.0])
    with pytest.raises(SchemaError, match="'x'"):
        DistanceLoss(("x",)).against(table).expected({"x": np.eye(2)})
