"""An intruder who follows people from disc to disc.

Between two stretches of time tracks have other names. The intruder knows in which disc somebody
is at the end of the first, and guesses which track of the second is theirs: first the disc that
continues the way best, then one of its tracks, for those are all alike.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from evomask.arrays import Floats, Indices, Labels
from evomask.data.trajectories import Discs

Guess = Callable[[Discs, Discs], Indices]
"""For each disc of a stretch, the disc of the next one where its people are thought to be."""


class Followed(NamedTuple):
    """How far an intruder gets.

    Args:
        discs: percent of people whose next disc is guessed right.
        linked: percent of people whose own track is found; at most 100 / k.
        error: the standard error of *linked* where tracks are drawn.
    """

    discs: float
    linked: float
    error: float


def nearest_disc(before: Discs, after: Discs) -> Indices:
    """The disc whose first centre is nearest to the last one; the lowest number wins a tie."""
    return _nearest(before.centres[:, -1], after.centres[:, 0])


def straight_on(before: Discs, after: Discs) -> Indices:
    """The disc nearest to where the last step, made once more, would lead."""
    last = before.centres[:, -1]
    step = last - before.centres[:, -2] if before.centres.shape[1] > 1 else np.zeros_like(last)
    return _nearest(last + step, after.centres[:, 0])


def most_in_common(before: Discs, after: Discs) -> Indices:
    """The disc that covers most of the last one, were people spread evenly in both."""
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
    """What one way of guessing finds out about people who are seen in both stretches.

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
