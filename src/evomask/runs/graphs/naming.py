"""Names that say nothing, the key to them, and clusters written as supernodes."""

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from evomask.arrays import Indices
from evomask.data.graph import Graph
from evomask.data.table import Table
from evomask.errors import DataError, FileError
from evomask.graphs.supernodes import Supernodes
from evomask.io.files import OWNER_ALONE, write_atomically
from evomask.io.graphs import read_rows, write_weighted
from evomask.runs.kept.order import new_order


def new_names(graph: Graph) -> tuple[str, ...]:
    """Names that say nothing, and that no node of the original has."""
    used = set(graph.names)
    prefix = "n"
    while any(f"{prefix}{i}" in used for i in range(1, len(graph) + 1)):
        prefix += "n"
    return tuple(f"{prefix}{i}" for i in range(1, len(graph) + 1))


def write_supernodes(
    general: Supernodes,
    profiles: Table,
    folder: Path,
    *,
    force: bool = False,
) -> None:
    """Write supernodes with their profiles in random order, and the links between them."""
    order = new_order(len(general.members))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    numbers = {"people": general.members[order], "links_inside": general.inside[order]}
    ends = np.sort(place[general.edges], axis=1)
    rows = np.lexsort((ends[:, 1], ends[:, 0]))
    weighted = (ends[rows], general.links[rows])
    write_weighted(profiles.take(order), numbers, weighted, folder, force=force)


def write_key(path: Path, originals: list[str], names: tuple[str, ...], force: bool) -> None:
    """Write which original node became which; only its owner may read it."""

    def write(temporary: Path) -> None:
        with temporary.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["original", "masked"])
            rows.writerows(zip(originals, names, strict=True))

    write_atomically(path, write, force=force, mode=OWNER_ALONE)


def read_key(path: Path) -> dict[str, str]:
    """Which original node became which, as `write_key` wrote it."""
    rows = read_rows(path)
    if not {"original", "masked"} <= rows[0].keys():
        raise FileError(f"{path} is no key; it needs the columns original and masked")
    return {row["original"]: row["masked"] for row in rows}


def order_of(original: Graph, masked: Graph, key: Mapping[str, str] | None) -> Indices:
    """Where each original node stands in the masked graph."""
    place = {name: position for position, name in enumerate(masked.names)}
    names = [key.get(name, "") for name in original.names] if key else original.names
    if len(original) != len(masked) or any(name not in place for name in names):
        raise DataError(
            "the nodes of the two graphs are not the same; give the key that --key wrote when "
            "the graph was protected"
        )
    return np.array([place[name] for name in names], dtype=np.int64)
