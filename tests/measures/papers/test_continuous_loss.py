"""IL1 to IL5 and probabilistic information loss."""

import numpy as np
import pytest
from scipy.stats import norm

from evomask.measures.papers.categorical_loss import DistanceLoss
from evomask.measures.papers.continuous_loss import (
    CorrelationLoss,
    CovarianceLoss,
    MeanLoss,
    ProbabilisticLoss,
    ValueLoss,
    VarianceLoss,
)
from evomask.measures.papers.distance_linkage import ReverseDistanceLinkage
from evomask.measures.papers.interval_disclosure import RankInterval
from evomask.measures.papers.probabilistic_linkage import ProbabilisticLinkage
from evomask.measures.profiles import classic_loss, classic_risk
from tests.measures.files import in_intervals
from tests.tables import numbers

RNG = np.random.default_rng(4)
BEFORE = RNG.normal(10, 3, (200, 3)) @ (np.eye(3) + 0.5)
AFTER = BEFORE + RNG.normal(0, 0.5, BEFORE.shape)
NAMES = ("a", "b", "c")


def table(points):
    return numbers(**dict(zip(NAMES, points.T, strict=True)))


def percent(measure, after=AFTER):
    return measure(NAMES).against(table(BEFORE))(table(after))


def capped(parts):
    return 100 * np.minimum(np.abs(parts), 1).mean()


def test_il1_is_the_mean_relative_difference_of_values():
    assert percent(ValueLoss) == pytest.approx(capped((BEFORE - AFTER) / BEFORE))


def test_il1_divides_by_the_deviation_where_a_value_is_zero():
    before, after = numbers(a=[0, 4, -4, 0]), numbers(a=[1, 4, -4, 0])
    scaled = 1 / (np.sqrt(2) * np.sqrt(8))
    assert ValueLoss(("a",)).against(before)(after) == pytest.approx(100 * scaled / 4)


def test_il2_is_the_mean_relative_difference_of_means():
    expected = capped((BEFORE.mean(axis=0) - AFTER.mean(axis=0)) / BEFORE.mean(axis=0))
    assert percent(MeanLoss) == pytest.approx(expected)


def test_il3_looks_at_the_upper_triangle_with_its_diagonal():
    upper = np.triu_indices(3)
    before, after = np.cov(BEFORE.T, ddof=0)[upper], np.cov(AFTER.T, ddof=0)[upper]
    assert percent(CovarianceLoss) == pytest.approx(capped((before - after) / before))


def test_il4_is_the_mean_relative_difference_of_variances():
    before, after = BEFORE.var(axis=0), AFTER.var(axis=0)
    assert percent(VarianceLoss) == pytest.approx(capped((before - after) / before))


def test_il5_is_the_mean_absolute_difference_of_correlations():
    upper = np.triu_indices(3, 1)
    before, after = np.corrcoef(BEFORE.T)[upper], np.corrcoef(AFTER.T)[upper]
    assert percent(CorrelationLoss) == pytest.approx(capped(before - after))


def test_each_relative_difference_counts_at_most_one():
    assert ValueLoss(("a",)).against(numbers(a=[1, 2]))(numbers(a=[1000, 2])) == 50.0


def test_a_constant_attribute_that_moved_has_lost_its_variance():
    assert VarianceLoss(("a",)).against(numbers(a=[3, 3]))(numbers(a=[3, 4])) == 100.0


def test_a_value_missing_in_one_file_counts_fully():
    before, after = numbers(a=[1, 2, np.nan, 4]), numbers(a=[1, np.nan, np.nan, 4])
    assert ValueLoss(("a",)).against(before)(after) == 25.0


def probability(difference, variance):
    return 2 * norm.cdf(abs(difference) / np.sqrt(variance)) - 1


def test_the_probabilistic_loss_is_its_printed_formula():
    """Every statistic in a loop of its own, by the textbook moments."""
    n = len(BEFORE)
    z = (BEFORE - BEFORE.mean(axis=0)) / BEFORE.std(axis=0)
    y = (AFTER - BEFORE.mean(axis=0)) / BEFORE.std(axis=0)
    cov, masked = np.cov(z.T, ddof=0), np.cov(y.T, ddof=0)
    r, turned = np.corrcoef(z.T), np.corrcoef(y.T)

    def mu(i, j, a, b):
        return (z[:, i] ** a * z[:, j] ** b).mean()

    means = [probability(y[:, i].mean(), 1 / n) for i in range(3)]
    variances = [probability(masked[i, i] - 1, (mu(i, i, 4, 0) - 1) / n) for i in range(3)]
    covariances, correlations = [], []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        covariances.append(
            probability(masked[i, j] - cov[i, j], (mu(i, j, 2, 2) - cov[i, j] ** 2) / n)
        )
        spread = (
            mu(i, j, 2, 2) * (1 + r[i, j] ** 2 / 2)
            + r[i, j] ** 2 * (mu(i, j, 4, 0) + mu(i, j, 0, 4)) / 4
            - r[i, j] * (mu(i, j, 3, 1) + mu(i, j, 1, 3))
        )
        correlations.append(probability(turned[i, j] - r[i, j], spread / n))
    quantiles = []
    for i in range(3):
        for level in range(5, 100, 5):
            cut = np.sort(BEFORE[:, i])[int(np.ceil(level / 100 * n)) - 1]
            share = (BEFORE[:, i] <= cut).mean()
            moved = (AFTER[:, i] <= cut).mean() - share
            quantiles.append(probability(moved, share * (1 - share) / n))
    families = (means, variances, covariances, correlations, quantiles)
    expected = 100 * np.mean([np.mean(family) for family in families])
    assert percent(ProbabilisticLoss) == pytest.approx(expected)


def test_the_probabilistic_loss_does_not_see_the_order_of_records():
    assert percent(ProbabilisticLoss, BEFORE[::-1]) == 0.0


def test_noise_costs_more_the_more_there_is():
    losses = [percent(ProbabilisticLoss, BEFORE + s * (AFTER - BEFORE)) for s in (0.5, 1, 4)]
    assert losses == sorted(losses)
    assert losses[0] < losses[-1]


def test_values_that_became_missing_are_a_probabilistic_loss():
    after = BEFORE.copy()
    after[:100, 0] = np.nan
    assert percent(ProbabilisticLoss, after) > 15


@pytest.mark.parametrize("measure", [ValueLoss, VarianceLoss, MeanLoss])
def test_an_interval_counts_as_the_values_inside_it(measure):
    """Against the average over all files in which leaves are drawn, one value at a time."""
    before = numbers(a=[1.0, 2, 3, 5, 8, 13, 21, 34])
    general = in_intervals(before, "a", 2)
    read = measure(("a",)).against(before)
    leaves = {0: [1.0, 2, 3, 5], 1: [8.0, 13, 21, 34]}
    values = before.values("a")
    cells = general["a"]
    if measure is ValueLoss:
        terms = [
            np.mean([min(1, abs(x - leaf) / x) for leaf in leaves[cell]])
            for x, cell in zip(values, cells, strict=True)
        ]
        assert read(general) == pytest.approx(100 * np.mean(terms))
    else:
        assert read(general) == pytest.approx(0, abs=1e-9)


def test_distance_loss_of_numbers_is_scaled_by_the_deviation():
    before, after = numbers(a=[0, 2, 4, 6]), numbers(a=[1, 2, 4, 60])
    scale = np.sqrt(2) * np.std([0, 2, 4, 6])
    assert DistanceLoss(("a",)).against(before)(after) == pytest.approx(100 * (1 / scale + 1) / 4)


def test_the_classic_loss_is_the_mean_of_the_five():
    kinds = (ValueLoss, MeanLoss, CovarianceLoss, VarianceLoss, CorrelationLoss)
    expected = np.mean([percent(kind) for kind in kinds])
    assert percent(classic_loss) == pytest.approx(expected)


def test_the_classic_risk_is_half_intervals_and_a_quarter_each_linkage():
    parts = [percent(m) for m in (RankInterval, ReverseDistanceLinkage, ProbabilisticLinkage)]
    assert percent(classic_risk) == pytest.approx(np.dot(parts, [0.5, 0.25, 0.25]))
