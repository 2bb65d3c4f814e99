"""Does a sample order recipes as the whole file does? Rank agreement over thirty of them.

``python benchmarks/study_samples.py FILE|RECORDS [QUASI,... [K [SAMPLE]]]``: a file of 40,000
records or more, or so many of the made-up people of ``bench_large.py``. Thirty recipes of the grid,
evenly over its order, are made, repaired and measured on the sample that a protection takes, on
the whole file, and on the whole file once more with other draws: two draws of one recipe agree
no better than that. Told are Kendall's tau of loss and of risk, of all pairs of recipes and of
those that are more than a point apart on the whole file, the mean shift, and how much of the true
front is among the ten most promising.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from bench_large import people
from evomask.engine.evaluation import EvaluationContext, Make, Measured, Settings, Try
from evomask.engine.specialists import specialists_for
from evomask.evolution.archive import non_dominated_ranks
from evomask.masking.enforce.requirement import Requirement
from evomask.runs.inputs import Input, Loaded, load
from evomask.searches.base import SearchInput
from evomask.types import Floats, Points

RECIPES, SEED, PROMOTED, GRID = 30, 1, 10, "grid"


def loaded(source: str, quasi: tuple[str, ...]) -> Loaded:
    """A file, or made-up people."""
    if not source.isdigit():
        return load(Input(Path(source), None, quasi))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.parquet"
        frame = people(int(source), 6)
        frame.write_parquet(path)
        return load(Input(path, None, tuple(frame.columns), ordinal=("education",)))


def maker_of(given: Loaded, k: int, records: int, seed: int) -> EvaluationContext:
    """A maker with the grid alone for the file."""
    requirement = Requirement(k=k)
    file = SearchInput(given.table, requirement, "strict", given.hierarchies)
    settings = Settings(requirement, "strict", specialists_for(file, (GRID,)), sample=records)
    maker = EvaluationContext(given.table, settings, seed, given.hierarchies)
    maker.load_kernels(lambda _: None)
    return maker


def recipes_of(maker: EvaluationContext) -> list[int]:
    """Numbers of recipes, from the families in turn."""
    order = maker.setup(GRID).problem.order  # type: ignore[attr-defined]
    return [order[place] for place in np.linspace(0, min(299, len(order) - 1), RECIPES).astype(int)]


def readings(
    maker: EvaluationContext, again: EvaluationContext, number: int
) -> list[tuple[float, float]] | None:
    """A recipe on the whole file, on the sample, and on the whole once more, with its times.

    None where it cannot be made.
    """
    found = [maker(Make(GRID, number), 0), maker(Try(GRID, number), 0)]
    found.append(again(Make(GRID, number), 0))
    if not all(isinstance(measured, Measured) for measured in found):
        return None
    return [(measured.loss, measured.risk) for measured in found]  # type: ignore[union-attr]


def tau_apart(read: Floats, whole: Floats, apart: float = 1.0) -> float:
    """Kendall's tau of the pairs that are far enough apart on the whole file."""
    upper = np.triu_indices(len(whole), 1)
    true, seen = (np.subtract.outer(values, values)[upper] for values in (whole, read))
    chosen = np.abs(true) > apart
    return float(np.mean(np.sign(true[chosen] * seen[chosen])))


def tell(title: str, read: Points, whole: Points) -> None:
    """Agreement of two readings of the same recipes."""
    words = (
        f"{part} tau {kendalltau(read[:, i], whole[:, i]).statistic:.2f}, "
        f"apart {tau_apart(read[:, i], whole[:, i]):.2f}, "
        f"shift {np.mean(read[:, i] - whole[:, i]):+.1f}"
        for i, part in enumerate(("loss", "risk"))
    )
    true = set(np.flatnonzero(non_dominated_ranks(whole) == 0).tolist())
    first = np.argsort(non_dominated_ranks(read), kind="stable")[:PROMOTED].tolist()
    found = f"{len(true & set(first))} of {len(true)} of the front among the first {PROMOTED}"
    print(f"{title}: {'; '.join(words)}; {found}")


def main() -> None:
    """Print the agreement for one file."""
    source, *more = sys.argv[1:]
    quasi = tuple(more[0].split(",")) if more and more[0] else ()
    k = int(more[1]) if len(more) > 1 else 5
    records = int(more[2]) if len(more) > 2 else Settings.sample
    given = loaded(source, quasi)
    maker, again = (maker_of(given, k, records, seed) for seed in (SEED, SEED + 1))
    began = time.process_time()
    rows = [row for n in recipes_of(maker) if (row := readings(maker, again, n)) is not None]
    took = time.process_time() - began
    whole, sample, other = np.array(rows).transpose(1, 0, 2)
    print(
        f"{len(rows)} recipes, {len(maker.sample)} of {len(maker.table)} records, {took:.0f} CPU s"
    )
    tell("sample and whole", sample, whole)
    tell("two draws of the whole", other, whole)


if __name__ == "__main__":
    main()
