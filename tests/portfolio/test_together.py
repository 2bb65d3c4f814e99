"""Turns side by side: asked together, answered apart, whatever goes wrong."""

import pytest

from evomask.evolution.brood import Task
from evomask.portfolio.requests import Adopt, Breed, Make, Numbered
from evomask.portfolio.together import longest_first, together


def doubling(calls):
    def work(tasks, first):
        calls.append([(numbered.task, numbered.serial) for numbered in tasks])
        return [2 * numbered.task for numbered in tasks]

    return work


def turn(*asked, first=0):
    def having(work):
        return [list(work(tasks, first=first)) for tasks in asked]

    return having


def test_what_turns_ask_for_at_the_same_time_is_one_call():
    calls = []
    found = together([turn([1, 2], [3]), turn([5], first=40)], doubling(calls))
    assert found == [[[2, 4], [6]], [[10]]]
    assert calls == [[(1, 0), (2, 1), (5, 40)], [(3, 0)]]


def test_a_turn_that_asks_for_nothing_has_its_result():
    assert together([lambda work: "done"], doubling([])) == ["done"]


def test_an_error_of_one_turn_comes_out_after_the_others_have_ended():
    def failing(work):
        work([1], first=0)
        raise ValueError("no more")

    ended = []

    def other(work):
        work([1], first=0)
        work([2], first=0)
        ended.append(True)

    with pytest.raises(ValueError, match="no more"):
        together([failing, other], doubling([]))
    assert ended == [True]


def test_an_interrupt_while_tasks_are_done_ends_all_turns():
    ended = []

    def having(work):
        try:
            work([1], first=0)
        finally:
            ended.append(True)

    def interrupted(tasks, first):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        together([having, having], interrupted)
    assert ended == [True, True]


def test_the_longest_tasks_are_handed_out_first_and_answered_in_their_places():
    long, short, made = Breed("bursts", Task("a", ())), Breed("quick", Task("b", ())), Make("x", 1)
    adopted, seen = Adopt("bursts", made), []

    def work(tasks, first):
        seen.extend(numbered.task for numbered in tasks)
        return [(numbered.task, numbered.serial) for numbered in tasks]

    ordered = longest_first(work, {"bursts": 4.0, "quick": 0.1})
    assert ordered([short, adopted, made, long], first=5) == [
        (short, 5), (adopted, 6), (made, 7), (long, 8),
    ]  # fmt: skip
    assert seen == [long, made, adopted, short]


def test_tasks_of_one_length_keep_their_order_and_numbers():
    tasks = [Numbered(Make("x", number), number) for number in (3, 1, 2)]
    handed = []

    def work(given, first):
        handed.extend(numbered.task for numbered in given)
        return [numbered.task.serial for numbered in given]

    assert longest_first(work, {})(tasks, first=0) == [3, 1, 2]
    assert handed == tasks
