"""Contracts of the loss and the risk, over the whole catalogue of masking methods."""

import numpy as np
import pytest

from evomask.data.recoding import Intervals
from evomask.masking.catalogue import METHODS
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.masking.recoding.global_recoding import Generalization
from evomask.measures.disclosure.privacy_models import k_anonymity
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.loss.loss import InformationLoss
from evomask.testing import check_judge
from tests.measures.disclosure.population import CATEGORIES, NAMES, NUMBERS, SCHEMA, TREES, people

N = 400
TABLE = people(N)
LOSS = InformationLoss(NAMES).against(TABLE)
RISK = DisclosureRisk(NAMES).against(TABLE)
KINDS = {"numbers": NUMBERS, "categories": CATEGORIES, "both": NAMES}
DRAWS = 8
WORSE_THAN_NOTHING = 0.25
"""Points that a loss may fall where a twentieth of the cells, wrong before, are suppressed."""


def method_of(entry):
    names = [name for name in NAMES if SCHEMA[name].kind in entry.kinds]
    sizes = {name: len(SCHEMA[name].categories) for name in CATEGORIES}
    matrices = {name: np.full((s, s), 0.3 / s) + 0.7 * np.eye(s) for name, s in sizes.items()}
    return entry.build(names, {}, {"hierarchies": TREES, "matrices": matrices})


MASKED = {entry.name: method_of(entry).mask(TABLE, np.random.default_rng(1)) for entry in METHODS}
EVERY = pytest.mark.parametrize("masked", MASKED.values(), ids=MASKED)


def draws():
    return [np.random.default_rng([5, number]) for number in range(DRAWS)]


def records(rng, count):
    return np.isin(np.arange(N), rng.choice(N, count, replace=False))


def with_stars(table, name, rows):
    """Suppress some cells of one attribute."""
    if table.attribute(name).is_categorical:
        cells = table.recoding(name).with_suppressed_cell()
        codes = np.where(rows, len(cells.labels) - 1, table[name])
        return table.with_recoded(name, codes, cells)
    values, (low, high) = TABLE.values(name), table.ends(name)
    low, high = np.where(rows, values.min(), low), np.where(rows, values.max(), high)
    labels = tuple(str(record) for record in range(N))
    return table.with_recoded(name, np.arange(N), Intervals(labels, low, high))


@pytest.mark.parametrize("kind", [InformationLoss, DisclosureRisk])
@pytest.mark.parametrize("names", KINDS.values(), ids=KINDS)
def test_loss_and_risk_obey_the_laws_of_judges(kind, names):
    check_judge(kind(names), lambda: TABLE)


@pytest.mark.parametrize("kind", [InformationLoss, DisclosureRisk])
def test_loss_and_risk_obey_the_laws_where_values_are_missing(kind):
    check_judge(kind(("age", "income", "school", "region")))


@EVERY
def test_suppressing_all_that_is_left_loses_everything(masked):
    nothing = masked.suppressing(np.ones(N, dtype=bool))
    assert LOSS(nothing) == pytest.approx(100)
    assert RISK(nothing) == pytest.approx(100 / N)


@EVERY
@pytest.mark.parametrize("count", [1, 20, 200])
def test_suppressing_more_records_never_lowers_the_loss(masked, count):
    after = np.mean([LOSS(masked.suppressing(records(rng, count))) for rng in draws()])
    assert after >= LOSS(masked) - 0.05


@EVERY
@pytest.mark.parametrize("name", NAMES)
def test_suppressing_more_cells_hardly_ever_lowers_the_loss(masked, name):
    files = [with_stars(masked, name, records(rng, N // 20)) for rng in draws()]
    assert np.mean([LOSS(file) for file in files]) >= LOSS(masked) - WORSE_THAN_NOTHING


@EVERY
def test_noise_added_to_a_masked_file_never_lowers_the_loss(masked):
    plain = [name for name in NUMBERS if not masked.is_recoded(name)]
    if not plain:
        pytest.skip("its numbers are intervals")
    noise = [
        {n: masked[n] + rng.normal(0, 0.5 * np.std(TABLE[n]), N) for n in plain} for rng in draws()
    ]
    after = np.mean([LOSS(masked.with_columns(changes)) for changes in noise])
    assert after > LOSS(masked)


@pytest.mark.parametrize("name", CATEGORIES)
def test_going_one_level_up_never_lowers_the_loss(name):
    levels = range(TREES[name].height + 1)
    losses = [LOSS(at_levels({name: level})) for level in levels]
    assert losses == sorted(losses)
    assert losses[0] == 0


def at_levels(levels):
    full = tuple(levels.get(name, 0) for name in CATEGORIES)
    return Generalization(CATEGORIES, hierarchies=TREES, levels=full).mask(
        TABLE, np.random.default_rng(0)
    )


def in_fewer_intervals(table, width):
    """Recode both numbers to nested intervals of *width* neighbouring values."""
    for name in NUMBERS:
        values, places = np.unique(TABLE.values(name), return_inverse=True)
        codes = places // width
        low = np.array([values[code * width] for code in range(codes.max() + 1)])
        high = np.array([values[code * width : (code + 1) * width][-1] for code in range(len(low))])
        table = table.with_recoded(name, codes, Intervals(tuple(map(str, low)), low, high))
    return table


CHAIN = [
    (width, level) for width, level in [(1, 0), (2, 0), (4, 1), (8, 1), (16, 2), (64, 2), (512, 3)]
]


def test_merging_classes_never_raises_re_identification():
    files = [
        in_fewer_intervals(at_levels(dict.fromkeys(CATEGORIES, level)), width)
        for width, level in CHAIN
    ]
    linked = [RISK.assess(file).reidentification.percent for file in files]
    assert linked == sorted(linked, reverse=True)
    assert linked[0] == 100
    assert linked[-1] == pytest.approx(100 / N)


@pytest.mark.parametrize("k", [2, 5, 20])
@pytest.mark.parametrize("method", [Mondrian, MdavGeneric])
def test_with_k_anonymity_at_most_one_in_k_is_re_identified(method, k):
    masked = method(NAMES, k).mask(TABLE, np.random.default_rng(1))
    assert k_anonymity(masked, NAMES) >= k
    assert RISK.assess(masked).reidentification.percent <= 100 / k + 1e-9


@pytest.mark.parametrize("k", [5, 20])
def test_with_suppression_at_most_one_in_k_is_re_identified(k):
    masked = at_levels(dict.fromkeys(CATEGORIES, 2))
    masked = in_fewer_intervals(masked, 64)
    columns = [masked[name] for name in NAMES]
    _, labels, sizes = np.unique(columns, axis=1, return_inverse=True, return_counts=True)
    left = masked.suppressing(sizes[labels] < k)
    assert 0 < left.suppressed.sum() < N
    assert RISK.assess(left).reidentification.percent <= 100 / k + 1e-9


def test_permuted_records_and_labels_protect_few():
    """Labels are then recovered by frequencies, which are not all distinct."""
    many = people(2000, 3)
    reading = DisclosureRisk(CATEGORIES).against(many)
    sizes = {name: len(SCHEMA[name].categories) for name in CATEGORIES}
    moved = {n: np.roll(np.arange(s), 1)[many.codes(n)] for n, s in sizes.items()}
    both = many.with_columns(moved).take(np.random.default_rng(1).permutation(len(many)))
    assert reading(both) >= 0.8 * reading(many)


@EVERY
def test_suppressing_records_protects_no_other_record(masked):
    left_out = records(np.random.default_rng(3), N // 20)
    before, after = (RISK.assess(file) for file in (masked, masked.suppressing(left_out)))
    assert after.reidentification.percent >= 0.85 * before.reidentification.percent
    assert after.risk >= 0.85 * before.risk - 2
