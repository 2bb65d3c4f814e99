"""What a user should know of a run: that it had too little time, or a seed that can be found."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from evomask.data.roles.telling import tellings
from evomask.data.table import Table
from evomask.evolution.individual import Individual
from evomask.evolution.setup import Setup
from evomask.evolution.state import State
from evomask.evolution.streams import breeding_stream
from evomask.io.tables import released_name
from evomask.runs.inputs import Loaded
from evomask.runs.kept.events import Events, Phase


def more_may_help(
    state: State[Any], setup: Setup[Any], best: Individual[Any], seed: int
) -> tuple[str, ...]:
    """A note where the best is still one of the first and there would be more to try."""
    if best.born > 0 or not setup.scheme.propose(state, breeding_stream(seed, state.generation)):
        return ()
    if state.generation < 1:
        return (f"the first {state.tasks} maskings used up the budget; allow more to evolve them",)
    found = "found nothing better than the best of the first maskings; more time may"
    return (f"{state.generation} generations {found}",)


FINDABLE = 2**32
"""Seeds below can all be tried."""


def note_on_seed(seed: int) -> tuple[str, ...]:
    """A note where the seed is so small that an intruder can try all of them."""
    if seed >= FINDABLE:
        return ()
    return (
        "seeds below 2^32 can be found by trying, and undo a masking: this one is fit for tests",
    )


def note_on_format(path: Path) -> tuple[str, ...]:
    """A note where the release cannot have the format of the original."""
    name = released_name(path)
    if name == path.name:
        return ()
    what = "such workbooks" if name.endswith(".xlsx") else "SAS files"
    return (f"{what} are only read: the release of {path.name} is written as {name}",)


def notes_on_untouched(table: Table) -> tuple[str, ...]:
    """What columns that are released as they are tell of masked ones, and of who somebody is."""
    return tuple(telling.text for telling in tellings(table))


def noted(loaded: Loaded, path: Path, events: Events) -> Loaded:
    """Tell before anything is searched what a release would give away, or could not be."""
    about = (*note_on_format(path), *notes_on_untouched(loaded.table))
    for note in about:
        events.begin(Phase.LOADING, note)
    return replace(loaded, notes=(*loaded.notes, *about))
