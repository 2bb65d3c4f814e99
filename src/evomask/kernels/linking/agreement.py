"""Agreement patterns of record pairs, and EM estimation for probabilistic linkage."""

import numpy as np

from evomask.kernels.jit import CODE_ROWS, FLOAT64, FLOATS, INDICES, INT64, POINTS, inner, kernel
from evomask.kernels.linking.linkage import Rows, Terms, as_columns, gap_between
from evomask.types import Codes, Floats, Indices, Points


def agreement_patterns(targets: Rows, rows: Rows, tolerances: Floats, terms: Terms) -> Indices:
    """Return a matrix of targets by records; bit j is set where attribute j agrees.

    Numbers agree when their gap is within the tolerance or both are missing, codes when their table
    entry is 0. Numbers come first. Cost is O(targets · records · attributes).
    """
    low, high = as_columns(rows)
    return _agreement_patterns(
        targets.low, targets.high, targets.codes, low, high, np.ascontiguousarray(rows.codes.T),
        tolerances, terms.tables, terms.starts, terms.widths,
    )  # fmt: skip


@kernel(
    POINTS, POINTS, CODE_ROWS, POINTS, POINTS, CODE_ROWS, FLOATS, FLOATS, INDICES, INDICES,
)  # fmt: skip
def _agreement_patterns(
    t_low: Points,
    t_high: Points,
    t_codes: Codes,
    c_low: Points,
    c_high: Points,
    c_codes: Codes,
    tolerances: Floats,
    tables: Floats,
    starts: Indices,
    widths: Indices,
) -> Indices:
    n_targets = t_low.shape[0]
    numbers = tolerances.size
    patterns = np.zeros((n_targets, c_low.shape[1]), dtype=np.int64)
    for i in range(n_targets):
        bits = patterns[i]
        for a in range(numbers):
            lows = c_low[a]
            highs = c_high[a]
            low = t_low[i, a]
            high = t_high[i, a]
            for j in range(bits.size):
                if np.isnan(low) or np.isnan(lows[j]):
                    agrees = np.isnan(low) and np.isnan(lows[j])
                else:
                    agrees = gap_between(low, high, lows[j], highs[j]) <= tolerances[a]
                bits[j] |= np.int64(agrees) << a
        for a in range(starts.size):
            codes = c_codes[a]
            row = starts[a] + t_codes[i, a] * widths[a]
            for j in range(bits.size):
                bits[j] |= np.int64(tables[row + codes[j]] == 0.0) << (numbers + a)
    return patterns


@inner
def _inside(share: float, smallest: float) -> float:
    return min(max(share, smallest), 1.0 - smallest)


@inner
def _likelihoods(agreements: Points, probabilities: Floats, out: Floats) -> None:
    """Probability of each pattern under independent agreement of attributes."""
    differing = np.log1p(-probabilities)
    gained = np.log(probabilities) - differing
    nothing = differing.sum()
    for p in range(agreements.shape[0]):
        total = nothing
        for j in range(gained.size):
            total += agreements[p, j] * gained[j]
        out[p] = np.exp(total)


@kernel(POINTS, FLOATS, FLOAT64, FLOATS, FLOATS, FLOAT64, FLOAT64, INT64)
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
    """Return the share of matches, and agreement probabilities in matches and non-matches (EM).

    *agreements* has a row of 0 and 1 for each pattern, *pairs* the number of pairs that show it.
    Iteration starts from *first_m* and *first_u* and ends after *most_steps*, or when no
    probability changes by *close*; all stay inside [smallest, 1 - smallest]. O(patterns ·
    attributes) a step.
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
