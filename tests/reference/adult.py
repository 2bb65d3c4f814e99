"""Adult as the papers use it: complete records, categories throughout."""

import csv

import numpy as np

from evomask.data.frames import Declaration
from evomask.data.hierarchy import Hierarchy
from evomask.data.schema import Kind
from evomask.io.csv import Dialect
from evomask.io.tables import read_table

NINE = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "income",
)  # fmt: skip
FILE_OF = {"income": "salary-class"}


def complete_adult(reference):
    declared = {name: Declaration(kind=Kind.NOMINAL) for name in NINE}
    table = read_table(reference("uci/adult.csv"), declared, Dialect(missing=("?",)))
    known = np.ones(len(table), dtype=bool)
    for name in NINE:
        attribute = table.attribute(name)
        known &= table[name] < attribute.domain_size
    return table.take(np.flatnonzero(known))


def arx_tree(reference, name):
    path = reference(f"hierarchies/adult/adult_hierarchy_{FILE_OF.get(name, name)}.csv")
    with path.open(newline="", encoding="utf-8") as file:
        levels = tuple(zip(*csv.reader(file, delimiter=";"), strict=True))
    return Hierarchy(levels[0], levels)
