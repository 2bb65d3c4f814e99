"""Models that must survive: a regression fitted to the original and to the masked file."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.data.schema import Attribute
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.measures.keeping.estimates import FEWEST, KeptStatistic, compared, mean_overlap
from evomask.measures.keeping.records import Records, is_number, plain_records
from evomask.measures.keeping.regression import Fit, linear, logistic
from evomask.measures.keeping.tables import OTHERS, category_code, merged, released
from evomask.measures.keeping.wording import ModelWish

MOST_COLUMNS = 200
LITTLE = 0.05
"""A model that explains a smaller share says little, and changes by little things."""


@dataclass(frozen=True, eq=False)
class Term:
    """The columns of one predictor.

    Args:
        names: of its columns.
        centre, unit: of a number: what is taken off, and what it is divided by.
        columns: of a categorical attribute: the column of each category, -1 for the most
            frequent one, which the others are compared with.
    """

    attribute: Attribute
    names: tuple[str, ...]
    centre: float = 0.0
    unit: float = 1.0
    columns: Indices | None = None

    def of(self, records: Records) -> Points:
        """Its columns for each record; NaN where it is missing."""
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
    """Complete records of a model: columns with an intercept, outcome, effective weights."""

    columns: Points
    outcome: Floats
    weights: Floats


@dataclass(frozen=True, eq=False)
class PreparedModel:
    """A model of the original, ready to be compared with those of masked files.

    Args:
        category: code of the outcome's category that is explained; none for numbers.
    """

    wish: ModelWish
    original: Table
    terms: tuple[Term, ...]
    category: int | None

    @cached_property
    def sample(self) -> _Sample:
        """The original's complete records."""
        return self._sample(self.original)

    @cached_property
    def fit(self) -> Fit:
        """The model of the original."""
        return self._fit(self.sample)

    def compare(self, masked: Table) -> KeptStatistic:
        """The coefficients before and after masking, without the intercept."""
        sample = self._sample(masked)
        start = None if self.fit.is_separated else self.fit.coefficients
        after = self._fit(sample, start) if len(sample.outcome) else None
        units = np.array([1.0, *(term.unit for term in self.terms for _ in term.names)])
        nothing = np.full(len(units) - 1, np.nan)
        first = tuple(part[1:] for part in self.fit.intervals(units))
        second = tuple(part[1:] for part in after.intervals(units)) if after else (nothing,) * 3
        names = [name for term in self.terms for name in term.names]
        values = compared(names, (first[0], first[1], first[2]), (second[0], second[1], second[2]))
        return KeptStatistic(
            self.wish.text, "model", self.meaning, self._error(after), mean_overlap(values),
            values, tuple(self._notes(names, after)),
        )  # fmt: skip

    @property
    def meaning(self) -> str:
        """What the coefficients are, in words."""
        if self.category is None:
            return f"coefficients of the linear regression of {self.wish.outcome}"
        category = self.original.attribute(self.wish.outcome).categories[self.category]
        against = f"{self.wish.outcome} = {category} against all others"
        return f"coefficients (log odds) of the logistic regression of {against}"

    @cached_property
    def explained(self) -> float:
        """The share of the outcome's variation in the original that the model explains."""
        whole = _variance(self.sample.outcome, self.sample.weights)
        expected = self.fit.predicted(self.sample.columns)
        return _variance(expected, self.sample.weights) / whole if whole > 0 else 0.0

    def _error(self, after: Fit | None) -> float:
        """How far predictions have moved, in percent of how far they lie from their mean."""
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
        if self.explained < LITTLE:
            share = f"{100 * self.explained:.1f} % of the variation of {self.wish.outcome}"
            yield f"the model explains {share} in the original: its error is of little weight"
        for file, fit in (("the original", self.fit), ("the masked file", after)):
            if fit is None:
                yield f"{file} has no complete record"
                continue
            lost = [n for n, there in zip(names, fit.determined[1:], strict=True) if not there]
            if lost:
                yield f"{file} does not determine {', '.join(lost)}: {_why(fit)}"

    def _fit(self, sample: _Sample, start: Floats | None = None) -> Fit:
        if self.category is None:
            return linear(sample.columns, sample.outcome, sample.weights)
        return logistic(sample.columns, sample.outcome, sample.weights, start)

    def _sample(self, table: Table) -> _Sample:
        """Records with all values, weights scaled to their effective number."""
        records = plain_records(self.original, table, self.wish.attributes)
        outcome = self._outcome(records)
        design = np.column_stack(
            [np.ones(len(outcome)), *(term.of(records) for term in self.terms)]
        )
        there = ~(np.isnan(outcome) | np.isnan(design).any(axis=1))
        kept = records.where(there)
        scale = kept.effective / max(float(kept.weight.sum()), 1e-300)
        return _Sample(design[there], outcome[there], kept.weight * scale)

    def _outcome(self, records: Records) -> Floats:
        attribute = self.original.attribute(self.wish.outcome)
        if self.category is None:
            return records.numbers(attribute)
        codes = records.columns[attribute.name]
        has = (codes == self.category).astype(np.float64)
        return np.where(codes >= attribute.domain_size, np.nan, has)


def prepare_model(wish: ModelWish, original: Table) -> PreparedModel:
    """The model of the original; whatever it cannot be made of is said."""
    released(original, wish.attributes, wish.text)
    category = _category(wish, original)
    terms = tuple(_term(original, name, wish.text) for name in wish.predictors)
    size = 1 + sum(len(term.names) for term in terms)
    if size > MOST_COLUMNS:
        longest = max(terms, key=lambda term: len(term.names))
        raise SchemaError(
            f"the model {wish.text!r} would have {size} coefficients, and "
            f"{longest.attribute.name!r} alone has {len(longest.names)}; "
            f"a model has at most {MOST_COLUMNS}"
        )
    prepared = PreparedModel(wish, original, terms, category)
    complete = float(prepared.sample.weights.sum())
    if complete < max(size + 1, FEWEST):
        raise SchemaError(
            f"the model {wish.text!r} has {size} coefficients and too few records without a "
            "missing value; leave some predictors out"
        )
    return prepared


def _category(wish: ModelWish, original: Table) -> int | None:
    """What is explained of a categorical outcome: what is named, or the most frequent one."""
    attribute = original.attribute(wish.outcome)
    if wish.category:
        return category_code(original, wish.outcome, wish.category, wish.text)
    if is_number(attribute):
        return None
    found = np.bincount(original.codes(wish.outcome), minlength=len(attribute.categories))
    found = found[: attribute.domain_size]
    _, shown = merged(found.astype(np.float64))
    if (found > 0).sum() < 2 or not len(shown):
        raise SchemaError(
            f"{wish.outcome!r} cannot be explained in {wish.text!r}: a model needs two values "
            f"or more, and a category that {FEWEST} records have"
        )
    return int(np.argmax(found))


def _term(original: Table, name: str, text: str) -> Term:
    attribute = original.attribute(name)
    if is_number(attribute):
        values = plain_records(original, original, (name,)).numbers(attribute)
        known = values[~np.isnan(values)]
        spread = float(known.std()) if len(known) else 0.0
        return Term(attribute, (name,), float(known.mean()) if len(known) else 0.0, spread or 1.0)
    found = np.bincount(original.codes(name), minlength=len(attribute.categories))
    rows, shown = merged(found[: attribute.domain_size].astype(np.float64))
    if not len(shown):
        raise SchemaError(f"no category of {name!r} in {text!r} has {FEWEST} records; leave it out")
    usual = int(rows[np.argmax(found[: attribute.domain_size])])
    rare = int(found[: attribute.domain_size][rows == len(shown)].sum())
    names = [*(f"{name} = {attribute.categories[code]}" for code in shown)]
    names += [f"{name}: {OTHERS}"] if rare else []
    places = np.array([row - (row > usual) if row != usual else -1 for row in rows])
    places[(rows == len(shown)) & (rare == 0)] = -1
    del names[usual]
    return Term(attribute, tuple(names), columns=np.append(places, -1))


def _variance(values: Floats, weights: Floats) -> float:
    return float(np.average((values - np.average(values, weights=weights)) ** 2, weights=weights))


def _why(fit: Fit) -> str:
    if fit.is_separated:
        return "what they tell separates the outcome completely, so no coefficient has a bound"
    return "other columns say the same"
