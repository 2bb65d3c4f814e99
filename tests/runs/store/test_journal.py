import json
from math import inf, nan

import pytest

from evomask.errors import RunError
from evomask.evolution.state import Log, State, Summary
from evomask.runs.store.journal import Journal
from evomask.runs.store.run_summary import finite_json


class Clock:
    """A clock that is moved by hand."""

    def __init__(self):
        self.time = 100.0

    def __call__(self):
        return self.time


def state_at(generation):
    return State(generation=generation, history=Log([Summary(generation, 1, 1, 2.0, 0, inf)]))


def go(journal, clock, generations, step=1.0):
    for generation in generations:
        clock.time += step
        journal.tell(state_at(generation))


def test_one_line_a_generation(tmp_path):
    path, clock = tmp_path / "journal.jsonl", Clock()
    go(Journal(path, clock), clock, [0, 1])
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["generation"] for line in lines] == [0, 1]
    assert [line["seconds"] for line in lines] == [1.0, 2.0]


def test_time_before_the_start_does_not_count():
    clock = Clock()
    journal = Journal(now=clock)
    clock.time += 50
    journal.start()
    go(journal, clock, [0])
    assert journal.seconds == 1.0


def test_a_resumed_journal_goes_on_where_the_clock_stopped(tmp_path):
    path, clock = tmp_path / "journal.jsonl", Clock()
    go(Journal(path, clock), clock, [0, 1, 2])
    clock.time += 1000
    journal = Journal(path, clock)
    journal.start()
    go(journal, clock, [3])
    assert journal.seconds == 4.0


def test_generations_gone_over_again_keep_their_times_and_cost_none(tmp_path):
    path, clock = tmp_path / "journal.jsonl", Clock()
    go(Journal(path, clock), clock, [0, 1, 2])
    journal = Journal(path, clock)
    journal.start()
    go(journal, clock, [1, 2], step=500.0)
    go(journal, clock, [3])
    assert [journal.time_at(state_at(g)) for g in range(4)] == [1.0, 2.0, 3.0, 4.0]


def test_a_torn_last_line_is_cut_off(tmp_path):
    path, clock = tmp_path / "journal.jsonl", Clock()
    go(Journal(path, clock), clock, [0, 1])
    path.write_bytes(path.read_bytes()[:-7])
    journal = Journal(path, clock)
    assert journal.seconds == 1.0
    assert path.read_bytes().endswith(b"}\n")


def test_a_decision_is_taken_once(tmp_path):
    path = tmp_path / "journal.jsonl"
    decided = [Journal(path).decide("length", lambda value=value: value) for value in (7.0, 9.0)]
    assert decided == [7.0, 7.0]


def test_a_decision_is_written_before_it_is_used(tmp_path):
    path = tmp_path / "journal.jsonl"
    Journal(path).decide("length", lambda: 7.0)
    assert json.loads(path.read_text(encoding="utf-8")) == {"note": "length", "value": 7.0}


def test_a_journal_shorter_than_the_run_is_refused():
    with pytest.raises(RunError, match="incomplete"):
        Journal().require(state_at(3))


def test_numbers_that_are_not_finite_become_nothing():
    assert finite_json({"a": [1.0, inf], "b": (nan, "x")}) == {"a": [1.0, None], "b": [None, "x"]}
