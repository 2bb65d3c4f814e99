"""Losses and risks added up over parts are those of the whole file."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from evomask.data.hierarchy import hierarchy_from_lines
from evomask.data.recoding import Intervals
from evomask.data.scenario import Scenario, Tolerance
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.measures.chunked.attacks import ChunkedRisk
from evomask.measures.chunked.columns import CountedCategories, CountedNumbers, WholeFile
from evomask.measures.chunked.losses import (
    PublishedLosses,
    moved_numbers,
    pack_statistics,
    tallies_of,
    unpack_statistics,
)
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.loss.loss import InformationLoss, LossReading
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
        Attribute("hours", Kind.CONTINUOUS),
        Attribute("weight", Kind.CONTINUOUS, Role.WEIGHT),
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
            "hours": np.round(rng.normal(20 + 2 * age, 5)),
            "weight": rng.choice([1.0, 2.5], N),
        },
    )


def noise(table):
    """One cell that is not to be masked changes too.

    Otherwise the whole file would show which records are other people's, and its parts do not.
    """
    rng = np.random.default_rng(8)
    town = np.where(rng.random(N) < 0.2, rng.integers(0, 4, N), table["town"])
    hours = np.where(np.arange(N) == 0, table["hours"] + 1, table["hours"])
    income = table["income"] + rng.normal(0, 2, N)
    return table.with_columns({"income": income, "town": town, "hours": hours})


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
            numbers[name] = CountedNumbers(
                name, np.empty(0), distinct, often, len(table) - len(known)
            )
    return WholeFile(numbers, categories, len(table))


def pairs(table, masked):
    for first, end in pairwise((0, 70, 71, 150, len(table))):
        records = np.arange(first, end)
        yield table.take(records), masked.take(records)


def loss_in_chunks(table, masked):
    whole = whole_of(table)
    whole = whole.suppressing() if masked.suppressed.any() else whole
    measure = InformationLoss(NAMES)
    rows = []
    for before, after in pairs(table, masked):
        reading = LossReading(before, measure, whole.column)
        rows.append([pack_statistics(reading.statistics(part)) for part in (before, after)])
    nobody = LossReading(table.take(np.arange(0)), measure, whole.column)
    before, after = (unpack_statistics(nobody, row) for row in np.sum(rows, axis=0))
    return replace(nobody, reference=before).of_statistics(after)


@pytest.mark.parametrize("mask", MASKINGS)
def test_the_loss_of_parts_is_that_of_the_whole(mask):
    table = original()
    masked = mask(table)
    found = loss_in_chunks(table, masked)
    expected = InformationLoss(NAMES).against(table).assess(masked)
    parts = ("loss", "accuracy", "distributions", "relations")
    for part in parts:
        assert getattr(found, part) == pytest.approx(getattr(expected, part), abs=1e-9)
        for name in NAMES:
            one, other = found.attributes[name], expected.attributes[name]
            assert getattr(one, part) == pytest.approx(getattr(other, part), abs=1e-9)


@pytest.mark.parametrize("mask", MASKINGS)
def test_published_losses_of_parts_are_those_of_the_whole(mask):
    table = original()
    masked, names = mask(table), ("age", "sex", "town")
    whole = whole_of(table)
    whole = whole.suppressing() if masked.suppressed.any() else whole
    moved, tallies = [], {}
    for before, after in pairs(table, masked):
        moved.append(moved_numbers(whole, before, after, ["income"]))
        for name, (keys, counts) in tallies_of(whole, before, after, names).items():
            total = tallies.setdefault(name, {})
            for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
                total[key] = total.get(key, 0) + count
    added = {
        name: (np.array(list(total)), np.array(list(total.values())))
        for name, total in tallies.items()
    }
    cells = whole.cells(masked, names)
    found = PublishedLosses(whole, names, cells, added, np.sum(moved, axis=0)).measures()
    assert found["dbil"] == pytest.approx(DistanceLoss(NAMES).against(table)(masked))
    assert found["ctbil"] == pytest.approx(ContingencyLoss(names).against(table)(masked))
    assert found["ebil"] == pytest.approx(EntropyLoss(names).against(table)(masked))


SCENARIOS = (
    Scenario(name="register", knows=("age", "sex")),
    Scenario(
        name="colleague", knows=("town",), knows_about={"income": Tolerance(0.2, is_relative=True)}
    ),
    Scenario(name="anybody", any=2, of=("age", "sex", "town"), takes_part=False, sure=0.8),
)


def counted(table, kept):
    """Distinct records with their counts; records are equal if all cells are."""
    found = {}
    for record in kept.tolist():
        cells = (*(table[name][record] for name in table.schema.names), table.suppressed[record])
        key = tuple("missing" if cell != cell else float(cell) for cell in cells)
        first, times = found.get(key, (record, 0))
        found[key] = first, times + 1
    records, counts = zip(*found.values(), strict=True)
    return np.array(records), np.array(counts)


def risk_in_chunks(table, masked, people, scenarios=(), control=None):
    whole = whole_of(table)
    whole = whole.suppressing() if masked.suppressed.any() else whole
    measure = DisclosureRisk(NAMES, people=people, scenarios=scenarios)
    risk = ChunkedRisk.draw(table, masked, measure, whole, control)
    starts = np.cumsum([0, *(len(part) for part, _ in pairs(table, masked))])
    near, alike = [], []
    for start, (before, after) in zip(starts, pairs(table, masked), strict=False):
        near.append(start + risk.nearest(after))
        alike.append(risk.count_alike(before))
    records, counts = counted(masked, np.concatenate(near))
    sums = tuple(np.sum(own, axis=0) for own in zip(*alike, strict=True))
    return replace(risk, alike=sums).assess(masked.take(records), counts)


def same_risk(found, expected):
    assert [one.name for one in found.scenarios] == [one.name for one in expected.scenarios]
    for one, other in zip(found.scenarios, expected.scenarios, strict=True):
        assert list(one.parts) == list(other.parts)
        for name, part in other.parts.items():
            assert one.parts[name].percent == pytest.approx(part.percent, abs=1e-9)
            assert one.parts[name].error == pytest.approx(part.error, abs=1e-9)
        assert one.at_risk == pytest.approx(other.at_risk, abs=1e-9)
    assert (found.people, found.records) == (expected.people, expected.records)


@pytest.mark.parametrize("mask", MASKINGS)
def test_intruders_in_chunks_achieve_what_they_do_on_the_whole(mask):
    table = original()
    masked = mask(table)
    expected = DisclosureRisk(NAMES, people=ALL_TARGETS).against(table).assess(masked)
    assert expected.confidential is not None
    same_risk(risk_in_chunks(table, masked, ALL_TARGETS), expected)


def test_chunks_never_show_less_risk_where_the_whole_tells_other_people_apart():
    table = original()
    masked = noise(table).with_columns({"hours": table["hours"]})
    scenario = Scenario(name="few", knows=("age", "sex", "town"))
    measure = DisclosureRisk(NAMES, people=ALL_TARGETS, scenarios=(scenario,))
    whole = measure.against(table).assess(masked).reidentification.percent
    parts = risk_in_chunks(table, masked, ALL_TARGETS, (scenario,)).reidentification.percent
    assert whole < parts


@pytest.mark.parametrize("mask", [noise, intervals, renamed])
def test_scenarios_in_chunks_are_those_of_the_whole_with_a_control_group(mask):
    table, others = original().take(np.arange(180)), original().take(np.arange(180, N))
    masked = mask(original()).take(np.arange(180))
    measure = DisclosureRisk(NAMES, people=ALL_TARGETS, scenarios=SCENARIOS)
    expected = measure.against(table, others).assess(masked)
    assert expected.control == len(others)
    same_risk(risk_in_chunks(table, masked, ALL_TARGETS, SCENARIOS, others), expected)


def test_a_sample_of_people_comes_within_its_errors():
    table = original()
    masked = noise(table)
    found = risk_in_chunks(table, masked, 60)
    exact = DisclosureRisk(NAMES, people=ALL_TARGETS).against(table).assess(masked)
    assert (found.people, found.records) == (60, N)
    for name, part in exact.parts.items():
        assert found.parts[name].error > 0
        assert abs(found.parts[name].percent - part.percent) < 4 * found.parts[name].error


def test_people_who_look_alike_are_counted_in_every_chunk():
    table = original()
    scenario = Scenario(name="few", knows=("sex", "town"))
    measure = DisclosureRisk(NAMES, people=ALL_TARGETS, scenarios=(scenario,))
    risk = ChunkedRisk.draw(table, table, measure, whole_of(table))
    (found,) = np.sum([risk.count_alike(before) for before, _ in pairs(table, table)], axis=0)
    keys = table["sex"] * 4 + table["town"]
    assert sorted(found.tolist()) == sorted(np.unique(keys, return_counts=True)[1].tolist())
