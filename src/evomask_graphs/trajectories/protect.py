"""Protection of trajectories: positions are replaced by discs that k people share.

People are grouped by their whole way through a time window, so groups stay together from disc to
disc, and following a disc means following k people. Groups and track names change from window to
window.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evomask.data.partition import validate_k
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.stopping import Budget
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.io.files import check_target
from evomask.kernels.groups.mdav import mdav
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.runs.store.release import draw_order
from evomask.searches.base import SearchContext
from evomask.searches.partition.problem import PartitionProblem
from evomask.searches.partition.search import Parameters, build_setup
from evomask.types import Labels, Points
from evomask_graphs.trajectories.files import (
    Rows,
    TrajectoryColumns,
    read_trajectories,
    write_discs,
)
from evomask_graphs.trajectories.tracking_attack import GUESSES, Followed, followed
from evomask_graphs.trajectories.trajectory import Discs, Trajectories, Window, discs_of

EFFORT = 2_000
"""Default number of steps of the memetic search per person and window."""

Partition = Callable[[Points, int, int, int | None], Labels]
"""Function that groups points into groups of k or more, with a seed and an optional number of
steps."""


@dataclass(frozen=True)
class Protection:
    """Parameters of the protection of trajectories.

    Args:
        k: minimum number of people that share a disc. window: number of times after which groups
            and track names change; by default never. rounding: precision of centres and radii, in
            the unit of the positions.
        method: memetic (ours), mdav or mondrian.
        evaluations: steps of the memetic search, over all windows. seed: drawn from the system by
            default, and not reported.
    """

    k: int
    window: int | None = None
    rounding: float = 10.0
    method: str = "memetic"
    evaluations: int | None = None
    seed: int | None = None


@dataclass(frozen=True)
class TrajectoryJob:
    """Parameters of a run on a file of trajectories."""

    path: Path
    out: Path
    how: Protection
    columns: TrajectoryColumns = field(default_factory=TrajectoryColumns)
    force: bool = False


class Stretch(NamedTuple):
    """A protected time window: the group of each person."""

    window: Window
    labels: Labels
    discs: Discs


@dataclass(frozen=True)
class TrajectoryReadings:
    """Information loss of released discs, and results of the tracking attack.

    Args:
        mean_distance: from a position to the centre of its disc, in the unit of the positions.
        mean_radius: of the disc of a person and time.
        fewest: people of the smallest group.
        left_out: percent of positions that are not released.
        followed: success of each guessing rule; empty for a single window.
    """

    mean_distance: float
    mean_radius: float
    fewest: int
    left_out: float
    followed: Mapping[str, Followed]


def protect_trajectories(job: TrajectoryJob) -> TrajectoryReadings:
    """Read trajectories, write discs, and measure loss and tracking risk."""
    check_target(job.out, force=job.force, inputs=[job.path])
    ways = read_trajectories(job.path, job.columns)
    rows, readings = disc_rows(ways, job.how)
    write_discs(rows, job.out, force=job.force)
    return readings


def disc_rows(ways: Trajectories, how: Protection) -> tuple[Rows, TrajectoryReadings]:
    """Discs of trajectories as columns of a table, and their measures."""
    seed = secrets.randbits(63) if how.seed is None else how.seed
    stretches = protected(ways, how, seed)
    return released(ways, stretches), readings_of(ways, stretches, np.random.default_rng(seed))


def protected(ways: Trajectories, how: Protection, seed: int) -> list[Stretch]:
    """Groups and discs of each time window."""
    if how.method not in PARTITIONS:
        raise ParameterError(f"method must be one of {', '.join(PARTITIONS)}, got {how.method!r}")
    windows = [window for window in ways.windows(how.window) if len(window.people)]
    if not windows:
        raise DataError("nobody is present throughout a window; choose a smaller window")
    each = None if how.evaluations is None else max(1, how.evaluations // len(windows))
    return [_stretch(window, how, seed, each) for window in windows]


def _stretch(window: Window, how: Protection, seed: int, steps: int | None) -> Stretch:
    validate_k(how.k, len(window.people))
    labels = PARTITIONS[how.method](window.points, how.k, seed, steps)
    return Stretch(window, labels, discs_of(window.positions, labels, how.rounding))


def _memetic(points: Points, k: int, seed: int, steps: int | None) -> Labels:
    """Groups by the memetic search, on map distances without standardization."""
    if 2 * k > len(points):
        return np.zeros(len(points), dtype=np.int64)
    budget = Budget(evaluations=steps or EFFORT * len(points))
    around = SearchContext(partial(draw_stream, seed), None, budget)
    scale = float(points.std()) or 1.0
    problem = PartitionProblem(*_as_table(points), (points - points.mean(axis=0)) / scale, k)
    setup = build_setup(problem, Parameters(k), around)
    work = InProcess(Worker(setup.problem, seed))
    state = begin(setup.first, work, archive=setup.archive)
    state = evolve(state, setup.scheme, work, seed=seed, until=budget.until(lambda _: 0.0))
    best: Labels = min(state.population, key=lambda member: member.fitness).genome
    return best


def _mdav(points: Points, k: int, _: int, __: int | None) -> Labels:
    return mdav(points, k)


def _mondrian(points: Points, k: int, seed: int, _: int | None) -> Labels:
    table, names = _as_table(points)
    return Mondrian(names, k).partition(table, np.random.default_rng(seed))


PARTITIONS: Mapping[str, Partition] = {
    "memetic": _memetic,
    "mdav": _mdav,
    "mondrian": _mondrian,
}


def _as_table(points: Points) -> tuple[Table, tuple[str, ...]]:
    names = tuple(f"c{i}" for i in range(points.shape[1]))
    kinds = (Attribute(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for n in names)
    return Table(Schema(tuple(kinds)), dict(zip(names, points.T.copy(), strict=True))), names


def released(ways: Trajectories, stretches: Sequence[Stretch]) -> Rows:
    """A row for each track and time with its disc; tracks are renamed in every window."""
    parts = [_rows(ways, number, stretch) for number, stretch in enumerate(stretches, 1)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _rows(ways: Trajectories, number: int, stretch: Stretch) -> Rows:
    """Tracks in an order that depends neither on the seed nor on the order of the file."""
    order = draw_order(len(stretch.labels))
    labels, steps = stretch.labels[order], len(stretch.window.times)
    times = np.array(ways.times)[stretch.window.times]
    centres = stretch.discs.centres[labels].reshape(-1, 2)
    return {
        "window": np.full(len(labels) * steps, number),
        "track": np.repeat(np.arange(1, len(labels) + 1), steps),
        "time": np.tile(times, len(labels)),
        "east": centres[:, 0],
        "north": centres[:, 1],
        "radius": stretch.discs.radii[labels].ravel(),
        "people": np.repeat(stretch.discs.people[labels], steps),
    }


def readings_of(
    ways: Trajectories, stretches: Sequence[Stretch], rng: np.random.Generator
) -> TrajectoryReadings:
    """Distance of positions from their centres, and success of the tracking attack."""
    moved, radii = [], []
    for window, labels, discs in stretches:
        moved.append(np.linalg.norm(window.positions - discs.centres[labels], axis=2).ravel())
        radii.append(discs.radii[labels].ravel())
    distances = np.concatenate(moved)
    known = int((~np.isnan(ways.positions[:, :, 0])).sum())
    return TrajectoryReadings(
        float(distances.mean()),
        float(np.concatenate(radii).mean()),
        min(int(stretch.discs.people.min()) for stretch in stretches),
        100.0 * (1.0 - len(distances) / known),
        {name: _over(stretches, name, rng) for name in GUESSES if len(stretches) > 1},
    )


def _over(stretches: Sequence[Stretch], name: str, rng: np.random.Generator) -> Followed:
    """Results of one attack over all pairs of consecutive windows."""
    found, weights = [], []
    for before, after in pairwise(stretches):
        common, first, second = np.intersect1d(
            before.window.people, after.window.people, return_indices=True
        )
        groups = before.labels[first], after.labels[second]
        found.append(followed(GUESSES[name], before.discs, after.discs, groups, rng))
        weights.append(float(len(common)))
    shares = np.array(weights) / max(1.0, sum(weights))
    discs, linked, errors = np.array(found).T
    spread = float(np.sqrt(np.sum((shares * errors) ** 2)))
    return Followed(float(shares @ discs), float(shares @ linked), spread)
