"""The portfolio itself: turns, guarantees, strata, files that are handed over."""

import pickle
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from evomask.data.frames import Declaration, table_from
from evomask.data.schema import Kind, Role
from evomask.engine.evaluation import EvaluationContext, Make, Measured, Refusal, Settings
from evomask.engine.front import spread
from evomask.engine.portfolio import EXHAUSTED, Portfolio
from evomask.engine.specialists import Specialist, specialists_for
from evomask.engine.state import (
    ASSESSMENTS,
    FORMER_ASSESSMENTS,
    PortfolioCodec,
    PortfolioState,
    pending,
    share_used,
    shares,
)
from evomask.evolution.stopping import Budget
from evomask.execution.local import InProcess
from evomask.masking.enforce.requirement import NOTHING, Requirement
from evomask.masking.provenance import Provenance, Step
from evomask.runs.store.journal import Journal
from evomask.searches.base import SearchInput


def people(count=60, **more):
    rng = np.random.default_rng(3)
    columns = {"age": rng.integers(20, 70, count), "income": rng.integers(1000, 2000, count)}
    return pl.DataFrame(columns | {name: make(rng, count) for name, make in more.items()})


def table_of(frame, edits=(), **declared):
    quasi = dict.fromkeys(("age", "income"), Declaration(Kind.CONTINUOUS, Role.QUASI_IDENTIFIER))
    table = table_from(frame, quasi | declared)
    schema = table.schema
    return table.with_schema(type(schema)(tuple(schema), edits=tuple(edits)))


def maker_for(table, requirement=NOTHING, searches=(), trees=None, **extra):
    members = specialists_for(SearchInput(table, requirement, "strict", trees or {}), searches)
    return EvaluationContext(
        table, Settings(requirement, "strict", members | extra), 11, trees or {}
    )


def run(maker, evaluations=40, state=None):
    portfolio = Portfolio(maker, Budget(None, evaluations), Journal(), InProcess(maker))
    return list(portfolio.states(state or PortfolioState()))


@pytest.fixture(scope="module")
def states():
    return run(maker_for(table_of(people()), Requirement(k=3)))


def test_the_grid_has_the_first_turns(states):
    assert states[0].summary.member == "grid"


def test_everyone_who_applies_has_a_turn():
    last = run(maker_for(table_of(people())), 90)[-1]
    assert {"grid", "files-front", "files-balanced", "partition-3"} <= {
        row.member for row in last.rounds
    }


def test_the_front_never_gets_worse(states):
    volumes = [state.volume for state in states]
    assert all(after >= before - 1e-3 for before, after in pairwise(volumes))


def test_it_stops_at_the_round_that_uses_up_the_budget(states):
    assert states[-1].evaluations >= 40 > states[-2].evaluations


def test_the_same_seed_takes_the_same_turns(states):
    again = run(maker_for(table_of(people()), Requirement(k=3)))
    assert again[-1].rounds == states[-1].rounds
    assert list(again[-1].candidates) == list(states[-1].candidates)


def test_a_state_that_was_saved_goes_on_as_if_nothing_had_happened(states):
    maker = maker_for(table_of(people()), Requirement(k=3))
    codec = PortfolioCodec(maker)
    saved = codec.save(states[-2])
    journal = Journal()
    for state in states[:-1]:
        journal.tell(state)
    portfolio = Portfolio(maker, Budget(None, 40), journal, InProcess(maker))
    again = list(portfolio.states(codec.load(saved)))
    assert again[-1].rounds == states[-1].rounds
    assert list(again[-1].candidates) == list(states[-1].candidates)


def test_a_snapshot_with_the_former_name_of_its_risks_is_loaded(states):
    codec = PortfolioCodec(maker_for(table_of(people()), Requirement(k=3)))
    saved = dict(codec.save(states[-1]))
    saved[FORMER_ASSESSMENTS] = saved.pop(ASSESSMENTS)
    risks = [point.assessment.risk for point in codec.load(saved).candidates]
    assert risks == [point.risk for point in states[-1].candidates]


def test_a_member_that_cannot_begin_is_closed_and_the_others_go_on():
    broken = {"partition-no": Specialist("partition", {"k": 5000, "burst": 10})}
    last = run(maker_for(table_of(people()), searches=["grid"], **broken), 40)[-1]
    assert "k" in last.closed["partition-no"]
    assert len(last.candidates) >= 30


def test_a_member_that_has_tried_everything_is_closed():
    last = run(maker_for(table_of(people(12)), searches=["grid"]), 10_000)[-1]
    assert last.closed == {"grid": EXHAUSTED}


def test_files_of_others_are_handed_to_the_search_for_files():
    last = run(maker_for(table_of(people()), searches=["grid", "files"]), 60)[-1]
    assert last.adopted["files-front"]
    handed = [last.candidates.last(len(last.candidates))[n] for n in last.adopted["files-front"]]
    born = [one for one in last.members["files-front"].population if one.operator == "first"]
    losses = [one.loss for one in handed]
    assert all(min(abs(one.fitness[0] - loss) for loss in losses) < 1.0 for one in born)


def test_a_file_that_was_adopted_is_not_measured_again():
    last = run(maker_for(table_of(people()), searches=["grid", "files"]), 60)[-1]
    firsts = [c for c in last.candidates if c.search == "files" and c.operator == "first"]
    assert firsts == []


def test_every_file_offered_obeys_the_edit_rules():
    frame = people(spent=lambda rng, n: rng.integers(0, 900, n))
    spent = Declaration(Kind.CONTINUOUS, Role.OTHER, decimals=0)
    table = table_of(frame, ["spent <= income"], spent=spent)
    maker = maker_for(table, Requirement(k=3), ["grid", "partition"])
    last = run(maker, 30)[-1]
    for one in last.front:
        masked = maker.masked(one.member, last.genomes[one.number])
        assert (masked.values("spent") <= masked.values("income") + 0.5).all()


def test_nothing_crosses_from_one_stratum_to_another():
    frame = people(region=lambda rng, n: np.array(["a", "b"])[np.arange(n) % 2])
    frame = frame.with_columns(
        age=pl.when(pl.col("region") == "a").then(pl.col("age")).otherwise(pl.col("age") + 100)
    )
    table = table_of(frame, region=Declaration(Kind.NOMINAL, Role.STRATUM))
    maker = maker_for(table, Requirement(k=4), ["grid", "partition"])
    last = run(maker, 40)[-1]
    inside = table.codes("region") == 0
    grouped = [
        one
        for one in last.front
        if {step.method for step in one.making.steps} <= {"mdav-generic", "partition"}
    ]
    assert {one.search for one in last.candidates} == {"grid", "partition"}
    assert grouped
    for one in grouped:
        ages = maker.masked(one.member, last.genomes[one.number]).values("age")
        assert ages[inside].max() < 100 <= ages[~inside].min()


def test_what_cannot_be_made_is_refused_with_its_reason():
    maker = maker_for(table_of(people(4)), searches=["partition", "grid"])
    broken = EvaluationContext(
        maker.table, Settings(Requirement(k=9), "strict", maker.settings.members), 1
    )
    answer = broken(Make("grid", 0), 0)
    assert isinstance(answer, Refusal)
    assert "k must not exceed" in answer.reason


def test_shares_are_by_cost_or_by_time(states):
    by_cost = shares(states[-1])
    assert sum(by_cost.values()) == pytest.approx(100.0)
    alone = shares(
        states[-1], {row.generation: float(row.generation == 0) for row in states[-1].rounds}
    )
    assert alone["grid"] == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("budget", "seconds", "share"),
    [(Budget(None, 100), 9.0, 0.0), (Budget(None, None, 10.0), 5.0, 0.5)],
)
def test_the_share_of_a_budget_is_by_its_limit(budget, seconds, share):
    assert share_used(budget, PortfolioState(), seconds) == share


def test_spreading_takes_the_ends_and_what_lies_between():
    assert spread(range(9), 3) == [0, 4, 8]
    assert spread("ab", 5) == ["a", "b"]


def test_nobody_waits_before_a_member_begins():
    assert pending(PortfolioState(), "grid") == []


def generalizing():
    """Where two sexes, with a value tree above them, are generalized."""
    frame = people(sex=lambda rng, n: rng.choice(["f", "m"], n))
    sex = Declaration(Kind.NOMINAL, Role.QUASI_IDENTIFIER)
    trees = {"sex": [("f", "*"), ("m", "*")]}
    return maker_for(table_of(frame, sex=sex), searches=["generalization"], trees=trees)


def test_value_trees_reach_other_processes_with_the_table():
    there = pickle.loads(pickle.dumps(generalizing()))
    assert isinstance(there(Make("generalization", (1,)), 0), Measured)


def test_generalized_files_are_described_by_their_levels():
    maker = generalizing()
    step = Step(
        "generalization", {"levels": {"sex": {"level": 1, "labels": 1}}, "suppressed": 0}, ("sex",)
    )
    assert maker.provenance("generalization", (1,), "node") == Provenance(
        (step,), "generalization", "node"
    )
    assert maker.provenance("generalization", (0,), "node").steps == ()


def test_a_problem_that_tells_nothing_is_known_by_the_parameters_of_its_member(monkeypatch):
    maker = maker_for(table_of(people()), searches=["partition"])
    monkeypatch.setattr(
        EvaluationContext, "setup", lambda maker, name: SimpleNamespace(problem=object())
    )
    making = maker.provenance("partition-3", None, "anneal")
    parameters = maker.settings.members["partition-3"].parameters
    step = Step("partition", parameters, maker.table.schema.quasi_identifiers)
    assert making == Provenance((step,), "partition", "anneal")


class Watched(Journal):
    """A journal by whose clock every turn of partition takes long and every other a second."""

    def took(self, generation):
        return 30.0 if self.turns[generation].startswith("partition") else 1.0

    def time_at(self, state):
        return sum(self.took(row.generation) for row in state.rounds)

    def tell(self, after):
        self.turns = [row.member for row in after.rounds]
        super().tell(after)


def test_no_turn_begins_that_would_end_too_late():
    maker = maker_for(table_of(people()), searches=("grid", "partition"))
    portfolio = Portfolio(maker, Budget(seconds=50.0), Watched(), InProcess(maker))
    last = list(portfolio.states(PortfolioState()))[-1]
    turns = [row.member for row in last.rounds]
    assert sum(name.startswith("partition") for name in turns) == 1
    assert 50.0 <= len(turns) - 1 + 30.0 < 51.0
