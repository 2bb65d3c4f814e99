import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.errors import DataError, ParameterError
from evomask_graphs.trajectories.trajectory import Trajectories, discs_of


def walks(people=12, times=7, seed=0):
    rng = np.random.default_rng(seed)
    steps = rng.normal(0, 50, (people, times, 2)).cumsum(axis=1)
    return rng.uniform(-1000, 1000, (people, 1, 2)) + steps


def ways(positions):
    people, times = positions.shape[:2]
    return Trajectories(
        tuple(f"p{i}" for i in range(people)), tuple(map(float, range(times))), positions
    )


@given(st.integers(0, 2**32), st.sampled_from([0.5, 10.0, 250.0]))
def test_everybody_stands_inside_their_own_disc_at_every_time(seed, rounding):
    positions, labels = walks(seed=seed), np.arange(12) // 4
    discs = discs_of(positions, labels, rounding)
    apart = np.linalg.norm(positions - discs.centres[labels], axis=2)
    assert (apart < discs.radii[labels]).all()


def test_centres_and_radii_are_rounded():
    discs = discs_of(walks(), np.arange(12) // 4, 10.0)
    assert np.allclose(discs.centres % 10, 0)
    assert np.allclose(discs.radii % 10, 0)
    assert discs.people.tolist() == [4, 4, 4]


def test_nobody_stands_on_the_edge_even_of_a_disc_of_one_place():
    positions = np.zeros((3, 2, 2))
    assert discs_of(positions, np.zeros(3, dtype=int), 10.0).radii.min() == 10.0


def test_windows_are_stretches_of_so_many_times_and_a_shorter_last():
    lengths = [len(window.times) for window in ways(walks(times=7)).windows(3)]
    assert lengths == [3, 3, 1]


def test_without_a_length_there_is_one_window():
    (window,) = ways(walks()).windows(None)
    assert window.points.shape == (12, 14)


def test_who_is_not_seen_throughout_a_window_is_left_out_of_it_alone():
    positions = walks(times=6)
    positions[4, 1] = np.nan
    first, second = ways(positions).windows(3)
    assert 4 not in first.people
    assert 4 in second.people


@pytest.mark.parametrize("rounding", [0.0, -1.0])
def test_discs_must_be_rounded(rounding):
    with pytest.raises(ParameterError, match="rounding"):
        discs_of(walks(), np.zeros(12, dtype=int), rounding)


def test_a_window_of_no_time_is_refused():
    with pytest.raises(ParameterError, match="window"):
        list(ways(walks()).windows(0))


def test_positions_must_fit_people_and_times():
    with pytest.raises(DataError, match="two coordinates"):
        Trajectories(("a",), (1.0,), np.zeros((2, 1, 2)))
