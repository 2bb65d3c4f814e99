"""Local suppression: single cells are suppressed until every record matches k records.

Three kinds of matching:

- Category: a suppressed cell matches only a suppressed cell. A greedy cover of the distinct rows:
  each step takes the pattern of suppressed attributes that brings most records at risk into
  equivalence classes of k for the fewest cells, if necessary with records borrowed from larger
  classes. Then rows are reassigned to cheaper classes.
- Covering: each released record is compatible with k original records.
- Wildcard, as in sdcMicro: a suppressed cell of either record matches any value. Then a fully
  suppressed record matches all others, so k - 1 of them make any file k-anonymous: it is a weak
  criterion.

Small files are solved exactly, by integer programming (HiGHS).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from heapq import heappop, heappush
from itertools import combinations
from math import comb, inf
from typing import ClassVar

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from evomask.data.classes import Classes, classes_of_columns
from evomask.data.partition import validate_k
from evomask.data.recoding import SUPPRESSED
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.method import About, require_attributes
from evomask.types import Codes, Flags, Floats, Indices, Labels

MAX_PAIR_CELLS = 200
"""Pairs of records times attributes up to which the exact minimum is computed."""

_MAX_NODES = 2_000
_Constraint = tuple[list[tuple[int, float]], float]
"""Coefficients of a linear constraint, and its lower bound."""


def is_small(rows: Codes) -> bool:
    """Whether the file is small enough for the exact minimum."""
    n, width = len(rows), len(rows.T)
    return n * (n - 1) // 2 * width <= MAX_PAIR_CELLS


def fewest_cells(rows: Codes, k: int, *, wildcard: bool) -> Flags | None:
    """Flag the fewest cells so that each record matches k - 1 others; None if not solved.

    With *wildcard*, a suppressed cell matches any cell; otherwise only a suppressed cell.
    """
    n, width = rows.shape
    pairs = list(combinations(range(n), 2))
    constraints: list[_Constraint] = []
    for number, (a, b) in enumerate(pairs):
        for j in range(width):
            same = bool(rows[a, j] == rows[b, j])
            match = n * width + number
            constraints += _match_constraints(match, a * width + j, b * width + j, same, wildcard)
    constraints += [
        ([(n * width + i, 1.0) for i, pair in enumerate(pairs) if record in pair], k - 1.0)
        for record in range(n)
    ]
    return _solve(constraints, n * width, len(pairs), (n, width))


def _match_constraints(match: int, a: int, b: int, same: bool, wildcard: bool) -> list[_Constraint]:
    """Return the conditions under which the cells of two records match."""
    if wildcard:
        return [] if same else [([(a, 1.0), (b, 1.0), (match, -1.0)], 0.0)]
    if same:
        return [
            ([(a, 1.0), (b, -1.0), (match, -1.0)], -1.0),
            ([(b, 1.0), (a, -1.0), (match, -1.0)], -1.0),
        ]
    return [([(a, 1.0), (match, -1.0)], 0.0), ([(b, 1.0), (match, -1.0)], 0.0)]


def _solve(
    constraints: list[_Constraint], cells: int, pairs: int, shape: tuple[int, int]
) -> Flags | None:
    places = [(row, place, x) for row, (terms, _) in enumerate(constraints) for place, x in terms]
    rows, columns, values = (np.array(part) for part in zip(*places, strict=True))
    matrix = coo_array((values, (rows, columns)), shape=(len(constraints), cells + pairs))
    least = np.array([least for _, least in constraints])
    answer = milp(
        np.concatenate([np.ones(cells), np.zeros(pairs)]),
        constraints=LinearConstraint(matrix.tocsr(), lb=least),
        bounds=Bounds(0, 1),
        integrality=np.ones(cells + pairs, dtype=np.int64),
        options={"node_limit": _MAX_NODES},
    )
    if answer.x is None:
        return None
    suppressed: Flags = np.asarray(answer.x[:cells] > 0.5).reshape(shape)
    return suppressed


MAX_COVERING_PATTERNS = 20_000
"""Patterns of suppressed attributes tried for one number of cells; above it, greedy."""

MAX_PAIRS = 50_000_000
"""Pairs of records held in memory while unnecessary suppressions are undone."""


def covering_cells(rows: Codes, k: int) -> Flags:
    """Flag the fewest cells of each record without which k records agree with it.

    Among sets of equal size, the one with most agreeing records wins, then the first. If there
    are too many sets, cells are dropped greedily, each time the one that leaves most records
    in agreement.
    """
    classes = classes_of_columns(list(rows.T), len(rows))
    distinct = rows[classes.representatives]
    cells = np.zeros(distinct.shape, dtype=bool)
    open_classes = classes.sizes < k
    for count in range(1, rows.shape[1] + 1):
        if not open_classes.any():
            break
        if comb(rows.shape[1], count) > MAX_COVERING_PATTERNS:
            _drop_greedily(distinct, classes.sizes, cells, open_classes, k)
            break
        _drop_exactly(distinct, classes.sizes, cells, open_classes, count, k)
    return cells[classes.labels]


def _drop_exactly(
    distinct: Codes, sizes: Indices, cells: Flags, open_classes: Flags, count: int, k: int
) -> None:
    """Handle all records that need only *count* suppressed cells."""
    width = distinct.shape[1]
    most = np.zeros(len(distinct), dtype=np.int64)
    for dropped in combinations(range(width), count):
        columns = [distinct[:, j] for j in range(width) if j not in dropped]
        labels = classes_of_columns(columns, len(distinct)).labels
        agreeing = np.bincount(labels, weights=sizes).astype(np.int64)[labels]
        better = open_classes & (agreeing >= k) & (agreeing > most)
        most[better] = agreeing[better]
        cells[better] = False
        cells[np.ix_(better, np.array(dropped))] = True
    open_classes &= most == 0


def _drop_greedily(
    distinct: Codes, sizes: Indices, cells: Flags, open_classes: Flags, k: int
) -> None:
    for place in np.flatnonzero(open_classes):
        differs = distinct != distinct[place]
        while sizes[~differs[:, ~cells[place]].any(axis=1)].sum() < k:
            shown = np.flatnonzero(~cells[place])
            others = differs[:, shown].sum(axis=1)
            gains = [int(sizes[others == differs[:, j]].sum()) for j in shown]
            cells[place, shown[int(np.argmax(gains))]] = True


def wildcard_cells(rows: Codes, k: int) -> Flags:
    """Flag the fewer cells of two solutions: covering, or k - 1 fully suppressed records.

    In both, unnecessary suppressions are undone in the order of records.
    """
    sizes = classes_of_columns(list(rows.T), len(rows)).sizes_of_records
    watched = np.flatnonzero(sizes < k)
    if not len(watched):
        return np.zeros(rows.shape, dtype=bool)
    covering = covering_cells(rows, k)
    full = _suppress_records(rows, watched, k)
    candidates = [cells for cells in (covering, full) if cells.sum() <= full.sum()]
    return min((_undo(rows, c, k, watched) for c in candidates), key=lambda c: int(c.sum()))


def _suppress_records(rows: Codes, watched: Indices, k: int) -> Flags:
    """Suppress the k - 1 records whose values are most frequent among the *watched* ones."""
    shared = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        shared += np.bincount(column[watched], minlength=int(column.max()) + 1)[column]
    cells = np.zeros(rows.shape, dtype=bool)
    cells[np.argsort(-shared, kind="stable")[: k - 1]] = True
    return cells


def _undo(rows: Codes, cells: Flags, k: int, watched: Indices) -> Flags:
    """Undo unnecessary suppressions, if the pairs of *watched* and all records fit in memory."""
    watched = np.union1d(watched, np.flatnonzero(cells.any(axis=1)))
    if len(watched) * len(rows) > MAX_PAIRS:
        return cells
    cells = cells.copy()
    differing = np.zeros((len(watched), len(rows)), dtype=np.int64)
    for column, hidden in zip(rows.T, cells.T, strict=True):
        differing += (column[watched, None] != column) & ~hidden[watched, None] & ~hidden
    place = {record: i for i, record in enumerate(watched.tolist())}
    for record, attribute in np.argwhere(cells).tolist():
        _undo_cell(rows, cells, differing, watched, place[record], attribute, k)
    return cells


def _undo_cell(
    rows: Codes,
    cells: Flags,
    differing: Indices,
    watched: Indices,
    place: int,
    attribute: int,
    k: int,
) -> None:
    """Release one cell if all watched records still have k matches.

    Args:
        differing: number of attributes in which a watched record and any record differ.
    """
    record = watched[place]
    differs = (rows[:, attribute] != rows[record, attribute]) & ~cells[:, attribute]
    lost = differs[watched] & (differing[:, record] == 0)
    counts = (differing == 0).sum(axis=1) - lost
    counts[place] = np.sum((differing[place] == 0) & ~differs)
    if counts.min() >= k:
        cells[record, attribute] = False
        differing[:, record] += differs[watched]
        differing[place] += differs


MAX_PATTERNS = 5_000
MAX_PATTERN_ROWS = 40_000_000
"""Above this many patterns, or patterns times rows, not all larger patterns are tried."""

MAX_PASSES = 10
_MAX_KEY = 2**62


def category_cells(rows: Codes, k: int, costs: Floats | None = None) -> Flags:
    """Flag cells to suppress so that each released row is shared by k or more records.

    Args:
        costs: cost of suppressing a cell of each attribute; equal by default.
    """
    classes = classes_of_columns(list(rows.T), len(rows))
    distinct = rows[classes.representatives]
    costs = np.ones(rows.shape[1]) if costs is None else costs
    cover = _Cover(Keys.of(distinct), classes.sizes, k)
    _close_all(cover, patterns_by_size(distinct, costs))
    _reassign(cover.closed, cover.keys, classes.sizes, k)
    if len(cover.at_risk):
        _join_rest(cover.closed, distinct, classes.sizes, cover.at_risk, costs)
    return _suppressed_cells(cover.closed, classes, rows.shape)


@dataclass(frozen=True, eq=False)
class Keys:
    """Rows as integer keys, for fast comparison on a subset of the attributes.

    Args:
        parts: contribution of each attribute to a row's key; empty if keys would overflow.
        whole: key of each row over all attributes.
    """

    rows: Codes
    parts: Indices
    whole: Indices

    @classmethod
    def of(cls, rows: Codes) -> "Keys":
        """Return mixed-radix keys with one digit for each attribute, if they fit."""
        parts, radix = [], 1
        for column in rows.T.astype(np.int64):
            parts.append(column * radix)
            radix *= int(column.max(initial=0)) + 1
            if radix > _MAX_KEY:
                return cls(rows, np.empty((0, 0), np.int64), np.empty(0, np.int64))
        return cls(rows, np.array(parts), np.sum(parts, axis=0))

    def without(self, dropped: tuple[int, ...], places: Indices) -> Indices:
        """Return keys of the rows at *places*, ignoring the *dropped* attributes."""
        if not len(self.parts):
            others = [c for j, c in enumerate(self.rows.T) if j not in dropped]
            return classes_of_columns(others, len(self.rows)).labels[places]
        keys = self.whole[places]
        for attribute in dropped:
            keys = keys - self.parts[attribute][places]
        return keys


@dataclass(frozen=True, order=True)
class Pattern:
    """A set of suppressed attributes, and the cost of their cells in one record."""

    cost: float
    dropped: tuple[int, ...]


def patterns_by_size(rows: Codes, costs: Floats) -> Iterator[list[Pattern]]:
    """Yield all patterns of one attribute, of two, and so on.

    If there are too many of a size, one pattern of that size and of each larger size is
    yielded: the cheapest attributes, among equally cheap ones those with most values.
    """
    width = rows.shape[1]
    most = min(MAX_PATTERNS, max(width, MAX_PATTERN_ROWS // max(len(rows), 1)))
    order = sorted(range(width), key=lambda j: (costs[j], -len(np.unique(rows[:, j]))))
    for size in range(1, width + 1):
        most -= comb(width, size)
        sets = combinations(range(width), size) if most >= 0 else [tuple(sorted(order[:size]))]
        yield [Pattern(float(costs[list(dropped)].sum()), tuple(dropped)) for dropped in sets]


@dataclass
class _ClosedClass:
    """Records that share a pattern of suppressed cells and agree on the other attributes.

    Args:
        rows: distinct rows that were at risk; all their records are in the class.
        records: number of records of these rows.
        lent: number of records borrowed from other rows, by row, to reach k.
    """

    pattern: Pattern
    rows: list[int]
    records: int
    lent: dict[int, int]

    @property
    def borrowed(self) -> int:
        return sum(self.lent.values())

    @property
    def cost(self) -> float:
        return self.pattern.cost * (self.records + self.borrowed)

    @property
    def cost_per_record(self) -> float:
        return self.cost / self.records if self.rows else 0.0

    def give_back(self, count: int) -> None:
        """Return up to *count* borrowed records, those of the last rows first."""
        for row in sorted(self.lent, reverse=True):
            back = min(count, self.lent[row])
            self.lent[row] -= back
            count -= back
        self.lent = {row: left for row, left in self.lent.items() if left}


@dataclass
class _Cover:
    """State of the greedy cover of the distinct rows.

    After construction, ``at_risk`` holds the rows with fewer than k records that are in no
    class yet, and ``spare`` the number of records that each row can lend and still have k.
    """

    keys: Keys
    sizes: Indices
    k: int
    closed: list[_ClosedClass] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.at_risk = np.flatnonzero(self.sizes < self.k)
        self.lenders = np.flatnonzero(self.sizes > self.k)
        self.spare = self.sizes - self.k


def _close_all(cover: _Cover, patterns: Iterator[list[Pattern]]) -> None:
    """Repeatedly take the cheapest step; among equals the one that closes most, then the first.

    The price of a pattern never falls, so it is recomputed only when it leads the queue. A
    pattern costs at least its cells, so larger patterns are generated only when needed.
    """
    queue: list[tuple[float, int, Pattern]] = []  # price per record, minus records closed
    upcoming = next(patterns, None)
    while len(cover.at_risk) and (queue or upcoming):
        while upcoming and (not queue or min(upcoming).cost <= queue[0][0]):
            for pattern in upcoming:
                heappush(queue, (pattern.cost, -len(cover.sizes), pattern))
            upcoming = next(patterns, None)
        pattern = heappop(queue)[2]
        step = _best_step(cover, pattern)
        entry = (step.price, -step.closes, pattern)
        if step.price < inf:
            if not queue or entry <= queue[0]:
                _take(cover, step)
            heappush(queue, entry)


@dataclass(frozen=True, eq=False)
class _Step:
    """The groups of one pattern that are closed together.

    Args:
        price: cost for each record at risk.
        closes: number of records at risk that are closed.
        of_rows: group of each row at risk.
        chosen: flags of the groups that are closed.
        borrowed: number of records that each group needs from others.
        lenders: rows that can lend records.
        of_lenders: group of each lender.
    """

    pattern: Pattern
    price: float
    closes: int
    of_rows: Labels
    chosen: Flags
    borrowed: Indices
    lenders: Indices
    of_lenders: Labels


def _best_step(cover: _Cover, pattern: Pattern) -> _Step:
    """Return the cheapest groups that a pattern can close; the price is infinite if none."""
    keys, of_rows = np.unique(
        cover.keys.without(pattern.dropped, cover.at_risk), return_inverse=True
    )
    lender_keys = cover.keys.without(pattern.dropped, cover.lenders)
    places = np.minimum(np.searchsorted(keys, lender_keys), len(keys) - 1)
    agrees = keys[places] == lender_keys
    lenders, of_lenders = cover.lenders[agrees], places[agrees]
    at_risk = _sums(of_rows, cover.sizes[cover.at_risk], len(keys))
    lent = _sums(of_lenders, cover.spare[lenders], len(keys))
    borrowed = np.maximum(cover.k - at_risk, 0)
    prices = np.where(borrowed <= lent, pattern.cost * (at_risk + borrowed) / at_risk, inf)
    chosen = prices == prices.min()
    closes = int(at_risk[chosen].sum())
    return _Step(
        pattern, float(prices.min()), closes, of_rows, chosen, borrowed, lenders, of_lenders
    )


def _sums(groups: Labels, counts: Indices, n_groups: int) -> Indices:
    return np.bincount(groups, weights=counts, minlength=n_groups).astype(np.int64)


def _take(cover: _Cover, step: _Step) -> None:
    """Close the chosen groups; rows with most spare records lend first."""
    moved = step.chosen[step.of_rows]
    rows_by_group = _by_group(cover.at_risk[moved], step.of_rows[moved])
    needy = (step.chosen & (step.borrowed > 0))[step.of_lenders]
    lenders, groups = step.lenders[needy], step.of_lenders[needy]
    order = np.argsort(-cover.spare[lenders], kind="stable")
    lenders_by_group = _by_group(lenders[order], groups[order])
    for group, rows in rows_by_group.items():
        lent = _borrow(cover, int(step.borrowed[group]), lenders_by_group.get(group, []))
        records = int(cover.sizes[rows].sum())
        cover.closed.append(_ClosedClass(step.pattern, rows, records, lent))
    cover.at_risk = cover.at_risk[~moved]
    cover.lenders = cover.lenders[cover.spare[cover.lenders] > 0]


def _by_group(rows: Indices, groups: Labels) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for group, row in zip(groups.tolist(), rows.tolist(), strict=True):
        found.setdefault(group, []).append(row)
    return found


def _borrow(cover: _Cover, count: int, lenders: list[int]) -> dict[int, int]:
    lent = {}
    for row in lenders:
        taken = min(count, int(cover.spare[row]))
        if taken:
            lent[row] = taken
            cover.spare[row] -= taken
            count -= taken
    return lent


def _suppressed_cells(
    closed: Sequence[_ClosedClass], distinct: Classes, shape: tuple[int, int]
) -> Flags:
    """Flag the suppressed cells of all records; of lending rows, those of the last records."""
    patterns = np.zeros((len(distinct), shape[1]), dtype=bool)
    for group in closed:
        for attribute in group.pattern.dropped:
            patterns[group.rows, attribute] = True
    cells: Flags = patterns[distinct.labels]
    order = np.argsort(distinct.labels, kind="stable")
    free = np.cumsum(distinct.sizes)
    for group in closed:
        for row, count in sorted(group.lent.items()):
            records = order[free[row] - count : free[row]]
            free[row] -= count
            for attribute in group.pattern.dropped:
                cells[records, attribute] = True
    return cells


def _join_rest(
    closed: list[_ClosedClass], rows: Codes, sizes: Indices, rest: Indices, costs: Floats
) -> None:
    """Add the rows that no step can close to the class where they cost least.

    That may be a closed class or a row that is large enough by itself; attributes in which
    they differ are suppressed in both.
    """
    lent = np.zeros(len(rows), dtype=np.int64)
    for group in closed:
        for row, count in group.lent.items():
            lent[row] += count
    large = np.flatnonzero(sizes - lent > 0)
    large = large[~np.isin(large, [*rest, *(row for group in closed for row in group.rows)])]
    single = [
        _ClosedClass(Pattern(0.0, ()), [], 0, {row: int(sizes[row] - lent[row])})
        for row in large.tolist()
    ]
    count = int(sizes[rest].sum())
    offers = [(group, _common_pattern(group, rows, rest, costs)) for group in (*closed, *single)]
    group, pattern = min(
        offers, key=lambda o: o[1].cost * (o[0].records + o[0].borrowed + count) - o[0].cost
    )
    if not group.rows:
        closed.append(group)
    group.pattern, group.records = pattern, group.records + count
    group.rows += rest.tolist()


def _common_pattern(group: _ClosedClass, rows: Codes, rest: Indices, costs: Floats) -> Pattern:
    """Return the attributes to suppress so that a class and the remaining rows agree."""
    representative = rows[group.rows[0] if group.rows else next(iter(group.lent))]
    differs = (rows[rest] != representative).any(axis=0)
    differs[list(group.pattern.dropped)] = True
    dropped = tuple(np.flatnonzero(differs).tolist())
    return Pattern(float(costs[list(dropped)].sum()), dropped)


_Targets = dict[int, list[int]]
"""The classes that each row fits into, the cheapest pattern first."""

_Move = tuple[int, int]
"""A row and its new class."""


def _reassign(closed: list[_ClosedClass], keys: Keys, sizes: Indices, k: int) -> None:
    """Move rows to cheaper classes, from the class with the most cells per record on.

    All rows of a class move, or those that it does not need for k. A class that gains rows gives
    back records that were suppressed further only to fill it up.
    """
    targets, counts = _targets(closed, keys), sizes.tolist()
    for _ in range(MAX_PASSES):
        order = sorted(range(len(closed)), key=lambda c: (-closed[c].cost_per_record, c))
        moved = [_move_rows(closed, number, targets, counts, k) for number in order]
        if not any(moved):
            break
    closed[:] = [group for group in closed if group.rows]


def _targets(closed: Sequence[_ClosedClass], keys: Keys) -> _Targets:
    rows = np.array(sorted(row for group in closed for row in group.rows), dtype=np.int64)
    targets: _Targets = {row: [] for row in rows.tolist()}
    numbers: dict[tuple[float, tuple[int, ...]], list[int]] = {}
    for number, group in enumerate(closed):
        numbers.setdefault((group.pattern.cost, group.pattern.dropped), []).append(number)
    for (_, dropped), own in sorted(numbers.items()):
        firsts = np.array([closed[number].rows[0] for number in own])
        known = keys.without(dropped, np.concatenate([firsts, rows])).tolist()
        places = dict(zip(known[: len(own)], own, strict=True))
        for row, key in zip(targets, known[len(own) :], strict=True):
            if key in places:
                targets[row].append(places[key])
    return targets


def _move_rows(
    closed: Sequence[_ClosedClass], number: int, targets: _Targets, counts: list[int], k: int
) -> bool:
    """Move all rows of a class, or those that it does not need; return whether any moved."""
    group = closed[number]
    moves = _moves_of_all(closed, number, targets, counts) if group.rows else []
    if moves:
        group.lent = {}
    else:
        moves = _moves_of_some(closed, number, targets, counts, k)
    gone = {row for row, _ in moves}
    group.rows = [row for row in group.rows if row not in gone]
    for row, target in moves:
        group.records -= counts[row]
        closed[target].rows.append(row)
        closed[target].records += counts[row]
        closed[target].give_back(counts[row])
    return bool(moves)


def _moves_of_all(
    closed: Sequence[_ClosedClass], number: int, targets: _Targets, counts: list[int]
) -> list[_Move]:
    """Return moves that dissolve a class; none if that is impossible or saves nothing."""
    saving, moves = closed[number].cost, []
    filled: dict[int, int] = {}
    for row in closed[number].rows:
        price, target = _cheapest(closed, number, targets[row], counts[row], filled)
        saving -= price
        if saving <= 0:
            return []
        filled[target] = filled.get(target, 0) + counts[row]
        moves.append((row, target))
    return moves


def _moves_of_some(
    closed: Sequence[_ClosedClass], number: int, targets: _Targets, counts: list[int], k: int
) -> list[_Move]:
    """Return moves of rows that a class does not need and that cost less elsewhere."""
    group, moves = closed[number], []
    spare, filled = group.records - k, dict[int, int]()
    for row in group.rows:
        if counts[row] <= spare:
            price, target = _cheapest(closed, number, targets[row], counts[row], filled)
            if price < group.pattern.cost * counts[row]:
                spare -= counts[row]
                filled[target] = filled.get(target, 0) + counts[row]
                moves.append((row, target))
    return moves


def _cheapest(
    closed: Sequence[_ClosedClass],
    own: int,
    targets: Sequence[int],
    count: int,
    filled: dict[int, int],
) -> tuple[float, int]:
    """Return the lowest cost of *count* more records in another class, and the class.

    They replace borrowed records, unless these have been replaced already.
    """
    best, target = inf, -1
    for other in targets:
        if other != own and closed[other].rows:
            replaced = max(closed[other].borrowed - filled.get(other, 0), 0)
            price = closed[other].pattern.cost * max(count - replaced, 0)
            if price < best:
                best, target = price, other
    return best, target


class SuppressionMatching(StrEnum):
    """When two records with suppressed cells match."""

    CATEGORY = "category"
    COVERING = "covering"
    WILDCARD = "wildcard"


@dataclass(frozen=True)
class LocalSuppression:
    """Suppress few cells, so that every record matches at least k records.

    Args:
        attributes: names of the ordinal, nominal or recoded attributes, masked together.
        k: number of records that must match.
        matching: ``category``: each released combination, with suppressed as a value of its
            own, is shared by k records, as an audit counts; ``covering``: each released
            record is compatible with k original records; ``wildcard``: each released record
            matches k, where a suppressed cell of either record matches any value.
        importance: cost of suppressing a cell of each attribute, in their order; cells of
            important attributes are suppressed last; only for ``category``.

    A file that satisfies ``category`` satisfies ``covering``, and one that satisfies
    ``covering`` satisfies ``wildcard``, but not conversely: the minimum under ``wildcard`` is a
    few fully suppressed records, which protect no other record. The number of cells is
    minimal for ``covering``; for the others on small files, heuristic otherwise.
    """

    about: ClassVar[About] = About(
        name="local-suppression",
        title="local suppression",
        steward="local suppression (every record matches {k} or more)",
        public=(
            "Local suppression was applied: single values were removed from records with a rare "
            "combination of values."
        ),
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    matching: SuppressionMatching = SuppressionMatching.CATEGORY
    importance: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "local suppression")
        validate_k(self.k)
        if not self.importance:
            return
        values, names = self.importance, self.attributes
        if len(values) != len(names) or not all(0 < value < inf for value in values):
            raise ParameterError(
                f"importance must name a positive number for each of {', '.join(names)}, "
                f"got {', '.join(f'{value:g}' for value in values)}"
            )
        if self.matching is not SuppressionMatching.CATEGORY:
            raise ParameterError(
                f"importance needs the matching category, and it is {self.matching}; leave one out"
            )

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        k = validate_k(self.k, len(table))
        for name in self.attributes:
            if not table.is_recoded(name):
                table.codes(name)  # raises for a column of numbers
        rows = np.column_stack([table[name] for name in self.attributes])
        for name, cells in zip(self.attributes, self._cells(rows, k).T, strict=True):
            recoding = table.recoding(name)
            if SUPPRESSED not in recoding.labels:
                recoding = recoding.with_suppressed_cell()
            suppressed = recoding.labels.index(SUPPRESSED)
            codes = np.where(cells, suppressed, table[name]).astype(np.int32)
            table = table.with_recoded(name, codes, recoding)
        return table

    def _cells(self, rows: Codes, k: int) -> Flags:
        if self.importance:
            return category_cells(rows, k, np.array(self.importance, dtype=np.float64))
        if self.matching is SuppressionMatching.COVERING:
            return covering_cells(rows, k)
        wildcard = self.matching is SuppressionMatching.WILDCARD
        heuristic = wildcard_cells(rows, k) if wildcard else category_cells(rows, k)
        if not heuristic.any() or not is_small(rows):
            return heuristic
        exact = fewest_cells(rows, k, wildcard=wildcard)
        return heuristic if exact is None or exact.sum() >= heuristic.sum() else exact
