"""evomask for Python users: data frames in, data frames out."""

import secrets
from collections.abc import Iterable
from typing import Protocol, TypeVar

import numpy as np

from evomask.data.frames import Declaration, frame_like, table_from
from evomask.data.intake import Frame
from evomask.data.schema import Kind, Role
from evomask.data.table import Table

F = TypeVar("F", bound=Frame)


class Method(Protocol):
    """A masking method, such as ``evomask.Mdav``."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the attributes it masks."""
        ...

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """A protected table."""
        ...


def mask(
    frame: F,
    method: Method,
    *,
    ordinal: Iterable[str] = (),
    nominal: Iterable[str] = (),
    drop: Iterable[str] = (),
    seed: int | None = None,
) -> F:
    """Mask a pandas, polars or pyarrow frame with one method; the same kind of frame back.

    Args:
        ordinal: columns whose categories have an order (numbers, or ordered categories).
        nominal: columns whose values can only be compared.
        drop: identifiers, left out of the result.
        seed: repeats a result; drawn from the system when absent.

    The frame given is left alone; order, index, types and other columns are kept.
    """
    original = table_from(frame, _declared(method.attributes, ordinal, nominal, drop))
    drawn = secrets.randbits(63) if seed is None else seed
    masked = method.mask(original, np.random.default_rng(drawn))
    result: F = frame_like(frame, original, masked)
    return result


def _declared(
    masked: Iterable[str], ordinal: Iterable[str], nominal: Iterable[str], drop: Iterable[str]
) -> dict[str, Declaration]:
    kinds = dict.fromkeys(ordinal, Kind.ORDINAL) | dict.fromkeys(nominal, Kind.NOMINAL)
    roles = dict.fromkeys(masked, Role.QUASI_IDENTIFIER) | dict.fromkeys(drop, Role.IDENTIFIER)
    return {
        name: Declaration(kinds.get(name), roles.get(name, Role.OTHER))
        for name in kinds.keys() | roles.keys()
    }
