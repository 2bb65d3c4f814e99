"""Models to preserve: linear and logistic regressions fitted to original and masked file.

Weights are scaled to the effective sample size, so that standard errors are those of a sample
of that size. Normal equations are solved by a pseudo-inverse of the scaled cross products:
coefficients of collinear columns are not determined, but predictions are correct.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.data.schema import Attribute
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.measures.analyses.estimates import (
    MIN_RECORDS,
    NORMAL_QUANTILE,
    AnalysisComparison,
    Intervals,
    compare_estimates,
    mean_overlap,
    student_quantile,
)
from evomask.measures.analyses.parser import ModelSpec
from evomask.measures.analyses.records import AnalysedFile, OriginalFile, Records, is_number
from evomask.measures.analyses.tables import (
    OTHERS,
    category_code,
    check_columns,
    merge_small_cells,
)
from evomask.types import Flags, Floats, Indices, Points

MAX_COLUMNS = 200
MIN_EXPLAINED = 0.05
"""Share of explained variance below which the error of a model means little."""

COLLINEAR = 1e-9
"""Share of the largest eigenvalue below which a direction of the columns is collinear."""

MAX_STANDARD_ERROR = 20.0
"""Larger standard errors of log odds mean complete separation: the coefficient diverges."""

BLOCK_PRODUCTS = 200_000
"""Products in one block, too few for BLAS to use several threads, which slows busy machines."""

MAX_STEPS = 60
MAX_LOG_ODDS = 30.0
"""Log odds beyond which a probability counts as 0 or 1."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted regression.

    Args:
        coefficients: the intercept first, in the units of the columns.
        errors: their standard errors.
        determined: flags of the coefficients that the records determine.
        freedom: degrees of freedom; None for a logistic regression.
    """

    coefficients: Floats
    errors: Floats
    determined: Flags
    freedom: float | None = None

    @property
    def is_separated(self) -> bool:
        """Whether a coefficient diverges because of complete separation."""
        return self.freedom is None and bool((self.errors >= MAX_STANDARD_ERROR).any())

    def predicted(self, columns: Points) -> Floats:
        """Return predictions: numbers or probabilities."""
        line: Floats = columns @ self.coefficients
        return line if self.freedom is not None else _probabilities(line)

    def intervals(self, units: Floats) -> Intervals:
        """Return the coefficients in original units; NaN if they are not determined."""
        reach = (
            NORMAL_QUANTILE
            if self.freedom is None
            else float(student_quantile(np.array([self.freedom]))[0])
        )
        values = np.where(self.determined, self.coefficients, np.nan)
        ends = values - reach * self.errors, values + reach * self.errors
        return values / units, ends[0] / units, ends[1] / units


def linear(columns: Points, outcome: Floats, weights: Floats) -> Fit:
    """Fit by least squares; weights sum to the effective sample size."""
    inverse, determined, rank = _inverse(_products(columns, weights))
    coefficients = inverse @ ((weights * outcome) @ columns)
    freedom = max(float(weights.sum()) - rank, 1.0)
    residuals = outcome - columns @ coefficients
    variance = float(weights @ residuals**2) / freedom
    return Fit(coefficients, _errors(inverse, variance), determined, freedom)


def logistic(columns: Points, outcome: Floats, weights: Floats, start: Floats | None = None) -> Fit:
    """Fit by maximum likelihood (iteratively reweighted least squares); outcomes in [0, 1].

    Args:
        start: initial coefficients, such as those of a similar file.
    """
    coefficients = np.zeros(columns.shape[1]) if start is None else start
    deviance = _deviance(columns, outcome, weights, coefficients)
    for _ in range(MAX_STEPS):
        inverse, _determined, _rank = _information(columns, weights, coefficients)
        expected = _probabilities(columns @ coefficients)
        step = inverse @ ((weights * (outcome - expected)) @ columns)
        before = deviance
        coefficients, deviance = _line_search(columns, outcome, weights, coefficients, step, before)
        if before - deviance <= 1e-10 * (abs(before) + 0.1):
            break
    inverse, determined, _rank = _information(columns, weights, coefficients)
    errors = _errors(inverse, 1.0)
    return Fit(coefficients, errors, determined & (errors < MAX_STANDARD_ERROR))


def _line_search(
    columns: Points, outcome: Floats, weights: Floats, start: Floats, step: Floats, least: float
) -> tuple[Floats, float]:
    """Halve a step until it lowers the deviance; return its end, or the start."""
    for _ in range(10):
        deviance = _deviance(columns, outcome, weights, start + step)
        if deviance <= least:
            return start + step, deviance
        step = step / 2
    return start, least


def _information(
    columns: Points, weights: Floats, coefficients: Floats
) -> tuple[Points, Flags, int]:
    expected = _probabilities(columns @ coefficients)
    return _inverse(_products(columns, weights * expected * (1 - expected)))


def _products(columns: Points, weights: Floats) -> Points:
    """Weighted cross products of all columns, computed in blocks on one core."""
    n_records, size = columns.shape
    rows = max(1, BLOCK_PRODUCTS // size**2)
    whole = n_records - n_records % rows
    blocks = columns[:whole].reshape(-1, rows, size)
    parts = np.matmul(blocks.transpose(0, 2, 1), blocks * weights[:whole].reshape(-1, rows, 1))
    rest = columns[whole:]
    products: Points = parts.sum(axis=0) + rest.T @ (rest * weights[whole:, None])
    return products


def _probabilities(log_odds: Floats) -> Floats:
    probabilities: Floats = 1.0 / (1.0 + np.exp(-np.clip(log_odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)))
    return probabilities


def _deviance(columns: Points, outcome: Floats, weights: Floats, coefficients: Floats) -> float:
    line = columns @ coefficients
    return 2.0 * float(weights @ (np.logaddexp(0.0, line) - outcome * line))


def _errors(inverse: Points, variance: float) -> Floats:
    errors: Floats = np.sqrt(np.maximum(np.diag(inverse) * variance, 0.0))
    return errors


def _inverse(products: Points) -> tuple[Points, Flags, int]:
    """Return the pseudo-inverse of cross products, flags of determined columns, and the rank."""
    lengths = np.sqrt(np.diag(products))
    scale = np.where(lengths > 0, lengths, 1.0)
    values, vectors = np.linalg.eigh(products / np.outer(scale, scale))
    kept = values > COLLINEAR * max(float(values[-1]), 1e-300)
    basis = vectors[:, kept]
    inverse = (basis / values[kept]) @ basis.T / np.outer(scale, scale)
    return inverse, (basis**2).sum(axis=1) > 1 - 1e-6, int(kept.sum())


@dataclass(frozen=True, eq=False)
class Term:
    """The design columns of one predictor.

    Args:
        names: names of the columns.
        centre, unit: mean and standard deviation by which a number is standardised.
        columns: the column of each category, -1 for the reference category, which is the most
            frequent one.
    """

    attribute: Attribute
    names: tuple[str, ...]
    centre: float = 0.0
    unit: float = 1.0
    columns: Indices | None = None

    def of(self, records: Records) -> Points:
        """Return its columns for each record; NaN if the value is missing."""
        if self.columns is None:
            return ((records.numbers(self.attribute) - self.centre) / self.unit)[:, None]
        codes = records.columns[self.attribute.name]
        design = np.zeros((len(codes), len(self.names)))
        places = self.columns[codes]
        there = np.flatnonzero(places >= 0)
        design[there, places[there]] = 1.0
        design[codes >= self.attribute.domain_size] = np.nan
        return design


@dataclass(frozen=True, eq=False)
class _Sample:
    """Complete records: design columns with an intercept, outcome, effective weights."""

    columns: Points
    outcome: Floats
    weights: Floats


@dataclass(frozen=True, eq=False)
class PreparedModel:
    """A model of the original, ready to be compared with those of masked files.

    Args:
        category: code of the modelled category of the outcome; None for a number.
    """

    wish: ModelSpec
    original: OriginalFile
    terms: tuple[Term, ...]
    category: int | None

    @cached_property
    def sample(self) -> _Sample:
        return self.sample_of(self.original.against(self.original.table))

    @cached_property
    def fit(self) -> Fit:
        return self._fit(self.sample)

    def error(self, file: AnalysedFile) -> float:
        """Error of the model in percent."""
        return self._error(self.fit_to(file))

    def fit_to(self, file: AnalysedFile) -> Fit | None:
        """Fit the model to a masked file; None if it has no complete record."""
        sample = self.sample_of(file)
        start = None if self.fit.is_separated else self.fit.coefficients
        return self._fit(sample, start) if len(sample.outcome) else None

    def compare(self, file: AnalysedFile) -> AnalysisComparison:
        """Compare the coefficients before and after masking, without the intercept."""
        after = self.fit_to(file)
        units = np.array([1.0, *(term.unit for term in self.terms for _ in term.names)])
        nothing = np.full(len(units) - 1, np.nan)
        first = tuple(part[1:] for part in self.fit.intervals(units))
        second = tuple(part[1:] for part in after.intervals(units)) if after else (nothing,) * 3
        names = [name for term in self.terms for name in term.names]
        values = compare_estimates(
            names, (first[0], first[1], first[2]), (second[0], second[1], second[2])
        )
        return AnalysisComparison(
            self.wish.text,
            "model",
            self.meaning,
            self._error(after),
            mean_overlap(values),
            values,
            tuple(self._notes(names, after)),
        )

    @property
    def meaning(self) -> str:
        """Description of the coefficients."""
        if self.category is None:
            return f"coefficients of the linear regression of {self.wish.outcome}"
        category = self.original.table.attribute(self.wish.outcome).categories[self.category]
        against = f"{self.wish.outcome} = {category} against all others"
        return f"coefficients (log odds) of the logistic regression of {against}"

    @cached_property
    def explained(self) -> float:
        """Share of the outcome's variance in the original that the model explains."""
        whole = _variance(self.sample.outcome, self.sample.weights)
        expected = self.fit.predicted(self.sample.columns)
        return _variance(expected, self.sample.weights) / whole if whole > 0 else 0.0

    def _error(self, after: Fit | None) -> float:
        """Root mean square change of predictions, in percent of their standard deviation."""
        if after is None:
            return 100.0
        weights, expected = self.sample.weights, self.fit.predicted(self.sample.columns)
        moved = after.predicted(self.sample.columns) - expected
        spread = _variance(expected, weights)
        distance = float(np.average(moved**2, weights=weights))
        if distance <= 1e-18 * max(spread, 1e-300):
            return 0.0
        return min(100.0, 100.0 * float(np.sqrt(distance / spread))) if spread > 0 else 100.0

    def _notes(self, names: list[str], after: Fit | None) -> Iterator[str]:
        if self.explained < MIN_EXPLAINED:
            share = f"{100 * self.explained:.1f} % of the variance of {self.wish.outcome}"
            yield f"the model explains only {share} in the original: ignore its error"
        for file, fit in (("the original", self.fit), ("the masked file", after)):
            if fit is None:
                yield f"{file} has no complete record"
                continue
            lost = [n for n, there in zip(names, fit.determined[1:], strict=True) if not there]
            if lost:
                why = "complete separation" if fit.is_separated else "collinear columns"
                yield f"{file} does not determine {', '.join(lost)}: {why}"

    def _fit(self, sample: _Sample, start: Floats | None = None) -> Fit:
        if self.category is None:
            return linear(sample.columns, sample.outcome, sample.weights)
        return logistic(sample.columns, sample.outcome, sample.weights, start)

    def sample_of(self, file: AnalysedFile) -> _Sample:
        """Return the complete records, with weights scaled to the effective sample size."""
        records = file.records(self.wish.attributes)
        outcome = self._outcome(records)
        design = np.column_stack(
            [np.ones(len(outcome)), *(term.of(records) for term in self.terms)]
        )
        there = ~(np.isnan(outcome) | np.isnan(design).any(axis=1))
        kept = records.where(there)
        scale = kept.effective / max(float(kept.weight.sum()), 1e-300)
        return _Sample(design[there], outcome[there], kept.weight * scale)

    def _outcome(self, records: Records) -> Floats:
        attribute = self.original.table.attribute(self.wish.outcome)
        if self.category is None:
            return records.numbers(attribute)
        codes = records.columns[attribute.name]
        has = (codes == self.category).astype(np.float64)
        return np.where(codes >= attribute.domain_size, np.nan, has)


def prepare_model(spec: ModelSpec, original: OriginalFile) -> PreparedModel:
    """Fit a model to the original; raise if it cannot be fitted."""
    check_columns(original.table, spec.attributes, spec.text)
    category = _category(spec, original.table)
    terms = tuple(predictor_term(original, name, spec.text) for name in spec.predictors)
    size = 1 + sum(len(term.names) for term in terms)
    if size > MAX_COLUMNS:
        longest = max(terms, key=lambda term: len(term.names))
        raise SchemaError(
            f"the model {spec.text!r} would have {size} coefficients, and "
            f"{longest.attribute.name!r} alone has {len(longest.names)}; "
            f"a model has at most {MAX_COLUMNS}"
        )
    prepared = PreparedModel(spec, original, terms, category)
    complete = float(prepared.sample.weights.sum())
    if complete < max(size + 1, MIN_RECORDS):
        raise SchemaError(
            f"the model {spec.text!r} has {size} coefficients and too few records without a "
            "missing value; leave some predictors out"
        )
    return prepared


def _category(spec: ModelSpec, original: Table) -> int | None:
    """Return the modelled category of a categorical outcome, by default the most frequent."""
    attribute = original.attribute(spec.outcome)
    if spec.category:
        return category_code(original, spec.outcome, spec.category, spec.text)
    if is_number(attribute):
        return None
    found = np.bincount(original.codes(spec.outcome), minlength=len(attribute.categories))
    found = found[: attribute.domain_size]
    _, shown = merge_small_cells(found.astype(np.float64))
    if (found > 0).sum() < 2 or not len(shown):
        raise SchemaError(
            f"{spec.outcome!r} cannot be modelled in {spec.text!r}: the outcome needs two or more "
            f"values, and a category with {MIN_RECORDS} records"
        )
    return int(np.argmax(found))


def predictor_term(original: OriginalFile, name: str, text: str) -> Term:
    """Design columns of a predictor; raise if none of its categories is frequent enough."""
    attribute = original.table.attribute(name)
    if is_number(attribute):
        values = original.against(original.table).records((name,)).numbers(attribute)
        known = values[~np.isnan(values)]
        spread = float(known.std()) if len(known) else 0.0
        return Term(attribute, (name,), float(known.mean()) if len(known) else 0.0, spread or 1.0)
    found = np.bincount(original.table.codes(name), minlength=len(attribute.categories))
    rows, shown = merge_small_cells(found[: attribute.domain_size].astype(np.float64))
    if not len(shown):
        raise SchemaError(
            f"no category of {name!r} in {text!r} has {MIN_RECORDS} records; leave it out"
        )
    reference = int(rows[np.argmax(found[: attribute.domain_size])])
    rare = int(found[: attribute.domain_size][rows == len(shown)].sum())
    names = [*(f"{name} = {attribute.categories[code]}" for code in shown)]
    names += [f"{name}: {OTHERS}"] if rare else []
    places = np.array([row - (row > reference) if row != reference else -1 for row in rows])
    places[(rows == len(shown)) & (rare == 0)] = -1
    del names[reference]
    return Term(attribute, tuple(names), columns=np.append(places, -1))


def _variance(values: Floats, weights: Floats) -> float:
    return float(np.average((values - np.average(values, weights=weights)) ** 2, weights=weights))
