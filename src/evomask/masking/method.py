"""What every masking method promises."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from evomask.arrays import Labels
from evomask.data.table import Table


@dataclass(frozen=True)
class About:
    """What a masking method or a search says of itself.

    Args:
        name: as in the catalogue.
        title: a short heading.
        steward: one clause on what was done to the file, with {parameter} places.
        public: one or two sentences without parameters.
        simple: a short name on the map, for well-known simple methods.
    """

    name: str
    title: str
    steward: str
    public: str
    simple: str = ""


@dataclass(frozen=True)
class Step:
    """One method as it was applied to a file."""

    method: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Making:
    """How a masked file was made."""

    steps: tuple[Step, ...]
    search: str = ""
    operator: str = ""
    strata: tuple[str, ...] = ()
    repaired: float | None = None
    required: str = ""
    origins: tuple[str, ...] = ()


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
