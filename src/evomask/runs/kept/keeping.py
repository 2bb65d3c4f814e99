"""What must survive: checked before a search begins, measured on the front when it has ended."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from evomask.errors import ParameterError
from evomask.measures.keeping.estimates import Estimate, KeptStatistic
from evomask.measures.keeping.keeping import MODEL_ERROR, TABLE_ERROR, Keeping, Kept, errors_of
from evomask.portfolio.front import Bounds, Candidate
from evomask.portfolio.state import PortfolioState
from evomask.portfolio.worker import Maker
from evomask.record.protection import point_file
from evomask.runs.kept.events import Events, Phase

Statistic = KeptStatistic
Figure = Estimate
AtMost = Bounds

ERRORS = "kept.json"

Errors = Mapping[int, Mapping[str, float]]
"""The errors of each point, by its number."""


def keeping(tables: Iterable[str] | None, models: Iterable[str] | None) -> Keeping:
    """What must survive, as a user names it: ``education x sex: mean hours``, ``income ~ age``."""
    return Keeping(tuple(tables or ()), tuple(models or ()))


def at_most(
    risk: float | None = None,
    loss: float | None = None,
    table_error: float | None = None,
    model_error: float | None = None,
) -> Bounds:
    """What a point may have at most, in percent, as a user says it."""
    return Bounds(risk, loss, table_error, model_error)


def check_bounds(bounds: Bounds, keep: Keeping) -> None:
    """Refuse a bound on the error of tables or models where none must survive."""
    for name, wanted, option in (
        (TABLE_ERROR, keep.tables, "table"),
        (MODEL_ERROR, keep.models, "model"),
    ):
        if name in bounds.given and not wanted:
            raise ParameterError(
                f"max-{option}-error bounds a {option} that must survive, and none is named; "
                f"name one with --keep-{option} or in the schema"
            )


def measured(
    maker: Maker, state: PortfolioState, kept: Kept, known: Errors, events: Events
) -> PortfolioState:
    """The state with the errors of every point of its front; those known are not read again."""
    events.begin(Phase.AUDITING, f"comparing tables and models of {len(state.front)} points")

    def with_errors(point: Candidate) -> Candidate:
        if point.number in known:
            return replace(point, errors=known[point.number])
        masked = point_file(maker, state, point.number).masked
        return replace(point, errors=errors_of(kept.compare(masked)))

    return replace(state, front=tuple(map(with_errors, state.front)))


def read_errors(folder: Path) -> Errors:
    """What a folder tells of the errors of its points; nothing where it cannot be read."""
    try:
        text = (folder / ERRORS).read_bytes()
        return msgspec.json.decode(text, type=dict[int, dict[str, float]])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def encode_errors(state: PortfolioState) -> bytes:
    """The errors of the points of a front, as a file keeps them."""
    return msgspec.json.encode({point.number: dict(point.errors) for point in state.front})
