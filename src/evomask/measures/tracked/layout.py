"""Originals and masked files laid out as the arrays that tracking kernels work on."""

from collections.abc import Sequence
from itertools import combinations
from math import prod

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.data.classes import classes_of_columns
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.kernels.linking.linkage import as_columns
from evomask.kernels.tracked.categories import Categories, CategoryPlaces
from evomask.kernels.tracked.inference import Inference
from evomask.kernels.tracked.linkage import Linkage, Version
from evomask.kernels.tracked.numbers import NumberPlaces, Numbers
from evomask.measures.categories import CategoricalColumn
from evomask.measures.comparability import categorical, continuous
from evomask.measures.judging.loss import ends_of_scales
from evomask.measures.loss.classic import value_scales
from evomask.measures.loss.moments import ROOT_TWO, Columns
from evomask.measures.loss.probabilistic import LEVELS, Quantiles, SamplingErrors
from evomask.measures.numbers import NumberColumn
from evomask.measures.risk.inference import WINDOW, HalvesAttack, closeness, fixed_halves
from evomask.measures.risk.interval import CATEGORICAL_WINDOW, CONTINUOUS_WINDOWS
from evomask.measures.risk.linkage import expected
from evomask.measures.risk.space import Space
from evomask.measures.tracked.trackable import Request

MOST_CELLS = 1 << 24
"""Contingency tables with more cells than this in all are not kept."""


class Allocation:
    """Counts the places given away in the two arrays of a memory."""

    def __init__(self) -> None:
        self.reals = 0
        self.wholes = 0

    def reals_for(self, size: int) -> int:
        """The first of *size* places for numbers."""
        self.reals += size
        return self.reals - size

    def wholes_for(self, size: int) -> int:
        """The first of *size* places for whole numbers."""
        self.wholes += size
        return self.wholes - size


def _copy(array: Points) -> Points:
    """A copy that kernels accept: contiguous and writable."""
    return np.array(array, dtype=np.float64, order="C")


def _wholes(array: object) -> Indices:
    return np.array(array, dtype=np.int64, order="C")


def _rows(columns: Sequence[Floats], n: int) -> Points:
    return _copy(np.array(columns)) if columns else np.empty((0, n))


def _joined(parts: Sequence[Floats]) -> Floats:
    return _copy(np.concatenate([p.ravel() for p in parts])) if parts else np.empty(0)


def number_facts(original: Table, request: Request, allocation: Allocation) -> Numbers:
    """What kernels need to know of the continuous attributes."""
    names = continuous(original.schema, request.attributes)
    n, d = len(original), len(names)
    at = _number_places(allocation, d, n)
    windows = np.sort(np.array(request.windows or CONTINUOUS_WINDOWS)) / 100 * n
    if not names:
        return _no_numbers(n, windows, at)
    columns = Columns.of(original, names)
    numbers, before = columns.columns, columns.moments
    errors = SamplingErrors.of(before, request.reference)
    quantiles = [Quantiles.of(c, request.reference) for c in numbers]
    varies = (columns.deviations > 0).astype(np.float64)
    return Numbers(
        _rows([c.values for c in numbers], n), _rows([c.ranks for c in numbers], n),
        _rows([value_scales(c.values, c.deviation) for c in numbers], n),
        _joined([c.sorted for c in numbers]),
        _wholes(np.cumsum([0, *(len(c.sorted) for c in numbers)])),
        windows, ROOT_TWO * columns.deviations, _copy(columns.means), _copy(columns.scales),
        _copy(before.means), _copy(errors.means), ROOT_TWO * columns.deviations,
        _copy(before.counts), _copy(before.covariances), _copy(errors.covariances),
        ROOT_TWO * np.outer(varies, varies), _copy(before.correlations),
        _copy(errors.correlations), _rows([q.cuts for q in quantiles], len(LEVELS)),
        _rows([q.shares for q in quantiles], len(LEVELS)),
        np.array([float(q.drawn) for q in quantiles]), at,
    )  # fmt: skip


def _no_numbers(n: int, windows: Floats, at: NumberPlaces) -> Numbers:
    none, square, cuts = np.empty(0), np.empty((0, 0)), np.empty((0, len(LEVELS)))
    cells = [np.empty((0, n))] * 3
    return Numbers._make(
        [*cells, none, _wholes([0]), windows, *[none] * 6, *[square] * 6, cuts, cuts, none, at]
    )


def _number_places(allocation: Allocation, d: int, n: int) -> NumberPlaces:
    sizes = (d * n, d * n, *[d * d] * 5, d, d * d, d * d, d, d, d)
    reals = [allocation.reals_for(size) for size in sizes]
    return NumberPlaces._make(
        [*reals, allocation.wholes_for(d * len(LEVELS)), allocation.wholes_for(d)]
    )


def number_start(
    original: Table, masked: Table, names: tuple[str, ...], facts: Numbers,
    reals: Floats, wholes: Indices,
) -> None:  # fmt: skip
    """Write the continuous cells of a masked file and their sums where kernels want them."""
    chosen, at = continuous(original.schema, names), facts.at
    if not chosen:
        return
    columns = Columns.of(original, chosen)
    cells = columns.cells(masked)
    moments = columns.masked_moments(cells)
    products = moments.values.T @ moments.values
    for start, matrix in (
        (at.counts, moments.counts),
        (at.sums, moments.values.T @ moments.known),
        (at.products, products),
    ):
        reals[start : start + matrix.size] = matrix.ravel()
    pairs = zip(columns.columns, cells, strict=True)
    for a, (column, numbers) in enumerate(pairs):
        n = len(column.values)
        ranks = column.places(numbers.low)
        reals[at.values + a * n :][:n] = numbers.low
        reals[at.ranks + a * n :][:n] = ranks
        reals[at.relative + a] = column.expected_distances(numbers, facts.scales[a]).sum()
        spread = np.full(n, facts.spreads[a])
        reals[at.moved + a] = column.expected_distances(numbers, spread).sum()
        up_to = np.searchsorted(
            np.sort(numbers.low[~np.isnan(numbers.low)]), facts.cuts[a], "right"
        )
        wholes[at.up_to + a * len(up_to) :][: len(up_to)] = up_to
        shares = column.shares_near(numbers, column.ranks, facts.windows)
        wholes[at.hits + a] = np.rint(shares * len(facts.windows)).sum()


def _category_columns(original: Table, names: tuple[str, ...]) -> list[CategoricalColumn]:
    return [CategoricalColumn.of(original, n) for n in categorical(original.schema, names)]


def category_facts(original: Table, request: Request, allocation: Allocation) -> Categories:
    """What kernels need to know of the categorical attributes."""
    columns = _category_columns(original, request.attributes)
    n = len(original)
    sizes = _wholes([c.size for c in columns])
    starts, strides = _tables(sizes, request.dimension)
    squares = sizes**2
    table_cells = int(starts[-1])
    counts = np.arange(n + 1, dtype=np.float64)
    at = CategoryPlaces(
        allocation.reals_for(len(columns)), allocation.reals_for(len(columns)),
        *(allocation.wholes_for(int(size)) for size in (
            n * len(columns), squares.sum(), sizes.sum(), table_cells, 1, len(columns)
        )),
    )  # fmt: skip
    percent = CATEGORICAL_WINDOW if request.window is None else request.window
    window = percent / 100 * n
    return Categories(
        _wholes([c.codes for c in columns]).reshape(len(columns), n), sizes,
        np.cumsum(sizes) - sizes, np.cumsum(squares) - squares,
        _wholes(_joined([c.nearness(window).astype(np.float64) for c in columns])),
        _joined([c.distances for c in columns]),
        counts * np.log(np.maximum(counts, 1.0)), np.log(sizes.astype(np.float64)),
        starts[:-1].copy(), strides, _ends_of_scales(original, request), at,
    )  # fmt: skip


def _ends_of_scales(original: Table, request: Request) -> Floats:
    """Where the scales of the strict loss of categories end; nowhere by other losses."""
    names = categorical(original.schema, request.attributes)
    if request.reference is None or not names:
        return np.zeros(3)
    return np.array(ends_of_scales(original, names))


def _tables(sizes: Indices, dimension: int) -> tuple[Indices, Indices]:
    """Where each contingency table begins (and the last ends), and its strides."""
    starts, strides = [0], []
    for order in range(1, min(dimension, len(sizes)) + 1):
        for chosen in combinations(range(len(sizes)), order):
            steps = np.zeros(len(sizes), dtype=np.int64)
            inside = [int(sizes[j]) for j in chosen]
            steps[list(chosen)] = [prod(inside[k + 1 :]) for k in range(order)]
            starts.append(starts[-1] + prod(inside))
            strides.append(steps)
    if starts[-1] > MOST_CELLS:
        raise ParameterError(
            f"the contingency tables have {starts[-1]} cells, too many to track; "
            "lower the dimension or leave out an attribute"
        )
    return _wholes(starts), _wholes(strides).reshape(len(strides), len(sizes))


def category_start(
    original: Table, masked: Table, names: tuple[str, ...], facts: Categories,
    reals: Floats, wholes: Indices,
) -> None:  # fmt: skip
    """Write the categorical cells of a masked file and their counts where kernels want them."""
    columns, at = _category_columns(original, names), facts.at
    if not columns:
        return
    codes = np.array([masked.codes(c.attribute.name) for c in columns], dtype=np.int64)
    wholes[at.codes : at.codes + codes.size] = codes.ravel()
    for j, column in enumerate(columns):
        size, square = column.size, int(facts.squares[j])
        joint = column.joint_counts(column.cells(masked))
        wholes[at.joint + square :][: size * size] = joint.ravel()
        wholes[at.sizes + int(facts.starts[j]) :][:size] = joint.sum(axis=0)
        entropies = facts.entropies[joint.sum(axis=0)].sum() - facts.entropies[joint].sum()
        reals[at.entropies + j] = entropies
        reals[at.moved + j] = np.sum(joint.ravel() * facts.distances[square:][: size * size])
        wholes[at.hits + j] = np.sum(joint.ravel() * facts.near[square:][: size * size])
    for start, stride in zip(facts.tables, facts.strides, strict=True):
        np.add.at(wholes, at.apart + start + stride @ codes, 1)
        np.add.at(wholes, at.apart + start + stride @ facts.codes, -1)
    wholes[at.total] = np.abs(wholes[at.apart : at.total]).sum()


def linkage_facts(original: Table, request: Request, wanted: bool, values: int) -> Linkage:
    """What kernels need to know of the original records to link masked ones to them."""
    rule = _copy((request.ties or expected)(np.arange(len(original) + 1)))
    if not wanted:
        return _no_linkage(len(original), rule, values)
    space = Space.of(original, request.attributes)
    candidates, own = space.candidates
    terms = space.terms(space.masked(original))
    direction = np.empty(0) if space.direction is None else space.direction
    return Linkage(
        _copy(as_columns(candidates.rows)[0]), np.array(candidates.rows.codes, np.int32, order="C"),
        _wholes(candidates.counts), _copy(candidates.line), _wholes(own),
        candidates.rows.are_plain, _copy(terms.weights), terms.missing, _copy(terms.tables),
        _wholes(terms.starts), _wholes(terms.widths), rule, _copy(space.originals.low[0]),
        _copy(direction), values,
    )  # fmt: skip


def _no_linkage(n: int, rule: Floats, values: int) -> Linkage:
    none, whole = np.empty(0), _wholes([])
    return Linkage(
        numbers=np.empty((0, 0)), codes=np.empty((0, 0), np.int32), counts=whole, line=none,
        own=np.arange(n), plain=True, weights=none, missing=1.0, tables=none, starts=whole,
        widths=whole, rule=rule, origin=none, direction=none, values=values,
    )  # fmt: skip


def inference_facts(
    original: Table, request: Request, wanted: bool, at: NumberPlaces
) -> Inference:  # fmt: skip
    """What kernels need to know of the people attacked by inference."""
    names, n = request.attributes, len(original)
    attack = HalvesAttack(original, names)
    wanted = wanted and len(names) > 1
    every = attack.targets if wanted else np.arange(0)
    likes = classes_of_columns([original[name][every] for name in names], len(every))
    people = every[likes.representatives]
    numbers = [NumberColumn.of(original, m) for m in continuous(original.schema, names)]
    columns = _category_columns(original, names)
    sizes = _wholes([c.size for c in columns])
    halves, counts = np.unique(
        np.array(fixed_halves(len(names)) if wanted else np.empty((0, 0))), axis=0,
        return_counts=True,
    )  # fmt: skip
    known = np.zeros((len(halves), len(names)), dtype=np.int64)
    for row, half in enumerate(halves):
        known[row, half.astype(np.int64)] = 1
    are_numbers = np.array([not original.attribute(m).is_categorical for m in names])
    spaces = [Space.of(original, [names[int(k)] for k in half]) for half in halves]
    return Inference(
        _rows([c.values[people] for c in numbers], len(people)),
        _rows([c.ranks[people] for c in numbers], len(people)),
        _wholes([c.codes[people] for c in columns]).reshape(len(columns), len(people)),
        likes.sizes / max(len(every), 1),
        _wholes(known[:, are_numbers]), _wholes(known[:, ~are_numbers]),
        _half_scales(spaces, numbers), np.array([float(s.unit) for s in spaces]),
        _half_tables(spaces, columns), sizes, np.cumsum(sizes**2) - sizes**2,
        _wholes(_joined([closeness(c, WINDOW / 100 * n).astype(np.float64) for c in columns])),
        _wholes(len(names) - known.sum(axis=1)), counts / max(counts.sum(), 1),
        WINDOW / 100 * n, attack.floor if wanted else 1.0,
        np.empty((2, 0)), np.empty(0), np.empty(0), n, at.values, at.ranks,
    )  # fmt: skip


def _half_scales(spaces: Sequence[Space], numbers: Sequence[NumberColumn]) -> Points:
    """Weights of numbers in each half, 0 for those that it does not hold."""
    scales = np.zeros((len(spaces), len(numbers)))
    names = [column.name for column in numbers]
    for row, space in enumerate(spaces):
        for column, weight in zip(space.numbers, space.weights, strict=True):
            scales[row, names.index(column.name)] = weight
    return scales


def _half_tables(spaces: Sequence[Space], columns: Sequence[CategoricalColumn]) -> Points:
    """Distances of all categories in each half, in its own unit."""
    flat = _joined([c.distances for c in columns])
    return _copy(np.round(np.array([s.unit for s in spaces])[:, None] * flat[None, :]))


def version(allocation: Allocation, linkage: Linkage, inference: Inference, codes: int) -> Version:
    """Places for one version of a masked file, whose codes begin at *codes*."""
    cells = inference.shares.size * inference.weights.size
    return Version(
        codes, allocation.wholes_for(linkage.own.size), allocation.reals_for(1),
        allocation.reals_for(cells), allocation.wholes_for(cells), allocation.wholes_for(cells),
        allocation.reals_for(inference.shares.size),
    )  # fmt: skip
