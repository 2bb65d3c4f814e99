"""Files recoded by others are read: intervals and sets in several styles, labels of their own."""

import numpy as np
import polars as pl
import pytest

from evomask.data.schema import Attribute, Kind, Schema
from evomask.data.table import Table
from evomask.errors import DataError
from evomask.io.cell_labels import categories_of, interval_of
from evomask.io.masked_tables import masked_version
from evomask.io.sources import Source
from tests.tables import QUASI

AGES = np.array([17.0, 20, 25, 29, 30, 41, 65, 80])


@pytest.mark.parametrize(
    ("label", "ends"),
    [
        ("25", (25, 25)),
        ("[20,29]", (20, 29)),
        ("[20, 30[", (20, 29)),
        ("[20,30)", (20, 29)),
        ("(20,30]", (25, 30)),
        ("]20, 30]", (25, 30)),
        ("20-29", (20, 29)),
        ("20 – 29", (20, 29)),
        ("20 to 29", (20, 29)),
        ("<30", (17, 29)),
        ("<=30", (17, 30)),
        ("≥65", (65, 80)),
        (">65", (80, 80)),
        ("65+", (65, 80)),
        ("-5..5", (-5, 5)),
        ("(42,50)", (65, 41)),
    ],
)
def test_an_interval_in_many_styles(label, ends):
    if ends[0] > ends[1]:
        ends = (42, 50)  # no value of the original is inside
    assert interval_of(label, AGES) == ends


@pytest.mark.parametrize("label", ["", "old", "30-20", "[20,30", "20,30]", "1-2-3", "nan", "+"])
def test_what_is_no_interval(label):
    assert interval_of(label, AGES) is None


@pytest.mark.parametrize(
    ("label", "covered"),
    [("a", "a"), ("a|c", "ac"), ("a | c", "ac"), ("{a,c}", "ac"), ("{a, c}", "ac"), ("*", "abc")],
)
def test_a_set_in_many_styles(label, covered):
    assert categories_of("abc", label).tolist() == [name in covered for name in "abc"]
    assert categories_of("abc", "a|x") is None


def test_ordered_codes_are_read_within_an_interval():
    assert categories_of(("1", "2", "3", ""), "1-2").tolist() == [True, True, False, False]


def table(values):
    names = tuple(sorted(set(values)))
    schema = Schema((Attribute("state", Kind.NOMINAL, QUASI, names),))
    return Table(schema, {"state": np.array([names.index(value) for value in values])})


def covered(original, labels):
    found = masked_version(original, Source(pl.DataFrame({"state": labels})))
    leaves, names = found.recodings["state"].leaves, original.attribute("state").categories
    return [{n for n, is_in in zip(names, leaves[c], strict=True) if is_in} for c in found["state"]]


def test_labels_of_a_global_recoding_are_understood_from_the_records():
    original = table(["wed", "single", "widowed", "divorced", "wed"] * 2)
    alone = {"single", "widowed", "divorced"}
    found = covered(original, ["couple", "alone", "alone", "alone", "couple"] * 2)
    assert found == [{"wed"}, alone, alone, alone, {"wed"}] * 2
    labels = ["couple", "alone", "alone", "alone", "couple"] * 2
    assert covered(original, [*labels[:-1], "*"])[-1] == alone | {"wed"}


@pytest.mark.parametrize(
    "labels",
    [
        ["couple", "alone", "alone", "couple", "alone"] * 2,
        ["couple", "alone", "alone"],
        ["x"] + ["couple"] * 9,
    ],
)
def test_labels_that_no_recoding_explains_are_an_error(labels):
    original = table(["wed", "single", "widowed", "divorced", "wed"] * 2)
    with pytest.raises(DataError, match=r"'state' of the masked file holds in record \d a value"):
        covered(original, labels)
