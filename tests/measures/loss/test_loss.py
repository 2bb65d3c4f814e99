"""Information loss: its parts against slow computations, its laws, and any number of records."""

from itertools import combinations

import numpy as np
import pytest

from evomask.data.recoding import Intervals
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.catalogue import method_named
from evomask.measures.loss.loss import InformationLoss, LossWeights, parse_loss_weights
from tests.measures.disclosure.population import CATEGORIES, NAMES, NUMBERS, TREES, people
from tests.measures.files import categories, perturbed
from tests.tables import QUASI, numbers

N = 3_000
TABLE = people(500, 2)
METHODS = {
    "independent-noise": (NUMBERS, {}),
    "correlated-noise": (NUMBERS, {}),
    "rank-swapping": ((*NUMBERS, "school"), {"window": "5"}),
    "pram": (CATEGORIES, {}),
    "generalization": (CATEGORIES, {}),
    "global-recoding": (CATEGORIES, {}),
}
THREE = Schema(
    (
        Attribute("job", Kind.NOMINAL, QUASI, tuple("abcde")),
        Attribute("age", Kind.CONTINUOUS, QUASI),
        Attribute("health", Kind.ORDINAL, Role.OTHER, ("bad", "fair", "good")),
    )
)


def three(seed=0):
    """Ages that all differ, so that every bin holds as many; jobs and health go with them."""
    rng = np.random.default_rng(seed)
    age = rng.permutation(N).astype(float)
    job = np.clip((age * 5 / N + rng.normal(0, 1, N)).astype(int), 0, 4)
    health = np.clip((age * 3 / N + rng.normal(0, 0.7, N)).astype(int), 0, 2)
    return Table(THREE, {"job": job, "age": age, "health": health})


def permuted(table, names, rng, *, together=False):
    order = rng.permutation(len(table))
    orders = [order if together else rng.permutation(len(table)) for _ in names]
    return table.with_columns({n: table[n][o] for n, o in zip(names, orders, strict=True)})


def noisy(table, rng):
    """A tenth of the jobs redrawn, noise on the ages."""
    redrawn = np.where(rng.random(N) < 0.3, table["job"][rng.permutation(N)], table["job"])
    return table.with_columns({"job": redrawn, "age": table["age"] + rng.normal(0, N / 10, N)})


def bins_of_age(values, number):
    """Bins of equally many of the ages 0 to N - 1."""
    return np.clip(np.floor(values / (N / number)), 0, number - 1).astype(int)


def cube(columns):
    sizes = [int(max(column.max() for column in pair)) + 1 for pair in columns]
    return [
        np.histogramdd(
            np.column_stack([pair[file] for pair in columns]),
            bins=[np.arange(size + 1) - 0.5 for size in sizes],
        )[0]
        / N
        for file in range(2)
    ]


def dependence(shares):
    expected = np.ones_like(shares)
    for axis in range(shares.ndim):
        others = tuple(a for a in range(shares.ndim) if a != axis)
        expected = expected * shares.sum(axis=others, keepdims=True)
    return shares - expected, expected


def sampling_error(shares):
    """Half the mean dependence of N independent records, from what one record contributes.

    A record adds 1 to its own cell, and to every cell with its value on one axis the product of the
    marginals of the others.
    """
    _, expected = dependence(shares)
    cells = np.array(list(np.ndindex(shares.shape)))
    one, two = cells[:, None, :], cells[None, :, :]
    chances = expected.ravel()
    added = (one == two).all(axis=2).astype(float)
    for axis in range(shares.ndim):
        others = tuple(a for a in range(shares.ndim) if a != axis)
        marginal = shares.sum(axis=others)[cells[:, axis]]
        added -= (one[..., axis] == two[..., axis]) * (chances / marginal)[None, :]
    means = chances @ added
    deviations = np.sqrt(np.maximum(0, chances @ added**2 - means**2))
    return np.sqrt(2 / np.pi) * deviations.sum() / np.sqrt(N) / 2


def moved_at_random(before, after):
    """Share of records in another bin, over that after a random permutation."""
    differ = np.mean(before[:, None] != before[None, :])
    return min(1, np.mean(before != after) / differ)


def share_lost(tables):
    """Dependence of tables that is lost, of that which was there, beyond what is chance."""
    lost = there = 0.0
    reliable = 1 / (1 + (2_500 / N) ** 2)
    for columns in tables:
        before, after = cube(columns)
        old, _ = dependence(before)
        error = sampling_error(before)
        moving = 1 - np.prod([1 - moved_at_random(*pair) for pair in columns])
        distance = np.abs(dependence(after)[0] - old).sum() / 2
        lost += np.sqrt(max(0, distance**2 - 2 * reliable * moving * error**2))
        size = np.abs(old).sum() / 2
        there += max(np.sqrt(max(0, size**2 - reliable * error**2)), error)
    return 100 * min(1.0, lost / there)


def test_every_part_is_that_of_a_slow_computation():
    table = three()
    masked = noisy(table, np.random.default_rng(3))
    found = InformationLoss(("job", "age")).against(table).assess(masked)
    job, age = ([file[name] for file in (table, masked)] for name in ("job", "age"))
    health = [table["health"]] * 2

    differ = np.mean(job[0] != job[1]) / np.mean(job[0][:, None] != job[0][None, :])
    ranks = [np.searchsorted(np.sort(age[0]), a) for a in age]
    ranks[1] = np.mean(
        [np.searchsorted(np.sort(age[0]), age[1], side) for side in ("left", "right")], axis=0
    )
    apart = np.abs(ranks[0] + 0.5 - ranks[1]).mean()
    apart /= np.abs(ranks[0][:, None] - ranks[0][None, :]).mean()
    assert found.accuracy == pytest.approx(100 * (differ + apart) / 2, abs=0.05)

    distances = []
    for columns in (job, [bins_of_age(a, 20) for a in age]):
        counts = [np.bincount(column, minlength=20) / N for column in columns]
        distances.append(50 * np.abs(counts[0] - counts[1]).sum())
    assert found.distributions == pytest.approx(np.mean(distances), abs=1e-6)

    coarse = [bins_of_age(a, 10) for a in age]
    pairs = [*combinations((job, coarse, health), 2)]
    triple = job, [bins_of_age(a, 5) for a in age], health
    expected = (share_lost(pairs) + share_lost([triple])) / 2
    assert found.relations == pytest.approx(expected, abs=1e-6)
    assert found.loss == pytest.approx((found.accuracy + found.distributions + found.relations) / 3)


def test_weights_weigh_the_parts():
    table = three()
    masked = noisy(table, np.random.default_rng(3))
    weights = parse_loss_weights("accuracy=1, distributions=0, relations=3")
    assert weights == LossWeights(1, 0, 3)
    found = InformationLoss(("job", "age"), weights).against(table).assess(masked)
    assert found.loss == pytest.approx((found.accuracy + 3 * found.relations) / 4)


@pytest.mark.parametrize(
    "text", ["accuracy=-1", "speed=1", "accuracy=0,distributions=0,relations=0"]
)
def test_weights_that_weigh_nothing_are_refused(text):
    with pytest.raises(ParameterError):
        parse_loss_weights(text)


def test_the_original_loses_nothing_and_a_suppressed_file_everything():
    reading = InformationLoss(NAMES).against(TABLE)
    nothing = reading.assess(TABLE.suppressing(np.ones(len(TABLE), dtype=bool)))
    assert reading(TABLE) == 0
    assert (nothing.accuracy, nothing.distributions, nothing.relations) == pytest.approx((100,) * 3)


def test_columns_permuted_each_on_its_own_lose_accuracy_and_relations():
    table = people(20_000, 3)
    masked = permuted(table, table.schema.names, np.random.default_rng(1))
    found = InformationLoss(table.schema.names).against(table).assess(masked)
    assert found.accuracy == pytest.approx(100, abs=1.5)
    assert found.relations == pytest.approx(100, abs=3)
    assert found.distributions == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_one_permuted_column_loses_its_part_of_the_accuracy(name):
    table = people(20_000, 3)
    masked = permuted(table, (name,), np.random.default_rng(1))
    found = InformationLoss(NAMES).against(table).assess(masked)
    assert found.accuracy == pytest.approx(100 / len(NAMES), abs=1)
    assert found.attributes[name].accuracy == pytest.approx(100, abs=5)
    if name == "region":  # independent of all others
        assert found.relations < 1.5
    else:
        assert found.relations > 3


def test_columns_moved_together_lose_what_binds_them_to_the_others():
    """A block that is moved as a whole keeps its own relations and loses all others."""
    table = people(20_000, 3)
    masked = permuted(table, NAMES, np.random.default_rng(1), together=True)
    found = InformationLoss(NAMES).against(table).assess(masked)
    by_pair = {frozenset((pair.first, pair.second)): pair for pair in found.pairs}
    assert by_pair[frozenset(("age", "school"))].lost == pytest.approx(0, abs=1e-9)
    assert by_pair[frozenset(("age", "illness"))].lost > 90
    assert found.accuracy == pytest.approx(100, abs=1.5)


@pytest.mark.parametrize("parts", [2, 5, 10])
def test_an_interval_loses_the_mean_distance_within_it(parts):
    """Of equally many values each, the mean distance of two is 1 / parts of that of all."""
    n = 1000
    table = numbers(x=np.arange(n), y=np.arange(n))
    low = np.arange(parts) * (n / parts)
    cells = Intervals(tuple(map(str, low)), low, low + n / parts - 1)
    masked = table.with_recoded("x", np.arange(n) // (n // parts), cells)
    found = InformationLoss(("x",)).against(table).assess(masked)
    assert found.accuracy == pytest.approx(100 / parts, abs=0.1)
    assert found.distributions == pytest.approx(0, abs=1e-6)


def test_a_constant_column_has_nothing_to_lose():
    table = categories(a=[0, 0, 0], b=[0, 1, 0])
    assert InformationLoss(("a",)).against(table)(table) == 0


def test_losses_of_chunks_add_up():
    table = people(900, 4)
    masked = perturbed(table, NAMES)
    reading = InformationLoss(NAMES).against(table)
    assert reading.of_statistics(reading.statistics(masked)).loss == reading(masked)
    double = reading.statistics(masked) + reading.statistics(masked)
    assert reading.of_statistics(double).loss == pytest.approx(reading(masked))


@pytest.mark.parametrize("name", METHODS)
def test_the_loss_is_the_same_at_any_number_of_records(name):
    names, parameters = METHODS[name]
    method = method_named(name).build(names, parameters, {"hierarchies": TREES})
    losses = []
    for n, draws in ((10_000, 4), (60_000, 1)):
        table = people(n, n)
        reading = InformationLoss(NAMES).against(table)
        files = [method.mask(table, np.random.default_rng(seed)) for seed in range(draws)]
        losses.append(np.mean([reading(file) for file in files]))
    assert losses[0] > 0.5
    assert losses[0] == pytest.approx(losses[1], abs=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_the_loss_of_two_hundred_thousand_records_is_that_of_ten_thousand(name):
    names, parameters = METHODS[name]
    method = method_named(name).build(names, parameters, {"hierarchies": TREES})
    losses = []
    for n in (10_000, 200_000):
        table = people(n, n)
        masked = method.mask(table, np.random.default_rng(0))
        losses.append(InformationLoss(NAMES).against(table)(masked))
    assert losses[0] == pytest.approx(losses[1], abs=1)
