"""Reproductions of the genetic algorithm for microaggregation (Solanas et al., 2006).

Its random files are not published; ours are drawn in the same way, so results that depend on them
agree qualitatively. All tables and figures but the first come from one study: the algorithm runs
ten times at each of 1,210 settings. A share below 1 makes fewer runs, down to one per setting at
0.1, and below that fewer epochs; the grid stays whole. For 100 records the paper gives no number of
epochs: ours has the 100,000 that it gives for 50. MDAV has its classic ending, as in the paper on
the hybrid.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from evomask.data.chart import Axis, Chart, HeatMap
from evomask.data.partition import within_sum_of_squares
from evomask.kernels.groups.exact import optimum
from evomask.kernels.groups.mdav import mdav
from evomask.searches.partition.genetic import FIFTY_RECORDS, WHOLE_FILE
from evomask.searches.partition.genome import embed
from evomask.types import Points
from evomask_papers.effort import Effort
from evomask_papers.partition.claims import (
    growth_claim,
    is_as_low,
    optimum_claim,
    percent_found,
    rates_claim,
    with_both_rates,
)
from evomask_papers.partition.counting import chance_of_candidate, representatives, represented
from evomask_papers.partition.sensitivity import (
    FactorialDesign,
    SensitivityStudy,
    Trial,
    pair_means,
    trials,
)
from evomask_papers.synthetic import random_table

Row = dict[str, object]
K = 3

TABLE_I = {
    10: (2, 2, 1), 20: (6, 6, 5), 30: (11, 14, 14), 40: (18, 27, 29), 50: (26, 45, 56),
    100: (94, 272, 520), 500: (2134, 26477, 197549), 1000: (8434, 205037, 2953389),
}  # fmt: skip
TABLE_II = {
    20: (5.39, (4.29, 0.1, 0.4, 60), (4.61, 0.1, 0.7)),
    35: (5.01, (3.13, 0.1, 0.1, 90), (3.59, 0.1, 0.5)),
    50: (5.92, (4.02, 0.1, 0.1, 50), (4.67, 0.1, 0.5)),
    100: (5.48, (15.37, 0.1, 0.2, 50), (23.78, 0.1, 0.0)),
}
"""Printed values: MDAV; the least sum with its mutation and crossover rates and its size; the least
mean."""

TABLE_III = {11: 1384, 20: 3251, 35: 5269, 50: 53405}
TABLE_IV = {5: (29.36, 39.11, 931), 7: (43.28, 52.47, 839), 10: (68.66, 71.14, 705)}
OPTIMA = {2: 6.83, 3: 15.20}
"""Sums of squares of the best partitions of eleven records, by attributes."""

BEST_RATES = {20: 0.4, 35: 0.1, 50: 0.1, 100: 0.1}
"""Largest mutation rate, from 0.1 on, of the smallest sums of figure 4, by number of records."""

FOUND = 90
"""Approximate percentage of runs that find the optimum of eleven records."""

TABLE_V = {
    (11, 2): ("0.1 - 1", "0.3 - 1", "80 - 100"),
    (20, 2): ("0.1 - 0.3", "0.1 - 1", "80 - 100"),
    (35, 2): ("0.1", "0 - 0.3", "90 - 100"),
    (50, 2): ("0.1", "0 - 1", "60 - 100"),
    (100, 2): ("0.1", "0 - 0.8", "70 - 100"),
    (11, 3): ("0.1 - 1", "0.5 - 1", "60 - 100"),
}


def random_file(n_records: int, n_attributes: int, seed: int = 1) -> Points:
    """Numbers drawn uniformly from -10,000 to 10,000, standardized."""
    table = random_table(n_records, n_attributes, seed)
    return embed(table, table.schema.quasi_identifiers)


def table_1() -> list[Row]:
    """Representatives a(n, k) of candidates for the best partition."""
    return [
        {"n": n, "k": k, "paper": printed, "ours": representatives(n, k)}
        for n, row in TABLE_I.items()
        for k, printed in zip((3, 4, 5), row, strict=True)
    ]


def example_1() -> list[Row]:
    """Probability that random groups of 30 records are a candidate."""
    return [
        {"what": "a(30, 3)", "paper": 11, "ours": representatives(30, 3)},
        {"what": "mu", "paper": 1208883745669600000, "ours": represented(30, 3)},
        {
            "what": "bound",
            "paper": 13.2977212023656e-12,
            "ours": float(chance_of_candidate(30, 3)),
        },
    ]


@lru_cache(maxsize=16)
def studied(n_records: int, n_attributes: int, seed: int, share: float) -> tuple[Trial, ...]:
    """Runs at every setting of the paper's grid on one random file."""
    design, points = design_for(n_records, share), random_file(n_records, n_attributes, seed)
    return tuple(trials(points, K, design, seed, _least(points)))


def _least(points: Points) -> float:
    """Return the minimum sum of squares if exact search finds it; runs stop when they reach it."""
    if len(points) > EXACT:
        return 0.0
    return within_sum_of_squares(points, optimum(points, K))


EXACT = 20


def design_for(n_records: int, share: float) -> FactorialDesign:
    """The paper's grid with fewer runs, and with fewer epochs below one run per setting."""
    whole = FactorialDesign()
    preset = FIFTY_RECORDS if n_records >= FIFTY else WHOLE_FILE
    wanted = Effort(share=share).share * whole.runs
    epochs = max(1, round(min(1.0, wanted) * preset.epochs))
    return replace(whole, runs=max(1, round(wanted)), epochs=epochs)


FIFTY = 50


def table_2(seed: int = 1, share: float = 0.01) -> list[Row]:
    """Least sum of squares over the grid, and least mean of a pair of rates, with the settings."""
    rows: list[Row] = []
    for n, (alone, least, mean) in TABLE_II.items():
        points = random_file(n, 2, seed)
        made = studied(n, 2, seed, share)
        best = min(made, key=lambda trial: trial.sse)
        pair, average = min(pair_means(made, "sse").items(), key=lambda item: item[1])
        pairs = (
            ("MDAV", alone, _mdav_alone(points)),
            ("least", least[0], best.sse),
            ("least: settings that reach it, of 1210", None, _settings_of_least(made)),
            ("least: mutation rate", least[1], best.mutation),
            ("least: crossover rate", least[2], best.crossover),
            ("least: population", least[3], best.chromosomes),
            ("mean", mean[0], average),
            ("mean: mutation rate", mean[1], pair[0]),
            ("mean: crossover rate", mean[2], pair[1]),
        )
        rows += [{"file": f"{n}x2", "what": w, "paper": p, "ours": o} for w, p, o in pairs]
    return rows


def _mdav_alone(points: Points) -> float:
    return within_sum_of_squares(points, mdav(points, K, classic=True))


def _settings_of_least(made: Sequence[Trial]) -> int:
    least = min(trial.sse for trial in made)
    return len({trial[:3] for trial in made if is_as_low(trial.sse, least)})


def table_3(seed: int = 1, share: float = 0.01) -> list[Row]:
    """Mean epoch of convergence of the runs that found the least sum, 11 to 50 records."""
    return [
        {"n": n, "paper": printed, "ours": _epoch_of_best(studied(n, 2, seed, share))}
        for n, printed in TABLE_III.items()
    ]


def _epoch_of_best(made: Sequence[Trial]) -> float:
    least = min(trial.sse for trial in made)
    return float(np.mean([t.epoch for t in made if is_as_low(t.sse, least)]))


def table_4(seed: int = 1, share: float = 0.01) -> list[Row]:
    """Eleven records of many attributes: frequency and epoch of finding the optimum."""
    rows: list[Row] = []
    for d, (best, alone, epoch) in TABLE_IV.items():
        points = random_file(11, d, seed)
        least = within_sum_of_squares(points, optimum(points, K))
        made = studied(11, d, seed, share)
        pairs = (
            ("optimum", best, least),
            ("MDAV", alone, _mdav_alone(points)),
            ("genetic algorithm, least", best, min(t.sse for t in made)),
            ("optimum found, percent", FOUND, percent_found(made, least)),
            ("where both rates are above 0", 100, percent_found(with_both_rates(made), least)),
            ("epoch", epoch, _epoch_of_best(made)),
        )
        rows += [{"file": f"11x{d}", "what": w, "paper": p, "ours": o} for w, p, o in pairs]
    return rows


def table_5(seed: int = 1, share: float = 0.01) -> list[Row]:
    """The best rates and sizes by the sensitivity study."""
    rows: list[Row] = []
    for (n, d), printed in TABLE_V.items():
        made = studied(n, d, seed, share)
        apart, jointly = (SensitivityStudy.of(made, jointly=j).best for j in (False, True))
        for name, paper in zip(apart, printed, strict=True):
            spans = {"ours": _span(apart[name]), "ours, joint error": _span(jointly[name])}
            rows.append({"file": f"{n}x{d}", "what": name, "paper": paper, **spans})
    return rows


def _span(values: Sequence[float]) -> str:
    return f"{values[0]:g}" if len(values) == 1 else f"{values[0]:g} - {values[-1]:g}"


def figure_1(seed: int = 1, share: float = 0.01) -> list[Chart]:
    """Mean sum of squares over mutation and crossover rates, 11 records."""
    return [_surface_with_optimum(d, printed, seed, share) for d, printed in OPTIMA.items()]


def _surface_with_optimum(d: int, printed: float, seed: int, share: float) -> Chart:
    least = _least(random_file(11, d, seed))
    answer = optimum_claim(studied(11, d, seed, share), printed, least).told
    return _surface(11, d, "sse", "1", answer, seed, share)


def figure_2(seed: int = 1, share: float = 0.01) -> list[Chart]:
    """Mean epoch of convergence over mutation and crossover rates, 11 records of 2 numbers."""
    answer = growth_claim(studied(11, 2, seed, share)).told
    return [_surface(11, 2, "epoch", "2", answer, seed, share)]


def figure_3(seed: int = 1, share: float = 0.01) -> list[Chart]:
    """Mean epoch of convergence over mutation and crossover rates, 11 records of 3 numbers."""
    answer = growth_claim(studied(11, 3, seed, share)).told
    return [_surface(11, 3, "epoch", "3", answer, seed, share)]


def figure_4(seed: int = 1, share: float = 0.01) -> list[Chart]:
    """Mean sum of squares over mutation and crossover rates, 20 to 100 records."""
    return [
        _surface(n, 2, "sse", "4", rates_claim(studied(n, 2, seed, share), most).told, seed, share)
        for n, most in BEST_RATES.items()
    ]


def _surface(
    n: int, d: int, response: str, figure: str, answer: str, seed: int, share: float
) -> Chart:
    grid = design_for(n, share)
    means = pair_means(studied(n, d, seed, share), response)
    what = "sum of squares" if response == "sse" else "epoch of convergence"
    rows = tuple(
        tuple(means[mutation, crossover] for crossover in grid.crossover)
        for mutation in grid.mutation
    )
    (low, _), smallest = min(means.items(), key=lambda item: item[1])
    return Chart(
        f"partition-figure-{figure}-{n}x{d}",
        f"{what.capitalize()}, {n} records of {d} numbers",
        f"Mean {what} of the genetic algorithm for each pair of mutation and crossover rates, "
        f"{grid.runs} run{'s' if grid.runs > 1 else ''} of {grid.epochs} epochs at each of ten "
        f"sizes; the smallest, {smallest:.2f}, has mutation rate {low:g}. {answer}",
        Axis("crossover rate", tuple(f"{rate:g}" for rate in grid.crossover)),
        Axis("mutation rate", tuple(f"{rate:g}" for rate in grid.mutation)),
        heat=HeatMap(f"mean {what}", rows),
    )
