"""State of a masked file whose information loss and disclosure risk follow single changed cells.

``change``, ``undo`` and ``keep`` are inner functions of kernels that try thousands of changes, and
so are the measures. A change appends to the undo log, ``undo`` restores the last commit.

Renamed categories (a permutation of names that an intruder can revert) are tracked by a second
version of the file, used only while the best renaming changes a name. The assignment is solved
again for each changed category, O(k³) for k categories, unless the identity is clearly optimal,
O(k²). If another renaming becomes the best, the second version is computed anew, at the cost of a
full evaluation; this is rare. It is built beside the former one, so that undoing needs no second
computation.
"""

from typing import NamedTuple

import numpy as np

from evomask.kernels.compiler.arrays import arange
from evomask.kernels.incremental.disclosure import (
    INFERENCE,
    LINKAGE,
    VERSION,
    Inference,
    Linkage,
    Version,
    infer_all,
    link_all,
    relink_record,
    save_distances,
    update_inference,
)
from evomask.kernels.incremental.information_loss import (
    INFORMATION_LOSS,
    InformationLoss,
    change_loss_of_category,
    change_loss_of_number,
)
from evomask.kernels.incremental.papers_loss import (
    CATEGORIES,
    NUMBERS,
    Categories,
    Numbers,
    change_category,
    change_category_losses,
    change_number,
    change_number_losses,
    refresh_number,
)
from evomask.kernels.incremental.undo_log import (
    MEMORY,
    Memory,
    clear_log,
    require_capacity,
    restore,
    write_int,
)
from evomask.kernels.jit import BOOL, INT64, RW_INDICES, bundle, inner, kernel
from evomask.kernels.linking.assignment import solve_assignment
from evomask.types import Indices


class Renaming(NamedTuple):
    """Position of the best renaming in a memory, and the two renamed versions.

    Args:
        names: new name of each masked category, attribute by attribute.
        recovered: records of each attribute whose original category the renaming recovers.
        current: one number: 0 for the identity, else the version in use, 1 or 2.
        kept: one number: the version in use at the last commit.
    """

    names: int
    recovered: int
    current: int
    kept: int
    first: Version
    second: Version


class Wanted(NamedTuple):
    """The parts that are tracked.

    Args:
        loss: the information loss in three parts, instead of the losses of the papers.
    """

    loss: bool
    linkage: bool
    renaming: bool
    inference: bool


class State(NamedTuple):
    """All arrays of one masked file and its original, and their positions.

    Args:
        depth: one number: tracked parts now: linkage (0), inference too (1), renaming too (2).
        columns: row of each attribute among the numbers, or the complement of its row among
            categories.
        most: maximum number of writes of one change.
    """

    memory: Memory
    numbers: Numbers
    categories: Categories
    loss: InformationLoss
    linkage: Linkage
    inference: Inference
    main: Version
    renaming: Renaming
    wanted: Wanted
    depth: Indices
    columns: Indices
    most: int


STATE = bundle(
    State, MEMORY, NUMBERS, CATEGORIES, INFORMATION_LOSS, LINKAGE, INFERENCE, VERSION,
    bundle(Renaming, *[INT64] * 4, VERSION, VERSION), bundle(Wanted, *[BOOL] * 4),
    RW_INDICES, RW_INDICES, INT64,
)  # fmt: skip


@inner
def renamed_version(state: State) -> Version:
    """Return the renamed version in use."""
    current = state.memory.wholes[state.renaming.current]
    return state.renaming.first if current == 1 else state.renaming.second


@inner
def is_renamed(state: State) -> bool:
    """Whether the best renaming changes any name."""
    return state.memory.wholes[state.renaming.current] != 0


@inner
def tracks_inference(state: State) -> bool:
    """Whether inference is tracked now."""
    return state.wanted.inference and state.depth[0] > 0


@inner
def may_rename(state: State) -> bool:
    """Whether there are categories that could be renamed."""
    return state.wanted.renaming and state.categories.sizes.size > 0


@inner
def _tracks_renaming(state: State) -> bool:
    return may_rename(state) and state.depth[0] > 1


@inner
def change(state: State, record: int, attribute: int, value: float) -> None:
    """Write a value, or a category's code, into one cell."""
    row = state.columns[attribute]
    place = state.numbers.at.values + row * state.numbers.values.shape[1] + record
    if row >= 0:
        old = state.memory.reals[place]
        if old != value and not (np.isnan(old) and np.isnan(value)):
            require_capacity(state.memory, state.most)
            _change_number(state, record, attribute, row, value)
    elif state.memory.wholes[_code_place(state, state.main, ~row, record)] != int(value):
        require_capacity(state.memory, state.most)
        _change_category(state, record, attribute, ~row, int(value))


@inner
def undo(state: State) -> None:
    """Undo all changes since the last commit."""
    restore(state.memory)


@inner
def keep(state: State) -> None:
    """Commit the changes so far."""
    clear_log(state.memory)
    wholes = state.memory.wholes
    wholes[state.renaming.kept] = wholes[state.renaming.current]


@inner
def _code_place(state: State, version: Version, j: int, record: int) -> int:
    return version.codes + j * state.categories.codes.shape[1] + record


@inner
def _note(state: State, record: int) -> None:
    """Store distances before the change, where they are needed."""
    if tracks_inference(state):
        before = state.inference.before
        save_distances(state.inference, state.memory, state.main, record, before[0])
        if is_renamed(state):
            version = renamed_version(state)
            save_distances(state.inference, state.memory, version, record, before[1])


@inner
def _follow(
    state: State, version: Version, row: int, record: int, number: int, category: int,
    old: float, new: float,
) -> None:  # fmt: skip
    """Update linkage and inference of one version after one changed cell."""
    if state.wanted.linkage:
        relink_record(state.linkage, state.memory, version, record)
    if tracks_inference(state):
        update_inference(
            state.inference, state.memory, version, state.inference.before[row], record,
            number, category, old, new,
        )  # fmt: skip


@inner
def _change_number(state: State, record: int, attribute: int, a: int, value: float) -> None:
    at, cell = state.numbers.at, a * state.numbers.values.shape[1] + record
    before, old = state.memory.reals[at.values + cell], state.memory.reals[at.ranks + cell]
    _note(state, record)
    change_number(state.numbers, state.memory, record, a, value)
    new = state.memory.reals[at.ranks + cell]
    if state.wanted.loss:
        change_loss_of_number(state.loss, state.memory, record, attribute, value, old, new)
    else:
        change_number_losses(state.numbers, state.memory, record, a, before, old)
    _follow(state, state.main, 0, record, a, -1, old, new)
    if is_renamed(state):
        _follow(state, renamed_version(state), 1, record, a, -1, old, new)


@inner
def _change_category(state: State, record: int, attribute: int, j: int, code: int) -> None:
    old = state.memory.wholes[_code_place(state, state.main, j, record)]
    _note(state, record)
    if state.wanted.loss:
        change_loss_of_category(state.loss, state.memory, record, attribute, old, code)
    else:
        change_category_losses(state.categories, state.memory, record, j, code)
    change_category(state.categories, state.memory, record, j, code)
    _follow(state, state.main, 0, record, -1, j, float(old), float(code))
    if _tracks_renaming(state):
        if _rename(state, j):
            _make_renamed(state)
        elif is_renamed(state):
            _change_renamed(state, record, j, code)


@inner
def _change_renamed(state: State, record: int, j: int, code: int) -> None:
    version = renamed_version(state)
    place = _code_place(state, version, j, record)
    name = state.memory.wholes[state.renaming.names + state.categories.starts[j] + code]
    old = state.memory.wholes[place]
    if name != old:
        write_int(state.memory, place, name)
        _follow(state, version, 1, record, -1, j, float(old), float(name))


@inner
def _is_identity_best(joint: Indices, size: int) -> bool:
    """Whether no category has more records under another name."""
    for own in range(size):
        for c in range(size):
            if joint[own * size + c] > joint[own * size + own]:
                return False
    return True


@inner
def best_renaming(joint: Indices, size: int) -> Indices:
    """Return the best name of each masked category; among equals few names change."""
    if _is_identity_best(joint, size):
        return arange(size)
    weights = np.empty((size, size), dtype=np.int64)
    for own in range(size):
        for c in range(size):
            weights[own, c] = joint[own * size + c] * (size + 1) + (own == c)
    return solve_assignment(weights)


@inner
def _rename(state: State, j: int) -> bool:
    """Recompute the best names of one attribute; whether any of them changed."""
    size = state.categories.sizes[j]
    first = state.categories.at.joint + state.categories.squares[j]
    joint = state.memory.wholes[first : first + size * size]
    best = best_renaming(joint, size)
    start = state.renaming.names + state.categories.starts[j]
    other = False
    recovered = 0
    for c in range(best.size):
        recovered += joint[best[c] * size + c]
        if state.memory.wholes[start + c] != best[c]:
            write_int(state.memory, start + c, best[c])
            other = True
    write_int(state.memory, state.renaming.recovered + j, recovered)
    return other


@inner
def _keeps_all_names(state: State) -> bool:
    for j in range(state.categories.sizes.size):
        start = state.renaming.names + state.categories.starts[j]
        for c in range(state.categories.sizes[j]):
            if state.memory.wholes[start + c] != c:
                return False
    return True


@inner
def _make_renamed(state: State) -> None:
    """Build a renamed version beside the last committed one, if any name changes."""
    memory = state.memory
    if _keeps_all_names(state):
        write_int(memory, state.renaming.current, 0)
        return
    beside = 2 if memory.wholes[state.renaming.kept] == 1 else 1
    write_int(memory, state.renaming.current, beside)
    version = renamed_version(state)
    for j in range(state.categories.sizes.size):
        start = state.renaming.names + state.categories.starts[j]
        for record in range(state.categories.codes.shape[1]):
            code = memory.wholes[_code_place(state, state.main, j, record)]
            memory.wholes[_code_place(state, version, j, record)] = memory.wholes[start + code]
    _begin_version(state, version)


@inner
def _begin_version(state: State, version: Version) -> None:
    if state.wanted.linkage:
        link_all(state.linkage, state.memory, version)
    if tracks_inference(state):
        infer_all(state.inference, state.memory, version)


@kernel(STATE)
def begin(state: State) -> None:
    """Compute everything that depends on the cells and their sums; cost of a full evaluation."""
    for a in range(0 if state.wanted.loss else state.numbers.values.shape[0]):
        clear_log(state.memory)
        refresh_number(state.numbers, state.memory, a)
    clear_log(state.memory)
    _begin_version(state, state.main)
    if _tracks_renaming(state):
        for j in range(state.categories.sizes.size):
            _rename(state, j)
        _make_renamed(state)
    keep(state)
