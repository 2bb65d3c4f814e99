import numpy as np
import pytest

from evomask.data.distance import Standardizer
from evomask.kernels.groups.mixed_mdav import city_block_mdav
from evomask.masking.microaggregation.mdav import Mdav
from evomask.measures.papers.distance_linkage import ReverseDistanceLinkage, unique
from evomask.measures.papers.interval_disclosure import RelativeInterval
from evomask.searches.grouping.components import Microaggregations, ThesisMicroaggregations
from tests.searches.grouping.conftest import numbers

GROUPINGS = {
    "one": [(0, 1, 2, 3, 4, 5)],
    "two": [(0, 2, 5), (1, 3, 4)],
    "three": [(3,), (0, 1), (2, 4, 5)],
    "single": [(i,) for i in range(6)],
}


def masked_by_hand(table, groups, k):
    for group in groups:
        method = Mdav(tuple(f"a{i}" for i in group), k)
        table = method.mask(table, np.random.default_rng(0))
    return table


@pytest.fixture(params=GROUPINGS)
def case(request, table):
    groups = GROUPINGS[request.param]
    found = Microaggregations(table, table.schema.names, 4).components(groups)
    return table, masked_by_hand(table, groups, 4), found


def test_information_loss_is_the_share_of_squares_within_clusters(case):
    original, masked, found = case
    names = original.schema.names
    scale = Standardizer.of(original.matrix(names))
    before, after = scale(original.matrix(names)), scale(masked.matrix(names))
    assert found.il == pytest.approx(100 * np.sum((before - after) ** 2) / np.sum(before**2))


def test_interval_disclosure_is_the_measure(case):
    original, masked, found = case
    assert found.id == pytest.approx(
        RelativeInterval(original.schema.names).against(original)(masked)
    )


def test_linkage_is_the_measure_where_a_tie_is_no_link(case):
    original, masked, found = case
    measure = ReverseDistanceLinkage(original.schema.names, unique)
    assert found.dld == pytest.approx(measure.against(original)(masked))


def test_with_several_intruders_linkage_is_the_mean_over_what_they_know(table):
    groups, sets = GROUPINGS["three"], [(0, 3), (1, 2, 3, 5), (4,)]
    found = Microaggregations(table, table.schema.names, 4, tuple(sets)).components(groups)
    masked = masked_by_hand(table, groups, 4)
    each = [
        ReverseDistanceLinkage(tuple(f"a{i}" for i in known), unique).against(table)(masked)
        for known in sets
    ]
    assert found.dld == pytest.approx(np.mean(each))
    assert max(each) > 0


def test_an_intruder_who_knows_all_is_the_usual_one(table):
    usual, told = (
        Microaggregations(table, table.schema.names, 4, intruders).components(GROUPINGS["two"])
        for intruders in ((), ((0, 1, 2, 3, 4, 5),))
    )
    assert usual == told


def test_the_score_is_the_mean_of_loss_and_risk(case):
    *_, found = case
    assert found.score == pytest.approx(found.il / 2 + found.id / 4 + found.dld / 4)


def test_one_group_links_nobody(table):
    assert Microaggregations(table, table.schema.names, 2).components(GROUPINGS["one"]).dld == 0.0


def test_missing_values_are_read_as_the_measures_read_them():
    table = numbers(40, 6)
    holes = np.random.default_rng(5).random((40, 6)) < 0.1
    values = np.where(holes, np.nan, table.matrix(table.schema.names))
    table = table.with_columns(dict(zip(table.schema.names, values.T, strict=True)))
    groups = GROUPINGS["three"]
    found = Microaggregations(table, table.schema.names, 4).components(groups)
    masked = masked_by_hand(table, groups, 4)
    names = table.schema.names
    assert found.id == pytest.approx(RelativeInterval(names).against(table)(masked))
    linkage = ReverseDistanceLinkage(names, unique).against(table)
    assert found.dld == pytest.approx(linkage(masked))


def test_a_group_is_microaggregated_once(table):
    parts = Microaggregations(table, table.schema.names, 4)
    parts.components(GROUPINGS["two"])
    parts.components([(0, 2, 5), (1,), (3, 4)])
    assert parts.masked.cache_info().misses == 4


def test_the_thesis_reads_all_on_attributes_scaled_to_one(table):
    """With one group nobody is linked; loss and intervals by the formulas."""
    names = table.schema.names
    values = table.matrix(names)
    unit = (values - values.min(axis=0)) / np.ptp(values, axis=0)
    found = ThesisMicroaggregations(table, names, 5).components(GROUPINGS["one"])
    labels = city_block_mdav(unit, 5)
    masked = np.array([unit[labels == label].mean(axis=0) for label in labels])
    within = [np.abs(masked - unit) <= p / 100 * masked for p in range(1, 11)]
    squares = np.sum((unit - masked) ** 2) / np.sum((unit - unit.mean(axis=0)) ** 2)
    assert found == pytest.approx((100 * squares, 100 * np.mean(within), 0.0))
