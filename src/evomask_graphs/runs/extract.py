"""Use case: extract microdata from a social graph and measure it against the original graph."""

import time
from dataclasses import dataclass
from pathlib import Path

from evomask.errors import ParameterError
from evomask.io.tables import PrivacyRequirements, check_table_target, write_table
from evomask.runs.store.release import draw_order
from evomask_graphs.extraction import extract_microdata
from evomask_graphs.graph import Graph
from evomask_graphs.runs.protect import (
    GraphInput,
    LoadedGraph,
    about_seed,
    aligned,
    generator,
    load_graph,
    protector_named,
)
from evomask_graphs.runs.pseudonyms import read_key


@dataclass(frozen=True)
class ExtractJob:
    """Parameters of an extraction.

    Args:
        source: the graph, in the thesis a protected one.
        original: the graph before it was protected, which loss and risk are measured against.
        key: key file of node names; without it, nodes have the same names.
    """

    source: GraphInput
    k: int
    out: Path
    protector: str = "search"
    seed: int | None = None
    force: bool = False
    original: GraphInput | None = None
    key: Path | None = None

    def __post_init__(self) -> None:
        if self.key is not None and self.original is None:
            raise ParameterError("--key requires --original, the unprotected graph")

    @property
    def files(self) -> tuple[Path, ...]:
        before = () if self.original is None else self.original.files
        return (*self.source.files, *before, *(() if self.key is None else (self.key,)))


@dataclass(frozen=True)
class ExtractOutcome:
    """Result of an extraction; loss and risk in percent, by evomask's own measures.

    Args:
        against: the graph that loss and risk are measured against.
    """

    out: Path
    records: int
    smallest: int
    loss: float
    risk: float
    against: Path
    seconds: float
    notes: tuple[str, ...]


def extract_file(job: ExtractJob) -> ExtractOutcome:
    """Write a graph's nodes as k-anonymous records, with their degrees, in random order."""
    protector = protector_named(job.protector)
    check_table_target(job.out, force=job.force, inputs=job.files)
    loaded = load_graph(job.source)
    graph, before = _beside_original(loaded, job)
    started = time.perf_counter()
    found = extract_microdata(
        graph, loaded.columns, job.k, protector, generator(job.seed), original=before
    )
    seconds = time.perf_counter() - started
    shuffled = found.table.take(draw_order(len(found.table)))
    written = write_table(shuffled, job.out, force=job.force, asked=PrivacyRequirements(job.k))
    against = job.source.path if job.original is None else job.original.path
    return ExtractOutcome(
        job.out, written.records, found.smallest, found.loss, found.risk, against, seconds,
        (*loaded.notes, *about_seed(job.seed)),
    )  # fmt: skip


def _beside_original(loaded: LoadedGraph, job: ExtractJob) -> tuple[Graph, Graph | None]:
    if job.original is None:
        return loaded.graph, None
    before = load_graph(job.original)
    key = None if job.key is None else read_key(job.key)
    return aligned(before, loaded, key), before.graph
