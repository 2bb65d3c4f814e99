"""Genome of the pram search: the transition matrices of all attributes in one vector.

The thesis uses integers, probabilities times 1000, and converts them to matrices on demand; the
memetic algorithm uses matrices that are always valid: within a range of the diagonal, within a
band, or invariant.

The diagonal is raised and lowered by equations (4.6) and (4.7), row by row; in (4.7) the mass
that is removed goes to the other cells only, so that rows sum to 1.

Invariance is treated with flows: t_i R_ij is the flow of records from category i to j. R = P Q
has symmetric flows, and each symmetric matrix of flows gives an invariant matrix. A range of
the diagonal is therefore a range of the outflow of each category, and mixtures of matrices that
satisfy it satisfy it too. Such flows exist if no outflow exceeds the sum of all others.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.kernels.compiler.bundles import bundle_tuple
from evomask.kernels.pram.transitions import BOUNDS, Bounds
from evomask.masking.randomization.pram import (
    Transitions,
    frequencies_of,
    make_invariant,
    normalize_rows,
)
from evomask.masking.randomization.transition_limits import TransitionLimits
from evomask.types import Flags, Floats, Indices, Points

MAX_SCALINGS = 40
"""Iterations of scaling flows into their ranges before a feasible solution is mixed in."""

DOMINANT = 0.5 + 1e-9
"""The smallest diagonal of a diagonally dominant matrix."""


@dataclass(frozen=True)
class Limits:
    """Constraints on a transition matrix.

    Args:
        low, high: range of the diagonal.
        band: largest number of ranks that an ordinal category may move; None for no limit.
        has_missing: whether the last category is missing, which has no rank.
        permitted: flags of the changes that are not forbidden; None if all are permitted.
        invariant: whether expected frequencies must be preserved.
        alpha: weight of an invariant matrix against the identity (4.6), before the range
            applies.
    """

    low: float = 0.0
    high: float = 1.0
    band: int | None = None
    has_missing: bool = False
    invariant: bool = False
    alpha: float = 1.0
    permitted: Flags | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not 0 < self.alpha <= 1:
            raise ParameterError(f"alpha must lie above 0 and up to 1, got {self.alpha:g}")
        if self.alpha < 1 and not self.invariant:
            raise ParameterError(
                "alpha applies to invariant matrices only; request these or omit alpha"
            )
        if not 0 <= self.low <= self.high <= 1:
            raise ParameterError(
                "the range of the diagonal must lie within 0 and 1, with the lower end first, "
                f"got {self.low:g} to {self.high:g}"
            )
        if self.band is not None and self.band < 1:
            raise ParameterError(f"band must be at least 1, got {self.band}; 0 masks nothing")

    @property
    def has_range(self) -> bool:
        return self.low > 0 or self.high < 1


def allowed_changes(size: int, limits: Limits) -> Flags:
    """Flags of the allowed changes from category (row) to category.

    Missing is unrestricted by a band. An invariant matrix changes in both directions or in none.
    """
    ranks = np.arange(size)
    allowed: Flags = np.abs(ranks[:, None] - ranks[None, :]) <= (
        size if limits.band is None else limits.band
    )
    if limits.has_missing:
        allowed[-1, :] = allowed[:, -1] = True
    if limits.permitted is not None:
        allowed &= limits.permitted
        if limits.invariant:
            allowed &= limits.permitted.T
    return allowed


def constrain(matrix: Transitions, frequencies: Floats, limits: Limits) -> Transitions:
    """Return a matrix near *matrix* that satisfies the limits.

    If no invariant matrix satisfies the range, its upper end is raised to `nearest_range`.
    """
    allowed = allowed_changes(len(matrix), limits)
    inside = normalize_rows(np.where(allowed, matrix, 0.0))
    if len(matrix) == 1:
        return inside
    if not limits.invariant:
        return _rows_within(inside, limits.low, limits.high, allowed)
    shares = frequencies / frequencies.sum()
    low, high = nearest_range(frequencies, limits)
    flows = limits.alpha * _flows(make_invariant(inside, frequencies), shares) * allowed
    if limits.has_range:
        feasible = _feasible_flows(shares, allowed, low, high)
        flows = _scale_into_range(flows, shares, feasible, (low, high))
    invariant = _from_flows(flows, shares)
    empty = shares <= 0
    invariant[empty] = _rows_within(np.eye(len(invariant)), low, high, allowed)[empty]
    return invariant


def correct_rounding(matrix: Transitions, frequencies: Floats, *, invariant: bool) -> Transitions:
    """Remove rounding errors: rows sum to 1, and flows are symmetric if *invariant*."""
    if not invariant:
        return normalize_rows(matrix)
    shares = frequencies / frequencies.sum()
    corrected = _from_flows(_flows(matrix, shares), shares)
    empty = shares <= 0
    corrected[empty] = matrix[empty]
    return corrected


def nearest_range(frequencies: Floats, limits: Limits) -> tuple[float, float]:
    """Return the range of the diagonal that an invariant matrix can satisfy.

    Without a band, the requested range is feasible if no category holds more than
    (1 - low) / ((1 - low) + (1 - high)) of the records. Otherwise the upper end is raised:
    records that leave the most frequent category must be replaced from all the others.
    """
    shares = frequencies / frequencies.sum()
    if not limits.has_range:
        return limits.low, limits.high
    if limits.band is None and limits.permitted is None:
        most = float(shares.max())
        rate = (1 - limits.low) * (1 - most) / most
    else:
        allowed = allowed_changes(len(shares), limits)
        rate = float(_solve_flows(shares, allowed, (0.0, 1.0), (1 - limits.low, 0.0))[-1])
    return limits.low, max(limits.high, 1 - rate)


def _rows_within(matrix: Transitions, low: float, high: float, allowed: Flags) -> Transitions:
    """Bring the diagonal of each row into a range: up by (4.6), down by (4.7)."""
    diagonal = np.diagonal(matrix).copy()
    up = diagonal < low
    factors = np.where(up, (1 - low) / np.where(up, 1 - diagonal, 1.0), 1.0)
    result = matrix * factors[:, None]
    others = allowed & ~np.eye(len(matrix), dtype=bool)
    counts = others.sum(axis=1)
    down = (diagonal > high) & (counts > 0)
    scale = np.where(down, high / np.where(down, diagonal, 1.0), 1.0)
    result *= scale[:, None]
    result += others * ((1 - scale) / np.maximum(counts, 1))[:, None]
    np.fill_diagonal(result, np.where(up, low, np.where(down, high, diagonal)))
    return result


def _flows(matrix: Transitions, shares: Floats) -> Points:
    """Symmetric flows of a matrix: shares of the records that move between two categories."""
    flows = matrix * shares[:, None]
    np.fill_diagonal(flows, 0.0)
    symmetric: Points = (flows + flows.T) / 2
    return symmetric


def _from_flows(flows: Points, shares: Floats) -> Transitions:
    """Return the invariant matrix with these expected counts of moves between categories.

    A category without records keeps its value."""
    matrix = np.divide(flows, shares[:, None], out=np.zeros_like(flows), where=shares[:, None] > 0)
    np.fill_diagonal(matrix, np.maximum(1 - matrix.sum(axis=1), 0.0))
    return matrix


def _scale_into_range(
    flows: Points, shares: Floats, feasible: Points, ends: tuple[float, float]
) -> Points:
    """Scale flows until all outflows are in range; if that fails, mix in *feasible* flows."""
    least, most = (1 - ends[1]) * shares, (1 - ends[0]) * shares
    for _ in range(MAX_SCALINGS):
        out = flows.sum(axis=1)
        if ((out >= least) & (out <= most)).all():
            return flows
        factors = np.divide(np.clip(out, least, most), out, out=np.ones_like(out), where=out > 0)
        roots = np.sqrt(factors)
        flows = flows * roots[:, None] * roots[None, :]
    return _mix(flows, feasible, least, most)


def _mix(flows: Points, feasible: Points, least: Floats, most: Floats) -> Points:
    """Mix in the smallest part of the *feasible* flows that brings all outflows into range."""
    out, safe = flows.sum(axis=1), feasible.sum(axis=1)
    beyond = np.maximum(least - out, out - most)
    inside = np.where(out < least, safe - least, most - safe)
    parts = np.where(beyond > 0, beyond / np.maximum(beyond + np.maximum(inside, 0.0), 1e-300), 0.0)
    part = float(parts.max(initial=0.0))
    mixed: Points = (1 - part) * flows + part * feasible
    return mixed


def _feasible_flows(shares: Floats, allowed: Flags, low: float, high: float) -> Points:
    """Symmetric flows in the middle of the ranges that the diagonal allows."""
    if not allowed.all():
        return _banded_flows(shares, allowed, low, high)
    most = float(shares.max())
    needed = (1 - high) * max(1.0, most / (1 - most)) if most < 1 else 0.0
    rate = (min(needed, 1 - low) + (1 - low)) / 2
    leaving = rate * shares
    leaving[shares.argmax()] = min(leaving.max(), rate * (1 - most))
    return _symmetric_flows(leaving)


def _symmetric_flows(leaving: Floats) -> Points:
    """Symmetric flows with zero diagonal and given outflows, none above half of their total.

    The outflows are arcs on a circle; the flow from i to j is the overlap of arc i with arc j
    after a half turn of the circle. Two half turns are a full turn, so the flows are symmetric,
    and no arc overlaps itself.
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
    """Symmetric flows within a band, as far inside their ranges as possible (linear program)."""
    first, second = np.nonzero(np.triu(allowed, 1))
    solved = _solve_flows(shares, allowed, (1 - high, 1.0), (1 - low, -1.0))
    flows = np.zeros((len(shares), len(shares)))
    flows[first, second] = flows[second, first] = np.maximum(solved[:-1], 0.0)
    return flows


def _solve_flows(
    shares: Floats, allowed: Flags, least: tuple[float, float], most: tuple[float, float]
) -> Floats:
    """Maximise z subject to rates between a + b z and c + d z in all non-empty categories.

    Args:
        allowed: pairs of categories between which records may move.
        least, most: (a, b) and (c, d).

    Returns:
        The flow of each pair, then z.
    """
    from scipy.optimize import linprog

    pairs = np.nonzero(np.triu(allowed, 1))
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
        goal,
        np.vstack([below, above]),
        np.concatenate([-least[0] * share, most[0] * share]),
        bounds=[(0.0, 0.0 if shut else None) for shut in closed] + [(None, 1.0)],
    )
    return np.asarray(solution.x, dtype=np.float64)


THOUSAND = 1000
"""Factor from a probability to an integer gene."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Position of the matrices of the attributes in the vector, and their limits.

    Args:
        attributes: attributes to mask.
        wanted: limits of the matrices; a band applies to ordinal attributes only.
        transitions: forbidden changes.
    """

    table: Table
    attributes: tuple[str, ...]
    wanted: Limits
    transitions: TransitionLimits = field(default_factory=TransitionLimits)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(self.table.attribute(name).categories) for name in self.attributes)

    @cached_property
    def frequencies(self) -> Mapping[str, Floats]:
        return frequencies_of(self.table, self.attributes)

    @cached_property
    def limits(self) -> Mapping[str, Limits]:
        """Limits of each attribute's matrix, relaxed where no matrix could meet them."""
        return {name: self._limits(name) for name in self.attributes}

    def _limits(self, name: str) -> Limits:
        attribute, wanted = self.table.attribute(name), self.wanted
        band = wanted.band if attribute.kind is Kind.ORDINAL else None
        permitted = self.transitions.permitted(attribute)
        limits = replace(
            wanted,
            band=band,
            has_missing=attribute.has_missing,
            permitted=None if permitted.all() else permitted,
        )
        if not limits.invariant:
            return limits
        low, high = nearest_range(self.frequencies[name], limits)
        return replace(limits, low=low, high=high)

    def matrices(self, flat: Floats) -> dict[str, Transitions]:
        ends = np.cumsum([size**2 for size in self.sizes])[:-1]
        parts = zip(self.attributes, self.sizes, np.split(flat, ends), strict=True)
        return {name: part.reshape(size, size) for name, size, part in parts}

    def flat(self, matrices: Mapping[str, Transitions]) -> Floats:
        return np.concatenate([matrices[name].ravel() for name in self.attributes])

    def shaped(self, matrices: Mapping[str, Transitions]) -> Floats:
        """Return similar matrices that meet the limits, as a vector."""
        return self.flat(
            {name: constrain(matrices[name], self.frequencies[name], self.limits[name])
             for name in self.attributes}
        )  # fmt: skip

    def tidied(self, flat: Floats) -> Floats:
        """Return the matrices without the rounding errors of many small changes."""
        return self.flat(
            {name: correct_rounding(matrix, self.frequencies[name], invariant=self.wanted.invariant)
             for name, matrix in self.matrices(flat).items()}
        )  # fmt: skip

    def whole(self, flat: Floats) -> Floats:
        """Return matrices as integers, as the thesis encodes them."""
        numbers: Floats = np.floor(flat * THOUSAND + 1e-9)
        return numbers

    def from_whole(self, numbers: Floats) -> Floats:
        """Return integers as valid matrices: rows normalised, then adjusted to the limits."""
        matrices = self.matrices(numbers)
        return self.shaped({name: normalize_rows(matrix) for name, matrix in matrices.items()})

    @cached_property
    def bounds(self) -> Bounds:
        sizes = np.array(self.sizes, dtype=np.int64)
        limits = [self.limits[name] for name in self.attributes]
        counts = [self.frequencies[name] for name in self.attributes]
        allowed = [allowed_changes(n, limit) for n, limit in zip(self.sizes, limits, strict=True)]
        free = [
            not limit.has_range and bool(all_.all())
            for limit, all_ in zip(limits, allowed, strict=True)
        ]
        return bundle_tuple(BOUNDS, Bounds(
            sizes, _begins(sizes**2), _begins(sizes),
            np.concatenate([count / count.sum() for count in counts]),
            np.concatenate([square.ravel() for square in allowed]).astype(np.int64),
            np.array([limit.low for limit in limits]), np.array([limit.high for limit in limits]),
            np.array(free, dtype=np.int64), self.wanted.invariant,
        ))  # fmt: skip


def _begins(sizes: Indices) -> Indices:
    return np.cumsum(sizes) - sizes
