"""Protocols of masking methods, their descriptions, provenance and parameter checks."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol, runtime_checkable

import numpy as np

from evomask.data.parameters import summary_of
from evomask.data.schema import Attribute, Kind
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.masking.provenance import Provenance, Step
from evomask.types import Floats, Indices, Labels


@dataclass(frozen=True)
class About:
    """Description of a masking method or a search, for catalogues and reports.

    Args:
        name: its name in the catalogue.
        title: a short heading.
        steward: a clause for the internal report. ``{k}`` is replaced by a parameter, and
            ``{kept:mean}`` by a parameter in a format of `evomask.report.describe`. Of the
            alternatives in ``[...|...]``, the first whose placeholders all have values is
            used, or none.
        public: one or two sentences without parameters, for the public report.
        simple: label of a well-known simple method on the map of candidates; empty for others.
        together: whether the set of attributes that are masked at once affects the result;
            False for methods that mask each attribute independently.
    """

    name: str
    title: str
    steward: str
    public: str
    simple: str = ""
    together: bool = False


class MaskingMethod(Protocol):
    """A masking method: parameters as fields, and the function ``mask``.

    ``mask`` does not modify its argument, keeps the number and order of records, leaves
    all other attributes unchanged, and draws every random number from *rng*. A *perturbing*
    method keeps the schema and the domains; a *recoding* method keeps names, order and roles,
    and its cells may be intervals, ancestors or suppressed.
    """

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the masked attributes."""
        ...

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return a copy of *table* with the attributes masked."""
        ...


@runtime_checkable
class Microaggregation(MaskingMethod, Protocol):
    """A method that partitions the records and releases an aggregate of each group."""

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        """Return the group label of each record, numbered from 0."""
        ...


@runtime_checkable
class AggregatingMethod(Microaggregation, Protocol):
    """A microaggregation that can also aggregate a given partition."""

    def released(self, table: Table, labels: Labels) -> Table:
        """Return the masked table for the given group labels."""
        ...


@runtime_checkable
class CompositeMethod(Protocol):
    """A method that combines other methods and reports their joint provenance."""

    def provenance(self) -> Provenance:
        """Return the provenance of a file that this method masks."""
        ...


@dataclass(frozen=True, eq=False)
class NumberStatistics:
    """Frequency table of a continuous attribute in the whole file.

    Args:
        values: distinct known values in increasing order.
        counts: number of records with each value.
        missing: number of records without a value.
    """

    values: Floats
    counts: Indices
    missing: int = 0

    @property
    def deviation(self) -> float:
        """Standard deviation (ddof 0), with missing values replaced by the median."""
        values, counts = self.values, self.counts.astype(np.float64)
        if self.missing and len(values):
            values = np.append(values, self.median)
            counts = np.append(counts, self.missing)
        total = counts.sum()
        if not total:
            return 0.0
        mean = float((values * counts).sum() / total)
        return float(np.sqrt((((values - mean) ** 2) * counts).sum() / total))

    @property
    def median(self) -> float:
        total = int(self.counts.sum())
        return (self.at((total - 1) // 2) + self.at(total // 2)) / 2.0

    @property
    def mean(self) -> float:
        return float((self.values * self.counts).sum() / max(1, int(self.counts.sum())))

    @property
    def ends(self) -> tuple[float, float]:
        """Smallest and largest value; NaN if all values are missing."""
        if not len(self.values):
            return np.nan, np.nan
        return float(self.values[0]), float(self.values[-1])

    def at(self, place: int) -> float:
        """Return the value at a position of the sorted file, counted from 0."""
        return float(self.values[np.searchsorted(np.cumsum(self.counts), place, side="right")])

    def lowest(self, percent: float) -> float:
        """Return the upper end of the lowest *percent* of the known values."""
        total = int(self.counts.sum())
        return self.at(max(int(np.ceil(total * percent / 100)), 1) - 1) if total else np.nan

    def highest(self, percent: float) -> float:
        """Return the lower end of the highest *percent* of the known values."""
        total = int(self.counts.sum())
        cut = max(int(np.ceil(total * percent / 100)), 1)
        return self.at(total - cut) if total else np.nan


@dataclass(frozen=True, eq=False)
class FileStatistics:
    """Univariate statistics of a whole file, for masking it chunk by chunk.

    Args:
        numbers: statistics of each continuous attribute.
        frequencies: number of records in each category of each categorical attribute.
    """

    numbers: Mapping[str, NumberStatistics]
    frequencies: Mapping[str, Floats]


@runtime_checkable
class Fittable(Protocol):
    """A method that can be fitted to statistics of a whole file and then applied to chunks.

    ``fitted`` returns a method whose ``mask`` uses nothing from a table but its records, so
    that chunks are masked like the whole file.
    """

    def fitted(self, statistics: FileStatistics) -> MaskingMethod:
        """Return the method for chunks of the file that *statistics* describe."""
        ...


def provenance_of(method: MaskingMethod) -> Provenance:
    """Return the provenance of a file that *method* masks; a composite has several steps."""
    if isinstance(method, CompositeMethod):
        return method.provenance()
    step = Step(about_of(type(method)).name, _plain_parameters(method), method.attributes)
    return Provenance((step,))


def about_of(owner: Any) -> About:  # noqa: ANN401
    """Return the description of a method or search; without one, its docstring's first line."""
    about: About | None = getattr(owner, "about", None)
    return about or about_unknown(_first_line(owner))


def about_unknown(name: str) -> About:
    """Return a generic description for a method of which only the name is known."""
    return About(name, name, "", "Values were changed by a masking method.")


def _first_line(owner: Any) -> str:  # noqa: ANN401
    """Return the first sentence of the docstring, or the class name if it was generated."""
    kind = owner if isinstance(owner, type) else type(owner)
    summary = summary_of(kind) if kind.__dict__.get("__doc__") else ""
    generated = f"{kind.__name__}("
    return kind.__name__ if not summary or generated in summary else summary.removesuffix(".")


def _plain_parameters(method: object) -> dict[str, Any]:
    if not dataclasses.is_dataclass(method) or isinstance(method, type):
        return {}
    names = [item.name for item in dataclasses.fields(method) if item.name != "attributes"]
    values = {name: _plain(getattr(method, name)) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _plain(value: object) -> Any:  # noqa: ANN401
    """Convert a value to what JSON would return for it; None if JSON cannot represent it."""
    if isinstance(value, (tuple, list)):
        items = [_plain(item) for item in value]
        return None if None in items else items
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str):
        return str(value)
    return value if isinstance(value, (bool, int, float)) else None


def require_attributes(attributes: tuple[str, ...], method: str) -> None:
    """Raise if attributes are no names, or there is none, or one is named twice."""
    if not _are_names(attributes):
        raise ParameterError(
            f"{method} needs a tuple of attribute names, such as ('age', 'income'), got a value of "
            f"type {type(attributes).__name__}"
        )
    if not attributes:
        raise SchemaError(f"{method} needs at least one attribute; name one")
    duplicates = sorted({name for name in attributes if attributes.count(name) > 1})
    if duplicates:
        raise SchemaError(f"{method} is given {duplicates[0]!r} twice; name each attribute once")


def _are_names(given: object) -> bool:
    return isinstance(given, tuple | list) and all(isinstance(name, str) for name in given)


def _is_number(given: object) -> bool:
    return isinstance(given, Real)


def require_percent(value: float, parameter: str) -> None:
    """Raise if a parameter is not a percentage in (0, 100]."""
    if not _is_number(value) or not 0 < value <= 100:
        raise ParameterError(f"{parameter} must lie in (0, 100] percent, got {value}")


def require_share(value: float, parameter: str) -> None:
    """Raise if a parameter is not a probability in [0, 1]."""
    if not _is_number(value) or not 0 <= value <= 1:
        raise ParameterError(f"{parameter} must lie in [0, 1], got {value}")


def require_count(value: int, parameter: str, least: int) -> None:
    """Raise if a parameter is not a whole number of at least *least*."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ParameterError(f"{parameter} must be a whole number of {least} or more, got {value}")


def ordered_attribute(table: Table, name: str, method: str) -> Attribute:
    """Return the attribute; raise if it is nominal."""
    attribute = table.attribute(name)
    if attribute.kind is Kind.NOMINAL:
        raise SchemaError(
            f"{method} needs an order, and {name!r} is nominal; declare it ordinal or leave it out"
        )
    return attribute


def ordinal_attribute(table: Table, name: str, method: str) -> Attribute:
    """Return the attribute; raise if it is not ordinal."""
    attribute = ordered_attribute(table, name, method)
    if attribute.kind is Kind.CONTINUOUS:
        raise SchemaError(
            f"{method} needs ordered categories, and {name!r} is continuous; "
            "declare it ordinal or leave it out"
        )
    return attribute
