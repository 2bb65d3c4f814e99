"""Attribute inference by nearest neighbours, against scikit-learn."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.measures.attacks.learned_inference import NEIGHBOURS, LearnedInference
from tests.measures.files import categories, generalized, suppressed
from tests.tables import QUASI, mixed

N = 150
KNOWN = ("a", "b", "c")


def people(seed=1):
    """Three numbers, an illness and an income that depend on them."""
    rng = np.random.default_rng(seed)
    known = rng.normal(size=(N, 3))
    schema = Schema(
        (
            *(Attribute(name, Kind.CONTINUOUS, QUASI) for name in KNOWN),
            Attribute("illness", Kind.NOMINAL, Role.CONFIDENTIAL, ("x", "y", "z")),
            Attribute("income", Kind.CONTINUOUS, Role.CONFIDENTIAL),
        )
    )
    illness = np.digitize(known[:, 0] + rng.normal(size=N) / 2, [-0.5, 0.7])
    income = known.sum(axis=1) + rng.normal(size=N) / 2
    columns = {name: known[:, j] for j, name in enumerate(KNOWN)}
    return Table(schema, {**columns, "illness": illness, "income": income})


TABLE = people()
RNG = np.random.default_rng(2)
MASKED = TABLE.with_columns(
    {name: TABLE[name] + RNG.normal(size=N) / 3 for name in (*KNOWN, "income")}
)
SCALE = TABLE.matrix(KNOWN).std(axis=0)


def test_categories_are_predicted_as_by_scikit_learn():
    shares = []
    for k in NEIGHBOURS:
        model = KNeighborsClassifier(k).fit(MASKED.matrix(KNOWN) / SCALE, MASKED["illness"])
        shares.append(100 * model.score(TABLE.matrix(KNOWN) / SCALE, TABLE["illness"]))
    found = LearnedInference(KNOWN, "illness").against(TABLE)(MASKED)
    assert found.value == pytest.approx(max(shares))


def test_without_the_own_record_the_others_vote():
    nearest = NearestNeighbors(n_neighbors=N).fit(MASKED.matrix(KNOWN) / SCALE)
    order = nearest.kneighbors(TABLE.matrix(KNOWN) / SCALE, return_distance=False)
    full, without = [], []
    for k in NEIGHBOURS:
        guesses = [
            (_mode(row[:k]), _mode([j for j in row if j != i][:k])) for i, row in enumerate(order)
        ]
        right = np.array(guesses) == TABLE["illness"][:, None]
        full.append(100 * right[:, 0].mean())
        without.append(100 * right[:, 1].mean())
    found = LearnedInference(KNOWN, "illness").against(TABLE)(MASKED)
    assert found.details["without_own_record"] == pytest.approx(without[int(np.argmax(full))])


def _mode(records):
    return np.bincount(MASKED["illness"][records], minlength=3).argmax()


def test_numbers_are_predicted_by_the_median_of_the_neighbours():
    nearest = NearestNeighbors(n_neighbors=25).fit(MASKED.matrix(KNOWN) / SCALE)
    order = nearest.kneighbors(TABLE.matrix(KNOWN) / SCALE, return_distance=False)
    shares = []
    for k in NEIGHBOURS:
        guesses = np.median(MASKED["income"][order[:, :k]], axis=1)
        apart = np.abs(_places(guesses) - _places(TABLE["income"]))
        shares.append(100 * np.mean(apart <= N / 10))
    found = LearnedInference(KNOWN, "income").against(TABLE)(MASKED)
    assert found.value == pytest.approx(max(shares))


def _places(values):
    income = TABLE["income"][:, None]
    return ((income < values).sum(axis=0) + (income <= values).sum(axis=0) + 1) / 2


def test_the_most_frequent_category_is_the_baseline():
    found = LearnedInference(KNOWN, "illness").against(TABLE)(MASKED)
    assert found.baseline == pytest.approx(100 * np.bincount(TABLE["illness"]).max() / N)


def test_a_suppressed_attribute_teaches_no_more_than_the_usual_value():
    found = LearnedInference(KNOWN, "illness").against(TABLE)(suppressed(TABLE, ["illness"]))
    assert found.value == found.baseline


def test_equally_near_records_all_vote():
    table = categories(a=[0, 0, 0, 1], b=[1, 0, 1, 0])
    found = LearnedInference(("a",), "b").against(table)(table)
    assert found.value == 75.0


def test_a_masked_file_in_another_order_teaches_the_same():
    order = np.random.default_rng(1).permutation(N)
    strike = LearnedInference(KNOWN, "illness").against(TABLE)
    assert strike(MASKED.take(order)).value == strike(MASKED).value


def test_a_masked_file_of_another_length_teaches_too():
    found = LearnedInference(KNOWN, "illness").against(TABLE)(MASKED.take(np.arange(100)))
    assert 0 < found.value <= 100
    assert not found.details


@pytest.mark.parametrize("wanted", ["income", "region"])
def test_missing_and_generalized_values_are_no_obstacle(wanted):
    table = mixed(60)
    names = table.schema.quasi_identifiers
    known = tuple(name for name in names if name != wanted)
    found = LearnedInference(known, wanted).against(table)(generalized(table, names))
    assert 0 < found.value < 100


def test_what_is_known_cannot_be_wanted():
    with pytest.raises(SchemaError, match="'a' cannot be both known and inferred"):
        LearnedInference(KNOWN, "a")
