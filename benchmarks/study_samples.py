"""Does a sample order recipes as the whole file does? Rank agreement over thirty of them.

``python benchmarks/study_samples.py FILE [QUASI,... [K [RECORDS]]]``: a file of 40,000 records or
more. Thirty recipes of the grid, evenly over its order, are made, repaired and measured on the
sample that a protection takes and on the whole file. Told are Kendall's tau and the mean shift
of loss and of risk, and how much of the true front is among the ten most promising.
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
from evomask.portfolio.worker import Make, Maker, Measured, Settings, Try
from evomask.runs.inputs import Input, load
from evomask.searches.search import File

RECIPES, SEED, PROMOTED, GRID = 30, 1, 10, "grid"


def maker_of(path: Path, quasi: tuple[str, ...], k: int, records: int) -> Maker:
    """A maker with the grid alone for the file."""
    loaded = load(Input(path, None, quasi))
    requirement = Requirement(k=k)
    file = File(loaded.table, requirement, "strict", loaded.hierarchies)
    settings = Settings(requirement, "strict", members_for(file, (GRID,)), sample=records)
    maker = Maker(loaded.table, settings, SEED, loaded.hierarchies)
    maker.load_kernels(lambda _: None)
    return maker


def recipes_of(maker: Maker) -> list[int]:
    """Numbers of recipes, from the families in turn."""
    order = maker.setup(GRID).problem.order  # type: ignore[attr-defined]
    return [order[place] for place in np.linspace(0, min(299, len(order) - 1), RECIPES).astype(int)]


def both(maker: Maker, number: int) -> tuple[Measured, Measured] | None:
    """A recipe on the sample and on the whole file; none where it cannot be made."""
    small, whole = maker(Try(GRID, number), 0), maker(Make(GRID, number), 0)
    if not isinstance(small, Measured) or not isinstance(whole, Measured):
        return None
    return small, whole


def tell(read: Points, whole: Points) -> None:
    """Agreement of two readings of the same recipes."""
    pairs = {
        "loss": (read[:, 0], whole[:, 0]),
        "risk": (read[:, 1], whole[:, 1]),
    }
    words = (
        f"{part} tau {kendalltau(a, b).statistic:.2f} shift {np.mean(a - b):+.1f}"
        for part, (a, b) in pairs.items()
    )
    true = set(np.flatnonzero(non_dominated_ranks(whole) == 0).tolist())
    first = np.argsort(non_dominated_ranks(read), kind="stable")[:PROMOTED].tolist()
    found = f"{len(true & set(first))} of {len(true)} of the front among the first {PROMOTED}"
    print(", ".join(words), f"; {found}")


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
    sample, whole = np.array([[(m.loss, m.risk) for m in pair] for pair in pairs]).transpose(
        1, 0, 2
    )
    print(
        f"{len(pairs)} recipes, {len(maker.sample)} of {len(maker.table)} records, {took:.0f} CPU s"
    )
    tell(sample, whole)


if __name__ == "__main__":
    main()
