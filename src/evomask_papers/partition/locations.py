"""Location privacy, which the paper on the hybrid (2007) leaves to future work.

People of a synthetic town are grouped by location. For each group a disc with rounded centre and
radius is released, so that no point of a region is anybody's exact position.
"""

from typing import NamedTuple

import numpy as np

from evomask.data.chart import Axis, Chart, Series
from evomask.data.partition import centroids, group_sizes
from evomask.data.schema import Attribute, Kind, Role, Schema, Storage
from evomask.data.table import Table
from evomask.evolution.stopping import Budget
from evomask.kernels.groups.mdav import mdav
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.searches.partition.search import Algorithm, Parameters
from evomask.types import Floats, Indices, Labels, Points
from evomask_papers.partition.hybrid import Row, file_points, searched

POSITION = "east", "north"
PLACES = (
    (0, 0, 400, 0.4),
    (1500, 600, 250, 0.2),
    (-1200, 1300, 200, 0.15),
    (-600, -1600, 300, 0.1),
)
"""Districts: metres east and north, spread in metres, share of people; the others are uniform."""

REACH = 2500.0
ROUNDING = 10.0
"""Precision of discs in metres; radii are rounded up."""

EFFORT = 5_000
"""Evaluations of the memetic search for each person."""


def town(people: int, seed: int) -> Table:
    """Positions in metres from the middle of a town with four districts and a countryside."""
    rng = np.random.default_rng(seed)
    shares = [place[3] for place in PLACES]
    district = rng.choice(len(PLACES) + 1, people, p=[*shares, 1.0 - sum(shares)])
    positions = rng.uniform(-REACH, REACH, (people, 2))
    for number, (east, north, spread, _) in enumerate(PLACES):
        inside = district == number
        positions[inside] = (east, north) + spread * rng.normal(size=(int(inside.sum()), 2))
    attributes = [
        Attribute(name, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, storage=Storage.REAL)
        for name in POSITION
    ]
    return Table(Schema(tuple(attributes)), dict(zip(POSITION, positions.T.round(), strict=True)))


class Regions(NamedTuple):
    """Released discs, one per group."""

    centres: Points
    radii: Floats
    people: Indices


def regions(table: Table, labels: Labels) -> Regions:
    """Rounded disc around each group; it contains all members."""
    positions = table.matrix(POSITION)
    centres = np.round(centroids(positions, labels) / ROUNDING) * ROUNDING
    reach = np.zeros(len(centres))
    np.maximum.at(reach, labels, np.linalg.norm(positions - centres[labels], axis=1))
    return Regions(centres, np.ceil(reach / ROUNDING) * ROUNDING, group_sizes(labels))


def partitions(table: Table, k: int, seed: int) -> dict[str, Labels]:
    """Return the groups of each method: boxes as in cloaking, MDAV, hybrid, memetic."""
    points = file_points(table)
    effort = Budget(evaluations=EFFORT * len(points))
    hybrid = Parameters(k, Algorithm.TWO_STEP, macro=6 * k)
    return {
        "boxes (Mondrian)": Mondrian(POSITION, k).partition(table, np.random.default_rng(seed)),
        "MDAV": mdav(points, k),
        "two-step hybrid": searched(table, hybrid, Budget(generations=1), seed),
        "memetic": searched(table, Parameters(k), effort, seed),
    }


def locations(seed: int = 1) -> list[Row]:
    """Positions of 1,000 people released as discs of 5 or more: radii and distances to centres."""
    table = town(1000, seed)
    return [
        {"what": method, **_figures(table, labels)}
        for method, labels in partitions(table, 5, seed).items()
    ]


def _figures(table: Table, labels: Labels) -> Row:
    discs = regions(table, labels)
    moved = np.linalg.norm(table.matrix(POSITION) - discs.centres[labels], axis=1)
    return {
        "regions": len(discs.people),
        "fewest people": int(discs.people.min()),
        "mean radius, metres": float(discs.radii[labels].mean()),
        "mean move, metres": float(moved.mean()),
        "root mean square move, metres": float(np.sqrt(np.mean(moved**2))),
    }


def figure(seed: int = 1) -> list[Chart]:
    """The discs of MDAV and of the memetic search for 200 people, 5 or more in each."""
    table = town(200, seed)
    by_method = partitions(table, 5, seed)
    return [
        _map(table, method, regions(table, by_method[method])) for method in ("MDAV", "memetic")
    ]


def _map(table: Table, method: str, areas: Regions) -> Chart:
    people = Series("people", "points", *(tuple(table.values(name)) for name in POSITION))
    discs = [
        _disc(centre, radius) for centre, radius in zip(areas.centres, areas.radii, strict=True)
    ]
    return Chart(
        f"partition-locations-{method.lower()}",
        f"{method}: {len(discs)} regions of {areas.people.min()} people or more",
        "Only the discs are released; small discs with little overlap have the least loss.",
        Axis("metres east"),
        Axis("metres north"),
        (people, *discs),
    )


def _disc(centre: Floats, radius: float) -> Series:
    turns = np.linspace(0.0, 2.0 * np.pi, 33)
    around = centre + radius * np.column_stack([np.cos(turns), np.sin(turns)])
    return Series("region", "line", tuple(around[:, 0]), tuple(around[:, 1]))
