"""The population that a file is a sample of: its size, and a table of its people."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evomask.errors import ParameterError
from evomask.types import Floats


@dataclass(frozen=True, eq=False, repr=False)
class PopulationTable:
    """Combinations of values in a population, as texts, and the number of people with each."""

    columns: Mapping[str, tuple[str, ...]]
    counts: Floats


@dataclass(frozen=True)
class Population:
    """What is known of the population that a file was drawn from.

    Args:
        size: number of people; of the table, or the sum of weights, if it is not given.
        table: people of the population by combination of values.
    """

    size: float | None = None
    table: PopulationTable | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.size is not None and not self.size >= 1:
            raise ParameterError(f"a population has at least one person, got {self.size:g}")


UNKNOWN = Population()
"""No population is stated: the file is a whole population unless it has weights."""
