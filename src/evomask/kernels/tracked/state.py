"""A masked file whose loss and risk follow single changed cells.

``change``, ``undo`` and ``keep`` are parts for kernels that try thousands of changes; so are
the readings. A change appends to the memory, undoing restores what was at the last keeping.

Renaming categories is followed by a second version of the file, kept only while the best
renaming changes a name. The pairing is solved again with each changed category, O(k³) for k
categories, unless every name is plainly the best for itself, O(k²). If another renaming
becomes the best, the second version is made afresh: the cost of a full reading, and rare. It
is made beside the former one, so undoing needs no second making.
"""

from typing import NamedTuple

import numpy as np

from evomask.arrays import Indices
from evomask.kernels.compiler import OWN_INDICES, TRUTH, WHOLE, bundle, inner, kernel
from evomask.kernels.filled import counted
from evomask.kernels.linking.assignment import pair_off
from evomask.kernels.tracked.categories import CATEGORIES, Categories, change_category
from evomask.kernels.tracked.inference import (
    INFERENCE,
    Inference,
    infer_again,
    infer_all,
    note_distances,
)
from evomask.kernels.tracked.linkage import LINKAGE, VERSION, Linkage, Version, link_again, link_all
from evomask.kernels.tracked.memory import (
    MEMORY,
    Memory,
    keep_all,
    require_room,
    take_back,
    write_whole,
)
from evomask.kernels.tracked.numbers import NUMBERS, Numbers, change_number, refresh_number


class Renaming(NamedTuple):
    """Where the best renaming is kept in a memory, and the two places of renamed versions."""

    names: int
    """What each masked category is renamed to, attribute after attribute."""

    recovered: int
    """Records of each attribute that the renaming gets right."""

    current: int
    """One number: 0 while every name stays, else the version in use, 1 or 2."""

    kept: int
    """One number: the version that was in use at the last keeping."""

    first: Version
    second: Version


class Wanted(NamedTuple):
    """Which of the costly parts are followed."""

    linkage: bool
    renaming: bool
    inference: bool


class State(NamedTuple):
    """Everything about one masked file and its original; plain arrays and their places."""

    memory: Memory
    numbers: Numbers
    categories: Categories
    linkage: Linkage
    inference: Inference
    main: Version
    renaming: Renaming
    wanted: Wanted
    depth: Indices
    """One number: how much of the wanted is followed now: links (0), inference too (1), all (2)."""

    columns: Indices
    """For each attribute its row among the numbers; the complement of a row: categories."""

    most: int
    """Writings that one change may need."""


STATE = bundle(
    State, MEMORY, NUMBERS, CATEGORIES, LINKAGE, INFERENCE, VERSION,
    bundle(Renaming, *[WHOLE] * 4, VERSION, VERSION), bundle(Wanted, *[TRUTH] * 3),
    OWN_INDICES, OWN_INDICES, WHOLE,
)  # fmt: skip


@inner
def renamed_version(state: State) -> Version:
    """The renamed version in use."""
    current = state.memory.wholes[state.renaming.current]
    return state.renaming.first if current == 1 else state.renaming.second


@inner
def is_renamed(state: State) -> bool:
    """Whether the best renaming changes any name."""
    return state.memory.wholes[state.renaming.current] != 0


@inner
def infers(state: State) -> bool:
    """Whether inference is followed now."""
    return state.wanted.inference and state.depth[0] > 0


@inner
def renames_ever(state: State) -> bool:
    """Whether there are names that a renaming could change."""
    return state.wanted.renaming and state.categories.sizes.size > 0


@inner
def _renames(state: State) -> bool:
    return renames_ever(state) and state.depth[0] > 1


@inner
def change(state: State, record: int, attribute: int, value: float) -> None:
    """Write a value, or a category's code, into one cell."""
    row = state.columns[attribute]
    place = state.numbers.at.values + row * state.numbers.values.shape[1] + record
    if row >= 0:
        old = state.memory.reals[place]
        if old != value and not (np.isnan(old) and np.isnan(value)):
            require_room(state.memory, state.most)
            _change_number(state, record, row, value)
    elif state.memory.wholes[_code_place(state, state.main, ~row, record)] != int(value):
        require_room(state.memory, state.most)
        _change_category(state, record, ~row, int(value))


@inner
def undo(state: State) -> None:
    """Take back all changes since the last keeping."""
    take_back(state.memory)


@inner
def keep(state: State) -> None:
    """Make the changes so far last."""
    keep_all(state.memory)
    wholes = state.memory.wholes
    wholes[state.renaming.kept] = wholes[state.renaming.current]


@inner
def _code_place(state: State, version: Version, j: int, record: int) -> int:
    return version.codes + j * state.categories.codes.shape[1] + record


@inner
def _note(state: State, record: int) -> None:
    """Distances before the change, where they are needed."""
    if infers(state):
        before = state.inference.before
        note_distances(state.inference, state.memory, state.main, record, before[0])
        if is_renamed(state):
            version = renamed_version(state)
            note_distances(state.inference, state.memory, version, record, before[1])


@inner
def _follow(
    state: State, version: Version, row: int, record: int, number: int, category: int,
    old: float, new: float,
) -> None:  # fmt: skip
    """Linkage and inference of one version after one changed cell."""
    if state.wanted.linkage:
        link_again(state.linkage, state.memory, version, record)
    if infers(state):
        infer_again(
            state.inference, state.memory, version, state.inference.before[row], record,
            number, category, old, new,
        )  # fmt: skip


@inner
def _change_number(state: State, record: int, a: int, value: float) -> None:
    place = state.numbers.at.ranks + a * state.numbers.values.shape[1] + record
    old = state.memory.reals[place]
    _note(state, record)
    change_number(state.numbers, state.memory, record, a, value)
    new = state.memory.reals[place]
    _follow(state, state.main, 0, record, a, -1, old, new)
    if is_renamed(state):
        _follow(state, renamed_version(state), 1, record, a, -1, old, new)


@inner
def _change_category(state: State, record: int, j: int, code: int) -> None:
    old = state.memory.wholes[_code_place(state, state.main, j, record)]
    _note(state, record)
    change_category(state.categories, state.memory, record, j, code)
    _follow(state, state.main, 0, record, -1, j, float(old), float(code))
    if _renames(state):
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
        write_whole(state.memory, place, name)
        _follow(state, version, 1, record, -1, j, float(old), float(name))


@inner
def _joint(state: State, j: int) -> Indices:
    """Records of each original category in each masked one, row after row."""
    size = state.categories.sizes[j]
    start = state.categories.at.joint + state.categories.squares[j]
    return state.memory.wholes[start : start + size * size]


@inner
def _stay_as_they_are(joint: Indices, size: int) -> bool:
    """Whether no category has more records under another name: then nothing beats staying."""
    for own in range(size):
        for c in range(size):
            if joint[own * size + c] > joint[own * size + own]:
                return False
    return True


@inner
def names_kept_first(joint: Indices, size: int) -> Indices:
    """For each masked category its name in a best renaming; among equals few names change."""
    if _stay_as_they_are(joint, size):
        return counted(size)
    weights = np.empty((size, size), dtype=np.int64)
    for own in range(size):
        for c in range(size):
            weights[own, c] = joint[own * size + c] * (size + 1) + (own == c)
    return pair_off(weights)


@inner
def _rename(state: State, j: int) -> bool:
    """Find the best names of one attribute again; whether any of them is another."""
    joint, size = _joint(state, j), state.categories.sizes[j]
    best = names_kept_first(joint, size)
    start = state.renaming.names + state.categories.starts[j]
    other = False
    recovered = 0
    for c in range(best.size):
        recovered += joint[best[c] * size + c]
        if state.memory.wholes[start + c] != best[c]:
            write_whole(state.memory, start + c, best[c])
            other = True
    write_whole(state.memory, state.renaming.recovered + j, recovered)
    return other


@inner
def _all_stay(state: State) -> bool:
    for j in range(state.categories.sizes.size):
        start = state.renaming.names + state.categories.starts[j]
        for c in range(state.categories.sizes[j]):
            if state.memory.wholes[start + c] != c:
                return False
    return True


@inner
def _make_renamed(state: State) -> None:
    """Begin a renamed version beside the one that was last kept, if any name changes."""
    memory = state.memory
    if _all_stay(state):
        write_whole(memory, state.renaming.current, 0)
        return
    beside = 2 if memory.wholes[state.renaming.kept] == 1 else 1
    write_whole(memory, state.renaming.current, beside)
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
    if infers(state):
        infer_all(state.inference, state.memory, version)


@kernel(STATE)
def begin(state: State) -> None:
    """Everything that follows from the cells and their sums, from the beginning."""
    for a in range(state.numbers.values.shape[0]):
        keep_all(state.memory)
        refresh_number(state.numbers, state.memory, a)
    keep_all(state.memory)
    _begin_version(state, state.main)
    if _renames(state):
        for j in range(state.categories.sizes.size):
            _rename(state, j)
        _make_renamed(state)
    keep(state)
