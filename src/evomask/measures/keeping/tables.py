"""Tables that must survive: counts, sums, means, medians and shares by groups."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from evomask.arrays import Flags, Floats, Indices
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.measures.keeping.estimates import (
    FEWEST,
    NORMAL,
    Intervals,
    KeptStatistic,
    compared,
    mean_overlap,
    student,
    wilson,
)
from evomask.measures.keeping.records import Records, is_number, plain_records
from evomask.measures.keeping.wording import TableWish
from evomask.measures.risk.individual import weight_of

MOST_CELLS = 10_000
OTHERS = "all others"

MEANINGS = {
    "count": "records{weighted}",
    "sum": "sum of {of}{weighted}",
    "mean": "mean of {of}{weighted}",
    "median": "median of {of}{weighted}",
    "share": "percent with {of} = {category}{weighted}",
}


@dataclass(frozen=True, eq=False)
class Grouped:
    """Records by the cell of a table that they stand in.

    Args:
        cell: of each row of the records.
        size: how many cells there are.
        values: what a statistic is about; 1 or 0 for the category of a share.
    """

    records: Records
    cell: Indices
    size: int
    values: Floats

    def total(self, of: Floats) -> Floats:
        """The sum in each cell."""
        return np.bincount(self.cell, of, self.size).astype(np.float64)

    @cached_property
    def weight(self) -> Floats:
        """The weight of each cell."""
        return self.total(self.records.weight)

    @cached_property
    def effective(self) -> Floats:
        """Kish's effective number of records in each cell."""
        return _ratio(self.weight**2, self.total(self.records.square))

    @property
    def absolute(self) -> "Grouped":
        """The same records with the size of their values, without the sign."""
        return Grouped(self.records, self.cell, self.size, np.abs(self.values))


def counts(grouped: Grouped) -> Intervals:
    """How many records stand in each cell, with Wilson's interval of their share."""
    whole = float(grouped.weight.sum())
    low, high = wilson(grouped.weight / whole, np.full(grouped.size, grouped.records.effective))
    return grouped.weight, whole * low, whole * high


def shares(grouped: Grouped) -> Intervals:
    """The percentage of each cell that has the category, with Wilson's interval."""
    share = _ratio(grouped.total(grouped.records.weight * grouped.values), grouped.weight)
    low, high = wilson(share, grouped.effective)
    return 100.0 * share, 100.0 * low, 100.0 * high


def means(grouped: Grouped) -> Intervals:
    """The mean of each cell, with Student's interval."""
    weights, effective = grouped.records.weight, grouped.effective
    mean = _ratio(grouped.total(weights * grouped.values), grouped.weight)
    apart = (grouped.values - mean[grouped.cell]) ** 2
    spread = _ratio(grouped.total(weights * apart), grouped.weight)
    freedom = np.maximum(np.nan_to_num(effective) - 1, 1.0)
    reach = student(freedom) * np.sqrt(spread / freedom)
    return mean, mean - reach, mean + reach


def sums(grouped: Grouped) -> Intervals:
    """The sum of each cell, with the normal interval of a total."""
    weights = grouped.records.weight
    whole, effective = float(weights.sum()), grouped.records.effective
    total = grouped.total(weights * grouped.values)
    squares = grouped.total(weights * grouped.values**2)
    spread = np.maximum(squares / whole - (total / whole) ** 2, 0.0)
    reach = NORMAL * whole * np.sqrt(spread / max(effective - 1, 1.0))
    return total, total - reach, total + reach


def medians(grouped: Grouped) -> Intervals:
    """The median of each cell, with the interval between two order statistics."""
    order = np.lexsort((grouped.values, grouped.cell))
    values, weights = grouped.values[order], grouped.records.weight[order]
    ends = np.searchsorted(grouped.cell[order], np.arange(grouped.size), "right")
    sums_up_to = np.cumsum(weights)
    before = np.append(0.0, sums_up_to)[np.append(0, ends[:-1])]
    reach = NORMAL / (2 * np.sqrt(np.maximum(np.nan_to_num(grouped.effective), 1.0)))
    there = grouped.weight > 0

    def quantile(levels: Floats) -> Floats:
        aim = before + np.clip(levels, 0.0, 1.0) * grouped.weight
        trifle = 1e-9 * grouped.weight
        first, last = (
            np.clip(
                np.searchsorted(sums_up_to, aim + side * trifle), np.append(0, ends[:-1]), ends - 1
            )
            for side in (-1, 1)
        )
        return np.where(there, (values[first] + values[last]) / 2, np.nan)

    half = np.full(grouped.size, 0.5)
    return quantile(half), quantile(half - reach), quantile(half + reach)


STATISTICS: Mapping[str, Callable[[Grouped], Intervals]] = {
    "count": counts,
    "sum": sums,
    "mean": means,
    "median": medians,
    "share": shares,
}


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """A table of the original, ready to be compared with those of masked files.

    Args:
        rows: where each cell stands among those shown; small ones stand together in the last.
    """

    wish: TableWish
    original: Table
    rows: Indices
    names: tuple[str, ...]

    @cached_property
    def before(self) -> Grouped:
        """The original's records by cells."""
        return self._grouped(self.original)

    def compare(self, masked: Table) -> KeptStatistic:
        """The table before and after masking."""
        statistic, after = STATISTICS[self.wish.statistic], self._grouped(masked)
        both = statistic(self.before), statistic(after)
        there = (self.before.weight > 0) | (after.weight > 0)
        names = [name for name, shown in zip(self.names, there, strict=True) if shown]
        values = compared(names, _only(both[0], there), _only(both[1], there))
        error, overlap = self._error(both[0][0], both[1][0]), mean_overlap(values)
        return KeptStatistic(self.wish.text, "table", self.meaning, error, overlap, values)

    @property
    def meaning(self) -> str:
        """What the figures are, in words."""
        weighted = " by survey weights" if weight_of(self.original) else ""
        wish = self.wish
        words = {"of": wish.of, "category": wish.category, "weighted": weighted}
        return MEANINGS[wish.statistic].format(**words)

    def _error(self, before: Floats, after: Floats) -> float:
        """In percent: of records in another cell, or of each group's figure on average."""
        weight = self.before.weight
        if self.wish.statistic == "count":
            return min(100.0, 50.0 * float(np.abs(after - before).sum() / weight.sum()))
        apart = np.nan_to_num(np.abs(after - before), nan=np.inf)
        if self.wish.statistic == "share":
            terms = np.minimum(apart, 100.0)
        else:
            scale = STATISTICS[self.wish.statistic](self.before.absolute)[0]
            relative = np.full(len(apart), 100.0)
            np.divide(100.0 * apart, scale, out=relative, where=scale > 0)
            terms = np.where(apart == 0, 0.0, np.minimum(relative, 100.0))
        there = weight > 0
        return float(np.average(terms[there], weights=weight[there]))

    def _grouped(self, table: Table) -> Grouped:
        wish, schema = self.wish, self.original.schema
        records = plain_records(self.original, table, wish.attributes)
        values = _values(records, wish, self.original)
        known = ~np.isnan(values)
        if not known.all():
            records, values = records.where(known), values[known]
        sizes = tuple(len(schema[name].categories) for name in wish.groups)
        cells = np.ravel_multi_index(tuple(records.columns[n] for n in wish.groups), sizes)
        return Grouped(records, self.rows[cells], len(self.names), values)


def prepare_table(wish: TableWish, original: Table) -> PreparedTable:
    """The table of the original; whatever it cannot be made of is said."""
    _check(wish, original)
    sizes = [len(original.attribute(name).categories) for name in wish.groups]
    single = np.arange(prod(sizes))
    probe = PreparedTable(wish, original, single, tuple(map(str, single)))
    found = probe.before.total(probe.before.records.count)
    rows, shown = merged(found)
    if not len(shown):
        raise SchemaError(
            f"no cell of the table {wish.text!r} has {FEWEST} records; use fewer or broader groups"
        )
    names = [_name(original, wish.groups, np.unravel_index(cell, sizes)) for cell in shown]
    return PreparedTable(wish, original, rows, (*names, OTHERS))


def merged(found: Floats, fewest: int = FEWEST) -> tuple[Indices, Indices]:
    """A row for each cell, and the cells that have a row of their own.

    All cells with fewer records stand together in one row more, the last, which also takes the
    smallest of the others until it is empty or large enough.
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


def released(original: Table, names: tuple[str, ...], text: str) -> None:
    """Refuse names that the table does not have, and identifiers, which no file has."""
    for name in names:
        if name not in original.schema:
            known = ", ".join(original.schema.names)
            raise SchemaError(f"no column {name!r} for {text!r}; the file has {known}")
        if original.attribute(name).role is Role.IDENTIFIER:
            raise SchemaError(
                f"{name!r} is an identifier and never released; leave it out of {text!r}"
            )


def category_code(original: Table, name: str, category: str, text: str) -> int:
    """The code of a category that enough records have."""
    attribute = original.attribute(name)
    if not attribute.is_categorical:
        raise SchemaError(
            f"{name!r} holds numbers and has no category {category!r}; "
            f"declare it nominal or ordinal, or take its mean in {text!r}"
        )
    if category not in attribute.categories:
        raise SchemaError(f"{name!r} has no category {category!r}, which {text!r} names")
    code = attribute.categories.index(category)
    if int((original.codes(name) == code).sum()) < FEWEST:
        raise SchemaError(
            f"fewer than {FEWEST} records have the category of {name!r} that {text!r} names; "
            "take one that more have"
        )
    return code


def _check(wish: TableWish, original: Table) -> None:
    released(original, wish.attributes, wish.text)
    for name in wish.groups:
        if not original.attribute(name).is_categorical:
            raise SchemaError(
                f"the groups of {wish.text!r} are categories, and {name!r} holds numbers; "
                "declare it ordinal or nominal, or take its mean"
            )
    sizes = {name: len(original.attribute(name).categories) for name in wish.groups}
    if prod(sizes.values()) > MOST_CELLS:
        longest = max(sizes, key=lambda name: sizes[name])
        raise SchemaError(
            f"the table {wish.text!r} would have {prod(sizes.values())} cells, and {longest!r} "
            f"alone has {sizes[longest]} categories; a table has at most {MOST_CELLS} cells"
        )
    if wish.category:
        category_code(original, wish.of, wish.category, wish.text)
    elif wish.of and not is_number(original.attribute(wish.of)):
        raise SchemaError(
            f"the {wish.statistic} in {wish.text!r} needs numbers, and {wish.of!r} is "
            f"{original.attribute(wish.of).kind}; take a number, or write share {wish.of} = ..."
        )


def _values(records: Records, wish: TableWish, original: Table) -> Floats:
    if not wish.of:
        return np.ones(len(records.count))
    attribute = original.attribute(wish.of)
    if not wish.category:
        return records.numbers(attribute)
    codes = records.columns[wish.of]
    has: Flags = codes == attribute.categories.index(wish.category)
    return np.where(codes >= attribute.domain_size, np.nan, has.astype(np.float64))


def _name(original: Table, groups: tuple[str, ...], codes: tuple[np.intp, ...]) -> str:
    parts = zip(groups, codes, strict=True)
    return ", ".join(original.attribute(n).categories[code] or "missing" for n, code in parts)


def _only(found: Intervals, flags: Flags) -> Intervals:
    return found[0][flags], found[1][flags], found[2][flags]


def _ratio(part: Floats, whole: Floats) -> Floats:
    ratio = np.full(len(part), np.nan)
    np.divide(part, whole, out=ratio, where=whole > 0)
    return ratio
