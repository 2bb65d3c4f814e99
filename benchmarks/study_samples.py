"""Does a sample order recipes as the whole file does? Rank agreement over thirty of them.

``python benchmarks/study_samples.py FILE [QUASI,... [K [RECORDS]]]``: a file of 40,000 records or
more. Thirty recipes of the grid, evenly over its order, are made, repaired and measured on the
sample that a protection takes and on the whole file; Kendall's tau of loss, of risk and of the
larger of the two, the mean shift of both, and the share of the true front among the ten most
promising on the sample.
"""

import sys
import time
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from evomask.evolution.dominance import non_dominated_ranks
from evomask.masking.guarantees.requirement import Requirement
from evomask.portfolio.members import members_for
from evomask.portfolio.worker import Make, Maker, Measured, Settings, Try, load_kernels
from evomask.runs.inputs import Input, load
from evomask.searches.search import File

RECIPES, SEED, PROMOTED = 30, 1, 10


def maker_of(path: Path, quasi: tuple[str, ...], k: int, records: int) -> Maker:
    """A maker with the grid alone for the file."""
    loaded = load(Input(path, None, quasi))
    requirement = Requirement(k=k)
    load_kernels(lambda _: None, ("grid",))
    file = File(loaded.table, requirement, "strict", loaded.hierarchies)
    settings = Settings(requirement, "strict", members_for(file, ("grid",)), sample=records)
    return Maker(loaded.table, settings, SEED, loaded.hierarchies)


def recipes_of(maker: Maker) -> list[int]:
    """Numbers of recipes, from the families in turn."""
    order = maker.setup("grid").problem.order  # type: ignore[attr-defined]
    return [order[place] for place in np.linspace(0, min(299, len(order) - 1), RECIPES).astype(int)]


def main() -> None:
    """Print the agreement for one file."""
    path, *more = sys.argv[1:]
    quasi = tuple(more[0].split(",")) if more and more[0] else ()
    k = int(more[1]) if len(more) > 1 else 5
    records = int(more[2]) if len(more) > 2 else 10_000
    maker = maker_of(Path(path), quasi, k, records)
    assert maker.small is not None, "the file is too small for a sample"
    pairs, spent = [], np.zeros(2)
    for number in recipes_of(maker):
        times = [time.process_time()]
        outcomes = []
        for task in (Try("grid", number), Make("grid", number)):
            outcomes.append(maker(task, 0))
            times.append(time.process_time())
        spent += np.diff(times)
        small, whole = outcomes
        if isinstance(small, Measured) and isinstance(whole, Measured):
            pairs.append([(small.loss, small.risk), (whole.loss, whole.risk)])
    sample, whole = np.array(pairs).transpose(1, 0, 2)
    readings = {
        "loss": (sample[:, 0], whole[:, 0]),
        "risk": (sample[:, 1], whole[:, 1]),
        "larger": (sample.max(axis=1), whole.max(axis=1)),
        "sum": (sample.sum(axis=1), whole.sum(axis=1)),
    }
    print(f"{len(pairs)} recipes, {len(maker.sample)} of {len(maker.table)} records")
    for name, (a, b) in readings.items():
        print(f"{name:8s} tau {kendalltau(a, b).statistic:.2f}  shift {np.mean(a - b):+.2f}")
    true = set(np.flatnonzero(non_dominated_ranks(whole) == 0).tolist())
    first = np.argsort(non_dominated_ranks(sample), kind="stable")[:PROMOTED].tolist()
    print(f"of {len(true)} on the true front {len(true & set(first))} among the first {PROMOTED}")
    print(f"CPU s a recipe: {spent[0] / RECIPES:.2f} on the sample, {spent[1] / RECIPES:.2f}")


if __name__ == "__main__":
    main()
