"""Records of all kinds: distances as specified, optimum by looking at all, released values."""

import numpy as np
import pytest

from evomask.data.distance import Standardizer, category_distances, impute_medians
from evomask.data.partition import canonical, group_sizes
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.evolution.stopping import Budget
from evomask.masking.microaggregation.aggregation import aggregate
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.missing import APART
from evomask.runs.inputs import Input, load
from evomask.searches.partition.genome import embed
from evomask.searches.partition.search import Algorithm, Parameters
from evomask_papers.partition.hybrid import searched
from tests.kernels.groups.test_exact import all_partitions
from tests.tables import mixed

QUASI = "age", "income", "school", "region"


def squared_distances(table, names):
    """As specified: standardised numbers, ranks over the domain, 0 or 1; missing numbers apart."""
    apart = np.zeros((len(table), len(table)))
    for name in names:
        attribute = table.attribute(name)
        if attribute.is_categorical:
            codes = table.codes(name)
            apart += category_distances(attribute)[np.ix_(codes, codes)] ** 2
        else:
            missing = np.isnan(table.matrix((name,)))
            column = impute_medians(table.matrix((name,)))
            column = Standardizer.of(column)(column)
            apart += (column - column.T) ** 2 + APART**2 * (missing != missing.T)
    return apart


def cost(apart, labels):
    """Over all groups, the sum over pairs of squared distances over the size."""
    groups = [np.flatnonzero(labels == g) for g in range(max(labels) + 1)]
    return sum(apart[np.ix_(own, own)].sum() / (2 * len(own)) for own in groups)


def distance_to_aggregates(table, names, labels):
    """Squared distances of all records to what is released of them."""
    masked = aggregate(table, names, labels)
    total = 0.0
    for name in names:
        attribute = table.attribute(name)
        if attribute.is_categorical:
            between = category_distances(attribute)[table.codes(name), masked.codes(name)]
        else:
            scale = Standardizer.of(impute_medians(table.matrix((name,))))
            columns = [scale(impute_medians(t.matrix((name,)))) for t in (table, masked)]
            between = columns[0] - columns[1]
        total += float(np.sum(between**2))
    return total


def test_squared_distances_are_those_specified_for_all_kinds_and_missing_values():
    table = mixed(40)
    points = embed(table, QUASI)
    found = np.sum((points[:, None] - points[None]) ** 2, axis=2)
    assert found == pytest.approx(squared_distances(table, QUASI))


def test_a_missing_rank_is_far_from_every_other():
    size = Attribute("size", Kind.ORDINAL, Role.QUASI_IDENTIFIER, ("s", "m", "l", "xl", ""))
    points = embed(Table(Schema((size,)), {"size": np.arange(5)}), ("size",))
    squares = np.sum((points - points[4]) ** 2, axis=1)
    assert squares[[0, 3]] == pytest.approx([1.0, 1.0])
    assert (squares[:4] > 0.75).all()


@pytest.mark.parametrize("algorithm", [Algorithm.MEMETIC, Algorithm.EXACT])
@pytest.mark.parametrize(("n_records", "k", "seed"), [(8, 2, 1), (8, 3, 2), (9, 3, 3), (9, 4, 4)])
def test_the_best_of_all_partitions_is_found(algorithm, n_records, k, seed):
    table = mixed(n_records, seed)
    apart = squared_distances(table, QUASI)
    least = min(cost(apart, np.array(labels)) for labels in all_partitions(n_records, k))
    labels = searched(table, Parameters(k, algorithm), Budget(evaluations=100_000))
    assert cost(apart, labels) == pytest.approx(least)


@pytest.mark.parametrize("algorithm", [Algorithm.MEMETIC, Algorithm.TWO_STEP, Algorithm.MDAV])
def test_every_algorithm_takes_records_of_all_kinds(algorithm):
    labels = searched(mixed(80), Parameters(4, algorithm), Budget(evaluations=50_000))
    assert group_sizes(labels).min() >= 4


GERMAN = {
    "quasi_identifiers": ("EXISTACC", "DURATION", "CREDAMOUNT", "SAVINGS", "PRESEMPLOY", "AGE"),
    "ordinal": ("SAVINGS", "PRESEMPLOY"),
    "nominal": ("EXISTACC",),
}
ADULT = {
    "quasi_identifiers": ("age", "workclass", "education-num", "marital-status", "native-country"),
    "ordinal": ("education-num",),
    "nominal": ("workclass", "marital-status", "native-country"),
    "missing": ("?",),
}


@pytest.mark.parametrize(("file", "said"), [("german_credit", GERMAN), ("adult", ADULT)])
def test_what_is_released_is_a_tenth_nearer_than_by_generic_mdav(reference, file, said):
    whole = load(Input(reference(f"uci/{file}.csv"), **said)).table
    table, names = whole.take(np.arange(500)), said["quasi_identifiers"]
    alone = canonical(MdavGeneric(names, 5).partition(table, np.random.default_rng(0)))
    labels = searched(table, Parameters(5), Budget(evaluations=500_000))
    ours, theirs = (distance_to_aggregates(table, names, found) for found in (labels, alone))
    assert ours < 0.9 * theirs
