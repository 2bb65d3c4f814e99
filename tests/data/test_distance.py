import numpy as np
import pytest
from scipy import stats

from evomask.data.distance import Standardizer, category_distances, impute_medians
from evomask.data.schema import Attribute, Kind
from evomask.errors import SchemaError

SCHOOL = Attribute("school", Kind.ORDINAL, categories=("none", "basic", "high", ""))
REGION = Attribute("region", Kind.NOMINAL, categories=("north", "south"))


def test_ordinal_distance_is_ranks_apart_over_the_domain():
    assert category_distances(SCHOOL)[0, 2] == pytest.approx(2 / 3)


def test_a_value_is_at_distance_zero_from_itself():
    assert np.diag(category_distances(SCHOOL)).tolist() == [0, 0, 0, 0]


def test_missing_is_at_distance_one_from_any_value():
    assert category_distances(SCHOOL)[3].tolist() == [1, 1, 1, 0]


def test_nominal_values_are_equal_or_not():
    assert category_distances(REGION)[[0, 1], [0, 0]].tolist() == [0, 1]


def test_numbers_have_no_category_distance():
    with pytest.raises(SchemaError, match="'age' is continuous"):
        category_distances(Attribute("age", Kind.CONTINUOUS))


def test_standardising_agrees_with_scipy():
    points = np.random.default_rng(1).normal(5, 3, (50, 4))
    assert np.allclose(Standardizer.of(points)(points), stats.zscore(points))


def test_a_constant_column_becomes_zeros():
    points = np.column_stack([np.full(5, 0.1), np.arange(5.0)])
    scale = Standardizer.of(points)
    assert scale.constant.tolist() == [True, False]
    assert np.allclose(scale(points)[:, 0], 0)


def test_missing_values_stay_missing_and_are_not_counted():
    scale = Standardizer.of(np.array([[1.0], [np.nan], [3.0]]))
    assert (scale.means[0], scale.deviations[0]) == (2, 1)


def test_missing_values_become_medians():
    points = np.array([[1.0, np.nan], [np.nan, np.nan], [5.0, np.nan], [9.0, np.nan]])
    assert impute_medians(points).tolist() == [[1, 0], [5, 0], [5, 0], [9, 0]]
