"""Attribute inference by nearest neighbours, against scikit-learn."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.measures.attacks.learned_inference import (
    ITERATIONS,
    LEAVES,
    NEIGHBOURS,
    LearnedInference,
)
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


def by_votes(unknown):
    return LearnedInference(KNOWN, unknown, boosts=False)


def test_categories_are_predicted_as_by_scikit_learn():
    shares = []
    for k in NEIGHBOURS:
        model = KNeighborsClassifier(k).fit(MASKED.matrix(KNOWN) / SCALE, MASKED["illness"])
        shares.append(100 * model.score(TABLE.matrix(KNOWN) / SCALE, TABLE["illness"]))
    found = by_votes("illness").against(TABLE)(MASKED)
    assert found.success == pytest.approx(max(shares))


def _mode(records):
    return np.bincount(MASKED["illness"][records], minlength=3).argmax()


def test_the_control_group_is_predicted_by_as_many_neighbours_as_serve_best():
    others = people(seed=7)
    nearest = NearestNeighbors(n_neighbors=N).fit(MASKED.matrix(KNOWN) / SCALE)
    shares = []
    for table in (TABLE, others):
        order = nearest.kneighbors(table.matrix(KNOWN) / SCALE, return_distance=False)
        guesses = [[_mode(row[:k]) for row in order] for k in NEIGHBOURS]
        shares.append([100 * np.mean(guess == table["illness"]) for guess in guesses])
    found = by_votes("illness").against(TABLE, others)(MASKED)
    best = int(np.argmax(shares[0]))
    assert (found.success, found.control) == pytest.approx((shares[0][best], shares[1][best]))
    assert (found.targets, found.control_people) == (N, N)


def test_numbers_are_predicted_by_the_median_of_the_neighbours():
    nearest = NearestNeighbors(n_neighbors=25).fit(MASKED.matrix(KNOWN) / SCALE)
    order = nearest.kneighbors(TABLE.matrix(KNOWN) / SCALE, return_distance=False)
    shares = []
    for k in NEIGHBOURS:
        guesses = np.median(MASKED["income"][order[:, :k]], axis=1)
        apart = np.abs(_places(guesses) - _places(TABLE["income"]))
        shares.append(100 * np.mean(apart <= N / 10))
    found = by_votes("income").against(TABLE)(MASKED)
    assert found.success == pytest.approx(max(shares))


def _places(values):
    income = TABLE["income"][:, None]
    return ((income < values).sum(axis=0) + (income <= values).sum(axis=0) + 1) / 2


def test_the_most_frequent_category_is_the_baseline():
    found = by_votes("illness").against(TABLE)(MASKED)
    assert found.control == pytest.approx(100 * np.bincount(TABLE["illness"]).max() / N)


def test_a_suppressed_attribute_teaches_no_more_than_the_usual_value():
    found = by_votes("illness").against(TABLE)(suppressed(TABLE, ["illness"]))
    assert found.success == found.control


def test_equally_near_records_all_vote():
    table = categories(a=[0, 0, 0, 1], b=[1, 0, 1, 0])
    found = LearnedInference(("a",), "b", boosts=False).against(table)(table)
    assert found.success == 75.0


def test_a_masked_file_in_another_order_teaches_the_same():
    order = np.random.default_rng(1).permutation(N)
    strike = by_votes("illness").against(TABLE)
    assert strike(MASKED.take(order)).success == strike(MASKED).success


def test_a_masked_file_of_another_length_teaches_too():
    found = by_votes("illness").against(TABLE)(MASKED.take(np.arange(100)))
    assert 0 < found.success <= 100


@pytest.mark.parametrize("boosts", [True, False])
@pytest.mark.parametrize("wanted", ["income", "region"])
def test_missing_and_generalized_values_are_no_obstacle(wanted, boosts):
    table = mixed(60)
    names = table.schema.quasi_identifiers
    known = tuple(name for name in names if name != wanted)
    found = LearnedInference(known, wanted, boosts=boosts).against(table)(generalized(table, names))
    assert 0 < found.success < 100


def test_what_is_known_cannot_be_wanted():
    with pytest.raises(SchemaError, match="'a' cannot be both known and inferred"):
        LearnedInference(KNOWN, "a")


def test_boosting_predicts_as_scikit_learn_does():
    model = HistGradientBoostingClassifier(
        max_iter=ITERATIONS, max_leaf_nodes=LEAVES, early_stopping=False, random_state=0
    )
    model.fit(MASKED.matrix(KNOWN), MASKED["illness"])
    others = people(seed=7)
    shares = [100 * model.score(table.matrix(KNOWN), table["illness"]) for table in (TABLE, others)]
    found = LearnedInference(KNOWN, "illness", boosts=True).against(TABLE, others)(MASKED)
    assert (found.success, found.control) == pytest.approx(tuple(shares))


@pytest.mark.parametrize("wanted", ["illness", "income"])
def test_boosting_gains_nothing_on_people_of_whom_nothing_was_released(wanted):
    attack = LearnedInference(KNOWN, wanted, boosts=True)
    low, high = attack.against(people(seed=11), people(seed=12))(MASKED).interval
    assert low <= 0 <= high


def test_boosting_gains_from_a_file_that_is_released_as_it_is():
    found = LearnedInference(KNOWN, "illness", boosts=True).against(TABLE, people(7))(TABLE)
    assert found.interval[0] > 0


def test_one_value_for_all_is_predicted_for_all():
    constant = TABLE.with_columns({"illness": np.ones(N, dtype=np.int32)})
    found = LearnedInference(KNOWN, "illness", boosts=True).against(TABLE)(constant)
    assert found.success == pytest.approx(100 * np.mean(TABLE["illness"] == 1))
