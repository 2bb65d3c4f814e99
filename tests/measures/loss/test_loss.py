"""Strict loss: its parts by hand, and independence of the number of records."""

import numpy as np
import pytest
from scipy.stats import norm

from evomask.data.recoding import Intervals
from evomask.masking.catalogue import method_named
from evomask.measures.loss.loss import StrictLoss, ends_of_scales, on_scale
from evomask.measures.papers.categorical_loss import DistanceLoss, EntropyLoss
from tests.measures.disclosure.population import CATEGORIES, NAMES, NUMBERS, TREES, people
from tests.measures.files import categories, perturbed, suppressed
from tests.tables import numbers

TABLE = people(500, 2)
METHODS = {
    "independent-noise": (NUMBERS, {}),
    "correlated-noise": (NUMBERS, {}),
    "rank-swapping": ((*NUMBERS, "school"), {"window": "5"}),
    "pram": (CATEGORIES, {}),
    "generalization": (CATEGORIES, {}),
    "global-recoding": (CATEGORIES, {}),
}


def tables_apart(table, masked, names):
    """Mean share of records that stand elsewhere in tables of one and of two attributes."""
    apart = []
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    for chosen in [*((name,) for name in names), *pairs]:
        sizes = [len(table.attribute(name).categories) for name in chosen]
        counts = []
        for file in (table, masked):
            cells = np.ravel_multi_index([file[name] for name in chosen], sizes)
            counts.append(np.bincount(cells, minlength=np.prod(sizes)))
        apart.append(100 * np.abs(counts[0] - counts[1]).sum() / (2 * len(table)))
    return np.mean(apart)


def test_categories_lose_on_three_scales_that_end_where_all_is_suppressed():
    masked = perturbed(TABLE, CATEGORIES)
    kinds = [kind(CATEGORIES).against(TABLE) for kind in (DistanceLoss, EntropyLoss)]
    nothing = suppressed(TABLE, CATEGORIES)
    parts = [100 * tables_apart(TABLE, masked, CATEGORIES) / 50]
    parts += [100 * read(masked) / read(nothing) for read in kinds]
    assert StrictLoss(CATEGORIES).against(TABLE)(masked) == pytest.approx(np.mean(parts))


def test_no_part_of_a_loss_counts_more_than_everything():
    assert on_scale((80, 10, 5), (50, 20, 10)) == pytest.approx((100 + 50 + 50) / 3)


def test_what_has_no_scale_does_not_count():
    assert on_scale((10, 3, 0), (50, 0, 10)) == pytest.approx((20 + 0) / 2)
    assert on_scale((0.0, 0.0), (0, 0)) == 0
    assert on_scale((0.0, 1.0), (0, 0)) == 100


def test_scales_of_a_constant_attribute_are_those_of_tables_alone():
    table = categories(a=[0, 0, 0])
    assert ends_of_scales(table, ("a",))[1:] == (0, 0)
    assert StrictLoss(("a",)).against(table)(table) == 0


def test_a_mean_that_moved_is_as_surprising_as_in_a_sample_of_a_thousand():
    """One number moved by a tenth of its deviation: only mean and quantiles have changed."""
    values = np.random.default_rng(0).normal(size=20_000)
    table = numbers(x=values)
    moved = values + 0.1 * values.std()
    cuts = np.sort(values)[np.ceil(np.arange(5, 100, 5) / 100 * len(values)).astype(int) - 1]
    shares = [np.mean(file[:, None] <= cuts, axis=0) for file in (values, moved)]
    errors = np.sqrt(shares[0] * (1 - shares[0]) / 1000)
    quantiles = 2 * norm.cdf(np.abs(shares[1] - shares[0]) / errors) - 1
    mean = 2 * norm.cdf(0.1 * np.sqrt(1000)) - 1
    expected = 100 * np.mean([mean, 0, quantiles.mean()])
    found = StrictLoss(("x",)).against(table)(table.with_columns({"x": moved}))
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("parts", [2, 5, 10])
def test_an_interval_loses_the_share_of_ranks_that_it_covers(parts):
    """Whole blocks of equally many values keep all quantiles but lose precision."""
    n = 1000
    table = numbers(x=np.arange(n))
    low = np.arange(parts) * (n / parts)
    cells = Intervals(tuple(map(str, low)), low, low + n / parts - 1)
    masked = table.with_recoded("x", np.arange(n) // (n // parts), cells)
    covered = (n / parts - 1) / (n - 1)
    assert StrictLoss(("x",)).against(table)(masked) == pytest.approx(100 * covered)


@pytest.mark.parametrize("name", METHODS)
def test_the_loss_is_the_same_at_any_number_of_records(name):
    names, parameters = METHODS[name]
    method = method_named(name).build(names, parameters, {"hierarchies": TREES})
    losses = []
    for n in (10_000, 60_000):
        table = people(n, n)
        reading = StrictLoss(NAMES).against(table)
        files = [method.mask(table, np.random.default_rng(seed)) for seed in range(3)]
        losses.append(np.mean([reading(file) for file in files]))
    assert losses[0] > 0.5
    assert losses[0] == pytest.approx(losses[1], abs=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_the_loss_of_a_million_records_is_that_of_ten_thousand(name):
    names, parameters = METHODS[name]
    method = method_named(name).build(names, parameters, {"hierarchies": TREES})
    losses = []
    for n in (10_000, 1_000_000):
        table = people(n, n)
        masked = method.mask(table, np.random.default_rng(0))
        losses.append(StrictLoss(NAMES).against(table)(masked))
    assert losses[0] == pytest.approx(losses[1], abs=1)
