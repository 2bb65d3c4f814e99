"""Indicators to preserve: Gini, at-risk-of-poverty rate, quantiles and their ratios, correlations.

Gini coefficient, quantiles, quintile share ratio and poverty rate are those of Eurostat, as the R
package laeken computes them (Alfons and Templ, 2013). Standard errors are those of the linearised
statistic (Deville, 1999), with the effective sample size.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.measures.analyses.estimates import (
    MIN_RECORDS,
    NORMAL_QUANTILE,
    AnalysisComparison,
    Intervals,
    compare_estimates,
    mean_overlap,
)
from evomask.measures.analyses.parser import IndicatorSpec
from evomask.measures.analyses.records import AnalysedFile, OriginalFile, Records, is_number
from evomask.measures.analyses.tables import (
    CellRecords,
    Cells,
    category_code,
    cells_of,
    check_columns,
    check_groups,
    means,
    only,
    quantiles,
    ratio_of,
    shares,
    sums,
)
from evomask.measures.disclosure.record_risk import weight_of
from evomask.types import Flags, Floats

POVERTY_LINE = 0.6
"""Share of the median below which a person is at risk of poverty (Eurostat)."""

MEANINGS = {
    "gini": "Gini coefficient of {of}, 0 to 100{weighted}",
    "arpr": "percent with {of} below 60 % of the median of all records{weighted}",
    "s80s20": "mean {of} of the upper fifth over that of the lower fifth{weighted}",
    "quantile": "{level:g} quantile of {of}{weighted}",
    "quantile_ratio": "{level:g} quantile of {of} over the {lower:g} quantile{weighted}",
    "mean": "mean of {of}{weighted}",
    "sum": "sum of {of}{weighted}",
    "share": "percent with {of} = {category}{weighted}",
    "categories": "categories of {of} with ten or more records",
    "ratio": "sum of {of} over the sum of {other}{weighted}",
    "correlation": "correlation of {of} and {other}{weighted}",
}

IN_POINTS = {"arpr": 1.0, "share": 1.0, "correlation": 100.0}
"""Indicators with an absolute error, and the factor that makes it percentage points."""


@dataclass(frozen=True, eq=False)
class IndicatorRecords:
    """Records by group, with the values of one or two attributes.

    Args:
        other: values of the second attribute of a ratio or a correlation.
        line: poverty line.
    """

    grouped: CellRecords
    other: Floats
    line: float = np.nan

    @property
    def absolute(self) -> "IndicatorRecords":
        """The same records with absolute values."""
        return replace(self, grouped=self.grouped.absolute)


def gini(weights: Floats, values: Floats) -> tuple[float, Floats]:
    """Gini coefficient in percent of values in increasing order, and its linearised variable."""
    whole, total = float(weights.sum()), float(weights @ values)
    if total <= 0:
        return np.nan, np.zeros(len(values))
    up_to, above = np.cumsum(weights), np.cumsum((weights * values)[::-1])[::-1]
    pairs = float((weights * values) @ (2 * up_to - weights))
    steps = 2 * (values * (up_to - weights) + above)
    slopes = steps / (whole * total) - pairs / (whole * total) * (1 / whole + values / total)
    return 100.0 * (pairs / (whole * total) - 1), 100.0 * slopes


def quintile_share_ratio(weights: Floats, values: Floats) -> tuple[float, Floats]:
    """S80/S20 of values in increasing order, and its linearised variable (Langel and Tillé)."""
    low, high = (_quantile(weights, values, level) for level in (0.2, 0.8))
    bottom, top = values <= low, values > high
    if not top.any() or float(weights[bottom] @ values[bottom]) <= 0:
        return np.nan, np.zeros(len(values))
    means_of_both = [np.average(values[part], weights=weights[part]) for part in (top, bottom)]
    below = (values - low) * bottom + 0.2 * low
    above = values - (values - high) * ~top - 0.8 * high
    found = float(means_of_both[0] / means_of_both[1])
    return found, found * (above / float(weights @ above) - below / float(weights @ below))


def _quantile(weights: Floats, values: Floats, level: float) -> float:
    """Quantile of values in increasing order; the mean of two values where it lies between."""
    up_to = np.cumsum(weights)
    aim, tolerance = level * up_to[-1], 1e-9 * up_to[-1]
    ends = np.searchsorted(up_to, (aim - tolerance, aim + tolerance))
    first, last = np.minimum(ends, len(values) - 1)
    return float(values[first] + values[last]) / 2


def _linearised(
    found: Callable[[Floats, Floats], tuple[float, Floats]], given: IndicatorRecords
) -> Intervals:
    """A statistic of each group, with the normal interval of its linearised variable."""
    grouped = given.grouped
    order = np.lexsort((grouped.values, grouped.cell))
    values, weights = grouped.values[order], grouped.records.weight[order]
    edges = np.searchsorted(grouped.cell[order], np.arange(grouped.size + 1))
    result, reach = np.full(grouped.size, np.nan), np.full(grouped.size, np.nan)
    for cell in np.flatnonzero(grouped.weight > 0):
        own = slice(edges[cell], edges[cell + 1])
        result[cell], slopes = found(weights[own], values[own])
        spread = float(weights[own] @ slopes**2) * float(grouped.weight[cell])
        reach[cell] = np.sqrt(spread / max(float(grouped.effective[cell]) - 1, 1.0))
    reach *= NORMAL_QUANTILE
    return result, result - reach, result + reach


def _poverty_rates(given: IndicatorRecords) -> Intervals:
    """Percentage below the poverty line, with Wilson's interval; the line counts as known."""
    below = (given.grouped.values < given.line).astype(np.float64)
    return shares(replace(given.grouped, values=below))


def _ratios(given: IndicatorRecords) -> Intervals:
    """Ratio of two sums, with the normal interval of its linearised variable."""
    grouped, weights = given.grouped, given.grouped.records.weight
    base = grouped.total(weights * given.other)
    found = ratio_of(grouped.total(weights * grouped.values), base)
    rest = (grouped.values - np.nan_to_num(found)[grouped.cell] * given.other) ** 2
    spread = ratio_of(grouped.total(weights * rest) * grouped.weight, base**2)
    reach = NORMAL_QUANTILE * np.sqrt(spread / _freedom(grouped, 1))
    return found, found - reach, found + reach


def _correlations(given: IndicatorRecords) -> Intervals:
    """Pearson's correlation, with Fisher's interval."""
    grouped, weights = given.grouped, given.grouped.records.weight

    def centred(values: Floats) -> Floats:
        mean = ratio_of(grouped.total(weights * values), grouped.weight)
        return values - np.nan_to_num(mean)[grouped.cell]

    first, second = centred(grouped.values), centred(given.other)
    squares = [grouped.total(weights * part**2) for part in (first, second)]
    scale = np.sqrt(squares[0] * squares[1])
    found = np.clip(ratio_of(grouped.total(weights * first * second), scale), -1.0, 1.0)
    reach = NORMAL_QUANTILE / np.sqrt(_freedom(grouped, 3))
    with np.errstate(divide="ignore"):
        middle = np.arctanh(found)
    return found, np.tanh(middle - reach), np.tanh(middle + reach)


def _quantile_ratios(given: IndicatorRecords, level: float, lower: float) -> Intervals:
    """Ratio of two quantiles, with the interval of its logarithm from those of the quantiles."""
    upper = quantiles(given.grouped, level)
    below = quantiles(given.grouped, lower)
    positive = below[0] > 0
    found = ratio_of(upper[0], np.where(positive, below[0], 0.0))
    first, second = (ratio_of(part[2] - part[1], 2 * np.abs(part[0])) for part in (upper, below))
    shared = np.sqrt(lower * (1 - level) / (level * (1 - lower)))
    spread = np.sqrt(np.maximum(first**2 + second**2 - 2 * shared * first * second, 0.0))
    return found, found * np.exp(-spread), found * np.exp(spread)


def _surviving_categories(given: IndicatorRecords) -> Intervals:
    """Number of categories with ten or more records in each group; it has no sampling error."""
    grouped = given.grouped
    size = int(grouped.values.max(initial=0.0)) + 1
    keys = grouped.cell * size + grouped.values.astype(np.int64)
    records = np.bincount(keys, grouped.records.count, grouped.size * size)
    found = (records.reshape(-1, size) >= MIN_RECORDS - 1e-9).sum(axis=1).astype(np.float64)
    return found, found, found


def _freedom(grouped: CellRecords, used: int) -> Floats:
    freedom: Floats = np.maximum(np.nan_to_num(grouped.effective) - used, 1.0)
    return freedom


FUNCTIONS: Mapping[str, Callable[[IndicatorRecords, IndicatorSpec], Intervals]] = {
    "gini": lambda given, _: _linearised(gini, given),
    "arpr": lambda given, _: _poverty_rates(given),
    "s80s20": lambda given, _: _linearised(quintile_share_ratio, given),
    "quantile": lambda given, spec: quantiles(given.grouped, spec.level),
    "quantile_ratio": lambda given, spec: _quantile_ratios(given, spec.level, spec.lower),
    "mean": lambda given, _: means(given.grouped),
    "sum": lambda given, _: sums(given.grouped),
    "share": lambda given, _: shares(given.grouped),
    "categories": lambda given, _: _surviving_categories(given),
    "ratio": lambda given, _: _ratios(given),
    "correlation": lambda given, _: _correlations(given),
}


@dataclass(frozen=True, eq=False)
class PreparedIndicator:
    """An indicator of the original, ready to be compared with those of masked files."""

    wish: IndicatorSpec
    original: OriginalFile
    cells: Cells

    @cached_property
    def before(self) -> IndicatorRecords:
        """Records of the original."""
        return self._records(self.original.against(self.original.table))

    @cached_property
    def estimates(self) -> Intervals:
        """The indicator of the original, by group."""
        return self._function(self.before)

    def compare(self, file: AnalysedFile) -> AnalysisComparison:
        """Compare the indicator before and after masking."""
        before, after = self.estimates, self._function(self._records(file))
        there = self.before.grouped.weight > 0
        names = [name for name, shown in zip(self.cells.names, there, strict=True) if shown]
        values = compare_estimates(names, only(before, there), only(after, there))
        error, overlap = self._error(after[0]), mean_overlap(values)
        return AnalysisComparison(self.wish.text, "indicator", self.meaning, error, overlap, values)

    def error(self, file: AnalysedFile) -> float:
        """Mean error of the groups in percent, by their size."""
        return self._error(self._function(self._records(file))[0])

    @property
    def meaning(self) -> str:
        """Description of the estimates."""
        spec, weighted = self.wish, " by survey weights" if weight_of(self.original.table) else ""
        words = {name: getattr(spec, name) for name in ("of", "other", "category", "level")}
        return MEANINGS[spec.function].format(**words, lower=spec.lower, weighted=weighted)

    @cached_property
    def _scale(self) -> Floats:
        """By what a difference is divided, in percent: the size of the original's figure."""
        if self.wish.function in IN_POINTS:
            return np.full(self.cells.size, 1.0 / IN_POINTS[self.wish.function])
        signed = self.wish.function in ("mean", "sum")
        found = self._function(self.before.absolute) if signed else self.estimates
        return np.abs(found[0]) / 100.0

    def _error(self, after: Floats) -> float:
        before = self.estimates[0]
        there = (self.before.grouped.weight > 0) & np.isfinite(before)
        distance = np.nan_to_num(np.abs(after - before), nan=np.inf)[there]
        relative = np.full(len(distance), 100.0)
        scale = self._scale[there]
        np.divide(distance, scale, out=relative, where=scale > 0)
        terms = np.where(distance == 0, 0.0, np.minimum(relative, 100.0))
        return float(np.average(terms, weights=self.before.grouped.weight[there]))

    def _function(self, given: IndicatorRecords) -> Intervals:
        return FUNCTIONS[self.wish.function](given, self.wish)

    def _records(self, file: AnalysedFile) -> IndicatorRecords:
        spec = self.wish
        records = file.records(spec.attributes)
        values = _values(records, spec, self.original.table)
        other = records.numbers(self.original.table.attribute(spec.other)) if spec.other else values
        known = ~(np.isnan(values) | np.isnan(other))
        if not known.all():
            records, values, other = records.where(known), values[known], other[known]
        grouped = self.cells.grouped(records, values)
        line = np.nan
        if spec.function == "arpr" and len(values):
            order = np.argsort(values, kind="stable")
            line = POVERTY_LINE * _quantile(records.weight[order], values[order], 0.5)
        return IndicatorRecords(grouped, other, line)


def prepare_indicator(spec: IndicatorSpec, original: OriginalFile) -> PreparedIndicator:
    """Compute an indicator of the original; raise if it cannot be computed."""
    check_columns(original.table, spec.attributes, spec.text)
    check_groups(original.table, spec.groups, spec.text)
    if spec.category:
        category_code(original.table, spec.of, spec.category, spec.text)
    if spec.function == "categories" and not original.table.attribute(spec.of).is_categorical:
        raise SchemaError(
            f"{spec.of!r} holds numbers and has no categories for {spec.text!r}; declare it "
            "ordinal or nominal, or take its quantiles"
        )
    takes_numbers = not spec.category and spec.function != "categories"
    for name in filter(None, (spec.of, spec.other)) if takes_numbers else ():
        if not is_number(original.table.attribute(name)):
            raise SchemaError(
                f"the indicator {spec.text!r} needs numbers, and {name!r} is not one; take a "
                f"number, or write share({name} = ...)"
            )

    def found(probe: Cells) -> Floats:
        grouped = PreparedIndicator(spec, original, probe).before.grouped
        return grouped.total(grouped.records.count)

    cells = cells_of(original.table, spec.groups, spec.text, found)
    prepared = PreparedIndicator(spec, original, cells)
    if not np.isfinite(prepared.estimates[0]).any():
        raise SchemaError(
            f"the indicator {spec.text!r} is not defined for the values of {spec.of!r}; "
            "leave it out, or take another column"
        )
    return prepared


def _values(records: Records, spec: IndicatorSpec, original: Table) -> Floats:
    attribute = original.attribute(spec.of)
    if spec.function == "categories":
        codes = records.columns[spec.of]
        return np.where(codes >= attribute.domain_size, np.nan, codes.astype(np.float64))
    if not spec.category:
        return records.numbers(attribute)
    codes = records.columns[spec.of]
    has: Flags = codes == attribute.categories.index(spec.category)
    return np.where(codes >= attribute.domain_size, np.nan, has.astype(np.float64))
