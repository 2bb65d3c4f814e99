"""Masking of dates: one random shift for all dates of a person, and rounding to periods."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from evomask.data.schema import Role, Schema
from evomask.data.table import Table
from evomask.data.units import unit_columns, unit_labels
from evomask.errors import ParameterError, SchemaError
from evomask.masking.method import About, require_attributes
from evomask.types import Floats


class Period(StrEnum):
    """Periods to which dates are rounded."""

    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


@dataclass(frozen=True)
class DateShift:
    """Shift all dates of a person by the same random number of days.

    Args:
        attributes: names of the dates.
        days: largest shift in either direction; every shift but 0 is equally likely.

    The days between the dates of a person, and their order, are preserved; so whoever knows them
    may find the person (see the attack ``date-intervals``). All dates of a person must be shifted.
    A record without a person number is a person.
    """

    about: ClassVar[About] = About(
        name="date-shift",
        title="date shift",
        steward="dates shifted by up to {days} days, all dates of a person alike",
        public="All dates of a person were shifted by the same random number of days.",
        simple="noise",
        together=True,
    )

    attributes: tuple[str, ...]
    days: int = 30

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "date shift")
        if not 1 <= self.days <= 36_500:
            raise ParameterError(f"days must lie in 1 to 36500, got {self.days}")

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        require_dates(table.schema, self.attributes)
        columns = unit_columns(table.schema)
        persons = table.schema.with_role(Role.PERSON)
        units = unit_labels(table, columns[-1]) if persons else np.arange(len(table))
        shifts = rng.integers(-self.days, self.days, int(units.max(initial=-1)) + 1)
        shifts += shifts >= 0
        moved = shifts[units].astype(np.float64)
        return table.with_columns({name: table.values(name) + moved for name in self.attributes})


@dataclass(frozen=True)
class DateRounding:
    """Round dates down to the first day of their week, month, quarter or year.

    Args:
        attributes: names of the dates.
        period: ``week`` (from Monday), ``month``, ``quarter`` or ``year``.

    An event never comes after a later one; events of one period get the same date.
    """

    about: ClassVar[About] = About(
        name="date-rounding",
        title="rounding of dates",
        steward="dates rounded to the first day of the {period}",
        public="Dates were rounded to the first day of a period.",
        simple="recoding",
    )

    attributes: tuple[str, ...]
    period: Period = Period.MONTH

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "rounding of dates")

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with rounded dates; no random number is drawn."""
        require_dates(table.schema, self.attributes)
        return table.with_columns(
            {name: first_days(table.values(name), self.period) for name in self.attributes}
        )


def first_days(days: Floats, period: Period) -> Floats:
    """First day of the period of each day; missing stays missing."""
    known = ~np.isnan(days)
    whole = np.where(known, days, 0).astype(np.int64)
    if period is Period.WEEK:
        first = whole - (whole + 3) % 7  # day 0 was a Thursday
    else:
        months = whole.astype("M8[D]").astype("M8[M]").astype(np.int64)
        step = {Period.MONTH: 1, Period.QUARTER: 3, Period.YEAR: 12}[period]
        first = (months // step * step).astype("M8[M]").astype("M8[D]").astype(np.int64)
    return np.where(known, first, np.nan)


def require_dates(schema: Schema, names: tuple[str, ...]) -> None:
    """Refuse attributes that are no dates."""
    for name in names:
        if not schema[name].is_date:
            raise SchemaError(f'{name!r} is no date; declare kind = "date", or leave it out')
