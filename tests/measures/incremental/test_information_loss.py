"""The tracked information loss equals a full reading, on random tables of all kinds of column."""

import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError
from evomask.measures.incremental import tracker
from evomask.measures.incremental.loss_layout import LossLayout
from evomask.measures.loss.loss import InformationLoss, LossWeights
from tests.measures.files import generalized, perturbed
from tests.tables import mixed

QUASI, OTHER = Role.QUASI_IDENTIFIER, Role.OTHER
NEAR = {"abs": 1e-9, "rel": 0}
STEPS = 60
MASKED = {
    "all": ("hours", "wage", "grade", "job"),
    "numbers": ("hours", "wage"),
    "categories": ("grade", "job"),
    "one number": ("wage",),
    "one category": ("grade",),
}


def random_table(rng, weighted=True):
    """Numbers with ties and missing values, ordinal and nominal columns, and context columns."""
    n = int(rng.integers(4, 70))
    jobs, grades = int(rng.integers(2, 30)), int(rng.integers(2, 8))
    schema = Schema(
        (
            Attribute("hours", Kind.CONTINUOUS, QUASI),
            Attribute("wage", Kind.CONTINUOUS, QUASI),
            Attribute("grade", Kind.ORDINAL, QUASI, (*map(str, range(grades)), "")),
            Attribute("job", Kind.NOMINAL, QUASI, tuple(map(str, range(jobs)))),
            Attribute("town", Kind.NOMINAL, OTHER, tuple("abcdefghi")),
            Attribute("rent", Kind.CONTINUOUS, Role.CONFIDENTIAL),
            Attribute("weight", Kind.CONTINUOUS, Role.WEIGHT if weighted else Role.IDENTIFIER),
        )
    )
    wage = rng.lognormal(size=n)
    wage[rng.random(n) < 0.2] = np.nan
    columns = {
        "hours": rng.integers(0, 6, n).astype(float),
        "wage": wage,
        "grade": rng.integers(0, grades + 1, n),
        "job": np.minimum(rng.geometric(0.2, n) - 1, jobs - 1),
        "town": rng.integers(0, 9, n),
        "rent": np.round(rng.normal(size=n), 1),
        "weight": rng.uniform(0, 3, n),
    }
    return Table(schema, columns)


def random_value(table, name, rng):
    """A value of the original, one that no record has, or a missing one."""
    attribute = table.attribute(name)
    if attribute.is_categorical:
        return float(rng.integers(len(attribute.categories)))
    some = float(table[name][rng.integers(len(table))])
    return [some, some + rng.normal(), np.nan][rng.integers(3)]


def compare_with_full(measure, table, rng):
    """Change one to three cells at a time, keep or undo them, and compare."""
    reading, names = measure.against(table), measure.attributes
    masked = perturbed(table, names, seed=int(rng.integers(1000)))
    tracked = reading.track(masked)
    assert tracked.value == pytest.approx(reading(masked), **NEAR)
    columns = {name: masked[name].copy() for name in names}
    for _ in range(STEPS):
        tried = {name: column.copy() for name, column in columns.items()}
        for _ in range(rng.integers(1, 4)):
            name, record = names[rng.integers(len(names))], int(rng.integers(len(table)))
            value = random_value(table, name, rng)
            tracked.change(record, name, value)
            tried[name][record] = value
        assert tracked.value == pytest.approx(reading(masked.with_columns(tried)), **NEAR)
        if rng.random() < 0.5:
            tracked.keep()
            columns = tried
        else:
            tracked.undo()
            assert tracked.value == pytest.approx(reading(masked.with_columns(columns)), **NEAR)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("names", MASKED.values(), ids=MASKED.keys())
def test_the_loss_follows_changes_and_undos(names, seed):
    rng = np.random.default_rng([seed, len(names)])
    compare_with_full(InformationLoss(names), random_table(rng, weighted=seed % 2 == 0), rng)


@pytest.mark.parametrize("weights", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 2, 0.5)])
def test_each_part_follows_changes_by_itself(weights):
    rng = np.random.default_rng(7)
    measure = InformationLoss(MASKED["all"], LossWeights(*weights))
    compare_with_full(measure, random_table(rng), rng)


def test_relations_follow_changes_in_tables_of_three_with_one_masked_column():
    rng = np.random.default_rng(8)
    table = random_table(rng)
    measure = InformationLoss(("wage",), LossWeights(0, 0, 1))
    two, three = LossLayout(measure.against(table)).tables
    assert len(two) > len(measure.against(table).relations.pairs)
    assert not three
    compare_with_full(measure, table, rng)


def test_survey_weights_count_in_the_tracked_loss():
    losses = []
    for weighted in (True, False):
        table = random_table(np.random.default_rng(5), weighted=weighted)
        measure = InformationLoss(MASKED["all"], LossWeights(0, 1, 1))
        losses.append(measure.against(table).track(perturbed(table, MASKED["all"])).value)
    assert abs(losses[0] - losses[1]) > 0.1


def test_a_file_without_a_second_column_has_no_relations():
    table = random_table(np.random.default_rng(4)).only(("wage",))
    compare_with_full(InformationLoss(("wage",)), table, np.random.default_rng(1))


def test_changing_every_cell_back_leaves_no_loss():
    table = random_table(np.random.default_rng(3))
    names = MASKED["all"]
    tracked = InformationLoss(names).against(table).track(perturbed(table, names))
    assert tracked.value > 1
    for name in names:
        for record in range(len(table)):
            tracked.change(record, name, float(table[name][record]))
            tracked.keep()
    assert tracked.value == pytest.approx(0, abs=1e-9)


def test_a_masked_context_column_counts_in_the_tracked_loss():
    table = random_table(np.random.default_rng(2))
    masked = perturbed(table, ("wage", "town", "rent"))
    reading = InformationLoss(("wage",)).against(table)
    assert reading.track(masked).value == pytest.approx(reading(masked), **NEAR)
    assert reading(masked) != pytest.approx(reading(perturbed(table, ("wage",))), abs=0.1)


def test_a_file_with_a_generalized_context_column_is_refused():
    table = mixed(60)
    masked = generalized(table, ("region",))
    with pytest.raises(DataError, match="generalized"):
        InformationLoss(("age",)).against(table).track(masked)


def test_tables_with_too_many_cells_are_refused(monkeypatch):
    table = mixed(60)
    monkeypatch.setattr(tracker, "MOST_CELLS", 100)
    with pytest.raises(ParameterError, match="too many to track"):
        InformationLoss(table.schema.quasi_identifiers).against(table).track(table)
