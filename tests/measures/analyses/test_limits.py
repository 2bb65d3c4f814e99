"""Limits of single analyses, and figures of columns that a file does not show."""

import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Schema
from evomask.data.table import Table
from evomask.engine.front import Bounds, FrontPoint, front_of, within
from evomask.errors import EvomaskError, UnmetError
from evomask.measures.analyses.analyses import AnalysesToPreserve, errors_of
from evomask.measures.analyses.estimates import (
    SAFE,
    UNSAFE,
    WITH_CARE,
    AnalysisComparison,
    Estimate,
    EstimateComparison,
    verdict_of,
)
from evomask.measures.analyses.parser import parse_indicator, parse_model, parse_table, split_limit
from tests.measures.analyses.people import people
from tests.measures.files import generalized, perturbed, suppressed

TABLE = people()


@pytest.mark.parametrize(
    ("text", "bare", "limit"),
    [
        ("gini(income) by region <= 5 %", "gini(income) by region", 5.0),
        ("education x sex≤2.5%", "education x sex", 2.5),
        ("income = <=50K ~ age <= 10 %", "income = <=50K ~ age", 10.0),
        ("share(income = <=50K)", "share(income = <=50K)", None),
        ("sex: share tax = `<= 5 %`", "sex: share tax = `<= 5 %`", None),
    ],
)
def test_a_limit_in_percent_may_follow_an_analysis(text, bare, limit):
    assert split_limit(text) == (bare, limit)


def test_each_kind_of_analysis_takes_one():
    specs = (
        parse_table("education: mean hours <= 1 %"),
        parse_model("hours ~ age <= 2 %"),
        parse_indicator("gini(hours) by sex <= 3 %"),
    )
    assert [(spec.text, spec.limit) for spec in specs] == [
        ("education: mean hours", 1.0),
        ("hours ~ age", 2.0),
        ("gini(hours) by sex", 3.0),
    ]


def test_a_limit_above_100_percent_is_refused():
    with pytest.raises(EvomaskError, match="0 to 100 percent"):
        parse_table("education <= 500 %")


def test_of_one_analysis_named_twice_the_later_limit_holds():
    first = AnalysesToPreserve(("school <= 9 %", "sex"))
    both = (
        first + AnalysesToPreserve(("school <= 2 %", "sex <= 3 %")) + AnalysesToPreserve(("sex",))
    )
    assert both.tables == ("school <= 2 %", "sex <= 3 %")
    assert both.limits == {"error of school": 2.0, "error of sex": 3.0}


def test_errors_of_analyses_with_a_limit_have_readings_of_their_own():
    keep = AnalysesToPreserve(("school", "sex <= 5 %"), (), ("mean(hours) by sex <= 2 %",))
    analyses, masked = keep.against(TABLE), perturbed(TABLE, ("school", "sex", "hours"))
    found = analyses.compare(masked)
    errors = analyses.errors(masked)
    assert errors.keys() == {
        "table_error", "indicator_error", "error of sex", "error of mean(hours) by sex",
    }  # fmt: skip
    assert errors == pytest.approx(errors_of(found))
    assert errors["error of sex"] == pytest.approx(found[1].error)
    assert [one.limit for one in found] == [None, 5.0, 2.0]


def test_single_limits_are_bounds_of_points_by_the_name_of_the_analysis():
    bounds = Bounds(table_error=50).with_errors({"error of mean_income by sex": 5.0})
    assert bounds.of_errors == {"table_error": 50, "error of mean_income by sex": 5.0}

    def point(number, error):
        errors = {"table_error": 9.0, "error of mean_income by sex": error}
        return FrontPoint(number, loss=number, risk=9 - number, errors=errors, point=number)

    points = [point(1, 6.0), point(2, 4.0)]
    assert [one.number for one in front_of(points, bounds.of_errors)] == [2]
    assert within(points, bounds) == (points[1],)
    assert [one.broken(bounds.given) for one in points] == [("error of mean_income by sex",), ()]
    with pytest.raises(UnmetError, match="an error of mean_income by sex of at most 1 %"):
        within(points, Bounds().with_errors({"error of mean_income by sex": 1.0}))


@pytest.mark.parametrize(
    "text", ["school", "school: mean hours", "hours ~ school", "gini(hours)", "categories(school)"]
)
def test_a_figure_of_suppressed_columns_is_lost(text):
    kind = "models" if "~" in text else "indicators" if "(" in text else "tables"
    (found,) = (
        AnalysesToPreserve(**{kind: (text,)})
        .against(TABLE)
        .compare(suppressed(TABLE, ("school", "hours")))
    )
    assert found.error == pytest.approx(100.0)
    assert "100.0 % of the variation" in found.notes[-1]


def test_missing_values_count_by_their_share():
    hours = np.where(np.arange(len(TABLE)) % 10 == 0, np.nan, TABLE["hours"])
    masked = TABLE.with_columns({"hours": hours})
    analyses = AnalysesToPreserve(indicators=("mean(hours)",)).against(TABLE)
    (found,) = analyses.compare(masked)
    moved = 100 * abs(np.nanmean(hours) / TABLE["hours"].mean() - 1)
    assert found.error == pytest.approx(100 - 0.9 * (100 - moved), rel=1e-6)
    assert AnalysesToPreserve(indicators=("mean(hours)",)).against(masked).errors(masked) == {
        "indicator_error": 0.0
    }


def test_intervals_hide_the_share_of_the_variance_of_ranks_within_them():
    values = np.arange(1000.0)
    table = Table(Schema((Attribute("x", Kind.CONTINUOUS),)), {"x": values})
    analyses = AnalysesToPreserve(indicators=("mean(x)",)).against(table)
    (found,) = analyses.compare(generalized(table, ("x",)))
    fifths = values.reshape(5, 200)
    assert found.error == pytest.approx(100 * fifths.var(axis=1).mean() / values.var(), rel=1e-3)


def test_categories_survive_with_ten_records():
    few = np.where((TABLE["school"] == 3) & (np.arange(600) > 15), 2, TABLE["school"])
    masked = TABLE.with_columns({"school": few})
    assert (masked["school"] == 3).sum() < 10
    analyses = AnalysesToPreserve(indicators=("categories(school)",)).against(TABLE)
    (found,) = analyses.compare(masked)
    assert (found.values[0].before.value, found.values[0].after.value) == (4.0, 3.0)
    assert found.error == pytest.approx(25.0)
    with pytest.raises(EvomaskError, match="has no categories"):
        AnalysesToPreserve(indicators=("categories(hours)",)).against(TABLE)


def judged(error, kind="table", limit=None, values=()):
    return verdict_of(AnalysisComparison("x", kind, "", error, 50.0, values, (), limit))


@pytest.mark.parametrize(
    ("error", "limit", "verdict"),
    [(5.0, None, SAFE), (5.1, None, WITH_CARE), (10.1, None, UNSAFE), (1.5, 1.0, WITH_CARE)],
)
def test_an_analysis_is_safe_within_its_limit(error, limit, verdict):
    assert judged(error, limit=limit) == verdict


def test_a_model_with_other_significant_effects_needs_care():
    plain, around_zero = Estimate(2.0, 1.0, 3.0), Estimate(0.5, -0.5, 1.5)
    same = EstimateComparison("age", plain, plain, 100.0)
    other = EstimateComparison("age", plain, around_zero, 20.0)
    assert judged(1.0, "model", values=(same,)) == SAFE
    assert judged(1.0, "model", values=(other,)) == WITH_CARE
    assert judged(1.0, "table", values=(other,)) == SAFE


def test_the_ratio_of_estimates_is_the_smaller_over_the_larger():
    masked = TABLE.with_columns({"hours": TABLE["hours"] * 1.25})
    (found,) = AnalysesToPreserve(indicators=("mean(hours)",)).against(TABLE).compare(masked)
    assert found.ratio == pytest.approx(80.0)
    assert found.values[0].ratio == pytest.approx(80.0)
    assert (found.verdict, found.limit) == (UNSAFE, None)
