"""Similarity of a masked file to its original, by measures that experts cite.

The propensity score of a record is the probability that it is masked and not original, by a
logistic regression on all attributes. pMSE is the mean squared distance of the scores from the
share of masked records (Woo et al., 2009), its ratio to the expectation for records drawn from the
distribution of the original is that of Snoke et al. (2018), and SPECKS is the Kolmogorov-Smirnov
distance between the scores of both files (Bowen and Snoke, 2021).
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass

import numpy as np

from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.measures.analyses.estimates import MIN_RECORDS
from evomask.measures.analyses.models import Term, logistic, predictor_term
from evomask.measures.analyses.records import OriginalFile, Records, is_number
from evomask.measures.columns import CategoricalColumn, NumberColumn
from evomask.measures.loss.accuracy import CategoryAccuracy, NumberAccuracy
from evomask.measures.loss.marginals import SHARES, Marginals, marginals
from evomask.measures.loss.transfer import Transfer, transfers
from evomask.types import Floats, Points

MOST_RECORDS = 20_000
"""Records of the propensity model; of more, evenly spaced ones are taken."""

MOST_COLUMNS = 60
"""Design columns of an attribute in the propensity model; attributes with more are left out."""

TIMES = 3.0
"""A group that loses this many times what the others lose is named in a warning."""

STANDARD_ERRORS = 4.0
"""Least distance of the loss of such a group from that of the others."""

SCORE_DECIMALS = 12


@dataclass(frozen=True)
class ColumnSimilarity:
    """Distances between the distributions of one column before and after masking.

    Args:
        hellinger: Hellinger distance in percent; of numbers in 20 bins.
        wasserstein: Wasserstein distance of numbers in percent of the standard deviation of the
            original; None for categories.
    """

    name: str
    hellinger: float
    wasserstein: float | None


@dataclass(frozen=True)
class GroupLoss:
    """A group of records that loses far more than all others.

    Args:
        loss, others: mean distance of masked cells from the true values, in percent.
    """

    attribute: str
    category: str
    records: int
    loss: float
    others: float

    @property
    def sentence(self) -> str:
        """A warning in words."""
        return (
            f"the {self.records} records with {self.attribute} = {self.category} lose "
            f"{self.loss:.1f} % of their accuracy, all others {self.others:.1f} %: results for "
            "this group are not reliable"
        )


@dataclass(frozen=True)
class Similarity:
    """Similarity of a masked file to its original.

    Args:
        pmse: mean squared error of the propensity scores; 0 to 0.25.
        pmse_ratio: pMSE over its expectation for records drawn from the distribution of the
            original; 0 if nothing was masked.
        specks: distance between the scores of both files, in percent.
        omitted: attributes that the propensity model leaves out, for their many categories.
        marginals: k-marginal scores of tables of two and three columns.
        transfers: success of models that are trained on masked and tested on original records.
        groups: those that lose more than three times what the others lose.
    """

    pmse: float
    pmse_ratio: float
    specks: float
    omitted: tuple[str, ...]
    columns: tuple[ColumnSimilarity, ...]
    marginals: Marginals
    transfers: tuple[Transfer, ...]
    groups: tuple[GroupLoss, ...]

    def as_json(self) -> dict[str, object]:
        """All measures as a JSON object."""
        return asdict(self)


def similarity(original: Table, masked: Table, names: Sequence[str]) -> Similarity:
    """Compare some attributes of a masked file with those of its original."""
    file = OriginalFile(original)
    columns = tuple(_column_similarity(file, masked, name) for name in names)
    pmse, ratio, specks, omitted = _propensity(original, masked, names)
    groups = subgroups(original, masked, names)
    return Similarity(
        pmse=pmse,
        pmse_ratio=ratio,
        specks=specks,
        omitted=omitted,
        columns=columns,
        marginals=marginals(original, masked, names),
        transfers=transfers(original, masked, names),
        groups=groups,
    )


def _propensity(
    original: Table, masked: Table, names: Sequence[str]
) -> tuple[float, float, float, tuple[str, ...]]:
    """Return pMSE, its ratio to the expectation, SPECKS, and the attributes left out."""
    if len(original) > MOST_RECORDS:
        rows = np.linspace(0, len(original) - 1, MOST_RECORDS).astype(np.int64)
        original, masked = original.take(rows), masked.take(rows)
    file = OriginalFile(original)
    terms = _terms(file, names)
    used = [term.attribute.name for term in terms]
    omitted = [name for name in names if name not in used]
    if not terms:
        return 0.0, 0.0, 0.0, tuple(omitted)
    both = [file.against(table).records(used) for table in (original, masked)]
    design = _design(terms, both)
    weights = np.concatenate([records.count for records in both])
    is_masked = np.repeat([0.0, 1.0], [len(records.count) for records in both])
    fit = logistic(design, is_masked, weights)
    scores = np.round(fit.predicted(design), SCORE_DECIMALS)
    whole, share = float(weights.sum()), float(weights @ is_masked / weights.sum())
    pmse = float(weights @ (scores - share) ** 2) / whole
    slopes = int(fit.determined.sum()) - 1
    expected = slopes * (1 - share) ** 2 * share / whole
    ratio = pmse / expected if expected > 0 else 0.0
    return pmse, ratio, 100.0 * _apart(scores, weights, is_masked), tuple(omitted)


def _terms(file: OriginalFile, names: Sequence[str]) -> list[Term]:
    """Design columns of the attributes that have few enough of them."""
    terms = []
    for name in names:
        with suppress(SchemaError):
            terms.append(predictor_term(file, name, "propensity score"))
    return [term for term in terms if len(term.names) <= MOST_COLUMNS]


def _design(terms: Sequence[Term], both: Sequence[Records]) -> Points:
    """Design columns of both files; a missing value is 0 and has a column of its own."""
    parts = [np.concatenate([term.of(records) for records in both]) for term in terms]
    missing = [np.isnan(part).any(axis=1) for part in parts]
    extra = [gone.astype(np.float64)[:, None] for gone in missing if gone.any()]
    ones = np.ones((len(parts[0]), 1))
    return np.column_stack([ones, *map(np.nan_to_num, parts), *extra])


def _apart(scores: Floats, weights: Floats, is_masked: Floats) -> float:
    """Largest difference of the distribution functions of the scores of both files."""
    _, places = np.unique(scores, return_inverse=True)
    steps = [np.bincount(places, weights * side) for side in (is_masked, 1.0 - is_masked)]
    first, second = (np.cumsum(step) / step.sum() for step in steps)
    return float(np.abs(first - second).max())


def _column_similarity(file: OriginalFile, masked: Table, name: str) -> ColumnSimilarity:
    attribute = file.table.attribute(name)
    before, after = (file.against(table).records((name,)) for table in (file.table, masked))
    if not is_number(attribute):
        size = len(attribute.categories)
        shares = [
            np.bincount(r.columns[name], r.count, size).astype(np.float64) for r in (before, after)
        ]
        return ColumnSimilarity(name, _hellinger(shares), None)
    values = [records.numbers(attribute) for records in (before, after)]
    known = [~np.isnan(part) for part in values]
    if not all(part.any() for part in known):
        return ColumnSimilarity(name, 100.0 * bool(known[0].any() != known[1].any()), None)
    repeated = np.repeat(values[0], before.count.astype(np.int64))
    cuts = np.unique(np.nanquantile(repeated, SHARES))
    places = [
        np.where(there, np.searchsorted(cuts, part, "right"), len(cuts) + 1)
        for part, there in zip(values, known, strict=True)
    ]
    counts = [
        np.bincount(place, records.count, len(cuts) + 2).astype(np.float64)
        for place, records in zip(places, (before, after), strict=True)
    ]
    return ColumnSimilarity(name, _hellinger(counts), _wasserstein(values, known, before, after))


def _hellinger(counts: Sequence[Floats]) -> float:
    """Hellinger distance of two distributions in percent."""
    before, after = counts
    roots = np.sqrt(before / before.sum()) - np.sqrt(after / after.sum())
    return 100.0 * float(np.sqrt(np.sum(roots**2) / 2))


def _wasserstein(
    values: Sequence[Floats], known: Sequence[Floats], before: Records, after: Records
) -> float | None:
    """Wasserstein distance in percent of the standard deviation; None for a constant column."""
    from scipy.stats import wasserstein_distance

    first, second = (part[there] for part, there in zip(values, known, strict=True))
    weights = [r.count[there] for r, there in zip((before, after), known, strict=True)]
    mean = np.average(first, weights=weights[0])
    spread = float(np.sqrt(np.average((first - mean) ** 2, weights=weights[0])))
    if spread == 0:
        return None
    if len(first) == len(second) and all(np.all(one == 1.0) for one in weights):
        return 100.0 * float(np.abs(np.sort(first) - np.sort(second)).mean()) / spread
    return 100.0 * float(wasserstein_distance(first, second, *weights)) / spread


def subgroups(original: Table, masked: Table, names: Sequence[str]) -> tuple[GroupLoss, ...]:
    """Groups that lose more than three times what all others lose, the worst first.

    Groups are the records with a category, of ten records or more. What a record loses is the mean
    distance of its masked cells from the true values, 100 being a column permuted at random. A
    difference within four standard errors is no warning.
    """
    losses = _losses(original, masked, names)
    found = [
        group
        for attribute in original.schema
        if attribute.is_categorical and attribute.name in masked.schema
        for group in _groups_of(original, attribute.name, losses)
    ]
    return tuple(sorted(found, key=lambda group: -group.loss))


def _losses(original: Table, masked: Table, names: Sequence[str]) -> Floats:
    """Loss of each record in percent, over the columns that were masked."""
    changed = [n for n in names if n in OriginalFile(original).against(masked).changed]
    parts = [
        CategoryAccuracy(CategoricalColumn.of(original, name)).by_record(masked)
        if original.attribute(name).is_categorical
        else NumberAccuracy(NumberColumn.of(original, name)).by_record(masked)
        for name in changed
    ]
    return 100.0 * np.mean(parts, axis=0) if parts else np.zeros(len(original))


def _groups_of(original: Table, name: str, losses: Floats) -> list[GroupLoss]:
    codes, categories = original.codes(name), original.attribute(name).categories
    counts, sums, squares = (
        np.bincount(codes, part, len(categories))
        for part in (np.ones_like(losses), losses, losses**2)
    )
    rest = counts.sum() - counts
    large = np.flatnonzero((counts >= MIN_RECORDS) & (rest >= MIN_RECORDS))
    own, others = sums[large] / counts[large], (sums.sum() - sums[large]) / rest[large]
    spread = np.maximum(squares[large] / counts[large] - own**2, 0.0) / counts[large]
    beyond = np.maximum((squares.sum() - squares[large]) / rest[large] - others**2, 0.0)
    error = np.sqrt(spread + beyond / rest[large])
    warned = np.flatnonzero((own > TIMES * others) & (own - others > STANDARD_ERRORS * error))
    return [
        GroupLoss(
            name,
            categories[large[place]] or "missing",
            int(counts[large[place]]),
            float(own[place]),
            float(others[place]),
        )
        for place in warned
    ]
