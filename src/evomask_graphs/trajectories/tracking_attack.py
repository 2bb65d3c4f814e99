"""Tracking attack: an intruder follows people from one time window to the next.

Tracks are renamed between windows. The intruder knows the disc of a person at the end of the first
window and guesses their track in the second: first the disc that best continues the trajectory,
then one of its tracks at random.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from evomask.types import Floats, Indices, Labels
from evomask_graphs.trajectories.trajectory import Discs

Guess = Callable[[Discs, Discs], Indices]
"""For each disc of a window, the guessed disc of its people in the next window."""


class Followed(NamedTuple):
    """Success of a tracking attack.

    Args:
        discs: percent of people whose next disc is guessed correctly.
        linked: percent of people whose own track is found; at most 100 / k.
        error: the standard error of *linked* where tracks are drawn.
    """

    discs: float
    linked: float
    error: float


def nearest_disc(before: Discs, after: Discs) -> Indices:
    """Index of the disc whose first centre is nearest to the last; the lowest index wins a tie."""
    return _nearest(before.centres[:, -1], after.centres[:, 0])


def straight_on(before: Discs, after: Discs) -> Indices:
    """Index of the disc nearest to the extrapolated position."""
    last = before.centres[:, -1]
    step = last - before.centres[:, -2] if before.centres.shape[1] > 1 else np.zeros_like(last)
    return _nearest(last + step, after.centres[:, 0])


def most_in_common(before: Discs, after: Discs) -> Indices:
    """Index of the disc with the largest overlap with the last one, assuming uniform density."""
    apart = _distances(before.centres[:, -1], after.centres[:, 0])
    reach = before.radii[:, -1][:, None] + after.radii[:, 0][None, :]
    covering = np.maximum(reach - apart, 0.0) * after.people[None, :] / after.radii[:, 0][None, :]
    found: Indices = np.where(covering.any(axis=1), covering.argmax(axis=1), apart.argmin(axis=1))
    return found


def _distances(first: Floats, second: Floats) -> Floats:
    apart: Floats = np.linalg.norm(first[:, None, :] - second[None, :, :], axis=2)
    return apart


def _nearest(first: Floats, second: Floats) -> Indices:
    found: Indices = np.argmin(_distances(first, second), axis=1)
    return found


GUESSES: Mapping[str, Guess] = {
    "nearest disc": nearest_disc,
    "straight on": straight_on,
    "most in common": most_in_common,
}


def followed(
    guess: Guess, before: Discs, after: Discs, groups: tuple[Labels, Labels],
    rng: np.random.Generator,
) -> Followed:  # fmt: skip
    """Success of one guessing rule on people who are seen in both windows.

    Args:
        groups: the disc of each of them, before and after.
    """
    first, second = groups
    if not len(first):
        return Followed(0.0, 0.0, 0.0)
    right = guess(before, after)[first] == second
    chance = right / after.people[second]
    drawn = rng.random(len(first)) < chance
    error = 100.0 * float(np.sqrt(np.sum(chance * (1.0 - chance)))) / len(first)
    return Followed(100.0 * float(right.mean()), 100.0 * float(drawn.mean()), error)
