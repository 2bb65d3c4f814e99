"""What every masking method promises."""

from typing import Protocol, runtime_checkable

import numpy as np

from evomask.arrays import Labels
from evomask.data.table import Table


class MaskingMethod(Protocol):
    """Parameters held as fields; one verb.

    ``mask`` leaves its argument alone, keeps the number and order of records, leaves
    attributes that the method does not name untouched, and draws every random number from
    *rng*. A *perturbing* method keeps the schema and stays in the domain; a *recoding* one
    keeps names, order and roles, and its cells may be intervals, ancestors or suppressed.
    """

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the attributes it masks."""
        ...

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """A protected table."""
        ...


@runtime_checkable
class Microaggregation(MaskingMethod, Protocol):
    """A method that groups records and releases each group's aggregate."""

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        """Group label of each record."""
        ...
