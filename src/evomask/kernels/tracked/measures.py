"""Measures and profiles read from a tracked state, in percent."""

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.compiler import FLOATS, INDICES, WHOLE, inner, lazy
from evomask.kernels.scales import mean_on_scales
from evomask.kernels.tracked.categories import contingency_loss, entropy_loss
from evomask.kernels.tracked.inference import inferred_share
from evomask.kernels.tracked.linkage import linked_share
from evomask.kernels.tracked.number_losses import (
    correlation_loss,
    covariance_loss,
    mean_loss,
    probabilistic_loss,
    value_loss,
    variance_loss,
)
from evomask.kernels.tracked.state import (
    STATE,
    State,
    change,
    infers,
    is_renamed,
    keep,
    renamed_version,
    undo,
)

LOSS, PAPERS, STRICT, PIL, IL1, IL2, IL3, IL4, IL5 = range(9)
DBIL, CTBIL, EBIL, ID, DBRL, RELABELLING, RELABELLED_DBRL, INFERENCE = range(9, 17)
"""What can be read."""


@inner
def distance_loss(state: State) -> float:
    """Mean distance between original and masked cells (DBIL), in percent."""
    total = 0.0
    for a in range(state.numbers.values.shape[0]):
        total += state.memory.reals[state.numbers.at.moved + a]
    for j in range(state.categories.sizes.size):
        total += state.memory.reals[state.categories.at.moved + j]
    return 100.0 * total / (state.columns.size * state.linkage.own.size)


@inner
def loss(state: State) -> float:
    """The loss of the profile that the state was laid out for."""
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
        ends = state.categories.ends
        total += n_categories * mean_on_scales(ends, tables, 100.0 * moved / cells, entropies)
    return total / (n_numbers + n_categories)


@inner
def _numbers_within(state: State) -> float:
    """Continuous cells within the rank intervals, averaged over windows."""
    hits = 0
    for a in range(state.numbers.values.shape[0]):
        hits += state.memory.wholes[state.numbers.at.hits + a]
    return hits / max(state.numbers.windows.size, 1)


@inner
def interval_disclosure(state: State) -> float:
    """Cells within an interval of ranks around the masked value (ID), in percent."""
    hits = _numbers_within(state)
    for j in range(state.categories.sizes.size):
        hits += state.memory.wholes[state.categories.at.hits + j]
    return 100.0 * hits / (state.columns.size * state.linkage.own.size)


@inner
def _recovered(state: State) -> int:
    total = 0
    for j in range(state.categories.sizes.size):
        total += state.memory.wholes[state.renaming.recovered + j]
    return total


@inner
def linkage(state: State) -> float:
    """Masked records nearest to their own original (DBRL), in percent."""
    return linked_share(state.linkage, state.memory, state.main)


@inner
def relabelled_linkage(state: State) -> float:
    """DBRL after the best renaming."""
    version = renamed_version(state) if is_renamed(state) else state.main
    return linked_share(state.linkage, state.memory, version)


@inner
def relabelling(state: State) -> float:
    """Cells recovered by the best renaming."""
    return 100.0 * _recovered(state) / max(state.categories.sizes.size * state.linkage.own.size, 1)


@inner
def inference(state: State) -> float:
    """Inference from the most similar record."""
    return inferred_share(state.inference, state.memory, state.main)


@inner
def papers_risk(state: State) -> float:
    """The papers' risk without probabilistic linkage."""
    return (interval_disclosure(state) + linkage(state)) / 2


@inner
def strict_risk(state: State) -> float:
    """What is followed of the strict risk: linkage and inference, before and after renaming."""
    risk = max(linkage(state), inference(state))
    if state.categories.sizes.size and is_renamed(state):
        version = renamed_version(state)
        risk = max(risk, linked_share(state.linkage, state.memory, version))
        risk = max(risk, inferred_share(state.inference, state.memory, version))
    return risk


@inner
def risk_read(state: State, what: int) -> float:
    """One of the risks that bursts follow: the papers', the strict one, or a part of that."""
    if what == PAPERS:
        return papers_risk(state)
    if what == STRICT:
        return strict_risk(state)
    return linkage(state) if what == DBRL else inference(state)


@inner
def reading(state: State, what: int) -> float:  # noqa: PLR0911
    """One of the measures above; long because it is a list."""
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


@lazy(STATE, WHOLE, WHOLE, INDICES, INDICES, FLOATS, INDICES)
def _work(
    state: State,
    task: int,
    what: int,
    records: Indices,
    attributes: Indices,
    values: Floats,
    kept: Indices,
) -> Points:
    """What callers outside kernels want of a state: one kernel, for its parts are the same."""
    found = np.zeros((records.size, 3))
    if task == READ:
        found[0, 0] = reading(state, what)
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
    if infers(state):
        found[2] = strict_risk(state)


def read_state(state: State, what: int) -> float:
    """``reading`` for callers outside kernels."""
    return float(_work(state, READ, what, NONE, NONE, NOWHERE, NONE)[0, 0])


def change_cell(state: State, record: int, attribute: int, value: float) -> None:
    """``change`` for callers outside kernels."""
    where = np.array([record, attribute])
    _work(state, CHANGE, 0, where[:1], where[1:], np.array([value]), NONE)


def undo_changes(state: State) -> None:
    """``undo`` for callers outside kernels."""
    _work(state, UNDO, 0, NONE, NONE, NOWHERE, NONE)


def keep_changes(state: State) -> None:
    """``keep`` for callers outside kernels."""
    _work(state, KEEP, 0, NONE, NONE, NOWHERE, NONE)


def replay(
    state: State, records: Indices, attributes: Indices, values: Floats, kept: Indices
) -> Points:
    """Try changes one after the other; loss and both risks after each, kept where *kept* is 1.

    Risks whose parts are not followed read as 0.
    """
    return _work(state, REPLAY, 0, records, attributes, values, kept)
