"""What every measure promises."""

from collections.abc import Callable
from typing import Protocol

from evomask.data.table import Table

Reading = Callable[[Table], float]
"""A measure bound to its original: a masked table in, percent in [0, 100] out."""


class Measure(Protocol):
    """Loss or risk of a masked table, lower is better.

    ``against`` does once what depends on the original alone; the reading it gives is pure,
    never NaN, and for a loss reads 0 on the original itself.
    """

    def against(self, original: Table) -> Reading:
        """The measure, prepared for many masked versions of *original*."""
        ...
