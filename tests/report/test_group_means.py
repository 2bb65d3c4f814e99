import numpy as np

from evomask.report.attribute_changes import attribute_notes, group_means, lost_categories
from tests.measures.analyses.people import people
from tests.measures.files import generalized, suppressed

TABLE = people(200)


def means(masked):
    found = group_means(TABLE, masked, attribute_notes(TABLE, masked))
    return {statistic.text: statistic for statistic in found}


def test_means_are_told_of_pairs_of_which_one_was_changed():
    masked = TABLE.with_columns({"age": TABLE["age"] + 1})
    assert means(masked).keys() == {f"mean age by {name}" for name in ("school", "sex", "income")}


def test_means_before_and_after_are_those_of_the_files():
    masked = TABLE.with_columns({"age": TABLE["age"] + 1})
    (low, high) = means(masked)["mean age by income"].values
    assert np.isclose(low.before.value, TABLE["age"][TABLE["income"] == 0].mean())
    assert np.isclose(high.after.value - high.before.value, 1.0)


def test_nothing_is_told_where_nothing_was_changed():
    assert means(TABLE) == {}


def test_a_category_that_no_cell_stands_for_is_lost():
    masked = TABLE.with_columns({"school": np.maximum(TABLE["school"], 1)})
    assert lost_categories(TABLE, masked, "school", 10) == (("none",), 0)


def test_a_rare_category_is_counted_and_not_named():
    school = np.where(np.arange(200) < 5, 0, np.maximum(TABLE["school"], 1))
    table = TABLE.with_columns({"school": school})
    masked = table.with_columns({"school": np.maximum(school, 1)})
    assert lost_categories(table, masked, "school", 10) == ((), 1)


def test_a_category_in_a_broader_cell_is_not_lost_and_a_suppressed_cell_names_none():
    assert lost_categories(TABLE, generalized(TABLE, ("school",)), "school", 10) == ((), 0)
    assert len(lost_categories(TABLE, suppressed(TABLE, ("school",)), "school", 10)[0]) == 4


def test_notes_on_attributes_tell_what_is_lost():
    masked = TABLE.with_columns({"school": np.maximum(TABLE["school"], 1)})
    (note,) = [note for note in attribute_notes(TABLE, masked) if note.name == "school"]
    assert note.lost == ("none",)
