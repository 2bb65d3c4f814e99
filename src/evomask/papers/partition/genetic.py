"""Multivariate microaggregation based genetic algorithms (Solanas et al., 2006).

Its random files are not published; ours are drawn in the same way, so figures that depend on
them agree in kind and not in value.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from evomask.arrays import Points
from evomask.data.chart import Axis, Chart, HeatMap
from evomask.data.partition import within_sum_of_squares
from evomask.evolution.streams import repetition_stream
from evomask.io.made_up.synthetic import random_table
from evomask.kernels.groups.exact import optimum
from evomask.kernels.groups.mdav import mdav
from evomask.searches.partition.counting import chance_of_candidate, representatives, represented
from evomask.searches.partition.embedding import embedded
from evomask.searches.partition.genetic import FIFTY_RECORDS, WHOLE_FILE, Rates, begun, continued
from evomask.searches.partition.sensitivity import (
    COARSE,
    FactorialDesign,
    Trial,
    best_values,
    trials,
)

Row = dict[str, object]
K = 3

TABLE_I = {
    10: (2, 2, 1), 20: (6, 6, 5), 30: (11, 14, 14), 40: (18, 27, 29), 50: (26, 45, 56),
    100: (94, 272, 520), 500: (2134, 26477, 197549), 1000: (8434, 205037, 2953389),
}  # fmt: skip
TABLE_II = {
    20: (5.39, 4.29, 4.61), 35: (5.01, 3.13, 3.59), 50: (5.92, 4.02, 4.67),
    100: (5.48, 15.37, 23.78),
}  # fmt: skip
TABLE_III = {11: 1384, 20: 3251, 35: 5269, 50: 53405}
TABLE_IV = {5: (29.36, 39.11, 931), 7: (43.28, 52.47, 839), 10: (68.66, 71.14, 705)}
TABLE_V = {
    (11, 2): ("0.1 - 1", "0.3 - 1", "80 - 100"),
    (20, 2): ("0.1 - 0.3", "0.1 - 1", "80 - 100"),
    (35, 2): ("0.1", "0 - 0.3", "90 - 100"),
    (50, 2): ("0.1", "0 - 1", "60 - 100"),
    (100, 2): ("0.1", "0 - 0.8", "70 - 100"),
    (11, 3): ("0.1 - 1", "0.5 - 1", "60 - 100"),
}


def random_file(n_records: int, n_attributes: int, seed: int = 1) -> Points:
    """Numbers drawn evenly from -10,000 to 10,000, standardised."""
    table = random_table(n_records, n_attributes, seed)
    return embedded(table, table.schema.quasi_identifiers)


def table_1() -> list[Row]:
    """Representatives a(n, k) of candidates for the best partition."""
    return [
        {"n": n, "k": k, "paper": printed, "ours": representatives(n, k)}
        for n, row in TABLE_I.items()
        for k, printed in zip((3, 4, 5), row, strict=True)
    ]


def example_1() -> list[Row]:
    """The chance to hit a candidate by drawing 30 records' groups at random."""
    return [
        {"what": "a(30, 3)", "paper": 11, "ours": representatives(30, 3)},
        {"what": "mu", "paper": 1208883745669600000, "ours": represented(30, 3)},
        {
            "what": "bound",
            "paper": 13.2977212023656e-12,
            "ours": float(chance_of_candidate(30, 3)),
        },
    ]


def table_2(runs: int = 10, seed: int = 1, share: float = 1.0) -> list[Row]:
    """Least and mean sums of squares of the genetic algorithm for 20 to 100 records."""
    rows: list[Row] = []
    for n, printed in TABLE_II.items():
        points = random_file(n, 2, seed)
        sums = [sse for sse, _ in _runs(points, _rates(n, share), runs, seed)]
        alone = within_sum_of_squares(points, mdav(points, K))
        for name, paper, ours in zip(
            ("MDAV", "least", "mean"),
            printed,
            (alone, min(sums), float(np.mean(sums))),
            strict=True,
        ):
            rows.append({"file": f"{n}x2", "what": name, "paper": paper, "ours": ours})
    return rows


def table_3(runs: int = 10, seed: int = 1, share: float = 1.0) -> list[Row]:
    """Mean epoch of convergence for 11 to 50 records."""
    return [
        {
            "n": n,
            "paper": printed,
            "ours": float(
                np.mean(
                    [e for _, e in _runs(random_file(n, 2, seed), _rates(n, share), runs, seed)]
                )
            ),
        }
        for n, printed in TABLE_III.items()
    ]


def table_4(runs: int = 10, seed: int = 1, share: float = 1.0) -> list[Row]:
    """Eleven records of many attributes: how often the optimum is found, and when."""
    rows: list[Row] = []
    for d, (best, alone, epoch) in TABLE_IV.items():
        points = random_file(11, d, seed)
        least = within_sum_of_squares(points, optimum(points, K))
        outcomes = list(_runs(points, _rates(11, share), runs, seed))
        hits = sum(sse <= least * (1 + 1e-9) for sse, _ in outcomes)
        alone_here = within_sum_of_squares(points, mdav(points, K))
        mean_epoch = float(np.mean([arisen for _, arisen in outcomes]))
        pairs = (
            ("optimum", best, least),
            ("MDAV", alone, alone_here),
            ("optimum found, percent", 90, 100.0 * hits / runs),
            ("epoch", epoch, mean_epoch),
        )
        rows += [{"file": f"11x{d}", "what": w, "paper": p, "ours": o} for w, p, o in pairs]
    return rows


def table_5(seed: int = 1, share: float = 0.1) -> list[Row]:
    """The best rates and sizes by the sensitivity study; a share of 1 is the paper's grid."""
    rows: list[Row] = []
    for (n, d), printed in TABLE_V.items():
        best = best_values(trials(random_file(n, d, seed), K, _grid(n, share), seed))
        for (name, values), paper in zip(best.items(), printed, strict=True):
            span = f"{values[0]:g}" if len(values) == 1 else f"{values[0]:g} - {values[-1]:g}"
            rows.append({"file": f"{n}x{d}", "what": name, "paper": paper, "ours": span})
    return rows


def figure_1(seed: int = 1, share: float = 0.1) -> list[Chart]:
    """Mean sum of squares over mutation and crossover rates, 11 records."""
    return [_surface(n, d, "sse", "1", seed, share) for n, d in ((11, 2), (11, 3))]


def figure_2(seed: int = 1, share: float = 0.1) -> list[Chart]:
    """Mean epoch of convergence over mutation and crossover rates, 11 records of 2 numbers."""
    return [_surface(11, 2, "epoch", "2", seed, share)]


def figure_3(seed: int = 1, share: float = 0.1) -> list[Chart]:
    """Mean epoch of convergence over mutation and crossover rates, 11 records of 3 numbers."""
    return [_surface(11, 3, "epoch", "3", seed, share)]


def figure_4(seed: int = 1, share: float = 0.1) -> list[Chart]:
    """Mean sum of squares over mutation and crossover rates, 20 to 100 records."""
    return [_surface(n, 2, "sse", "4", seed, share) for n in (20, 35, 50, 100)]


def _rates(n_records: int, share: float) -> Rates:
    preset = FIFTY_RECORDS if n_records == 50 else WHOLE_FILE
    return Rates(epochs=max(1, round(share * preset.epochs)))


def _runs(points: Points, rates: Rates, runs: int, seed: int) -> Iterator[tuple[float, int]]:
    """Sum of squares and epoch of convergence of each run."""
    for run in range(runs):
        rng = repetition_stream(seed, run)
        end = continued(points, K, rates, begun(points, K, rates, rng), rates.epochs, rng)
        yield within_sum_of_squares(points, end.labels), end.arisen


def _grid(n_records: int, share: float) -> FactorialDesign:
    """The paper's grid, or below its full effort a coarse one with fewer epochs."""
    if share >= 1:
        return FactorialDesign(epochs=_rates(n_records, 1.0).epochs)
    return replace(COARSE, epochs=_rates(11, share).epochs)


def _surface(n: int, d: int, response: str, figure: str, seed: int, share: float) -> Chart:
    grid = _grid(n, share)
    made = trials(random_file(n, d, seed), K, grid, seed)
    what = "sum of squares" if response == "sse" else "epoch of convergence"
    rows = tuple(
        tuple(_mean(made, mutation, crossover, response) for crossover in grid.crossover)
        for mutation in grid.mutation
    )
    return Chart(
        f"partition-figure-{figure}-{n}x{d}",
        f"{what.capitalize()}, {n} records of {d} numbers",
        f"Mean {what} of the genetic algorithm for each pair of mutation and crossover rates.",
        Axis("crossover rate", tuple(f"{rate:g}" for rate in grid.crossover)),
        Axis("mutation rate", tuple(f"{rate:g}" for rate in grid.mutation)),
        heat=HeatMap(f"mean {what}", rows),
    )


def _mean(made: list[Trial], mutation: float, crossover: float, response: str) -> float:
    """Over all sizes and runs of one pair of rates."""
    here = [t for t in made if t.mutation == mutation and t.crossover == crossover]
    return float(np.mean([getattr(t, response) for t in here]))
