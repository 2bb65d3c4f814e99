"""Incremental evaluation: the state of a masked file, updated by single changed cells.

The original and the masked file are laid out as the arrays of ``evomask.kernels.incremental``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError
from evomask.kernels.compiler.bundles import bundle_tuple
from evomask.kernels.incremental import measures as kernels
from evomask.kernels.incremental.disclosure import Inference, Linkage, Version
from evomask.kernels.incremental.papers_loss import (
    Categories,
    CategoryPlaces,
    NumberPlaces,
    Numbers,
)
from evomask.kernels.incremental.state import (
    STATE,
    Renaming,
    State,
    Wanted,
    begin,
)
from evomask.kernels.incremental.undo_log import create_memory
from evomask.kernels.linking.linkage import as_columns
from evomask.measures.columns import CategoricalColumn, NumberColumn
from evomask.measures.comparison_space import Space
from evomask.measures.incremental.allocation import Allocation
from evomask.measures.incremental.loss_layout import LossLayout, no_loss
from evomask.measures.incremental.readings import Request
from evomask.measures.loss.loss import InformationLoss, LossWeights
from evomask.measures.measure import categorical, check_masked, check_original, continuous
from evomask.measures.papers.continuous_loss import LEVELS, Quantiles, SamplingErrors, value_scales
from evomask.measures.papers.distance_linkage import expected_success
from evomask.measures.papers.inference import WINDOW, HalvesAttack, close_categories, fixed_halves
from evomask.measures.papers.interval_disclosure import CATEGORICAL_WINDOW, CONTINUOUS_WINDOWS
from evomask.measures.profiles import IncrementalRisk, PapersLoss, PapersRisk
from evomask.measures.statistics import ROOT_TWO, Columns
from evomask.types import Floats, Indices, Points

MOST_CELLS = 1 << 24
"""Cells of all contingency tables that can be tracked, at most."""


def _copy(array: Points) -> Points:
    """Copy into an array that kernels accept: contiguous and writable."""
    return np.array(array, dtype=np.float64, order="C")


def _wholes(array: object) -> Indices:
    return np.array(array, dtype=np.int64, order="C")


def _rows(columns: Sequence[Floats], n: int) -> Points:
    return _copy(np.array(columns)) if columns else np.empty((0, n))


def _joined(parts: Sequence[Floats]) -> Floats:
    return _copy(np.concatenate([p.ravel() for p in parts])) if parts else np.empty(0)


def number_layout(
    original: Table, request: Request, allocation: Allocation, losses: bool
) -> Numbers:
    """Layout of the continuous attributes of the original, for *losses* of the papers or none."""
    names = continuous(original.schema, request.attributes)
    n, d = len(original), len(names)
    at = _number_places(allocation, d, n)
    windows = np.sort(np.array(request.windows or CONTINUOUS_WINDOWS)) / 100 * n
    if not names:
        return _no_numbers(n, windows, at)
    columns = Columns.of(original, names)
    numbers = columns.columns
    plain = _no_numbers(n, windows, at)._replace(
        values=_rows([c.values for c in numbers], n), ranks=_rows([c.ranks for c in numbers], n),
        sorted=_joined([c.sorted for c in numbers]),
        ends=_wholes(np.cumsum([0, *(len(c.sorted) for c in numbers)])),
    )  # fmt: skip
    return _with_statistics(plain, columns) if losses else plain


def _with_statistics(plain: Numbers, columns: Columns) -> Numbers:
    """Add what the losses of the papers need."""
    numbers, before = columns.columns, columns.moments
    errors, quantiles = SamplingErrors.of(before), [Quantiles.of(c) for c in numbers]
    varies = (columns.deviations > 0).astype(np.float64)
    scales = [value_scales(c.values, c.deviation) for c in numbers]
    return plain._replace(
        scales=_copy(np.array(scales)), spreads=ROOT_TWO * columns.deviations,
        means=_copy(columns.means), deviations=_copy(columns.scales), centres=_copy(before.means),
        mean_errors=_copy(errors.means), mean_fallbacks=ROOT_TWO * columns.deviations,
        counts=_copy(before.counts), covariances=_copy(before.covariances),
        covariance_errors=_copy(errors.covariances),
        covariance_fallbacks=ROOT_TWO * np.outer(varies, varies),
        correlations=_copy(before.correlations), correlation_errors=_copy(errors.correlations),
        cuts=_copy(np.array([q.cuts for q in quantiles])),
        shares=_copy(np.array([q.shares for q in quantiles])),
        drawn=np.array([float(q.drawn) for q in quantiles]),
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


def write_numbers(
    original: Table, masked: Table, names: tuple[str, ...], facts: Numbers, reals: Floats
) -> None:
    """Write the continuous cells of a masked file and their ranks into the memory."""
    n = len(original)
    for a, name in enumerate(continuous(original.schema, names)):
        values = masked.values(name)
        reals[facts.at.values + a * n :][:n] = values
        reals[facts.at.ranks + a * n :][:n] = NumberColumn.of(original, name).places(values)


def write_number_losses(
    original: Table, masked: Table, names: tuple[str, ...], facts: Numbers,
    reals: Floats, wholes: Indices,
) -> None:  # fmt: skip
    """Write what the papers' losses of a masked file need into the memory."""
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
        reals[at.relative + a] = column.expected_distances(numbers, facts.scales[a]).sum()
        spread = np.full(len(original), facts.spreads[a])
        reals[at.moved + a] = column.expected_distances(numbers, spread).sum()
        up_to = np.searchsorted(
            np.sort(numbers.low[~np.isnan(numbers.low)]), facts.cuts[a], "right"
        )
        wholes[at.up_to + a * len(up_to) :][: len(up_to)] = up_to
        shares = column.shares_near(numbers, column.ranks, facts.windows)
        wholes[at.hits + a] = np.rint(shares * len(facts.windows)).sum()


def _category_columns(original: Table, names: tuple[str, ...]) -> list[CategoricalColumn]:
    return [CategoricalColumn.of(original, n) for n in categorical(original.schema, names)]


def category_layout(
    original: Table, request: Request, allocation: Allocation, losses: bool
) -> Categories:
    """Layout of the categorical attributes of the original, for *losses* of the papers or none."""
    columns = _category_columns(original, request.attributes)
    n = len(original)
    sizes = _wholes([c.size for c in columns])
    starts, strides = _tables(sizes, request.dimension if losses else 0)
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
        starts[:-1].copy(), strides, at,
    )  # fmt: skip


def require_few_cells(count: int) -> None:
    """Raise an error if contingency tables have too many cells to track."""
    if count > MOST_CELLS:
        raise ParameterError(
            f"the contingency tables have {count} cells, too many to track; "
            "lower the dimension or leave out an attribute"
        )


def _tables(sizes: Indices, dimension: int) -> tuple[Indices, Indices]:
    """Start of each contingency table (and the end of the last), and its strides."""
    starts, strides = [0], []
    for order in range(1, min(dimension, len(sizes)) + 1):
        for chosen in combinations(range(len(sizes)), order):
            steps = np.zeros(len(sizes), dtype=np.int64)
            inside = [int(sizes[j]) for j in chosen]
            steps[list(chosen)] = [prod(inside[k + 1 :]) for k in range(order)]
            starts.append(starts[-1] + prod(inside))
            strides.append(steps)
    require_few_cells(starts[-1])
    return _wholes(starts), _wholes(strides).reshape(len(strides), len(sizes))


def write_categories(
    original: Table, masked: Table, names: tuple[str, ...], facts: Categories, wholes: Indices
) -> None:
    """Write the categorical cells of a masked file and their joint counts into the memory."""
    columns, n = _category_columns(original, names), len(original)
    for j, column in enumerate(columns):
        wholes[facts.at.codes + j * n :][:n] = masked.codes(column.attribute.name)
        joint = column.joint_counts(column.cells(masked))
        wholes[facts.at.joint + int(facts.squares[j]) :][: joint.size] = joint.ravel()


def write_category_losses(
    original: Table, names: tuple[str, ...], facts: Categories, reals: Floats, wholes: Indices
) -> None:
    """Write what the papers' losses need into a memory that has the categorical cells."""
    columns, at, n = _category_columns(original, names), facts.at, len(original)
    if not columns:
        return
    for j, column in enumerate(columns):
        size, square = column.size, int(facts.squares[j])
        joint = wholes[at.joint + square :][: size * size].reshape(size, size)
        wholes[at.sizes + int(facts.starts[j]) :][:size] = joint.sum(axis=0)
        entropies = facts.entropies[joint.sum(axis=0)].sum() - facts.entropies[joint].sum()
        reals[at.entropies + j] = entropies
        reals[at.moved + j] = np.sum(joint.ravel() * facts.distances[square:][: size * size])
        wholes[at.hits + j] = np.sum(joint.ravel() * facts.near[square:][: size * size])
    codes = wholes[at.codes :][: n * len(columns)].reshape(len(columns), n)
    for start, stride in zip(facts.tables, facts.strides, strict=True):
        np.add.at(wholes, at.apart + start + stride @ codes, 1)
        np.add.at(wholes, at.apart + start + stride @ facts.codes, -1)
    wholes[at.total] = np.abs(wholes[at.apart : at.total]).sum()


def linkage_layout(original: Table, request: Request, needed: bool, values: int) -> Linkage:
    """Layout of the original records for distance-based linkage."""
    rule = _copy((request.ties or expected_success)(np.arange(len(original) + 1)))
    if not needed:
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


def inference_layout(
    original: Table, request: Request, needed: bool, at: NumberPlaces
) -> Inference:  # fmt: skip
    """Layout of the targets of attribute inference."""
    names, n = request.attributes, len(original)
    attack = HalvesAttack(original, names)
    needed = needed and len(names) > 1
    every = attack.targets if needed else np.arange(0)
    equal = classes_of_columns([original[name][every] for name in names], len(every))
    targets = every[equal.representatives]
    numbers = [NumberColumn.of(original, m) for m in continuous(original.schema, names)]
    columns = _category_columns(original, names)
    sizes = _wholes([c.size for c in columns])
    halves, counts = np.unique(
        np.array(fixed_halves(len(names)) if needed else np.empty((0, 0))), axis=0,
        return_counts=True,
    )  # fmt: skip
    known = np.zeros((len(halves), len(names)), dtype=np.int64)
    for row, half in enumerate(halves):
        known[row, half.astype(np.int64)] = 1
    are_numbers = np.array([not original.attribute(m).is_categorical for m in names])
    spaces = [Space.of(original, [names[int(k)] for k in half]) for half in halves]
    distances, window = _joined([c.distances for c in columns])[None, :], WINDOW / 100 * n
    return Inference(
        _rows([c.values[targets] for c in numbers], len(targets)),
        _rows([c.ranks[targets] for c in numbers], len(targets)),
        _wholes([c.codes[targets] for c in columns]).reshape(len(columns), len(targets)),
        equal.sizes / max(len(every), 1),
        _wholes(known[:, are_numbers]), _wholes(known[:, ~are_numbers]),
        _half_scales(spaces, numbers), np.array([float(s.unit) for s in spaces]),
        _copy(np.round(np.array([s.unit for s in spaces])[:, None] * distances)), sizes,
        np.cumsum(sizes**2) - sizes**2,
        _wholes(_joined([close_categories(c, window).astype(np.float64) for c in columns])),
        _wholes(len(names) - known.sum(axis=1)), counts / max(counts.sum(), 1),
        window, attack.floor if needed else 1.0,
        np.empty((2, 0)), np.empty(0), np.empty(0), n, at.values, at.ranks,
    )  # fmt: skip


def _half_scales(spaces: Sequence[Space], numbers: Sequence[NumberColumn]) -> Points:
    """Weights of numbers in each half, 0 for those that it does not contain."""
    scales = np.zeros((len(spaces), len(numbers)))
    names = [column.name for column in numbers]
    for row, space in enumerate(spaces):
        for column, weight in zip(space.numbers, space.weights, strict=True):
            scales[row, names.index(column.name)] = weight
    return scales


def version_layout(
    allocation: Allocation, linkage: Linkage, inference: Inference, codes: int
) -> Version:
    """Reserve memory for one version of a masked file, whose codes begin at *codes*."""
    cells = inference.shares.size * inference.weights.size
    return Version(
        codes, allocation.wholes_for(linkage.own.size), allocation.reals_for(1),
        allocation.reals_for(cells), allocation.wholes_for(cells), allocation.wholes_for(cells),
        allocation.reals_for(inference.shares.size),
    )  # fmt: skip


MEASURES = {
    InformationLoss.about.name: kernels.LOSS, PapersLoss.about.name: kernels.LOSS,
    PapersRisk.about.name: kernels.PAPERS, IncrementalRisk.about.name: kernels.STRICT,
    "pil": kernels.PIL,
    "il1": kernels.IL1, "il2": kernels.IL2, "il3": kernels.IL3,
    "il4": kernels.IL4, "il5": kernels.IL5,
    "dbil": kernels.DBIL, "ctbil": kernels.CTBIL, "ebil": kernels.EBIL, "id": kernels.ID,
    "dbrl": kernels.DBRL, "relabelling": kernels.RELABELLING,
    "dbrl-relabelled": kernels.RELABELLED_DBRL, "inference": kernels.INFERENCE,
}  # fmt: skip
"""Number of each measure in the kernels."""

CHEAP = Wanted(loss=False, linkage=False, renaming=False, inference=False)

PARTS = {
    InformationLoss.about.name: CHEAP._replace(loss=True),
    PapersRisk.about.name: CHEAP._replace(linkage=True),
    IncrementalRisk.about.name: Wanted(loss=True, linkage=True, renaming=True, inference=True),
    "dbrl": CHEAP._replace(linkage=True),
    "relabelling": CHEAP._replace(renaming=True),
    "dbrl-relabelled": CHEAP._replace(linkage=True, renaming=True),
    "inference": CHEAP._replace(inference=True),
}
"""Parts that each measure needs; the others need those of `CHEAP`."""


UNDO_DEPTH = 16
"""Changes of the costliest kind that can be undone at once."""


@dataclass(frozen=True, eq=False)
class TrackedFile:
    """A masked file whose measures are updated by single changes.

    ``state`` is the argument of kernels that try many changes; see
    ``evomask.kernels.incremental.state``.
    """

    original: Table
    names: tuple[str, ...]
    measure: int
    state: State

    @property
    def value(self) -> float:
        return kernels.read_state(self.state, self.measure)

    def read(self, measure: str) -> float:
        """Another measure of the same file, if its parts are tracked too."""
        return kernels.read_state(self.state, MEASURES[measure])

    def change(self, record: int, name: str, value: float) -> None:
        """Write a number, or the code of a category, into one cell."""
        if name not in self.names:
            self.original.attribute(name)
            return
        self._check(record, name, value)
        kernels.change_cell(self.state, record, self.names.index(name), float(value))

    def undo(self) -> None:
        """Undo every change since the last ``keep``, or since the beginning."""
        kernels.undo_changes(self.state)

    def keep(self) -> None:
        """Commit all pending changes."""
        kernels.keep_changes(self.state)

    def _check(self, record: int, name: str, value: float) -> None:
        if not 0 <= record < len(self.original):
            raise ParameterError(f"there is no record {record}; records are numbered from 0")
        memory = self.state.memory
        if memory.size[0] + self.state.most > len(memory.places):
            raise ParameterError("the undo log is full; keep or undo some changes first")
        attribute = self.original.attribute(name)
        if attribute.is_categorical:
            if value not in range(len(attribute.categories)):
                raise ParameterError(f"the value for {name!r} must be the code of a category")
        elif np.isinf(value):
            raise ParameterError(f"the value for {name!r} must not be infinite")


@dataclass(frozen=True, eq=False)
class Tracker:
    """One original and one request, prepared to track many masked files."""

    original: Table
    request: Request

    @cached_property
    def wanted(self) -> Wanted:
        """The parts that this measure needs; without categories nothing is renamed."""
        wanted = PARTS.get(self.request.measure, CHEAP)
        renames = wanted.renaming and bool(categorical(self.original.schema, self._names))
        return wanted._replace(renaming=renames)

    @property
    def _names(self) -> tuple[str, ...]:
        return self.request.attributes

    @cached_property
    def _columns(self) -> Indices:
        """For each attribute, its row among the numbers, or the complement of one."""
        schema = self.original.schema
        numbers, categories = continuous(schema, self._names), categorical(schema, self._names)
        rows = [numbers.index(n) if n in numbers else ~categories.index(n) for n in self._names]
        return np.array(rows, dtype=np.int64)

    @cached_property
    def _allocation(self) -> Allocation:
        return Allocation()

    @cached_property
    def _loss(self) -> LossLayout:
        """Layout of the information loss in three parts."""
        loss = InformationLoss(self._names, LossWeights(*self.request.weights))
        layout = LossLayout(loss.against(self.original))
        require_few_cells(layout.ends[-1])
        return layout

    @cached_property
    def _blank(self) -> State:
        """The state without the values of a masked file."""
        check_original(self.original, self._names)
        allocation, original, request = self._allocation, self.original, self.request
        papers = not self.wanted.loss
        numbers = number_layout(original, request, allocation, papers)
        categories = category_layout(original, request, allocation, papers)
        loss = no_loss() if papers else self._loss.facts(allocation)
        linkage = linkage_layout(original, request, self.wanted.linkage, numbers.at.values)
        inference = inference_layout(original, request, self.wanted.inference, numbers.at)
        main = version_layout(allocation, linkage, inference, categories.at.codes)
        names = int(categories.sizes.sum())
        renaming = Renaming(
            allocation.wholes_for(names), allocation.wholes_for(len(categories.sizes)),
            allocation.wholes_for(1), allocation.wholes_for(1), main, main,
        )  # fmt: skip
        cells = len(original) * len(categories.sizes) if self.wanted.renaming else 0
        if cells:
            renaming = renaming._replace(
                first=version_layout(allocation, linkage, inference, allocation.wholes_for(cells)),
                second=version_layout(allocation, linkage, inference, allocation.wholes_for(cells)),
            )
        cells_of_targets = int(inference.shares.size * (3 * inference.weights.size + 1))
        d, tables = len(numbers.values), len(categories.tables)
        most = 8 * d + 2 * tables + names + 64 + 2 * cells_of_targets
        most += 0 if papers else self._loss.most_writes
        return State(
            create_memory(np.empty(0), np.empty(0, np.int64), 0), numbers, categories, loss,
            linkage, inference, main, renaming, self.wanted, np.full(1, 2), self._columns, most,
        )  # fmt: skip

    def begin(self, masked: Table, unkept: int = UNDO_DEPTH) -> TrackedFile:
        """Start tracking changes of *masked*; *unkept* of them can be undone at once."""
        check_masked(self.original, masked, self._names)
        for name in self._names:
            if masked.is_recoded(name):
                raise DataError(f"column {name!r} is generalized; only plain values can be tracked")
        if masked.suppressed.any():
            raise DataError("the masked file has suppressed records; it cannot be tracked")
        blank = self._blank
        reals = np.zeros(self._allocation.reals)
        wholes = np.zeros(self._allocation.wholes, np.int64)
        original, names = self.original, self._names
        write_numbers(original, masked, names, blank.numbers, reals)
        write_categories(original, masked, names, blank.categories, wholes)
        if self.wanted.loss:
            self._loss.write(masked, blank.loss, reals, wholes)
        else:
            write_number_losses(original, masked, names, blank.numbers, reals, wholes)
            write_category_losses(original, names, blank.categories, reals, wholes)
        n_targets, n = blank.inference.weights.size, len(self.original)
        inference = blank.inference._replace(
            before=np.empty((2, blank.inference.shares.size * n_targets)),
            people=np.empty(n_targets), records=np.empty(n),
        )  # fmt: skip
        memory = create_memory(reals, wholes, unkept * blank.most)
        state = bundle_tuple(
            STATE, blank._replace(memory=memory, inference=inference, depth=np.full(1, 2))
        )
        begin(state)
        return TrackedFile(self.original, self._names, MEASURES[self.request.measure], state)
