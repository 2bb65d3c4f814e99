"""The same pieces of work by evomask, asked as its peers are."""

import csv
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from asking import Clock, Task, serve

import evomask
from evomask.data.frames import Declaration
from evomask.data.hierarchy import Hierarchy
from evomask.data.recoding import SUPPRESSED
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.io.tables import read_table
from evomask.kernels.groups.splits import split_values
from evomask.masking.local_suppression import LocalSuppression, SuppressionMatching
from evomask.masking.microaggregation.mdav import Mdav
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.masking.randomization.pram import Pram
from evomask.measures.disclosure.privacy_models import distinct_l, k_anonymity, t_closeness
from evomask.measures.papers.probabilistic_linkage import ProbabilisticLinkage
from evomask.searches.generalization.lattice import lattice_of
from evomask.searches.generalization.optimum import optimum

ANY = np.random.default_rng(0)
"""Handed to methods that draw no number."""


def _table(task: Task, key: str = "file") -> Table:
    """The file with what the task says of its columns; what it does not name is nominal."""
    path = Path(task[key])
    with path.open(newline="", encoding="utf-8") as lines:
        names = next(csv.reader(lines))
    numbers, quasi = task.get("numbers", ()), task.get("quasi", names)
    declared = {
        name: Declaration(
            Kind.CONTINUOUS if name in numbers else Kind.NOMINAL,
            Role.QUASI_IDENTIFIER if name in quasi else Role.OTHER,
        )
        for name in names
    }
    return read_table(path, declared)


def mdav(task: Task, clock: Clock) -> dict[str, Any]:
    table = _table(task)
    method = Mdav(table.schema.names, task["k"])
    return {"labels": clock.timed(lambda: method.partition(table, ANY)).tolist()}


def univariate(task: Task, clock: Clock) -> dict[str, Any]:
    values = np.loadtxt(task["file"], skiprows=1)
    return {"labels": clock.timed(lambda: split_values(values, task["k"])).tolist()}


def mondrian(task: Task, clock: Clock) -> dict[str, Any]:
    table = _table(task)
    method = Mondrian(tuple(task["quasi"]), task["k"])
    clock.timed(lambda: method.mask(table, ANY))
    return {"labels": method.partition(table, ANY).tolist()}


def recoding(task: Task, clock: Clock) -> dict[str, Any]:
    """The node of least loss, proven, with the lattice built first."""
    table = _table(task)
    trees = {
        name: Hierarchy(tuple(tree[0]), tuple(map(tuple, tree)))
        for name, tree in task["trees"].items()
    }
    limit = int(len(table) * task["suppression"] / 100)
    found = clock.timed(lambda: optimum(lattice_of(table, trees), k=task["k"], limit=limit))
    if found is None:
        return {"levels": None, "records": 0}
    levels = [int(level) for level in found.levels]
    return {"levels": levels, "records": len(table) - found.suppressed}


def suppression(task: Task, clock: Clock) -> dict[str, Any]:
    table = _table(task)
    names = table.schema.names
    method = LocalSuppression(names, task["k"], SuppressionMatching(task["matching"]))
    masked = clock.timed(lambda: method.mask(table, ANY))
    cells = 0
    for name in names:
        labels = masked.recodings[name].labels if masked.is_recoded(name) else ()
        cells += int(np.sum(masked[name] == labels.index(SUPPRESSED))) if labels else 0
    return {"value": cells}


def pram(task: Task, clock: Clock) -> dict[str, Any]:
    table = _table(task)
    method = Pram(table.schema.names, change=task["change"])
    masked = clock.timed(lambda: method.mask(table, np.random.default_rng(1)))
    changed = [np.mean(masked[name] != table[name]) for name in table.schema.names]
    return {"value": 100 * float(np.mean(changed))}


def k(task: Task, clock: Clock) -> dict[str, Any]:
    table, quasi = _table(task), tuple(task["quasi"])
    return {"value": clock.timed(lambda: k_anonymity(table, quasi))}


def l(task: Task, clock: Clock) -> dict[str, Any]:  # noqa: E743
    table, quasi = _table(task), tuple(task["quasi"])
    return {"value": clock.timed(lambda: distinct_l(table, quasi, task["confidential"]))}


def t(task: Task, clock: Clock) -> dict[str, Any]:
    table, quasi = _table(task), tuple(task["quasi"])
    return {"value": clock.timed(lambda: t_closeness(table, quasi, task["confidential"]))}


def linkage(task: Task, clock: Clock) -> dict[str, Any]:
    original = _table(task)
    masked = read_masked(task, original)
    names = original.schema.names

    def work() -> Any:
        measure = ProbabilisticLinkage(names)
        return measure.against(original)(masked), measure.model(original, masked)

    value, model = clock.timed(work)
    return {"value": value, "m": [float(m) for m in model.m]}


def read_masked(task: Task, original: Table) -> Table:
    """The masked file in the categories of the original."""
    declared = {
        attribute.name: Declaration(attribute.kind, categories=attribute.categories)
        for attribute in original.schema
    }
    return read_table(Path(task["masked"]), declared)


def protect(task: Task, clock: Clock) -> dict[str, Any]:
    """The main job; of the seconds it is given it uses all."""
    frame = evomask.read(task["file"])
    schema = evomask.Schema(
        quasi=list(task["quasi"]),
        ordinal=list(task.get("numbers", ())),
        nominal=[name for name in frame.columns if name not in task.get("numbers", ())],
        hierarchies={
            name: {line[0]: list(line[1:]) for line in zip(*levels, strict=True)}
            for name, levels in task["trees"].items()
        },
    )
    run = partial(
        evomask.protect, frame, schema=schema, require=f"k={task['k']}", seed=1,
        seconds=task["seconds"],
    )  # fmt: skip
    result = clock.timed(run)
    result.masked(shuffled=False).write_csv(task["out"])
    return {"file": task["out"]}


if __name__ == "__main__":
    serve(
        "evomask",
        {
            "mdav": mdav, "univariate": univariate, "mondrian": mondrian, "recoding": recoding,
            "suppression": suppression, "pram": pram, "k": k, "l": l, "t": t,
            "linkage": linkage, "protect": protect,
        },
    )  # fmt: skip
