"""Fellegi and Sunter's model of all pairs by recordlinkage.

Its classifier stops where it usually does, unless a task asks for a closer fit.
"""

from typing import Any

import numpy as np
import pandas as pd
import recordlinkage
from asking import Clock, Task, serve


def linkage(task: Task, clock: Clock) -> dict[str, Any]:
    """Percent of masked records whose best pair is their own, ties shared."""
    masked, original = (pd.read_csv(task[side], dtype=str) for side in ("masked", "file"))
    names = list(original.columns)

    def work() -> Any:
        pairs = recordlinkage.index.Full().index(masked, original)
        comparing = recordlinkage.Compare()
        for name in names:
            comparing.exact(name, name, label=name)
        vectors = comparing.compute(pairs, masked, original)
        model = recordlinkage.ECMClassifier(**task.get("fit", {}))
        model.fit(vectors)
        return vectors, model

    vectors, model = clock.timed(work)
    agree = np.array([np.log(model.m_probs[n][1] / model.u_probs[n][1]) for n in names])
    differ = np.array([np.log(model.m_probs[n][0] / model.u_probs[n][0]) for n in names])
    same = vectors[names].to_numpy() > 0
    weights = (same @ (agree - differ) + differ.sum()).reshape(len(masked), len(original))
    best = np.isclose(weights, weights.max(axis=1, keepdims=True), rtol=0, atol=1e-6)
    share = np.diag(best) / best.sum(axis=1)
    return {"value": 100 * float(share.mean()), "m": [float(model.m_probs[n][1]) for n in names]}


if __name__ == "__main__":
    serve("recordlinkage", {"linkage": linkage})
