"""The strict loss: its parts by hand, and the same figure at any number of records."""

import numpy as np
import pytest
from scipy.stats import norm

from evomask.data.recoding import Intervals
from evomask.masking.catalogue import method_named
from evomask.measures.judging.loss import StrictLoss, ends_of_scales, on_scale
from evomask.measures.loss.distance import DistanceLoss
from evomask.measures.loss.entropy import EntropyLoss
from tests.measures.files import categories, perturbed, suppressed
from tests.measures.judging.population import CATEGORIES, NAMES, NUMBERS, TREES, people
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


def surprise(apart, variance):
    """How likely a sample of a hundred would differ less."""
    return 2 * norm.cdf(np.abs(apart) / np.sqrt(variance / 100)) - 1


def quantiles_lost(values, masked):
    """The mean surprise of the shares of values up to nineteen quantiles."""
    cuts = np.sort(values)[np.ceil(np.arange(5, 100, 5) / 100 * len(values)).astype(int) - 1]
    before, after = (np.mean(file[:, None] <= cuts, axis=0) for file in (values, masked))
    return surprise(after - before, before * (1 - before)).mean()


def test_a_mean_that_moved_is_as_surprising_as_in_a_sample_of_a_hundred():
    """One number moved by a tenth of its deviation: only mean and quantiles have changed."""
    values = np.random.default_rng(0).normal(size=20_000)
    table = numbers(x=values)
    moved = values + 0.1 * values.std()
    expected = 100 * np.mean([surprise(0.1, 1), 0, quantiles_lost(values, moved)])
    found = StrictLoss(("x",)).against(table)(table.with_columns({"x": moved}))
    assert found == pytest.approx(expected)


def test_of_several_numbers_quantiles_and_relations_count_and_no_means_or_variances():
    """Of two correlated numbers one is moved and stretched: their correlation stays."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=20_000)
    y = x + rng.normal(size=20_000)
    moved = 0.3 + 1.2 * x
    a, b = ((file - file.mean()) / file.std() for file in (x, y))
    r = np.mean(a * b)
    covariances = surprise(0.2 * r, np.mean(a**2 * b**2) - r**2)
    quantiles = np.mean([quantiles_lost(x, moved), 0])
    table = numbers(x=x, y=y)
    found = StrictLoss(("x", "y")).against(table)(table.with_columns({"x": moved}))
    assert found == pytest.approx(100 * np.mean([covariances, 0, quantiles]))


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
