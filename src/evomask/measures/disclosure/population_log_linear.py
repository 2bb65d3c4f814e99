"""Log-linear models of a population from which a file is a sample.

The number of people in a cell (a combination of values) is Poisson with mean lambda, and each is in
the sample with probability pi. The models differ in how they smooth lambda:

- independence: the product of the marginal distributions;
- all two-way interactions: fitted by iterative proportional fitting of the whole table;
- interpolated: a mixture of nested decomposable models, from independence on, each with one more
  interaction. Weights maximise the likelihood of records left out one at a time (deleted
  interpolation), so that an interaction counts as far as it predicts people not seen.

The first two, the sums tau1 and tau2 over sample uniques and the test of fit B are those of Skinner
and Shlomo (2008, Journal of the American Statistical Association 103:989-1001).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import prod, sqrt

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.types import Floats, Indices, Labels

LARGEST_TABLE = 200_000
"""Most cells of a table that is fitted by iterative proportional fitting."""

LARGEST_CLIQUE = 4
"""Most attributes of an interaction."""

MOST_INTERACTIONS = 15
"""Most interactions of the largest model that is interpolated."""

RECORDS_COMPARED = 50_000
"""Most records by which interactions are chosen."""

CELLS_DRAWN = 50_000
"""Cells drawn from a model for sums over all cells of its table, most of which are empty."""

WEIGHTS = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.85, 0.95])
"""Weights of independence that are tried when an interaction is chosen."""

FITTING_ROUNDS = 100
TOLERANCE = 1e-7

Graph = tuple[frozenset[int], ...]
"""Neighbours of each attribute; an edge is an interaction."""


@dataclass(frozen=True)
class LogLinearFit:
    """Estimates of one log-linear model.

    Args:
        uniques: expected population uniques.
        tau1: expected sample uniques that are population uniques.
        tau2: expected correct matches if every sample unique is matched with the population.
        fit: test of fit B divided by its standard deviation: about standard normal if the model
            holds, large if it smooths too much, negative if too little.
        left_out: expected people of the population in each cell by the model fitted to all other
            records; None where it is not computed.
    """

    uniques: float
    tau1: float
    tau2: float
    fit: float
    left_out: Floats | None = field(default=None, compare=False)


def unique_probability(others: Floats) -> Floats:
    """Probability that a sample unique is a population unique, by expected number of others."""
    return np.exp(-others)


def match_probability(others: Floats) -> Floats:
    """Mean of 1 / F of a sample unique with 1 + Poisson(*others*) people in its cell."""
    small = others < 1e-9
    safe = np.where(small, 1.0, others)
    return np.where(small, 1.0, -np.expm1(-safe) / safe)


def mean_inverse(sizes: Indices, others: Floats) -> Floats:
    """Mean of 1 / F of cells with *sizes* sampled people and Poisson(*others*) more.

    Exact for sample uniques; otherwise to the second order, within 2 % for two and more.
    """
    mean = sizes + others
    return np.where(sizes == 1, match_probability(others), 1 / mean + others / mean**3)


def independence(cells: "Cells", population: float) -> LogLinearFit:
    """Fit the model of independent attributes; its maximum likelihood has a closed form."""
    return _decomposable_fit(cells, population, [_edgeless(cells.width)], np.ones(1))


def interpolated(cells: "Cells", population: float) -> LogLinearFit:
    """Fit the mixture of nested decomposable models that predicts left-out records best."""
    graphs = nested_graphs(cells)
    likelihoods = np.column_stack([_left_out(cells, graph) for graph in graphs])
    return _decomposable_fit(cells, population, graphs, _mixture(likelihoods, cells.counts))


def two_way(cells: "Cells", population: float) -> LogLinearFit | None:
    """Fit the model of all two-way interactions; None if its table is too large."""
    shape = tuple(int(size) for size in cells.values.max(axis=0) + 1)
    if prod(shape) > LARGEST_TABLE:
        return None
    observed = np.zeros(shape)
    observed[tuple(cells.values.T)] = cells.counts
    means = fit_two_way(observed).ravel()
    share = cells.n / population
    frequencies = observed.ravel()
    bias, variance = bias_test(means / share, frequencies, share)
    others = (means * (1 - share) / share)[frequencies == 1]
    return LogLinearFit(
        float(np.sum(means / share * np.exp(-means / share))),
        float(unique_probability(others).sum()),
        float(match_probability(others).sum()),
        bias / sqrt(max(variance, 1e-300)),
    )


def fit_two_way(observed: Floats) -> Floats:
    """Mean of each cell under all two-way interactions, by iterative proportional fitting."""
    axes = range(observed.ndim)
    pairs: list[tuple[int, ...]] = [*combinations(axes, 2)] or [(0,)]
    rest = [tuple(axis for axis in axes if axis not in pair) for pair in pairs]
    targets = [observed.sum(axis=others, keepdims=True) for others in rest]
    fitted = np.full(observed.shape, observed.sum() / observed.size)
    for _ in range(FITTING_ROUNDS):
        before = fitted
        for target, others in zip(targets, rest, strict=True):
            margin = fitted.sum(axis=others, keepdims=True)
            ratio = np.divide(target, margin, out=np.zeros_like(target), where=margin > 0)
            fitted = fitted * ratio
        if np.abs(fitted - before).max() <= TOLERANCE * max(1.0, float(fitted.max())):
            break
    return fitted


def bias_test(means: Floats, frequencies: Floats, share: float) -> tuple[float, float]:
    """Estimated bias B of tau1 and its variance (Skinner and Shlomo 2008), over all cells.

    Args:
        means: expected number of people of the population in each cell.
        frequencies: number of sampled ones.
        share: sampling fraction.
    """
    factor = means * np.exp(-means) * (1 - share)
    half = (1 - share) / (2 * share)
    expected = means * share
    apart = frequencies - expected
    bias = np.sum(factor * (apart + half * (apart**2 - frequencies)))
    variance = np.sum(factor**2 * (expected + 2 * half**2 * expected**2))
    return float(bias), float(variance)


class Cells:
    """Cells of a table that have records, and their marginal counts, computed once each.

    Args:
        values: code of each attribute (column) in each cell (row).
        counts: number of records in each cell.
    """

    def __init__(self, values: Indices, counts: Indices) -> None:
        self.values, self.counts = values, counts
        self.n = int(counts.sum())
        self._margins: dict[frozenset[int], tuple[Labels, Indices]] = {}

    @property
    def width(self) -> int:
        """Number of attributes."""
        return int(self.values.shape[1])

    def margin(self, names: frozenset[int]) -> tuple[Labels, Indices]:
        """Marginal cell of each cell, and the number of records in each marginal cell."""
        if names not in self._margins:
            columns = [self.values[:, name] for name in sorted(names)]
            labels = classes_of_columns(columns, len(self.values)).labels
            counts = np.bincount(labels, self.counts).astype(np.int64)
            self._margins[names] = labels, counts
        return self._margins[names]

    def sizes(self, names: frozenset[int]) -> Indices:
        """Number of records that agree with each cell in the attributes."""
        labels, counts = self.margin(names)
        return counts[labels]

    def of_records(self, size: int, rng: np.random.Generator) -> "Cells":
        """Return the cells of a random sample of the records."""
        drawn = rng.multivariate_hypergeometric(self.counts, size, method="marginals")
        return Cells(self.values[drawn > 0], drawn[drawn > 0])

    def marginal_cells(self, names: frozenset[int], rows: Indices) -> Labels:
        """Marginal cell of each row of codes; -1 where no record has it."""
        labels = self.margin(names)[0]
        columns = [np.concatenate([self.values[:, i], rows[:, i]]) for i in sorted(names)]
        joint = classes_of_columns(columns, len(self.values) + len(rows))
        number = np.full(len(joint), -1, dtype=np.int64)
        number[joint.labels[: len(labels)]] = labels
        found: Labels = number[joint.labels[len(labels) :]]
        return found


def nested_graphs(cells: Cells) -> list[Graph]:
    """Decomposable models from independence on, each with the interaction that predicts best.

    An interaction of a and b given the attributes that separate them is judged by the likelihood
    of records left out one at a time; none is added that does not improve it.
    """
    if cells.n > RECORDS_COMPARED:
        cells = cells.of_records(RECORDS_COMPARED, np.random.default_rng(0))
    graphs = [_edgeless(cells.width)]
    while len(graphs) <= MOST_INTERACTIONS:
        graph = graphs[-1]
        gains = {
            (a, b): _gain(cells, a, b, separator)
            for a, b in combinations(range(cells.width), 2)
            if (separator := _separator(graph, a, b)) is not None
            and len(separator) + 2 <= LARGEST_CLIQUE
        }
        a, b = max(gains, key=gains.__getitem__, default=(0, 0))
        if not gains or gains[a, b] <= 1.0:
            break
        graphs.append(
            tuple(
                neighbours | ({b} if i == a else {a} if i == b else frozenset())
                for i, neighbours in enumerate(graph)
            )
        )
    return graphs


def _edgeless(width: int) -> Graph:
    return (frozenset[int](),) * width


def _separator(graph: Graph, a: int, b: int) -> frozenset[int] | None:
    """Common neighbours of a and b if they separate them, so that an edge keeps it chordal."""
    if b in graph[a]:
        return None
    common = graph[a] & graph[b]
    reached, stack = {a}, [a]
    while stack:
        new = graph[stack.pop()] - common - reached
        reached |= new
        stack += new
    return None if b in reached else common


def _gain(cells: Cells, a: int, b: int, separator: frozenset[int]) -> float:
    """Increase of the logarithmic likelihood of left-out records by an interaction."""
    ends = cells.sizes(separator | {a}) - 1.0, cells.sizes(separator | {b}) - 1.0
    joint = (cells.sizes(separator | {a, b}) - 1.0) * (cells.sizes(separator) - 1.0)
    apart = ends[0] * ends[1]
    ratio = np.divide(joint, apart, out=np.zeros_like(joint), where=apart > 0)
    return max(
        float(np.sum(cells.counts * np.log((1 - weight) * ratio + weight))) for weight in WEIGHTS
    )


def _steps(graph: Graph) -> list[tuple[int, frozenset[int]]]:
    """Attributes in a perfect order, each with its earlier neighbours, which form a clique."""
    steps: list[tuple[int, frozenset[int]]] = []
    done: frozenset[int] = frozenset()
    while len(steps) < len(graph):
        left = [i for i in range(len(graph)) if i not in done]
        own = max(left, key=lambda i: (len(graph[i] & done), -i))
        steps.append((own, graph[own] & done))
        done |= {own}
    return steps


def _left_out(cells: Cells, graph: Graph) -> Floats:
    """Probability of a record of each cell under the model fitted to all other records."""
    found = np.ones(len(cells.values))
    for own, parents in _steps(graph):
        below = cells.sizes(parents) - 1.0
        found *= np.divide(
            cells.sizes(parents | {own}) - 1.0, below, out=np.zeros_like(below), where=below > 0
        )
    return found


def _mixture(likelihoods: Floats, counts: Indices) -> Floats:
    """Weights of the models that maximise the likelihood of left-out records (by EM)."""
    likelihoods = likelihoods + 1e-300
    weights = np.full(likelihoods.shape[1], 1.0 / likelihoods.shape[1])
    for _ in range(FITTING_ROUNDS):
        parts = likelihoods * weights
        parts *= (counts / parts.sum(axis=1))[:, None]
        after = parts.sum(axis=0) / counts.sum()
        if np.abs(after - weights).max() < 1e-6:
            break
        weights = after
    return weights


def _decomposable_fit(
    cells: Cells, population: float, graphs: Sequence[Graph], weights: Floats
) -> LogLinearFit:
    """Estimates of a mixture of decomposable models.

    Sums over all cells are those over the drawn ones, a cell being drawn in proportion to its
    mean; cells with records then get the terms of their counts in place of those of 0.
    """
    rng = np.random.default_rng(0)
    used = [(graph, weight) for graph, weight in zip(graphs, weights, strict=True) if weight > 1e-6]
    numbers = rng.multinomial(CELLS_DRAWN, [w / sum(w for _, w in used) for _, w in used])
    rows = np.concatenate(
        [_draw(cells, graph, m, rng) for (graph, _), m in zip(used, numbers, strict=True) if m]
    )
    drawn = population * _probability(cells, used, rows)
    means = population * _probability(cells, used, cells.values)
    share = cells.n / population
    others = (1 - share) * means[cells.counts == 1]
    tau1, tau2 = unique_probability(others).sum(), match_probability(others).sum()
    if len(used) > 1:  # means of cells with a record are adapted to it, so their sums are too low
        alone = np.exp(-drawn * share)
        tau1 = cells.n * np.mean(np.exp(-drawn))
        tau2 = cells.n * np.mean(alone * match_probability(drawn * (1 - share)))
    return LogLinearFit(
        float(population * np.mean(np.exp(-drawn))),
        float(tau1),
        float(tau2),
        _fit_over_drawn(means, cells.counts, drawn, population, share),
        population * sum(weight * _left_out(cells, graph) for graph, weight in used),
    )


def _fit_over_drawn(
    means: Floats, counts: Indices, drawn: Floats, population: float, share: float
) -> float:
    """The test of fit, with sums over cells without records by cells that were drawn."""
    half = (1 - share) / (2 * share)
    expected = drawn * share
    factor = np.exp(-drawn) * (1 - share)
    bias = population * float(np.mean(factor * (half * expected**2 - expected)))
    spread = drawn * factor**2 * (expected + 2 * half**2 * expected**2)
    seen = bias_test(means, counts.astype(np.float64), share)[0]
    unseen = bias_test(means, np.zeros(1), share)[0]
    return (bias + seen - unseen) / sqrt(max(population * float(np.mean(spread)), 1e-300))


def _draw(cells: Cells, graph: Graph, size: int, rng: np.random.Generator) -> Indices:
    """Draw cells from a decomposable model, attribute by attribute given its parents."""
    rows = np.zeros((size, cells.width), dtype=np.int64)
    for own, parents in _steps(graph):
        labels, counts = cells.margin(parents)
        order = np.argsort(labels, kind="stable")
        upto = np.cumsum(cells.counts[order])
        ends = np.cumsum(counts)
        place = cells.marginal_cells(parents, rows)
        chosen = ends[place] - rng.integers(0, counts[place]) - 1
        rows[:, own] = cells.values[order[np.searchsorted(upto, chosen, side="right")], own]
    return rows


def _probability(cells: Cells, models: Sequence[tuple[Graph, float]], rows: Indices) -> Floats:
    """Probability of each row under a mixture of decomposable models."""
    found: dict[frozenset[int], Floats] = {}

    def sizes(names: frozenset[int]) -> Floats:
        if names not in found:
            place = cells.marginal_cells(names, rows)
            found[names] = np.where(place < 0, 0.0, cells.margin(names)[1][place])
        return found[names]

    total = np.zeros(len(rows))
    for graph, weight in models:
        own = np.full(len(rows), weight)
        for name, parents in _steps(graph):
            below = sizes(parents)
            own *= np.divide(
                sizes(parents | {name}), below, out=np.zeros_like(below), where=below > 0
            )
        total += own
    return total
