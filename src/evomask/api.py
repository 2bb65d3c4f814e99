"""evomask for Python users: data frames in, data frames out; networkx graphs likewise."""

import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from evomask.data.frames import Declaration, frame_like, table_from
from evomask.data.intake import Frame
from evomask.data.schema import Kind, Role
from evomask.data.table import Table

if TYPE_CHECKING:
    from evomask.runs.graph import Readings

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


def protect_graph(
    graph: Any,  # noqa: ANN401
    k: int,
    *,
    location: Iterable[str] = (),
    topics: Iterable[str] = (),
    protector: str = "search",
    edges: bool = False,
    seed: int | None = None,
) -> Any:  # noqa: ANN401
    """Make every profile of a networkx graph shared by k nodes or more; a new graph back.

    Args:
        location: node attributes of the place, from specific to general; found by name
            (city, region, country, continent) when absent.
        topics: node attributes of the topics, in order; topic1, topic2, ... when absent.
        protector: ``search`` (loses less) or ``random`` (the thesis' Algorithm 14).
        edges: whether degrees are made k-anonymous too, by adding edges.

    Nodes keep their names, as text, and their order: rename them before a release. Attributes
    that are no part of a profile are left out.
    """
    from evomask.io.graphs import graph_from_networkx, graph_to_networkx
    from evomask.runs.graph import generator, protected_with_edges, protector_named, with_profiles

    loaded = with_profiles(graph_from_networkx(graph), tuple(location), tuple(topics))
    masked = protected_with_edges(
        loaded, k, protector_named(protector), generator(seed), degrees=edges
    )
    return graph_to_networkx(masked.graph)


def measure_graph(
    original: Any,  # noqa: ANN401
    masked: Any,  # noqa: ANN401
    *,
    location: Iterable[str] = (),
    topics: Iterable[str] = (),
) -> "Readings":
    """Loss, risk and structure of a protected networkx graph; nodes are matched by name."""
    from evomask.io.graphs import graph_from_networkx
    from evomask.runs.graph import read_aligned, with_profiles

    before, after = (
        with_profiles(graph_from_networkx(one), tuple(location), tuple(topics))
        for one in (original, masked)
    )
    return read_aligned(before, after)
