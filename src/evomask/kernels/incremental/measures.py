"""Measures and profiles of an incremental state, in percent."""

import numpy as np

from evomask.kernels.incremental.disclosure import inference_percentage, linked_percentage
from evomask.kernels.incremental.information_loss import information_loss
from evomask.kernels.incremental.papers_loss import (
    contingency_loss,
    correlation_loss,
    covariance_loss,
    entropy_loss,
    mean_loss,
    probabilistic_loss,
    value_loss,
    variance_loss,
)
from evomask.kernels.incremental.state import (
    STATE,
    State,
    change,
    is_renamed,
    keep,
    renamed_version,
    tracks_inference,
    undo,
)
from evomask.kernels.jit import FLOATS, INDICES, INT64, inner, lazy
from evomask.types import Floats, Indices, Points

LOSS, PAPERS, STRICT, PIL, IL1, IL2, IL3, IL4, IL5 = range(9)
"""Measures and profiles that can be read."""
DBIL, CTBIL, EBIL, ID, DBRL, RELABELLING, RELABELLED_DBRL, INFERENCE = range(9, 17)
"""Measures that can be read, continued."""


@inner
def distance_loss(state: State) -> float:
    """Return the mean distance between original and masked cells (DBIL), in percent."""
    total = 0.0
    for a in range(state.numbers.values.shape[0]):
        total += state.memory.reals[state.numbers.at.moved + a]
    for j in range(state.categories.sizes.size):
        total += state.memory.reals[state.categories.at.moved + j]
    return 100.0 * total / (state.columns.size * state.linkage.own.size)


@inner
def papers_loss(state: State) -> float:
    """Return the information loss of the papers."""
    n_numbers, n_categories = state.numbers.values.shape[0], state.categories.sizes.size
    total = 0.0
    if n_numbers:
        total += n_numbers * probabilistic_loss(state.numbers, state.memory)
    if n_categories:
        moved = 0.0
        for j in range(n_categories):
            moved += state.memory.reals[state.categories.at.moved + j]
        tables = contingency_loss(state.categories, state.memory)
        entropies = entropy_loss(state.categories, state.memory)
        cells = n_categories * state.linkage.own.size
        total += n_categories * (tables + 100.0 * moved / cells + entropies) / 3
    return total / (n_numbers + n_categories)


@inner
def loss(state: State) -> float:
    """Return the information loss of the profile that the state was built for."""
    if state.wanted.loss:
        return information_loss(state.loss, state.memory)
    return papers_loss(state)


@inner
def interval_disclosure(state: State) -> float:
    """Return the cells within a rank interval around the masked value (ID), in percent."""
    within = 0
    for a in range(state.numbers.values.shape[0]):
        within += state.memory.wholes[state.numbers.at.hits + a]
    hits = within / max(state.numbers.windows.size, 1)
    for j in range(state.categories.sizes.size):
        hits += state.memory.wholes[state.categories.at.hits + j]
    return 100.0 * hits / (state.columns.size * state.linkage.own.size)


@inner
def linkage(state: State) -> float:
    """Return the masked records nearest to their own original (DBRL), in percent."""
    return linked_percentage(state.linkage, state.memory, state.main)


@inner
def relabelled_linkage(state: State) -> float:
    """Return DBRL after the best renaming of categories, in percent."""
    version = renamed_version(state) if is_renamed(state) else state.main
    return linked_percentage(state.linkage, state.memory, version)


@inner
def relabelling(state: State) -> float:
    """Return the cells recovered by the best renaming of categories, in percent."""
    recovered, n_categories = 0, state.categories.sizes.size
    for j in range(n_categories):
        recovered += state.memory.wholes[state.renaming.recovered + j]
    return 100.0 * recovered / max(n_categories * state.linkage.own.size, 1)


@inner
def inference(state: State) -> float:
    """Return the gain of inference from the most similar record, in percent."""
    return inference_percentage(state.inference, state.memory, state.main)


@inner
def papers_risk(state: State) -> float:
    """Return the papers' disclosure risk without probabilistic linkage."""
    return (interval_disclosure(state) + linkage(state)) / 2


@inner
def strict_risk(state: State) -> float:
    """Return the tracked part of the strict risk: linkage and inference, also after renaming."""
    risk = max(linkage(state), inference(state))
    if state.categories.sizes.size and is_renamed(state):
        version = renamed_version(state)
        risk = max(risk, linked_percentage(state.linkage, state.memory, version))
        risk = max(risk, inference_percentage(state.inference, state.memory, version))
    return risk


@inner
def followed_risk(state: State, what: int) -> float:
    """Return one of the risks of bursts: the papers', the strict one, or a part of it."""
    if what == PAPERS:
        return papers_risk(state)
    if what == STRICT:
        return strict_risk(state)
    return linkage(state) if what == DBRL else inference(state)


@inner
def read_measure(state: State, what: int) -> float:  # noqa: PLR0911
    """Return one of the measures above; long because it is a list."""
    if what == LOSS:
        return loss(state)
    if what == PAPERS:
        return papers_risk(state)
    if what == STRICT:
        return strict_risk(state)
    if what == PIL:
        return probabilistic_loss(state.numbers, state.memory)
    if what == IL1:
        return value_loss(state.numbers, state.memory)
    if what == IL2:
        return mean_loss(state.numbers, state.memory)
    if what == IL3:
        return covariance_loss(state.numbers, state.memory)
    if what == IL4:
        return variance_loss(state.numbers, state.memory)
    if what == IL5:
        return correlation_loss(state.numbers, state.memory)
    if what == DBIL:
        return distance_loss(state)
    if what == CTBIL:
        return contingency_loss(state.categories, state.memory)
    if what == EBIL:
        return entropy_loss(state.categories, state.memory)
    if what == ID:
        return interval_disclosure(state)
    if what == DBRL:
        return linkage(state)
    if what == RELABELLING:
        return relabelling(state)
    if what == RELABELLED_DBRL:
        return relabelled_linkage(state)
    return inference(state)


READ, CHANGE, KEEP, UNDO, REPLAY = range(5)
NONE, NOWHERE = np.zeros(1, dtype=np.int64), np.zeros(1)


@lazy(STATE, INT64, INT64, INDICES, INDICES, FLOATS, INDICES)
def _run_task(
    state: State,
    task: int,
    what: int,
    records: Indices,
    attributes: Indices,
    values: Floats,
    kept: Indices,
) -> Points:
    """Run one task on a state for callers in Python; one kernel, as all tasks share their code."""
    found = np.zeros((records.size, 3))
    if task == READ:
        found[0, 0] = read_measure(state, what)
    elif task == UNDO:
        undo(state)
    elif task == KEEP:
        keep(state)
    else:
        for step in range(records.size):
            change(state, records[step], attributes[step], values[step])
            if task == REPLAY:
                _note(state, found[step])
                if kept[step]:
                    keep(state)
                else:
                    undo(state)
    return found


@inner
def _note(state: State, found: Floats) -> None:
    found[0] = loss(state)
    if state.wanted.linkage:
        found[1] = papers_risk(state)
    if tracks_inference(state):
        found[2] = strict_risk(state)


def read_state(state: State, what: int) -> float:
    """Return one of the measures; for callers in Python."""
    return float(_run_task(state, READ, what, NONE, NONE, NOWHERE, NONE)[0, 0])


def change_cell(state: State, record: int, attribute: int, value: float) -> None:
    """Change one cell; for callers in Python."""
    where = np.array([record, attribute])
    _run_task(state, CHANGE, 0, where[:1], where[1:], np.array([value]), NONE)


def undo_changes(state: State) -> None:
    """Undo the changes since the last commit; for callers in Python."""
    _run_task(state, UNDO, 0, NONE, NONE, NOWHERE, NONE)


def keep_changes(state: State) -> None:
    """Commit the changes; for callers in Python."""
    _run_task(state, KEEP, 0, NONE, NONE, NOWHERE, NONE)


def replay(
    state: State, records: Indices, attributes: Indices, values: Floats, kept: Indices
) -> Points:
    """Apply changes one by one; return loss and both risks after each, kept where *kept* is 1.

    Risks whose parts are not tracked are 0.
    """
    return _run_task(state, REPLAY, 0, records, attributes, values, kept)
