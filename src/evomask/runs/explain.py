"""Explanation of a run: of its released point, of the suggested one, or of any point."""

from pathlib import Path
from typing import Any

import msgspec

from evomask.engine.front import validate_pick
from evomask.engine.offers import likely
from evomask.engine.state import EngineCodec
from evomask.errors import RunError
from evomask.report.explanation import explain
from evomask.report.protection import choose_point
from evomask.report.record import ExplanationNote
from evomask.runs.protect import is_protection
from evomask.runs.release import load_record
from evomask.runs.saved_release import load_context
from evomask.runs.store.run_folder import RunFolder


def as_json(found: ExplanationNote) -> dict[str, Any]:
    """Return an explanation as plain values; each moment of the growth with its names."""
    plain: dict[str, Any] = msgspec.to_builtins(found)
    return {**plain, "growth": [msgspec.structs.asdict(row) for row in found.growth]}


def explain_run(folder: Path, wish: str = "") -> ExplanationNote:
    """Explain how a point of a run was found.

    Args:
        wish: point or rule; by default the released point, or the suggested one of a run that has
            released nothing yet.
    """
    store = RunFolder(folder)
    plan = store.plan()
    if not is_protection(plan):
        raise RunError(f"{folder} is the run of a single search; give one of protect")
    if not wish:
        try:
            found = load_record(folder).explanation
        except RunError:
            found = None
        if found is not None:
            return found
    else:
        validate_pick(wish)
    _, context = load_context(plan)
    state = store.newest_state(EngineCodec(context))
    if state is None or not state.front:
        raise RunError(f"nothing was found yet; continue with `evomask resume {folder}`")
    if wish:
        point = choose_point(wish, state, plan.bounds).candidate
    else:
        point = likely(state.front, plan.bounds)
    times = store.journal().times if plan.budget.seconds is not None else ()
    return explain(context, state, times, point)
