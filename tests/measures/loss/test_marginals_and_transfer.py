"""k-marginals by pandas, models that learn from masked records by scikit-learn."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import r2_score, roc_auc_score

from evomask.measures.loss.marginals import marginals
from evomask.measures.loss.transfer import transfers
from tests.measures.analyses.people import people
from tests.measures.files import generalized, perturbed, suppressed

TABLE = people()
NAMES = ("school", "sex", "age", "hours")
CATEGORIES = ("school", "sex", "income")


def score_of_nist(original, masked, names, size):
    """The k-marginal score as SDNist computes it: (2 - mean L1 distance) / 2 * 1000."""
    frames = [pd.DataFrame({n: t[n] for n in names}) for t in (original, masked)]
    distances = []
    for key in combinations(names, size):
        first, second = (frame.value_counts(list(key), normalize=True) for frame in frames)
        distances.append(first.subtract(second, fill_value=0.0).abs().sum())
    return (2 - np.mean(distances)) / 2 * 1000


def test_scores_are_those_of_nist():
    masked = perturbed(TABLE, CATEGORIES)
    found = marginals(TABLE, masked, CATEGORIES)
    assert found.two == pytest.approx(score_of_nist(TABLE, masked, CATEGORIES, 2), rel=1e-9)
    assert found.three == pytest.approx(score_of_nist(TABLE, masked, CATEGORIES, 3), rel=1e-9)


def test_numbers_have_twenty_bins_between_quantiles_of_the_original():
    masked = perturbed(TABLE, NAMES)
    cuts = np.unique(np.quantile(TABLE["age"], np.linspace(0.05, 0.95, 19)))
    binned = [
        t.with_columns({"age": np.searchsorted(cuts, t["age"], "right") * 1.0})
        for t in (TABLE, masked)
    ]  # fmt: skip
    expected = score_of_nist(*binned, ("age", "sex"), 2)
    assert marginals(TABLE, masked, ("age", "sex")).two == pytest.approx(expected, rel=1e-9)


def test_the_worst_pair_comes_first_and_the_original_has_full_marks():
    masked = perturbed(TABLE, ("age",), share=0.9)
    found = marginals(TABLE, masked, NAMES)
    assert "age" in (found.pairs[0].first, found.pairs[0].second)
    assert [p.difference for p in found.pairs] == sorted(
        (p.difference for p in found.pairs), reverse=True
    )
    same = marginals(TABLE, TABLE, NAMES)
    assert (same.two, same.three) == (1000.0, 1000.0)


@pytest.mark.parametrize("mask", [generalized, suppressed])
def test_recoded_cells_have_a_score_between_0_and_1000(mask):
    found = marginals(TABLE, mask(TABLE, NAMES), NAMES)
    assert 0 <= found.three <= found.two <= 1000


def design(table):
    dummies = [table["school"] == code for code in (1, 2, 3)]
    return np.column_stack([*dummies, table["sex"] == 1, table["age"]]).astype(float)


def test_the_score_of_a_number_is_the_r2_of_scikit_learn():
    masked = perturbed(TABLE, ("hours", "age"))
    found = {one.target: one for one in transfers(TABLE, masked, NAMES)}["hours"]
    train, test = np.arange(600)[::2], np.arange(600)[1::2]
    for file, expected in ((TABLE, found.trained_on_original), (masked, found.trained_on_masked)):
        part = file.take(train)
        columns = design(part)[:, [0, 1, 2, 3, 4]]
        model = LinearRegression().fit(columns, part["hours"])
        score = r2_score(TABLE.take(test)["hours"], model.predict(design(TABLE.take(test))))
        assert expected == pytest.approx(100 * score, rel=1e-6)
    assert found.measure == "R2"
    assert found.trained_on_masked < found.trained_on_original


def test_the_score_of_a_category_is_the_auc_of_scikit_learn():
    masked = perturbed(TABLE, ("sex",))
    names = ("sex", "hours")
    (found,) = transfers(TABLE, masked, names)
    train, test = np.arange(600)[::2], np.arange(600)[1::2]
    code = np.argmax(np.bincount(TABLE.take(train)["sex"]))
    tests = TABLE.take(test)
    for file, expected in ((TABLE, found.trained_on_original), (masked, found.trained_on_masked)):
        part = file.take(train)
        model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000)
        model.fit(part["hours"][:, None], part["sex"] == code)
        scores = model.decision_function(tests["hours"][:, None])
        assert expected == pytest.approx(
            100 * roc_auc_score(tests["sex"] == code, scores), rel=1e-6
        )
    assert found.measure == "AUC"


def test_nothing_masked_nothing_learned():
    assert transfers(TABLE, TABLE, NAMES) == ()
