import numpy as np
import pytest

from evomask.errors import ParameterError, SchemaError
from evomask.masking.noise import CorrelatedNoise, IndependentNoise
from tests.tables import mixed, numbers


def correlated(n=40_000):
    """Two correlated numbers and wide limits, which noise does not reach."""
    rng = np.random.default_rng(0)
    first = rng.normal(size=n)
    second = 3 * (0.8 * first + 0.6 * rng.normal(size=n))
    return numbers(a=np.append(first, [-99, 99]), b=np.append(second, [-99, 99]))


TABLE = correlated()
POINTS = TABLE.matrix(["a", "b"])


def errors(method):
    return method.mask(TABLE, np.random.default_rng(1)).matrix(["a", "b"])[:-2] - POINTS[:-2]


@pytest.mark.parametrize("method", [IndependentNoise, CorrelatedNoise])
def test_errors_have_the_given_deviation(method):
    found = errors(method(("a", "b"), 20)).std(axis=0)
    assert found == pytest.approx(0.2 * POINTS.std(axis=0), rel=0.03)


def test_independent_errors_are_not_correlated():
    found = np.corrcoef(errors(IndependentNoise(("a", "b"), 20)), rowvar=False)[0, 1]
    assert found == pytest.approx(0, abs=0.03)


def test_correlated_errors_are_correlated_like_the_data():
    found = np.corrcoef(errors(CorrelatedNoise(("a", "b"), 20)), rowvar=False)[0, 1]
    assert found == pytest.approx(np.corrcoef(POINTS, rowvar=False)[0, 1], abs=0.03)


@pytest.mark.parametrize("method", [IndependentNoise, CorrelatedNoise])
class TestBoth:
    def test_values_have_the_released_precision(self, method):
        masked = method(("age",), 30).mask(mixed(), np.random.default_rng(1))
        assert np.all(masked["age"] == np.round(masked["age"]))

    def test_missing_numbers_stay_missing(self, method):
        masked = method(("age", "income"), 30).mask(mixed(), np.random.default_rng(1))
        assert np.array_equal(np.isnan(masked["income"]), np.isnan(mixed()["income"]))

    def test_a_constant_stays_constant(self, method):
        table = numbers(a=[5, 5, 5], b=[1, 2, 3])
        assert method(("a", "b"), 50).mask(table, np.random.default_rng(1))["a"].tolist() == [5] * 3

    def test_categories_are_refused(self, method):
        with pytest.raises(SchemaError, match="numbers are needed, and 'school' is ordinal"):
            method(("school",)).mask(mixed(), np.random.default_rng(1))

    @pytest.mark.parametrize("percent", [0, -1, np.inf, np.nan])
    def test_a_strength_that_is_no_percentage_is_refused(self, method, percent):
        with pytest.raises(ParameterError, match="percent must be above 0"):
            method(("age",), percent)

    def test_no_attribute_is_refused(self, method):
        with pytest.raises(SchemaError, match="noise needs at least one attribute"):
            method(())
