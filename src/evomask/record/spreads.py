"""How an attribute is spread before and after masking, in cells that point at nobody.

A cell is shown when enough original records are in it; the others are merged with their
neighbours, or, where values have no order, with one another. A category that few records have
is never named, and numbers are cut at round places inside the file, so that neither the least
nor the greatest value is told.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

import msgspec
import numpy as np

from evomask.arrays import Floats
from evomask.data.recoding import Recoding
from evomask.data.schema import Attribute, Kind
from evomask.data.table import Table

MINIMUM = 10
"""Fewest original records in a cell that is shown."""

MOST_CELLS = 12
TAIL = 0.02
"""Share of the records, at least, beyond the first and the last cut."""

NOT_A_YEAR = 10_000
"""From here on thousands are set apart."""

ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)


class Spread(msgspec.Struct, frozen=True):
    """Shares of the records in each cell, in percent, before and after.

    Args:
        cells: what each cell is called, in order.
        merged: whether some values stand together because few records have them.
    """

    attribute: str
    cells: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    merged: bool


class _Cell(msgspec.Struct, frozen=True):
    """Original and masked records of some values; *names* are those that may be told."""

    names: tuple[str, ...]
    before: float
    after: float


def spread(original: Table, masked: Table, name: str, minimum: int = MINIMUM) -> Spread | None:
    """One attribute before and after; none where fewer than two cells can be shown."""
    attribute = original.attribute(name)
    numbers = _as_numbers(attribute)
    if numbers is not None:
        return _spread_of_numbers(original, masked, name, numbers, minimum)
    size = len(attribute.categories)
    before = np.bincount(original.codes(name), minlength=size).astype(np.float64)
    after = _masked_counts(masked, name, before)
    cells = [
        _Cell((words,) if count >= minimum else (), float(count), float(other))
        for words, count, other in zip(_in_words(attribute), before, after, strict=True)
    ]
    if attribute.kind is Kind.ORDINAL:
        joined = _neighbours_joined(cells, max(minimum, _enough(original, cells)))
        return _shown(name, joined, _ordered_name, minimum, len(cells))
    return _shown(name, _others_joined(cells, minimum), _listed_name, minimum, len(cells))


def _in_words(attribute: Attribute) -> list[str]:
    """The categories, with their labels where the file has any."""
    labels = dict(attribute.value_labels)
    return [
        f"{category} ({labels[category]})" if category in labels else category or "missing"
        for category in attribute.categories
    ]


def _as_numbers(attribute: Attribute) -> Floats | None:
    """The numbers of a long ordinal scale; an empty array for a continuous attribute."""
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


def _enough(original: Table, cells: Sequence[_Cell]) -> int:
    """Records a cell needs so that a long scale has few of them."""
    return len(original) // MOST_CELLS if len(cells) > MOST_CELLS else 1


def _masked_counts(masked: Table, name: str, before: Floats) -> Floats:
    """Released records in each category; a set of categories counts by their frequencies."""
    kept = ~masked.suppressed
    codes = masked[name][kept]
    if not masked.is_recoded(name):
        return np.bincount(codes, minlength=len(before)).astype(np.float64)
    shares = masked.recoding(name).spread(np.maximum(before, 1e-9))
    counts: Floats = np.bincount(codes, minlength=len(shares)) @ shares
    return counts


def _neighbours_joined(cells: Sequence[_Cell], enough: int) -> list[_Cell]:
    """Neighbours put together until each cell holds enough original records."""
    joined: list[_Cell] = []
    for cell in cells:
        if joined and joined[-1].before < enough:
            joined.append(_together(joined.pop(), cell))
        else:
            joined.append(cell)
    if len(joined) > 1 and joined[-1].before < enough:
        last = joined.pop()
        joined.append(_together(joined.pop(), last))
    return joined


def _others_joined(cells: Sequence[_Cell], minimum: int) -> list[_Cell]:
    """The most frequent categories, and all others as one cell that is large enough too."""
    ordered = sorted(cells, key=lambda cell: -cell.before)
    shown = [cell for cell in ordered[: MOST_CELLS - 1] if cell.before >= minimum]
    rest = _Cell((), 0.0, 0.0)
    for cell in ordered[len(shown) :]:
        rest = _Cell((), rest.before + cell.before, rest.after + cell.after)
    while shown and 0 < rest.before < minimum:
        smallest = shown.pop()
        rest = _Cell((), rest.before + smallest.before, rest.after + smallest.after)
    return [*shown, rest] if rest.before or rest.after else shown


def _together(cell: _Cell, other: _Cell) -> _Cell:
    return _Cell(cell.names + other.names, cell.before + other.before, cell.after + other.after)


Namer = Callable[[Sequence[_Cell], int], str]


def _listed_name(cells: Sequence[_Cell], place: int) -> str:
    return cells[place].names[0] if cells[place].names else "all others"


def _ordered_name(cells: Sequence[_Cell], place: int) -> str:
    """From the first to the last category that may be told; others nearby are not named."""
    names = cells[place].names
    if not names:
        return f"others, {place + 1}"
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"


def _shown(
    name: str, cells: Sequence[_Cell], call: Namer, minimum: int, values: int
) -> Spread | None:
    totals = sum(cell.before for cell in cells), sum(cell.after for cell in cells)
    if len(cells) < 2 or min(totals) < minimum:
        return None
    return Spread(
        name,
        tuple(call(cells, place) for place in range(len(cells))),
        tuple(round(100.0 * cell.before / totals[0], 1) for cell in cells),
        tuple(round(100.0 * cell.after / totals[1], 1) for cell in cells),
        len(cells) < values,
    )


def _spread_of_numbers(
    original: Table, masked: Table, name: str, scale: Floats, minimum: int
) -> Spread | None:
    """Cells between round numbers, open at both ends; few missing values are left out."""
    known = scale[original.codes(name)] if len(scale) else original.values(name)
    values = known[~np.isnan(known)]
    cuts = _round_cuts(values, minimum)
    if not len(cuts):
        return None
    before = _counted(values, cuts)
    after = _masked_counts_of_numbers(masked, name, scale, values, cuts)
    cells = [
        _Cell(ends, float(count), float(other))
        for ends, count, other in zip(_ends(cuts), before, after[:-1], strict=True)
    ]
    joined = _neighbours_joined(cells, minimum)
    n_missing = len(known) - len(values)
    if n_missing >= minimum:
        joined.append(_Cell(("missing",), float(n_missing), float(after[-1])))
    return _shown(name, joined, _range_name, minimum, len(cells))


def _round_cuts(values: Floats, minimum: int) -> Floats:
    """Round numbers that leave enough records below the first and above the last one."""
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


def _counted(values: Floats, cuts: Floats) -> Floats:
    places = np.searchsorted(cuts, values, side="right")
    return np.bincount(places, minlength=len(cuts) + 1).astype(np.float64)


def _masked_counts_of_numbers(
    masked: Table, name: str, scale: Floats, known: Floats, cuts: Floats
) -> Floats:
    """Released records in each cell, missing ones last; an interval counts by what it covers."""
    kept = ~masked.suppressed
    recoding = masked.recodings.get(name)
    codes = masked[name][kept]
    if recoding is None:
        values = scale[codes] if len(scale) else codes
        there = values[~np.isnan(values)]
        return np.append(_counted(there, cuts), len(values) - len(there))
    cells = _covered(recoding, scale, known, cuts)
    return np.bincount(codes, minlength=len(cells)) @ cells


def _covered(recoding: Recoding, scale: Floats, known: Floats, cuts: Floats) -> Floats:
    """Of each recoded cell the shares of original values that lie in each cell, missing last."""
    rows = np.zeros((len(recoding.labels), len(cuts) + 2))
    for code in range(len(rows)):
        values = recoding.covered(code, known, scale)
        there = values[~np.isnan(values)]
        rows[code] = np.append(_counted(there, cuts), len(values) - len(there)) / len(values)
    return rows


def _ends(cuts: Floats) -> list[tuple[str, str]]:
    """Both ends of each cell in words; an open one is empty."""
    texts = [f"{cut:,.10g}" if abs(cut) >= NOT_A_YEAR else f"{cut:.10g}" for cut in cuts]
    return list(pairwise(["", *texts, ""]))


def _range_name(cells: Sequence[_Cell], place: int) -> str:
    """The outer ends of the ranges that were put together."""
    low, high = cells[place].names[0], cells[place].names[-1]
    if low == high:
        return low or "any"
    if not low:
        return f"under {high}"
    return f"{low} to {high}" if high else f"{low} or more"
