"""pMSE, SPECKS and distances of columns against other libraries; groups that are sacrificed."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from sklearn.linear_model import LogisticRegression

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.measures.loss.similarity import similarity, subgroups
from tests.measures.analyses.people import people
from tests.measures.files import generalized, perturbed, suppressed

TABLE = people()
NAMES = ("school", "sex", "age")


def moved(table=TABLE, seed=3):
    """Older people, and more of one sex and of one school."""
    rng = np.random.default_rng(seed)
    some = rng.random(len(table)) < 0.3
    return table.with_columns(
        {
            "age": table["age"] + np.where(some, 9.0, 0.0),
            "sex": np.where(rng.random(len(table)) < 0.2, 1, table["sex"]),
            "school": np.where(rng.random(len(table)) < 0.2, 3, table["school"]),
        }
    )


def design(table):
    dummies = [table["school"] == 1, table["school"] == 2, table["school"] == 3, table["sex"] == 1]
    return np.column_stack([np.ones(len(table)), *dummies, table["age"]]).astype(float)


def stacked(masked):
    both = np.concatenate([design(TABLE), design(masked)])
    return both, np.repeat([0.0, 1.0], len(TABLE))


def test_pmse_and_its_ratio_are_those_of_statsmodels():
    columns, is_masked = stacked(moved())
    scores = sm.Logit(is_masked, columns).fit(disp=0).predict()
    pmse = np.mean((scores - 0.5) ** 2)
    found = similarity(TABLE, moved(), NAMES)
    assert found.pmse == pytest.approx(pmse, rel=1e-6)
    expected = 5 * 0.5**3 / len(columns)
    assert found.pmse_ratio == pytest.approx(pmse / expected, rel=1e-6)


def test_specks_is_the_distance_of_the_scores_of_scikit_learn():
    columns, is_masked = stacked(moved())
    model = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000, solver="newton-cholesky")
    columns = (columns[:, 1:] - columns[:, 1:].mean(axis=0)) / columns[:, 1:].std(axis=0)
    scores = model.fit(columns, is_masked).predict_proba(columns)[:, 1].round(9)
    expected = stats.ks_2samp(scores[is_masked == 0], scores[is_masked == 1]).statistic
    assert similarity(TABLE, moved(), NAMES).specks == pytest.approx(100 * expected)


def test_the_ratio_is_one_on_average_for_records_drawn_from_the_original():
    rng = np.random.default_rng(8)
    drawn = (TABLE.take(rng.integers(0, len(TABLE), len(TABLE))) for _ in range(80))
    ratios = [similarity(TABLE, table, NAMES).pmse_ratio for table in drawn]
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.25)


def test_wasserstein_of_files_of_one_size_is_the_mean_distance_of_sorted_values():
    masked = moved()
    (found,) = similarity(TABLE, masked, ("age",)).columns
    ages = TABLE["age"]
    expected = np.abs(np.sort(ages) - np.sort(masked["age"])).mean() / ages.std()
    assert found.wasserstein == pytest.approx(100 * expected, rel=1e-9)


def test_hellinger_is_by_the_affinity_of_both_distributions():
    masked = moved()
    (found,) = similarity(TABLE, masked, ("school",)).columns
    shares = [np.bincount(table["school"], minlength=4) / 600 for table in (TABLE, masked)]
    expected = np.sqrt(1 - np.sum(np.sqrt(shares[0] * shares[1])))
    assert found.hellinger == pytest.approx(100 * expected, rel=1e-9)
    assert found.wasserstein is None


def test_the_original_is_like_itself():
    found = similarity(TABLE, TABLE, NAMES)
    assert (found.pmse, found.pmse_ratio, found.specks) == (0.0, 0.0, 0.0)
    assert all(one.hellinger == 0.0 for one in found.columns)
    assert found.groups == ()


@pytest.mark.parametrize("mask", [perturbed, generalized, suppressed])
def test_every_measure_is_within_its_range(mask):
    found = similarity(TABLE, mask(TABLE, NAMES), NAMES)
    assert 0 <= found.pmse <= 0.25
    assert 0 <= found.specks <= 100
    assert all(0 <= one.hellinger <= 100 for one in found.columns)


def test_missing_values_have_a_column_of_their_own():
    ages = np.where(np.arange(600) % 5 == 0, np.nan, TABLE["age"])
    found = similarity(TABLE, TABLE.with_columns({"age": ages}), ("age",))
    assert found.pmse > 0.01
    assert found.columns[0].hellinger > 20


def planted(seed, share_of_group, share_of_others):
    """Twelve regions, one of which is masked far more."""
    rng = np.random.default_rng(seed)
    n = 1200
    schema = Schema(
        (
            Attribute("region", Kind.NOMINAL, Role.OTHER, tuple(f"r{i}" for i in range(12))),
            Attribute("age", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
            Attribute("sex", Kind.NOMINAL, Role.QUASI_IDENTIFIER, ("f", "m")),
        )
    )
    region, age = rng.integers(0, 12, n), rng.integers(18, 90, n).astype(float)
    sex = rng.integers(0, 2, n)
    table = Table(schema, {"region": region, "age": age, "sex": sex})
    victim = int(rng.integers(12))
    change = rng.random(n) < np.where(region == victim, share_of_group, share_of_others)
    other = rng.permutation(n)
    columns = {"age": np.where(change, age[other], age), "sex": np.where(change, sex[other], sex)}
    return table, table.with_columns(columns), f"r{victim}"


@pytest.mark.parametrize("seed", range(20))
def test_a_group_that_is_sacrificed_is_named(seed):
    original, masked, victim = planted(seed, 0.9, 0.1)
    (found,) = subgroups(original, masked, ("age", "sex"))
    assert (found.attribute, found.category) == ("region", victim)
    assert found.loss > 3 * found.others


@pytest.mark.parametrize("seed", range(20))
def test_groups_that_lose_alike_are_not(seed):
    original, masked, _ = planted(seed, 0.15, 0.15)
    assert subgroups(original, masked, ("age", "sex")) == ()
