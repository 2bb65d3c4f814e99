"""Snapshots come often enough, and never take much of the time."""

from evomask.evolution.state import State
from evomask.runs.store.journal import Journal
from evomask.runs.store.run_folder import MOST_SECONDS_BETWEEN, SnapshotWriter


class Shelf:
    """A store that takes so many seconds to keep a state, and remembers which it kept."""

    def __init__(self, takes=0.0):
        self.kept, self.time, self.takes = [], 100.0, takes

    def save_state(self, state, codec):
        self.kept.append(state.evaluations)
        self.time += self.takes


def offered(shelf, evaluations, every, since=0, seconds=1.0):
    """What is kept of states offered one after another, so many seconds apart."""
    snapshots = SnapshotWriter(
        shelf, None, Journal(), every=every, since=since, now=lambda: shelf.time
    )
    for count in evaluations:
        shelf.time += seconds
        snapshots.offer(State(evaluations=count))
    return shelf.kept


def test_one_is_taken_every_so_many_evaluations():
    assert offered(Shelf(), range(1, 13), every=5) == [5, 10]


def test_a_resumed_run_counts_from_where_it_goes_on():
    assert offered(Shelf(), range(9, 15), every=5, since=8) == [13]


def test_slow_evaluations_do_not_wait_longer_than_half_a_minute():
    assert offered(Shelf(), [1, 2, 3, 4], every=100, seconds=MOST_SECONDS_BETWEEN / 2) == [2, 4]


def test_every_offer_is_taken_where_nothing_lies_between():
    assert offered(Shelf(), [3, 3, 4], every=0) == [3, 3, 4]


def test_snapshots_take_no_more_than_a_twentieth_of_the_time():
    shelf = Shelf(takes=1.0)
    kept = offered(shelf, range(1, 101), every=1)
    assert len(kept) / (shelf.time - 100.0) <= 0.05
    assert len(kept) > 3
