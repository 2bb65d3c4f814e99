"""Analysis of variance and comparisons of means against scipy and statsmodels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f, f_oneway, tukey_hsd

from evomask.errors import ParameterError
from evomask_papers.analysis_of_variance import (
    Error,
    analyse_variance,
    compare_means,
    error_within,
    joint_error,
)


@st.composite
def unbalanced_samples(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    sizes = draw(st.lists(st.integers(2, 9), min_size=2, max_size=5))
    return [rng.normal(rng.normal(), 1.0, size) for size in sizes]


def two_way(seed, effect):
    rng = np.random.default_rng(seed)
    size = 60
    factors = {"a": rng.integers(0, 3, size), "b": rng.integers(0, 4, size)}
    return factors, rng.normal(size=size) + effect * factors["a"] * (factors["b"] > 1)


@settings(max_examples=25)
@given(unbalanced_samples())
def test_one_factor_is_the_analysis_of_scipy(samples):
    labels = np.repeat(np.arange(len(samples)), list(map(len, samples)))
    found = analyse_variance({"a": labels}, np.concatenate(samples))["a"]
    expected = f_oneway(*samples)
    assert found.ratio == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.freedom == len(samples) - 1


@pytest.mark.parametrize("effect", [0.0, 0.4])
@pytest.mark.parametrize("seed", range(4))
def test_two_factors_are_the_analysis_of_statsmodels(seed, effect):
    pandas = pytest.importorskip("pandas")
    formula = pytest.importorskip("statsmodels.formula.api")
    from statsmodels.stats.anova import anova_lm

    factors, values = two_way(seed, effect)
    frame = pandas.DataFrame({**factors, "y": values})
    table = anova_lm(formula.ols("y ~ C(a) + C(b)", frame).fit(), typ=2)
    for name, found in analyse_variance(factors, values).items():
        row = table.loc[f"C({name})"]
        assert found.square_sum == pytest.approx(row["sum_sq"])
        assert found.freedom == row["df"]
        assert found.ratio == pytest.approx(row["F"])
        assert found.p == pytest.approx(row["PR(>F)"])
    error = joint_error(factors, values)
    assert error.square * error.freedom == pytest.approx(table.loc["Residual", "sum_sq"])
    assert error.freedom == table.loc["Residual", "df"]


@settings(max_examples=15)
@given(unbalanced_samples())
def test_tukeys_test_is_that_of_scipy(samples):
    ours = compare_means(samples, error_within(samples)).tukey
    assert ours == pytest.approx(tukey_hsd(*samples).pvalue, abs=1e-9)


def test_tukeys_test_is_that_of_statsmodels():
    multi = pytest.importorskip("statsmodels.stats.multicomp")
    rng = np.random.default_rng(5)
    samples = [rng.normal(mean, 1.0, 8) for mean in (0.0, 0.5, 1.5, 1.6)]
    labels = np.repeat(np.arange(4), 8)
    expected = multi.pairwise_tukeyhsd(np.concatenate(samples), labels).pvalues
    ours = compare_means(samples, error_within(samples)).tukey
    assert ours[np.triu_indices(4, 1)] == pytest.approx(expected, abs=1e-6)


@settings(max_examples=25)
@given(unbalanced_samples())
def test_scheffes_test_of_two_samples_is_the_analysis_of_variance(samples):
    pair = samples[:2]
    ours = compare_means(pair, error_within(pair)).scheffe
    assert ours[0, 1] == pytest.approx(f_oneway(*pair).pvalue)


@settings(max_examples=25)
@given(unbalanced_samples())
def test_no_pair_is_more_significant_by_scheffe_than_the_worst_contrast(samples):
    # the overall F test is Scheffé's test of the contrast that differs most (Scheffé, 1953)
    tests = compare_means(samples, error_within(samples))
    overall = f_oneway(*samples).pvalue
    assert tests.scheffe.min() >= overall - 1e-12


def test_scheffes_test_is_its_definition():
    # contrast (1, -1, 0): squared estimate over its variance, compared with (g - 1) F
    samples = [np.array(s, dtype=float) for s in ([1, 2, 3], [3, 4, 5, 6], [9, 9, 8])]
    error = error_within(samples)
    statistic = (2.0 - 4.5) ** 2 / (error.square * (1 / 3 + 1 / 4)) / 2
    ours = compare_means(samples, error).scheffe
    assert ours[0, 1] == pytest.approx(f.sf(statistic, 2, 7))
    assert np.array_equal(ours, ours.T)


def test_without_variation_only_equal_means_are_the_same():
    samples = [np.array([1.0, 1.0]), np.array([1.0, 1.0]), np.array([2.0, 2.0])]
    tests = compare_means(samples, error_within(samples))
    assert tests.tukey.tolist() == tests.scheffe.tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


def test_equal_responses_have_no_effects():
    assert analyse_variance({"a": np.array([1, 2, 1, 2])}, np.full(4, 7.0)) == {}


def test_a_factor_that_does_not_vary_has_no_effect():
    found = analyse_variance({"a": np.array([1, 2, 1, 2]), "b": np.zeros(4)}, np.arange(4.0))
    assert list(found) == ["a"]


def test_a_perfect_fit_is_significant():
    factors = {"a": np.array([0, 0, 1, 1]), "b": np.array([0, 1, 0, 1])}
    found = analyse_variance(factors, np.array([1.0, 1.0, 5.0, 5.0]))
    assert found["a"].p < 1e-9


def test_too_few_runs_are_refused():
    factors = {"a": np.arange(3)}
    with pytest.raises(ParameterError, match="3 runs are too few to test 1 parameters; use more"):
        analyse_variance(factors, np.arange(3.0))


def test_without_freedom_there_is_no_error():
    assert error_within([np.array([1.0]), np.array([2.0])]) == Error(0.0, 0)
