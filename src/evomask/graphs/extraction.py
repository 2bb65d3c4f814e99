"""A table of people from a graph: one record a node, with its degree (section 6.2.2).

The degree makes records unlike that were alike in the protected graph, so the table is made
k-anonymous once more, the degree included. How such a table is measured the thesis does not
say; loss and risk here are ours.
"""

from dataclasses import dataclass

import numpy as np

from evomask.arrays import Indices
from evomask.data.classes import classes_of_columns
from evomask.data.graph import Graph
from evomask.data.schema import Attribute, Kind, Role, Schema, Storage
from evomask.data.table import Table
from evomask.graphs.profiles import ProfileColumns, Profiles, profiles_of
from evomask.graphs.protection import Protector

DEGREE = "degree"


@dataclass(frozen=True)
class Extraction:
    """Microdata from a graph.

    Args:
        table: the k-anonymous records, in the order of the nodes.
        loss: mean distance of original values to released ones, in percent, degree included.
        risk: percentage of original records that are found among the released ones.
        smallest: size of the smallest group of records that look alike.
    """

    table: Table
    loss: float
    risk: float
    smallest: int


def microdata(profiles: Profiles, degrees: Indices) -> Table:
    """One record a node: its degree, its place and its topics (figure 6.4)."""
    profile = profiles.table()
    degree = Attribute(
        DEGREE, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, storage=Storage.INTEGER, decimals=0
    )
    columns = {DEGREE: degrees.astype(float), **profile.columns}
    return Table(Schema((degree, *profile.schema.attributes)), columns)


def extracted(
    graph: Graph,
    columns: ProfileColumns,
    k: int,
    protector: Protector,
    rng: np.random.Generator,
    *,
    original: Graph | None = None,
) -> Extraction:
    """The records of a graph's nodes, made alike in groups of k or more, degree included.

    Args:
        graph: in the thesis the protected one.
        original: what loss and risk are measured against, nodes in the same order; *graph*
            itself where there is no other.
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
    """The degree and every attribute as codes from 0 up, a column each."""
    return [degrees, *(codes + 1 for codes in profiles.codes().values())]
