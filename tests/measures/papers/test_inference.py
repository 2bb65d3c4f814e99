"""Relabelling attack and attribute inference."""

import itertools

import numpy as np
import pytest

from evomask.errors import SchemaError
from evomask.measures.disclosure.relabelling import (
    RelabelledLinkage,
    Relabelling,
    best_names,
    renamed,
)
from evomask.measures.papers import inference
from evomask.measures.papers.distance_linkage import DistanceLinkage
from evomask.measures.papers.inference import Inference, fixed_halves, fixed_targets
from tests.measures.files import categories, generalized, perturbed, suppressed
from tests.tables import mixed, numbers

RNG = np.random.default_rng(3)
TABLE = categories(x=RNG.integers(0, 4, 80), y=RNG.integers(0, 5, 80), z=RNG.integers(0, 3, 80))
NAMES = TABLE.schema.names


def permuted(table):
    sizes = {name: len(table.attribute(name).categories) for name in table.schema.names}
    return table.with_columns(
        {name: np.roll(np.arange(size), 1)[table.codes(name)] for name, size in sizes.items()}
    )


def test_the_best_renaming_is_the_best_of_all():
    joint = RNG.integers(0, 30, (4, 4))
    best = max(joint[list(order), range(4)].sum() for order in itertools.permutations(range(4)))
    assert joint[best_names(joint), range(4)].sum() == best


def test_permuted_categories_are_all_recovered():
    assert Relabelling(NAMES).against(TABLE)(permuted(TABLE)) == 100.0


def test_linkage_after_renaming_is_that_of_the_original():
    own = DistanceLinkage(NAMES).against(TABLE)(TABLE)
    assert RelabelledLinkage(NAMES).against(TABLE)(permuted(TABLE)) == pytest.approx(own)


def test_renaming_puts_permuted_categories_right():
    right = renamed(TABLE, permuted(TABLE), NAMES)
    assert all(np.array_equal(right[name], TABLE[name]) for name in NAMES)


def test_a_suppressed_attribute_gives_its_most_frequent_category():
    table = categories(x=[0, 1, 1, 1, 2])
    assert Relabelling(("x",)).against(table)(suppressed(table, ["x"])) == 60.0


def test_more_cells_than_categories_leave_some_without_a_name():
    table = categories(x=[0, 0, 1, 1])
    flags = np.array([[True, False], [False, True], [True, True]])
    masked = table.with_recoded("x", np.array([0, 2, 1, 2]), inference_sets(flags))
    assert Relabelling(("x",)).against(table)(masked) == 50.0


def inference_sets(flags):
    from evomask.data.recoding import CategorySets

    return CategorySets(tuple("abc"), flags)


def test_renaming_is_for_categories():
    with pytest.raises(SchemaError, match="'a' is continuous"):
        Relabelling(("a",)).against(numbers(a=[1, 2]))


def slow_success(original, masked, names):
    """The attack record by record, on plain numbers."""
    before = np.column_stack([original[name] for name in names])
    after = np.column_stack([masked[name] for name in names])
    scale = before.std(axis=0)
    ordered = np.sort(before, axis=0)

    def place(j, value):
        column = ordered[:, j]
        return ((column < value).sum() + (column <= value).sum() + 1) / 2

    n, total = len(before), []
    for half in fixed_halves(len(names)):
        others = [j for j in range(len(names)) if j not in half]
        for record in before:
            far = (((after - record) / scale)[:, half] ** 2).sum(axis=1)
            nearest = np.flatnonzero(np.isclose(far, far.min(), rtol=1e-12, atol=0))
            for j in others:
                near = [abs(place(j, after[i, j]) - place(j, record[j])) <= n / 10 for i in nearest]
                total.append(np.mean(near))
    return np.mean(total)


def test_inference_reads_the_nearest_record_anywhere():
    rng = np.random.default_rng(5)
    common = rng.normal(0, 2, 50)
    table = numbers(**{name: np.round(common + rng.normal(size=50), 1) for name in "abcde"})
    names = tuple("abcde")
    masked = perturbed(table, names, 0.4).take(rng.permutation(50))
    floor = np.mean(
        [
            np.mean(
                [
                    np.abs(_ranks(table[n]) - _median_rank(table[n])) <= 5
                    for j, n in enumerate(names)
                    if j not in half
                ]
            )
            for half in fixed_halves(5)
        ]
    )
    ceiling, found = (slow_success(table, file, names) for file in (table, masked))
    expected = 100 * (found - floor) / (ceiling - floor)
    assert Inference(names).against(table)(masked) == pytest.approx(expected)


def _ranks(values):
    return np.array([((values < v).sum() + (values <= v).sum() + 1) / 2 for v in values])


def _median_rank(values):
    middle = np.sort(values)[(len(values) - 1) // 2]
    return ((values < middle).sum() + (values <= middle).sum() + 1) / 2


def related(n=200):
    rng = np.random.default_rng(6)
    level = rng.integers(0, 4, n)
    noisy = {name: np.where(rng.random(n) < 0.9, level, rng.integers(0, 4, n)) for name in "wxyz"}
    return categories(**noisy)


def test_as_much_is_inferred_from_the_original_in_any_order():
    table = related()
    order = np.random.default_rng(1).permutation(len(table))
    read = Inference(tuple("wxyz")).against(table)
    assert read(table.take(order)) == pytest.approx(read(table))
    assert 60 < read(table) < 90


def test_less_can_be_inferred_from_independent_columns():
    table = related()
    rng = np.random.default_rng(2)
    apart = table.with_columns({n: table[n][rng.permutation(200)] for n in "wxyz"})
    assert Inference(tuple("wxyz")).against(table)(apart) < 30


def test_generalized_files_can_be_attacked_too():
    table = mixed(60)
    names = table.schema.quasi_identifiers
    assert 0 <= Inference(names).against(table)(generalized(table, names)) <= 100


def test_one_attribute_leaves_nothing_to_infer():
    table = numbers(a=[1, 2, 3])
    assert Inference(("a",)).against(table)(table) == 0.0


def test_halves_are_fixed_and_differ():
    first, second = fixed_halves(9), fixed_halves(9)
    assert [h.tolist() for h in first] == [h.tolist() for h in second]
    assert len({tuple(h) for h in first}) > 1
    assert {len(h) for h in first} == {4}


def test_a_sample_of_targets_does_not_depend_on_the_order_of_records(monkeypatch):
    monkeypatch.setattr(inference, "ALL_UP_TO", 50)
    monkeypatch.setattr(inference, "SAMPLE", 20)
    table = related(100)
    order = np.random.default_rng(4).permutation(100)
    moved = table.take(order)
    first, second = fixed_targets(table, "wxyz"), fixed_targets(moved, "wxyz")
    kept = [
        sorted(zip(*(t[n][rows] for n in "wxyz"), strict=True))
        for t, rows in ((table, first), (moved, second))
    ]
    assert len(first) == 20
    assert kept[0] == kept[1]
