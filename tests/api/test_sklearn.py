"""A training set masked inside a scikit-learn pipeline."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import evomask
from evomask import TrainingMasker

WHY = "the training set is masked as a whole; parts of it, or in another order, are new records"


@pytest.mark.filterwarnings("ignore")
def test_it_is_an_estimator_by_scikit_learns_own_checks():
    results = check_estimator(
        TrainingMasker(k=2),
        expected_failed_checks={
            "check_methods_subset_invariance": WHY,
            "check_methods_sample_order_invariance": WHY,
        },
        on_skip=None,
    )
    expected = [r for r in results if r["expected_to_fail"]]
    assert {r["status"] for r in expected} == {"xfail"}
    assert len([r for r in results if r["status"] == "passed"]) > 30


@pytest.fixture
def people():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, 120),
            "pay": rng.normal(2000, 500, 120).round(1),
            "town": rng.choice(["a", "b", "c"], 120),
        }
    )


def test_every_combination_is_shared_by_k_records(people):
    masked = TrainingMasker(k=6).fit_transform(people)
    assert isinstance(masked, pd.DataFrame)
    assert masked.groupby(list(masked.columns)).size().min() >= 6


def test_only_the_columns_named_are_masked(people):
    masked = TrainingMasker(k=6, columns=["age", "pay"]).fit_transform(people)
    assert masked["town"].equals(people["town"])
    array = TrainingMasker(k=6, columns=[0]).fit_transform(people[["age", "pay"]].to_numpy())
    assert (array[:, 1] == people["pay"]).all()
    assert pd.Series(array[:, 0]).value_counts().min() >= 6


def test_new_records_are_left_as_they_are(people):
    fitted = TrainingMasker(k=6).fit(people)
    new = people.head(3).assign(age=[1, 2, 3])
    pd.testing.assert_frame_equal(fitted.transform(new), new)


def test_the_training_set_never_comes_out_unmasked(people):
    fitted = TrainingMasker(k=6).fit(people)
    pd.testing.assert_frame_equal(fitted.transform(people.copy()), fitted.fit_transform(people))


def test_polars_frames_stay_polars(people):
    assert isinstance(TrainingMasker().fit_transform(pl.from_pandas(people)), pl.DataFrame)


def test_a_pipeline_learns_from_masked_records(people):
    known, wanted = people[["age", "pay"]], people["age"] > 45
    model = make_pipeline(TrainingMasker(k=5), LogisticRegression(max_iter=1000))
    assert clone(model).fit(known, wanted).score(known, wanted) > 0.8


def test_a_method_that_is_not_there_is_refused(people):
    with pytest.raises(evomask.EvomaskError, match="no method is called"):
        TrainingMasker(method="mdv").fit(people)
