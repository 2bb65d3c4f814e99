"""Intervals by replicate weights of a survey, or by groups of units that are left out in turn.

Each analysis is computed once more with every replicate weight; the variance is the scaled sum of
the squared differences from the estimate with the full weight (Wolter, 2007). Without replicate
weights, the units of a column, such as households, are dealt into groups that are left out in turn
(delete-a-group jackknife; Kott, 2001), which accounts for the likeness of members of a unit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np

from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.measures.analyses.estimates import (
    NORMAL_QUANTILE,
    AnalysisComparison,
    Estimate,
    EstimateComparison,
    mean_overlap,
    overlap_of,
)
from evomask.measures.analyses.indicators import PreparedIndicator
from evomask.measures.analyses.models import PreparedModel
from evomask.measures.analyses.records import AnalysedFile
from evomask.measures.analyses.tables import PreparedTable
from evomask.measures.disclosure.record_risk import survey_weights, weight_of
from evomask.types import Floats

GROUPS = 30
"""Groups of units that are left out in turn."""

METHODS = ("bootstrap", "brr", "fay=0.5", "jackknife", "units")
EXAMPLE = 'write it like "bootstrap: repw*", "brr: repw*" or "units: household"'


@dataclass(frozen=True, eq=False)
class Replicates:
    """Replicate weights of the records of an original.

    Args:
        weights: one row for each replicate.
        scale: factor of the sum of squared differences.
    """

    weights: Floats
    scale: float

    def with_intervals(
        self,
        found: AnalysisComparison,
        analysis: PreparedTable | PreparedModel | PreparedIndicator,
        file: AnalysedFile,
    ) -> AnalysisComparison:
        """Replace the intervals of a comparison by those of the replicates."""
        original = file.original.against(file.original.table)
        first, second = (self._errors(found, analysis, one) for one in (original, file))
        values = tuple(
            _with_errors(value, first.get(value.name), second.get(value.name))
            for value in found.values
        )
        return replace(found, values=values, overlap=mean_overlap(values))

    def _errors(
        self,
        found: AnalysisComparison,
        analysis: PreparedTable | PreparedModel | PreparedIndicator,
        file: AnalysedFile,
    ) -> dict[str, float]:
        """Standard error of each estimate in a file; none where a replicate has no estimate."""
        whole = _after(analysis.compare(file))
        squares = dict.fromkeys(whole, 0.0)
        for weights in self.weights:
            again = _after(analysis.compare(replace(file, replicate=weights)))
            for name in [*squares]:
                if name in again:
                    squares[name] += (again[name] - whole[name]) ** 2
                else:
                    del squares[name]
        return {name: float(np.sqrt(self.scale * total)) for name, total in squares.items()}


def replicates_of(text: str, table: Table) -> Replicates:
    """Return the replicates that a text such as ``brr: repw*`` or ``units: household`` names."""
    method, _, pattern = (part.strip() for part in text.partition(":"))
    name, _, factor = method.partition("=")
    if not pattern or name not in {known.partition("=")[0] for known in METHODS}:
        raise ParameterError(
            f"the replicates {text!r} cannot be read: a method ({', '.join(METHODS)}) and columns "
            f"are needed; {EXAMPLE}"
        )
    columns = [one.name for one in table.schema if fnmatchcase(one.name, pattern)]
    if name == "units":
        return _units(columns, table, text)
    if len(columns) < 2 or any(table.attribute(one).is_categorical for one in columns):
        raise SchemaError(
            f"the replicates {text!r} need two or more columns of numbers, and the file has "
            f"{len(columns)} of this name; {EXAMPLE}"
        )
    count = len(columns)
    try:
        fay = float(factor) if name == "fay" else 0.0
    except ValueError:
        raise ParameterError(f"{method!r} needs a number from 0 to below 1, as fay=0.5") from None
    if not 0.0 <= fay < 1.0:
        raise ParameterError(f"the factor of Fay's method lies in 0 to below 1, got {fay:g}")
    scale = {"bootstrap": 1.0 / count, "jackknife": (count - 1) / count}
    weights = np.stack([table.values(one) for one in columns])
    return Replicates(weights, scale.get(name, 1.0 / (count * (1.0 - fay) ** 2)))


def _units(columns: Sequence[str], table: Table, text: str) -> Replicates:
    """Leave out groups of units in turn; units are dealt to groups in their order."""
    if len(columns) != 1:
        raise SchemaError(f"the replicates {text!r} need one column of units; {EXAMPLE}")
    _, first, units = np.unique(table[columns[0]], return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first, kind="stable"), kind="stable")
    count = min(GROUPS, len(first))
    if count < 2:
        raise SchemaError(f"the replicates {text!r} need two or more units")
    group = (order % count)[units]
    weights = survey_weights(table, weight_of(table))
    kept = group[None, :] != np.arange(count)[:, None]
    return Replicates(kept * weights * (count / (count - 1)), (count - 1) / count)


def _after(found: AnalysisComparison) -> dict[str, float]:
    return {one.name: one.after.value for one in found.values if one.after is not None}


def _with_errors(
    value: EstimateComparison, before: float | None, after: float | None
) -> EstimateComparison:
    first, second = _interval(value.before, before), _interval(value.after, after)
    overlap = overlap_of(first, second) if first and second else 0.0
    return replace(value, before=first, after=second, overlap=overlap)


def _interval(estimate: Estimate | None, error: float | None) -> Estimate | None:
    if estimate is None or error is None:
        return estimate
    reach = NORMAL_QUANTILE * error
    return Estimate(estimate.value, estimate.value - reach, estimate.value + reach)
