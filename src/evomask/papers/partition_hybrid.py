"""A genetic approach to multivariate microaggregation (Martínez-Ballesté et al., 2007).

"Scattered" and "Clustered" are drawn anew in the paper's way, so their figures agree in kind;
their sums of squares are shown on standardised numbers.
"""

import numpy as np

from evomask.data.chart import Axis, Chart, Series
from evomask.data.distance import Standardizer
from evomask.data.partition import canonical, information_loss, within_sum_of_squares
from evomask.errors import ParameterError
from evomask.io.datasets import reference_file
from evomask.io.tables import read_table
from evomask.kernels.arrays import Labels, Points
from evomask.kernels.mdav import mdav
from evomask.kernels.orders import along_groups, nearest_point_next
from evomask.kernels.splits import split_order
from evomask.kernels.vmdav import vmdav
from evomask.searches.partition.genetic import MACROGROUPS
from evomask.searches.partition.hybrid import (
    PARTS,
    Inner,
    inside_macrogroups,
    one_step,
    refined_part,
    two_step,
)
from evomask.searches.partition.recombination import best_of_components

Row = dict[str, object]
K = 3
SIZES = (12, 18, 27)
EIA = (
    "UTILITYID", "RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE", "INDSALES",
    "OTHREVENUE", "OTHRSALES", "TOTREVENUE", "TOTSALES",
)  # fmt: skip
PAPER = {
    "Scattered": (4.71, (5.11, 4.91, 4.71), (4.28, 4.33, 4.58)),
    "Clustered": (3.57, (2.26, 1.83, 1.18), (2.84, 2.14, 2.09)),
    "Census": (799.0, (865.04, 879.94, 919.88), (768.0, 767.0, 789.0)),
    "EIA": (217.0, (414.56, 295.78, 333.26), (189.0, 186.0, 197.0)),
}


def points_of(name: str, seed: int = 1) -> Points:
    """One of the paper's four files, standardised."""
    if name in ("Census", "EIA"):
        table = read_table(reference_file(f"casc/{name.lower()}.csv"))
        points = table.matrix(EIA if name == "EIA" else table.schema.names)
    elif name in ("Scattered", "Clustered"):
        points = _drawn(np.random.default_rng(seed), clustered=name == "Clustered")
    else:
        raise ParameterError(f"the paper has no file {name!r}; it has {', '.join(PAPER)}")
    return Standardizer.of(points)(points)


def table_2(seed: int = 1, inner: Inner = Inner.GENETIC) -> list[Row]:
    """One-step and two-step hybrids with the genetic algorithm inside, K = 12, 18 and 27."""
    rows: list[Row] = []
    for name, (alone, ones, twos) in PAPER.items():
        points = points_of(name, seed)
        heuristic = within_sum_of_squares(points, mdav(points, K))
        rows.append({"file": name, "K": 0, "what": "MDAV", "paper": alone, "ours": heuristic})
        for macro, one, two in zip(SIZES, ones, twos, strict=True):
            for what, paper, steps in (("one-step", one, 1), ("two-step", two, 2)):
                labels = hybrid(points, macro, steps, inner, seed)
                ours = within_sum_of_squares(points, labels)
                rows.append({"file": name, "K": macro, "what": what, "paper": paper, "ours": ours})
    return rows


def figure_2(seed: int = 1) -> list[Chart]:
    """Macrogroups of one and of two steps, K = 24, on clustered points."""
    points = points_of("Clustered", seed)[:200]
    return [
        _scatter("left", "One step", points, one_step(points, K, 24)),
        _scatter("right", "Two steps", points, two_step(points, K, 24)[0]),
    ]


def variable_sizes() -> list[Row]:
    """The comparison the paper announces: two-step hybrid against variable-size methods, IL %."""
    rows: list[Row] = []
    for name in ("Census", "EIA"):
        points = points_of(name)
        found = {
            "MDAV": mdav(points, K),
            "V-MDAV": vmdav(points, K, 0.2 if name == "Census" else 1.1),
            "MDAV-MHM": split_order(points, along_groups(points, mdav(points, K)), K),
            "NPN-MHM": split_order(points, nearest_point_next(points), K),
            "two-step, K = 18": hybrid(points, 18, 2, Inner.BEST, 1),
        }
        rows += [
            {"file": name, "method": method, "il": information_loss(points, canonical(labels))}
            for method, labels in found.items()
        ]
    return rows


def hybrid(points: Points, macro: int, steps: int, inner: Inner, seed: int) -> Labels:
    """The partition of a hybrid."""
    if steps == 1:
        macrogroups = one_step(points, K, macro)
        groups = inside_macrogroups(points, macrogroups, K)
    else:
        macrogroups, groups = two_step(points, K, macro)
    parts = [
        refined_part(
            points, K, macrogroups, groups, inner, MACROGROUPS, part,
            np.random.default_rng([seed, part]),
        )
        for part in range(PARTS)
    ]  # fmt: skip
    return best_of_components(points, parts)


def _drawn(rng: np.random.Generator, *, clustered: bool) -> Points:
    """A thousand points; clustered ones are shifted by groups of 3 to 5 towards each other."""
    points = rng.uniform(-10_000, 10_000, size=(1000, 2))
    start = 0
    while clustered and start < len(points):
        size = int(rng.integers(3, 6))
        centre = rng.uniform(-10_000, 10_000, size=2)
        spread = points[start : start + size] * 0.02
        points[start : start + size] = centre + spread
        start += size
    return points


def _scatter(side: str, title: str, points: Points, labels: Labels) -> Chart:
    series = tuple(
        Series(
            f"macrogroup {g + 1}",
            "points",
            tuple(points[labels == g, 0].tolist()),
            tuple(points[labels == g, 1].tolist()),
        )
        for g in range(int(labels.max()) + 1)
    )
    return Chart(
        f"partition-hybrid-figure-2-{side}",
        f"{title}: macrogroups of 24 records or more",
        "Records that are close should share a colour; one step cuts natural groups more often.",
        Axis("first attribute, standardised"),
        Axis("second attribute, standardised"),
        series,
    )
