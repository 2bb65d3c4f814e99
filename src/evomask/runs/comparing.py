"""Points of a front looked at closely side by side, before one of them is released."""

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

from evomask.data.trees.making import completed
from evomask.errors import ParameterError, RunError
from evomask.masking.making import Making
from evomask.portfolio.front import ORIGINAL, Candidate
from evomask.portfolio.state import PortfolioCodec, PortfolioState
from evomask.portfolio.worker import Maker
from evomask.record.protection import Choice, Protection, point_file
from evomask.record.record import FileNote, ReleaseRecord
from evomask.record.recording import record_of
from evomask.runs.findings import findings, read_findings
from evomask.runs.inputs import load
from evomask.runs.kept.plan import Plan, check_input, settings_in
from evomask.runs.kept.store import Store

MOST = 4
"""Points that are compared at once."""


def compare_points(
    folder: Path, files: Sequence[int], *, attack: bool = True
) -> tuple[ReleaseRecord, ...]:
    """What the record would tell of each point of the front kept in a folder, if it were released.

    Points are named by their files, whose numbers stay while a run goes on.

    Nothing is written, and a run that goes on is left alone: its last snapshot counts.
    """
    if not 1 <= len(set(files)) == len(files) <= MOST:
        raise ParameterError(f"name 1 to {MOST} different points to compare, got {len(files)}")
    store = Store(folder)
    plan = store.plan()
    check_input(plan)
    loaded = load(plan.input)
    trees = completed(loaded.table, loaded.hierarchies)
    maker = Maker(loaded.table, settings_in(plan), plan.seed, trees)
    maker.load_kernels(lambda _: None)
    state = store.newest_state(PortfolioCodec(maker))
    if state is None or not state.front:
        raise RunError(f"nothing was kept of {folder.name} yet; wait a little")
    points = [_named(state, number) for number in files]
    return tuple(_record(maker, plan, state, point, folder, attack) for point in points)


def _named(state: PortfolioState, number: int) -> Candidate:
    for candidate in state.front:
        if candidate.number == number:
            return candidate
    raise ParameterError(f"file {number} is not on the front that was kept last; choose another")


def _record(
    maker: Maker, plan: Plan, state: PortfolioState, point: Candidate, folder: Path, attack: bool
) -> ReleaseRecord:
    """The record of one point; what was found of it before is not found again."""
    files = cache(partial(point_file, maker, state))
    known = read_findings(folder)
    found = findings([point], maker.table, files, known, None, attack=attack)
    before = maker.original
    original = Candidate(
        ORIGINAL, Making(), before.loss, before.risk, "", "", "", judged=before.judged
    )
    times = (0.0,) * len(state.rounds)
    protection = Protection(maker, False, state, times, files, original, found)  # noqa: FBT003
    table = maker.table
    notes = (
        FileNote(plan.input.path.name, plan.sha256["data"], len(table), len(table.schema)),
        FileNote(plan.input.path.name, "", len(table), 0),
    )
    gone = int(files(point.number).masked.suppressed.sum())
    return record_of(protection, Choice(point, "compared"), notes, gone)
