"""Composite methods: masking within strata, and several methods in sequence."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.partition import canonical, join_groups
from evomask.data.recoding import merge_recodings
from evomask.data.schema import Role
from evomask.data.table import Column, Table
from evomask.errors import EvomaskError, ParameterError, SchemaError
from evomask.masking.method import (
    MaskingMethod,
    Microaggregation,
    provenance_of,
    require_attributes,
)
from evomask.masking.provenance import Provenance
from evomask.masking.randomization.pram import PramMethod, Transitions
from evomask.types import Indices, Labels


@dataclass(frozen=True)
class Stratified:
    """Mask each stratum separately, so that no value moves between strata.

    Args:
        method: the method that is applied within each stratum.
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
        return self.method.attributes

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        with _errors_naming_strata(self.strata):
            return mask_by_label(table, classes_of(table, self.strata).labels, self.method, rng)

    def provenance(self) -> Provenance:
        inner = provenance_of(self.method)
        return replace(inner, strata=(*self.strata, *inner.strata))


@dataclass(frozen=True)
class StratifiedMicroaggregation(Stratified):
    """Microaggregate each stratum separately, so that no group spans two strata.

    Args:
        method: the microaggregation that is applied within each stratum.
        strata: names of the attributes whose combinations are the strata.
    """

    method: Microaggregation

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        with _errors_naming_strata(self.strata):
            strata = classes_of(table, self.strata).labels
            return partition_by_label(table, strata, self.method, rng)


def within_strata(method: MaskingMethod, table: Table) -> MaskingMethod:
    """Wrap a method in a stratified one if the schema declares strata."""
    strata = table.schema.with_role(Role.STRATUM)
    if not strata:
        return method
    if isinstance(method, Microaggregation):
        return StratifiedMicroaggregation(method, strata)
    return Stratified(method, strata)


@contextmanager
def _errors_naming_strata(strata: tuple[str, ...]) -> Iterator[None]:
    try:
        yield
    except EvomaskError as error:
        raise type(error)(f"within a stratum of {', '.join(strata)}: {error}") from None


@dataclass(frozen=True)
class InTurn:
    """Apply several methods in sequence.

    Args:
        methods: the methods in the order of application.
    """

    methods: tuple[MaskingMethod, ...]

    def __post_init__(self) -> None:
        if not self.methods:
            raise ParameterError("a sequence of methods needs at least one; name one")

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for m in self.methods for name in m.attributes))

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        for method in self.methods:
            table = method.mask(table, rng)
        return table

    def provenance(self) -> Provenance:
        parts = [provenance_of(method) for method in self.methods]
        steps = tuple(step for part in parts for step in part.steps)
        strata = dict.fromkeys(name for part in parts for name in part.strata)
        return Provenance(steps, strata=tuple(strata))


def partition_by_label(
    table: Table, labels: Labels, method: Microaggregation, rng: np.random.Generator
) -> Labels:
    """Partition the records of each label; number groups in the order of their first record."""
    places = (np.flatnonzero(labels == label) for label in range(int(labels.max()) + 1))
    parts = ((records, method.partition(table.take(records), rng)) for records in places)
    return canonical(join_groups(len(table), parts))


def mask_by_label(
    table: Table, labels: Labels, method: MaskingMethod, rng: np.random.Generator
) -> Table:
    """Mask the records of each label separately, in the order of labels."""
    places = [np.flatnonzero(labels == label) for label in range(int(labels.max()) + 1)]
    parts = [method.mask(table.take(place), rng) for place in places]
    for name in method.attributes:
        table = _join_column(table, name, parts, places)
    suppressed = np.zeros(len(table), dtype=bool)
    for part, place in zip(parts, places, strict=True):
        suppressed[place] = part.suppressed
    return table.suppressing(suppressed)


def _join_column(table: Table, name: str, parts: list[Table], places: list[Indices]) -> Table:
    column: Column = np.empty(len(table), dtype=parts[0][name].dtype)
    recodings = [part.recodings[name] for part in parts if part.is_recoded(name)]
    if not recodings:
        for part, place in zip(parts, places, strict=True):
            column[place] = part[name]
        return table.with_columns({name: column})
    shared, codes = merge_recodings(recodings)
    for part, place, codes_of_part in zip(parts, places, codes, strict=True):
        column[place] = codes_of_part[part[name]]
    return table.with_recoded(name, column, shared)


def transitions_of(method: MaskingMethod, original: Table) -> dict[str, Transitions]:
    """Return the PRAM transition matrices of a method by attribute; empty for other methods."""
    if isinstance(method, InTurn):
        return {
            k: m for inner in method.methods for k, m in transitions_of(inner, original).items()
        }
    if not isinstance(method, PramMethod):
        return {}
    return {name: method.matrix(original, name) for name in method.attributes}
