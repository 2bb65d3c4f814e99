"""Local changes of single cells until every record has enough like it in each set of keys.

A set of keys is a choice of attributes, such as those that an intruder knows. Records that are
equal in it are a class, and each class needs a number of records, or it is barred. A record whose
class is too small or barred in any set of keys is at risk.
"""

from typing import NamedTuple

import numpy as np

from evomask.kernels.compiler.arrays import full_ints
from evomask.kernels.jit import (
    FLOATS,
    INDEX_ROWS,
    INDICES,
    INT64,
    RW_INDEX_ROWS,
    inner,
    kernel,
)
from evomask.types import Flags, Floats, Indices

MOST_DONORS = 2_000
"""Records whose values a record at risk may get, at most."""

REACH = 24
"""Values on either side of an ordered value that may replace it, at most."""

MOST_VALUES = 64
"""Values of a nominal attribute, the first ones, that may replace another, at most."""


class KeySets(NamedTuple):
    """Sets of keys, the values of the keys, and the cost of replacing a value by another.

    Args:
        inside: for each set of keys and attribute, 1 if it is one of the keys.
        least: number of records that a class needs, by set of keys.
        starts: number of the first value of each attribute, and the number of all values.
        codes: random number of each value; a class is known by the sum of those of its keys.
        places: position of each value, for the cost of ordered attributes.
        units: cost of one step between positions, or of any replacement in a nominal attribute.
        kinds: 0 for nominal attributes, 1 for ordered ones.
        special: 1 for each value that is missing or suppressed; replacing another by it costs 1,
            and no other replaces it.
        suppressed: the value of each attribute that is a suppressed cell, or -1.
        frozen: 1 for each attribute whose cells may not be changed.
    """

    inside: Indices
    least: Indices
    starts: Indices
    codes: Indices
    places: Floats
    units: Floats
    kinds: Indices
    special: Indices
    suppressed: Indices
    frozen: Indices


class Counts(NamedTuple):
    """Number of records of each class, in a table of hashed class numbers.

    Args:
        keys: class number in each slot.
        sizes: number of records, -1 in an empty slot.
        barred: 1 for classes that no record may join, and whose records are at risk.
        used: number of slots that are not empty.
    """

    keys: Indices
    sizes: Indices
    barred: Indices
    used: Indices


@inner
def _slot(counts: Counts, key: int) -> int:
    """Slot of a class, or the empty slot where it belongs."""
    mask = counts.keys.size - 1
    slot = (key ^ (key >> 29)) & mask
    while counts.sizes[slot] >= 0 and counts.keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@inner
def _add(counts: Counts, key: int, change: int) -> None:
    slot = _slot(counts, key)
    if counts.sizes[slot] < 0:
        counts.keys[slot] = key
        counts.sizes[slot] = 0
        counts.used[0] += 1
    counts.sizes[slot] += change


@inner
def _is_short(counts: Counts, key: int, least: int) -> bool:
    slot = _slot(counts, key)
    return counts.sizes[slot] < least or counts.barred[slot] == 1


@inner
def _cost(sets: KeySets, attribute: int, value: int, other: int) -> float:
    if value == other:
        return 0.0
    if sets.special[value] and not sets.special[other]:
        return np.inf
    if sets.special[other]:
        return 1.0
    if sets.kinds[attribute] == 0:
        return sets.units[attribute]
    apart = abs(sets.places[value] - sets.places[other]) * sets.units[attribute]
    return max(apart, 1e-3)


@inner
def _may_leave(counts: Counts, key: int, least: int) -> bool:
    """Whether a record can leave a class and put no other record at risk."""
    slot = _slot(counts, key)
    return counts.sizes[slot] != least or least == 1 or counts.barred[slot] == 1


@inner
def _risks(keys: Indices, counts: Counts, least: Indices, short: Flags) -> int:
    """Flag the sets of keys in which a record is at risk, and return their number."""
    found = 0
    for p in range(least.size):
        short[p] = _is_short(counts, keys[p], least[p])
        if short[p]:
            found += 1
    return found


@inner
def _resolved(
    keys: Indices, counts: Counts, sets: KeySets, short: Flags, attribute: int, change: int
) -> int:
    """Sets of keys in which another value ends the risk; 0 if any record is newly at risk.

    Args:
        change: difference of class numbers by the other value.
    """
    found = 0
    for p in range(sets.least.size):
        if not sets.inside[p, attribute]:
            continue
        slot = _slot(counts, keys[p] + change)
        if counts.sizes[slot] < sets.least[p] - 1 or counts.barred[slot] == 1:
            is_full = 2 * counts.used[0] > counts.sizes.size
            if not short[p] or (is_full and counts.sizes[slot] < 0):
                return 0
        elif short[p]:
            found += 1
        if not _may_leave(counts, keys[p], sets.least[p]):
            return 0
    return found


@inner
def _replace(
    row: Indices, keys: Indices, counts: Counts, sets: KeySets, attribute: int, value: int
) -> None:
    change = sets.codes[value] - sets.codes[row[attribute]]
    for p in range(sets.least.size):
        if sets.inside[p, attribute]:
            _add(counts, keys[p], -1)
            keys[p] += change
            _add(counts, keys[p], 1)
    row[attribute] = value


@inner
def _change_cell(
    row: Indices, keys: Indices, counts: Counts, sets: KeySets, short: Flags, risks: int
) -> bool:
    """Replace the cell that ends most risks at the lowest cost; return whether there is one."""
    best, best_attribute, best_value = np.inf, -1, -1
    for j in range(row.size):
        concerns = False
        for p in range(short.size):
            if short[p] and sets.inside[p, j] and not sets.frozen[j]:
                concerns = True
        if not concerns:
            continue
        value = row[j]
        first, last = sets.starts[j], sets.starts[j + 1]
        if sets.kinds[j] == 1:
            first, last = max(first, value - REACH), min(last, value + REACH + 1)
        else:
            last = min(last, first + MOST_VALUES)
        for step in range(first - 1, last):
            other = step if step >= first else sets.suppressed[j]
            if other < 0 or other == value:
                continue
            cost = _cost(sets, j, value, other)
            if cost >= best * risks:
                continue
            found = _resolved(keys, counts, sets, short, j, sets.codes[other] - sets.codes[value])
            if found > 0 and cost / found < best:
                best, best_attribute, best_value = cost / found, j, other
    if best_attribute < 0:
        return False
    _replace(row, keys, counts, sets, best_attribute, best_value)
    return True


@inner
def _can_copy(
    row: Indices, donor: Indices, keys: Indices, counts: Counts, sets: KeySets, copied: Flags
) -> bool:
    """Whether a record can get the copied cells of a donor and put no record at risk."""
    for p in range(sets.least.size):
        change = 0
        for j in range(row.size):
            if sets.inside[p, j] and copied[j]:
                change += sets.codes[donor[j]] - sets.codes[row[j]]
        if change == 0:
            continue
        if _is_short(counts, keys[p] + change, sets.least[p] - 1):
            return False
        if not _may_leave(counts, keys[p], sets.least[p]):
            return False
    return True


@inner
def _fill_prices(
    record: int,
    rows: Indices,
    keys: Indices,
    counts: Counts,
    sets: KeySets,
    donors: Indices,
    whole: int,
    attribute: int,
    prices: Floats,
) -> None:
    """Write the cost of each value of an attribute that a record may get from a donor.

    It is infinite where the cell may not change: frozen, or a class that would get too small.
    """
    value, is_fixed = rows[record, attribute], sets.frozen[attribute] == 1
    for p in range(sets.least.size):
        if whole == 0 and sets.inside[p, attribute]:
            is_fixed = is_fixed or not _may_leave(counts, keys[record, p], sets.least[p])
    first, last = sets.starts[attribute], sets.starts[attribute + 1]
    if last - first <= donors.size:
        for other in range(first, last):
            apart = _cost(sets, attribute, value, other)
            prices[other] = np.inf if is_fixed and other != value else apart
    else:
        for donor in donors:
            other = rows[donor, attribute]
            apart = _cost(sets, attribute, value, other)
            prices[other] = np.inf if is_fixed and other != value else apart


@inner
def _copy_nearest(
    record: int,
    rows: Indices,
    keys: Indices,
    counts: Counts,
    sets: KeySets,
    short: Flags,
    donors: Indices,
    whole: int,
    prices: Floats,
) -> bool:
    """Give a record values of the nearest donor that ends all its risks.

    Args:
        whole: 1 if all cells are copied, even if that puts other records at risk, else 0.
        prices: working memory, a number for each value.
    """
    row = rows[record]
    width = row.size
    own = np.empty(short.size, dtype=np.bool_)
    copied = np.zeros(width, dtype=np.bool_)
    for p in range(short.size):
        for j in range(width):
            if (whole == 1 or short[p]) and sets.inside[p, j]:
                copied[j] = True
    for j in range(width):
        if copied[j]:
            _fill_prices(record, rows, keys, counts, sets, donors, whole, j, prices)
    best, found = np.inf, -1
    for donor in donors:
        total = 0.0
        for j in range(width):
            if copied[j]:
                total += prices[rows[donor, j]]
                if total >= best:
                    break
        if total >= best or donor == record:
            continue
        if whole == 1:
            if _risks(keys[donor], counts, sets.least, own) == 0:
                best, found = total, donor
        elif _can_copy(row, rows[donor], keys[record], counts, sets, copied):
            best, found = total, donor
    if found < 0:
        return False
    for j in range(width):
        if copied[j] and row[j] != rows[found, j]:
            _replace(row, keys[record], counts, sets, j, rows[found, j])
    return True


@inner
def _safe_records(keys: Indices, counts: Counts, least: Indices, short: Flags) -> Indices:
    """Records without risk, evenly chosen if there are too many, one of each row at best."""
    safe = np.empty(keys.shape[0], dtype=np.int64)
    count = 0
    for r in range(keys.shape[0]):
        if _risks(keys[r], counts, least, short) == 0:
            safe[count] = r
            count += 1
    if count <= MOST_DONORS:
        return safe[:count]
    chosen = np.empty(MOST_DONORS, dtype=np.int64)
    for i in range(MOST_DONORS):
        chosen[i] = safe[i * count // MOST_DONORS]
    return chosen


@inner
def _restore(row: Indices, origin: Indices, keys: Indices, counts: Counts, sets: KeySets) -> None:
    """Undo the changes of a record that are not needed."""
    for j in range(row.size):
        if row[j] != origin[j]:
            change = sets.codes[origin[j]] - sets.codes[row[j]]
            allowed = True
            for p in range(sets.least.size):
                if sets.inside[p, j] and (
                    _is_short(counts, keys[p] + change, sets.least[p] - 1)
                    or not _may_leave(counts, keys[p], sets.least[p])
                ):
                    allowed = False
                    break
            if allowed:
                _replace(row, keys, counts, sets, j, origin[j])


@kernel(
    RW_INDEX_ROWS, INDEX_ROWS, INDEX_ROWS, INDICES, INDICES, INDICES, FLOATS, FLOATS, INDICES,
    INDICES, INDICES, INDICES, INDEX_ROWS, INT64, INT64,
)  # fmt: skip
def change_cells(
    rows: Indices,
    origin: Indices,
    inside: Indices,
    least: Indices,
    starts: Indices,
    codes: Indices,
    places: Floats,
    units: Floats,
    kinds: Indices,
    special: Indices,
    suppressed: Indices,
    frozen: Indices,
    barred: Indices,
    slots: int,
    most: int,
) -> Indices:
    """Change few cells of *rows* until no record is at risk; return 1 for each that still is.

    First single cells, each ending most risks at the lowest cost; then several cells of a record,
    copied from the nearest record without risk; at last all its cells, once for each record, which
    may put others at risk. Each of the first two kinds lowers the number of risks, and the last is
    done at most once for each record, so it ends. Long, because its state is its local arrays.

    Args:
        origin: rows before any change; a cell gets its value back where that puts nobody at risk.
        barred: for each set of keys and record, 1 if its class is barred.
        slots: size of the table of classes, a power of two.
        most: records that may be at risk before any change; with more it gives up.
    """
    sets = KeySets(inside, least, starts, codes, places, units, kinds, special, suppressed, frozen)
    n, width = rows.shape
    n_sets = least.size
    counts = Counts(
        np.empty(slots, dtype=np.int64),
        full_ints(slots, -1),
        np.zeros(slots, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )
    keys = np.zeros((n, n_sets), dtype=np.int64)
    for p in range(n_sets):
        for r in range(n):
            key = (p + 1) * 0x1E3779B97F4A7C15
            for j in range(width):
                if inside[p, j]:
                    key += codes[rows[r, j]]
            keys[r, p] = key
            _add(counts, key, 1)
    for p in range(barred.shape[0]):
        for r in range(n):
            if barred[p, r]:
                counts.barred[_slot(counts, keys[r, p])] = 1
    short = np.zeros(n_sets, dtype=np.bool_)
    queue = np.empty(n, dtype=np.int64)
    waiting = 0
    for r in range(n):
        if _risks(keys[r], counts, least, short) > 0:
            queue[waiting] = r
            waiting += 1
    result = np.zeros(n, dtype=np.int64)
    if waiting == 0 or waiting > most:
        for i in range(waiting):
            result[queue[i]] = 1
        return result
    was_copied, prices = np.zeros(n, dtype=np.bool_), np.empty(codes.size)
    progress = True
    while progress and waiting > 0:
        progress = False
        for stage in range(3):
            changed = True
            while changed:
                changed = False
                donors = queue[:0]
                if stage > 0:
                    donors = _safe_records(keys, counts, least, short)
                for i in range(waiting):
                    r = queue[i]
                    risks = _risks(keys[r], counts, least, short)
                    if risks == 0:
                        continue
                    if stage == 0:
                        done = _change_cell(rows[r], keys[r], counts, sets, short, risks)
                    elif stage == 1:
                        done = _copy_nearest(r, rows, keys, counts, sets, short, donors, 0, prices)
                    else:
                        done = not was_copied[r] and _copy_nearest(
                            r, rows, keys, counts, sets, short, donors, 1, prices
                        )
                        was_copied[r] = True
                    changed = changed or done
                progress = progress or changed
                if stage == 2:
                    break
        waiting = 0
        for r in range(n):
            if _risks(keys[r], counts, least, short) > 0:
                queue[waiting] = r
                waiting += 1
    for i in range(waiting):
        result[queue[i]] = 1
    for _ in range(2):
        for r in range(n):
            _restore(rows[r], origin[r], keys[r], counts, sets)
    return result
