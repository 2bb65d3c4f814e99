import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evomask.data.schema import Role
from evomask.errors import SchemaError
from evomask.measures.analyses.analyses import AnalysesToPreserve, errors_of
from evomask.measures.analyses.estimates import MIN_RECORDS, Estimate, overlap_of
from evomask.measures.analyses.tables import OTHERS, merge_small_cells
from evomask.report.distributions import MINIMUM
from tests.measures.analyses.people import SCHOOLS, people, values_of
from tests.measures.files import generalized, perturbed, suppressed

TABLE = people()
STATISTICS = (
    "school x sex",
    "school x sex: mean hours",
    "school x sex: sum hours",
    "school x sex: median hours",
    "school x sex: share income = high",
)


def compare(text, masked=None, original=TABLE):
    (found,) = (
        AnalysesToPreserve((text,))
        .against(original)
        .compare(original if masked is None else masked)
    )
    return found


def group(school, sex, table=TABLE):
    return (table["school"] == SCHOOLS.index(school)) & (table["sex"] == "fm".index(sex))


@pytest.mark.parametrize("text", STATISTICS)
def test_the_original_has_no_error_and_whole_overlap(text):
    found = compare(text)
    assert (found.error, found.overlap) == (0.0, 100.0)
    assert len(found.values) == 8


def test_counts_are_counts_with_wilsons_interval():
    found = values_of(compare("school x sex"))["basic, m"]
    count = int(group("basic", "m").sum())
    ends = stats.binomtest(count, 600).proportion_ci(method="wilson")
    assert (found.value, found.low, found.high) == pytest.approx(
        (count, 600 * ends.low, 600 * ends.high)
    )


def test_means_have_students_interval():
    found = values_of(compare("school x sex: mean hours"))["none, f"]
    hours = TABLE["hours"][group("none", "f")]
    low, high = stats.t.interval(0.95, len(hours) - 1, hours.mean(), stats.sem(hours))
    assert (found.value, found.low, found.high) == pytest.approx((hours.mean(), low, high))


def test_medians_are_medians_and_their_interval_order_statistics():
    found = values_of(compare("school x sex: median hours"))["higher, f"]
    hours = TABLE["hours"][group("higher", "f")]
    reach = 1.959964 / (2 * np.sqrt(len(hours)))
    levels = (0.5, 0.5 - reach, 0.5 + reach)
    expected = [np.quantile(hours, level, method="averaged_inverted_cdf") for level in levels]
    assert (found.value, found.low, found.high) == pytest.approx(expected)


def test_sums_have_the_interval_of_a_total():
    found = values_of(compare("school x sex: sum hours"))["middle, m"]
    inside = np.where(group("middle", "m"), TABLE["hours"], 0.0)
    reach = 1.959964 * 600 * stats.sem(inside)
    assert (found.value, found.high) == pytest.approx((inside.sum(), inside.sum() + reach))


def test_shares_are_in_percent_of_their_group():
    found = values_of(compare("school x sex: share income = high"))["higher, m"]
    rich = TABLE["income"][group("higher", "m")]
    assert found.value == pytest.approx(100 * rich.mean())


def test_weights_of_a_survey_count():
    table = people(weighted=True)
    inside = group("none", "f", table)
    weights, hours = table["weight"][inside], table["hours"][inside]
    means, counts = (
        compare("school x sex: mean hours", None, table),
        compare("school x sex", None, table),
    )
    assert values_of(means)["none, f"].value == pytest.approx(np.average(hours, weights=weights))
    assert values_of(counts)["none, f"].value == pytest.approx(weights.sum())
    assert "survey weights" in counts.meaning


def test_the_error_of_counts_is_the_share_of_records_in_another_cell():
    moved = np.where(np.arange(600) < 60, 0, TABLE["school"])
    masked = TABLE.with_columns({"school": moved})
    found = compare("school", masked)
    before, after = (np.bincount(t["school"], minlength=4) for t in (TABLE, masked))
    assert found.error == pytest.approx(100 * np.maximum(after - before, 0).sum() / 600)


def test_the_error_of_means_is_relative_to_each_group():
    masked = TABLE.with_columns({"hours": TABLE["hours"] * 1.03})
    assert compare("school x sex: mean hours", masked).error == pytest.approx(3.0)
    assert compare("school x sex: sum hours", masked).error == pytest.approx(3.0)
    assert compare("school x sex: median hours", masked).error == pytest.approx(3.0)


def test_the_error_of_means_around_nothing_stays_finite():
    centred = TABLE.with_columns({"hours": TABLE["hours"] - TABLE["hours"].mean()})
    masked = centred.with_columns({"hours": centred["hours"] + 0.1})
    error = compare("sex: mean hours", masked, centred).error
    assert 0 < error < 5


@pytest.mark.parametrize("text", STATISTICS[1:])
def test_more_noise_is_more_error(text):
    noisy = {
        part: [perturbed(TABLE, ("school", "sex"), part, seed) for seed in range(5)]
        for part in (0.0, 0.1, 0.5)
    }
    errors = [np.mean([compare(text, file).error for file in files]) for files in noisy.values()]
    assert errors[0] == 0
    assert errors[0] < errors[1] < errors[2]


def test_a_generalized_group_is_spread_over_its_categories():
    found = compare("school", generalized(TABLE, ("school",)))
    assert [value.after.value for value in found.values] == pytest.approx(
        [value.before.value for value in found.values]
    )


def test_a_suppressed_group_has_the_mean_of_all():
    found = compare("school: mean hours", suppressed(TABLE, ("school",)))
    assert [value.after.value for value in found.values] == pytest.approx(
        [TABLE["hours"].mean()] * 4
    )


def test_groups_that_vanish_are_shown_without_a_figure_and_wholly_wrong():
    masked = TABLE.with_columns({"sex": np.zeros(600, dtype=int)})
    found = compare("sex: mean hours", masked)
    assert values_of(found, "after")["m"] is None
    assert found.error >= 100 * TABLE["sex"].mean()


def test_records_without_a_number_are_left_out_of_its_mean():
    hours = np.where(np.arange(600) < 100, np.nan, TABLE["hours"])
    table = TABLE.with_columns({"hours": hours})
    found = values_of(compare("sex: mean hours", None, table))["f"]
    assert found.value == pytest.approx(np.nanmean(hours[table["sex"] == 0]))


def test_small_cells_stand_together():
    school = np.where(np.arange(600) < 4, 0, np.where(np.arange(600) < 9, 1, 2))
    school[300:] = 3
    table = TABLE.with_columns({"school": school})
    found = values_of(compare("school", None, table))
    assert found.keys() == {"higher", OTHERS}
    assert found[OTHERS].value == 300


@settings(deadline=None)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=12))
def test_no_row_of_a_table_has_few_records(counts):
    rows, shown = merge_small_cells(np.array(counts, dtype=float))
    sizes = np.bincount(rows, counts, len(shown) + 1)
    assert all(sizes[:-1] >= MIN_RECORDS)
    assert sizes[-1] == 0 or sizes[-1] >= MIN_RECORDS or not len(shown)
    assert sizes.sum() == sum(counts)


def test_the_fewest_records_are_those_of_the_reports():
    assert MIN_RECORDS == MINIMUM


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("schol x sex", "no column 'schol'.*the file has school, sex"),
        ("name", "'name' is an identifier"),
        ("age", "must be categories, and 'age' holds numbers"),
        ("school: mean income", "needs numbers, and 'income' is nominal"),
        ("sex: share income = rich", "no category 'rich'"),
        ("sex: share age = 20", "'age' holds numbers and has no category"),
    ],
)
def test_unsuitable_columns_of_a_table_are_errors(text, why):
    with pytest.raises(SchemaError, match=why):
        AnalysesToPreserve((text,)).against(TABLE)


def test_a_column_of_texts_is_no_group():
    table = people(700)
    table = table.with_schema(table.schema.assigning({"name": Role.OTHER}))
    with pytest.raises(SchemaError, match="no cell of the table 'name' has 10 records"):
        AnalysesToPreserve(("name",)).against(table)
    with pytest.raises(SchemaError, match="'name' alone has 700 categories"):
        AnalysesToPreserve(("name x school x sex x income",)).against(table)


def test_the_overlap_is_the_mean_share_of_both_intervals():
    assert overlap_of(Estimate(5, 0, 10), Estimate(7, 5, 9)) == pytest.approx(50 * (0.4 + 1))
    assert overlap_of(Estimate(5, 0, 10), Estimate(15, 11, 19)) == 0.0
    assert overlap_of(Estimate(5, 5, 5), Estimate(5, 5, 5)) == 100.0


def test_the_errors_are_the_largest_of_tables_and_of_models():
    masked = TABLE.with_columns({"hours": TABLE["hours"] * 1.1})
    keep = AnalysesToPreserve(("sex: mean hours", "sex"), ("hours ~ age + school",))
    errors = errors_of(keep.against(TABLE).compare(masked))
    assert errors["table_error"] == pytest.approx(10.0)
    assert errors.keys() == {"table_error", "model_error"}
