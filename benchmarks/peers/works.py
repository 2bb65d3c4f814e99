"""What is asked of everybody: files, parameters, and one judge for all answers to a work."""

import csv
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evomask.data.frames import Declaration, polars_from, table_from
from evomask.data.hierarchy import Hierarchy, fit_hierarchies
from evomask.data.partition import group_sizes, information_loss
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.io.datasets import reference_file
from evomask.masking.randomization.pram import Pram
from evomask.masking.recoding.group_values import GroupValues, with_group_values
from evomask.searches.generalization.lattice import Lattice, lattice_of
from evomask.searches.generalization.objectives import Reader, geometric_loss

Task = dict[str, Any]
Answer = Mapping[str, Any]
Quality = dict[str, float]

QUASI = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex",
    "native-country",
)  # fmt: skip
SECRET = "income"
KEYS = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
AGES = tuple(str(age) for age in range(17, 91))
COLUMNS = 5
SUPPRESSION = 1.0
"""Percent of the records that a recoding may leave out."""


@dataclass(frozen=True)
class Work:
    """One piece of work for us and for peers.

    Args:
        make: writes the file of so many records into a folder, and says what is asked.
        judge: how good an answer is, by one judge for all who answer.
    """

    name: str
    title: str
    make: Callable[[int, Path], Task]
    judge: Callable[[Task, Answer], Quality]


def _numbers(n_records: int, columns: int, folder: Path) -> Path:
    points = np.round(np.random.default_rng(1).normal(size=(n_records, columns)), 6)
    path = folder / "numbers.csv"
    pl.DataFrame({f"n{j}": points[:, j] for j in range(columns)}).write_csv(path)
    return path


def _points(n_records: int, folder: Path) -> Task:
    path = _numbers(n_records, COLUMNS, folder)
    return {"file": str(path), "k": 3, "numbers": [f"n{j}" for j in range(COLUMNS)]}


def _line(n_records: int, folder: Path) -> Task:
    return {"file": str(_numbers(n_records, 1, folder)), "k": 5}


def _grouped(task: Task, answer: Answer) -> Quality:
    points = pl.read_csv(task["file"]).to_numpy()
    labels = np.unique(answer["labels"], return_inverse=True)[1]
    small = group_sizes(labels)[labels] < task["k"]
    return {
        "loss %": information_loss((points - points.mean(0)) / points.std(0), labels),
        "records in smaller groups %": 100 * float(small.mean()),
    }


@cache
def adult(n_records: int) -> pl.DataFrame:
    """Complete records of Adult; again and again where more are asked for than there are."""
    frame = pl.read_csv(reference_file("uci/adult.csv"), null_values="?")
    frame = frame.select(*QUASI, SECRET).drop_nulls()
    rng = np.random.default_rng(3)
    few = n_records <= frame.height
    taken = (
        rng.permutation(frame.height)[:n_records]
        if few
        else rng.integers(0, frame.height, n_records)
    )
    found: pl.DataFrame = frame[np.sort(taken).tolist()]
    return found


@cache
def trees() -> dict[str, tuple[tuple[str, ...], ...]]:
    """The value trees of Adult, level by level."""
    found = {}
    for name in QUASI:
        path = reference_file(f"hierarchies/adult/adult_hierarchy_{name}.csv")
        with path.open(newline="", encoding="utf-8") as lines:
            found[name] = tuple(zip(*csv.reader(lines, delimiter=";"), strict=True))
    return found


def hierarchies(table: Table) -> dict[str, Hierarchy]:
    """The same as we keep them, of the categories that a table has."""
    lines = {name: list(zip(*levels, strict=True)) for name, levels in trees().items()}
    return fit_hierarchies(lines, table)


def adult_task(n_records: int, folder: Path) -> Task:
    """Adult, k = 5, with all that anybody needs to know of it."""
    path = folder / "adult.csv"
    adult(n_records).write_csv(path)
    return {
        "file": str(path), "k": 5, "quasi": QUASI, "confidential": SECRET, "numbers": ["age"],
        "categories": [name for name in QUASI if name != "age"], "records": n_records,
    }  # fmt: skip


def _categories_task(n_records: int, folder: Path) -> Task:
    return {**adult_task(n_records, folder), "numbers": []}


def _recoding_task(n_records: int, folder: Path) -> Task:
    task = _categories_task(n_records, folder)
    return {**task, "trees": trees(), "suppression": SUPPRESSION}


def adult_table(n_records: int) -> Table:
    """The quasi-identifiers of Adult as categories, ages in their order."""
    role = Role.QUASI_IDENTIFIER
    declared = {name: Declaration(Kind.NOMINAL, role) for name in QUASI}
    declared["age"] = Declaration(Kind.ORDINAL, role, categories=AGES)
    return table_from(adult(n_records).select(*QUASI), declared)


@cache
def adult_lattice(n_records: int) -> Lattice:
    """All recodings of Adult along its trees."""
    table = adult_table(n_records)
    return lattice_of(table, hierarchies(table))


def _recoded(task: Task, answer: Answer) -> Quality:
    lattice = adult_lattice(task["records"])
    if answer["levels"] is None:
        return {"loss (0 to 1)": 1.0, "records left out": float(lattice.n_records)}
    rule = lattice.rule(limit=lattice.n_records, k=task["k"])
    figures = Reader(lattice, rule).figures(tuple(answer["levels"]))
    return {
        "loss (0 to 1)": float(geometric_loss(figures.losses)[0]),
        "records left out": float(lattice.n_records - answer["records"]),
    }


def _regions(_: Task, answer: Answer) -> Quality:
    sizes = group_sizes(np.asarray(answer["labels"]))
    return {"regions": float(len(sizes)), "smallest": float(sizes.min())}


def with_regions(table: Table, labels: Iterable[int]) -> Table:
    """The file that releases what each region spans."""
    return with_group_values(table, QUASI, np.asarray(list(labels)), GroupValues.SETS)


def _value(_: Task, answer: Answer) -> Quality:
    return {"value": float(answer["value"])}


def _household(n_records: int, folder: Path) -> Task:
    """The first records of the household file that comes with sdcMicro."""
    frame = pl.read_csv(reference_file("sdcmicro/testdata.csv")).select(*KEYS).head(n_records)
    path = folder / "household.csv"
    frame.write_csv(path)
    return {"file": str(path), "k": 3, "matching": "wildcard", "change": 0.2}


def _pairs(n_records: int, folder: Path) -> Task:
    """Adult and itself after PRAM."""
    names = [name for name in QUASI if name not in ("age", "native-country")]
    table = adult_table(n_records).only(names)
    masked = Pram(table.schema.names, change=0.2).mask(table, np.random.default_rng(5))
    paths = folder / "pairs.csv", folder / "masked.csv"
    for path, one in zip(paths, (table, masked), strict=True):
        polars_from(one).write_csv(path)
    return {"file": str(paths[0]), "masked": str(paths[1])}


WORKS = (
    Work("mdav", "microaggregation, 5 numbers, k = 3", _points, _grouped),
    Work("univariate", "best groups of one number, k = 5", _line, _grouped),
    Work("mondrian", "Mondrian on Adult, k = 5", adult_task, _regions),
    Work("recoding", "recoding of Adult, k = 5, 1 % left out", _recoding_task, _recoded),
    Work("suppression", "local suppression, 7 keys, k = 3: cells", _household, _value),
    Work("pram", "PRAM of 7 attributes: percent changed", _household, _value),
    Work("k", "k of Adult, 8 attributes", _categories_task, _value),
    Work("l", "l of Adult, 8 attributes", _categories_task, _value),
    Work("t", "t of Adult, 8 attributes", _categories_task, _value),
    Work("linkage", "probabilistic linkage of Adult, 6 attributes", _pairs, _value),
)
