"""Run by its own Python: Mondrian by anonypy, the regions and the released rows of each."""

import contextlib
import io
from typing import Any

import anonypy
import numpy as np
import pandas as pd
from asking import Clock, Task, serve


def _table(task: Task) -> pd.DataFrame:
    table = pd.read_csv(task["file"], keep_default_na=False)
    for name in (*task["categories"], task["confidential"]):
        table[name] = table[name].astype("category")
    return table


def mondrian(task: Task, clock: Clock) -> dict[str, Any]:
    """The release is timed; the regions are asked for again, to judge them by one judge."""
    preserver = anonypy.Preserver(_table(task), list(task["quasi"]), task["confidential"])
    with contextlib.redirect_stdout(io.StringIO()):
        rows = clock.timed(lambda: preserver.anonymize_k_anonymity(k=task["k"]))
    labels = np.empty(sum(row["count"] for row in rows), dtype=int)
    for region, records in enumerate(preserver.modrian.partition(task["k"])):
        labels[records] = region
    return {"labels": labels.tolist()}


if __name__ == "__main__":
    serve("anonypy", {"mondrian": mondrian})
