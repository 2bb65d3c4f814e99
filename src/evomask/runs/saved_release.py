"""Release of a run folder, made again in the order of its original."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from evomask.data.hierarchy_builders import complete_hierarchies
from evomask.data.table import Table
from evomask.engine.evaluation import EvaluationContext
from evomask.engine.front import FrontPoint, numbered
from evomask.engine.state import EngineCodec
from evomask.errors import EvomaskError, ParameterError, RunError, UnmetError
from evomask.masking.enforce.requirement import Requirement
from evomask.report.protection import point_file, with_files
from evomask.runs.front_evaluation import SearchOutcome
from evomask.runs.inputs import Loaded, load
from evomask.runs.start import load_start
from evomask.runs.store.release import released_files
from evomask.runs.store.run_folder import Plan, RunFolder, check_input, protection_settings

COSTLESS = 0.005
"""Loss in percent that is shown as none."""

_POINT = re.compile(r"(.+):([1-9]\d*)")


@dataclass(frozen=True, eq=False)
class SavedRelease:
    """A point of a run, by default the one that was released last.

    Args:
        masked: masked table in the order of the original.
        data: hash of the original.
        file: number of the file in its run.
    """

    name: str
    loaded: Loaded = field(repr=False)
    masked: Table = field(repr=False)
    requirement: Requirement
    data: str
    folder: Path = Path()
    file: int = -1


def load_context(plan: Plan, seen: tuple[str, ...] = ()) -> tuple[Loaded, EvaluationContext]:
    """Load the input of a run, and build its evaluation context.

    Args:
        seen: run folders whose releases were nested in this one; they do not nest it again.
    """
    check_input(plan)
    loaded = load(plan.input)
    hierarchies = complete_hierarchies(loaded.table, loaded.hierarchies)
    given = load_start(plan.start, loaded).files
    held = tuple(
        load_release(path, file, (*seen, path)).masked
        for path, file in plan.nested_in.items()
        if path not in seen
    )
    return loaded, EvaluationContext(
        loaded.table, protection_settings(plan), plan.seed, hierarchies, given=given, held=held
    )


def load_release(
    named: str | Path, file: int | None = None, seen: tuple[str, ...] = ()
) -> SavedRelease:
    """Load the released point of a run folder, or the point of its front after a colon.

    Args:
        named: folder, or ``FOLDER:POINT``.
        file: number of the file, in place of the point.
        seen: as in `load_context`.
    """
    match = _POINT.fullmatch(str(named))
    folder = Path(match[1] if match and not Path(named).is_dir() else named)
    point = int(match[2]) if match and folder != Path(named) else None
    store = RunFolder(folder)
    plan = store.plan()
    loaded, context = load_context(plan, seen)
    state = store.newest_state(EngineCodec(context))
    if state is None or not state.front:
        raise RunError(f"{folder} has no point yet; continue with `evomask resume {folder}`")
    released = released_files(folder)
    if file is None and point is None:
        if not released:
            raise RunError(f"nothing was released from {folder}; name a point as {folder}:1")
        file = released[-1]
    state = with_files(state, released)
    found = [p for p in state.front if p.number == file or p.point == point]
    if not found:
        points = ", ".join(str(one.point) for one in state.front)
        raise ParameterError(f"the front of {folder} has no point {point}; it has {points}")
    masked = point_file(context, state, found[0].number).masked
    name = f"point {found[0].point} of {folder.name}"
    required, data = context.settings.requirement, plan.sha256["data"]
    return SavedRelease(name, loaded, masked, required, data, folder, found[0].number)


def held_release(named: str, plan: Plan) -> dict[str, int]:
    """Folder and file of a release in which that of a run can be nested."""
    held = load_release(named)
    if held.data != plan.sha256["data"]:
        raise RunError(
            f"{named} is a release of another original; only releases of the same file can be "
            "nested, others are compared by `evomask difference --key`"
        )
    return {str(held.folder.resolve()): held.file}


def nested_outcome(
    context: EvaluationContext, outcome: SearchOutcome
) -> tuple[SearchOutcome, tuple[str, ...]]:
    """Nest every point of a front in the releases of a context, and measure it again.

    Returns a note on the loss that it costs; points that cannot be nested are left out.
    """
    state, front, why = outcome.state, [], ""
    for point in state.front:
        genome = state.genomes[point.number]
        try:
            masked = context.masked(point.member, genome)
        except EvomaskError as error:
            why = str(error)
            continue
        found = context.measured(masked, context.twin(point.member, genome, masked))
        front.append(replace(point, loss=found.loss, risk=found.risk, assessment=found.assessment))
    if not front:
        raise UnmetError(f"no point can be nested in that release: {why}")
    before = {point.number: point.loss for point in state.front}
    costs = [point.loss - before[point.number] for point in front]
    free = sum(cost < COSTLESS for cost in costs)
    note = (
        f"nested in the earlier release, {len(front)} of {len(state.front)} points keep what is "
        f"required together with it: {free} of them as they are, the others at "
        f"{min(costs):.2f} to {max(costs):.2f} % more loss"
    )
    front = [one for one in front if not any(_is_better(other, one) for other in front)]
    front.sort(key=lambda point: (point.loss, point.risk, point.number))
    return replace(outcome, state=replace(state, front=numbered(front))), (note,)


def _is_better(one: FrontPoint, other: FrontPoint) -> bool:
    least = (one.loss, one.risk, one.number) < (other.loss, other.risk, other.number)
    return least and one.loss <= other.loss and one.risk <= other.risk
