"""Distribution of an attribute before and after masking, in cells of sufficient size.

A cell is shown if enough original records are in it; smaller cells are merged with their
neighbours, or, for nominal attributes, with one another. Rare categories are never named, and
numbers are cut at round values inside the file, so minimum and maximum are not revealed.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

import msgspec
import numpy as np

from evomask.data.recoding import Recoding
from evomask.data.schema import Attribute, Kind
from evomask.data.table import Table
from evomask.types import Floats

MINIMUM = 10
"""Fewest original records in a cell that is shown."""

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
    """Original and masked records of some values; *names* are those that may be shown."""

    names: tuple[str, ...]
    before: float
    after: float


def distribution(
    original: Table, masked: Table, name: str, minimum: int = MINIMUM
) -> Distribution | None:
    """Distribution of one attribute; None if fewer than two cells can be shown."""
    attribute = original.attribute(name)
    numbers = _as_numbers(attribute)
    if numbers is not None:
        return _number_distribution(original, masked, name, numbers, minimum)
    size = len(attribute.categories)
    before = np.bincount(original.codes(name), minlength=size).astype(np.float64)
    after = _masked_counts(masked, name, before)
    cells = [
        _Cell((words,) if count >= minimum else (), float(count), float(other))
        for words, count, other in zip(_category_names(attribute), before, after, strict=True)
    ]
    if attribute.kind is Kind.ORDINAL:
        joined = _merge_neighbours(
            cells, max(minimum, len(original) // MOST_CELLS if len(cells) > MOST_CELLS else 1)
        )
        return _build(name, joined, _ordered_name, minimum, len(cells))
    return _build(name, _merge_rare(cells, minimum), _listed_name, minimum, len(cells))


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


def _masked_counts(masked: Table, name: str, before: Floats) -> Floats:
    """Released records per category; a set of categories counts by their frequencies."""
    kept = ~masked.suppressed
    codes = masked[name][kept]
    if not masked.is_recoded(name):
        return np.bincount(codes, minlength=len(before)).astype(np.float64)
    shares = masked.recoding(name).spread(np.maximum(before, 1e-9))
    counts: Floats = np.bincount(codes, minlength=len(shares)) @ shares
    return counts


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
    rest = _Cell((), 0.0, 0.0)
    for cell in ordered[len(shown) :]:
        rest = _Cell((), rest.before + cell.before, rest.after + cell.after)
    while shown and 0 < rest.before < minimum:
        smallest = shown.pop()
        rest = _Cell((), rest.before + smallest.before, rest.after + smallest.after)
    return [*shown, rest] if rest.before or rest.after else shown


def _merge(cell: _Cell, other: _Cell) -> _Cell:
    return _Cell(cell.names + other.names, cell.before + other.before, cell.after + other.after)


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
    name: str, cells: Sequence[_Cell], call: Namer, minimum: int, values: int
) -> Distribution | None:
    totals = sum(cell.before for cell in cells), sum(cell.after for cell in cells)
    if len(cells) < 2 or min(totals) < minimum:
        return None
    return Distribution(
        name,
        tuple(call(cells, place) for place in range(len(cells))),
        tuple(round(100.0 * cell.before / totals[0], 1) for cell in cells),
        tuple(round(100.0 * cell.after / totals[1], 1) for cell in cells),
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
    before = _count(values, cuts)
    after = _masked_counts_of_numbers(masked, name, scale, values, cuts)
    cells = [
        _Cell(ends, float(count), float(other))
        for ends, count, other in zip(_ends(cuts), before, after[:-1], strict=True)
    ]
    joined = _merge_neighbours(cells, minimum)
    n_missing = len(known) - len(values)
    if n_missing >= minimum:
        joined.append(_Cell(("missing",), float(n_missing), float(after[-1])))
    return _build(name, joined, _range_name, minimum, len(cells))


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


def _count(values: Floats, cuts: Floats) -> Floats:
    places = np.searchsorted(cuts, values, side="right")
    return np.bincount(places, minlength=len(cuts) + 1).astype(np.float64)


def _masked_counts_of_numbers(
    masked: Table, name: str, scale: Floats, known: Floats, cuts: Floats
) -> Floats:
    """Released records per cell, missing last; intervals count by what they cover."""
    kept = ~masked.suppressed
    recoding = masked.recodings.get(name)
    codes = masked[name][kept]
    if recoding is None:
        values = scale[codes] if len(scale) else codes
        there = values[~np.isnan(values)]
        return np.append(_count(there, cuts), len(values) - len(there))
    cells = _covered_shares(recoding, scale, known, cuts)
    return np.bincount(codes, minlength=len(cells)) @ cells


def _covered_shares(recoding: Recoding, scale: Floats, known: Floats, cuts: Floats) -> Floats:
    """Shares of original values covered by each recoded cell, per cell, missing last."""
    rows = np.zeros((len(recoding.labels), len(cuts) + 2))
    for code in range(len(rows)):
        values = recoding.covered(code, known, scale)
        there = values[~np.isnan(values)]
        rows[code] = np.append(_count(there, cuts), len(values) - len(there)) / len(values)
    return rows


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
