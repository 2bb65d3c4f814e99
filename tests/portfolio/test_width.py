"""A wide portfolio: several members have turns side by side, and the result does not waver."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from evomask.errors import ParameterError
from evomask.evolution.stopping import Budget
from evomask.execution.local import InProcess, Local
from evomask.masking.guarantees.requirement import Requirement
from evomask.portfolio.front import front_of
from evomask.portfolio.portfolio import Portfolio
from evomask.portfolio.state import PortfolioCodec, PortfolioState, waiting
from evomask.portfolio.worker import Maker
from evomask.runs.kept.journal import Journal
from tests.portfolio.test_portfolio import maker_for, people, table_of

EVALUATIONS = 120


def wide(width):
    maker = maker_for(table_of(people()), Requirement(k=3), searches=("grid", "partition"))
    return Maker(maker.table, replace(maker.settings, width=width), maker.seed)


def states_of(maker, work, state=None, journal=None):
    portfolio = Portfolio(maker, Budget(None, EVALUATIONS), journal or Journal(), work)
    return list(portfolio.states(state or PortfolioState()))


def kept(state, maker):
    return {name: np.asarray(a).tobytes() for name, a in PortfolioCodec(maker).save(state).items()}


@pytest.fixture(scope="module")
def maker():
    return wide(2)


@pytest.fixture(scope="module")
def journal():
    return Journal()


@pytest.fixture(scope="module")
def states(maker, journal):
    return states_of(maker, InProcess(maker), journal=journal)


def test_several_members_have_turns_between_two_states(states):
    rounds = [len(state.rounds) for state in states]
    assert max(after - before for before, after in pairwise(rounds)) == 2
    last = [row.member for row in states[-1].rounds][-2:]
    assert len(set(last)) == len(last)


def test_rounds_and_candidates_are_numbered_on(states):
    last = states[-1]
    assert [row.generation for row in last.rounds] == list(range(len(last.rounds)))
    assert [c.number for c in last.candidates] == list(range(len(last.candidates)))
    assert [c.round for c in last.candidates] == sorted(c.round for c in last.candidates)


def test_the_front_is_that_of_all_candidates(states):
    last = states[-1]
    assert last.front == front_of(list(last.candidates))
    assert set(last.genomes) == {candidate.number for candidate in last.front}


def test_two_processes_find_what_one_finds(maker, states):
    with Local(2)(maker) as work:
        assert kept(states_of(maker, work)[-1], maker) == kept(states[-1], maker)


def test_going_on_from_any_state_leads_to_the_same_end(maker, states, journal):
    again = states_of(maker, InProcess(maker), states[len(states) // 2], journal)
    assert kept(again[-1], maker) == kept(states[-1], maker)


def test_a_width_below_one_is_refused():
    with pytest.raises(ParameterError, match="width must be at least 1, got 0"):
        wide(0)


def test_the_grid_is_tried_in_steps_of_the_width(states):
    assert next(iter(states[0].rounds)).member == "grid"
    assert 8 < len(states[0].candidates) <= 16


def test_a_wide_turn_asks_once_for_all_that_it_needs(maker, states, journal):
    calls = []

    def counted(tasks, first):
        calls.append(len(tasks))
        return InProcess(maker)(tasks, first)

    middle = next(i for i, state in enumerate(states) if state.summary.member != "grid")
    portfolio = Portfolio(maker, Budget(None, EVALUATIONS), journal, counted)
    next(portfolio.states(states[middle]))
    assert len([count for count in calls if count]) == 1


def test_what_was_bred_is_measured_before_the_end(states):
    waits = [[n for n in s.members if n not in s.closed and waiting(s, n)] for s in states]
    assert any(waits)
    assert not waits[-1]


def test_a_wide_run_ends_within_a_round_of_its_evaluations(states):
    costs = [b.evaluations - a.evaluations for a, b in pairwise(states)]
    assert abs(states[-1].evaluations - EVALUATIONS) <= max(costs)


def test_files_of_others_are_bred_from_in_the_turn_after_they_were_adopted():
    maker = maker_for(table_of(people()), Requirement(k=3), searches=("grid", "files"))
    maker = Maker(maker.table, replace(maker.settings, width=4), maker.seed)
    rows = [row for row in states_of(maker, InProcess(maker))[-1].rounds if row.member != "grid"]
    first, second = (row for row in rows[:4] if row.member == "files-front")
    assert first.bred > 0
    assert first.files == 0
    assert second.bred > 0
