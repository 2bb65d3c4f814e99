"""Run by its own Python: MDAV by anonypyx, a fork of anonypy that goes on."""

from typing import Any

import numpy as np
import pandas as pd
from anonypyx.microaggregation import MDAVGeneric
from asking import Clock, Task, serve


def mdav(task: Task, clock: Clock) -> dict[str, Any]:
    table = pd.read_csv(task["file"])
    groups = clock.timed(lambda: MDAVGeneric(table, list(table.columns)).partition(task["k"]))
    labels = np.empty(len(table), dtype=int)
    for group, records in enumerate(groups):
        labels[records] = group
    return {"labels": labels.tolist()}


if __name__ == "__main__":
    serve("anonypyx", {"mdav": mdav})
