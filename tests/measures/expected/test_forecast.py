"""Forecast loss and risk against expectations, draws, and deterministic files."""

import numpy as np
import pytest

from evomask.masking.randomization.pram import CommonDraws, normalize_rows
from evomask.measures.disclosure.relabelling import RelabelledLinkage
from evomask.measures.expected.forecast import Forecast
from evomask.measures.loss.loss import InformationLoss
from evomask.measures.papers.distance_linkage import DistanceLinkage
from evomask.measures.papers.interval_disclosure import RankInterval
from evomask.measures.profiles import PapersLoss, PapersRisk
from tests.measures.files import categories
from tests.tables import mixed

SIZES = {"a": 4, "b": 3, "c": 5}


def table(ordinal, n_attributes=3, n_records=300):
    rng = np.random.default_rng(n_attributes)
    names = [*SIZES][:n_attributes]
    shares = {name: rng.dirichlet(np.full(SIZES[name], 2.0)) for name in names}
    drawn = {name: rng.choice(SIZES[name], n_records, p=shares[name]) for name in names}
    drawn = {name: np.concatenate([np.arange(SIZES[name]), codes]) for name, codes in drawn.items()}
    shortest = min(len(codes) for codes in drawn.values())
    return categories(ordinal=ordinal, **{n: c[:shortest].tolist() for n, c in drawn.items()})


def random_matrices(original, seed):
    rng = np.random.default_rng(seed)
    return {
        name: normalize_rows(rng.random((SIZES[name], SIZES[name])) ** 4)
        for name in original.schema.names
    }


def fixed_matrices(original, seed):
    """Every category becomes one other for certain: a file without chance."""
    rng = np.random.default_rng(seed)
    return {
        name: np.eye(SIZES[name])[rng.integers(0, SIZES[name], SIZES[name])]
        for name in original.schema.names
    }


def drawn(original, matrices, number):
    draws = CommonDraws(original, original.schema.names, lambda r: np.random.default_rng([3, r]))
    return draws.masked(matrices, number)


@pytest.mark.parametrize("n_attributes", [1, 2, 3])
@pytest.mark.parametrize("ordinal", [True, False])
def test_loss_and_papers_risk_are_the_expectations(ordinal, n_attributes):
    original = table(ordinal, n_attributes)
    names, matrices = original.schema.names, random_matrices(original, 1)
    found = Forecast(original, names, strict=False)(matrices)
    loss = PapersLoss(names).against(original).expected(matrices)
    risk = PapersRisk(names, probabilistic=False).against(original).expected(matrices)
    assert found == pytest.approx((loss, risk), abs=1e-9)


@pytest.mark.parametrize("ordinal", [True, False])
def test_the_strict_loss_is_its_expectation(ordinal):
    original = table(ordinal)
    names, matrices = original.schema.names, random_matrices(original, 1)
    expected = InformationLoss(names).against(original).expected(matrices)
    assert Forecast(original, names, strict=True)(matrices)[0] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("ordinal", [True, False])
def test_without_chance_the_strict_risk_is_the_linkage_of_the_file(ordinal, seed):
    original = table(ordinal)
    names, matrices = original.schema.names, fixed_matrices(original, seed)
    found = Forecast(original, names, strict=True)(matrices)
    masked = drawn(original, matrices, 0)
    kinds = DistanceLinkage(names), RelabelledLinkage(names)
    assert found[1] == pytest.approx(max(kind.against(original)(masked) for kind in kinds))


@pytest.mark.parametrize("ordinal", [True, False])
def test_the_strict_risk_is_near_the_mean_of_draws(ordinal):
    original = table(ordinal)
    names, matrices = original.schema.names, random_matrices(original, 2)
    readings = [kind(names).against(original) for kind in (DistanceLinkage, RelabelledLinkage)]
    files = [drawn(original, matrices, r) for r in range(30)]
    mean = np.mean([max(reading(file) for reading in readings) for file in files])
    assert Forecast(original, names, strict=True)(matrices)[1] == pytest.approx(mean, abs=2.0)


def test_an_attribute_without_a_matrix_stays():
    original = table(ordinal=True)
    forecast = Forecast(original, original.schema.names, strict=True)
    some = random_matrices(original, 1)
    every = {**some, "b": np.eye(SIZES["b"])}
    assert forecast({"a": some["a"], "c": some["c"]}) == forecast(every)


def test_numbers_beside_stay_and_lower_the_loss_by_their_share():
    original = mixed()
    names = original.schema.quasi_identifiers
    forecast = Forecast(original, names, strict=False)
    matrices = {
        name: normalize_rows(np.ones((4, 4)) + 5 * np.eye(4)) for name in ("school", "region")
    }
    assert not forecast.is_whole
    expected = PapersLoss(names).against(original).expected(matrices)
    assert forecast(matrices)[0] == pytest.approx(expected)


def test_with_too_many_combinations_linkage_is_left_out():
    original = categories(ordinal=True, **{name: [*range(10)] for name in "abcde"})
    names = original.schema.names
    forecast = Forecast(original, names, strict=False)
    assert not forecast.is_whole
    matrices = {name: normalize_rows(np.ones((10, 10)) + 5 * np.eye(10)) for name in names}
    interval = RankInterval(names).against(original).expected(matrices)
    assert forecast(matrices)[1] == pytest.approx(interval / 2)
