"""Models before and after masking, compared with statsmodels and scikit-learn."""

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn.linear_model import LogisticRegression

from evomask.errors import SchemaError
from evomask.measures.analyses.analyses import AnalysesToPreserve
from evomask.measures.analyses.models import linear, logistic
from tests.measures.analyses.people import people, values_of
from tests.measures.files import generalized, perturbed, suppressed

TABLE = people()
LINEAR, LOGISTIC = "hours ~ age + school + sex", "income = high ~ age + school"


def compare(text, masked=None, original=TABLE):
    (found,) = (
        AnalysesToPreserve((), (text,))
        .against(original)
        .compare(original if masked is None else masked)
    )
    return found


def design(table=TABLE):
    """Design columns: age, and all schools except the most frequent one."""
    usual = np.bincount(table["school"]).argmax()
    schools = [table["school"] == code for code in range(4) if code != usual]
    return np.column_stack([table["age"], *schools]).astype(float)


def test_a_linear_model_is_that_of_statsmodels():
    usual = np.bincount(TABLE["sex"]).argmax()
    columns = sm.add_constant(np.column_stack([design(), TABLE["sex"] != usual]))
    expected = sm.OLS(TABLE["hours"], columns).fit()
    found = values_of(compare(LINEAR)).values()
    assert [each.value for each in found] == pytest.approx(expected.params[1:])
    ends = np.array([[each.low, each.high] for each in found])
    assert ends == pytest.approx(expected.conf_int()[1:])


def test_a_logistic_model_is_that_of_statsmodels():
    expected = sm.Logit(TABLE["income"], sm.add_constant(design())).fit(disp=0)
    found = values_of(compare(LOGISTIC)).values()
    assert [each.value for each in found] == pytest.approx(expected.params[1:], rel=1e-5)
    ends = np.array([[each.low, each.high] for each in found])
    assert ends == pytest.approx(expected.conf_int()[1:], rel=1e-4)


def test_a_logistic_model_with_weights_is_that_of_scikit_learn():
    table = people(weighted=True)
    expected = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000)
    scale = design(table).std(axis=0)
    expected.fit(design(table) / scale, table["income"], sample_weight=table["weight"])
    found = [each.value for each in values_of(compare(LOGISTIC, None, table)).values()]
    assert found == pytest.approx(expected.coef_[0] / scale, rel=1e-3)


@pytest.mark.parametrize("text", [LINEAR, LOGISTIC])
def test_the_original_has_no_error_and_whole_overlap(text):
    found = compare(text)
    assert found.error == 0.0
    assert found.overlap == pytest.approx(100.0)
    assert not found.notes


@pytest.mark.parametrize("text", [LINEAR, LOGISTIC])
def test_a_file_without_information_has_nearly_the_maximum_error(text):
    found = compare(text, suppressed(TABLE, ("school", "sex", "age", "hours")))
    assert 95 < found.error <= 100


@pytest.mark.parametrize("text", [LINEAR, LOGISTIC])
def test_more_noise_is_more_error(text):
    errors = [
        np.mean([compare(text, perturbed(TABLE, ("school",), part, s)).error for s in range(4)])
        for part in (0.1, 0.4, 0.9)
    ]
    assert 0 < errors[0] < errors[1] < errors[2]


def test_broader_cells_weaken_a_model_and_do_not_break_it():
    found = compare(LINEAR, generalized(TABLE, ("school", "age")))
    assert 0 < found.error < 60
    assert all("counts as an error" in note for note in found.notes)


def test_the_error_of_predictions_is_relative_to_what_is_explained():
    """Without its slope a number is predicted by its mean, which is the maximum error."""
    masked = TABLE.with_columns({"hours": np.full(600, TABLE["hours"].mean())})
    assert compare(LINEAR, masked).error == pytest.approx(100.0, abs=0.1)


def test_coefficients_of_collinear_columns_are_not_determined():
    table = TABLE.with_columns({"hours": 2.0 * TABLE["age"] + 5})
    found = compare("income = high ~ age + hours + school", None, table)
    names = values_of(found).keys()
    assert "age" not in names
    assert "hours" not in names
    assert "school = none" in names
    assert any("collinear columns" in note for note in found.notes)


def test_a_predictor_that_becomes_constant_is_not_determined_any_more():
    found = compare(LINEAR, TABLE.with_columns({"sex": np.zeros(600, dtype=int)}))
    (sex,) = [value for value in found.values if value.name.startswith("sex")]
    assert sex.after is None
    assert sex.overlap == 0.0
    assert any("the masked file does not determine sex" in note for note in found.notes)


def test_complete_separation_is_reported_and_terminates():
    masked = TABLE.with_columns({"income": (TABLE["age"] > 50).astype(int)})
    found = compare(LOGISTIC, masked)
    assert any("complete separation" in note for note in found.notes)
    assert 0 < found.error <= 100
    assert values_of(found, "after")["age"] is None


def test_one_category_that_holds_no_case_separates_its_coefficient_alone():
    rich = np.where(TABLE["school"] == 0, 0, TABLE["income"])
    found = compare(LOGISTIC, None, TABLE.with_columns({"income": rich}))
    assert "school = none" not in values_of(found)
    assert "age" in values_of(found)


def test_a_model_that_explains_little_says_so():
    rng = np.random.default_rng(3)
    table = TABLE.with_columns({"hours": rng.normal(size=600)})
    found = compare("hours ~ age + sex", None, table)
    assert any("explains only" in note and "ignore its error" in note for note in found.notes)


def test_the_most_frequent_category_is_explained_where_none_is_named():
    usual = ("low", "high")[np.bincount(TABLE["income"]).argmax()]
    assert f"income = {usual} against all others" in compare("income ~ age").meaning
    schools = compare("school ~ age")
    usual = TABLE.attribute("school").categories[np.bincount(TABLE["school"]).argmax()]
    assert f"school = {usual} against" in schools.meaning


def test_rare_categories_of_a_predictor_stand_together():
    school = np.where(np.arange(600) < 6, 0, np.where(np.arange(600) < 12, 1, 2 + TABLE["sex"]))
    table = TABLE.with_columns({"school": school})
    names = values_of(compare("hours ~ school", None, table)).keys()
    assert "school: all others" in names
    assert not any(name in ("school = none", "school = basic") for name in names)


def test_records_with_a_missing_value_are_left_out():
    age = np.where(np.arange(600) < 50, np.nan, TABLE["age"])
    found = values_of(compare("hours ~ age", None, TABLE.with_columns({"age": age})))["age"]
    expected = sm.OLS(TABLE["hours"][50:], sm.add_constant(TABLE["age"][50:])).fit()
    assert found.value == pytest.approx(expected.params[1])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("incme ~ age", "no column 'incme'"),
        ("income ~ name", "'name' is an identifier"),
        ("income = rich ~ age", "no category 'rich'"),
        ("hours = 5 ~ age", "'hours' holds numbers"),
    ],
)
def test_unsuitable_columns_of_a_model_are_errors(text, why):
    with pytest.raises(SchemaError, match=why):
        AnalysesToPreserve((), (text,)).against(TABLE)


def test_an_outcome_of_one_value_cannot_be_explained():
    table = TABLE.with_columns({"income": np.zeros(600, dtype=int)})
    with pytest.raises(SchemaError, match="'income' cannot be modelled"):
        AnalysesToPreserve((), ("income ~ age",)).against(table)


def test_fewer_records_than_coefficients_are_refused():
    few = TABLE.take(np.arange(9))
    with pytest.raises(SchemaError, match="too few records"):
        AnalysesToPreserve((), ("hours ~ age",)).against(few)


def test_products_in_blocks_are_the_products():
    rng = np.random.default_rng(1)
    columns = np.column_stack([np.ones(5000), rng.normal(size=(5000, 9))])
    outcome = columns @ np.arange(10.0) + rng.normal(size=5000)
    fit = linear(columns, outcome, np.ones(5000))
    expected = sm.OLS(outcome, columns).fit()
    assert fit.coefficients == pytest.approx(expected.params)
    assert fit.errors == pytest.approx(expected.bse)


def test_a_perfectly_separated_file_does_not_diverge():
    columns = np.column_stack([np.ones(200), np.linspace(-1, 1, 200)])
    fit = logistic(columns, (columns[:, 1] > 0).astype(float), np.ones(200))
    assert fit.is_separated
    assert np.isfinite(fit.coefficients).all()
