import numpy as np
import polars as pl
import pytest

import evomask
from evomask.errors import DataError, EvomaskError, ParameterError, SchemaError
from evomask_graphs.trajectories.files import TrajectoryColumns, discs_frame, trajectories_of
from evomask_graphs.trajectories.protect import PARTITIONS, Protection, disc_rows, protected

K = 4


def town(people=60, times=6, seed=0):
    """Walks between a home and a place of work, as a table in any order."""
    rng = np.random.default_rng(seed)
    homes, works = rng.uniform(-2000, 2000, (2, people, 2))
    share = np.abs(np.sin(np.linspace(0, 3, times)))[None, :, None]
    positions = homes[:, None] * (1 - share) + works[:, None] * share
    positions += rng.normal(0, 20, positions.shape)
    frame = pl.DataFrame(
        {
            "person": np.repeat([f"p{i}" for i in range(people)], times),
            "time": np.tile(np.arange(times), people),
            "east": positions[..., 0].ravel(),
            "north": positions[..., 1].ravel(),
        }
    )
    return frame.sample(fraction=1.0, shuffle=True, seed=seed)


def protected_frame(ways, how):
    rows, readings = disc_rows(ways, how)
    return discs_frame(rows), readings


def ways():
    return trajectories_of(town(), TrajectoryColumns())


@pytest.mark.parametrize("method", PARTITIONS)
@pytest.mark.parametrize("window", [None, 2])
def test_every_disc_is_shared_by_k_people_all_the_way(method, window):
    frame, readings = protected_frame(ways(), Protection(K, window, method=method, seed=1))
    discs = [c for c in frame.columns if c not in ("window", "track")]
    tracks = frame.group_by("window", "track", maintain_order=True).agg(pl.col(discs))
    shared = tracks.group_by("window", *discs).len()["len"]
    assert shared.min() >= K
    assert readings.fewest >= K
    assert (frame["people"] >= K).all()


def test_everybody_stands_in_their_disc():
    for window, labels, discs in protected(ways(), Protection(K, 2, seed=1), 1):
        apart = np.linalg.norm(window.positions - discs.centres[labels], axis=2)
        assert (apart < discs.radii[labels]).all()


def test_following_discs_finds_own_tracks_of_at_most_one_in_k():
    _, readings = protected_frame(ways(), Protection(K, 2, method="mdav", seed=1))
    for found in readings.followed.values():
        assert found.linked <= 100 / K + 4 * found.error + 1e-9
        assert found.discs >= found.linked


def test_the_search_moves_people_less_than_boxes_do():
    distances = {
        method: protected_frame(ways(), Protection(K, method=method, seed=1))[1].mean_distance
        for method in ("memetic", "mondrian")
    }
    assert distances["memetic"] < distances["mondrian"]


def test_nothing_of_the_release_follows_the_order_of_the_file():
    frame, _ = protected_frame(ways(), Protection(K, method="mdav", seed=1))
    again, _ = protected_frame(ways(), Protection(K, method="mdav", seed=1))
    assert not frame.equals(again)
    assert (
        frame.sort(frame.columns[2:])
        .drop("track")
        .equals(again.sort(again.columns[2:]).drop("track"))
    )


def test_who_is_not_seen_throughout_is_told():
    frame = town().filter(~((pl.col("person") == "p3") & (pl.col("time") == 2)))
    _, readings = protected_frame(
        trajectories_of(frame, TrajectoryColumns()), Protection(K, method="mdav", seed=1)
    )
    assert readings.left_out == pytest.approx(100 * 5 / 359)


def test_python_gives_discs_and_what_is_known_of_them():
    found = evomask.protect_trajectories(town(), K, window=3, method="mdav", seed=1)
    assert found.discs.height == 360
    assert set(found.followed) == {"nearest disc", "straight on", "most in common"}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda f: f.drop("north"), SchemaError),
        (lambda f: pl.concat([f, f.head(1)]), DataError),
        (lambda f: f.with_columns(east=pl.lit("here")), DataError),
    ],
)
def test_what_is_no_trajectory_is_refused(change, error):
    with pytest.raises(error):
        evomask.protect_trajectories(change(town()), K)


@pytest.mark.parametrize("wrong", [{"k": 61}, {"method": "magic"}, {"rounding": 0}, {"k": 1}])
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(EvomaskError):
        evomask.protect_trajectories(town(), **{"k": K, "method": "mdav", **wrong})


def test_a_file_where_nobody_is_seen_throughout_is_refused():
    frame = town(6, 2).filter(pl.col("time") == pl.col("person").str.slice(1).cast(int) % 2)
    with pytest.raises((DataError, ParameterError)):
        evomask.protect_trajectories(frame, 2)
