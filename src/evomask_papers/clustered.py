"""Reproductions of clustering before masking (Marés, 2013, chapter 5).

German credit is the thesis' file; for its extract of the U.S. Housing survey see `housing`. The
thesis does not print which numbers of clusters and which k it tried; ours go up to 60 and 200.
"""

import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from evomask.data.chart import Axis, Chart, HeatMap, Series
from evomask.data.clustering import merge_to_size
from evomask.data.frames import Declaration
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.evolution.individual import Fitness
from evomask.io.datasets import reference_file
from evomask.io.tables import read_table
from evomask.masking.microaggregation.aggregation import aggregate
from evomask.measures.profiles import RiskProfile
from evomask.searches.clustered.problem import Genome, log_spaced
from evomask.searches.clustered.search import (
    ClusteredSearch,
    LossOf,
    Parameters,
    WantedClustering,
    WantedMethod,
)
from evomask_papers.claims import MUCH, SLIGHTLY, Claim, verdict
from evomask_papers.effort import Effort
from evomask_papers.housing import PROTECTED, housing

GERMAN, HOUSING = "German credit", "Housing (ours: Adult)"
GERMAN_ATTRIBUTES = ("EXISTACC", "SAVINGS", "PRESEMPLOY")
MICRO, CLUSTERED_MICRO, CLUSTERED_MEDIAN = (
    "original microaggregation",
    "clustered microaggregation",
    "clustered global median",
)
WHOLE_CLUSTERS = "whole clusters replaced by their median"
"""Another interpretation of clustered microaggregation, in which k only merges small clusters."""

LEVELS, MOST_K, MOST_CLUSTERS = 10, 200, 60

PRINTED: dict[tuple[str, LossOf], dict[str, tuple[float, float]]] = {
    (HOUSING, LossOf.STATISTICS): {
        MICRO: (24.95, 25.13), CLUSTERED_MICRO: (25.63, 27.92), CLUSTERED_MEDIAN: (23.48, 22.10),
    },
    (GERMAN, LossOf.STATISTICS): {
        MICRO: (18.90, 42.32), CLUSTERED_MICRO: (31.90, 31.67), CLUSTERED_MEDIAN: (31.62, 31.42),
    },
    (GERMAN, LossOf.CLUSTERING): {
        MICRO: (19.62, 42.55), CLUSTERED_MICRO: (30.51, 30.63), CLUSTERED_MEDIAN: (28.71, 28.50),
    },
    (HOUSING, LossOf.CLUSTERING): {
        MICRO: (28.20, 39.28), CLUSTERED_MICRO: (27.35, 31.15), CLUSTERED_MEDIAN: (12.99, 15.70),
    },
}  # fmt: skip
"""IL and DR of the best protection, tables 5.1 to 5.3."""

Row = dict[str, object]


class GridCell(NamedTuple):
    """One protection of a grid: its parameters, loss and risk."""

    k: int
    clusters: int
    il: float
    dr: float


class TriedGrid(NamedTuple):
    """All protections of a parameter grid, and the seconds spent on masking and measuring them."""

    cells: tuple[GridCell, ...]
    seconds: float

    @property
    def best(self) -> GridCell:
        """The balanced protection: the one with the smallest maximum of loss and risk."""
        return min(self.cells, key=lambda cell: max(cell.il, cell.dr))


@lru_cache(maxsize=2)
def original(name: str) -> Table:
    """Return the file of an experiment; its three attributes are ordinal."""
    if name == GERMAN:
        ordinal = Declaration(kind=Kind.ORDINAL, role=Role.QUASI_IDENTIFIER)
        declared = dict.fromkeys(GERMAN_ATTRIBUTES, ordinal)
        return read_table(reference_file("uci/german_credit.csv"), declared).only(GERMAN_ATTRIBUTES)
    return housing().only(PROTECTED)


@lru_cache(maxsize=32)
def tried(name: str, method: str, loss: LossOf, effort: Effort) -> TriedGrid:
    """All protections of one method over the grid; without clustering there is one cluster."""
    wanted = WantedMethod.GLOBAL_MEDIAN if method == CLUSTERED_MEDIAN else None
    parameters = Parameters(
        method=wanted or WantedMethod.MICROAGGREGATION,
        clustering=WantedClustering.C_MEDIANS,
        most_k=MOST_K,
        most_clusters=MOST_CLUSTERS,
        starts=1,
        loss=loss,
        profile=RiskProfile.PAPERS,
    )
    problem: Any = ClusteredSearch.setup(original(name), parameters, effort.around).problem
    started = time.process_time()
    cells = []
    for k in log_spaced(2, MOST_K, effort.of(LEVELS, 2) * (3 if method == MICRO else 1)):
        for clusters in (
            [1] if method == MICRO else log_spaced(2, MOST_CLUSTERS, effort.of(LEVELS, 2))
        ):
            genome = np.array([0, 0, 0, clusters, k])
            whole = method == WHOLE_CLUSTERS
            il, dr = _whole_clusters(problem, genome, k) if whole else problem.fitness(genome)
            cells.append(GridCell(k, clusters, il, dr))
    return TriedGrid(tuple(cells), time.process_time() - started)


def _whole_clusters(problem: Any, genome: Genome, k: int) -> Fitness:  # noqa: ANN401
    """Return loss and risk if every cluster of k records or more is replaced by its median."""
    labels = merge_to_size(problem.clusters(genome), k)
    table = problem.original
    fitness: Fitness = problem.judge(aggregate(table, table.schema.quasi_identifiers, labels))
    return fitness


def table_5_1(seed: int = 1, share: float = 1.0) -> list[Row]:
    """The best balanced protection of each method, U.S. Housing (ours: Adult)."""
    return _best_rows(HOUSING, LossOf.STATISTICS, Effort(seed, share))


def table_5_2(seed: int = 1, share: float = 1.0) -> list[Row]:
    """The best balanced protection of each method, German credit."""
    return _best_rows(GERMAN, LossOf.STATISTICS, Effort(seed, share))


def table_5_3(seed: int = 1, share: float = 1.0) -> list[Row]:
    """The best balanced protection of each method by clustering loss, both files."""
    effort = Effort(seed, share)
    german = _best_rows(GERMAN, LossOf.CLUSTERING, effort)
    return german + _best_rows(HOUSING, LossOf.CLUSTERING, effort)


def _best_rows(name: str, loss: LossOf, effort: Effort) -> list[Row]:
    rows: list[Row] = []
    for method, (il, dr) in PRINTED[name, loss].items():
        grid = tried(name, method, loss, effort)
        best = grid.best
        rows.append(
            {
                "data": name,
                "method": method,
                "IL paper": il,
                "IL ours": best.il,
                "DR paper": dr,
                "DR ours": best.dr,
                "k": best.k,
                "clusters": best.clusters,
                "tried": len(grid.cells),
                "seconds": grid.seconds,
            }
        )
    return rows


def readings(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Compare two interpretations of clustered microaggregation: effects on loss and risk, best
    results.

    The thesis: values change fast along the number of clusters and slowly along k.
    """
    effort = Effort(seed, share)
    return [
        _reading_row(name, method, effort)
        for name in (GERMAN, HOUSING)
        for method in (CLUSTERED_MICRO, WHOLE_CLUSTERS)
    ]


def _reading_row(name: str, method: str, effort: Effort) -> Row:
    grid = tried(name, method, LossOf.STATISTICS, effort)
    claims = [steeper_axis(grid, part, CLUSTERED_MICRO) for part in ("il", "dr")]
    row: Row = {"data": name, "reading": method}
    for part, claim in zip(("IL", "DR"), claims, strict=True):
        row |= {f"{part}: {what}": value for what, value in claim.ours.items()}
    paper = PRINTED[name, LossOf.STATISTICS][CLUSTERED_MICRO]
    return row | {
        "as the thesis says": verdict(all(claim.holds for claim in claims)),
        "IL paper": paper[0],
        "best IL": grid.best.il,
        "DR paper": paper[1],
        "best DR": grid.best.dr,
        "k": grid.best.k,
        "clusters": grid.best.clusters,
    }


def figure_5_1(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss and risk by k and clusters, clustered microaggregation, U.S. Housing (ours: Adult)."""
    return _surfaces(HOUSING, CLUSTERED_MICRO, Effort(seed, share))


def figure_5_2(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss and risk by k and clusters, clustered global median, U.S. Housing (ours: Adult)."""
    return _surfaces(HOUSING, CLUSTERED_MEDIAN, Effort(seed, share))


def figure_5_3(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss and risk by k, microaggregation, U.S. Housing (ours: Adult)."""
    return _by_k(HOUSING, Effort(seed, share))


def figure_5_4(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss against risk of all protections, U.S. Housing (ours: Adult)."""
    return _dispersion(HOUSING, LossOf.STATISTICS, Effort(seed, share))


def figure_5_5(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss and risk by k and clusters, clustered microaggregation, German credit."""
    return _surfaces(GERMAN, CLUSTERED_MICRO, Effort(seed, share))


def figure_5_6(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss and risk by k and clusters, clustered global median, German credit."""
    return _surfaces(GERMAN, CLUSTERED_MEDIAN, Effort(seed, share))


def figure_5_7(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss and risk by k, microaggregation, German credit."""
    return _by_k(GERMAN, Effort(seed, share))


def figure_5_8(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss against risk of all protections, German credit."""
    return _dispersion(GERMAN, LossOf.STATISTICS, Effort(seed, share))


def figure_5_9(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Clustering loss against risk of all protections, German credit."""
    return _dispersion(GERMAN, LossOf.CLUSTERING, Effort(seed, share))


def figure_5_10(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Clustering loss against risk of all protections, U.S. Housing (ours: Adult)."""
    return _dispersion(HOUSING, LossOf.CLUSTERING, Effort(seed, share))


def _about(name: str, grid: TriedGrid) -> str:
    records = len(original(name))
    return f"{name}, {records} records, {len(grid.cells)} protections, {grid.seconds:.0f} s."


def _surfaces(name: str, method: str, effort: Effort) -> list[Chart]:
    grid = tried(name, method, LossOf.STATISTICS, effort)
    sizes = sorted({cell.k for cell in grid.cells})
    numbers = sorted({cell.clusters for cell in grid.cells})
    at = {(cell.clusters, cell.k): cell for cell in grid.cells}
    return [
        Chart(
            f"clustered-{part}",
            f"{title} by k and number of clusters, {method}",
            f"{_surface_claims(name, method, part, effort)} {_about(name, grid)}",
            Axis("k", tuple(map(str, sizes))),
            Axis("clusters", tuple(map(str, numbers))),
            heat=HeatMap(
                f"{title} in percent",
                tuple(tuple(getattr(at[c, k], part) for k in sizes) for c in numbers),
            ),
        )
        for part, title in (("il", "information loss"), ("dr", "disclosure risk"))
    ]


def _surface_claims(name: str, method: str, part: str, effort: Effort) -> str:
    """Return the claims of the text on loss or risk for this file and method."""
    grid = tried(name, method, LossOf.STATISTICS, effort)
    said = [directions(grid, part)]
    if name == HOUSING:
        said.append(steeper_axis(grid, part, method))
    elif method == CLUSTERED_MICRO:
        said.append(faster(grid, tried(HOUSING, method, LossOf.STATISTICS, effort), part))
    else:
        said.append(against(grid, tried(name, CLUSTERED_MICRO, LossOf.STATISTICS, effort), part))
    return " ".join(claim.told for claim in said)


def directions(grid: TriedGrid, part: str) -> Claim:
    """Claims that loss rises with k and falls with clusters, and risk the opposite."""
    by_k, by_clusters = slope(grid, "k", part), slope(grid, "clusters", part)
    if part == "il":
        text, holds = "loss falls with more clusters and with a smaller k", by_k > 0 > by_clusters
    else:
        text, holds = "risk falls with fewer clusters and with a larger k", by_k < 0 < by_clusters
    return Claim(text, holds, {"rank correlation with k": by_k, "with clusters": by_clusters})


def slope(grid: TriedGrid, axis: str, part: str) -> float:
    """Rank correlation of loss or risk with k or the number of clusters; 0 where one is flat."""
    from scipy.stats import spearmanr

    pairs = [(getattr(cell, axis), getattr(cell, part)) for cell in grid.cells]
    if any(len(set(values)) < 2 for values in zip(*pairs, strict=True)):
        return 0.0
    return float(spearmanr(pairs).statistic)


def steeper_axis(grid: TriedGrid, part: str, method: str) -> Claim:
    """Claim on the steeper axis: clusters for microaggregation, k for the global median."""
    by_k, by_clusters = moved(grid, "k", part), moved(grid, "clusters", part)
    fast, slow = ("clusters", "k") if method == CLUSTERED_MICRO else ("k", "clusters")
    holds = by_clusters > by_k if method == CLUSTERED_MICRO else by_k > by_clusters
    return Claim(
        f"values change fast along {fast} and slowly along {slow}",
        holds,
        {"points along k": by_k, "along clusters": by_clusters},
    )


def moved(grid: TriedGrid, axis: str, part: str) -> float:
    """Difference between the largest and the smallest mean along an axis, in points."""
    values: dict[int, list[float]] = {}
    for cell in grid.cells:
        values.setdefault(getattr(cell, axis), []).append(getattr(cell, part))
    means = [float(np.mean(own)) for own in values.values()]
    return max(means) - min(means)


def faster(german: TriedGrid, other: TriedGrid, part: str) -> Claim:
    """Claim that values change faster than those of Housing, because German credit has few
    categories.
    """
    ours, theirs = moved(german, "k", part), moved(other, "k", part)
    return Claim(
        "values change much faster than those of Housing",
        ours >= (1 + MUCH) * theirs,
        {"points along k": ours, "those of Housing": theirs},
    )


def against(median: TriedGrid, micro: TriedGrid, part: str) -> Claim:
    """Claim that the global median loses less than microaggregation at a higher risk."""
    ours, other = (float(np.mean([getattr(c, part) for c in g.cells])) for g in (median, micro))
    text = "loss is lower" if part == "il" else "risk is a little higher"
    return Claim(
        f"{text} than by clustered microaggregation",
        ours < other if part == "il" else other < ours < (1 + SLIGHTLY) * other,
        {"mean of all cells": ours, "by microaggregation": other},
    )


def _by_k(name: str, effort: Effort) -> list[Chart]:
    grid = tried(name, MICRO, LossOf.STATISTICS, effort)
    sizes = tuple(float(cell.k) for cell in grid.cells)
    loss, risk = (slope(grid, "k", part) for part in ("il", "dr"))
    return [
        Chart(
            "microaggregation-by-k",
            "Microaggregation without clustering",
            f"{trade_off(loss, risk).told} {_about(name, grid)}",
            Axis("k"),
            Axis("percent"),
            (
                Series("information loss", "line", sizes, tuple(c.il for c in grid.cells)),
                Series("disclosure risk", "line", sizes, tuple(c.dr for c in grid.cells)),
            ),
        )
    ]


def trade_off(loss: float, risk: float) -> Claim:
    """Figures 5.3 and 5.7: rank correlations of loss and risk with k."""
    return Claim(
        "the smaller k, the less loss and the more risk",
        risk < 0 < loss,
        {"rank correlation of loss with k": loss, "of risk": risk},
    )


def _dispersion(name: str, loss: LossOf, effort: Effort) -> list[Chart]:
    grids = {method: tried(name, method, loss, effort) for method in PRINTED[name, loss]}
    ours = tuple(_points(method, grid.cells) for method, grid in grids.items())
    printed = PRINTED[name, loss].items()
    theirs = tuple(Series(f"{m}, paper's best", "points", (il,), (dr,)) for m, (il, dr) in printed)
    best = {method: max(grid.best.il, grid.best.dr) for method, grid in grids.items()}
    everything = TriedGrid(
        tuple(cell for grid in grids.values() for cell in grid.cells),
        sum(grid.seconds for grid in grids.values()),
    )
    return [
        Chart(
            f"clustered-{loss}-dispersion",
            f"Loss of {loss} against risk",
            f"Smallest worst of loss and risk. {best_claim(name, loss, best).told} "
            f"{_about(name, everything)}",
            Axis("information loss in percent"),
            Axis("disclosure risk in percent"),
            ours + theirs,
        )
    ]


def best_claim(name: str, loss: LossOf, best: Mapping[str, float]) -> Claim:
    """Claim on which clustered methods are better than microaggregation."""
    both = (name, loss) != (HOUSING, LossOf.STATISTICS)
    better = (CLUSTERED_MICRO, CLUSTERED_MEDIAN) if both else (CLUSTERED_MEDIAN,)
    printed = {method: max(pair) for method, pair in PRINTED[name, loss].items()}
    numbers = ", ".join(f"{value:.2f}" for value in printed.values())
    return Claim(
        f"{' and '.join(better)} better than microaggregation ({numbers})",
        all(best[method] < best[MICRO] for method in better),
        best,
    )


def _points(method: str, cells: tuple[GridCell, ...]) -> Series:
    return Series(method, "points", tuple(c.il for c in cells), tuple(c.dr for c in cells))
