from evomask.searches.base import time_call


def test_a_trial_gives_what_it_found_and_how_long_it_took():
    ticks = iter([10.0, 12.5])
    assert time_call(lambda: "found", clock=lambda: next(ticks)) == ("found", 2.5)
