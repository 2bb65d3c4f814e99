"""Synthetic baseline: a file drawn from a Gaussian copula, evaluated beside the front.

Each column is transformed to normal scores by its ranks, with ties broken at random. New scores are
drawn with the same correlations and transformed back by the distribution of the column. Nothing
else of the file is used, and no record is copied.

A synthetic record belongs to nobody, but measures of loss and risk compare records in pairs. So
synthetic records are matched to similar original ones: both files are halved recursively along the
attribute with the largest spread, and the records of small parts are assigned with the least total
difference.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from evomask.data.schema import Attribute, Kind, Role
from evomask.data.table import Column, Table
from evomask.engine.evaluation import EvaluationContext
from evomask.engine.front import FrontPoint
from evomask.errors import ParameterError
from evomask.evolution.streams import baseline_stream
from evomask.runs.front_evaluation import unmasked_point
from evomask.types import Floats, Indices, Points

SYNTHETIC = "synthetic"
TITLES = {SYNTHETIC: "synthetic records (Gaussian copula)"}
"""Title of each baseline."""

NEARLY_SINGULAR = 1e-9
"""Least eigenvalue of a correlation matrix."""

FEW = 256
"""Largest number of records that are assigned one by one."""


def check_baseline(name: str) -> None:
    """Refuse an unknown baseline; an empty name means none."""
    if name and name not in TITLES:
        raise ParameterError(f"no baseline {name!r}; there is {', '.join(TITLES)}")


def baselines(name: str, context: EvaluationContext) -> dict[str, FrontPoint]:
    """Evaluate a baseline with the measures of a protection; its file is discarded.

    Returns the point by the title of the baseline.
    """
    file = BASELINES[name](context.table, baseline_stream(context.seed))
    rest = context.rest_of(context.table)
    twin = None if rest is None else BASELINES[name](rest, baseline_stream(context.seed))
    evaluated = context.measured(file, twin)
    assessment = context.assess_risk(file, twin) or evaluated.assessment
    risk = assessment.risk if assessment else evaluated.risk
    return {TITLES[name]: unmasked_point(evaluated.loss, risk, assessment)}


def synthetic_file(table: Table, rng: np.random.Generator) -> Table:
    """Draw quasi-identifiers and confidential attributes, matched to the original records."""
    names = table.schema.with_role(Role.QUASI_IDENTIFIER, Role.CONFIDENTIAL)
    drawn = synthetic(table, names, rng)
    return drawn.take(matched(table, drawn, names))


BASELINES: Mapping[str, Callable[[Table, np.random.Generator], Table]] = {SYNTHETIC: synthetic_file}


def synthetic(table: Table, names: Sequence[str], rng: np.random.Generator) -> Table:
    """Draw the named columns from a Gaussian copula; all others are unchanged.

    Numbers are interpolated between neighbouring values and rounded to the decimals of the
    attribute. Values are missing as often as in the file, independently of everything else.
    """
    from scipy.special import ndtr

    scores = np.column_stack([_normal_scores(table, name, rng) for name in names])
    drawn = rng.standard_normal(scores.shape) @ _correlation_root(scores).T
    columns = {
        name: _quantiles(table.attribute(name), table[name], ndtr(drawn[:, place]), rng)
        for place, name in enumerate(names)
    }
    return table.with_columns(columns)


def _normal_scores(table: Table, name: str, rng: np.random.Generator) -> Floats:
    """Normal scores of a column; ties and missing values are ordered at random."""
    from scipy.special import ndtri

    column = np.asarray(table[name], dtype=np.float64)
    filled = np.where(np.isnan(column), rng.permutation(_known(column, len(column))), column)
    order = np.lexsort((rng.random(len(filled)), filled))
    ranks = np.empty(len(filled))
    ranks[order] = (np.arange(len(filled)) + 0.5) / len(filled)
    scores: Floats = ndtri(ranks)
    return scores


def _known(column: Floats, length: int) -> Floats:
    """Known values, repeated to a length; zeros where none is known."""
    known = column[~np.isnan(column)]
    return np.resize(known, length) if len(known) else np.zeros(length)


def _correlation_root(scores: Points) -> Points:
    """Square root of the correlation matrix of the scores."""
    correlations = np.atleast_2d(np.corrcoef(scores, rowvar=False))
    values, vectors = np.linalg.eigh(np.nan_to_num(correlations))
    root: Points = vectors * np.sqrt(np.maximum(values, NEARLY_SINGULAR))
    return root


def _quantiles(
    attribute: Attribute, before: Column, shares: Floats, rng: np.random.Generator
) -> Column:
    """Quantiles of the column's distribution at the given shares."""
    if attribute.is_categorical:
        places = np.minimum((shares * len(before)).astype(np.int64), len(before) - 1)
        codes: Column = np.sort(before)[places]
        return codes
    values = np.sort(_known(before, len(before)))
    drawn = np.interp(shares * (len(values) - 1), np.arange(len(values)), values)
    drawn = drawn if attribute.decimals is None else np.round(drawn, attribute.decimals)
    return np.where(rng.permutation(np.isnan(before)), np.nan, drawn)


def matched(original: Table, drawn: Table, names: Sequence[str]) -> Indices:
    """Position of the matching drawn record for each original record."""
    ours, theirs = (
        np.column_stack([_relative_ranks(original[name], table[name]) for name in names])
        for table in (original, drawn)
    )
    nominal = np.array([original.attribute(name).kind is Kind.NOMINAL for name in names])
    found = np.empty(len(original), dtype=np.intp)
    for own, other in _parts(ours, theirs):
        found[own] = other[_assignment(ours[own], theirs[other], nominal)]
    return found


def _relative_ranks(before: Floats, values: Floats) -> Floats:
    known = np.sort(before[~np.isnan(before)]).astype(np.float64)
    if not len(known):
        return np.full(len(values), 0.5)
    low, high = (np.searchsorted(known, values, side) for side in ("left", "right"))
    ranks: Floats = np.where(np.isnan(values), 0.5, (low + high) / (2.0 * len(known)))
    return ranks


def _parts(ours: Points, theirs: Points) -> Iterator[tuple[Indices, Indices]]:
    """Halve both files recursively along the attribute with the largest spread."""
    stack = [(np.arange(len(ours)), np.arange(len(theirs)))]
    while stack:
        own, other = stack.pop()
        if len(own) <= FEW:
            yield own, other
            continue
        widest = int(np.argmax(ours[own].std(axis=0)))
        own = own[np.argsort(ours[own, widest], kind="stable")]
        other = other[np.argsort(theirs[other, widest], kind="stable")]
        half = len(own) // 2
        stack += [(own[half:], other[half:]), (own[:half], other[:half])]


def _assignment(ours: Points, theirs: Points, nominal: Indices) -> Indices:
    """Assignment of drawn to original records with the least total difference."""
    from scipy.optimize import linear_sum_assignment

    costs = np.zeros((len(ours), len(theirs)))
    for place, is_nominal in enumerate(nominal):
        apart = np.abs(np.subtract.outer(ours[:, place], theirs[:, place]))
        costs += apart > 0 if is_nominal else apart
    pairs: Indices = linear_sum_assignment(costs)[1]
    return pairs
