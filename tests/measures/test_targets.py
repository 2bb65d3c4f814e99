"""Sampled targets against all targets, and their standard errors."""

import numpy as np
import pytest

from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.masking.noise import IndependentNoise
from evomask.masking.randomization.pram import Pram
from evomask.masking.rank_swapping import RankSwapping
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.targets import ALL_TARGETS, TargetSample
from tests.measures.disclosure.population import CATEGORIES, NAMES, NUMBERS, people

TABLE = people(3000, 1)
SOME = 400
MASKED = {
    "original": TABLE,
    "noise": IndependentNoise(NUMBERS, 20).mask(TABLE, np.random.default_rng(1)),
    "pram": Pram(CATEGORIES).mask(TABLE, np.random.default_rng(1)),
    "swapping": RankSwapping(NUMBERS, 8).mask(TABLE, np.random.default_rng(1)),
    "mondrian": Mondrian(NAMES, 5).mask(TABLE, np.random.default_rng(1)),
}


def parts(judged):
    return [
        part
        for part in (judged.reidentification, judged.attribute_disclosure, judged.confidential)
        if part
    ]


@pytest.mark.parametrize("masked", MASKED.values(), ids=MASKED)
def test_a_sample_agrees_with_everyone_within_four_standard_errors(masked):
    everyone = DisclosureRisk(NAMES, people=ALL_TARGETS).against(TABLE).assess(masked)
    sampled = DisclosureRisk(NAMES, people=SOME).against(TABLE).assess(masked)
    assert (sampled.people, everyone.people) == (SOME, len(TABLE))
    assert sampled.is_sampled
    assert not everyone.is_sampled
    for found, truth in zip(parts(sampled), parts(everyone), strict=True):
        assert truth.error == 0
        assert abs(found.percent - truth.percent) <= 4 * found.error


CHANCES = {
    "by what is known": lambda classes: 1 / classes.sizes,
    "by their place": lambda classes: np.linspace(0, 1, len(classes)),
    "as it happens": lambda classes: np.random.default_rng(1).random(len(classes)) ** 3,
}


@pytest.mark.parametrize("chances", CHANCES.values(), ids=CHANCES)
@pytest.mark.parametrize("names", [("school", "region"), CATEGORIES, NAMES])
def test_standard_errors_are_honest(names, chances):
    everyone = TargetSample.of(TABLE, names, ALL_TARGETS, 0)
    values = chances(everyone.classes)
    truth = everyone.mean(values)
    within, total = 0, 300
    for seed in range(total):
        sample = TargetSample.of(TABLE, names, SOME, seed)
        found = values[sample.chosen]
        within += abs(sample.mean(found) - truth) <= 2 * sample.error(found)
    assert within >= 0.93 * total


def test_standard_errors_of_what_is_read_are_honest():
    masked = MASKED["noise"]
    truth = DisclosureRisk(NUMBERS, people=ALL_TARGETS).against(TABLE).assess(masked)
    readings = [
        DisclosureRisk(NUMBERS, people=SOME, seed=seed).against(TABLE) for seed in range(60)
    ]
    judged = [reading.assess(masked) for reading in readings]
    for part in ("reidentification", "attribute_disclosure"):
        found = [getattr(sampled, part) for sampled in judged]
        off = [abs(f.percent - getattr(truth, part).percent) / f.error for f in found]
        assert np.mean(np.array(off) <= 2) >= 0.9


def test_the_mean_over_many_samples_is_that_of_everyone():
    everyone = TargetSample.of(TABLE, NAMES, ALL_TARGETS, 0)
    values = 1 / everyone.classes.sizes
    drawn = [TargetSample.of(TABLE, NAMES, SOME, seed) for seed in range(300)]
    means = [sample.mean(values[sample.chosen]) for sample in drawn]
    error = np.std(means) / np.sqrt(len(means))
    assert np.mean(means) == pytest.approx(everyone.mean(values), abs=4 * error + 1e-9)


def test_small_files_are_attacked_as_a_whole():
    sample = TargetSample.of(TABLE, NAMES, len(TABLE), 5)
    assert sample.is_everyone
    assert sample.size == len(TABLE)
    assert sample.error(np.arange(len(sample.chosen)).astype(float)) == 0


def test_people_are_spread_evenly_over_classes():
    sample = TargetSample.of(TABLE, ("region",), 300, 2)
    expected = sample.classes.sizes[sample.chosen] / 10
    assert np.abs(sample.weights - expected).max() < 2
    assert sample.size == 300


def test_the_same_seed_draws_the_same_people_in_any_order_of_records():
    order = np.random.default_rng(1).permutation(len(TABLE))
    first, second = (TargetSample.of(table, NAMES, SOME, 3) for table in (TABLE, TABLE.take(order)))
    assert np.array_equal(first.chosen, second.chosen)
    assert np.array_equal(first.weights, second.weights)
    assert not np.array_equal(first.chosen, TargetSample.of(TABLE, NAMES, SOME, 4).chosen)


def test_what_members_of_a_class_have_is_averaged():
    sample = TargetSample.of(TABLE, ("region",), ALL_TARGETS, 0)
    records, _ = sample.members
    incomes = TABLE["income"][records]
    by_hand = [incomes[TABLE["region"][records] == region].mean() for region in range(9)]
    assert sample.within(incomes) == pytest.approx(np.array(by_hand))
