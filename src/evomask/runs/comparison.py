"""Points of the front of a run beside one another, for a choice; nothing is written."""

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

from evomask.engine.state import EngineCodec
from evomask.errors import ParameterError, RunError
from evomask.report.build import build_record
from evomask.report.protection import Choice, Protection, point_file, with_files
from evomask.report.record import FileNote, ReleaseRecord
from evomask.runs.front_evaluation import completed, findings, read_findings, unmasked_point
from evomask.runs.saved_release import load_context
from evomask.runs.store.run_folder import RunFolder, released_files

MOST_COMPARED = 4
"""Largest number of points that are compared at once."""


def compare_points(
    folder: Path, files: Sequence[int], *, attack: bool = True
) -> tuple[ReleaseRecord, ...]:
    """Build the records of several points of the front in a run folder, as if released.

    Points are named by the numbers of their files, which do not change while a run continues.
    Nothing is written; for a run in progress, the last snapshot is used.
    """
    if not 1 <= len(set(files)) == len(files) <= MOST_COMPARED:
        raise ParameterError(
            f"name 1 to {MOST_COMPARED} different points to compare, got {len(files)}"
        )
    store = RunFolder(folder)
    plan = store.plan()
    _, context = load_context(plan)
    context.load_kernels(lambda _: None)
    state = store.newest_state(EngineCodec(context))
    if state is None or not state.front:
        raise RunError(f"there is no snapshot of {folder.name} yet; try again in a few seconds")
    state = with_files(state, released_files(folder))
    by_number = {point.number: point for point in state.front}
    for number in files:
        if number not in by_number:
            raise ParameterError(
                f"file {number} is not on the front of the last snapshot; choose another"
            )
    known = read_findings(folder)
    make_file = cache(partial(point_file, context, state))
    before, table, path = context.original, context.table, plan.input.path
    records = []
    for point in (by_number[number] for number in files):
        results = findings([point], table, make_file, known, None, attack=attack)
        protection = Protection(
            maker=context,
            clocked=False,
            state=state,
            times=(0.0,) * len(state.rounds),
            files=make_file,
            original=unmasked_point(before.loss, before.risk, before.assessment),
            findings=results,
        )
        choice = Choice(completed(point, context, state, results), "compared")
        notes = (
            FileNote(path.name, plan.sha256["data"], len(table), len(table.schema)),
            FileNote(path.name, "", len(table), 0),
        )
        suppressed = int(make_file(point.number).masked.suppressed.sum())
        records.append(build_record(protection, choice, notes, suppressed))
    return tuple(records)
