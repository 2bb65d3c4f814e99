"""Preserved analyses: checked before a search, compared on the front after it."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import msgspec

from evomask.data.scenario import EVERYTHING
from evomask.data.table import Table
from evomask.engine.evaluation import EvaluationContext
from evomask.engine.front import Bounds, FrontPoint
from evomask.engine.offers import likely
from evomask.engine.state import EngineState
from evomask.errors import ParameterError
from evomask.measures.analyses.analyses import (
    ERROR_NAMES,
    AnalysesToPreserve,
    PreparedAnalyses,
    errors_of,
)
from evomask.measures.analyses.estimates import AnalysisComparison, Estimate
from evomask.report.protection import point_file
from evomask.runs.store.journal import EventDispatcher, Phase
from evomask.runs.store.run_control import CHOICE_COST, RELEASE_COST, Deadline

Statistic = AnalysisComparison
Figure = Estimate
AtMost = Bounds

ERRORS, COMPARISON = "kept.json", "comparing"

ErrorsByPoint = Mapping[int, Mapping[str, float]]
"""Errors of each point, by its number."""


def parse_analyses(
    tables: Iterable[str] | None,
    models: Iterable[str] | None,
    indicators: Iterable[str] | None = None,
    uses: Iterable[str] | None = None,
) -> AnalysesToPreserve:
    """Analyses to preserve: ``education x sex: mean hours``, ``income ~ age``, ``gini(income)``."""
    return AnalysesToPreserve(*(tuple(some or ()) for some in (tables, models, indicators, uses)))


def build_bounds(
    risk: str | None = None,
    loss: float | None = None,
    table_error: float | None = None,
    model_error: float | None = None,
    indicator_error: float | None = None,
    *,
    release: str = "",
    accept_risk: bool = False,
    accept_loss: bool = False,
) -> Bounds:
    """Upper bounds of a point, in percent, from options.

    Args:
        risk: ``10``, or by scenario ``register=5,colleague=10``; a number without a name holds in
            all other scenarios.
    """
    named, others = _parse_risk_limits(risk or "")
    return Bounds(
        others, loss, table_error, model_error, indicator_error, named,
        release=release, accept_risk=accept_risk, accept_loss=accept_loss,
    )  # fmt: skip


def _parse_risk_limits(text: str) -> tuple[dict[str, float], float | None]:
    limits: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, number = part.rpartition("=")
        try:
            limit = float(number)
        except ValueError:
            raise ParameterError(
                "max-risk is a number, or one for each scenario such as register=5,colleague=10, "
                f"got {text!r}"
            ) from None
        if not 0.0 <= limit <= 100.0:
            where = f" in scenario {name.strip()}" if name else ""
            raise ParameterError(f"max-risk{where} must lie in 0 to 100 percent, got {limit:g}")
        if limits.setdefault(name.strip(), limit) != limit:
            which = f"scenario {name.strip()!r}" if name else "all scenarios"
            raise ParameterError(f"max-risk limits {which} twice in {text!r}; name it once")
    return {name: limit for name, limit in limits.items() if name}, limits.get("")


def check_risk_limits(bounds: Bounds, table: Table) -> None:
    """Raise if a limit of the risk names a scenario that the file does not declare."""
    known = [scenario.name for scenario in table.schema.scenarios] or [EVERYTHING]
    for name in bounds.risk_in:
        if name not in known:
            raise ParameterError(
                f"max-risk limits scenario {name!r}, and there is none of this name; "
                f"there is {', '.join(known)}"
            )


def check_bounds(bounds: Bounds, keep: AnalysesToPreserve, table: Table) -> None:
    """Raise for a bound on the error of a kind of analysis if none is to be preserved.

    And for one on the risk in a scenario that the file does not have.
    """
    check_risk_limits(bounds, table)
    for option, name in ERROR_NAMES.items():
        if name in bounds.given and not getattr(keep, f"{option}s"):
            article = "an" if option == "indicator" else "a"
            raise ParameterError(
                f"max-{option}-error limits the error of {article} {option} to preserve, and none "
                f"is named; name one with --keep-{option} or in the schema"
            )


def prepare_analyses(
    table: Table, keep: AnalysesToPreserve, bounds: Bounds
) -> PreparedAnalyses | None:
    """Prepare the analyses to preserve, if any; errors in them are raised at once."""
    if bounds.given:
        check_bounds(bounds, keep, table)
    if keep.objective and not keep:
        raise ParameterError(
            "keep-objective needs analyses; name some with --use, --keep-table, --keep-model or "
            "--keep-indicator"
        )
    return keep.against(table) if keep else None


def compare_front(
    maker: EvaluationContext,
    state: EngineState,
    kept: PreparedAnalyses,
    known: ErrorsByPoint,
    events: EventDispatcher,
    deadline: Deadline | None = None,
) -> EngineState:
    """Return the state with the errors of its front's points; known errors are reused.

    Every candidate is created again for this. Under a deadline the default point comes first, then
    its neighbours on the front while time is left; the other points have no errors.
    """
    events.begin(Phase.AUDITING, f"comparing the analyses of {len(state.front)} points")
    numbers = {point.number for point in state.front}
    errors = {number: own for number, own in known.items() if own and number in numbers}
    errors |= {point.number: point.errors for point in state.front if point.errors}
    for point in _by_distance_from_default(state.front):
        if point.number in errors:
            continue
        if (
            errors
            and deadline is not None
            and not deadline.allows(COMPARISON, RELEASE_COST, CHOICE_COST, attacks=True)
        ):
            break
        with deadline.timing(COMPARISON) if deadline else nullcontext():
            masked = point_file(maker, state, point.number).masked
            errors[point.number] = errors_of(kept.compare(masked))
    front = tuple(replace(point, errors=errors.get(point.number, {})) for point in state.front)
    return replace(state, front=front)


def _by_distance_from_default(front: Sequence[FrontPoint]) -> list[FrontPoint]:
    """Points of a front, ordered by distance from the default point."""
    place = front.index(likely(front))
    order = sorted(range(len(front)), key=lambda i: (abs(i - place), i))
    return [front[i] for i in order]


def comparison_note(front: Sequence[FrontPoint]) -> str:
    """A note if there was no time to compare the analyses of all points."""
    done = sum(bool(point.errors) for point in front)
    if done == len(front):
        return ""
    return (
        f"there was time to compare the analyses of {done} of {len(front)} points only; "
        "limits on their errors exclude the others"
    )


def read_errors(folder: Path) -> ErrorsByPoint:
    """Read the errors of the points from a run folder; empty if there are none."""
    try:
        text = (folder / ERRORS).read_bytes()
        return msgspec.json.decode(text, type=dict[int, dict[str, float]])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def encode_errors(state: EngineState) -> bytes:
    """Encode the errors of the points of a front as JSON."""
    found = {point.number: dict(point.errors) for point in state.front if point.errors}
    return msgspec.json.encode(found)
