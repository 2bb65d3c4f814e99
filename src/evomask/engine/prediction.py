"""Prediction of whole-file results from samples, and the gain that a candidate promises.

Masking a sample differs from masking the file: groups of k records are wider among fewer. The
difference is known for candidates that were evaluated at two fidelities, and is similar for
candidates that are masked by the same methods with a similar result.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from evomask.engine.state import Candidate, LossRisk, Shift
from evomask.types import Floats, Points

WIDTH = 10.0
"""Difference of loss or risk in percent at which a candidate tells little of another."""

UNLIKE = 4.0
"""Distance of two candidates without a common method, in units of *WIDTH*."""

PRIOR = 0.1
"""Weight of the assumption that fidelities agree."""

RECENT = 200
"""Differences that are used, the latest ones."""


def predict(
    candidates: Sequence[Candidate],
    shifts: Sequence[Shift],
    signatures: Mapping[int, tuple[int, ...]],
    top: int,
) -> Points:
    """Loss and risk that are expected for the whole file, one row per candidate.

    Args:
        signatures: of the candidates in *shifts*, by number.
    """
    at = np.array([one.level for one in candidates])
    values = np.array([one.readings[one.level] for one in candidates], dtype=float).reshape(-1, 2)
    codes = np.array([one.signature for one in candidates]).reshape(len(candidates), -1)
    for level in range(top):
        rows = [one for one in shifts if one.level == level][-RECENT:]
        below = np.flatnonzero(at <= level)
        if rows and len(below):
            theirs = np.array([signatures[one.candidate] for one in rows])
            values[below] += _shift(values[below], codes[below], rows, theirs)
    clipped: Points = np.clip(values, 0.0, 100.0)
    return clipped


def _shift(values: Points, codes: Points, rows: Sequence[Shift], theirs: Points) -> Points:
    places = np.array([[one.loss, one.risk] for one in rows])
    known = np.array([[one.loss_shift, one.risk_shift] for one in rows])
    far = ((values[:, None, :] - places[None, :, :]) / WIDTH) ** 2
    unlike = (codes[:, None, :] != theirs[None, :, :]).mean(axis=2)
    weights = np.exp(-0.5 * (far.sum(axis=2) + (UNLIKE * unlike) ** 2))
    shift: Points = weights @ known / (weights.sum(axis=1, keepdims=True) + PRIOR)
    return shift


def as_seen(points: Points) -> Points:
    """Loss and risk on a scale that spreads small values, where releases are chosen."""
    seen: Points = np.sqrt(np.clip(points, 0.0, 100.0) / 100.0)
    return seen


def gains(points: Points, front: Points) -> Floats:
    """Area that each point would add to that of a front, with the reference point (1, 1)."""
    ordered = front[np.lexsort((front[:, 1], front[:, 0]))]
    best = np.minimum.accumulate(ordered[:, 1]) if len(ordered) else ordered[:, 1]
    left = np.concatenate(([0.0], ordered[:, 0]))
    right = np.concatenate((ordered[:, 0], [1.0]))
    height = np.concatenate(([1.0], best))
    widths = np.clip(right[None, :] - np.maximum(left[None, :], points[:, :1]), 0.0, None)
    heights = np.clip(height[None, :] - points[:, 1:], 0.0, None)
    added: Floats = (widths * heights).sum(axis=1)
    return added


def crowding(points: Points) -> Floats:
    """Distance of each point to its neighbours along a front; infinite at both ends."""
    if len(points) < 3:
        return np.full(len(points), np.inf)
    order = np.lexsort((points[:, 1], points[:, 0]))
    sides = points[order]
    found = np.full(len(points), np.inf)
    found[order[1:-1]] = np.abs(sides[2:] - sides[:-2]).sum(axis=1)
    return found


def pair(row: Floats) -> LossRisk:
    """A row as a pair."""
    return float(row[0]), float(row[1])
