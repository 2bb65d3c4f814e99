"""Tables to preserve: counts, sums, means, medians and shares by groups."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from evomask.data.schema import Role
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
    wilson_interval,
)
from evomask.measures.analyses.parser import TableSpec
from evomask.measures.analyses.records import AnalysedFile, OriginalFile, Records, is_number
from evomask.measures.disclosure.record_risk import weight_of
from evomask.types import Flags, Floats, Indices

MAX_CELLS = 10_000
OTHERS, EVERYONE = "all others", "all records"

MEANINGS = {
    "count": "records{weighted}",
    "sum": "sum of {of}{weighted}",
    "mean": "mean of {of}{weighted}",
    "median": "median of {of}{weighted}",
    "share": "percent with {of} = {category}{weighted}",
}


@dataclass(frozen=True, eq=False)
class CellRecords:
    """Records with the cell of a table to which each belongs.

    Args:
        cell: the cell of each row of the records.
        size: number of cells.
        values: the values that the statistic summarises; 1 or 0 for a share.
    """

    records: Records
    cell: Indices
    size: int
    values: Floats

    def total(self, of: Floats) -> Floats:
        """Sum in each cell."""
        return np.bincount(self.cell, of, self.size).astype(np.float64)

    @cached_property
    def weight(self) -> Floats:
        return self.total(self.records.weight)

    @cached_property
    def effective(self) -> Floats:
        """Kish's effective sample size of each cell."""
        return ratio_of(self.weight**2, self.total(self.records.square))

    @property
    def absolute(self) -> "CellRecords":
        """The same records with absolute values."""
        return CellRecords(self.records, self.cell, self.size, np.abs(self.values))


def counts(grouped: CellRecords) -> Intervals:
    """Number of records in each cell, with Wilson's interval of their share."""
    whole = float(grouped.weight.sum())
    low, high = wilson_interval(
        grouped.weight / whole, np.full(grouped.size, grouped.records.effective)
    )
    return grouped.weight, whole * low, whole * high


def shares(grouped: CellRecords) -> Intervals:
    """Percentage of each cell in the category, with Wilson's interval."""
    share = ratio_of(grouped.total(grouped.records.weight * grouped.values), grouped.weight)
    low, high = wilson_interval(share, grouped.effective)
    return 100.0 * share, 100.0 * low, 100.0 * high


def means(grouped: CellRecords) -> Intervals:
    """Mean of each cell, with Student's interval."""
    weights, effective = grouped.records.weight, grouped.effective
    mean = ratio_of(grouped.total(weights * grouped.values), grouped.weight)
    squares = (grouped.values - mean[grouped.cell]) ** 2
    spread = ratio_of(grouped.total(weights * squares), grouped.weight)
    freedom = np.maximum(np.nan_to_num(effective) - 1, 1.0)
    reach = student_quantile(freedom) * np.sqrt(spread / freedom)
    return mean, mean - reach, mean + reach


def sums(grouped: CellRecords) -> Intervals:
    """Sum of each cell, with the normal interval of a total."""
    weights = grouped.records.weight
    whole, effective = float(weights.sum()), grouped.records.effective
    total = grouped.total(weights * grouped.values)
    squares = grouped.total(weights * grouped.values**2)
    spread = np.maximum(squares / whole - (total / whole) ** 2, 0.0)
    reach = NORMAL_QUANTILE * whole * np.sqrt(spread / max(effective - 1, 1.0))
    return total, total - reach, total + reach


def quantiles(grouped: CellRecords, level: float) -> Intervals:
    """Quantile of each cell, with the interval between two order statistics."""
    order = np.lexsort((grouped.values, grouped.cell))
    values, weights = grouped.values[order], grouped.records.weight[order]
    ends = np.searchsorted(grouped.cell[order], np.arange(grouped.size), "right")
    sums_up_to = np.cumsum(weights)
    before = np.append(0.0, sums_up_to)[np.append(0, ends[:-1])]
    spread = np.sqrt(level * (1 - level))
    reach = NORMAL_QUANTILE * spread / np.sqrt(np.maximum(np.nan_to_num(grouped.effective), 1.0))
    there = grouped.weight > 0

    def quantile(levels: Floats) -> Floats:
        aim = before + np.clip(levels, 0.0, 1.0) * grouped.weight
        tolerance = 1e-9 * grouped.weight
        first, last = (
            np.clip(
                np.searchsorted(sums_up_to, aim + side * tolerance),
                np.append(0, ends[:-1]),
                ends - 1,
            )
            for side in (-1, 1)
        )
        return np.where(there, (values[first] + values[last]) / 2, np.nan)

    if not len(values):
        return (np.full(grouped.size, np.nan),) * 3
    middle = np.full(grouped.size, level)
    return quantile(middle), quantile(middle - reach), quantile(middle + reach)


def medians(grouped: CellRecords) -> Intervals:
    """Median of each cell, with the interval between two order statistics."""
    return quantiles(grouped, 0.5)


STATISTICS: Mapping[str, Callable[[CellRecords], Intervals]] = {
    "count": counts,
    "sum": sums,
    "mean": means,
    "median": medians,
    "share": shares,
}


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a table, and the rows in which they are shown.

    Args:
        sizes: number of categories of each group.
        rows: row of each cell among the rows shown; small cells share the last row.
        names: names of the rows.
    """

    groups: tuple[str, ...]
    sizes: tuple[int, ...]
    rows: Indices
    names: tuple[str, ...]

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.names)

    def grouped(self, records: Records, values: Floats) -> CellRecords:
        """Assign records to the rows."""
        if not self.groups:
            return CellRecords(records, np.zeros(len(values), dtype=np.int64), self.size, values)
        cells = np.ravel_multi_index(tuple(records.columns[n] for n in self.groups), self.sizes)
        return CellRecords(records, self.rows[cells], self.size, values)


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """A table of the original, ready to be compared with those of masked files."""

    wish: TableSpec
    original: OriginalFile
    cells: Cells

    @cached_property
    def before(self) -> CellRecords:
        return self._grouped(self.original.against(self.original.table))

    @cached_property
    def estimates(self) -> Intervals:
        """The table of the original."""
        return STATISTICS[self.wish.statistic](self.before)

    def compare(self, file: AnalysedFile) -> AnalysisComparison:
        """Compare the table before and after masking."""
        after = self._grouped(file)
        both = self.estimates, STATISTICS[self.wish.statistic](after)
        there = (self.before.weight > 0) | (after.weight > 0)
        names = [name for name, shown in zip(self.cells.names, there, strict=True) if shown]
        values = compare_estimates(names, only(both[0], there), only(both[1], there))
        error, overlap = self._error(both[0][0], both[1][0]), mean_overlap(values)
        return AnalysisComparison(self.wish.text, "table", self.meaning, error, overlap, values)

    def error(self, file: AnalysedFile) -> float:
        """Error of the table in percent."""
        after = STATISTICS[self.wish.statistic](self._grouped(file))
        return self._error(self.estimates[0], after[0])

    @cached_property
    def _scale(self) -> Floats:
        """The statistic of absolute values, by which differences are divided."""
        return STATISTICS[self.wish.statistic](self.before.absolute)[0]

    @property
    def meaning(self) -> str:
        """Description of the estimates."""
        weighted = " by survey weights" if weight_of(self.original.table) else ""
        spec = self.wish
        words = {"of": spec.of, "category": spec.category, "weighted": weighted}
        return MEANINGS[spec.statistic].format(**words)

    def _error(self, before: Floats, after: Floats) -> float:
        """Error in percent: of the records in another cell, or the mean error over the cells."""
        weight = self.before.weight
        if self.wish.statistic == "count":
            return min(100.0, 50.0 * float(np.abs(after - before).sum() / weight.sum()))
        distance = np.nan_to_num(np.abs(after - before), nan=np.inf)
        if self.wish.statistic == "share":
            terms = np.minimum(distance, 100.0)
        else:
            relative = np.full(len(distance), 100.0)
            np.divide(100.0 * distance, self._scale, out=relative, where=self._scale > 0)
            terms = np.where(distance == 0, 0.0, np.minimum(relative, 100.0))
        there = weight > 0
        return float(np.average(terms[there], weights=weight[there]))

    def _grouped(self, file: AnalysedFile) -> CellRecords:
        spec = self.wish
        records = file.records(spec.attributes)
        values = _values(records, spec, self.original.table)
        known = ~np.isnan(values)
        if not known.all():
            records, values = records.where(known), values[known]
        return self.cells.grouped(records, values)


def prepare_table(spec: TableSpec, original: OriginalFile) -> PreparedTable:
    """Compute a table of the original; raise if it cannot be computed."""
    _check(spec, original.table)

    def found(probe: Cells) -> Floats:
        grouped = PreparedTable(spec, original, probe).before
        return grouped.total(grouped.records.count)

    return PreparedTable(spec, original, cells_of(original.table, spec.groups, spec.text, found))


def cells_of(
    original: Table, groups: tuple[str, ...], text: str, found: Callable[[Cells], Floats]
) -> Cells:
    """Return the cells of some groups, small ones merged; *found* counts the records of each."""
    sizes = tuple(len(original.attribute(name).categories) for name in groups)
    single = np.arange(prod(sizes))
    probe = Cells(groups, sizes, single, tuple(map(str, single)))
    rows, shown = merge_small_cells(found(probe))
    if not len(shown):
        raise SchemaError(
            f"no cell of the table {text!r} has {MIN_RECORDS} records; use fewer or broader groups"
            if groups
            else f"fewer than {MIN_RECORDS} records have the values that {text!r} needs; leave it "
            "out"
        )
    if not groups:
        return replace(probe, names=(EVERYONE,))
    names = []
    for cell in shown:
        codes = zip(groups, np.unravel_index(cell, sizes), strict=True)
        names.append(", ".join(original.attribute(n).categories[c] or "missing" for n, c in codes))
    return Cells(groups, sizes, rows, (*names, OTHERS))


def merge_small_cells(found: Floats, fewest: int = MIN_RECORDS) -> tuple[Indices, Indices]:
    """Return the row of each cell, and the cells that have a row of their own.

    All cells with fewer records share the last row, which also takes the smallest of the others
    until it is empty or large enough.
    """
    order = np.argsort(-found, kind="stable")
    own = int((found >= fewest).sum())
    rest = float(found[order[own:]].sum())
    while own and 0 < rest < fewest:
        own -= 1
        rest += float(found[order[own]])
    shown = np.sort(order[:own])
    rows = np.full(len(found), own)
    rows[shown] = np.arange(own)
    return rows, shown


def check_columns(original: Table, names: tuple[str, ...], text: str) -> None:
    """Raise for columns that the table does not have, and for identifiers."""
    for name in names:
        if name not in original.schema:
            known = ", ".join(original.schema.names)
            raise SchemaError(f"no column {name!r} for {text!r}; the file has {known}")
        if original.attribute(name).role is Role.IDENTIFIER:
            raise SchemaError(
                f"{name!r} is an identifier and never released; leave it out of {text!r}"
            )


def category_code(original: Table, name: str, category: str, text: str) -> int:
    """Return the code of a category; raise if it is unknown or too rare."""
    attribute = original.attribute(name)
    if not attribute.is_categorical:
        raise SchemaError(
            f"{name!r} holds numbers and has no category {category!r}; "
            f"declare it nominal or ordinal, or take its mean in {text!r}"
        )
    if category not in attribute.categories:
        raise SchemaError(f"{name!r} has no category {category!r}, which {text!r} names")
    code = attribute.categories.index(category)
    if int((original.codes(name) == code).sum()) < MIN_RECORDS:
        raise SchemaError(
            f"fewer than {MIN_RECORDS} records have the category of {name!r} that {text!r} names; "
            "choose a more frequent one"
        )
    return code


def check_groups(original: Table, groups: tuple[str, ...], text: str) -> None:
    """Raise for groups that are numbers or have too many cells."""
    for name in groups:
        if not original.attribute(name).is_categorical:
            raise SchemaError(
                f"the groups of {text!r} must be categories, and {name!r} holds numbers; "
                "declare it ordinal or nominal, or take its mean"
            )
    sizes = {name: len(original.attribute(name).categories) for name in groups}
    if prod(sizes.values()) > MAX_CELLS:
        longest = max(sizes, key=lambda name: sizes[name])
        raise SchemaError(
            f"the table {text!r} would have {prod(sizes.values())} cells, and {longest!r} "
            f"alone has {sizes[longest]} categories; a table has at most {MAX_CELLS} cells"
        )


def _check(spec: TableSpec, original: Table) -> None:
    check_columns(original, spec.attributes, spec.text)
    check_groups(original, spec.groups, spec.text)
    if spec.category:
        category_code(original, spec.of, spec.category, spec.text)
    elif spec.of and not is_number(original.attribute(spec.of)):
        raise SchemaError(
            f"the {spec.statistic} in {spec.text!r} needs numbers, and {spec.of!r} is "
            f"{original.attribute(spec.of).kind}; take a number, or write share {spec.of} = ..."
        )


def _values(records: Records, spec: TableSpec, original: Table) -> Floats:
    if not spec.of:
        return np.ones(len(records.count))
    attribute = original.attribute(spec.of)
    if not spec.category:
        return records.numbers(attribute)
    codes = records.columns[spec.of]
    has: Flags = codes == attribute.categories.index(spec.category)
    return np.where(codes >= attribute.domain_size, np.nan, has.astype(np.float64))


def only(found: Intervals, flags: Flags) -> Intervals:
    """Select some estimates."""
    return found[0][flags], found[1][flags], found[2][flags]


def ratio_of(part: Floats, whole: Floats) -> Floats:
    """Quotients; NaN where the divisor is not positive."""
    ratio = np.full(len(part), np.nan)
    np.divide(part, whole, out=ratio, where=whole > 0)
    return ratio
