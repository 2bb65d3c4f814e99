"""Equivalence classes of a generalization lattice, merged from finer ones.

A class has a key, a size and, where needed, counts of sensitive values. A key has one digit per
attribute in a field of bits: the lowest leaf below the class's ancestor. So a digit is a leaf at
every level, and generalizing by a level is one lookup. Fields fill as many words as needed.
"""

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from evomask.kernels.compiler.arrays import copy_into
from evomask.kernels.jit import INDEX_ROWS, INDICES, INT64, bundle, inner, kernel
from evomask.types import Codes, Indices

Rows = NDArray[np.int64]
Tables = NDArray[np.int64]
CountRows = NDArray[np.int32]

WORD_BITS = 62
MIXER = np.uint64(0x9E3779B97F4A7C15)
"""The golden ratio in 64 bits, multiplier of the hash function."""


class Layout(NamedTuple):
    """Position of digits in keys, and their generalizations.

    Args:
        word: row of keys that contains an attribute's digit.
        shift: number of bits below the digit.
        mask: the digit's bits, shifted down.
        lowest: lowest leaf below the ancestor, by attribute, level and leaf.
        below: number of leaves below the ancestor, less one; by attribute, level and leaf.
        full: loss of a suppressed cell: number of leaves less one, at least 1.
    """

    word: Indices
    shift: Indices
    mask: Indices
    lowest: Tables
    below: Tables
    full: Indices


class EquivalenceClasses(NamedTuple):
    """Equivalence classes in the order of their first record.

    Args:
        keys: one row a word, one column a class.
        counts: one row a class; frequencies of sensitive values, then of labels.
    """

    keys: Rows
    sizes: Indices
    counts: CountRows


_INDICES = numba.int64[::1]
_TABLES = numba.int64[:, :, ::1]
LAYOUT = bundle(Layout, _INDICES, _INDICES, _INDICES, _TABLES, _TABLES, _INDICES)
EQUIVALENCE_CLASSES = numba.types.NamedTuple(
    (numba.int64[:, ::1], _INDICES, numba.int32[:, ::1]), EquivalenceClasses
)


def fields(leaves: Indices) -> tuple[Indices, Indices, Indices]:
    """Return word, shift and mask of each attribute, given its number of leaves."""
    places, used, word = [], 0, 0
    for n in leaves:
        width = max(int(n - 1).bit_length(), 1)
        if used + width > WORD_BITS:
            word, used = word + 1, 0
        places.append((word, used, (1 << width) - 1))
        used += width
    words, shifts, masks = np.array(places, dtype=np.int64).T
    return words.copy(), shifts.copy(), masks.copy()


def pack_keys(digits: Rows, layout: Layout) -> Rows:
    """Return the keys, one row a word, of records given as rows of leaves."""
    keys = np.zeros((int(layout.word[-1]) + 1, len(digits)), dtype=np.int64)
    for a, (word, shift) in enumerate(zip(layout.word, layout.shift, strict=True)):
        keys[word] |= digits[:, a] << shift
    return keys


def unpack_keys(keys: Rows, layout: Layout) -> Rows:
    """Return the rows of leaves of keys."""
    places = zip(layout.word, layout.shift, layout.mask, strict=True)
    return np.stack([(keys[word] >> shift) & mask for word, shift, mask in places], axis=1)


def merge(
    classes: EquivalenceClasses, attribute: int, level: int, layout: Layout
) -> EquivalenceClasses:
    """Return the classes after one attribute was generalized to *level*; expected O(classes)."""
    room = EquivalenceClasses(
        np.empty_like(classes.keys), np.empty_like(classes.sizes), np.empty_like(classes.counts)
    )
    n = _merge(classes, attribute, level, layout, room)
    return EquivalenceClasses(
        room.keys[:, :n].copy(), room.sizes[:n].copy(), room.counts[:n].copy()
    )


def membership(
    classes: EquivalenceClasses, finer: EquivalenceClasses, layout: Layout, levels: Indices
) -> Indices:
    """Return the class at *levels* of each of the *finer* classes; expected cost O(finer)."""
    return _membership(classes.keys, finer.keys, layout, levels)


@inner
def _is_at(key: Indices, keys: Rows, i: int) -> bool:
    for w in range(key.size):
        if keys[w, i] != key[w]:
            return False
    return True


@inner
def _place(key: Indices, keys: Rows, places: Codes, span: int) -> int:
    """Hash slot of the class with this key, or the empty slot for it."""
    mixed = np.uint64(0)
    for word in key:
        mixed = (mixed ^ np.uint64(word)) * MIXER
        mixed ^= mixed >> np.uint64(32)
    place = int(np.int64(mixed)) & (span - 1)
    while places[place] >= 0 and not _is_at(key, keys, places[place]):
        place = (place + 1) & (span - 1)
    return place


@inner
def _clear_slots(places: Codes, n: int) -> int:
    """Empty the hash slots for n classes; their number, a power of two."""
    span = 16
    while span < 2 * n:
        span *= 2
    for place in range(span):
        places[place] = -1
    return span


@inner
def allocate_slots(n: int) -> Codes:
    """Return hash slots for up to n classes."""
    return np.empty(4 * n + 16, dtype=np.int32)


@inner
def merge_into(
    classes: EquivalenceClasses,
    n: int,
    attribute: int,
    level: int,
    layout: Layout,
    out: EquivalenceClasses,
    places: Codes,
) -> int:
    """Merge n classes into *out* and return their number; *out* may be *classes* itself.

    Long, and on bare arrays, because a call for each class would cost more than its merging.
    """
    span = _clear_slots(places, n)
    keys, sizes, counts = classes.keys, classes.sizes, classes.counts
    out_keys, out_sizes, out_counts = out.keys, out.sizes, out.counts
    word, shift, mask = layout.word[attribute], layout.shift[attribute], layout.mask[attribute]
    lowest = layout.lowest[attribute, level]
    words, m = keys.shape[0], counts.shape[1]
    found = 0
    for i in range(n):
        digit = (keys[word, i] >> shift) & mask
        moved = keys[word, i] + ((lowest[digit] - digit) << shift)
        mixed = np.uint64(0)
        for w in range(words):
            mixed = (mixed ^ np.uint64(moved if w == word else keys[w, i])) * MIXER
            mixed ^= mixed >> np.uint64(32)
        place = int(np.int64(mixed)) & (span - 1)
        to = places[place]
        while to >= 0:
            same = out_keys[word, to] == moved
            for w in range(words):
                same &= w == word or out_keys[w, to] == keys[w, i]
            if same:
                break
            place = (place + 1) & (span - 1)
            to = places[place]
        if to < 0:
            places[place] = found
            for w in range(words):
                out_keys[w, found] = keys[w, i]
            out_keys[word, found] = moved
            out_sizes[found] = sizes[i]
            for v in range(m):
                out_counts[found, v] = counts[i, v]
            found += 1
        else:
            out_sizes[to] += sizes[i]
            for v in range(m):
                out_counts[to, v] += counts[i, v]
    return found


@kernel(EQUIVALENCE_CLASSES, INT64, INT64, LAYOUT, EQUIVALENCE_CLASSES)
def _merge(
    classes: EquivalenceClasses, attribute: int, level: int, layout: Layout, out: EquivalenceClasses
) -> int:
    n = classes.sizes.size
    return merge_into(classes, n, attribute, level, layout, out, allocate_slots(n))


@kernel(INDEX_ROWS, INDEX_ROWS, LAYOUT, INDICES)
def _membership(keys: Rows, finer: Rows, layout: Layout, levels: Indices) -> Indices:
    n = keys.shape[1]
    places = allocate_slots(n)
    span = _clear_slots(places, n)
    key = np.empty(keys.shape[0], dtype=np.int64)
    for i in range(n):
        copy_into(key, keys[:, i])
        places[_place(key, keys, places, span)] = i
    found = np.empty(finer.shape[1], dtype=np.int64)
    for i in range(finer.shape[1]):
        copy_into(key, finer[:, i])
        for a in range(levels.size):
            digit = (key[layout.word[a]] >> layout.shift[a]) & layout.mask[a]
            lowest = layout.lowest[a, levels[a], digit]
            key[layout.word[a]] += (lowest - digit) << layout.shift[a]
        found[i] = places[_place(key, keys, places, span)]
    return found
