"""Which released records are nearest to any of some people: all that intruders look at."""

import numpy as np

from evomask.arrays import Indices
from evomask.kernels.compiler import INDICES, TRUTH, kernel
from evomask.kernels.linking.boxes import (
    BOXES,
    COSTS,
    PEOPLE,
    SEARCH,
    Boxes,
    Costs,
    People,
    Search,
    seek,
)


@kernel(BOXES, COSTS, PEOPLE, SEARCH, INDICES, TRUTH)
def nearest_rows(
    boxes: Boxes, costs: Costs, people: People, search: Search, chosen: Indices, strangers: bool
) -> Indices:  # fmt: skip
    """Marks of the records that are nearest to any chosen person, or the nearest strangers."""
    marks = np.zeros(boxes.counts.size, np.int64)
    for t in range(chosen.size):
        size, _ = seek(boxes, costs, people, search, chosen[t], strangers)
        for f in range(size):
            marks[search.found[f]] = 1
    return marks
