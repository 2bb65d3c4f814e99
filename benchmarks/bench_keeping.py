"""Tables and models that must survive, 100,000 records: seconds of CPU over the aim of 1 s each.

Two masked files: values exchanged (plain cells), and broader cells, which are split into pieces.
"""

import time

import numpy as np

from evomask.data.recoding import CategorySets, Intervals
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Column, Table
from evomask.measures.analyses.analyses import AnalysesToPreserve

RECORDS = 100_000
SCHOOLS = tuple(f"school {i}" for i in range(16))
AIM = 1.0
TABLES = ("education x sex", "education x sex: mean hours", "education x sex: median hours")
MODELS = ("hours ~ age + education + sex", "income = high ~ age + education + hours")


def people() -> Table:
    rng = np.random.default_rng(1)
    school, sex = rng.integers(0, 16, RECORDS), rng.integers(0, 2, RECORDS)
    age = rng.normal(40, 12, RECORDS).round()
    odds = np.exp(6 - 0.3 * school - 0.05 * age)
    quasi = Role.QUASI_IDENTIFIER
    schema = Schema(
        (
            Attribute("education", Kind.ORDINAL, quasi, SCHOOLS),
            Attribute("sex", Kind.NOMINAL, quasi, ("f", "m")),
            Attribute("age", Kind.CONTINUOUS, quasi),
            Attribute("hours", Kind.CONTINUOUS),
            Attribute("income", Kind.NOMINAL, Role.CONFIDENTIAL, ("low", "high")),
        )
    )
    hours = 30 + school + 3 * sex + rng.normal(0, 8, RECORDS)
    rich = (rng.random(RECORDS) < 1 / (1 + odds)).astype(np.int32)
    columns: dict[str, Column] = {"education": school, "sex": sex, "age": age, "hours": hours}
    return Table(schema, {**columns, "income": rich})


def exchanged(table: Table) -> Table:
    rng = np.random.default_rng(2)
    other = table.take(rng.permutation(RECORDS))
    some = rng.random(RECORDS) < 0.1
    return table.with_columns(
        {name: np.where(some, other[name], table[name]) for name in ("education", "age")}
    )


def broader(table: Table) -> Table:
    pairs = np.repeat(np.eye(8, dtype=bool), 2, axis=1)
    sets = CategorySets(tuple(f"pair {i}" for i in range(8)), pairs)
    low = np.arange(-60.0, 160.0, 10)
    tens = Intervals(tuple(f"from {end:g}" for end in low), low, low + 9)
    places = ((table["age"] + 60) // 10).astype(np.int32)
    masked = table.with_recoded("education", table.codes("education") // 2, sets)
    return masked.with_recoded("age", places, tens)


def main() -> None:
    table = people()
    files = {"exchanged": exchanged(table), "broader": broader(table)}
    wishes = [AnalysesToPreserve((text,)) for text in TABLES] + [
        AnalysesToPreserve((), (text,)) for text in MODELS
    ]
    for keep in wishes:
        kept = keep.against(table)
        kept.compare(table)
        for name, masked in files.items():
            started = time.process_time()
            (found,) = kept.compare(masked)
            seconds = time.process_time() - started
            print(
                f"{found.text}, {name}: {seconds:.2f} s, {seconds / AIM:.2f} of the aim, "
                f"error {found.error:.2f} %, overlap {found.overlap:.0f} %"
            )


if __name__ == "__main__":
    main()
