import json
from math import inf, nan

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
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [(line["note"], line["value"]) for line in lines] == [("length", 7.0)] * 2


def test_a_journal_shorter_than_the_run_is_completed_and_says_so():
    journal = Journal()
    journal.require(state_at(3))
    assert journal.times == (0.0,) * 4
    assert "ends before generation 3" in journal.damage[0]


def test_every_bit_of_a_line_is_covered_by_its_checksum(tmp_path):
    path, clock = tmp_path / "journal.jsonl", Clock()
    go(Journal(path, clock), clock, [0, 1, 2])
    content = path.read_bytes()
    first, second = content.index(b"\n") + 1, content.index(b"\n", content.index(b"\n") + 1)
    for place in range(8 * first, 8 * second):
        damaged = bytearray(content)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        journal = Journal(path, clock)
        assert journal.times in ((1.0, 1.0, 3.0), (1.0, 2.0, 3.0))
        assert "damaged lines of journal.jsonl" in journal.damage[0]


def test_a_damaged_decision_is_read_from_its_second_line(tmp_path):
    path = tmp_path / "journal.jsonl"
    Journal(path).decide("length", lambda: 7.0)
    path.write_bytes(path.read_bytes().replace(b"7.0", b"9.0", 1))
    assert Journal(path).decide("length", lambda: 8.0) == 7.0


def test_a_journal_of_an_earlier_version_is_read_on(tmp_path):
    path, clock = tmp_path / "journal.jsonl", Clock()
    path.write_bytes(b'{"generation":0,"seconds":1.0}\n')
    clock.now = 1.0
    go(Journal(path, clock), clock, [1])
    journal = Journal(path, clock)
    assert len(journal.times) == 2
    assert journal.damage == ()


def test_numbers_that_are_not_finite_become_nothing():
    assert finite_json({"a": [1.0, inf], "b": (nan, "x")}) == {"a": [1.0, None], "b": [None, "x"]}
