"""Bursts: what they leave behind, measured in full."""

import numpy as np
import pytest

from evomask.evolution.individual import ScoreRule
from evomask.kernels.incremental.bursts import MOVES
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.measures.disclosure.privacy_models import k_anonymity
from evomask.measures.profiles import RiskProfile
from evomask.searches.files.fitness import (
    AIMS,
    FileMeasures,
)
from evomask.searches.files.genome import Coding
from evomask.searches.files.steps import NO_CONSTRAINT, BurstConstraint, Steps
from tests.measures.files import perturbed
from tests.tables import mixed

TABLE = mixed(60)
NAMES = TABLE.schema.quasi_identifiers
KINDS = {"numbers": ("age", "income"), "categories": ("school", "region"), "both": NAMES}
WORST = np.array(AIMS[ScoreRule.WORST])


def ready(names=NAMES, profile=RiskProfile.STRICT, guarantee=NO_CONSTRAINT):
    coding = Coding(TABLE, names)
    judge = FileMeasures(coding, profile)
    return judge, Steps(coding, judge.followed, guarantee)


def start(judge, names=NAMES):
    coding = judge.coding
    return coding.to_file(coding.encode(perturbed(TABLE, names)))


def cost(judge, file):
    loss, risk = judge.full(judge.coding.table(file))
    return max(loss, risk) + WORST[2] * (loss + risk)


@pytest.mark.parametrize("profile", list(RiskProfile))
@pytest.mark.parametrize("names", KINDS.values(), ids=KINDS)
def test_followed_and_full_readings_agree_after_a_burst(names, profile, monkeypatch):
    judge, steps = ready(names, profile)
    followed = []
    begin = steps.tracker.begin
    monkeypatch.setattr(
        type(steps.tracker), "begin",
        lambda self, *a, **k: followed.append(begin(*a, **k)) or followed[-1],
    )  # fmt: skip
    file, _ = steps.run(start(judge, names), WORST, 3000, np.random.default_rng(1), heat=0.3)
    loss, risk = judge.full(judge.coding.table(file))
    assert followed[0].value == pytest.approx(risk, abs=1e-9)
    assert followed[0].read("loss") == pytest.approx(loss, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_cold_burst_never_ends_worse(seed):
    judge, steps = ready()
    before = start(judge)
    after, _ = steps.run(before, WORST, 200, np.random.default_rng(seed))
    assert cost(judge, after) <= cost(judge, before) + 1e-9


def test_a_burst_lowers_the_cost_of_a_file_that_can_be_better():
    judge, steps = ready()
    before = start(judge)
    after, _ = steps.run(before, WORST, 2000, np.random.default_rng(1))
    assert cost(judge, after) < 0.9 * cost(judge, before)


@pytest.mark.parametrize("names", KINDS.values(), ids=KINDS)
def test_values_stay_in_their_domain(names):
    judge, steps = ready(names)
    after, _ = steps.run(start(judge, names), WORST, 1000, np.random.default_rng(2), heat=1.0)
    coding = judge.coding
    assert np.array_equal(coding.to_file(coding.of_file(after)), after, equal_nan=True)


def test_the_same_seed_leaves_the_same_file():
    judge, steps = ready()
    files = [steps.run(start(judge), WORST, 500, np.random.default_rng(3))[0] for _ in range(2)]
    assert np.array_equal(*files, equal_nan=True)


def test_the_file_it_begins_with_stays_as_it_is():
    judge, steps = ready()
    before = start(judge)
    kept = before.copy()
    steps.run(before, WORST, 500, np.random.default_rng(3))
    assert np.array_equal(before, kept, equal_nan=True)


def test_steps_are_counted_by_changed_cells():
    judge, steps = ready()
    _, counts = steps.run(start(judge), WORST, 500, np.random.default_rng(3))
    assert 500 <= counts[-1] < 500 + 2 * len(NAMES)
    assert counts[:MOVES].sum() <= counts[-1]


@pytest.mark.parametrize("has_donor", [True, False])
def test_values_are_taken_over_where_there_is_a_donor(has_donor):
    judge, steps = ready()
    donor = judge.coding.to_file(judge.coding.encode(TABLE)) if has_donor else None
    all_the_same = np.zeros(4)
    _, counts = steps.run(start(judge), all_the_same, 1000, np.random.default_rng(3), donor=donor)
    assert bool(counts[2 * MOVES - 1] > 0) is has_donor


@pytest.mark.parametrize("may_join", [True, False])
def test_classes_keep_their_least_size(may_join):
    judge, steps = ready(guarantee=BurstConstraint(4, may_join=may_join))
    masked = MdavGeneric(NAMES, 4).mask(TABLE, np.random.default_rng(1))
    before = judge.coding.to_file(judge.coding.encode(masked))
    after, counts = steps.run(before, WORST, 3000, np.random.default_rng(4), heat=0.5)
    assert k_anonymity(judge.coding.table(after), NAMES) >= 4
    assert counts[MOVES:-1].sum() > 0
