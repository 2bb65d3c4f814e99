"""Losses and risks added up over parts are those of the whole file."""

from itertools import pairwise

import numpy as np
import pytest

from evomask.data.classes import classes_of
from evomask.data.hierarchy import hierarchy_from_lines
from evomask.data.recoding import Intervals
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.measures.chunked.attacks import (
    STRANGERS,
    Preparing,
    counted_rows,
    drawn_from,
    merged_rows,
    met_in,
    met_in_all,
)
from evomask.measures.chunked.columns import CountedCategories, CountedNumbers, WholeFile
from evomask.measures.chunked.losses import Lost, added_up, number_sums, tallies_of
from evomask.measures.disclosure.risk import StrictRisk
from evomask.measures.loss.loss import StrictLoss
from evomask.measures.papers.categorical_loss import ContingencyLoss, DistanceLoss, EntropyLoss
from evomask.measures.targets import ALL_TARGETS

N = 240
NAMES = ("age", "income", "sex", "town")
QUASI = Role.QUASI_IDENTIFIER
SCHEMA = Schema(
    (
        Attribute("age", Kind.ORDINAL, QUASI, tuple(map(str, range(8)))),
        Attribute("income", Kind.CONTINUOUS, QUASI),
        Attribute("sex", Kind.NOMINAL, QUASI, ("f", "m")),
        Attribute("town", Kind.NOMINAL, QUASI, ("a", "b", "c", "d")),
        Attribute("health", Kind.NOMINAL, Role.CONFIDENTIAL, ("good", "bad", "fair")),
        Attribute("debt", Kind.CONTINUOUS, Role.CONFIDENTIAL),
    )
)


def original():
    rng = np.random.default_rng(5)
    age = rng.integers(0, 8, N)
    income = np.round(np.exp(rng.normal(2 + 0.1 * age, 0.4)), 1)
    income[::37] = np.nan
    return Table(
        SCHEMA,
        {
            "age": age,
            "income": income,
            "sex": rng.integers(0, 2, N),
            "town": rng.integers(0, 4, N),
            "health": rng.integers(0, 3, N),
            "debt": np.round(rng.exponential(5, N)),
        },
    )


def noise(table):
    rng = np.random.default_rng(8)
    town = np.where(rng.random(N) < 0.2, rng.integers(0, 4, N), table["town"])
    return table.with_columns({"income": table["income"] + rng.normal(0, 2, N), "town": town})


def generalized(table):
    tree = hierarchy_from_lines([(str(v), "young" if v < 4 else "old", "*") for v in range(8)])
    return table.with_recoded("age", tree.ancestors(1)[table["age"]], tree.recoding(1))


def intervals(table):
    ends = np.array([0.0, 6.0, 9.0, 14.0, 90.0])
    codes = np.searchsorted(ends, np.nan_to_num(table["income"], nan=1.0), "right") - 1
    cells = Intervals(tuple("abcd"), ends[:-1], ends[1:])
    return generalized(table).with_recoded("income", codes, cells)


def suppressed(table):
    flags = np.zeros(N, dtype=bool)
    flags[[3, 50, 51, 200]] = True
    return generalized(table).suppressing(flags)


def renamed(table):
    return table.with_columns({"town": (table["town"] + 1) % 4})


def hidden(table):
    """Some cells that may be anything, so that one intruder passes them over."""
    tree = hierarchy_from_lines([(name, "*") for name in "abcd"])
    recoding = tree.recoding(0).with_suppressed_cell()
    codes = np.where(np.arange(N) % 9 == 0, 4, table["town"])
    return table.with_recoded("town", codes, recoding)


MASKINGS = (noise, generalized, intervals, suppressed, renamed, hidden, lambda table: table)


def whole_of(table):
    numbers, categories = {}, {}
    for attribute in table.schema:
        name = attribute.name
        if attribute.is_categorical:
            counts = np.bincount(table.codes(name), minlength=len(attribute.categories))
            categories[name] = CountedCategories(attribute, np.empty(0, np.int32), counts)
        else:
            known = table.values(name)[~np.isnan(table.values(name))]
            distinct, often = np.unique(known, return_counts=True)
            numbers[name] = CountedNumbers(name, np.empty(0), distinct, often, N - len(known))
    return WholeFile(numbers, categories, len(table))


def pairs(table, masked, cuts=(0, 70, 71, 190, N)):
    for first, end in pairwise(cuts):
        records = np.arange(first, end)
        yield table.take(records), masked.take(records)


def lost_of(table, masked):
    whole = whole_of(table)
    whole = whole.suppressing() if masked.suppressed.any() else whole
    categories = [n for n in NAMES if n in whole.categories]
    numbers = [n for n in NAMES if n in whole.numbers]
    sums, tallies = [], {}
    for before, after in pairs(table, masked):
        sums.append(number_sums(whole, before, after, numbers))
        for name, (keys, counts) in tallies_of(whole, before, after, categories).items():
            total = tallies.setdefault(name, {})
            for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
                total[key] = total.get(key, 0) + count
    added = {
        name: (np.array(list(total)), np.array(list(total.values())))
        for name, total in tallies.items()
    }
    return Lost(whole, NAMES, whole.cells(masked, categories), added, added_up(sums))


@pytest.mark.parametrize("mask", MASKINGS)
def test_the_loss_of_parts_is_that_of_the_whole(mask):
    table = original()
    masked = mask(table)
    lost = lost_of(table, masked)
    assert lost.loss(NAMES) == pytest.approx(StrictLoss(NAMES).against(table)(masked), abs=1e-9)
    for name in NAMES:
        alone = StrictLoss((name,)).against(table)(masked)
        assert lost.loss((name,)) == pytest.approx(alone, abs=1e-9)


@pytest.mark.parametrize("mask", MASKINGS)
def test_single_losses_of_parts_are_those_of_the_whole(mask):
    table = original()
    masked, names = mask(table), ("age", "sex", "town")
    found = lost_of(table, masked).measures()
    assert found["dbil"] == pytest.approx(DistanceLoss(NAMES).against(table)(masked))
    assert found["ctbil"] == pytest.approx(ContingencyLoss(names).against(table)(masked))
    assert found["ebil"] == pytest.approx(EntropyLoss(names).against(table)(masked))


def judged_in_parts(table, masked, people):
    whole = whole_of(table)
    whole = whole.suppressing() if masked.suppressed.any() else whole
    drawn = drawn_from(table, people, NAMES)
    categories = [n for n in drawn.names if n in whole.categories]
    met = met_in_all(met_in(whole, drawn, *pair) for pair in pairs(table, masked))
    cells = [whole.category(table, name).cells(masked) for name in categories]
    joints = [
        whole.category(table, name).joint_counts(own)
        for name, own in zip(categories, cells, strict=True)
    ]
    raid = Preparing(whole, drawn, whole.cells(masked, categories), met, joints).raid()
    found = [raid.looked_at(whole, *pair) for pair in pairs(table, masked)]
    assert STRANGERS in found[0]
    gathered = {name: np.concatenate([part[name] for part in found]) for name in found[0]}
    return raid.judged(gathered)


@pytest.mark.parametrize("mask", MASKINGS)
def test_intruders_on_everybody_in_parts_achieve_what_they_do_on_the_whole(mask):
    table = original()
    masked = mask(table)
    judged, before = judged_in_parts(table, masked, N)
    read = StrictRisk(NAMES, people=ALL_TARGETS).against(table)
    expected = read.judged(masked)
    assert list(judged.parts) == list(expected.parts)
    for name, part in expected.parts.items():
        assert judged.parts[name].percent == pytest.approx(part.percent, abs=1e-9)
        assert judged.parts[name].error == 0.0
    assert before.risk == pytest.approx(read.of_original.risk, abs=1e-9)
    assert (judged.people, judged.records) == (N, N)


def test_a_sample_of_people_comes_within_its_errors():
    table = original()
    masked = noise(table)
    judged, _ = judged_in_parts(table, masked, 60)
    exact = StrictRisk(NAMES, people=ALL_TARGETS).against(table).judged(masked)
    assert judged.people == 60
    for name, part in exact.parts.items():
        found = judged.parts[name]
        assert found.error > 0
        assert abs(found.percent - part.percent) < 4 * found.error


def test_people_who_look_alike_are_met_in_every_part():
    table = original()
    drawn = drawn_from(table, N, ("sex", "town"))
    met = met_in_all(met_in(whole_of(table), drawn, *pair) for pair in pairs(table, table))
    sizes = classes_of(table, ("sex", "town")).sizes
    assert np.bincount(met.people[:, 0].astype(int), met.people[:, -1]).tolist() == sizes.tolist()


def test_rows_of_many_parts_are_each_there_once_with_the_counts_of_all():
    rng = np.random.default_rng(2)
    parts = [np.column_stack([rng.integers(0, 4, (30, 2)), np.ones(30)]) for _ in range(9)]
    parts[3][0, 0] = np.nan
    whole = np.concatenate(parts)
    merged = merged_rows(iter(parts))
    assert np.array_equal(merged, counted_rows(whole[:, :-1], whole[:, -1]), equal_nan=True)
    assert merged[:, -1].sum() == 270
