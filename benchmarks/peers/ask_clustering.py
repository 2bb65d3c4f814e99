"""Run by its own Python: clustering as a floor for microaggregation.

``scikit-learn`` is asked for as many clusters as groups of k make; nothing keeps a cluster from
having fewer than k records. ``k-means-constrained`` bounds the sizes from below and above.
"""

from typing import Any

import numpy as np
from asking import Clock, Task, serve
from k_means_constrained import KMeansConstrained
from sklearn.cluster import KMeans


def _points(task: Task) -> Any:
    points = np.loadtxt(task["file"], skiprows=1, delimiter=",", ndmin=2)
    return (points - points.mean(axis=0)) / points.std(axis=0)


def plain(task: Task, clock: Clock) -> dict[str, Any]:
    points = _points(task)
    model = KMeans(len(points) // task["k"], n_init=1, random_state=0)
    return {"labels": clock.timed(lambda: model.fit_predict(points)).tolist()}


def constrained(task: Task, clock: Clock) -> dict[str, Any]:
    points, k = _points(task), task["k"]
    model = KMeansConstrained(
        len(points) // k, size_min=k, size_max=2 * k - 1, n_init=1, max_iter=10, random_state=0
    )
    return {"labels": np.asarray(clock.timed(lambda: model.fit_predict(points))).tolist()}


if __name__ == "__main__":
    serve("scikit-learn", {"plain": plain, "constrained": constrained})
