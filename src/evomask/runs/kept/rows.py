"""The points of a front as rows of a file, with all that is needed to make their files again."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from evomask.evolution.checkpoint import Arrays, arrays_as_bytes
from evomask.portfolio.front import Candidate
from evomask.portfolio.state import PortfolioState
from evomask.portfolio.worker import Maker
from evomask.record.protection import Finding
from evomask.record.words import as_point
from evomask.runs.kept.plan import Plan
from evomask.runs.points import Point
from evomask.searches.search import RELEASED_DRAW, MaskingProblem

Row: TypeAlias = dict[str, object]


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


def portfolio_rows(state: PortfolioState, found: Mapping[int, Finding], maker: Maker) -> list[Row]:
    """One row for each point of a portfolio's front, and what was found out about it."""
    return [
        _candidate_row(candidate, state.genomes[candidate.number], maker)
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


def _candidate_row(candidate: Candidate, genome: Any, maker: Maker) -> Row:  # noqa: ANN401
    return front_row(
        as_point(candidate),
        {"member": candidate.member, "making": msgspec.json.encode(candidate.making).decode()},
        candidate.parameters,
        {"serial": candidate.serial, "round": candidate.round},
        maker.setup(candidate.member).problem.pack(genome),
        RELEASED_DRAW,
    )


def _known(finding: Finding | None) -> Row:
    return {**finding.guarantees, **finding.measures} if finding else {}
