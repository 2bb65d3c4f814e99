"""Methods made of methods: each stratum on its own, or one method after the other."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from evomask.arrays import Indices, Labels
from evomask.data.classes import classes_of
from evomask.data.partition import canonical
from evomask.data.recoding import united
from evomask.data.schema import Role
from evomask.data.table import Column, Table
from evomask.errors import EvomaskError, ParameterError, SchemaError
from evomask.masking.checks import require_attributes
from evomask.masking.making import Making
from evomask.masking.method import MaskingMethod, Microaggregation, making_of
from evomask.masking.randomization.formula_pram import FormulaPram
from evomask.masking.randomization.pram import MatrixPram, Pram, Transitions


@dataclass(frozen=True)
class Stratified:
    """Mask every stratum on its own, so that no value crosses from one to another.

    Args:
        method: what is done within a stratum.
        strata: names of the attributes whose combinations are the strata.
    """

    method: MaskingMethod
    strata: tuple[str, ...]

    def __post_init__(self) -> None:
        require_attributes(self.strata, "a stratified method")
        masked = sorted(set(self.strata) & set(self.method.attributes))
        if masked:
            raise SchemaError(f"{masked[0]!r} is a stratum and must not be masked; leave it out")

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the attributes that the method masks."""
        return self.method.attributes

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """The table with every stratum masked on its own, in the order of strata."""
        with _blaming_strata(self.strata):
            return masked_apart(table, classes_of(table, self.strata).labels, self.method, rng)

    def making(self) -> Making:
        """What the method does, and within which strata."""
        inner = making_of(self.method)
        return replace(inner, strata=(*self.strata, *inner.strata))


@dataclass(frozen=True)
class StratifiedMicroaggregation(Stratified):
    """Microaggregate every stratum on its own, so that no group reaches over two.

    Args:
        method: what is done within a stratum.
        strata: names of the attributes whose combinations are the strata.
    """

    method: Microaggregation

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        """Group label of each record; no group reaches over two strata."""
        with _blaming_strata(self.strata):
            strata = classes_of(table, self.strata).labels
            return partitioned_apart(table, strata, self.method, rng)


def within_strata(method: MaskingMethod, table: Table) -> MaskingMethod:
    """The method on every stratum of its own, where the schema names attributes as strata."""
    strata = table.schema.with_role(Role.STRATUM)
    if not strata:
        return method
    if isinstance(method, Microaggregation):
        return StratifiedMicroaggregation(method, strata)
    return Stratified(method, strata)


@contextmanager
def _blaming_strata(strata: tuple[str, ...]) -> Iterator[None]:
    """Tell that what cannot be done cannot be done within a stratum."""
    try:
        yield
    except EvomaskError as error:
        raise type(error)(f"within a stratum of {', '.join(strata)}: {error}") from None


@dataclass(frozen=True)
class InTurn:
    """Mask with several methods, one after the other.

    Args:
        methods: what is done, in this order.
    """

    methods: tuple[MaskingMethod, ...]

    def __post_init__(self) -> None:
        if not self.methods:
            raise ParameterError("a sequence of methods needs at least one; name one")

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the attributes that any of the methods masks, each once."""
        return tuple(dict.fromkeys(name for m in self.methods for name in m.attributes))

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """The table after the last method, each having masked what the one before left."""
        for method in self.methods:
            table = method.mask(table, rng)
        return table

    def making(self) -> Making:
        """The steps of all the methods, and the strata of any."""
        makings = [making_of(method) for method in self.methods]
        steps = tuple(step for making in makings for step in making.steps)
        strata = dict.fromkeys(name for making in makings for name in making.strata)
        return Making(steps, strata=tuple(strata))


def partitioned_apart(
    table: Table, labels: Labels, method: Microaggregation, rng: np.random.Generator
) -> Labels:
    """The method's groups within each label, numbered in the order of their first record."""
    groups = np.empty(len(table), dtype=np.int64)
    n_groups = 0
    for label in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == label)
        groups[members] = method.partition(table.take(members), rng) + n_groups
        n_groups = int(groups[members].max()) + 1
    return canonical(groups)


def masked_apart(
    table: Table, labels: Labels, method: MaskingMethod, rng: np.random.Generator
) -> Table:
    """The table with the records of each label masked on their own, in the order of labels."""
    places = [np.flatnonzero(labels == label) for label in range(int(labels.max()) + 1)]
    parts = [method.mask(table.take(place), rng) for place in places]
    for name in method.attributes:
        table = _joined(table, name, parts, places)
    suppressed = np.zeros(len(table), dtype=bool)
    for part, place in zip(parts, places, strict=True):
        suppressed[place] = part.suppressed
    return table.suppressing(suppressed)


def _joined(table: Table, name: str, parts: list[Table], places: list[Indices]) -> Table:
    column: Column = np.empty(len(table), dtype=parts[0][name].dtype)
    recodings = [part.recodings[name] for part in parts if part.is_recoded(name)]
    if not recodings:
        for part, place in zip(parts, places, strict=True):
            column[place] = part[name]
        return table.with_columns({name: column})
    shared, codes = united(recodings)
    for part, place, codes_of_part in zip(parts, places, codes, strict=True):
        column[place] = codes_of_part[part[name]]
    return table.with_recoded(name, column, shared)


def transitions_of(method: MaskingMethod, original: Table) -> dict[str, Transitions]:
    """The transition matrices by which a method changes categories, by attribute."""
    if isinstance(method, InTurn):
        return {
            k: m for inner in method.methods for k, m in transitions_of(inner, original).items()
        }
    if not isinstance(method, (Pram, MatrixPram, FormulaPram)):
        return {}
    return {name: method.matrix(original, name) for name in method.attributes}
