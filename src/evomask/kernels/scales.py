"""Losses of categories on their own scales, for kernels that weigh them."""

from evomask.arrays import Floats
from evomask.kernels.compiler import inner


@inner
def mean_on_scales(ends: Floats, tables: float, distances: float, entropies: float) -> float:
    """The mean of the three losses, each on its scale if it has one."""
    if ends.max() == 0.0:
        return (tables + distances + entropies) / 3
    total, count = 0.0, 0
    for end, loss in ((ends[0], tables), (ends[1], distances), (ends[2], entropies)):
        if end > 0.0:
            total += min(100.0, 100.0 * loss / end)
            count += 1
    return total / count
