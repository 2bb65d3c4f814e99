"""Risk of single records."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad

from evomask.data.schema import Role
from evomask.errors import DataError, ParameterError, SchemaError
from evomask.measures.risk.individual import individual_risk, weight_of
from evomask.measures.risk.special_uniques import special_uniques
from tests.measures.files import categories
from tests.tables import mixed, numbers


def weighted(sizes, weight):
    """Classes of the given sizes, every record with the same weight."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return numbers(x=labels, w=np.full(len(labels), weight))


def mean_inverse_population(size, share):
    """The integral that Benedetti and Franconi solve."""

    def integrand(t):
        return (share * np.exp(-t) / (1 - (1 - share) * np.exp(-t))) ** size

    return quad(integrand, 0, np.inf)[0]


@pytest.mark.parametrize("weight", [1.00001, 1.5, 10.0, 400.0])
@pytest.mark.parametrize("size", [1, 2])
def test_small_classes_have_the_exact_risk(size, weight):
    risk = individual_risk(weighted([size], weight), ["x"], "w").risk
    assert risk == pytest.approx(mean_inverse_population(size, 1 / weight), rel=1e-6)


@pytest.mark.parametrize("size", [3, 5, 20])
def test_larger_classes_are_at_most_three_percent_above(size):
    risk = individual_risk(weighted([size], 10.0), ["x"], "w").risk[0]
    exact = mean_inverse_population(size, 0.1)
    assert exact <= risk <= 1.03 * exact


def test_without_weights_the_file_is_the_population():
    found = individual_risk(weighted([1, 2, 4], 1.0), ["x"])
    assert found.risk == pytest.approx([1, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25])
    assert found.expected_reidentifications == pytest.approx(3)


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan])
def test_a_weight_that_is_zero_or_missing_is_named(wrong):
    table = numbers(x=[1, 2, 3], w=[5, wrong, 5])
    with pytest.raises(DataError, match="weight 'w' is zero, negative or missing in record 2"):
        individual_risk(table, ["x"], "w")


def test_the_weight_is_the_attribute_in_that_role():
    assert weight_of(mixed()) == "weight"
    assert weight_of(numbers(a=[1])) is None


def test_two_weights_are_one_too_many():
    table = mixed()
    twice = table.with_schema(table.schema.assigning({"age": Role.WEIGHT}))
    with pytest.raises(SchemaError, match="age, weight are weights; keep one"):
        weight_of(twice)


def minimal_sets(columns, record):
    """Sets of attributes that make a record unique while none of their parts does."""
    found = []
    for size in range(1, len(columns) + 1):
        for chosen in itertools.combinations(range(len(columns)), size):
            keys = list(zip(*(columns[j] for j in chosen), strict=True))
            if keys.count(keys[record]) == 1 and not any(set(f) <= set(chosen) for f in found):
                found.append(chosen)
    return found


def test_minimal_sample_uniques_are_those_of_all_subsets():
    rng = np.random.default_rng(2)
    columns = [rng.integers(0, 4, 40).tolist() for _ in range(4)]
    found = special_uniques(categories(**dict(zip("abcd", columns, strict=True))), "abcd")
    for record in range(40):
        sizes = [len(chosen) for chosen in minimal_sets(columns, record)]
        assert found.sizes[record].tolist() == [sizes.count(s) for s in range(5)]
        assert found.score[record] == sum([0, 6, 2, 1, 1][s] for s in sizes)


def test_a_limit_on_the_size_of_sets_holds():
    table = categories(a=[0, 0, 1, 1], b=[0, 1, 0, 1])
    assert special_uniques(table, "ab", largest=1).score.tolist() == [0, 0, 0, 0]
    assert special_uniques(table, "ab").score.tolist() == [1, 1, 1, 1]


def test_the_mean_odds_against_a_match_are_those_simulated():
    rng = np.random.default_rng(3)
    table = categories(**{name: rng.integers(0, 5, 60) for name in "abc"})
    found = special_uniques(table, "abc", fraction=0.1)
    sizes = individual_risk(table, "abc").sample
    uniques, doubles = (sizes == 1).sum(), (sizes == 2).sum()
    risk = found.risk[found.risk > 0]
    assert np.mean(1 / risk - 1) == pytest.approx(doubles * 0.9 / (uniques * 0.1))


def test_records_without_unique_sets_have_no_risk():
    assert special_uniques(categories(a=[0, 0, 1, 1]), "a").risk.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("fraction", [0, 1])
def test_a_sampling_fraction_lies_between_0_and_1(fraction):
    with pytest.raises(ParameterError, match="sampling fraction must lie in"):
        special_uniques(categories(a=[0, 1]), "a", fraction=fraction)


def test_too_many_sets_are_refused():
    wide = categories(**{f"n{i}": [0, 1] for i in range(24)})
    with pytest.raises(ParameterError, match="too many sets of"):
        special_uniques(wide, wide.schema.names, largest=6)


def test_a_limit_outside_the_attributes_is_refused():
    with pytest.raises(ParameterError, match="largest must lie in 1 to 1, got 2"):
        special_uniques(categories(a=[0, 1]), "a", largest=2)
