"""Pseudonyms of nodes, their key file, and clusters written as supernodes."""

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from evomask.data.table import Table
from evomask.errors import DataError, FileError
from evomask.io.files import OWNER_ONLY, write_atomically
from evomask.runs.store.release import draw_order
from evomask.types import Indices
from evomask_graphs.graph import Graph
from evomask_graphs.graph_files import read_rows, write_weighted
from evomask_graphs.supernodes import Supernodes


def new_names(graph: Graph) -> tuple[str, ...]:
    """Random names that no node of the original has."""
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
    order = draw_order(len(general.members))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    numbers = {"people": general.members[order], "links_inside": general.inside[order]}
    ends = np.sort(place[general.edges], axis=1)
    rows = np.lexsort((ends[:, 1], ends[:, 0]))
    weighted = (ends[rows], general.links[rows])
    write_weighted(profiles.take(order), numbers, weighted, folder, force=force)


def write_key(path: Path, originals: list[str], names: tuple[str, ...], force: bool) -> None:
    """Write the map of original to new names; only its owner may read the file."""

    def write(temporary: Path) -> None:
        with temporary.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["original", "masked"])
            rows.writerows(zip(originals, names, strict=True))

    write_atomically(path, write, force=force, mode=OWNER_ONLY)


def read_key(path: Path) -> dict[str, str]:
    """Read the map of original to new names that `write_key` wrote."""
    rows = read_rows(path)
    if not {"original", "masked"} <= rows[0].keys():
        raise FileError(f"{path} is not a key file; it needs the columns original and masked")
    return {row["original"]: row["masked"] for row in rows}


def order_of(original: Graph, masked: Graph, key: Mapping[str, str] | None) -> Indices:
    """Position of each original node in the masked graph."""
    place = {name: position for position, name in enumerate(masked.names)}
    names = [key.get(name, "") for name in original.names] if key else original.names
    if len(original) != len(masked) or any(name not in place for name in names):
        raise DataError(
            "the two graphs have different nodes; give the key file that `graph protect --key` "
            "wrote"
        )
    return np.array([place[name] for name in names], dtype=np.int64)
