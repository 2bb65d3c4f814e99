import pytest

from evomask.errors import ParameterError
from evomask.measures.analyses.parser import ModelSpec, TableSpec, parse_model, parse_table


def test_a_table_of_counts_needs_no_statistic():
    text = "education x sex"
    assert parse_table(text) == TableSpec(text, ("education", "sex"))


@pytest.mark.parametrize("word", ["sum", "mean", "median"])
def test_a_statistic_of_a_number_follows_a_colon(word):
    text = f"education × sex: {word} hours"
    assert parse_table(text) == TableSpec(text, ("education", "sex"), word, "hours")


def test_a_share_names_a_category_which_may_hold_any_sign():
    text = "sex: share income = >=50K x: y"
    with pytest.raises(ParameterError, match="more than one colon"):
        parse_table(text)
    text = "sex: share income = >=50K + more"
    assert parse_table(text) == TableSpec(text, ("sex",), "share", "income", ">=50K + more")


def test_names_with_signs_stand_between_backticks():
    text = "`a x b` x c: mean `hours: all`"
    assert parse_table(text) == TableSpec(text, ("a x b", "c"), "mean", "hours: all")


def test_a_column_may_be_called_x_or_have_spaces_and_dashes():
    assert parse_table("x x sex").groups == ("x", "sex")
    assert parse_table("marital-status x home town").groups == ("marital-status", "home town")


def test_a_model_has_an_outcome_and_predictors():
    text = "income ~ age + education"
    assert parse_model(text) == ModelSpec(text, "income", "", ("age", "education"))


def test_the_category_of_an_outcome_may_be_named():
    spec = parse_model("income = >50K ~ age")
    assert (spec.outcome, spec.category) == ("income", ">50K")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "name is missing"),
        ("a x ", "name is missing"),
        ("a x a", "is used twice"),
        ("a: mode b", "one of count, sum, mean, median, share"),
        ("a: mean", "name is missing"),
        ("a: mean a", "both sides"),
        ("a: mean b = c", "takes no category"),
        ("a: count b", "takes no category"),
        ("a: share b", "a share needs a category"),
        ("a: share b = ", "category is missing"),
    ],
)
def test_an_invalid_table_is_an_error_with_an_example(text, why):
    with pytest.raises(ParameterError, match=f"the table .*{why}.*education x sex: mean hours"):
        parse_table(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("income", "one ~"),
        ("a ~ b ~ c", "one ~"),
        ("income ~ ", "name is missing"),
        (" ~ a", "name is missing"),
        ("a ~ b + a", "both sides"),
        ("a ~ b + b", "is used twice"),
        ("a = ~ b", "category is missing"),
    ],
)
def test_an_invalid_model_is_an_error_with_an_example(text, why):
    with pytest.raises(ParameterError, match=f"the model .*{why}.*income ~ age"):
        parse_model(text)
