"""Distribution of an attribute before and after masking, in cells of sufficient size.

A cell is shown if enough original records are in it; smaller cells are merged with their
neighbours, or, for nominal attributes, with one another. Rare categories are never named, and
numbers are cut at round values inside the file, so minimum and maximum are not revealed.

After masking is what somebody who opens the released file counts: a released set or interval is
in a cell if it lies inside, otherwise it is less precise than the cells, and suppressed values are
a cell of their own.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

import msgspec
import numpy as np

from evomask.data.recoding import SUPPRESSED
from evomask.data.schema import Attribute, Kind
from evomask.data.table import Table
from evomask.types import Codes, Flags, Floats

MINIMUM = 10
"""Fewest original records in a cell that is shown."""

LESS_PRECISE, SUPPRESSED_VALUES = "less precise", "suppressed"
"""Cells of released values that lie in several of the other cells, and of suppressed ones."""

MOST_CELLS = 12
TAIL = 0.02
"""Least share of the records beyond the first and the last cut."""

NOT_A_YEAR = 10_000
"""Numbers from here on are written with a thousands separator."""

ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)


class Distribution(msgspec.Struct, frozen=True):
    """Shares of the records in each cell, in percent, before and after.

    Args:
        cells: names of the cells, in order.
        merged: whether rare values were merged.
    """

    attribute: str
    cells: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    merged: bool


class _Cell(msgspec.Struct, frozen=True):
    """Original records of some values; *names* are those that may be shown.

    Args:
        members: numbers of the values.
    """

    names: tuple[str, ...]
    before: float
    members: tuple[int, ...] = ()


class _Released(msgspec.Struct, frozen=True):
    """A released column: the label of each record, and the values that each label covers.

    Args:
        suppressed: whether each label stands for any value.
    """

    labels: Codes
    covers: Flags
    suppressed: Flags

    def counts(self, cells: Sequence[_Cell]) -> Floats:
        """Records in each cell, then those that are less precise, and those suppressed."""
        place = np.full(self.covers.shape[1], -1)
        for number, cell in enumerate(cells):
            place[list(cell.members)] = number
        several, suppressed = len(cells), len(cells) + 1
        low = np.where(self.covers, place, several).min(axis=1)
        high = np.where(self.covers, place, -1).max(axis=1)
        places = np.where(low == high, low, several)
        places[self.suppressed] = suppressed
        found = places[self.labels]
        return np.bincount(found[found >= 0], minlength=len(cells) + 2).astype(np.float64)


def distribution(
    original: Table, masked: Table, name: str, minimum: int = MINIMUM
) -> Distribution | None:
    """Distribution of one attribute; None if fewer than two cells can be shown."""
    attribute = original.attribute(name)
    numbers = _as_numbers(attribute)
    if numbers is not None:
        return _number_distribution(original, masked, name, numbers, minimum)
    size = len(attribute.categories)
    before = np.bincount(original.codes(name), minlength=size)
    cells = [
        _Cell((words,) if count >= minimum else (), float(count), (code,))
        for code, (words, count) in enumerate(zip(_category_names(attribute), before, strict=True))
    ]
    released = _released_codes(masked, name, masked.recoding(name).leaves)
    if attribute.kind is Kind.ORDINAL:
        joined = _merge_neighbours(
            cells, max(minimum, len(original) // MOST_CELLS if len(cells) > MOST_CELLS else 1)
        )
        return _build(name, joined, released, _ordered_name, minimum, len(cells))
    return _build(name, _merge_rare(cells, minimum), released, _listed_name, minimum, len(cells))


def _released_codes(masked: Table, name: str, covers: Flags) -> _Released:
    """Released cells of a column that holds codes.

    Args:
        covers: for each code, the values that it covers.
    """
    labels = masked[name][~masked.suppressed]
    suppressed = np.array([label == SUPPRESSED for label in masked.labels(name)], dtype=bool)
    return _Released(labels, covers, suppressed)


def _category_names(attribute: Attribute) -> list[str]:
    labels = dict(attribute.value_labels)
    return [
        f"{category} ({labels[category]})" if category in labels else category or "missing"
        for category in attribute.categories
    ]


def _as_numbers(attribute: Attribute) -> Floats | None:
    """Numbers of a long ordinal scale; an empty array for a continuous attribute."""
    if not attribute.is_categorical:
        return np.empty(0)
    if attribute.kind is Kind.NOMINAL or attribute.domain_size <= MOST_CELLS:
        return None
    try:
        known = [float(category) for category in attribute.categories[: attribute.domain_size]]
    except ValueError:
        return None
    values = np.array([*known, *[np.nan] * attribute.has_missing])
    return values if np.isfinite(known).all() else None


def _merge_neighbours(cells: Sequence[_Cell], enough: int) -> list[_Cell]:
    """Merge neighbours until each cell has enough original records."""
    joined: list[_Cell] = []
    for cell in cells:
        if joined and joined[-1].before < enough:
            joined.append(_merge(joined.pop(), cell))
        else:
            joined.append(cell)
    if len(joined) > 1 and joined[-1].before < enough:
        last = joined.pop()
        joined.append(_merge(joined.pop(), last))
    return joined


def _merge_rare(cells: Sequence[_Cell], minimum: int) -> list[_Cell]:
    """The most frequent categories, and all others as one cell of sufficient size."""
    ordered = sorted(cells, key=lambda cell: -cell.before)
    shown = [cell for cell in ordered[: MOST_CELLS - 1] if cell.before >= minimum]
    rest = _Cell((), 0.0)
    for cell in ordered[len(shown) :]:
        rest = _merge(rest, cell)
    while shown and 0 < rest.before < minimum:
        rest = _merge(rest, shown.pop())
    return [*shown, msgspec.structs.replace(rest, names=())] if rest.members else shown


def _merge(cell: _Cell, other: _Cell) -> _Cell:
    names, members = cell.names + other.names, cell.members + other.members
    return _Cell(names, cell.before + other.before, members)


Namer = Callable[[Sequence[_Cell], int], str]


def _listed_name(cells: Sequence[_Cell], place: int) -> str:
    return cells[place].names[0] if cells[place].names else "all others"


def _ordered_name(cells: Sequence[_Cell], place: int) -> str:
    """First and last category that may be shown."""
    names = cells[place].names
    if not names:
        return f"others, {place + 1}"
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"


def _build(
    name: str,
    cells: Sequence[_Cell],
    released: _Released,
    call: Namer,
    minimum: int,
    values: int,
) -> Distribution | None:
    """Put both distributions together; *values* is the number of cells before merging."""
    before = np.array([*(cell.before for cell in cells), 0.0, 0.0])
    after = released.counts(cells)
    if len(cells) < 2 or min(before.sum(), after.sum()) < minimum:
        return None
    names = [call(cells, place) for place in range(len(cells))]
    shown = [*range(len(cells)), *(place for place in (-2, -1) if after[place])]
    return Distribution(
        name,
        tuple([*names, LESS_PRECISE, SUPPRESSED_VALUES][place] for place in shown),
        tuple(round(100.0 * float(before[place] / before.sum()), 1) for place in shown),
        tuple(round(100.0 * float(after[place] / after.sum()), 1) for place in shown),
        len(cells) < values,
    )


def _number_distribution(
    original: Table, masked: Table, name: str, scale: Floats, minimum: int
) -> Distribution | None:
    """Cells between round numbers, open at both ends; few missing values are omitted."""
    known = scale[original.codes(name)] if len(scale) else original.values(name)
    values = known[~np.isnan(known)]
    cuts = _round_cuts(values, minimum)
    if not len(cuts):
        return None
    counts = np.bincount(_bins(values, cuts), minlength=len(cuts) + 1)
    cells = [
        _Cell(ends, float(count), (place,))
        for place, (ends, count) in enumerate(zip(_ends(cuts), counts, strict=True))
    ]
    joined, released = _merge_neighbours(cells, minimum), _released_bins(masked, name, scale, cuts)
    n_missing, missing = len(known) - len(values), len(cuts) + 1
    if max(n_missing, int((released.labels == missing).sum())) >= minimum:
        joined.append(_Cell(("missing",), float(n_missing), (missing,)))
    return _build(name, joined, released, _range_name, minimum, len(cells))


def _released_bins(masked: Table, name: str, scale: Floats, cuts: Floats) -> _Released:
    """A released column of numbers by bins between cuts, missing last."""
    bins = len(cuts) + 2
    if name in masked.recodings and not len(scale):
        recoding = masked.recodings[name]
        low, high = _bins(recoding.low, cuts), _bins(recoding.high, cuts)
        inside = np.arange(bins)
        return _released_codes(masked, name, (inside >= low[:, None]) & (inside <= high[:, None]))
    if not len(scale):
        numbers = masked.values(name)[~masked.suppressed]
        return _Released(_bins(numbers, cuts), np.eye(bins, dtype=bool), np.zeros(bins, dtype=bool))
    covers = masked.recoding(name).leaves @ np.eye(bins, dtype=bool)[_bins(scale, cuts)]
    return _released_codes(masked, name, np.asarray(covers, dtype=bool))


def _bins(values: Floats, cuts: Floats) -> Codes:
    """Number of the bin of each value; missing values have the last."""
    places = np.searchsorted(cuts, values, side="right")
    return np.where(np.isnan(values), len(cuts) + 1, places).astype(np.int32)


def _round_cuts(values: Floats, minimum: int) -> Floats:
    """Round numbers with enough records below the first and above the last one."""
    if len(values) < 2 * minimum:
        return np.empty(0)
    share = max(TAIL, minimum / len(values))
    low, high = np.quantile(values, (share, 1.0 - share), method="inverted_cdf")
    width = (high - low) / (MOST_CELLS - 2)
    if width < np.finfo(np.float64).tiny:
        return np.empty(0)
    step = _round_step(width)
    return step * np.arange(np.ceil(low / step), np.floor(high / step) + 1)


def _round_step(width: float) -> float:
    power = 10.0 ** np.floor(np.log10(width))
    return float(next(power * digits for digits in ROUND if power * digits >= width))


def _ends(cuts: Floats) -> list[tuple[str, str]]:
    """Both ends of each cell in words; an open end is empty."""
    texts = [f"{cut:,.10g}" if abs(cut) >= NOT_A_YEAR else f"{cut:.10g}" for cut in cuts]
    return list(pairwise(["", *texts, ""]))


def _range_name(cells: Sequence[_Cell], place: int) -> str:
    low, high = cells[place].names[0], cells[place].names[-1]
    if low == high:
        return low or "any"
    if not low:
        return f"under {high}"
    return f"{low} to {high}" if high else f"{low} or more"
