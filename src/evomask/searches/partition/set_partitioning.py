"""Set partitioning: of given groups the cheapest that together hold every record exactly once.

Solved by linear programming where that is enough, else by branch and bound. How long branch and
bound takes hangs on how many groups the linear program takes by halves and thirds, so these are
counted first. Nothing reads a clock: the same groups always give the same choice.
"""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from evomask.arrays import Flags, Floats

if TYPE_CHECKING:
    from scipy.sparse import csc_array

FRACTIONS = 48
"""With more groups that are taken in part, branch and bound may take seconds."""

WHOLE = 1e-6
"""What is so near 0 or 1 is not taken in part."""

GAIN = 1e-9
"""Share of the cost by which a choice must be better than the known one."""


class TooHardError(Exception):
    """Branch and bound might take too long."""


def cheapest(costs: Floats, cover: "csc_array", known: float) -> Flags | None:
    """The groups to take, or None where no choice is cheaper than the *known* cost.

    Args:
        cover: which record (row) is in which group (column); every row has one.

    Raises:
        TooHardError: where it would take long to know.
    """
    scaled = costs * (len(costs) / known) if known > 0 else costs
    limit = len(costs) * (1.0 - GAIN) if known > 0 else 0.0
    shares = _shares(scaled, cover, whole=False)
    if shares is None or scaled @ shares >= limit:
        return None
    parts = int(np.sum((shares > WHOLE) & (shares < 1.0 - WHOLE)))
    if parts > FRACTIONS:
        raise TooHardError
    if parts > 0:
        shares = _shares(scaled, cover, whole=True)
    taken: Flags | None = None if shares is None else shares > 0.5
    return taken if taken is not None and _is_better(scaled, cover, taken, limit) else None


def cheapest_within(costs: Floats, cover: "csc_array", known: float, nodes: int) -> Flags | None:
    """The same for many groups: the best choice that so many branches lead to, if it is cheaper."""
    shares = _shares(costs, cover, whole=True, nodes=nodes)
    taken: Flags | None = None if shares is None else shares > 0.5
    limit = known * (1.0 - GAIN)
    return taken if taken is not None and _is_better(costs, cover, taken, limit) else None


def _is_better(costs: Floats, cover: "csc_array", taken: Flags, limit: float) -> bool:
    """Whether a choice holds every record once and costs less than the limit."""
    is_cover = bool((cover @ taken.astype(np.float64) == 1.0).all())
    return is_cover and float(costs[taken].sum()) < limit


def _shares(
    costs: Floats, cover: "csc_array", whole: bool, nodes: int | None = None
) -> Floats | None:
    """How much of each group the cheapest cover takes: any share, or all and nothing."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    with _quiet():
        solution = milp(
            costs,
            integrality=np.full(len(costs), int(whole)),
            bounds=Bounds(0, 1 if whole else np.inf),
            constraints=LinearConstraint(cover, 1, 1),
            options={"mip_rel_gap": 0} if nodes is None else {"node_limit": nodes},
        )
    return None if solution.x is None else np.asarray(solution.x, dtype=np.float64)


@contextmanager
def _quiet() -> Iterator[None]:
    """Nothing gets out on standard output: HiGHS 1.12 writes lines there that nobody asked for."""
    if os.name != "posix":
        yield
        return
    flush = ctypes.CDLL(None).fflush
    sys.stdout.flush()
    flush(None)
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
        flush(None)
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
