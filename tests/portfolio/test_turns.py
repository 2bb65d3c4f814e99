import numpy as np

from evomask.portfolio.turns import EXPLORING, Turn, next_member


def played(gains, rounds, costs=None):
    """How many turns each member has when every turn of it gains and costs the same."""
    turns = []
    for _ in range(rounds):
        name = next_member(list(gains), turns)
        turns.append(Turn(name, gains[name], (costs or {}).get(name, 1.0)))
    return {name: sum(turn.member == name for turn in turns) for name in gains}


def test_everyone_is_tried_in_order():
    turns = [Turn("grid", 1.0, 1.0)] * 5
    for expected in ["a", "b", "c"]:
        assert next_member(["grid", "a", "b", "c"], turns) == expected
        turns.append(Turn(expected, 0.0, 1.0))


def test_a_first_turn_waits_while_first_turns_took_most_of_what_was_spent():
    turns = [Turn("a", 5.0, 1.0), Turn("a", 5.0, 1.0), Turn("b", 0.0, 10.0)]
    while next_member(["a", "b", "c"], turns) == "a":
        turns.append(Turn("a", 5.0, 1.0))
    assert next_member(["a", "b", "c"], turns) == "c"
    assert sum(turn.cost for turn in turns) == np.ceil((1.0 + 10.0) / EXPLORING)


def test_most_turns_go_to_who_gains_most():
    counts = played({"a": 1.0, "b": 10.0, "c": 0.0}, 60)
    assert counts["b"] > 40
    assert counts["b"] > counts["a"] >= counts["c"] >= 1


def test_a_gain_counts_for_what_it_costs():
    counts = played({"cheap": 1.0, "dear": 2.0}, 40, {"cheap": 1.0, "dear": 10.0})
    assert counts["cheap"] > 3 * counts["dear"]


def test_budget_moves_on_when_a_member_stops_gaining():
    turns = [Turn("a", 5.0, 1.0), Turn("b", 1.0, 1.0)] * 2
    turns += [Turn("a", 0.0, 1.0)] * 12
    assert next_member(["a", "b"], turns) == "b"


def test_without_any_gain_the_one_that_cost_least_is_next():
    turns = [Turn("a", 0.0, 3.0), Turn("b", 0.0, 1.0)] * 2
    assert next_member(["a", "b"], turns) == "b"


def test_a_member_that_never_gained_is_tried_again_some_day():
    assert played({"a": 1.0, "b": 0.0}, 200)["b"] > 1
