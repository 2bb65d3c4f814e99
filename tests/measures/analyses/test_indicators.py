"""Indicators against definitions written out, published figures, and other libraries."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import EvomaskError
from evomask.measures.analyses.analyses import AnalysesToPreserve, errors_of
from tests.measures.analyses.people import SCHOOLS, people, values_of
from tests.measures.files import generalized, perturbed, suppressed

TABLE = people(weighted=True)
HOURS, WEIGHTS = TABLE["hours"], TABLE["weight"]
ALL = (
    "gini(hours) by sex",
    "arpr(hours) by school x sex",
    "s80s20(hours)",
    "p90p10(hours) by sex",
    "p25(hours)",
    "median(hours) by school",
    "mean(hours) by school",
    "sum(hours)",
    "share(income = high) by school",
    "ratio(hours, age) by sex",
    "correlation(hours, age)",
)


def prepared(*texts, original=TABLE):
    return AnalysesToPreserve(indicators=texts).against(original)


def compare(text, masked=None, original=TABLE):
    (found,) = prepared(text, original=original).compare(original if masked is None else masked)
    return found


def value(text, original=TABLE, group="all records"):
    return values_of(compare(text, original=original))[group].value


def numbers(values, weights=None):
    """A table of one number, perhaps weighted."""
    attributes = [Attribute("x", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER)]
    columns = {"x": np.array(values, dtype=float)}
    if weights is not None:
        attributes.append(Attribute("w", Kind.CONTINUOUS, Role.WEIGHT))
        columns["w"] = np.array(weights, dtype=float)
    return Table(Schema(tuple(attributes)), columns)


def quantile(values, weights, level):
    """The definition of laeken: the mean of two values where the distribution function is flat."""
    order = np.argsort(values, kind="stable")
    shares = np.cumsum(weights[order]) / weights.sum()
    first = int(np.flatnonzero(shares >= level - 1e-12)[0])
    last = first + (abs(shares[first] - level) < 1e-12)
    return values[order][[first, last]].mean()


def test_gini_is_that_which_the_package_ineq_publishes():
    incomes = numbers([541, 1463, 2445, 3438, 4437, 5401, 6392, 8304, 11904, 22261])
    assert value("gini(x)", incomes) == pytest.approx(46.20911, abs=5e-6)


def test_gini_is_the_mean_absolute_difference_over_twice_the_mean():
    apart = np.abs(HOURS[:, None] - HOURS[None, :])
    pairs = WEIGHTS[:, None] * WEIGHTS[None, :]
    expected = 50 * (pairs * apart).sum() / pairs.sum() / np.average(HOURS, weights=WEIGHTS)
    assert value("gini(hours)") == pytest.approx(expected, rel=1e-9)


def test_a_weight_is_a_number_of_people():
    once, repeated = (
        numbers(range(1, 21), [1, 2] * 10),
        numbers(np.repeat(range(1, 21), [1, 2] * 10)),
    )
    for text in ("gini(x)", "arpr(x)", "s80s20(x)", "p90p10(x)", "p30(x)"):
        assert value(text, once) == pytest.approx(value(text, repeated), rel=1e-9)


def test_quintile_share_ratio_is_that_of_laeken():
    low, high = (quantile(HOURS, WEIGHTS, level) for level in (0.2, 0.8))
    top, bottom = HOURS > high, HOURS <= low
    expected = np.average(HOURS[top], weights=WEIGHTS[top]) / np.average(
        HOURS[bottom], weights=WEIGHTS[bottom]
    )
    assert value("s80s20(hours)") == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("school", [0, 1])
def test_poverty_is_counted_below_the_line_of_the_whole_file(school):
    table = TABLE.with_columns({"hours": np.exp(HOURS / 20)})
    line = 0.6 * quantile(table["hours"], WEIGHTS, 0.5)
    own = table["school"] == school
    expected = 100 * np.average(table["hours"][own] < line, weights=WEIGHTS[own])
    found = value("arpr(hours) by school", table, SCHOOLS[school])
    assert 0 < found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("level", [1, 25, 37.5, 90])
def test_weighted_quantiles_are_those_of_laeken(level):
    assert value(f"p{level}(hours)") == pytest.approx(quantile(HOURS, WEIGHTS, level / 100))


def test_quantiles_without_weights_are_the_averaged_inverse_of_numpy():
    plain = people()
    expected = np.quantile(plain["hours"], [0.1, 0.9, 0.255], method="averaged_inverted_cdf")
    assert value("p25.5(hours)", plain) == pytest.approx(expected[2])
    assert value("p90p10(hours)", plain) == pytest.approx(expected[1] / expected[0])


def test_correlation_and_mean_are_those_of_statsmodels():
    both = DescrStatsW(np.column_stack([HOURS, TABLE["age"]]), WEIGHTS)
    assert value("correlation(hours, age)") == pytest.approx(both.corrcoef[0, 1], rel=1e-9)
    assert value("mean(hours)") == pytest.approx(both.mean[0], rel=1e-9)
    assert value("ratio(hours, age)") == pytest.approx(both.sum[0] / both.sum[1], rel=1e-9)


def test_the_interval_of_a_correlation_is_that_of_scipy():
    plain = people()
    found = values_of(compare("correlation(hours, age)", original=plain))["all records"]
    interval = stats.pearsonr(plain["hours"], plain["age"]).confidence_interval()
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-4)


@pytest.mark.parametrize("text", ["gini(x)", "s80s20(x)", "ratio(x, y)", "p90p10(x)"])
def test_intervals_are_as_wide_as_those_of_a_bootstrap(text):
    rng = np.random.default_rng(5)
    x = rng.lognormal(0, 0.6, 800)
    schema = Schema(tuple(Attribute(name, Kind.CONTINUOUS) for name in "xy"))
    table = Table(schema, {"x": x, "y": x + rng.gamma(2, 1, 800)})
    found = values_of(compare(text, original=table))["all records"]
    drawn = [value(text, table.take(rng.integers(0, 800, 800))) for _ in range(300)]
    assert found.high - found.low == pytest.approx(2 * 1.96 * np.std(drawn), rel=0.2)


@pytest.mark.parametrize("text", ALL)
def test_the_original_has_no_error_and_whole_overlap(text):
    found = compare(text)
    assert (found.error, found.overlap, found.kind) == (0.0, 100.0, "indicator")


def test_a_relative_error_is_that_of_the_figure_and_points_are_points():
    masked = TABLE.with_columns({"hours": HOURS * 1.1})
    assert compare("mean(hours)", masked).error == pytest.approx(10)
    assert compare("p90(hours)", masked).error == pytest.approx(10)
    assert compare("gini(hours)", masked).error == pytest.approx(0, abs=1e-9)
    turned = TABLE.with_columns({"income": 1 - TABLE["income"]})
    share = np.average(TABLE["income"], weights=WEIGHTS)
    assert compare("share(income = high)", turned).error == pytest.approx(100 * abs(1 - 2 * share))


def test_errors_of_groups_are_averaged_by_their_size():
    masked = TABLE.with_columns({"hours": HOURS * np.where(TABLE["sex"] == 0, 1.2, 1.0)})
    expected = 20 * WEIGHTS[TABLE["sex"] == 0].sum() / WEIGHTS.sum()
    assert compare("mean(hours) by sex", masked).error == pytest.approx(expected)


@pytest.mark.parametrize("mask", [perturbed, generalized, suppressed])
def test_the_quick_errors_of_a_search_are_those_of_the_comparison(mask):
    analyses = AnalysesToPreserve(
        ("school x sex: mean hours", "school", "sex: share income = high"),
        ("hours ~ age + school", "income = high ~ age"),
        ALL,
    ).against(TABLE)
    masked = mask(TABLE, ("school", "age", "hours"))
    expected = errors_of(analyses.compare(masked))
    assert analyses.errors(masked) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert all(expected.values())


def test_analyses_of_unchanged_columns_have_no_error():
    analyses = prepared("gini(hours)", "share(income = high)")
    assert analyses.errors(perturbed(TABLE, ("age",))) == {"indicator_error": 0.0}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("gini income", "a column in parentheses"),
        ("gini(hours) of sex", "followed by nothing, or by `by`"),
        ("gimi(hours)", "not 'gimi'"),
        ("gini(hours, age)", "takes one column"),
        ("ratio(hours)", "takes two columns"),
        ("share(income)", "a share needs a category"),
        ("p10p90(hours)", "the larger one"),
        ("p0(hours)", "between p1 and p99"),
        ("mean(hours) by hours", "used twice"),
        ("gini(our)", "no column 'our'"),
        ("gini(name)", "identifier"),
        ("gini(sex)", "needs numbers"),
        ("gini(hours) by age", "must be categories"),
        ("share(income = none)", "has no category 'none'"),
    ],
)
def test_a_wrong_indicator_is_refused_in_a_sentence(text, why):
    with pytest.raises(EvomaskError, match=why):
        prepared(text)


def test_an_indicator_without_a_value_is_refused():
    with pytest.raises(EvomaskError, match="not defined"):
        prepared("gini(x)", original=numbers([-1.0] * 20))


def test_names_with_operators_stand_between_backticks():
    schema = Schema((Attribute("pay (net), by hour", Kind.CONTINUOUS),))
    table = Table(schema, {"pay (net), by hour": np.arange(1.0, 31.0)})
    assert value("mean(`pay (net), by hour`)", table) == 15.5
