"""Combining rules, against the published formulas by hand and against repeated sampling."""

import numpy as np
import pytest
from scipy.stats import t

from evomask.errors import ParameterError
from evomask.masking.synthesis.copula import Copula
from evomask.measures.analyses.analyses import AnalysesToPreserve
from evomask.measures.analyses.combining import Rule, combine, combine_copies
from evomask.measures.analyses.estimates import NORMAL_QUANTILE, Estimate
from tests.tables import numbers

VALUES, ERRORS = np.array([4.0, 5.0, 6.5]), np.array([0.5, 0.7, 0.6])
ESTIMATES = [
    Estimate(value, value - NORMAL_QUANTILE * error, value + NORMAL_QUANTILE * error)
    for value, error in zip(VALUES, ERRORS, strict=True)
]
WITHIN, BETWEEN, M = np.mean(ERRORS**2), VALUES.var(ddof=1), 3


def expected(variance, freedom=np.inf):
    reach = t.ppf(0.975, freedom) * np.sqrt(variance)
    return pytest.approx((VALUES.mean() - reach, VALUES.mean() + reach))


def interval(rule, estimates=ESTIMATES):
    found = combine(estimates, rule)
    assert found.value == pytest.approx(VALUES.mean())
    return found.low, found.high


def test_partly_synthetic_copies_are_combined_as_by_reiter():
    freedom = (M - 1) * (1 + WITHIN / (BETWEEN / M)) ** 2
    assert interval(Rule.PARTIAL) == expected(WITHIN + BETWEEN / M, freedom)


def test_draws_from_a_fitted_model_are_combined_as_by_raab_nowok_and_dibben():
    assert interval(Rule.SIMPLE) == expected(WITHIN * (1 + 1 / M))


def test_synthetic_populations_are_combined_as_by_raghunathan_reiter_and_rubin():
    freedom = (M - 1) * (1 - WITHIN / ((1 + 1 / M) * BETWEEN)) ** 2
    assert interval(Rule.FULL) == expected((1 + 1 / M) * BETWEEN - WITHIN, freedom)


def test_a_negative_variance_is_replaced_by_that_within_copies():
    wide = [Estimate(one.value, one.value - 10, one.value + 10) for one in ESTIMATES]
    assert interval(Rule.FULL, wide) == expected((10 / NORMAL_QUANTILE) ** 2)


@pytest.mark.parametrize("names", [("b",), ("a", "b")])
def test_intervals_of_partly_and_wholly_synthetic_copies_hold_the_truth(names):
    """95 % intervals of the mean of b, which is 0, over 60 samples."""
    hits = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        a = rng.normal(size=150)
        original = numbers(a=a, b=0.6 * a + 0.8 * rng.normal(size=150))
        copies = [Copula(names).mask(original, rng) for _ in range(3)]
        wish = AnalysesToPreserve(indicators=("mean(b)",))
        (found,) = combine_copies(copies, wish)
        (mean,) = found.values.values()
        hits.append(mean.low <= 0 <= mean.high)
    assert 0.87 <= np.mean(hits) <= 1.0


def test_one_copy_needs_the_simple_rule():
    table = numbers(a=np.arange(30.0))
    wish = AnalysesToPreserve(indicators=("mean(a)",))
    with pytest.raises(ParameterError, match="at least two copies"):
        combine_copies([table], wish)
    (found,) = combine_copies([table], wish, Rule.SIMPLE)
    assert next(iter(found.values.values())).value == pytest.approx(14.5)
