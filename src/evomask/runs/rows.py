"""The points of a front as rows of a file, with all that is needed to make their files again."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from evomask.evolution.checkpoint import Arrays, arrays_as_bytes
from evomask.portfolio.candidate import Candidate
from evomask.portfolio.state import PortfolioState
from evomask.portfolio.worker import Workshop
from evomask.runs.plan import Plan
from evomask.runs.points import Point
from evomask.searches.catalogue import RELEASED_DRAW, MaskingProblem

Row: TypeAlias = dict[str, object]


class Examined(Protocol):
    """What was found out about a file besides its loss and risk."""

    @property
    def guarantees(self) -> Mapping[str, float]:
        """k, l and t as the file has them."""
        ...

    @property
    def measures(self) -> Mapping[str, float]:
        """Every measure that applies, by name."""
        ...


def search_rows(points: Sequence[Point], plan: Plan, problem: MaskingProblem) -> list[Row]:
    """One row for each point of a single search."""
    return [
        front_row(
            point.as_json(),
            {"operator": point.individual.operator},
            plan.parameters,
            {"serial": point.individual.serial, "born": point.individual.born},
            problem.pack(point.individual.genome),
            point.draw,
        )
        for point in points
    ]


def portfolio_rows(
    state: PortfolioState, found: Mapping[int, Examined], shop: Workshop
) -> list[Row]:
    """One row for each point of a portfolio's front, and what was found out about it."""
    return [
        _candidate_row(candidate, state.genomes[candidate.number], shop)
        | _known(found.get(candidate.number))
        for candidate in state.front
    ]


def front_row(
    shown: Mapping[str, object],
    maker: Mapping[str, object],
    parameters: Mapping[str, Any],
    birth: Mapping[str, int],
    recipe: Arrays,
    draw: int,
) -> Row:
    """One point: what users see of it, what made it and when, and its recipe.

    Args:
        draw: where masking is random, the number of the draw that is released.
        recipe: the packed genome.
    """
    return {
        **shown,
        **maker,
        "parameters": json.dumps(parameters, sort_keys=True),
        **birth,
        "draw": draw,
        "recipe": arrays_as_bytes(recipe),
    }


def _candidate_row(candidate: Candidate, genome: Any, shop: Workshop) -> Row:  # noqa: ANN401
    return front_row(
        candidate.as_point(),
        {"member": candidate.member},
        candidate.parameters,
        {"serial": candidate.serial, "round": candidate.round},
        shop.setup(candidate.member).problem.pack(genome),
        RELEASED_DRAW,
    )


def _known(examined: Examined | None) -> Row:
    return {**examined.guarantees, **examined.measures} if examined else {}
