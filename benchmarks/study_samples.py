"""Does a sample order recipes as the whole file does? Rank agreement over thirty of them.

``python benchmarks/study_samples.py FILE [QUASI,... [K [RECORDS]]]``: a file of 40,000 records or
more. Thirty recipes of the grid, evenly over its order, are made, repaired and measured on the
sample that a protection takes and on the whole file. Told are Kendall's tau and the mean shift
of loss, of risk and of the larger of the two: as the sample reads, and as is foretold of each
recipe from what the others were shifted by; and how much of the true front is among the ten
most promising.
"""

import sys
import time
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from evomask.arrays import Points
from evomask.evolution.dominance import non_dominated_ranks
from evomask.masking.guarantees.requirement import Requirement
from evomask.portfolio.members import members_for
from evomask.portfolio.sample import Trial, foretold
from evomask.portfolio.worker import Make, Maker, Measured, Settings, Try, load_kernels
from evomask.runs.inputs import Input, load
from evomask.searches.search import File

RECIPES, SEED, PROMOTED, GRID = 30, 1, 10, "grid"


def maker_of(path: Path, quasi: tuple[str, ...], k: int, records: int) -> Maker:
    """A maker with the grid alone for the file."""
    loaded = load(Input(path, None, quasi))
    requirement = Requirement(k=k)
    load_kernels(lambda _: None, (GRID,))
    file = File(loaded.table, requirement, "strict", loaded.hierarchies)
    settings = Settings(requirement, "strict", members_for(file, (GRID,)), sample=records)
    return Maker(loaded.table, settings, SEED, loaded.hierarchies)


def recipes_of(maker: Maker) -> list[int]:
    """Numbers of recipes, from the families in turn."""
    order = maker.setup(GRID).problem.order  # type: ignore[attr-defined]
    return [order[place] for place in np.linspace(0, min(299, len(order) - 1), RECIPES).astype(int)]


def both(maker: Maker, number: int) -> tuple[Trial, Measured] | None:
    """A recipe on the sample and on the whole file; none where it cannot be made."""
    small, whole = maker(Try(GRID, number), 0), maker(Make(GRID, number), 0)
    if not isinstance(small, Measured) or not isinstance(whole, Measured):
        return None
    methods = sorted({step.method for step in maker.making(GRID, number, "").steps})
    return Trial(small.loss, small.risk, tuple(methods)), whole


def expected(trials: list[Trial], whole: Points) -> Points:
    """What is foretold of each from all others."""
    tried = {GRID: dict(enumerate(trials))}
    truth = {(GRID, i): (float(loss), float(risk)) for i, (loss, risk) in enumerate(whole)}
    places = range(len(trials))
    others = [{key: pair for key, pair in truth.items() if key[1] != i} for i in places]
    return np.array([foretold(tried, others[i])[GRID, i] for i in places])


def tell(name: str, read: Points, whole: Points) -> None:
    """Agreement of two readings of the same recipes."""
    pairs = {
        "loss": (read[:, 0], whole[:, 0]),
        "risk": (read[:, 1], whole[:, 1]),
        "larger": (read.max(axis=1), whole.max(axis=1)),
    }
    words = (
        f"{part} tau {kendalltau(a, b).statistic:.2f} shift {np.mean(a - b):+.1f}"
        for part, (a, b) in pairs.items()
    )
    true = set(np.flatnonzero(non_dominated_ranks(whole) == 0).tolist())
    first = np.argsort(non_dominated_ranks(read), kind="stable")[:PROMOTED].tolist()
    found = f"{len(true & set(first))} of {len(true)} of the front among the first {PROMOTED}"
    print(f"{name:9s}", ", ".join(words), f"; {found}")


def main() -> None:
    """Print the agreement for one file."""
    path, *more = sys.argv[1:]
    quasi = tuple(more[0].split(",")) if more and more[0] else ()
    k = int(more[1]) if len(more) > 1 else 5
    records = int(more[2]) if len(more) > 2 else Settings.sample
    maker = maker_of(Path(path), quasi, k, records)
    began = time.process_time()
    pairs = [pair for number in recipes_of(maker) if (pair := both(maker, number)) is not None]
    took = time.process_time() - began
    trials = [trial for trial, _ in pairs]
    whole = np.array([(measured.loss, measured.risk) for _, measured in pairs])
    sample = np.array([trial[:2] for trial in trials])
    print(
        f"{len(pairs)} recipes, {len(maker.sample)} of {len(maker.table)} records, {took:.0f} CPU s"
    )
    tell("sample", sample, whole)
    tell("foretold", expected(trials, whole), whole)


if __name__ == "__main__":
    main()
