"""Run by its own Python: k-means by pyclustering, as many clusters as groups of k make."""

from typing import Any

import numpy as np
from asking import Clock, Task, serve
from pyclustering.cluster.center_initializer import kmeans_plusplus_initializer
from pyclustering.cluster.kmeans import kmeans


def plain(task: Task, clock: Clock) -> dict[str, Any]:
    points = np.loadtxt(task["file"], skiprows=1, delimiter=",", ndmin=2)
    points = (points - points.mean(axis=0)) / points.std(axis=0)

    def work() -> list[list[int]]:
        count = len(points) // task["k"]
        centres = kmeans_plusplus_initializer(points, count, random_state=0).initialize()
        model = kmeans(points, centres)
        model.process()
        return list(model.get_clusters())

    labels = np.empty(len(points), dtype=int)
    for group, records in enumerate(clock.timed(work)):
        labels[records] = group
    return {"labels": labels.tolist()}


if __name__ == "__main__":
    serve("pyclustering", {"plain": plain})
