"""What a search offers: its best individuals as points, each a masked file and its measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evomask.data.chart import Chart
from evomask.data.table import Table
from evomask.evolution.individual import Individual
from evomask.evolution.setup import Setup
from evomask.evolution.state import State
from evomask.measures.keeping.keeping import Kept, errors_of
from evomask.runs.held_out import held_out
from evomask.searches.search import RELEASED_DRAW, Comparing, MaskingProblem, Overview


@dataclass(frozen=True)
class Point:
    """One masked file on offer: who made it, and its measures.

    Args:
        point: its number on the front, from 1 by loss.
        draw: where masking is random, the number of the draw that is released and measured.
    """

    point: int
    search: str
    individual: Individual[Any]
    draw: int
    readings: Mapping[str, float]

    @property
    def file(self) -> int:
        """The number that it keeps while the front changes: that of its individual."""
        return self.individual.serial

    def as_json(self) -> dict[str, object]:
        """What users see of it."""
        return {"point": self.point, "search": self.search, **self.readings}


def points_of(state: State[Any], setup: Setup[Any], search: str) -> tuple[Point, ...]:
    """The archive's members as points by loss, or by fitness where no loss is read.

    Without any member, the best.
    """
    members = state.archive.members or (best_of(state, setup),)
    measured = (point_of(member, setup, search, 0) for member in members)
    ordered = enumerate(sorted(measured, key=_by_loss), 1)
    return tuple(replace(point, point=place) for place, point in ordered)


def _by_loss(point: Point) -> tuple[object, ...]:
    member = point.individual
    return point.readings.get("loss", 0.0), member.fitness, member.serial


def compared(point: Point, problem: MaskingProblem, kept: Kept | None) -> Point:
    """The point with the errors of tables and models that must survive, where there are some."""
    if kept is None:
        return point
    errors = errors_of(kept.compare(problem.decode(point.individual.genome, point.draw)))
    return replace(point, readings={**point.readings, **errors})


def best_of(state: State[Any], setup: Setup[Any]) -> Individual[Any]:
    """The individual of the smallest cost; the earliest of equals."""
    everyone = (*state.archive.members, *state.population)
    return min(everyone, key=lambda member: (setup.cost(member.fitness), member.serial))


def point_of(member: Individual[Any], setup: Setup[Any], search: str, number: int) -> Point:
    """An individual as a point, measured in full."""
    problem: MaskingProblem = setup.problem  # type: ignore[assignment]
    readings = problem.read(member.genome, RELEASED_DRAW)
    numbers = {name: float(value) for name, value in readings.items()}
    return Point(number, search, member, RELEASED_DRAW, numbers)


def decoded(point: Point, setup: Setup[Any]) -> Table:
    """The masked file of a point, as its search makes it."""
    problem: MaskingProblem = setup.problem  # type: ignore[assignment]
    return problem.decode(point.individual.genome, point.draw)


def answer_of(
    problem: Any,  # noqa: ANN401
    table: Table,
    state: State[Any],
    chosen: Point,
    winner: Individual[Any],
    first: Any,  # noqa: ANN401
) -> tuple[dict[str, Any], Sequence[Chart]]:
    """What this kind of search tells besides, and its figures.

    Args:
        first: the serial number of the best first genome.
    """
    overview: Mapping[str, object] = {}
    charts: Sequence[Chart] = ()
    if isinstance(problem, Overview):
        overview, charts = problem.overview(state), problem.charts(state)
    answer = {**problem.answer(chosen.individual.genome), **overview}
    if isinstance(problem, Comparing):
        files = problem.compared(first, winner.genome)
        answer |= held_out(table, *files) if files else {}
    return answer, charts
