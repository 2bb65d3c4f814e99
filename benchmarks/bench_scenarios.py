"""Guarantees against several intruders: what they cost, and that they hold.

    python benchmarks/bench_scenarios.py [--parts testdata,survey,speed,ends,files]
        [--evaluations 500] [--cases 10000] [--files 1000] [--seed 1]

- ``testdata``: sdcMicro's test data, seven keys known exactly and three numbers within 10 %.
  Suppressed cells for k = 3 over those of its ``kAnon``; the usual recipe (kAnon and MDAV, k = 3)
  beside the front; tables and models in the suggested point.
- ``survey``: the bundled survey with three scenarios and with all quasi-identifiers at once, k = 5.
- ``speed``: enforcement at 100,000 records with three scenarios, CPU seconds.
- ``ends``: random small tables, requirements counted by code that shares nothing with enforcement.
- ``files``: random tables with random scenarios, masked by all methods, written in all formats and
  counted by pycanon and by that code.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from itertools import combinations
from pathlib import Path

import numpy as np

from evomask.data.frames import Declaration
from evomask.data.hierarchy import HierarchyDefinitions
from evomask.data.scenario import Scenario, parse_tolerance
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.engine.offers import likely
from evomask.io.datasets import reference_file, write_survey
from evomask.io.tables import read_table
from evomask.masking.composition import InTurn
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.requirement import Requirement
from evomask.masking.enforce.scenarios import KnownAttributes, ScenarioRepair
from evomask.masking.local_suppression import LocalSuppression, SuppressionMatching
from evomask.masking.microaggregation.mdav import Mdav
from evomask.masking.recoding.global_recoding import Generalization
from evomask.measures.analyses.analyses import NO_ANALYSES, AnalysesToPreserve
from evomask.report.protection import Protection
from evomask.runs.inputs import Input, load
from evomask.runs.protect import ProtectJob, protect_table

sys.path.insert(0, str(Path(__file__).parent.parent))
tables_of_tests = import_module("tests.masking.enforce.test_scenarios")
files_of_tests = import_module("tests.releases.test_scenarios")

KEYS = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
NUMBERS = ("expend", "income", "savings")
CELLS_OF_KANON = 293
"""Cells that ``kAnon`` of sdcMicro suppresses for k = 3."""

PRESERVED = AnalysesToPreserve(
    tables=tuple(f"{a} x {b}" for a, b in combinations(KEYS, 2)),
    models=tuple(f"{number} ~ urbrur + walls + electcon + sex" for number in NUMBERS),
)
MANY = 100_000


def test_data() -> Table:
    """sdcMicro's test data, attacked by one who knows the keys, and roughly the numbers."""
    quasi, number = Role.QUASI_IDENTIFIER, Kind.CONTINUOUS
    declared = {key: Declaration(Kind.NOMINAL, quasi) for key in KEYS}
    declared |= {name: Declaration(number, quasi) for name in NUMBERS}
    declared |= {"sampling_weight": Declaration(number, Role.WEIGHT)}
    declared |= {"ori_hid": Declaration(Kind.NOMINAL, Role.HOUSEHOLD)}
    table = read_table(reference_file("sdcmicro/testdata.csv"), declared).only(list(declared))
    within = dict.fromkeys(NUMBERS, parse_tolerance("10 %"))
    intruder = Scenario(name="keys", knows=KEYS, knows_about=within)
    return table.with_schema(replace(table.schema, scenarios=(intruder,)))


def suppressed_cells(table: Table, matching: SuppressionMatching) -> int:
    masked = LocalSuppression(KEYS, 3, matching).mask(table, np.random.default_rng(0))
    return sum(masked.suppressed_cells().values())


def protected(
    table: Table,
    requirement: Requirement,
    options: argparse.Namespace,
    keep: AnalysesToPreserve = NO_ANALYSES,
    hierarchies: HierarchyDefinitions | None = None,
) -> Protection:
    """Search by options.evaluations; the table is in memory."""
    job = ProtectJob(
        Input(Path("table")),
        Path(),
        requirement,
        evaluations=options.evaluations,
        seed=options.seed,
        keep=keep,
    )
    return protect_table(table, job, hierarchies=hierarchies)


def bench_testdata(options: argparse.Namespace) -> None:
    table = test_data()
    for matching in SuppressionMatching:
        cells = suppressed_cells(table, matching)
        print(f"k = 3 by local suppression, {matching}: {cells} cells, kAnon {CELLS_OF_KANON}")
    changed = ScenarioRepair((KnownAttributes(KEYS, 3),)).mask(table, np.random.default_rng(0))
    cells = sum(int((changed[key] != table[key]).sum()) for key in KEYS)
    print(f"k = 3 by enforcement: {cells} cells, kAnon {CELLS_OF_KANON}")

    done = protected(table, Requirement(3), options, PRESERVED)
    context = done.maker
    usual = InTurn((LocalSuppression(KEYS, 3, SuppressionMatching.COVERING), Mdav(NUMBERS, 3)))
    rest = context.rest_of(table)
    masked, twin = (
        None if one is None else usual.mask(one, np.random.default_rng(0)) for one in (table, rest)
    )
    assert masked is not None
    loss, risk = context.loss(masked), context.assess_risk(masked, twin)
    assert risk is not None
    print(f"the usual recipe, kAnon and MDAV, k = 3: loss {loss:.1f}, risk {risk.risk:.1f}")
    better = [p for p in done.front if p.loss < loss and p.risk < risk.risk]
    front = ", ".join(f"{p.loss:.1f}/{p.risk:.1f}" for p in done.front)
    print(f"front (loss/risk): {front}; below the usual recipe in both: {len(better)} points")
    chosen = likely(done.front)
    assert done.kept is not None
    found = done.kept.compare(done.files(chosen.number).masked)
    models = [one.overlap for one in found if one.kind == "model"]
    tables = [100.0 - one.error for one in found if one.kind == "table"]
    print(
        f"suggested point: loss {chosen.loss:.1f}, risk {chosen.risk:.1f}; overlap of regression "
        f"intervals {np.mean(models):.0f} %, two-way tables {np.mean(tables):.1f} %"
    )


def bench_survey(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, schema, *_ = write_survey(Path(folder))
        loaded = load(Input(path, schema))
    for title, scenarios in (("three scenarios", loaded.table.schema.scenarios), ("one", ())):
        table = loaded.table.with_schema(replace(loaded.table.schema, scenarios=scenarios))
        done = protected(table, Requirement(5), options, hierarchies=loaded.hierarchies)
        chosen = likely(done.front)
        risks = ", ".join(f"{name} {risk:.1f}" for name, risk in chosen.scenario_risks.items())
        print(f"survey, {title}, k = 5: loss {chosen.loss:.1f}, risk {chosen.risk:.1f} ({risks})")


def bench_speed(options: argparse.Namespace) -> None:
    """The scenarios of the survey, its shared attributes recoded, as a recipe leaves them."""
    with tempfile.TemporaryDirectory() as folder:
        path, schema, *_ = write_survey(Path(folder), MANY, options.seed)
        loaded = load(Input(path, schema))
        table, trees = loaded.table, loaded.trees
    levels = {"age": 2, "municipality": 1, "occupation": 1}
    recoding = Generalization(tuple(levels), tuple(levels.values()), {n: trees[n] for n in levels})
    recoded = recoding.mask(table, np.random.default_rng(0))
    alone = [
        name for name in table.schema.names if table.attribute(name).role is not Role.HOUSEHOLD
    ]
    for title, names, masked in (
        ("recoded", alone, recoded),
        ("as it is", alone, table),
        ("recoded, households", table.schema.names, recoded),
    ):
        enforce, file = Enforcement.of(table.only(names), Requirement(5)), masked.only(names)
        repair = enforce.repair
        assert repair is not None
        repair.mask(file, np.random.default_rng(0))
        began = time.process_time()
        repair.mask(file, np.random.default_rng(0))
        seconds = time.process_time() - began
        enforce(file)
        both = time.process_time() - began - seconds
        print(
            f"enforcement, {MANY:,} records {title}, three scenarios, k = 5: {seconds:.2f} CPU s, "
            f"with edit rules {both:.2f}"
        )


def bench_ends(options: argparse.Namespace) -> None:
    checked, changed = tables_of_tests.check_random_tables(range(options.cases))
    refused = options.cases - checked
    print(
        f"ends: {options.cases:,} random tables, {checked:,} enforced ({changed:,} changed) and "
        f"counted without a violation, {refused} refused as impossible"
    )


def bench_files(options: argparse.Namespace) -> None:
    done = 0
    for first in range(0, options.files, files_of_tests.PORTION):
        numbers = range(first, min(first + files_of_tests.PORTION, options.files))
        with tempfile.TemporaryDirectory() as folder:
            files_of_tests.check_files(Path(folder), numbers)
        done += len(numbers)
    print(f"files: {done:,} of {options.files:,} written files satisfy every scenario")


PARTS: Mapping[str, Callable[[argparse.Namespace], None]] = {
    "testdata": bench_testdata,
    "survey": bench_survey,
    "speed": bench_speed,
    "ends": bench_ends,
    "files": bench_files,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--evaluations", type=int, default=500)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for part in options.parts.split(","):
        PARTS[part](options)


if __name__ == "__main__":
    main()
