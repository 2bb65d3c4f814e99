"""The engine: reproducible, within its budget, and with a front of whole files."""

import pickle
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from evomask.data.frames import Declaration
from evomask.data.schema import Kind, Role
from evomask.engine.engine import lag_for
from evomask.engine.evaluation import Evaluate, EvaluationContext, Measured, Refusal, Settings
from evomask.engine.front import spread
from evomask.engine.proposals import EXHAUSTED
from evomask.engine.specialists import Specialist
from evomask.engine.state import EngineCodec, EngineState, share_used, shares
from evomask.evolution.stopping import Budget
from evomask.execution.local import Local
from evomask.masking.enforce.requirement import Requirement
from evomask.masking.provenance import Provenance, Step
from tests.engine.runs import context_for, mixed, people, run, table_of

SAMPLES = ((150, 60),)


def sampled():
    """A context in which a table of 900 records has a sample."""
    return context_for(mixed(), Requirement(k=3), ["partition"], samples=SAMPLES)


@pytest.fixture(scope="module")
def states():
    return run(sampled(), 60)


@pytest.fixture(scope="module")
def small():
    return run(context_for(table_of(people()), Requirement(k=3)), 80)


def test_the_budget_of_evaluations_is_kept_exactly(states):
    assert states[-1].evaluations == 60
    assert states[-1].pending == ()


def test_the_front_never_gets_worse(states):
    assert all(b.volume >= a.volume - 1e-3 for a, b in pairwise(states))


def test_every_point_of_the_front_was_evaluated_on_the_whole_file(states):
    context, last = sampled(), states[-1]
    for point in last.front:
        again = context(Evaluate(point.member, last.genomes[point.number], context.top), 0).result
        assert (again.loss, again.risk) == (point.loss, point.risk)


def test_the_first_candidate_is_evaluated_as_a_whole_file(states):
    assert min(point.number for point in states[-1].candidates) == 0
    assert states[0].front


def test_most_candidates_are_evaluated_on_the_sample_only(states):
    assert states[-1].trials > len(states[-1].candidates) > 0


def test_recipes_are_varied_after_the_initial_design(small):
    operators = {birth.operator for birth in small[-1].births if birth.search == "recipes"}
    assert len(operators) >= 3
    assert small[-1].births.last(80)[0].search == "design"


def test_no_recipe_is_evaluated_twice(small):
    known = [birth.identity for birth in small[-1].births if birth.identity]
    assert len(set(known)) == len(known)


def same(one, other):
    assert list(one.candidates) == list(other.candidates)
    assert list(one.births) == list(other.births)
    assert one.front == other.front


def test_two_workers_give_the_same_results(states):
    context = sampled()
    with Local(2)(context) as work:
        same(run(context, 60, work=work)[-1], states[-1])


@pytest.mark.parametrize("place", [0, 3, -2])
def test_a_saved_state_continues_to_the_same_results(states, place):
    context = sampled()
    codec = EngineCodec(context)
    loaded = codec.load(codec.save(states[place]))
    assert loaded.pending == states[place].pending
    same(run(context, 60, state=loaded)[-1], states[-1])


def test_a_state_in_which_searches_breed_is_saved_whole(small):
    context = context_for(table_of(people()), Requirement(k=3))
    codec = EngineCodec(context)
    middle = small[len(small) // 2]
    assert any(own.outcomes or own.ready for own in middle.generations.values())
    same(run(context, 80, state=codec.load(codec.save(middle)))[-1], small[-1])


def test_all_searches_that_apply_take_part(small):
    assert {"design", "recipes", "files", "partition"} <= small[-1].efforts.keys()


def test_files_of_others_are_handed_to_the_search_for_files(small):
    adopted = {n for name, own in small[-1].generations.items() for n in own.adopted}
    assert adopted
    assert adopted <= {birth.number for birth in small[-1].births if birth.search != "files"}


def test_a_search_that_cannot_begin_is_closed_and_the_others_continue():
    broken = {"partition-no": Specialist("partition", {"k": 5000, "burst": 10})}
    context = context_for(table_of(people()), searches=["recipes"], **broken)
    last = run(context, 40)[-1]
    assert "k" in last.closed["partition-no"]
    assert last.evaluations == 40


def test_a_search_with_nothing_left_is_closed():
    frame = people(40, sex=lambda rng, n: rng.choice(["f", "m"], n))
    sex = Declaration(Kind.NOMINAL, Role.QUASI_IDENTIFIER)
    trees = {"sex": [("f", "*"), ("m", "*")]}
    context = context_for(table_of(frame, sex=sex), searches=["generalization"], trees=trees)
    assert EXHAUSTED in run(context, 60)[-1].closed.values()


def test_every_released_file_obeys_the_edit_rules():
    frame = people(spent=lambda rng, n: rng.integers(0, 900, n))
    spent = Declaration(Kind.CONTINUOUS, Role.OTHER, decimals=0)
    table = table_of(frame, ["spent <= income"], spent=spent)
    context = context_for(table, Requirement(k=3), ["partition"])
    last = run(context, 30)[-1]
    for one in last.front:
        masked = context.masked(one.member, last.genomes[one.number])
        assert (masked.values("spent") <= masked.values("income") + 0.5).all()


def test_no_value_moves_from_one_stratum_to_another():
    frame = people(region=lambda rng, n: np.array(["a", "b"])[np.arange(n) % 2])
    frame = frame.with_columns(
        age=pl.when(pl.col("region") == "a").then(pl.col("age")).otherwise(pl.col("age") + 100)
    )
    table = table_of(frame, region=Declaration(Kind.NOMINAL, Role.STRATUM))
    context = context_for(table, Requirement(k=4), ["partition"])
    last = run(context, 40)[-1]
    inside = table.codes("region") == 0
    grouping = {"mdav-generic", "partition"}
    grouped = [one for one in last.front if {step.method for step in one.making.steps} <= grouping]
    assert grouped
    for one in grouped:
        ages = context.masked(one.member, last.genomes[one.number]).values("age")
        assert ages[inside].max() < 100 <= ages[~inside].min()


def test_a_candidate_that_cannot_be_made_is_refused_with_its_reason():
    given = context_for(table_of(people(4)), searches=["recipes"])
    settings = Settings(Requirement(k=9), "strict", given.settings.members)
    broken = EvaluationContext(given.table, settings, 1)
    answer = broken(Evaluate("recipes", (), 0), 0).result
    assert isinstance(answer, Refusal)
    assert "k must not exceed" in answer.reason


def test_shares_of_all_searches_add_up(small):
    assert sum(shares(small[-1]).values()) == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("budget", "seconds", "share"),
    [(Budget(None, 100), 9.0, 0.0), (Budget(None, None, 10.0), 5.0, 0.5)],
)
def test_the_share_of_a_budget_is_by_its_limit(budget, seconds, share):
    assert share_used(budget, EngineState(), seconds) == share


@pytest.mark.parametrize(("evaluations", "lag"), [(5, 1), (100, 10), (10_000, 64), (None, 64)])
def test_few_evaluations_mean_few_proposals_ahead(evaluations, lag):
    assert lag_for(Budget(None, evaluations, 9.0)) == lag


def test_spreading_takes_the_ends_and_what_lies_between():
    assert spread(range(9), 3) == [0, 4, 8]
    assert spread("ab", 5) == ["a", "b"]


def generalizing():
    """A context in which two sexes, with a hierarchy above them, are generalized."""
    frame = people(sex=lambda rng, n: rng.choice(["f", "m"], n))
    sex = Declaration(Kind.NOMINAL, Role.QUASI_IDENTIFIER)
    trees = {"sex": [("f", "*"), ("m", "*")]}
    return context_for(table_of(frame, sex=sex), searches=["generalization"], trees=trees)


def test_hierarchies_reach_other_processes_with_the_table():
    there = pickle.loads(pickle.dumps(generalizing()))
    assert isinstance(there(Evaluate("generalization", (1,), 0), 0).result, Measured)


def test_generalized_files_are_described_by_their_levels():
    context = generalizing()
    step = Step(
        "generalization", {"levels": {"sex": {"level": 1, "labels": 1}}, "suppressed": 0}, ("sex",)
    )
    assert context.provenance("generalization", (1,), "node") == Provenance(
        (step,), "generalization", "node"
    )
    assert context.provenance("generalization", (0,), "node").steps == ()


def test_a_problem_without_a_description_is_described_by_its_parameters(monkeypatch):
    context = context_for(table_of(people()), searches=["partition"])
    monkeypatch.setattr(
        EvaluationContext, "setup", lambda context, name: SimpleNamespace(problem=object())
    )
    making = context.provenance("partition-3", None, "anneal")
    parameters = context.settings.members["partition-3"].parameters
    step = Step("partition", parameters, context.table.schema.quasi_identifiers)
    assert making == Provenance((step,), "partition", "anneal")
