"""Dates that lose their day, their month, their year in turn."""

import re
from collections.abc import Sequence
from datetime import date

from evomask.data.hierarchy import Hierarchy, with_top
from evomask.data.schema import MISSING
from evomask.errors import SchemaError

FORMS = (
    re.compile(r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?:[ T]\d{2}:\d{2}.*)?"),
    re.compile(r"(?P<year>\d{4})/(?P<month>\d{1,2})/(?P<day>\d{1,2})"),
    re.compile(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4}|\d{2})"),
    re.compile(r"(?P<day>\d{1,2})-(?P<month>\d{1,2})-(?P<year>\d{4}|\d{2})"),
    re.compile(r"(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{4}|\d{2})"),
    re.compile(r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4}|\d{2})"),
)
"""Year, month, day; or the day first; or, where that is no date, the month first."""

CENTURY_TURNS = 30
"""Years of two digits below this are of this century, the others of the last."""

PERIODS = (5, 10, 20)
"""Years that are put together."""


def days_of(texts: Sequence[str]) -> list[date] | None:
    """The dates that all texts are in one form; nothing where they are not."""
    for form in FORMS:
        days = [_day(form, text) for text in texts]
        known = [day for day in days if day is not None]
        if days and len(known) == len(days):
            return known
    return None


def _day(form: re.Pattern[str], text: str) -> date | None:
    found = form.fullmatch(text.strip())
    if found is None:
        return None
    try:
        return date(_year(found["year"]), int(found["month"]), int(found["day"]))
    except ValueError:
        return None


def _year(text: str) -> int:
    year = int(text)
    return year if len(text) > 2 else year + (2000 if year < CENTURY_TURNS else 1900)


def in_order(texts: Sequence[str]) -> list[str]:
    """Texts by the days that they are where all are days in one form, else as texts go."""
    days = days_of(texts)
    if days is None:
        return sorted(texts)
    return [text for _, text in sorted(zip(days, texts, strict=True))]


def dates(categories: Sequence[str]) -> Hierarchy:
    """Dates by month, by year, and by five, ten and twenty years."""
    known = [category for category in categories if category != MISSING]
    days = days_of(known)
    if days is None:
        raise SchemaError(
            "bands of dates need dates in one form, such as 1984-05-31, 31.05.1984 or 31/05/1984"
        )
    of_text = dict(zip(known, days, strict=True))
    return with_top(categories, 2 + len(PERIODS), lambda text: _ancestors(of_text[text]))


def _ancestors(day: date) -> list[str]:
    periods = [day.year // years * years for years in PERIODS]
    spans = [f"{first:04d}-{first + n - 1:04d}" for first, n in zip(periods, PERIODS, strict=True)]
    return [f"{day.year:04d}-{day.month:02d}", f"{day.year:04d}", *spans]
