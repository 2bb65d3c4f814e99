"""Suppressed records move into other classes where that saves cells."""

from collections.abc import Sequence

import numpy as np

from evomask.arrays import Indices
from evomask.masking.suppression.closed import Closed
from evomask.masking.suppression.keys import Keys

MOST_PASSES = 10

_Homes = dict[int, list[int]]
"""For each row the classes that it fits into, the cheapest pattern first."""

_Move = tuple[int, int]
"""A row, and the class it goes to."""


def share(closed: list[Closed], keys: Keys, sizes: Indices, k: int) -> None:
    """Move rows as long as that saves cells, out of the most expensive classes first.

    A class is given up as a whole, or has more records than it needs. Where they go, fewer
    lent records are needed.
    """
    homes, counts = _homes(closed, keys), sizes.tolist()
    for _ in range(MOST_PASSES):
        order = sorted(range(len(closed)), key=lambda c: (-_price(closed[c]), c))
        moved = [_shared(closed, number, homes, counts, k) for number in order]
        if not any(moved):
            break
    closed[:] = [group for group in closed if group.rows]


def _price(group: Closed) -> float:
    return group.cost / group.records if group.rows else 0.0


def _homes(closed: Sequence[Closed], keys: Keys) -> _Homes:
    rows = np.array(sorted(row for group in closed for row in group.rows), dtype=np.int64)
    homes: _Homes = {row: [] for row in rows.tolist()}
    numbers: dict[tuple[float, tuple[int, ...]], list[int]] = {}
    for number, group in enumerate(closed):
        numbers.setdefault((group.pattern.cost, group.pattern.dropped), []).append(number)
    for (_, dropped), own in sorted(numbers.items()):
        firsts = np.array([closed[number].rows[0] for number in own])
        known = keys.without(dropped, np.concatenate([firsts, rows])).tolist()
        places = dict(zip(known[: len(own)], own, strict=True))
        for row, key in zip(homes, known[len(own) :], strict=True):
            if key in places:
                homes[row].append(places[key])
    return homes


def _shared(
    closed: Sequence[Closed], number: int, homes: _Homes, counts: list[int], k: int
) -> bool:
    """Whether a class lost all its rows, or some that it does not need, to cheaper ones."""
    group = closed[number]
    moves = _all_out(closed, number, homes, counts) if group.rows else []
    if moves:
        group.lent = {}
    else:
        moves = _some_out(closed, number, homes, counts, k)
    gone = {row for row, _ in moves}
    group.rows = [row for row in group.rows if row not in gone]
    for row, home in moves:
        group.records -= counts[row]
        closed[home].rows.append(row)
        closed[home].records += counts[row]
        closed[home].give_back(counts[row])
    return bool(moves)


def _all_out(
    closed: Sequence[Closed], number: int, homes: _Homes, counts: list[int]
) -> list[_Move]:
    """Where the rows of a class go, if all of them can and it saves something."""
    left, moves = closed[number].cost, []
    filled: dict[int, int] = {}
    for row in closed[number].rows:
        price, home = _best(closed, number, homes[row], counts[row], filled)
        left -= price
        if left <= 0:
            return []
        filled[home] = filled.get(home, 0) + counts[row]
        moves.append((row, home))
    return moves


def _some_out(
    closed: Sequence[Closed], number: int, homes: _Homes, counts: list[int], k: int
) -> list[_Move]:
    """Where rows go that a class can do without and that cost less elsewhere."""
    group, moves = closed[number], []
    spare, filled = group.records - k, dict[int, int]()
    for row in group.rows:
        if counts[row] <= spare:
            price, home = _best(closed, number, homes[row], counts[row], filled)
            if price < group.pattern.cost * counts[row]:
                spare -= counts[row]
                filled[home] = filled.get(home, 0) + counts[row]
                moves.append((row, home))
    return moves


def _best(
    closed: Sequence[Closed], own: int, homes: Sequence[int], count: int, filled: dict[int, int]
) -> tuple[float, int]:
    """The least that *count* more records cost in another class, and the class.

    They take the place of lent records, as far as these are not replaced already.
    """
    best, home = float("inf"), -1
    for other in homes:
        if other != own and closed[other].rows:
            replaced = max(closed[other].borrowed - filled.get(other, 0), 0)
            price = closed[other].pattern.cost * max(count - replaced, 0)
            if price < best:
                best, home = price, other
    return best, home
