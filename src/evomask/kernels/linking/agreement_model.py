"""Expectation and maximisation for the model of agreement."""

import numpy as np

from evomask.arrays import Floats, Points
from evomask.kernels.compiler import FLOATS, POINTS, REAL, WHOLE, inner, kernel


@inner
def _inside(share: float, smallest: float) -> float:
    return min(max(share, smallest), 1.0 - smallest)


@inner
def _likelihoods(agreements: Points, probabilities: Floats, out: Floats) -> None:
    """Probability of each pattern where attributes agree independently."""
    differing = np.log1p(-probabilities)
    gained = np.log(probabilities) - differing
    nothing = differing.sum()
    for p in range(agreements.shape[0]):
        total = nothing
        for j in range(gained.size):
            total += agreements[p, j] * gained[j]
        out[p] = np.exp(total)


@kernel(POINTS, FLOATS, REAL, FLOATS, FLOATS, REAL, REAL, WHOLE)
def fit_agreement(
    agreements: Points,
    pairs: Floats,
    matches: float,
    first_m: Floats,
    first_u: Floats,
    smallest: float,
    close: float,
    most_steps: int,
) -> tuple[float, Floats, Floats]:
    """Share of matches, and probabilities of agreement in matches and in other pairs.

    *agreements* has a row of 0 and 1 for each pattern, *pairs* how many pairs show it. From a
    first guess on, at most so many steps, until no probability moves by *close*; all stay
    inside [smallest, 1 - smallest].
    """
    n_patterns, d = agreements.shape
    m, u = first_m.copy(), first_u.copy()
    in_match, in_other = np.empty(n_patterns), np.empty(n_patterns)
    tiny = np.finfo(np.float64).tiny
    everyone = pairs.sum()
    for _ in range(most_steps):
        _likelihoods(agreements, m, in_match)
        _likelihoods(agreements, u, in_other)
        matched = 0.0
        agreed_m, agreed_u = np.zeros(d), np.zeros(d)
        for p in range(n_patterns):
            ours = matches * in_match[p]
            share = ours / max(ours + (1.0 - matches) * in_other[p], tiny)
            linked, apart = share * pairs[p], (1.0 - share) * pairs[p]
            matched += linked
            for j in range(d):
                agreed_m[j] += linked * agreements[p, j]
                agreed_u[j] += apart * agreements[p, j]
        found = _inside(matched / everyone, smallest)
        moved = abs(found - matches)
        matches = found
        for j in range(d):
            next_m = _inside(agreed_m[j] / max(matched, tiny), smallest)
            next_u = _inside(agreed_u[j] / max(everyone - matched, tiny), smallest)
            moved = max(moved, abs(next_m - m[j]), abs(next_u - u[j]))
            m[j], u[j] = next_m, next_u
        if moved < close:
            break
    return matches, m, u
