"""Rows of the front file: points with everything needed to create their files again."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from evomask.engine.evaluation import EvaluationContext
from evomask.engine.front import FrontPoint
from evomask.engine.state import PortfolioState
from evomask.evolution.checkpoint import Arrays, arrays_as_bytes
from evomask.report.describe import point_fields
from evomask.report.protection import PointEvaluation
from evomask.runs.store.plan import Plan
from evomask.searches.base import RELEASED_DRAW, MaskingProblem

Row: TypeAlias = dict[str, object]


def search_rows(points: Sequence[FrontPoint], plan: Plan, problem: MaskingProblem) -> list[Row]:
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
    state: PortfolioState, found: Mapping[int, PointEvaluation], maker: EvaluationContext
) -> list[Row]:
    """One row for each point of a portfolio's front, with its evaluation."""
    return [
        _candidate_row(candidate, state.genomes[candidate.number], maker)
        | _evaluation_columns(found.get(candidate.number))
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
    """One point: its public fields, its provenance and its packed genome.

    Args:
        draw: number of the random draw that is released, if masking is random.
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


def _candidate_row(candidate: FrontPoint, genome: Any, maker: EvaluationContext) -> Row:  # noqa: ANN401
    return front_row(
        point_fields(candidate),
        {"member": candidate.member, "making": msgspec.json.encode(candidate.making).decode()},
        candidate.parameters,
        {"serial": candidate.serial, "round": candidate.round},
        maker.setup(candidate.member).problem.pack(genome),
        RELEASED_DRAW,
    )


def _evaluation_columns(finding: PointEvaluation | None) -> Row:
    return {**finding.guarantees, **finding.measures} if finding else {}
