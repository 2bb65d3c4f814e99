"""What must survive: checked before a search begins, measured on the front when it has ended."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import msgspec

from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.keeping.estimates import Estimate, KeptStatistic
from evomask.measures.keeping.keeping import MODEL_ERROR, TABLE_ERROR, Keeping, Kept, errors_of
from evomask.portfolio.front import Bounds, Candidate, usual
from evomask.portfolio.state import PortfolioState
from evomask.portfolio.worker import Maker
from evomask.record.protection import point_file
from evomask.runs.kept.deadline import LOOK, WRITING, Deadline
from evomask.runs.kept.events import Events, Phase

Statistic = KeptStatistic
Figure = Estimate
AtMost = Bounds

ERRORS, COMPARING = "kept.json", "comparing"

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


def surviving(table: Table, keep: Keeping, bounds: Bounds) -> Kept | None:
    """Statistics that must survive, where some are named; what is wrong is said at once."""
    if bounds.given:
        check_bounds(bounds, keep)
    return keep.against(table) if keep else None


def measured(
    maker: Maker,
    state: PortfolioState,
    kept: Kept,
    known: Errors,
    events: Events,
    deadline: Deadline | None = None,
) -> PortfolioState:
    """The state with the errors of its front's points; those known are not read again.

    Every file has to be made anew for that. Under a deadline the usual point comes first, then
    its neighbours on the front, as long as there is time; the others stay without.
    """
    events.begin(Phase.AUDITING, f"comparing tables and models of {len(state.front)} points")
    numbers = {point.number for point in state.front}
    errors = {number: own for number, own in known.items() if own and number in numbers}
    for point in _from_the_usual(state.front):
        if point.number in errors:
            continue
        if errors and deadline is not None and not deadline.allows(COMPARING, WRITING, LOOK):
            break
        with deadline.timing(COMPARING) if deadline else nullcontext():
            masked = point_file(maker, state, point.number).masked
            errors[point.number] = errors_of(kept.compare(masked))
    front = tuple(replace(point, errors=errors.get(point.number, {})) for point in state.front)
    return replace(state, front=front)


def _from_the_usual(front: Sequence[Candidate]) -> list[Candidate]:
    """The points of a front, nearest to the one that is usually offered first."""
    place = front.index(usual(front))
    order = sorted(range(len(front)), key=lambda i: (abs(i - place), i))
    return [front[i] for i in order]


def not_compared(front: Sequence[Candidate]) -> str:
    """A note where there was no time to compare the tables and models of all points."""
    done = sum(bool(point.errors) for point in front)
    if done == len(front):
        return ""
    return (
        f"time was left to compare the tables and models of {done} of {len(front)} points; "
        "limits on their errors leave out the others"
    )


def read_errors(folder: Path) -> Errors:
    """What a folder tells of the errors of its points; nothing where it cannot be read."""
    try:
        text = (folder / ERRORS).read_bytes()
        return msgspec.json.decode(text, type=dict[int, dict[str, float]])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def encode_errors(state: PortfolioState) -> bytes:
    """The errors of the points of a front, as a file keeps them."""
    found = {point.number: dict(point.errors) for point in state.front if point.errors}
    return msgspec.json.encode(found)
