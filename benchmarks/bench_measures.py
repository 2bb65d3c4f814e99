"""All measures of Adult, eight categorical attributes: under 10 seconds is the aim.

    python benchmarks/bench_measures.py [RECORDS]

With RECORDS, `evomask measure` of so many made-up people with six quasi-identifiers, a tenth of
whose cells come from other records: CPU seconds, from the two files on.
"""

import sys
import time

import numpy as np

import evomask
from bench_size import people
from evomask.data.frames import Declaration, polars_from
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.io.datasets import reference_file
from evomask.io.tables import read_table
from evomask.measures.catalogue import applicable_measures
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.loss.loss import InformationLoss

NAMES = (
    "workclass", "education", "marital-status", "occupation",
    "relationship", "race", "sex", "native-country",
)  # fmt: skip
AIM = 10.0
SHARE = 0.1


def adult() -> Table:
    """Records without a missing value: 30,162 of them."""
    declared = {name: Declaration(Kind.NOMINAL, Role.QUASI_IDENTIFIER) for name in NAMES}
    table = read_table(reference_file("uci/adult.csv"), declared).only(NAMES)
    known = np.ones(len(table), dtype=bool)
    for name in NAMES:
        named = [c.strip() not in ("", "?") for c in table.attribute(name).categories]
        known &= np.array(named)[table.codes(name)]
    return table.take(np.flatnonzero(known))


def perturbed(table: Table, rng: np.random.Generator) -> Table:
    """One cell in ten from another record."""
    changes = {}
    for name in table.schema.names:
        drawn = table[name][rng.permutation(len(table))]
        changes[name] = np.where(rng.random(len(table)) < SHARE, drawn, table[name])
    return table.with_columns(changes)


def measured(n_records: int) -> None:
    """Measure a large file."""
    table = people(n_records)
    files = table, perturbed(table, np.random.default_rng(1))
    original, masked = map(polars_from, files)
    start = time.process_time()
    found = evomask.measure(original, masked, quasi=table.schema.names, ordinal=["education"])
    print(
        f"{n_records} x {len(table.schema.names)}: loss {found.loss:.2f}, risk {found.risk:.2f}, "
        f"{time.process_time() - start:.1f} s CPU"
    )


def main() -> None:
    if len(sys.argv) > 1:
        measured(int(sys.argv[1]))
        return
    table = adult()
    masked = perturbed(table, np.random.default_rng(1))
    measures = {
        **applicable_measures(table.schema, NAMES, len(table)),
        "loss": InformationLoss(NAMES),
        "risk": DisclosureRisk(NAMES),
    }
    one = table.take(np.arange(10))
    for measure in measures.values():
        measure.against(one)(one)
    whole = 0.0
    for name, measure in measures.items():
        start = time.process_time()
        value = measure.against(table)(masked)
        spent = time.process_time() - start
        whole += spent
        print(f"{name:<16}{value:8.2f} {spent:6.2f} s CPU")
    print(
        f"Adult {len(table)} x {len(NAMES)}, all: {whole:.1f} s CPU, {whole / AIM:.2f} of the aim"
    )


if __name__ == "__main__":
    main()
