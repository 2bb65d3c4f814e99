"""Discs for trajectories: how far people are from their disc's centre, and who is followed.

    python benchmarks/bench_trajectories.py [people] [times]

People of a made-up town go from home to work and elsewhere. Prints, for each k, window and method,
the mean distance and radius in metres, the share of people whose next disc is guessed right and
whose own track is found by the best of three ways of guessing, the latter with its standard error
beside 100 / k, and CPU seconds.
"""

import sys
import time

import numpy as np

from evomask.types import Floats
from evomask_graphs.trajectories.protect import PARTITIONS, Protection, disc_rows
from evomask_graphs.trajectories.trajectory import Trajectories
from evomask_papers.partition.locations import POSITION, town

HOURS = 24
PACE = 25.0
"""Metres that people stray at every time."""


def days(people: int, times: int, seed: int) -> Trajectories:
    """Home at night, work by day for most, a third place in the evening for some."""
    rng = np.random.default_rng(seed)
    home, work, other = (town(people, seed + part).matrix(POSITION) for part in range(3))
    begins, ends = rng.normal(8, 1, people), rng.normal(17, 1.5, people)
    at_work, goes_out = rng.random(people) < 0.7, rng.random(people) < 0.4
    positions = np.empty((people, times, 2))
    for step in range(times):
        hour = HOURS * step / times
        working = _reached(hour, begins, ends) * at_work
        out = _reached(hour, ends + 1, ends + 3) * goes_out
        share = np.stack([working, out * (1 - working)], axis=1)[:, :, None]
        away = share[:, 0] * work + share[:, 1] * other
        positions[:, step] = (1 - share.sum(axis=1)) * home + away
    positions += rng.normal(0, PACE, positions.shape).cumsum(axis=1) / 2
    names = tuple(f"p{i}" for i in range(people))
    return Trajectories(names, tuple(map(float, range(times))), positions)


def _reached(hour: float, begins: Floats, ends: Floats) -> Floats:
    """How much of the way there: 0 before and after, 1 in between, half an hour of travel."""
    there = np.clip((hour - begins) / 0.5, 0, 1) * np.clip((ends - hour) / 0.5, 0, 1)
    return np.asarray(there, dtype=np.float64)


def main(people: int, times: int) -> None:
    ways = days(people, times, seed=1)
    print("k   window  method    distance  radius  next disc  own track  at most   CPU s")
    for k in (5, 10):
        for window in (None, 6, 1):
            for method in PARTITIONS:
                began = time.process_time()
                how = Protection(k, window, method=method, seed=1)
                _, found = disc_rows(ways, how)
                best = max(found.followed.values(), key=lambda way: way.linked, default=None)
                told = (
                    f"{best.discs:8.1f}%  {best.linked:5.2f}±{best.error:.2f}%  {100 / k:5.1f}%"
                    if best
                    else f"{'-':>9}  {'-':>10}  {100 / k:5.1f}%"
                )
                print(
                    f"{k:2}  {window or times:5}   {method:9} {found.mean_distance:7.1f} "
                    f"{found.mean_radius:7.1f}  {told}  {time.process_time() - began:6.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main(*(int(word) for word in [*sys.argv[1:], *("500", "24")[len(sys.argv) - 1 :]]))
