"""Which attributes of two records agree."""

import numpy as np

from evomask.arrays import Codes, Floats, Indices, Points
from evomask.kernels.compiler import CODE_ROWS, FLOATS, INDICES, POINTS, kernel
from evomask.kernels.linking.linkage import Rows, Terms, as_columns, gap_between


def agreement_patterns(targets: Rows, rows: Rows, tolerances: Floats, terms: Terms) -> Indices:
    """A matrix of targets by records whose entry has bit j set where attribute j agrees.

    Numbers agree when the gap is within their tolerance or both are missing, codes when
    their table says 0. Numbers come first.
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
