"""Scores and profiles."""

import numpy as np
import pytest

from evomask.data.schema import Role
from evomask.errors import ParameterError, SchemaError
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.papers.categorical_loss import ContingencyLoss, DistanceLoss, EntropyLoss
from evomask.measures.papers.continuous_loss import ProbabilisticLoss
from evomask.measures.papers.distance_linkage import DistanceLinkage
from evomask.measures.papers.inference import Inference
from evomask.measures.papers.interval_disclosure import RankInterval
from evomask.measures.papers.probabilistic_linkage import ProbabilisticLinkage
from evomask.measures.profiles import (
    PROFILES,
    IncrementalRisk,
    PapersLoss,
    PapersRisk,
    RiskProfile,
    profile,
    scope,
)
from evomask.measures.score import Mean, Weighted, Worst
from tests.measures.files import categories, perturbed
from tests.tables import mixed

TABLE = mixed(80)
NAMES = TABLE.schema.quasi_identifiers
NUMBERS, CATEGORIES = ("age", "income"), ("school", "region")
MASKED = perturbed(TABLE, NAMES)


def read(measure, masked=MASKED):
    return measure.against(TABLE)(masked)


PARTS = (DistanceLoss(NAMES), RankInterval(NAMES))


def test_the_mean_is_the_average_of_its_parts():
    assert read(Mean(PARTS)) == pytest.approx(np.mean([read(part) for part in PARTS]))


def test_the_worst_is_the_larger_part():
    assert read(Worst(PARTS)) == max(read(part) for part in PARTS)


def test_weights_need_not_sum_to_one():
    first, second = (read(part) for part in PARTS)
    assert read(Weighted(PARTS, (3, 1))) == pytest.approx((3 * first + second) / 4)


@pytest.mark.parametrize("weights", [(1,), (0, 0), (-1, 2), (float("nan"), 1)])
def test_weights_that_mean_nothing_are_refused(weights):
    with pytest.raises(ParameterError, match="weight"):
        Weighted(PARTS, weights)


@pytest.mark.parametrize("score", [Mean, Worst])
def test_a_score_of_nothing_is_refused(score):
    with pytest.raises(ParameterError, match="needs at least one measure"):
        score(())


def categorical_loss():
    kinds = (ContingencyLoss, DistanceLoss, EntropyLoss)
    return np.mean([read(kind(CATEGORIES)) for kind in kinds])


def test_the_papers_loss_of_categories_is_the_mean_of_three():
    assert read(PapersLoss(CATEGORIES)) == pytest.approx(categorical_loss())


def test_the_papers_loss_of_numbers_is_probabilistic():
    assert read(PapersLoss(NUMBERS)) == pytest.approx(read(ProbabilisticLoss(NUMBERS)))


def test_the_papers_mixed_loss_weighs_kinds_by_their_attributes():
    names = ("age", "school", "region")
    expected = (read(ProbabilisticLoss(("age",))) + 2 * categorical_loss()) / 3
    assert read(PapersLoss(names)) == pytest.approx(expected)


def test_risk_of_categories_takes_the_better_linkage():
    linked = max(read(kind(CATEGORIES)) for kind in (DistanceLinkage, ProbabilisticLinkage))
    assert read(PapersRisk(CATEGORIES)) == pytest.approx(
        (read(RankInterval(CATEGORIES)) + linked) / 2
    )


def test_risk_of_numbers_averages_the_linkages():
    parts = [read(m(NUMBERS)) for m in (RankInterval, DistanceLinkage, ProbabilisticLinkage)]
    assert read(PapersRisk(NUMBERS)) == pytest.approx(np.dot(parts, [0.5, 0.25, 0.25]))


def test_mixed_risk_weighs_agreement_of_categories_alone():
    linked = max(read(DistanceLinkage(NAMES)), read(ProbabilisticLinkage(CATEGORIES)))
    assert read(PapersRisk(NAMES)) == pytest.approx((read(RankInterval(NAMES)) + linked) / 2)


def test_a_search_may_leave_probabilistic_linkage_out():
    expected = (read(RankInterval(NAMES)) + read(DistanceLinkage(NAMES))) / 2
    assert read(PapersRisk(NAMES, probabilistic=False)) == pytest.approx(expected)


@pytest.mark.parametrize("names", [NUMBERS, CATEGORIES, NAMES])
def test_bursts_follow_the_larger_of_linkage_and_inference(names):
    parts = read(DistanceLinkage(names)), read(Inference(names))
    assert read(IncrementalRisk(names)) >= max(parts)


@pytest.mark.parametrize("names", [NUMBERS, NAMES])
def test_shuffled_records_are_as_risky_as_the_original_under_strict(names):
    order = np.random.default_rng(1).permutation(len(TABLE))
    strict = DisclosureRisk(names).against(TABLE)
    assert strict(TABLE.take(order)) == pytest.approx(strict(TABLE))


def test_permuted_categories_are_as_risky_as_the_original_under_strict():
    sizes = {name: len(TABLE.attribute(name).categories) for name in CATEGORIES}
    moved = {n: np.roll(np.arange(s), 1)[TABLE.codes(n)] for n, s in sizes.items()}
    strict = DisclosureRisk(CATEGORIES).against(TABLE)
    assert strict(TABLE.with_columns(moved)) == pytest.approx(strict(TABLE))


def test_the_profiles_are_found_by_name():
    assert {profile(name).name for name in PROFILES} == {"strict", "papers"}
    with pytest.raises(ParameterError, match="no profile is called 'loose'; there are strict, pap"):
        profile("loose")


@pytest.mark.parametrize(("name", "kind"), [("strict", IncrementalRisk), ("papers", PapersRisk)])
def test_what_bursts_follow_can_be_read_in_full(name, kind):
    followed = profile(name).followable(NAMES)
    assert isinstance(followed, kind)
    assert followed.about.name == profile(name).followed


def test_every_risk_profile_that_can_be_chosen_has_its_measures():
    assert list(PROFILES) == list(RiskProfile)


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_gives_its_risk_with_or_without_probabilistic_linkage(name):
    loss, risk = PROFILES[name].measures(NAMES, probabilistic=False)
    assert loss == PROFILES[name].loss(NAMES)
    assert risk == PROFILES[name].risk(NAMES, probabilistic=False)
    assert PROFILES[name].measures(NAMES)[1] == PROFILES[name].risk(NAMES)


def test_confidential_attributes_are_measured_only_if_masked():
    assert scope(TABLE, MASKED) == NAMES
    assert scope(TABLE, perturbed(TABLE, ["illness"])) == (*NAMES, "illness")


def test_a_file_without_quasi_identifiers_cannot_be_measured():
    table = categories(x=[0, 1])
    plain = table.with_schema(table.schema.assigning({"x": Role.OTHER}))
    with pytest.raises(SchemaError, match="no quasi-identifier to measure"):
        scope(plain, plain)
