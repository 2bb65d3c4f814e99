"""What a transition matrix must keep to: a range of its diagonal, a band, invariance.

Raising and lowering the diagonal are equations (4.6) and (4.7), row by row; in (4.7) the mass
that is taken away goes to the other cells alone, so that rows sum to 1.

An invariant matrix is a matter of flows: t_i R_ij records go from category i to j. R = P Q
has symmetric flows, and every symmetric table of flows gives an invariant matrix; so a range
of the diagonal is a range of the flow out of each category, and mixtures of matrices that
keep to it keep to it. Such flows exist if the largest one can be met by all others together.
"""

from dataclasses import dataclass

import numpy as np

from evomask.arrays import Flags, Floats, Points
from evomask.errors import ParameterError
from evomask.masking.randomization.pram import Transitions, made_invariant
from evomask.masking.randomization.transitions import rows_to_one

ROUNDS = 40
"""How often flows are scaled towards their ranges before the rest is mixed in."""

DOMINANT = 0.5 + 1e-9
"""The smallest diagonal of a matrix that rather stays than changes."""


@dataclass(frozen=True)
class Limits:
    """What a transition matrix must keep to.

    Args:
        low, high: range of the diagonal.
        band: how many places an ordinal category may move; None: any number.
        has_missing: whether the last category stands for missing, which has no place.
        invariant: whether expected frequencies stay.
        alpha: weight of an invariant matrix against the identity (4.6), before its range.
    """

    low: float = 0.0
    high: float = 1.0
    band: int | None = None
    has_missing: bool = False
    invariant: bool = False
    alpha: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.alpha <= 1:
            raise ParameterError(f"alpha must lie above 0 and up to 1, got {self.alpha:g}")
        if self.alpha < 1 and not self.invariant:
            raise ParameterError("alpha goes with invariant matrices; ask for these or leave it")
        if not 0 <= self.low <= self.high <= 1:
            raise ParameterError(
                "the range of the diagonal must lie within 0 and 1, the lower end first, "
                f"got {self.low:g} to {self.high:g}"
            )
        if self.band is not None and self.band < 1:
            raise ParameterError(f"band must be at least 1, got {self.band}; 0 masks nothing")

    @property
    def has_range(self) -> bool:
        """Whether the diagonal is limited at all."""
        return self.low > 0 or self.high < 1


def allowed_changes(size: int, limits: Limits) -> Flags:
    """Which category may become which; to and from missing all may."""
    places = np.arange(size)
    apart = np.abs(places[:, None] - places[None, :])
    allowed: Flags = apart <= (size if limits.band is None else limits.band)
    if limits.has_missing:
        allowed[-1, :] = allowed[:, -1] = True
    return allowed


def shaped(matrix: Transitions, frequencies: Floats, limits: Limits) -> Transitions:
    """A matrix near *matrix* that keeps to the limits.

    Where invariance and the range cannot be had together, the upper end is raised as far as
    `nearest_range` says.
    """
    allowed = allowed_changes(len(matrix), limits)
    inside = rows_to_one(np.where(allowed, matrix, 0.0))
    if len(matrix) == 1:
        return inside
    if not limits.invariant:
        return _rows_within(inside, limits.low, limits.high, allowed)
    shares = frequencies / frequencies.sum()
    low, high = nearest_range(frequencies, limits)
    flows = limits.alpha * _flows(made_invariant(inside, frequencies), shares) * allowed
    if limits.has_range:
        flows = _flows_within(flows, shares, _anchor(shares, allowed, low, high), (low, high))
    made = _from_flows(flows, shares)
    empty = shares <= 0
    made[empty] = _rows_within(np.eye(len(made)), low, high, allowed)[empty]
    return made


def tidied(matrix: Transitions, frequencies: Floats, *, invariant: bool) -> Transitions:
    """The matrix that was meant, without rounding errors: rows sum to 1, flows are symmetric."""
    if not invariant:
        return rows_to_one(matrix)
    shares = frequencies / frequencies.sum()
    made = _from_flows(_flows(matrix, shares), shares)
    empty = shares <= 0
    made[empty] = matrix[empty]
    return made


def nearest_range(frequencies: Floats, limits: Limits) -> tuple[float, float]:
    """The range of the diagonal that an invariant matrix can keep to.

    It is the one wanted where that is possible. Without a band it is, if no category holds
    more than (1 - low) / ((1 - low) + (1 - high)) of the records. Else the upper end is
    raised: who leaves the most frequent category must be replaced from all the others.
    """
    shares = frequencies / frequencies.sum()
    if not limits.has_range:
        return limits.low, limits.high
    if limits.band is None:
        most = float(shares.max())
        rate = (1 - limits.low) * (1 - most) / most
    else:
        allowed = allowed_changes(len(shares), limits)
        rate = float(_lowest_rate(shares, allowed, limits.low))
    return limits.low, max(limits.high, 1 - rate)


def _rows_within(matrix: Transitions, low: float, high: float, allowed: Flags) -> Transitions:
    """Each row's diagonal brought into a range: up by (4.6), down by (4.7)."""
    stays = np.diagonal(matrix).copy()
    up = stays < low
    keep = np.where(up, (1 - low) / np.where(up, 1 - stays, 1.0), 1.0)
    made = matrix * keep[:, None]
    others = allowed & ~np.eye(len(matrix), dtype=bool)
    counts = others.sum(axis=1)
    down = (stays > high) & (counts > 0)
    scale = np.where(down, high / np.where(down, stays, 1.0), 1.0)
    made *= scale[:, None]
    made += others * ((1 - scale) / np.maximum(counts, 1))[:, None]
    np.fill_diagonal(made, np.where(up, low, np.where(down, high, stays)))
    return made


def _flows(matrix: Transitions, shares: Floats) -> Points:
    """The share of records that moves between two categories, the same either way."""
    flows = matrix * shares[:, None]
    np.fill_diagonal(flows, 0.0)
    symmetric: Points = (flows + flows.T) / 2
    return symmetric


def _from_flows(flows: Points, shares: Floats) -> Transitions:
    """The invariant matrix with these flows; identity rows for empty categories."""
    matrix = np.divide(flows, shares[:, None], out=np.zeros_like(flows), where=shares[:, None] > 0)
    np.fill_diagonal(matrix, np.maximum(1 - matrix.sum(axis=1), 0.0))
    return matrix


def _flows_within(
    flows: Points, shares: Floats, anchor: Points, ends: tuple[float, float]
) -> Points:
    """Flows scaled until what leaves each category is in its range; *anchor* gives the rest."""
    least, most = (1 - ends[1]) * shares, (1 - ends[0]) * shares
    for _ in range(ROUNDS):
        out = flows.sum(axis=1)
        if ((out >= least) & (out <= most)).all():
            return flows
        factors = np.divide(np.clip(out, least, most), out, out=np.ones_like(out), where=out > 0)
        roots = np.sqrt(factors)
        flows = flows * roots[:, None] * roots[None, :]
    return _mixed_in(flows, anchor, least, most)


def _mixed_in(flows: Points, anchor: Points, least: Floats, most: Floats) -> Points:
    """As little of *anchor*, whose sums are in range, as brings all sums into it."""
    out, safe = flows.sum(axis=1), anchor.sum(axis=1)
    beyond = np.maximum(least - out, out - most)
    inside = np.where(out < least, safe - least, most - safe)
    parts = np.where(beyond > 0, beyond / np.maximum(beyond + np.maximum(inside, 0.0), 1e-300), 0.0)
    part = float(parts.max(initial=0.0))
    mixed: Points = (1 - part) * flows + part * anchor
    return mixed


def _anchor(shares: Floats, allowed: Flags, low: float, high: float) -> Points:
    """Flows, the same either way, in the middle of the ranges that the diagonal allows."""
    if not allowed.all():
        return _banded_flows(shares, allowed, low, high)
    most = float(shares.max())
    needed = (1 - high) * max(1.0, most / (1 - most)) if most < 1 else 0.0
    rate = (min(needed, 1 - low) + (1 - low)) / 2
    leaving = rate * shares
    leaving[shares.argmax()] = min(leaving.max(), rate * (1 - most))
    return _half_turn(leaving)


def _half_turn(leaving: Floats) -> Points:
    """Symmetric flows with given sums, none above half of their total.

    The sums are arcs around a circle; category i gives to j what they have in common when the
    circle is laid on itself after half a turn. Two half turns are a whole one: so it is
    symmetric, and no arc meets itself.
    """
    ends = np.cumsum(leaving)
    begins, total = ends - leaving, ends[-1]
    flows = np.zeros((len(leaving), len(leaving)))
    for turn in (-0.5 * total, 0.5 * total):
        low = np.maximum(begins[:, None], begins[None, :] + turn)
        high = np.minimum(ends[:, None], ends[None, :] + turn)
        flows += np.maximum(high - low, 0.0)
    np.fill_diagonal(flows, 0.0)
    symmetric: Points = (flows + flows.T) / 2
    return symmetric


def _banded_flows(shares: Floats, allowed: Flags, low: float, high: float) -> Points:
    """Flows within a band, as deep inside their ranges as can be (a linear program)."""
    first, second = _pairs(allowed)
    solved = _best(shares, (first, second), (1 - high, 1.0), (1 - low, -1.0))
    flows = np.zeros((len(shares), len(shares)))
    flows[first, second] = flows[second, first] = np.maximum(solved[:-1], 0.0)
    return flows


def _lowest_rate(shares: Floats, allowed: Flags, low: float) -> float:
    """The largest rate at which every category can be left by at least, within a band."""
    return float(_best(shares, _pairs(allowed), (0.0, 1.0), (1 - low, 0.0))[-1])


def _pairs(allowed: Flags) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.nonzero(np.triu(allowed, 1))
    return first, second


def _best(
    shares: Floats,
    pairs: tuple[np.ndarray, np.ndarray],
    least: tuple[float, float],
    most: tuple[float, float],
) -> Floats:
    """Flows of pairs and the largest z with rates from a + b z to c + d z for all who are there."""
    from scipy.optimize import linprog

    held = np.flatnonzero(shares > 0)
    incidence = np.zeros((len(shares), len(pairs[0])))
    for end in pairs:
        incidence[end, np.arange(len(end))] = 1.0
    closed = (shares[pairs[0]] == 0) | (shares[pairs[1]] == 0)
    sums, share = incidence[held], shares[held]
    below = np.column_stack([-sums, least[1] * share])
    above = np.column_stack([sums, -most[1] * share])
    goal = np.zeros(len(pairs[0]) + 1)
    goal[-1] = -1.0
    solution = linprog(
        goal, np.vstack([below, above]), np.concatenate([-least[0] * share, most[0] * share]),
        bounds=[(0.0, 0.0 if shut else None) for shut in closed] + [(None, 1.0)],
    )  # fmt: skip
    return np.asarray(solution.x, dtype=np.float64)
