"""The file of any point of a run, without releasing it."""

from dataclasses import dataclass
from pathlib import Path

from evomask.engine.front import FrontPoint
from evomask.engine.state import EngineCodec
from evomask.errors import RunError
from evomask.io.tables import WrittenFile, write_table
from evomask.report.protection import choose_point, point_file, with_files
from evomask.runs.protect import is_protection
from evomask.runs.release import prepare_release
from evomask.runs.saved_release import load_context
from evomask.runs.store.release import draw_order
from evomask.runs.store.run_folder import RunFolder, released_files


@dataclass(frozen=True)
class Export:
    """A point of a front, and its written file."""

    point: FrontPoint
    written: WrittenFile


def export_point(folder: Path, wish: str, out: Path, *, force: bool = False) -> Export:
    """Write the file of a point in a new random order; the release of the run stays as it is.

    Requirements are verified in the written file, as in a release.

    Args:
        wish: number of the point, or a rule such as ``knee``.
    """
    store = RunFolder(folder)
    plan = store.plan()
    if not is_protection(plan):
        raise RunError(f"{folder} is the run of a single search; give one of protect")
    loaded, context = load_context(plan)
    state = store.newest_state(EngineCodec(context))
    if state is None or not state.front:
        raise RunError(f"nothing was found yet; continue with `evomask resume {folder}`")
    state = with_files(state, released_files(folder))
    point = choose_point(wish, state).candidate
    order = draw_order(len(loaded.table))
    masked = point_file(context, state, point.number).masked.take(order)
    masked, spec = prepare_release(masked, context.settings.requirement, loaded)
    origin = loaded.origin and loaded.origin.shuffled(order)
    written = write_table(
        masked, out, force=force, dialect=loaded.dialect, origin=origin, spec=spec
    )
    return Export(point, written)
