"""Analyses to preserve in the engine: their errors, and the rule of feasibility."""

from dataclasses import replace

import numpy as np
import pytest

from evomask.data.frames import Declaration
from evomask.data.schema import Kind, Role
from evomask.engine.evaluation import EvaluationContext, Settings
from evomask.engine.front import FrontPoint, front_of
from evomask.engine.offers import suggested
from evomask.engine.proposals import Proposer
from evomask.engine.state import EngineCodec
from evomask.evolution.archive import non_dominated_ranks
from evomask.masking.enforce.requirement import Requirement
from evomask.measures.analyses.analyses import MEAN_ERROR, AnalysesToPreserve, errors_of
from tests.engine.runs import context_for, nominal, people, run, table_of

KEEP = AnalysesToPreserve(
    ("kind: mean income", "kind"), ("income ~ age + kind",), ("gini(income)", "p90(age) by kind")
)
LIMITS = {"table_error": 3.0, "indicator_error": 4.0}


def context(limits, samples=()):
    declaration, draw = nominal(3)
    table = table_of(people(300, kind=draw), kind=declaration)
    plain = context_for(table, Requirement(k=3), ["recipes"], samples=samples)
    given = plain.settings
    settings = Settings(
        given.requirement,
        given.profile,
        given.members,
        lag=4,
        samples=given.samples,
        keep=KEEP,
        limits=limits,
    )
    return EvaluationContext(table, settings, 11)


@pytest.fixture(scope="module")
def free():
    """A search without limits, with its context."""
    given = context({})
    return given, run(given, 50)[-1]


def point(number, loss, risk, error=0.0):
    return FrontPoint(number, loss=loss, risk=risk, errors={"table_error": error})


def numbers(points, **limits):
    return [one.number for one in front_of(points, limits)]


def test_points_within_the_limits_dominate_all_others():
    points = [point(1, 10, 10, error=6), point(2, 20, 20, error=4), point(3, 30, 30, error=1)]
    assert numbers(points) == [1]
    assert numbers(points, table_error=5) == [2]
    assert numbers(points, table_error=2) == [3]


def test_without_such_a_point_the_excess_is_an_objective():
    points = [point(1, 10, 10, error=6), point(2, 20, 20, error=4), point(3, 30, 30, error=5)]
    assert numbers(points, table_error=3) == [1, 2]


def test_an_unknown_error_is_above_every_limit():
    unknown = FrontPoint(1, loss=1, risk=1)
    assert numbers([unknown, point(2, 50, 50)], table_error=99) == [2]


def test_every_whole_file_has_the_errors_of_its_analyses(free):
    given, last = free
    assert last.candidates
    for one in last.front:
        masked = given.masked(one.member, last.genomes[one.number])
        assert one.errors == pytest.approx(errors_of(given.analyses.compare(masked)))
    assert all(one.errors.keys() == {"table_error", "model_error", "indicator_error"}
               for one in last.candidates)  # fmt: skip


def test_limits_are_met_where_the_search_without_them_breaks_them(free):
    _, without = free
    last = run(context(LIMITS), 50)[-1]
    assert any(one.excess(LIMITS) > 0 for one in without.front)
    assert last.front
    assert all(one.excess(LIMITS) <= 0 for one in last.front)
    assert last.live[last.pool[0]].excess == 0.0


def test_errors_and_limits_are_in_the_saved_state():
    given = context(LIMITS, samples=((150, 60),))
    last = run(given, 40)[-1]
    codec = EngineCodec(given)
    again = codec.load(codec.save(last))
    assert again.relief == last.relief
    assert {n: one.sampled for n, one in again.live.items()} == {
        n: one.sampled for n, one in last.live.items()
    }
    assert [one.errors for one in again.candidates] == [one.errors for one in last.candidates]
    assert {n: one.excess for n, one in again.live.items()} == {
        n: one.excess for n, one in last.live.items()
    }
    assert run(given, 60, state=again)[-1].front == run(given, 60, state=last)[-1].front


def test_the_context_of_a_worker_computes_the_same_errors(free):
    given, last = free
    build, arrays = given.lent()
    other = build(arrays)
    one = last.front[0]
    assert other.evaluate(one.member, last.genomes[one.number]).errors == one.errors


def test_confidential_columns_may_be_analysed():
    frame = people(100, ill=lambda rng, n: rng.choice(["yes", "no"], n))
    ill = Declaration(Kind.NOMINAL, Role.CONFIDENTIAL)
    table = table_of(frame, ill=ill)
    keep = AnalysesToPreserve(("ill: mean income",))
    given = context_for(table, searches=["recipes"])
    settings = Settings(given.settings.requirement, "strict", given.settings.members, keep=keep)
    found = run(EvaluationContext(table, settings, 1), 12)[-1]
    assert max(one.errors["table_error"] for one in found.candidates) > 0


def test_the_mean_error_is_an_objective_of_the_front_and_is_saved(free):
    given, _ = free
    keep = replace(KEEP, objective=True)
    settings = replace(given.settings, keep=keep)
    context = EvaluationContext(given.table, settings, 11)
    last = run(context, 50)[-1]
    for one in last.front:
        masked = context.masked(one.member, last.genomes[one.number])
        mean = np.mean([found.error for found in context.analyses.compare(masked)])
        assert one.objectives == {MEAN_ERROR: pytest.approx(mean)}
    beaten = non_dominated_ranks(np.array([(p.loss, p.risk) for p in last.front]))
    assert beaten.max() > 0
    codec = EngineCodec(context)
    again = codec.load(codec.save(last))
    assert [one.objectives for one in again.front] == [one.objectives for one in last.front]


def test_the_suggested_point_weighs_the_objective_with_the_loss():
    useful = FrontPoint(1, loss=12, risk=9, objectives={MEAN_ERROR: 1.0})
    plain = FrontPoint(2, loss=10, risk=9, objectives={MEAN_ERROR: 8.0})
    assert suggested([useful, plain]).number == 1
    assert suggested([replace(p, objectives={}) for p in (useful, plain)]).number == 2


def test_errors_are_computed_from_the_first_sample_on():
    given = context(LIMITS, samples=((150, 60),))
    last = run(given, 60)[-1]
    seen = [one for one in last.live.values() if one.level == 0]
    assert seen
    sample = given.at(0)
    for one in seen:
        errors = sample.analyses.errors(sample.masked(one.member, one.genome))
        assert one.sampled == pytest.approx(max(errors[n] - limit for n, limit in LIMITS.items()))
    assert set(last.relief) == {"0"}


def test_of_two_candidates_that_promise_the_same_the_one_within_the_limits_is_promoted():
    given = context(LIMITS, samples=((150, 60),))
    last = run(given, 60)[-1]
    proposer = Proposer(given)
    first, second = [one for one in last.live.values() if one.level == 0][:2]
    twins = {
        first.number: replace(first, predicted=(5.0, 5.0), excess=8.0),
        second.number: replace(second, predicted=(5.0, 5.0), excess=0.0),
    }
    after = proposer._promotion(
        replace(last, live={**last.live, **twins}), np.random.default_rng(1)
    )
    assert after.pending[-1].candidate == second.number


def test_analyses_for_which_a_sample_is_too_small_are_left_out_there():
    declaration, draw = nominal(3)
    table = table_of(people(300, kind=draw), kind=declaration)
    keep = AnalysesToPreserve(("kind", "kind: mean income"), indicators=("gini(income)",))
    assert keep.possible_in(table) == keep
    assert keep.possible_in(table.take(np.arange(9))) == AnalysesToPreserve()
