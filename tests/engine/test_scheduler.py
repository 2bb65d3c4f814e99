import numpy as np

from evomask.engine.portfolio import EXPLORING, Reward, next_search


def played(gains, rounds, costs=None):
    """Number of rounds of each search when every round of it gains and costs the same."""
    rewards = []
    for _ in range(rounds):
        name = next_search(list(gains), rewards)
        rewards.append(Reward(name, gains[name], (costs or {}).get(name, 1.0)))
    return {name: sum(reward.search == name for reward in rewards) for name in gains}


def test_everyone_is_tried_in_order():
    rewards = [Reward("grid", 1.0, 1.0)] * 5
    for expected in ["a", "b", "c"]:
        assert next_search(["grid", "a", "b", "c"], rewards) == expected
        rewards.append(Reward(expected, 0.0, 1.0))


def test_a_first_turn_waits_while_first_turns_took_most_of_what_was_spent():
    rewards = [Reward("a", 5.0, 1.0), Reward("a", 5.0, 1.0), Reward("b", 0.0, 10.0)]
    while next_search(["a", "b", "c"], rewards) == "a":
        rewards.append(Reward("a", 5.0, 1.0))
    assert next_search(["a", "b", "c"], rewards) == "c"
    assert sum(reward.cost for reward in rewards) == np.ceil((1.0 + 10.0) / EXPLORING)


def test_most_turns_go_to_who_gains_most():
    counts = played({"a": 1.0, "b": 10.0, "c": 0.0}, 60)
    assert counts["b"] > 40
    assert counts["b"] > counts["a"] >= counts["c"] >= 1


def test_a_gain_counts_for_what_it_costs():
    counts = played({"cheap": 1.0, "dear": 2.0}, 40, {"cheap": 1.0, "dear": 10.0})
    assert counts["cheap"] > 3 * counts["dear"]


def test_budget_moves_on_when_a_member_stops_gaining():
    rewards = [Reward("a", 5.0, 1.0), Reward("b", 1.0, 1.0)] * 2
    rewards += [Reward("a", 0.0, 1.0)] * 12
    assert next_search(["a", "b"], rewards) == "b"


def test_without_any_gain_the_one_that_cost_least_is_next():
    rewards = [Reward("a", 0.0, 3.0), Reward("b", 0.0, 1.0)] * 2
    assert next_search(["a", "b"], rewards) == "b"


def test_a_member_that_never_gained_is_tried_again_some_day():
    assert played({"a": 1.0, "b": 0.0}, 200)["b"] > 1
