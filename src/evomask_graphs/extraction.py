"""Microdata from a graph: one record per node, with its degree (section 6.2.2).

The degree separates records that were equal in the protected graph, so the table is made
k-anonymous again with the degree included. The thesis does not define how such a table is measured;
loss and risk here are evomask's own.
"""

from dataclasses import dataclass

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.data.schema import Attribute, Kind, Role, Schema, Storage
from evomask.data.table import Table
from evomask.types import Indices
from evomask_graphs.graph import Graph
from evomask_graphs.profiles import ProfileColumns, Profiles, profiles_of
from evomask_graphs.protection import Protector

DEGREE = "degree"


@dataclass(frozen=True)
class Extraction:
    """Microdata extracted from a graph.

    Args:
        table: the k-anonymous records, in the order of the nodes.
        loss: mean distance of original values to released ones, in percent, degree included.
        risk: percentage of re-identified original records.
        smallest: size of the smallest equivalence class.
    """

    table: Table
    loss: float
    risk: float
    smallest: int


def microdata(profiles: Profiles, degrees: Indices) -> Table:
    """One record per node: degree, location and topics (figure 6.4)."""
    profile = profiles.table()
    degree = Attribute(
        DEGREE, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, storage=Storage.INTEGER, decimals=0
    )
    columns = {DEGREE: degrees.astype(float), **profile.columns}
    return Table(Schema((degree, *profile.schema.attributes)), columns)


def extract_microdata(
    graph: Graph,
    columns: ProfileColumns,
    k: int,
    protector: Protector,
    rng: np.random.Generator,
    *,
    original: Graph | None = None,
) -> Extraction:
    """Extract k-anonymous records of the nodes of a graph, degree included.

    Args:
        graph: in the thesis the protected one.
        original: graph against which loss and risk are measured, with nodes in the same order;
            *graph* by default.
    """
    source = graph if original is None else original
    before, profiles = profiles_of(columns, source.nodes, graph.nodes)
    degrees = graph.degrees
    span = max(1, int(degrees.max() - degrees.min()))
    shares = ((degrees - degrees.min()) / span)[:, None].astype(float)
    masked = protector.protect(profiles.with_numbers(shares), degrees, k, rng).profiles
    released = np.round(masked.numbers[:, 0] * span).astype(np.int64) + degrees.min()
    shifts = np.minimum(np.abs(source.degrees - released) / span, 1.0)
    return Extraction(
        microdata(masked, released),
        100.0 * float(np.mean([*before.distances(masked).values(), shifts])),
        _found_again(before, source.degrees, masked, released),
        int(classes_of_columns(_columns(masked, released), len(graph)).sizes.min()),
    )


def _found_again(
    original: Profiles, degrees: Indices, masked: Profiles, released: Indices
) -> float:
    pairs = zip(_columns(original, degrees), _columns(masked, released), strict=True)
    both = [np.concatenate(pair) for pair in pairs]
    labels = classes_of_columns(both, 2 * len(original)).labels
    return 100.0 * float(np.isin(labels[: len(original)], labels[len(original) :]).mean())


def _columns(profiles: Profiles, degrees: Indices) -> list[Indices]:
    return [degrees, *(codes + 1 for codes in profiles.codes().values())]
